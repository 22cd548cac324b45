package acp

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine"
	"github.com/hoopoe-agent/hoopoe/engine/jsonl"
)

// work is a model that does a little of everything.
const work = "-- turn --\non: work\n-- thinking --\nhm\n-- text --\nI write.\n-- call write --\n{\"path\":\"a.txt\",\"content\":\"one\\n\"}\n-- call bash --\n{\"command\":\"echo out\"}\n" +
	"-- turn --\non: work\n-- text --\nDone.\n" + hello

// told are the lines of a conversation as somebody reads it.
func told(updates []update) []string {
	var lines []string
	title := map[string]string{}
	for _, u := range updates {
		switch u.SessionUpdate {
		case "user_message_chunk", "agent_message_chunk", "agent_thought_chunk":
			lines = append(lines, u.SessionUpdate[:strings.Index(u.SessionUpdate, "_")]+": "+u.text())
		case "tool_call":
			title[u.ToolCallID] = u.Kind + " " + u.Title
		case "tool_call_update":
			if u.Status == "completed" || u.Status == "failed" {
				var kinds []string
				for _, c := range u.contents() {
					kinds = append(kinds, c.Type)
				}
				lines = append(lines, fmt.Sprint(title[u.ToolCallID], " ", u.Status, " ", kinds))
			}
		}
	}
	slices.Sort(lines) // calls run side by side
	return lines
}

// a stored session is told again as it was when it was new; a resume
// tells nothing (cases 23, 24, 25, 34).
func TestLoadAndResume(t *testing.T) {
	c := connect(t, work, setup{open: engine.OpenOptions{Mode: "full"}})
	id := c.open()
	c.turn(id, "work")
	live := append(told(c.updates(id)), "user: work")
	slices.Sort(live)
	c.result(nil, "session/close", `{"sessionId":%q}`, id)
	if l := c.call("session/prompt", `{"sessionId":%q,"prompt":[{"type":"text","text":"x"}]}`, id); l.Error == nil || l.Error.Code != -32602 {
		t.Errorf("a closed session: %s", l.raw)
	}

	again := connect(t, work, setup{home: c.home, open: engine.OpenOptions{Mode: "full"}})
	var r sessionResult
	again.result(&r, "session/load", `{"sessionId":%q,"cwd":%q,"mcpServers":[]}`, id, c.dir)
	if r.Modes.CurrentModeID != "full" || len(r.ConfigOptions) < 2 {
		t.Errorf("the settings %+v", r)
	}
	if got := told(again.updates(id)); !slices.Equal(got, live) {
		t.Errorf("told again:\n%q\nlive:\n%q", got, live)
	}
	for i, l := range again.all() {
		if _, ok := asUpdate(l, id); !ok && len(l.Result) > 0 && strings.Contains(l.raw, "configOptions") && i < len(again.updates(id, "agent_message_chunk")) {
			t.Error("the answer comes before the conversation")
		}
	}
	if stop := again.turn(id, "more"); stop != "end_turn" || !strings.HasSuffix(again.said(id), "hello") {
		t.Errorf("going on: %s, %q", stop, again.said(id))
	}
	again.result(nil, "session/close", `{"sessionId":%q}`, id)

	third := connect(t, work, setup{home: c.home})
	elsewhere := t.TempDir()
	third.result(&r, "session/resume", `{"sessionId":%q,"cwd":%q}`, id, elsewhere)
	if got := told(third.updates(id)); len(got) > 0 {
		t.Errorf("a resume tells %q", got)
	}
	// The folder of the request rules, not that of the session (case 27).
	third.answers(allowing("allow"))
	if stop := third.turn(id, "work"); stop != "end_turn" {
		t.Error(stop)
	}
	if _, err := os.Stat(filepath.Join(elsewhere, "a.txt")); err != nil {
		t.Error(err)
	}
}

