package rpc

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine"
	"github.com/hoopoe-agent/hoopoe/engine/ext"
)

// A reader that pauses through a run of 20 MB of frames loses nothing: the
// strict reader puts every delta together (requirement R-10).
func TestReaderPausesThroughALongRun(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 20 MB as strictly as can be")
	}
	var script strings.Builder
	const turns = 40
	for i := range turns {
		fmt.Fprintf(&script, "-- turn --\n-- text piece=500 repeat=500 --\n%s\n", strings.Repeat("0123456789", 40))
		if i < turns-1 {
			fmt.Fprintf(&script, "-- call ls --\n{\"path\":\".\"}\n")
		}
	}
	h := connect(t, script.String(), setup{slow: true})
	go h.send(`{"id":"p","type":"prompt","message":"go"}`)
	waitSettled(t, h.session)
	h.read()
	h.answer("p")
	h.untilType("agent_settled")
	if err := h.finish(); err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, l := range h.lines {
		total += len(l)
	}
	if total < 20<<20 {
		t.Errorf("the run wrote only %d bytes", total)
	}
}

// waitSettled waits until the session's only prompt is over, reading nothing.
func waitSettled(t *testing.T, s *engine.Session) {
	t.Helper()
	_, sub, err := s.Attach(t.Context(), engine.Client{Name: "test"})
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Close()
	for {
		v, err := s.View(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if !v.Busy && len(v.Messages) > 0 {
			return
		}
		if _, err := sub.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// Every id is answered once, whatever lies between the commands.
func TestThousandsInFlight(t *testing.T) {
	kinds := []string{
		`"type":"get_state"`, `"type":"get_messages"`, `"type":"get_session_stats"`, `"type":"get_commands"`,
		`"type":"get_available_models"`, `"type":"set_steering_mode","mode":"all"`, `"type":"set_follow_up_mode","mode":"none"`,
		`"type":"cycle_thinking_level"`, `"type":"set_todos","phases":[]`, `"type":"get_tree"`, `"type":"abort_bash"`,
		`"type":"get_last_assistant_text"`, `"type":"set_auto_retry","enabled":true`, `"type":"abort"`, `"type":"get_entries"`,
		`"type":"set_session_name","name":""`, `"type":"bash","command":"true"`, `"type":"steer","message":"x"`, `"type":"clear_queue"`,
	}
	noise := []string{"ls", "{", "[]", "null", "", "   ", `{"type":"extension_ui_response","id":"none"}`, "\x00\xff", `{"type":3}`}
	const count = 2000
	lines := make([]string, 0, 2*count)
	for i := range count {
		lines = append(lines, fmt.Sprintf(`{"id":"c%d",%s}`, i, kinds[i%len(kinds)]), noise[i%len(noise)])
	}
	random := rand.New(rand.NewPCG(1, 2))
	random.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	h := connect(t, "-- turn --\n", setup{loose: true, mode: func(o *Options) { o.Dialect = Pi }})
	go func() {
		for _, l := range lines {
			if _, err := io.WriteString(h.in, l+"\n"); err != nil {
				return
			}
		}
	}()
	answers := map[string]int{}
	for len(answers) < count {
		f, ok := h.take()
		if !ok {
			t.Fatal("the server ended")
		}
		if f.Type == "response" && len(f.ID) > 0 {
			answers[string(f.ID)]++
		}
	}
	for id, n := range answers {
		if n != 1 {
			t.Errorf("%s was answered %d times", id, n)
		}
	}
	if err := h.finish(); err != nil {
		t.Fatal(err)
	}
}

// End of stdin with anything going ends the service in order.
func TestEndOfInput(t *testing.T) {
	const endless = "-- turn --\n-- text --\nI begin.\n-- delay 1h --\n"
	for _, c := range []struct {
		name, script string
		mode         string
		sends        []string
		until        string // frame to wait for before the end
		want         []string
	}{
		{name: "a run", script: endless, sends: []string{`{"id":"1","type":"prompt","message":"go"}`}, until: "message_update",
			want: []string{`"stopReason":"aborted"`, `"type":"agent_end"`, `{"type":"agent_settled","aborted":true}`}},
		{name: "a prompt just sent", script: endless, sends: []string{`{"id":"1","type":"prompt","message":"go"}`},
			want: []string{`{"id":"1","type":"response","command":"prompt","success":true`, `{"type":"agent_settled","aborted":true}`}},
		{name: "a bash", sends: []string{`{"id":"1","type":"bash","command":"sleep 600"}`},
			want: []string{`"cancelled":true`}},
		{name: "a tool", script: "-- turn --\n-- call bash --\n{\"command\":\"sleep 600\"}\n", sends: []string{`{"id":"1","type":"prompt","message":"go"}`}, until: "tool_execution_start",
			want: []string{`"type":"tool_execution_end"`, `{"type":"agent_settled","aborted":true}`}},
		{name: "a dialog", mode: "ask", script: "-- turn --\n-- call bash --\n{\"command\":\"sleep 600\"}\n", sends: []string{`{"id":"1","type":"prompt","message":"go"}`}, until: "extension_ui_request",
			want: []string{`"method":"cancel"`, `{"type":"agent_settled","aborted":true}`}},
		{name: "a host tool", script: "-- turn --\n-- call lamp --\n{}\n",
			sends: []string{`{"id":"0","type":"set_host_tools","tools":[{"name":"lamp","description":"Lights.","parameters":{"type":"object"}}]}`, `{"id":"1","type":"prompt","message":"go"}`}, until: "host_tool_call",
			want: []string{`RPC client disconnected before host tool execution completed`, `"type":"agent_end"`}},
		{name: "queued commands", sends: slices.Repeat([]string{`{"id":"s","type":"get_state"}`}, 50),
			want: slices.Repeat([]string{`{"id":"s","type":"response","command":"get_state","success":true`}, 50)},
		{name: "a slash command with a dialog", sends: []string{`{"id":"1","type":"prompt","message":"/thinking"}`}, until: "extension_ui_request",
			want: []string{`"method":"cancel"`, `{"type":"agent_settled","aborted":false}`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if c.script == "" {
				c.script = "-- turn --\n"
			}
			h := connect(t, c.script, setup{open: engine.OpenOptions{Mode: c.mode}, loose: c.name == "queued commands"})
			for _, s := range c.sends {
				h.send("%s", s)
			}
			if c.until != "" {
				h.untilType(c.until)
			}
			began := time.Now()
			if err := h.finish(); err != nil {
				t.Fatal(err)
			}
			if d := time.Since(began); d > 10*time.Second {
				t.Errorf("it took %v", d)
			}
			rest := strings.Join(h.lines, "\n")
			for _, w := range c.want {
				_, after, ok := strings.Cut(rest, w)
				if !ok {
					t.Fatalf("no %s in\n%s", w, h.tail())
				}
				rest = after
			}
		})
	}
}

// A line of tens of MB is a command like any other (framing, 1.3).
func TestLongLine(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 60 MB as strictly as can be")
	}
	h := connect(t, "-- turn --\n-- text --\nA picture.\n", setup{open: engine.OpenOptions{InMemory: true}})
	picture := strings.Repeat("QUJD", 5<<20)
	h.send(`{"id":"1","type":"prompt","message":"look","images":[{"type":"image","data":"%s","mimeType":"image/png"}]}`, picture)
	h.answer("1")
	h.untilType("agent_settled")
	if err := h.finish(); err != nil {
		t.Fatal(err)
	}
}

// An answer that holds other line separators stays one line for every reader.
func TestLineSeparators(t *testing.T) {
	h := connect(t, "-- turn --\n-- text quoted --\n\"a\\u2028b\\u2029c\\u0085d\"\n", setup{})
	h.send("{\"id\":\"1\",\"type\":\"prompt\",\"message\":\"x\u2028y\"}")
	h.untilType("agent_settled")
	for _, l := range h.lines {
		if strings.ContainsAny(l, "\u2028\u2029") {
			t.Errorf("raw separator in %s", shortened(l))
		}
	}
	if err := h.finish(); err != nil {
		t.Fatal(err)
	}
}

// Setters are the session's alone: nothing of the user's changes (omp#11555, omp#11431).
func TestSettersStayInTheSession(t *testing.T) {
	h := connect(t, "-- turn --\n", setup{})
	for i, c := range []string{
		`"type":"set_steering_mode","mode":"all"`, `"type":"set_follow_up_mode","mode":"all"`, `"type":"set_interrupt_mode","mode":"immediate"`,
		`"type":"set_auto_compaction","enabled":false`, `"type":"set_auto_retry","enabled":false`, `"type":"set_thinking_level","level":"high"`,
		`"type":"set_model","provider":"offline","modelId":"guide"`,
	} {
		id := fmt.Sprint(i)
		if f := h.ask(id, `{"id":"%s",%s}`, id, c); !f.Success {
			t.Errorf("%s: %s", c, f.line)
		}
	}
	home := ""
	if v, err := h.session.View(t.Context()); err == nil {
		home = v.File
	}
	root := home[:strings.Index(home, "/.local/")]
	_ = filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err == nil && strings.HasPrefix(filepath.Base(path), "settings") {
			t.Errorf("a setter wrote %s", path)
		}
		return nil
	})
	if err := h.finish(); err != nil {
		t.Fatal(err)
	}
}

