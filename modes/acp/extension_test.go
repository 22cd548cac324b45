package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine"
	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/ext"
	"github.com/hoopoe-agent/hoopoe/engine/jsonl"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// an extension that blocks a prompt refuses it.
func TestExtensionRefuses(t *testing.T) {
	h := ext.Hooks{Name: "guard", Input: func(_ context.Context, _ ext.Session, in ext.Input) (ext.InputReply, error) {
		return ext.InputReply{Block: strings.Contains(in.Text, "secret"), Reason: "Not that."}, nil
	}}
	c := connect(t, hello, setup{hooks: []ext.Hooks{h}})
	id := c.open()
	if stop := c.turn(id, "the secret"); stop != "refusal" || c.said(id) != "Not that." {
		t.Errorf("stopped by %s, said %q", stop, c.said(id))
	}
	if stop := c.turn(id, "hi"); stop != "end_turn" {
		t.Error(stop)
	}
}

// An extension that takes a prompt away ends its turn.
func TestExtensionHandles(t *testing.T) {
	h := ext.Hooks{Name: "taker", Input: func(_ context.Context, s ext.Session, _ ext.Input) (ext.InputReply, error) {
		return ext.InputReply{Handled: true}, nil
	}}
	c := connect(t, hello, setup{hooks: []ext.Hooks{h}})
	if stop := c.turn(c.open(), "hi"); stop != "end_turn" {
		t.Error(stop)
	}
}

// What an extension asks about a call is a permission where there are no forms,
// a form where there are, and has its default elsewhere.
func TestExtensionAsks(t *testing.T) {
	h := ext.Hooks{
		Name: "careful",
		ToolCall: func(ctx context.Context, s ext.Session, _ ext.ToolCall) (ext.ToolCallReply, error) {
			a, ok := s.Ask(ctx, event.Question{Kind: event.AskConfirm, Title: "Really list?"})
			return ext.ToolCallReply{Block: !ok || !a.Confirmed, Reason: "not confirmed"}, nil
		},
		BeforeRun: func(ctx context.Context, s ext.Session, _ ext.BeforeRun) (ext.BeforeRunReply, error) {
			a, _ := s.Ask(ctx, event.Question{Kind: event.AskConfirm, Title: "Before?"})
			return ext.BeforeRunReply{System: map[bool]string{true: "yes", false: ""}[a.Confirmed]}, nil
		},
	}
	for _, p := range []struct {
		name, caps, answer, method, status string
	}{
		{"allowed", `{}`, `{"outcome":{"outcome":"selected","optionId":"allow"}}`, "session/request_permission", "completed"},
		{"rejected", `{}`, `{"outcome":{"outcome":"selected","optionId":"reject"}}`, "session/request_permission", "failed"},
		{"a form", `{"elicitation":{"form":{}}}`, `{"action":"accept","content":{"answer":true}}`, "elicitation/create", "completed"},
		{"a form, declined", `{"elicitation":{"form":{}}}`, `{"action":"decline"}`, "elicitation/create", "failed"},
	} {
		t.Run(p.name, func(t *testing.T) {
			c := connect(t, once(calling("ls", "{}"), "-- text --\ndone"), setup{hooks: []ext.Hooks{h}, caps: p.caps})
			c.answers(func(line) string { return p.answer })
			id := c.open()
			if stop := c.turn(id, "go"); stop != "end_turn" {
				t.Fatal(stop)
			}
			c.updated(id, func(u update) bool { return u.Status == p.status })
			n := 0
			for _, l := range c.all() {
				if l.Method == p.method {
					n++
				}
			}
			want := 1 // about the call
			if p.method == "elicitation/create" {
				want = 2
			}
			if n != want {
				t.Errorf("asked %d times, want %d", n, want)
			}
		})
	}
}

// Runs that an extension starts, and what it says afterwards, are no part of a
// turn (case 48); its notices are told where there is a place for them.
func TestExtensionAlone(t *testing.T) {
	var session ext.Session
	h := ext.Hooks{Name: "lively", SessionStart: func(ctx context.Context, s ext.Session) error {
		session = s
		s.Notify(ctx, "warning", "mind the gap")
		return nil
	}}
	c := connect(t, hello, setup{hooks: []ext.Hooks{h}, caps: `{"session":{"notices":{}}}`})
	id := c.open()
	u := c.updated(id, func(u update) bool { return u.SessionUpdate == "notice" })
	if !strings.Contains(u.Title, "mind the gap") {
		t.Errorf("%+v", u)
	}
	if err := session.Send(t.Context(), []message.Block{message.TextOf("by myself")}, ""); err != nil {
		t.Fatal(err)
	}
	if err := session.Settled(t.Context()); err != nil {
		t.Fatal(err)
	}
	if stop := c.turn(id, "hi"); stop != "end_turn" || c.said(id) != "hello" {
		t.Errorf("stopped by %s, said %q", stop, c.said(id))
	}
}