// A load that is taken back in the middle of what it tells leaves nothing open:
// the next one is told all.
func TestLoadTakenBack(t *testing.T) {
	const turns, size = 20, 256 << 10 // more than fits between here and there: what is told waits for the reader
	c := connect(t, fmt.Sprintf("-- turn --\ntimes: always\n-- text piece=100000 repeat=%d --\n%s\n", size/64, strings.Repeat("x", 63)), setup{})
	id := c.open()
	for range turns {
		c.turn(id, "go")
	}
	c.result(nil, "session/close", `{"sessionId":%q}`, id)

	again := connect(t, hello, setup{home: c.home, late: true, loose: true})
	lines := jsonl.NewReader(again.out, 0)
	until := func(text string) string {
		t.Helper()
		for {
			l, err := lines.Next()
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(l.Data[:min(len(l.Data), 200)]), text) {
				return string(l.Data)
			}
		}
	}
	load := fmt.Sprintf(`"method":"session/load","params":{"sessionId":%q,"cwd":%q,"mcpServers":[]}}`, id, c.dir)
	again.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{}}}`)
	until(`"id":1,`)
	again.send(`{"jsonrpc":"2.0","id":2,` + load)
	until("agent_message_chunk")
	again.send(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":2}}`)
	again.send(`{"jsonrpc":"2.0","id":3,"method":"no/such"}`) // once it is read, the one before was heard
	if l := until(`"id":2,`); !strings.Contains(l, "-32800") {
		t.Fatalf("it was answered with %s", short(l))
	}
	again.send(`{"jsonrpc":"2.0","id":4,` + load)
	said := 0
	for !strings.Contains(until(`"jsonrpc"`), `"id":4,`) {
		said++
	}
	if said < 2*turns {
		t.Errorf("%d lines were told of %d prompts and answers", said, turns)
	}
	again.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":5,"method":"session/prompt","params":{"sessionId":%q,"prompt":[{"type":"text","text":"hi"}]}}`, id))
	if l := until(`"id":5,`); !strings.Contains(l, "end_turn") {
		t.Error(short(l))
	}
	go io.Copy(io.Discard, again.out) // what comes at the end
}

// A session that is open is opened again, but not while it works.
func TestLoadOpenSession(t *testing.T) {
	c := connect(t, slow, setup{})
	id := c.open()
	c.turn(id, "hi")
	c.result(nil, "session/load", `{"sessionId":%q,"cwd":%q,"mcpServers":[]}`, id, c.dir)
	if stop := c.turn(id, "hi"); stop != "end_turn" {
		t.Error(stop)
	}
	prompt := c.ask(id, "slow")
	c.updated(id, func(u update) bool { return strings.Contains(u.text(), "work") })
	if l := c.call("session/load", `{"sessionId":%q,"cwd":%q,"mcpServers":[]}`, id, c.dir); l.Error == nil || l.Error.Code != -32600 {
		t.Error(l.raw)
	}
	c.result(nil, "session/close", `{"sessionId":%q}`, id)
	if stop := c.stop(prompt); stop != "cancelled" {
		t.Errorf("a close stops the turn by %s", stop)
	}
}

// One that nothing was said in can be loaded, and isn't listed; the mode that
// was set is its mode again (case 32). An empty list is one, not null (case 12).
func TestNeverPrompted(t *testing.T) {
	c := connect(t, hello, setup{})
	id := c.open()
	c.result(nil, "session/set_mode", `{"sessionId":%q,"modeId":"plan"}`, id)
	again := connect(t, hello, setup{home: c.home})
	c.in.Close()
	if err := <-c.ended; err != nil {
		t.Fatal(err)
	}
	c.ended <- nil
	var r sessionResult
	again.result(&r, "session/load", `{"sessionId":%q,"cwd":%q,"mcpServers":[]}`, id, c.dir)
	if r.Modes.CurrentModeID != "plan" || r.ConfigOptions[0].CurrentValue != "plan" {
		t.Errorf("the mode is %+v", r.Modes.CurrentModeID)
	}
	var list struct{ Sessions []sessionInfo }
	again.result(&list, "session/list", `{}`)
	if list.Sessions == nil || len(list.Sessions) > 0 {
		t.Errorf("listed: %+v", list.Sessions)
	}
}

