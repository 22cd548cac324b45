package acp

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine"
	"github.com/hoopoe-agent/hoopoe/engine/config"
	"github.com/hoopoe-agent/hoopoe/engine/ext"
	"github.com/hoopoe-agent/hoopoe/engine/session"
)

// once plays these turns, one after the other.
func once(turns ...string) string {
	return "-- turn --\n" + strings.Join(turns, "\n-- turn --\n") + "\n"
}

func calling(name string, arguments string) string {
	return "-- call " + name + " --\n" + arguments
}

// A-3, cases 48, 50, 51, 52, 55: text and thoughts come piece by piece, never
// empty, each message by its id; nothing of the user's, nothing after the answer.
func TestMessages(t *testing.T) {
	c := connect(t, once("-- thinking piece=4 --\nlet me think\n-- text piece=5 --\nfirst part\n"+calling("ls", "{}"), "-- text --\nsecond"), setup{})
	id := c.open()
	if stop := c.turn(id, "go"); stop != "end_turn" {
		t.Fatal(stop)
	}
	var thought string
	for _, u := range c.updates(id, "agent_thought_chunk") {
		thought += u.text()
	}
	if said := c.said(id); thought != "let me think" || said != "first partsecond" {
		t.Errorf("thought %q, said %q", thought, said)
	}
	ids := map[string]bool{}
	for _, u := range c.updates(id, "agent_message_chunk", "agent_thought_chunk") {
		if u.text() == "" || u.MessageID == "" {
			t.Errorf("the chunk %+v", u)
		}
		ids[u.MessageID] = true
	}
	if len(ids) != 2 {
		t.Errorf("%d ids of messages, want 2", len(ids))
	}
	if n := len(c.updates(id, "user_message_chunk")); n > 0 {
		t.Errorf("%d chunks of the user's in a live turn", n)
	}
	over := false
	for _, l := range c.all() {
		over = over || strings.Contains(string(l.Result), "stopReason")
		if u, ok := asUpdate(l, id); ok && over {
			t.Errorf("%s comes after the answer", u.SessionUpdate)
		}
	}
}

// A-7, case 41: why a turn has stopped.
func TestStopReasons(t *testing.T) {
	for _, p := range []struct {
		name, script, want string
		open               engine.OpenOptions
	}{
		{"the end", hello, "end_turn", engine.OpenOptions{}},
		{"the output limit", once("-- text --\nlong\n-- stop length --"), "max_tokens", engine.OpenOptions{}},
		{"a filter", once("-- text --\nno\n-- stop refusal --"), "refusal", engine.OpenOptions{}},
		{"model calls", "-- turn --\ntimes: always\n" + calling("ls", "{}"), "max_turn_requests", engine.OpenOptions{Limits: config.Limits{Turns: 2}}},
		{"tokens", "-- turn --\ntimes: always\n" + calling("ls", "{}") + "\n-- usage input=100 output=100 --", "max_tokens", engine.OpenOptions{Limits: config.Limits{TotalTokens: 50}}},
	} {
		t.Run(p.name, func(t *testing.T) {
			c := connect(t, p.script, setup{open: p.open})
			if stop := c.turn(c.open(), "go"); stop != p.want {
				t.Errorf("got %s, want %s", stop, p.want)
			}
		})
	}
}

// A-8, case 17: a run that fails is an error with our code.
func TestRunFails(t *testing.T) {
	for kind, code := range map[string]string{
		"auth": codeAuth, "bad_request": codeBadRequest, "overflow": codeOverflow, "unknown": codeInternal,
	} {
		t.Run(kind, func(t *testing.T) {
			c := connect(t, "-- turn --\ntimes: always\n-- error kind="+kind+" --\nthe provider says no\n", setup{})
			id := c.open()
			l := c.answered(c.ask(id, "go"))
			if l.Error == nil || l.Error.Code != -32603 || l.Error.Data.Code != code || l.Error.Data.Details != l.Error.Message || kind != "overflow" && !strings.Contains(l.Error.Message, "says no") {
				t.Errorf("got %s, want %s", l.raw, code)
			}
			if l := c.answered(c.ask(id, "again")); l.Error == nil || l.Error.Code != -32603 {
				t.Errorf("the session is stuck: %s", l.raw)
			}
		})
	}
}