// Case 48: what hooks send while a turn ends is said before its answer; what
// they do after it is told by nobody and isn't found in the next turn. That
// nothing comes between turns is held against each line.
func TestHooksAtTheEndOfATurn(t *testing.T) {
	var ends, settled int
	alone := make(chan struct{})
	h := ext.Hooks{
		Name: "busy",
		RunEnd: func(ctx context.Context, s ext.Session, _ ext.RunEnd) error {
			if ends++; ends == 1 {
				return s.Send(ctx, []message.Block{message.TextOf("and this")}, "")
			}
			return nil
		},
		Event: func(ctx context.Context, s ext.Session, e event.Event) error {
			if _, ok := e.(event.RunSettled); !ok {
				return nil
			}
			switch settled++; settled {
			case 1: // the turn is over, or will be in a moment
				s.Notify(ctx, "warning", "still busy")
				return s.Send(ctx, []message.Block{message.TextOf("by myself")}, "")
			case 2:
				close(alone)
			}
			return nil
		},
	}
	c := connect(t, once("-- text piece=2 --\nfirst", "-- text piece=2 --\nsecond",
		"-- thinking --\nhidden\n-- text piece=2 --\nunseen\n"+calling("ls", "{}"), "-- text --\nunseen too", "-- text --\nlast"), setup{hooks: []ext.Hooks{h}})
	id := c.open()
	if stop := c.turn(id, "go"); stop != "end_turn" || c.said(id) != "firstsecond" {
		t.Errorf("stopped by %s, said %q", stop, c.said(id))
	}
	select {
	case <-alone:
	case <-time.After(patience):
		t.Fatal("the extension's own run didn't settle")
	}
	if stop := c.turn(id, "on"); stop != "end_turn" || c.said(id) != "firstsecond> still busy\n\nlast" {
		t.Errorf("stopped by %s, said %q", stop, c.said(id))
	}
	if n := len(c.updates(id, "tool_call", "tool_call_update", "agent_thought_chunk")); n > 0 {
		t.Errorf("%d updates of the extension's own run", n)
	}
}

// Without notices a warning waits for a turn.
func TestWarningWaits(t *testing.T) {
	h := ext.Hooks{Name: "lively", SessionStart: func(ctx context.Context, s ext.Session) error {
		s.Notify(ctx, "warning", "mind the gap")
		return nil
	}, ToolResult: func(ctx context.Context, s ext.Session, r ext.ToolResult) (ext.ToolResult, error) {
		r.Content = []message.Block{message.TextOf("changed")}
		return r, nil
	}}
	c := connect(t, once(calling("ls", "{}"), "-- text --\ndone"), setup{hooks: []ext.Hooks{h}})
	id := c.open()
	c.turn(id, "go")
	if said := c.said(id); said != "> mind the gap\n\ndone" {
		t.Errorf("said %q", said)
	}
	c.updated(id, func(u update) bool { return u.Status == "completed" && string(u.RawOutput) == `"changed"` })
}

// A-4, case 58: a sub-agent's work is one call, and what it needs is asked under
// that.
func TestSubagent(t *testing.T) {
	script := "-- turn --\non: delegate\n" + calling("task", `{"agent":"general","description":"make it","prompt":"write the file"}`) +
		"\n-- turn --\non: write the file\n" + calling("write", `{"path":"a.txt","content":"x\n"}`) +
		"\n-- turn --\non: write the file\n-- text --\nwritten\n-- turn --\non: delegate\n-- text --\nall done\n"
	c := connect(t, script, setup{open: engine.OpenOptions{}})
	c.answers(allowing("allow"))
	id := c.open()
	if stop := c.turn(id, "delegate"); stop != "end_turn" || c.said(id) != "all done" {
		t.Fatalf("stopped by %s, said %q", stop, c.said(id))
	}
	calls := c.updates(id, "tool_call")
	if len(calls) != 1 || calls[0].Name != "task" {
		t.Fatalf("the calls %+v", calls)
	}
	var asked struct {
		ToolCall struct {
			ToolCallID, Title string
			Content           []shownContent
		}
	}
	if err := json.Unmarshal(c.asked("session/request_permission").Params, &asked); err != nil {
		t.Fatal(err)
	}
	if a := asked.ToolCall; a.ToolCallID != calls[0].ToolCallID || !strings.Contains(a.Title, "a.txt") || len(a.Content) != 1 || a.Content[0].NewText != "x\n" {
		t.Errorf("asked %+v", a)
	}
	if _, err := os.Stat(filepath.Join(c.dir, "a.txt")); err != nil {
		t.Error(err)
	}
}

// An editor that doesn't read has its connection ended when it comes back: it
// would miss what was said.
func TestEditorThatDoesntRead(t *testing.T) {
	started := make(chan ext.Session, 1)
	h := ext.Hooks{Name: "chatty", SessionStart: func(_ context.Context, s ext.Session) error {
		started <- s
		return nil
	}}
	c := connect(t, hello, setup{hooks: []ext.Hooks{h}, late: true, loose: true})
	lines := jsonl.NewReader(c.out, 0)
	until := func(text string) {
		for {
			if l, err := lines.Next(); err != nil {
				t.Fatal(err)
			} else if strings.Contains(string(l.Data[:min(len(l.Data), 200)]), text) {
				return
			}
		}
	}
	c.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"session":{"notices":{}}}}}`)
	until(`"id":1,`)
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":%q,"mcpServers":[]}}`, c.dir))
	until(`"id":2,`)
	until("available_commands_update")
	session := <-started
	text := strings.Repeat("x", 1<<20)
	for range 140 { // some may be on their way already when the rest piles up
		session.Notify(t.Context(), "warning", text)
	}
	if _, err := session.View(t.Context()); err != nil { // by then it was told
		t.Fatal(err)
	}
	go io.Copy(io.Discard, c.out)
	select {
	case err := <-c.ended:
		if !errors.Is(err, engine.ErrTooSlow) || !strings.Contains(err.Error(), "the editor doesn't read") {
			t.Errorf("ended with %v", err)
		}
	case <-time.After(patience):
		t.Error("the connection goes on")
	}
	c.ended <- nil // for the clean-up
}