// Case 33: the list has titles, times and folders, and only those of a folder
// when one is given. A deleted one is gone.
func TestListAndDelete(t *testing.T) {
	c := connect(t, hello, setup{})
	other := t.TempDir()
	mine := c.open()
	c.turn(mine, "what is here?")
	var r sessionResult
	c.result(&r, "session/new", `{"cwd":%q,"mcpServers":[]}`, other)
	c.turn(r.SessionID, "and there?")
	list := func(params string, args ...any) string {
		var list struct{ Sessions []sessionInfo }
		c.result(&list, "session/list", params, args...)
		var lines []string
		for _, s := range list.Sessions {
			if s.UpdatedAt == "" {
				t.Errorf("no time: %+v", s)
			}
			lines = append(lines, s.SessionID+" "+s.Cwd+" "+s.Title)
		}
		slices.Sort(lines)
		return strings.Join(lines, "\n")
	}
	a, b := mine+" "+c.dir+" what is here?", r.SessionID+" "+other+" and there?"
	if got := list(`{}`); got != a+"\n"+b {
		t.Errorf("all:\n%s", got)
	}
	if got := list(`{"cwd":%q}`, other); got != b {
		t.Errorf("of a folder:\n%s", got)
	}
	c.result(nil, "session/set_title", `{"sessionId":%q,"title":"A name"}`, r.SessionID)
	if got := list(`{"cwd":%q}`, other); !strings.HasSuffix(got, "A name") {
		t.Errorf("named:\n%s", got)
	}
	for range 2 { // that it is gone already is no failure
		c.result(nil, "session/delete", `{"sessionId":%q}`, r.SessionID)
	}
	if got := list(`{}`); got != a {
		t.Errorf("after a delete:\n%s", got)
	}
}