// A-6, cases 73, 74: without forms a question ends the turn, and the next prompt answers it.
func TestQuestionAsText(t *testing.T) {
	script := "-- turn --\non: go\n" + calling("ask", `{"question":"Which database?","options":["Postgres","SQLite"]}`) +
		"\n-- turn --\non: SQLite\n-- text --\n, chosen"
	c := connect(t, script, setup{})
	id := c.open()
	if stop := c.turn(id, "go"); stop != "end_turn" || !strings.HasSuffix(c.said(id), "Which database?\n\n1. Postgres\n2. SQLite") {
		t.Fatalf("stopped by %s, said %q", stop, c.said(id))
	}
	if c.turn(id, "2"); !strings.HasSuffix(c.said(id), ", chosen") {
		t.Errorf("said %q", c.said(id))
	}
}

// A-6, cases 73, 74: with forms it is one.
func TestQuestionAsForm(t *testing.T) {
	script := once(calling("ask", `{"question":"Which?","options":["a","b"]}`), "-- text --\nok")
	for _, p := range []struct{ name, answer, want string }{
		{"chosen", `{"action":"accept","content":{"answer":"b"}}`, "The user answers: b"},
		{"other words", `{"action":"accept","content":{"answer":"a","answer_other":"none of these"}}`, "The user answers: none of these"},
		{"nothing chosen", `{"action":"accept","content":{}}`, "no answer"},
		{"declined", `{"action":"decline"}`, "no answer"},
		{"an action to come", `{"action":"snooze"}`, "no answer"},
		{"a failure", `error:{"code":-32603,"message":"no"}`, "no answer"},
	} {
		t.Run(p.name, func(t *testing.T) {
			c := connect(t, script, setup{caps: `{"elicitation":{"form":{}}}`})
			c.answers(func(l line) string { return p.answer })
			id := c.open()
			if stop := c.turn(id, "go"); stop != "end_turn" {
				t.Fatal(stop)
			}
			u := c.updated(id, func(u update) bool { return u.Status == "completed" })
			if !strings.Contains(string(u.RawOutput), p.want) {
				t.Errorf("the model is told %s", u.RawOutput)
			}
		})
	}
}

// the task list is a plan, always the whole of it.
func TestPlan(t *testing.T) {
	c := connect(t, once(
		calling("todo", `{"ops":[{"op":"replace","phases":[{"name":"Work","tasks":[{"content":"Look"},{"content":"Do"}]}]}]}`),
		"times: always\n-- text --\ndone"), setup{})
	id := c.open()
	c.turn(id, "go")
	u := c.updated(id, func(u update) bool { return u.SessionUpdate == "plan" })
	if len(u.Entries) != 2 || u.Entries[0] != (planEntry{"Look", "medium", "in_progress"}) || u.Entries[1].Status != "pending" {
		t.Errorf("the plan %+v", u.Entries)
	}
}

// blocks of a prompt become what the model reads.
func TestPromptBlocks(t *testing.T) {
	c := connect(t, hello, setup{})
	id := c.open()
	l := c.call("session/prompt", `{"sessionId":%q,"prompt":[
		{"type":"text","text":"look at "},{"type":"resource_link","uri":"file:///a/b (c).go","name":"b.go"},{"type":"text","text":", please"},
		{"type":"resource","resource":{"uri":"file:///n.md","text":"notes\n"}},
		{"type":"image","data":"aGk=","mimeType":"image/png"},
		{"type":"resource","resource":{"uri":"file:///p.png","blob":"aGk=","mimeType":"image/png"}}]}`, id)
	if l.Error != nil {
		t.Fatal(l.raw)
	}
	file, err := filepath.Glob(filepath.Join(c.home, ".local/share/hoopoe/sessions/*/*.jsonl"))
	if err != nil || len(file) != 1 {
		t.Fatal(file, err)
	}
	sum, err := session.Summarize(file[0])
	if err != nil || !strings.HasPrefix(sum.Title, "look at [b.go](<file:///a/b (c).go>), please") {
		t.Errorf("the prompt begins %q, %v", sum.Title, err)
	}
	data, err := os.ReadFile(file[0])
	if err != nil || !strings.Contains(string(data), `<resource uri=\"file:///n.md\">\nnotes\n</resource>`) && !strings.Contains(string(data), `resource uri=`) {
		t.Errorf("the resource isn't in the session: %v", err)
	}
	if n := strings.Count(string(data), `"type":"image"`); n != 2 {
		t.Errorf("%d pictures", n)
	}
}

