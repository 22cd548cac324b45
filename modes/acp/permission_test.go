package acp

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine"
)

// A-5, cases 56, 57, 59: a call that has to be allowed is asked for, with the
// change that it makes, and stays pending until it is answered; then it runs or
// fails, and the model goes on.
func TestPermission(t *testing.T) {
	for _, p := range []struct {
		option, status string
		made           bool
	}{{"allow", "completed", true}, {"reject", "failed", false}, {"nonsense", "failed", false}, {"", "failed", false}} {
		t.Run(p.option, func(t *testing.T) {
			c := connect(t, once(calling("write", `{"path":"a.txt","content":"one\n"}`), "-- text --\nwent on"), setup{})
			c.answers(allowing(p.option))
			if p.option == "" {
				c.answers(func(line) string { return `{"outcome":{"outcome":"cancelled"}}` })
			}
			id := c.open()
			if stop := c.turn(id, "write"); stop != "end_turn" || c.said(id) != "went on" {
				t.Errorf("stopped by %s, said %q", stop, c.said(id))
			}
			var asked struct {
				ToolCall struct {
					ToolCallID, Title, Kind, Status string
					Content                         []shownContent
					Locations                       []location
				}
				Options []permissionOption
			}
			if err := json.Unmarshal(c.asked("session/request_permission").Params, &asked); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(c.dir, "a.txt")
			d := asked.ToolCall
			if d.Kind != "edit" || d.Status != "pending" || d.Title != "Write a.txt" || len(d.Locations) != 1 || d.Locations[0].Path != path {
				t.Errorf("the call %+v", d)
			}
			if len(d.Content) != 1 || d.Content[0].Type != "diff" || d.Content[0].Path != path || d.Content[0].OldText != nil || d.Content[0].NewText != "one\n" {
				t.Errorf("the change %+v", d.Content)
			}
			var kinds, ids []string
			for _, o := range asked.Options {
				kinds, ids = append(kinds, o.Kind), append(ids, o.OptionID)
			}
			if want := "allow_once reject_once allow_always reject_always"; strings.Join(kinds, " ") != want || ids[0] != "allow" || ids[1] != "reject" {
				t.Errorf("the options %v %v", kinds, ids)
			}
			var states []string
			for _, u := range c.updates(id, "tool_call", "tool_call_update") {
				states = append(states, u.SessionUpdate+" "+u.Status)
			}
			want := []string{"tool_call pending", "tool_call_update in_progress", "tool_call_update completed"}
			if !p.made {
				want = []string{"tool_call pending", "tool_call_update failed"}
			}
			if !slices.Equal(states, want) {
				t.Errorf("the call's states %v, want %v", states, want)
			}
			if _, err := os.Stat(path); (err == nil) != p.made {
				t.Errorf("the file: %v", err)
			}
		})
	}
}

// an "always" is kept for the folder, whichever way it goes.
func TestAlways(t *testing.T) {
	script := "-- turn --\non: one\n" + calling("bash", `{"command":"touch made"}`) + "\n-- turn --\non: one\n-- text --\ndone\n" +
		"-- turn --\non: two\n" + calling("bash", `{"command":"touch made"}`) + "\n-- turn --\non: two\n-- text --\ndone\n"
	for _, p := range []struct{ option, status string }{{"allow_always", "completed"}, {"reject_always", "failed"}} {
		t.Run(p.option, func(t *testing.T) {
			c := connect(t, script, setup{})
			c.answers(allowing(p.option))
			id := c.open()
			c.turn(id, "one")
			c.turn(id, "two")
			asked := 0
			for _, l := range c.all() {
				if l.Method == "session/request_permission" {
					asked++
				}
			}
			if asked != 1 {
				t.Errorf("asked %d times", asked)
			}
			var ends []string
			for _, u := range c.updates(id, "tool_call_update") {
				if u.Status == "completed" || u.Status == "failed" {
					ends = append(ends, u.Status)
				}
			}
			if !slices.Equal(ends, []string{p.status, p.status}) {
				t.Errorf("the calls ended %v", ends)
			}
		})
	}
}