// A command that is stopped at once, before it has begun or while it begins,
// leaves the shell free for those behind it (requirement R-7).
func TestStoppedCommandsLeaveTheShellFree(t *testing.T) {
	h := connect(t, "-- turn --\n", setup{mode: func(o *Options) { o.Dialect = Pi }})
	for i := range 50 {
		h.send(`{"id":"a%d","type":"bash","command":"sleep 600"}`, i)
		h.send(`{"id":"b%d","type":"bash","command":"sleep 600"}`, i)
		h.send(`{"id":"c%d","type":"abort_bash"}`, i)
		h.send(`{"id":"d%d","type":"bash","command":"echo free"}`, i)
		f := h.answer(fmt.Sprintf("d%d", i))
		if !strings.Contains(f.line, `"output":"free\n"`) {
			t.Fatalf("round %d: %s", i, f.line)
		}
	}
	if err := h.finish(); err != nil {
		t.Fatal(err)
	}
}

// An abort reaches every command before it that waits for a dialog, those too
// whose dialog opens only later; so does the end of stdin (requirements ).
func TestAbortReachesDialogsThatOpenLater(t *testing.T) {
	for name, ask := range map[string]string{
		"abort":            `{"id":"end","type":"abort"}`,
		"abort_and_prompt": `{"id":"end","type":"abort_and_prompt","message":"x"}`,
		"the end of stdin": "",
	} {
		t.Run(name, func(t *testing.T) {
			h := connect(t, "-- turn --\n-- text --\nok\n", setup{hooks: testHooks["replace"], mode: func(o *Options) { o.Dialect = Pi }})
			for i := range 4 {
				h.send(`{"id":"n%d","type":"new_session"}`, i)
			}
			h.untilType("extension_ui_request")
			if ask != "" {
				h.send("%s", ask)
			} else if err := h.in.Close(); err != nil {
				t.Fatal(err)
			}
			for i := range 4 {
				if f := h.answer(fmt.Sprintf("n%d", i)); string(f.Data) != `{"cancelled":true}` {
					t.Errorf("command %d: %s", i, f.line)
				}
			}
			if ask != "" {
				h.answer("end")
			}
			if err := h.finish(); err != nil {
				t.Error(err)
			}
		})
	}
}

// Commands that the end leaves no time for are answered with a failure: the one
// that doesn't come to its end, and those behind it (R-4, pi#2645).
func TestEndBeforeTheirTurn(t *testing.T) {
	asked, free := make(chan struct{}), make(chan struct{})
	defer close(free)
	h := connect(t, "-- turn --\n", setup{mode: func(o *Options) { o.End = 50 * time.Millisecond }, hooks: []ext.Hooks{{
		Name: "stuck",
		BeforeReplace: func(context.Context, ext.Session, ext.Replace) (bool, error) {
			close(asked)
			<-free
			return true, nil
		},
	}}})
	h.send(`{"id":"first","type":"new_session"}`)
	<-asked
	for i := range 20 {
		h.send(`{"id":"q%d","type":"get_state"}`, i)
	}
	h.in.Close()
	if f := h.answer("first"); f.Success || f.Error != "the client disconnected before this was done" {
		t.Errorf("the command that is stuck: %s", f.line)
	}
	for i := range 20 {
		if f := h.answer(fmt.Sprintf("q%d", i)); f.Success || f.Error != "the client disconnected before this was done" {
			t.Errorf("command %d: %s", i, f.line)
		}
	}
	if err := <-h.ended; err != nil {
		t.Error(err)
	}
}