// Slash commands say what they have to say, and are no turn of the model's.
func TestSlashCommand(t *testing.T) {
	c := connect(t, hello, setup{})
	id := c.open()
	if stop := c.turn(id, "/help"); stop != "end_turn" || !strings.Contains(c.said(id), "/permissions") {
		t.Errorf("stopped by %s, said %q", stop, c.said(id))
	}
	if stop := c.turn(id, "/permissions full"); stop != "end_turn" {
		t.Error(stop)
	}
	c.updated(id, func(u update) bool { return u.SessionUpdate == "current_mode_update" && u.CurrentModeID == "full" })
	c.updated(id, func(u update) bool {
		return u.SessionUpdate == "config_option_update" && u.ConfigOptions[0].CurrentValue == "full"
	})
	if stop := c.turn(id, "/permissions wild"); stop != "end_turn" {
		t.Error(stop)
	}
	if c.turn(id, "/no-such-command"); !strings.HasSuffix(c.said(id), "hello") {
		t.Errorf("what is no command goes to the model; said %q", c.said(id))
	}
}

// Case 54: a message for a run that is going on.
func TestSteering(t *testing.T) {
	script := "-- turn --\non: go\n" + calling("bash", `{"command":"sleep 0.2"}`) + "\n-- turn --\non: left\n-- text --\nturning left\n" + hello
	c := connect(t, script, setup{open: engine.OpenOptions{Mode: "full"}})
	id := c.open()
	steer := func() string {
		var r struct{ Outcome string }
		c.result(&r, "_session/steering", `{"sessionId":%q,"prompt":[{"type":"text","text":"left"}]}`, id)
		return r.Outcome
	}
	if got := steer(); got != "promptRequired" {
		t.Error(got)
	}
	prompt := c.ask(id, "go")
	c.updated(id, func(u update) bool { return u.Status == "in_progress" })
	if got := steer(); got != "injected" {
		t.Error(got)
	}
	if stop := c.stop(prompt); stop != "end_turn" || c.said(id) != "turning left" {
		t.Errorf("stopped by %s, said %q", stop, c.said(id))
	}
}

// Cases 66, 67: output comes while the command runs, where the editor shows a
// terminal of ours each piece once.
func TestLiveOutput(t *testing.T) {
	script := once(calling("bash", `{"command":"echo one; sleep 0.3; echo two; sleep 0.3; echo three; exit 4"}`), "-- text --\ndone")
	t.Run("terminal", func(t *testing.T) {
		c := connect(t, script, setup{open: engine.OpenOptions{Mode: "full"}, caps: `{"terminal":true,"_meta":{"terminal_output":true}}`})
		id := c.open()
		c.turn(id, "go")
		var data string
		var exit map[string]any
		for _, u := range c.updates(id, "tool_call", "tool_call_update") {
			var m struct {
				Output struct{ Data string } `json:"terminal_output"`
				Exit   map[string]any        `json:"terminal_exit"`
			}
			_ = json.Unmarshal(u.Meta, &m)
			data += m.Output.Data
			if m.Exit != nil {
				exit = m.Exit
			}
		}
		if !strings.HasPrefix(data, "one\r\ntwo\r\nthree") || strings.Count(data, "one") != 1 || exit["exit_code"] != 4.0 {
			t.Errorf("the terminal shows %q and ends with %v", data, exit)
		}
	})
	t.Run("refused", func(t *testing.T) {
		c := connect(t, script, setup{caps: `{"_meta":{"terminal_output":true}}`})
		c.answers(allowing("reject"))
		id := c.open()
		c.turn(id, "go")
		if u := c.updates(id, "tool_call")[0]; !strings.Contains(string(u.Meta), "terminal_info") || u.Status != "pending" {
			t.Errorf("the terminal isn't there from the beginning: %+v", u)
		}
		u := c.updated(id, func(u update) bool { return u.Status == "failed" })
		if list := u.contents(); len(list) != 1 || list[0].Content == nil || !strings.Contains(*list[0].Content.Text, "declined") {
			t.Errorf("it ends with %+v", list)
		}
	})
	t.Run("text", func(t *testing.T) {
		c := connect(t, script, setup{open: engine.OpenOptions{Mode: "full"}})
		id := c.open()
		prompt := c.ask(id, "go")
		c.updated(id, func(u update) bool { return u.Status == "" && strings.Contains(string(u.Content), "one") })
		c.stop(prompt)
	})
}