// several questions of a turn come one after the other; reading is free.
func TestSeveralCalls(t *testing.T) {
	c := connect(t, once(
		calling("bash", `{"command":"echo first"}`)+"\n"+calling("bash", `{"command":"exit 3","description":"leave"}`)+"\n"+calling("read", `{"path":"note.md"}`),
		"-- text --\ndone"), setup{})
	c.write("note.md", "remember\n")
	c.answers(allowing("allow"))
	id := c.open()
	if stop := c.turn(id, "go"); stop != "end_turn" {
		t.Fatal(stop)
	}
	ended := map[string]update{}
	titles := map[string]update{}
	for _, u := range c.updates(id, "tool_call", "tool_call_update") {
		if u.SessionUpdate == "tool_call" {
			titles[u.ToolCallID] = u
		}
		if u.Status == "completed" || u.Status == "failed" {
			ended[u.ToolCallID] = u
		}
	}
	var got []string
	for id, u := range titles {
		got = append(got, fmt.Sprintf("%s|%s|%s|%s", u.Name, u.Kind, u.Title, ended[id].Status))
	}
	slices.Sort(got)
	want := []string{"bash|execute|echo first|completed", "bash|execute|exit 3|failed", "read|read|Read note.md|completed"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for id, u := range ended {
		var out string
		if err := json.Unmarshal(u.RawOutput, &out); err != nil || out == "" {
			t.Errorf("the output of %s: %s", titles[id].Title, u.RawOutput)
		}
		var shown []string
		for _, content := range u.contents() {
			shown = append(shown, *content.Content.Text)
		}
		if strings.Join(shown, "\n") != out {
			t.Errorf("the content of %s: %s", titles[id].Title, u.Content)
		}
	}
	for _, u := range titles {
		if u.Name == "read" && (len(u.Locations) != 1 || u.Locations[0].Path != filepath.Join(c.dir, "note.md") || u.Status != "in_progress") {
			t.Errorf("the read %+v", u)
		}
	}
}

// A-2, cases 40, 45, 47, 62: cancel ends a turn with cancelled, whatever it is
// doing, what was asked is taken back, and the next turn goes on.
func TestCancel(t *testing.T) {
	script := "-- turn --\non: sleep\ntimes: always\n" + calling("bash", `{"command":"sleep 60"}`) + "\n" +
		"-- turn --\non: write\ntimes: always\n" + calling("write", `{"path":"a.txt","content":"x"}`) + "\n" +
		"-- turn --\non: question\ntimes: always\n" + calling("ask", `{"question":"Which?","options":["a","b"]}`) + "\n" + slow
	for _, p := range []struct {
		name, text string
		open       engine.OpenOptions
		caps       string
		when       func(c *client, id string)
		by         string
		withdrawn  bool
	}{
		{"an answer", "slow", engine.OpenOptions{}, "{}", func(c *client, id string) {
			c.updated(id, func(u update) bool { return u.text() != "" })
		}, "session/cancel", false},
		{"the request", "slow", engine.OpenOptions{}, "{}", func(c *client, id string) {
			c.updated(id, func(u update) bool { return u.text() != "" })
		}, "$/cancel_request", false},
		{"a command", "sleep", engine.OpenOptions{Mode: "full"}, "{}", func(c *client, id string) {
			c.updated(id, func(u update) bool { return u.Status == "in_progress" })
		}, "session/cancel", false},
		{"a permission", "write", engine.OpenOptions{}, "{}", func(c *client, _ string) {
			c.asked("session/request_permission")
		}, "session/cancel", true},
		{"a form", "question", engine.OpenOptions{}, `{"elicitation":{"form":{}}}`, func(c *client, _ string) {
			c.asked("elicitation/create")
		}, "session/cancel", true},
		{"at once", "slow", engine.OpenOptions{}, "{}", func(*client, string) {}, "session/cancel", false},
	} {
		t.Run(p.name, func(t *testing.T) {
			c := connect(t, script, setup{open: p.open, caps: p.caps})
			id := c.open()
			prompt := c.ask(id, p.text)
			p.when(c, id)
			if p.by == "session/cancel" {
				c.notify(p.by, `{"sessionId":%q}`, id)
			} else {
				c.notify(p.by, `{"requestId":%s}`, prompt)
			}
			if stop := c.stop(prompt); stop != "cancelled" {
				t.Errorf("stopped by %s", stop)
			}
			if p.withdrawn {
				asked := c.await("the request", func(l line) bool { return l.Method != "session/update" && l.Method != "" && len(l.ID) > 0 })
				l := c.await("the end of the request", func(l line) bool { return l.Method == "$/cancel_request" })
				if !strings.Contains(string(l.Params), string(asked.ID)) {
					t.Errorf("%s takes back another request than %s", l.raw, asked.raw)
				}
			}
			// No call stays open.
			open := map[string]bool{}
			for _, u := range c.updates(id, "tool_call", "tool_call_update") {
				open[u.ToolCallID] = open[u.ToolCallID] || true
				if u.Status == "completed" || u.Status == "failed" {
					open[u.ToolCallID] = false
				}
			}
			for call, still := range open {
				if still {
					t.Errorf("the call %s has no end", call)
				}
			}
			if stop := c.turn(id, "again"); stop != "end_turn" || !strings.Contains(c.said(id), "hello") {
				t.Errorf("the next turn: %s, %q", stop, c.said(id))
			}
		})
	}
}

// Case 60: who is to allow a command sees it.
func TestCommandPermission(t *testing.T) {
	c := connect(t, once(calling("bash", `{"command":"rm -rf build && make","description":"Build anew"}`), "-- text --\ndone"), setup{})
	c.answers(allowing("reject"))
	id := c.open()
	c.turn(id, "go")
	var asked struct {
		ToolCall struct {
			Title, Kind string
			RawInput    struct{ Command string }
		}
	}
	if err := json.Unmarshal(c.asked("session/request_permission").Params, &asked); err != nil {
		t.Fatal(err)
	}
	const command = "rm -rf build && make"
	if a := asked.ToolCall; a.Title != command || a.Kind != "execute" || a.RawInput.Command != command {
		t.Errorf("asked %+v", a)
	}
}

// Case 63: clients show the first change of a request and no more. So each call is
// about one file and asked for by itself, and its change is one diff of the whole
// texts, before all else, however many places it has.
func TestOneChange(t *testing.T) {
	before := strings.Repeat("line\n", 40)
	a, b := "first\n"+before+"last\n", "only\n"
	c := connect(t, once(
		calling("edit", `{"path":"a.txt","edits":[{"oldText":"first","newText":"1st"},{"oldText":"last","newText":"nth"}]}`)+"\n"+
			calling("edit", `{"path":"b.txt","oldText":"only","newText":"sole"}`),
		"-- text --\ndone"), setup{})
	want := map[string][2]string{c.write("a.txt", a): {a, "1st\n" + before + "nth\n"}, c.write("b.txt", b): {b, "sole\n"}}
	c.answers(allowing("allow"))
	if stop := c.turn(c.open(), "go"); stop != "end_turn" {
		t.Fatal(stop)
	}
	for _, l := range c.all() {
		if l.Method != "session/request_permission" {
			continue
		}
		var asked struct {
			ToolCall struct{ Content []shownContent }
		}
		if err := json.Unmarshal(l.Params, &asked); err != nil {
			t.Fatal(err)
		}
		shown := asked.ToolCall.Content
		if len(shown) != 1 || shown[0].Type != "diff" || shown[0].OldText == nil {
			t.Fatalf("asked with %s", l.raw)
		}
		if texts := want[shown[0].Path]; *shown[0].OldText != texts[0] || shown[0].NewText != texts[1] {
			t.Errorf("the change of %s: %q becomes %q", shown[0].Path, *shown[0].OldText, shown[0].NewText)
		}
		delete(want, shown[0].Path)
	}
	for path := range want {
		t.Errorf("nobody was asked about %s", path)
	}
}

// Case 61: nobody answers; after the time for that the call is rejected.
func TestPatience(t *testing.T) {
	c := connect(t, once(calling("write", `{"path":"a","content":"b"}`), "-- text --\ndone"), setup{patience: 50 * time.Millisecond})
	id := c.open()
	if stop := c.turn(id, "go"); stop != "end_turn" || c.said(id) != "done" {
		t.Errorf("stopped by %s, said %q", stop, c.said(id))
	}
	u := c.updated(id, func(u update) bool { return u.Status == "failed" })
	if !strings.Contains(string(u.RawOutput), "nobody answered in time") {
		t.Errorf("the model is told %s", u.RawOutput)
	}
	c.await("the end of the request", func(l line) bool { return l.Method == "$/cancel_request" })
}

// Case 61: nobody answers; the run waits, and a cancel frees it.
func TestNoAnswer(t *testing.T) {
	c := connect(t, once(calling("write", `{"path":"a","content":"b"}`), "-- text --\ndone"), setup{})
	id := c.open()
	prompt := c.ask(id, "go")
	c.asked("session/request_permission")
	began := time.Now()
	c.notify("session/cancel", `{"sessionId":%q}`, id)
	if stop := c.stop(prompt); stop != "cancelled" || time.Since(began) > 10*time.Second {
		t.Errorf("stopped by %s after %s", stop, time.Since(began))
	}
}