// More sessions than a page has come page by page.
func TestListPages(t *testing.T) {
	c := connect(t, hello, setup{})
	c.turn(c.open(), "first")
	files, err := filepath.Glob(filepath.Join(c.home, ".local/share/hoopoe/sessions/*/*.jsonl"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	var head struct{ ID string }
	if err := json.Unmarshal(data[:strings.IndexByte(string(data), '\n')], &head); err != nil {
		t.Fatal(err)
	}
	for i := range pageSize + 20 {
		id := fmt.Sprintf("copy-%03d", i)
		name := filepath.Join(filepath.Dir(files[0]), "2026-01-01T00-00-00-000Z_"+id+".jsonl")
		if err := os.WriteFile(name, []byte(strings.Replace(string(data), head.ID, id, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	seen := map[string]bool{}
	cursor := ""
	for range 3 {
		var r struct {
			Sessions   []sessionInfo
			NextCursor string
		}
		c.result(&r, "session/list", `{"cursor":%q}`, cursor)
		for _, s := range r.Sessions {
			seen[s.SessionID] = true
		}
		if cursor = r.NextCursor; cursor == "" {
			break
		}
	}
	if len(seen) != pageSize+21 || cursor != "" {
		t.Errorf("%d sessions, cursor %q", len(seen), cursor)
	}
}

// A fork has the conversation, and goes its own way.
func TestFork(t *testing.T) {
	c := connect(t, hello, setup{})
	id := c.open()
	c.turn(id, "hi")
	var r sessionResult
	c.result(&r, "session/fork", `{"sessionId":%q,"cwd":%q,"mcpServers":[]}`, id, c.dir)
	if r.SessionID == "" || r.SessionID == id {
		t.Fatalf("the fork is %q", r.SessionID)
	}
	if c.turn(r.SessionID, "hi") != "end_turn" || c.turn(id, "hi") != "end_turn" {
		t.Error("one of the two doesn't go on")
	}
}

// Cases 38, 39: modes and options are in step, and each change tells the whole
// list.
func TestOptions(t *testing.T) {
	c := connect(t, hello, setup{})
	id := c.open()
	var r struct{ ConfigOptions []configOption }
	value := func(option string) string {
		i := slices.IndexFunc(r.ConfigOptions, func(o configOption) bool { return o.ID == option })
		if i < 0 {
			return ""
		}
		return r.ConfigOptions[i].CurrentValue
	}
	c.result(&r, "session/set_config_option", `{"sessionId":%q,"configId":"mode","value":"edit"}`, id)
	if value("mode") != "edit" || value("thinking") == "" || r.ConfigOptions[1].Category != "model" {
		t.Errorf("%+v", r)
	}
	c.updated(id, func(u update) bool { return u.SessionUpdate == "current_mode_update" && u.CurrentModeID == "edit" })
	c.result(&r, "session/set_config_option", `{"sessionId":%q,"configId":"thinking","value":"high"}`, id)
	if value("thinking") != "high" {
		t.Errorf("%+v", r)
	}
	c.result(&r, "session/set_config_option", `{"sessionId":%q,"configId":"model","value":"offline/guide"}`, id)
	if value("model") != "offline/guide" || value("thinking") != "" {
		t.Errorf("the guide doesn't think: %+v", r)
	}
	c.result(nil, "session/set_model", `{"sessionId":%q,"modelId":"offline/guide"}`, id)
	c.result(nil, "session/set_mode", `{"sessionId":%q,"modeId":"full"}`, id)
	c.updated(id, func(u update) bool {
		return u.SessionUpdate == "config_option_update" && u.ConfigOptions[0].CurrentValue == "full"
	})
}

// A server that can't be one of ours is told of, and the session is there.
func TestOldTransport(t *testing.T) {
	c := connect(t, hello, setup{caps: `{"session":{"notices":{}}}`})
	var r sessionResult
	c.result(&r, "session/new", `{"cwd":%q,"mcpServers":[{"type":"sse","name":"old","url":"http://localhost/sse","headers":[]}]}`, c.dir)
	u := c.updated(r.SessionID, func(u update) bool { return u.SessionUpdate == "notice" })
	if !strings.Contains(u.Title, "old") || c.turn(r.SessionID, "hi") != "end_turn" {
		t.Errorf("%+v", u)
	}
}

// Cases 11, 28, 29: a session's folder rules its tools and its notes, further
// folders count as inside, and others don't.
func TestFolders(t *testing.T) {
	more := t.TempDir()
	script := fmt.Sprintf("-- turn --\nsystem: Notes of this folder\n-- call read --\n{\"path\":\"here.txt\"}\n-- call read --\n{\"path\":%q}\n-- call read --\n{\"path\":\"/etc/hostname\"}\n-- turn --\ntimes: always\n-- text --\nok\n", filepath.Join(more, "there.txt"))
	c := connect(t, script, setup{})
	c.answers(allowing("reject"))
	c.write("AGENTS.md", "Notes of this folder\n")
	c.write("here.txt", "here\n")
	if err := os.WriteFile(filepath.Join(more, "there.txt"), []byte("there\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var r sessionResult
	c.result(&r, "session/new", `{"cwd":%q,"additionalDirectories":[%q],"mcpServers":[]}`, c.dir, more)
	c.turn(r.SessionID, "read")
	var ends []string
	for _, u := range c.updates(r.SessionID, "tool_call_update") {
		if u.Status == "completed" || u.Status == "failed" {
			ends = append(ends, u.Status)
		}
	}
	slices.Sort(ends)
	if !slices.Equal(ends, []string{"completed", "completed", "failed"}) {
		t.Errorf("the reads ended %v", ends)
	}
}

// Case 46: ten sessions at once on one connection: each has its folder and its settings,
// one is cancelled, and the others don't notice.
func TestTenSessions(t *testing.T) {
	script := "-- turn --\non: tell\n-- text piece=3 delay=2ms repeat=40 --\nabcdefghi\n-- call read --\n{\"path\":\"name.txt\"}\n" +
		"-- turn --\non: tell\n-- text piece=2 delay=1ms --\nthe end\n" + slow
	c := connect(t, script, setup{})
	type one struct{ id, dir, mode, prompt string }
	var all []one
	for i := range 10 {
		s := one{dir: t.TempDir(), mode: []string{"ask", "edit", "full", "plan"}[i%4]}
		if err := os.WriteFile(filepath.Join(s.dir, "name.txt"), fmt.Appendf(nil, "I am %d", i), 0o600); err != nil {
			t.Fatal(err)
		}
		var r sessionResult
		c.result(&r, "session/new", `{"cwd":%q,"mcpServers":[]}`, s.dir)
		s.id = r.SessionID
		c.result(nil, "session/set_mode", `{"sessionId":%q,"modeId":%q}`, s.id, s.mode)
		all = append(all, s)
	}
	for i := range all {
		text := "tell"
		if i == 4 {
			text = "slow"
		}
		all[i].prompt = c.ask(all[i].id, text)
	}
	c.updated(all[4].id, func(u update) bool { return strings.Contains(u.text(), "work") })
	c.notify("session/cancel", `{"sessionId":%q}`, all[4].id)
	var wg sync.WaitGroup
	for i, s := range all {
		wg.Go(func() {
			want := "end_turn"
			if i == 4 {
				want = "cancelled"
			}
			if stop := c.stop(s.prompt); stop != want {
				t.Errorf("session %d stopped by %s", i, stop)
			}
		})
	}
	wg.Wait()
	for i, s := range all {
		if i == 4 {
			continue
		}
		if got, want := c.said(s.id), strings.Repeat("abcdefghi", 40)+"the end"; got != want {
			t.Errorf("session %d said %q", i, got)
		}
		u := c.updated(s.id, func(u update) bool { return u.Status == "completed" })
		if !strings.Contains(string(u.RawOutput), fmt.Sprintf("I am %d", i)) {
			t.Errorf("session %d read %s", i, u.RawOutput)
		}
		over := false
		for _, l := range c.all() {
			over = over || string(l.ID) == s.prompt && l.Method == ""
			if u, ok := asUpdate(l, s.id); ok && over && u.SessionUpdate != "config_option_update" {
				t.Errorf("session %d: %s after the answer", i, u.SessionUpdate)
			}
		}
	}
}

// at the end of the input what runs is stopped and answered.
func TestEndOfInput(t *testing.T) {
	c := connect(t, slow, setup{})
	id := c.open()
	prompt := c.ask(id, "slow")
	c.updated(id, func(u update) bool { return strings.Contains(u.text(), "work") })
	c.in.Close()
	if stop := c.stop(prompt); stop != "cancelled" {
		t.Errorf("stopped by %s", stop)
	}
}

// Sessions that are stored nowhere can be listed and loaded while they are open.
func TestInMemory(t *testing.T) {
	c := connect(t, hello, setup{open: engine.OpenOptions{InMemory: true}})
	id := c.open()
	c.turn(id, "hi")
	before := len(c.updates(id, "agent_message_chunk"))
	c.result(nil, "session/load", `{"sessionId":%q,"cwd":%q,"mcpServers":[]}`, id, c.dir)
	if n := len(c.updates(id, "agent_message_chunk")); n != before+1 {
		t.Errorf("%d chunks were told again", n-before)
	}
	var list struct{ Sessions []sessionInfo }
	c.result(&list, "session/list", `{"cwd":%q}`, c.dir)
	if len(list.Sessions) != 1 || list.Sessions[0].SessionID != id {
		t.Errorf("listed: %+v", list.Sessions)
	}
	if _, err := os.Stat(filepath.Join(c.home, ".local/share/hoopoe/sessions")); err == nil {
		t.Error("something was stored")
	}
}