// Case 11: lines stay far below what clients take, whatever a call gives.
func TestShortLines(t *testing.T) {
	c := connect(t, once(calling("bash", `{"command":"head -c 20000000 /dev/zero | tr '\\0' x"}`)+"\n"+calling("write", `{"path":"big.txt","content":"small\n"}`), "-- text --\ndone"), setup{open: engine.OpenOptions{Mode: "full"}})
	c.write("big.txt", strings.Repeat("a line of a big file\n", 400_000))
	id := c.open()
	if stop := c.turn(id, "go"); stop != "end_turn" {
		t.Fatal(stop)
	}
	for _, l := range c.all() {
		if len(l.raw) > 4<<20 {
			t.Errorf("a line of %d bytes: %s", len(l.raw), l.raw[:200])
		}
	}
}

// Cases 71, 72: an editor opens and follows locations, so they are absolute, have
// the line, and are never folders.
func TestLocations(t *testing.T) {
	c := connect(t, once(
		calling("read", `{"path":"a.txt","offset":3}`)+"\n"+calling("read", `{"path":"."}`)+"\n"+calling("ls", `{"path":"."}`)+"\n"+calling("grep", `{"pattern":"b","path":"."}`),
		calling("edit", `{"path":"a.txt","oldText":"b\n","newText":"B\n"}`),
		"-- text --\ndone"), setup{open: engine.OpenOptions{Mode: "full"}})
	path := c.write("a.txt", "a\nb\nc\nd\n")
	id := c.open()
	c.turn(id, "go")
	want := map[string][]location{"read": {{path, 3}}, "edit": {{path, 2}}}
	for _, u := range c.updates(id, "tool_call", "tool_call_update") {
		for _, l := range u.Locations {
			if l.Path != path || l.Line == 0 {
				t.Errorf("%s has the location %+v", u.Title, l)
			}
		}
		if list := want[u.Kind]; u.SessionUpdate == "tool_call" && slices.Equal(u.Locations, list) {
			delete(want, u.Kind)
		}
	}
	if len(want) > 0 {
		t.Errorf("never told: %+v", want)
	}
}

// Case 49: what the protocol has no ability for goes to each client, which
// passes over what it doesn't know; the rest only where it is wanted.
func TestKindsOfUpdates(t *testing.T) {
	always := []string{"agent_message_chunk", "agent_thought_chunk", "available_commands_update", "config_option_update", "current_mode_update", "plan", "session_info_update", "tool_call", "tool_call_update", "usage_update"}
	long := strings.Repeat("long ", 40_000) // there has to be something to sum up
	for _, p := range []struct {
		caps string
		more []string
	}{
		{`{}`, nil},
		{`{"session":{"notices":{},"compaction":{}}}`, []string{"compaction_update", "notice"}},
	} {
		c := connect(t, once("-- thinking --\nhm\n-- text --\nso\n"+calling("todo", `{"ops":[{"op":"replace","phases":[{"name":"Work","tasks":[{"content":"Look"}]}]}]}`), "times: always\n-- text --\ndone"),
			setup{caps: p.caps, hooks: []ext.Hooks{{Name: "lively", SessionStart: func(ctx context.Context, s ext.Session) error {
				s.Notify(ctx, "warning", "mind the gap")
				return nil
			}}}})
		id := c.open()
		for _, text := range []string{"go", long, long, "/compact", "/permissions full"} {
			if stop := c.turn(id, text); stop != "end_turn" {
				t.Fatal(text, stop)
			}
		}
		c.updated(id, func(u update) bool { return u.SessionUpdate == "config_option_update" })
		var kinds []string
		for _, u := range c.updates(id) {
			kinds = append(kinds, u.SessionUpdate)
		}
		slices.Sort(kinds)
		want := slices.Concat(always, p.more)
		slices.Sort(want)
		if got := slices.Compact(kinds); !slices.Equal(got, want) {
			t.Errorf("%s is told\n%v, want\n%v", p.caps, got, want)
		}
	}
}
