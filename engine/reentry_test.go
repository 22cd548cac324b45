package engine

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/ext"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/tool"
)

// methods are all that an extension may call back.
func methods() map[string]func(ctx context.Context, s ext.Session) error {
	text := "x"
	return map[string]func(ctx context.Context, s ext.Session) error{
		"send":     func(ctx context.Context, s ext.Session) error { return s.Send(ctx, words("more"), "") },
		"steer":    func(ctx context.Context, s ext.Session) error { return s.Send(ctx, words("more"), "steer") },
		"followUp": func(ctx context.Context, s ext.Session) error { return s.Send(ctx, words("more"), "followUp") },
		"message": func(ctx context.Context, s ext.Session) error {
			return s.SendMessage(ctx, ext.CustomMessage{Type: "t", Content: words("x")})
		},
		"trigger": func(ctx context.Context, s ext.Session) error {
			return s.SendMessage(ctx, ext.CustomMessage{Type: "t", Content: words("x"), Trigger: true})
		},
		"append": func(ctx context.Context, s ext.Session) error { _, err := s.AppendEntry(ctx, "t", nil); return err },
		"label": func(ctx context.Context, s ext.Session) error {
			id, err := s.AppendEntry(ctx, "t", nil)
			if err == nil {
				err = s.SetLabel(ctx, id, &text)
			}
			return err
		},
		"ask": func(ctx context.Context, s ext.Session) error {
			s.Ask(ctx, event.Question{Kind: event.AskConfirm})
			return nil
		},
		"show": func(ctx context.Context, s ext.Session) error {
			s.HasUI()
			s.Notify(ctx, "info", "x")
			s.SetStatus(ctx, "k", &text)
			s.SetWidget(ctx, "k", []string{"x"}, "")
			s.SetTitle(ctx, "x")
			s.SetEditorText(ctx, "x")
			return nil
		},
		"model":    func(ctx context.Context, s ext.Session) error { _, err := s.SetModel(ctx, "test", "model"); return err },
		"thinking": func(ctx context.Context, s ext.Session) error { return s.SetThinking(ctx, "high") },
		"rename":   func(ctx context.Context, s ext.Session) error { return s.Rename(ctx, "name") },
		"tools":    func(ctx context.Context, s ext.Session) error { return s.SetActiveTools(ctx, []string{"read"}) },
		"read": func(ctx context.Context, s ext.Session) error {
			_, err := s.View(ctx)
			_, _, err2 := s.Entries(ctx)
			_, err3 := s.Document(ctx)
			s.SystemPrompt()
			s.AllTools()
			s.ActiveTools()
			s.Commands(ctx)
			s.Models()
			s.Flag("x")
			return errors.Join(err, err2, err3)
		},
		"changed":  func(_ context.Context, s ext.Session) error { s.Changed(); return nil },
		"failed":   func(_ context.Context, s ext.Session) error { s.Failed("x", errors.New("x")); return nil },
		"abort":    func(ctx context.Context, s ext.Session) error { return s.Abort(ctx) },
		"compact":  func(ctx context.Context, s ext.Session) error { return s.Compact(ctx, "") },
		"new":      func(ctx context.Context, s ext.Session) error { _, err := s.NewDocument(ctx, ""); return err },
		"switch":   func(ctx context.Context, s ext.Session) error { _, err := s.Switch(ctx, "/none/x.jsonl"); return err },
		"branch":   func(ctx context.Context, s ext.Session) error { _, err := s.Branch(ctx, "none"); return err },
		"move":     func(ctx context.Context, s ext.Session) error { _, err := s.MoveTo(ctx, "none", true, ""); return err },
		"reload":   func(ctx context.Context, s ext.Session) error { return s.Reload(ctx) },
		"shutdown": func(ctx context.Context, s ext.Session) error { s.Shutdown(ctx); return nil },
		"settled": func(ctx context.Context, s ext.Session) error {
			if s.Settled(ctx) == nil {
				return errors.New("waited for itself")
			}
			return nil
		},
	}
}

// points makes an instance that calls back at one point, and says how it is
// brought about.
func points(call func(ctx context.Context, s ext.Session)) map[string]struct {
	is  ext.Instance
	act func(c *client)
} {
	type point = struct {
		is  ext.Instance
		act func(c *client)
	}
	prompt := func(c *client) { c.prompt("go"); on[event.RunSettled](c) }
	compact := func(c *client) {
		prompt(c)
		prompt(c)
		_, _ = c.s.Compact(c.ctx(), "")
	}
	replace := func(c *client) { _, _ = c.s.NewDocument(c.ctx(), NewDocumentOptions{}) }
	move := func(c *client) {
		prompt(c)
		v, err := c.s.View(c.ctx())
		if err == nil && len(v.Messages) > 0 {
			_, _ = c.s.MoveTo(c.ctx(), v.Messages[0].ID)
		}
	}
	hooks := func(h ext.Hooks) ext.Instance { return ext.Instance{Hooks: h} }
	registers := func(r ext.Registrations) ext.Instance {
		return ext.Instance{Registered: func() ext.Registrations { return r }}
	}
	var session ext.Session
	return map[string]point{
		"session_start": {hooks(ext.Hooks{SessionStart: func(ctx context.Context, s ext.Session) error { call(ctx, s); return nil }}), func(*client) {}},
		"session_shutdown": {hooks(ext.Hooks{SessionShutdown: func(ctx context.Context, s ext.Session) error { call(ctx, s); return nil }}), func(c *client) {
			_ = c.s.Close(c.ctx())
		}},
		"input": {hooks(ext.Hooks{Input: func(ctx context.Context, s ext.Session, _ ext.Input) (ext.InputReply, error) {
			call(ctx, s)
			return ext.InputReply{}, nil
		}}), prompt},
		"before_run": {hooks(ext.Hooks{BeforeRun: func(ctx context.Context, s ext.Session, _ ext.BeforeRun) (ext.BeforeRunReply, error) {
			call(ctx, s)
			return ext.BeforeRunReply{}, nil
		}}), prompt},
		"event": {hooks(ext.Hooks{Event: func(ctx context.Context, s ext.Session, e event.Event) error {
			if _, ok := e.(event.TurnStarted); ok {
				call(ctx, s)
			}
			return nil
		}, RunEnd: func(context.Context, ext.Session, ext.RunEnd) error { return nil }}), prompt},
		"context": {hooks(ext.Hooks{Context: func(ctx context.Context, s ext.Session, _ []message.Message) ([]message.Message, error) {
			call(ctx, s)
			return nil, nil
		}}), prompt},
		"request": {hooks(ext.Hooks{Request: func(ctx context.Context, s ext.Session, _ json.RawMessage) (json.RawMessage, error) {
			call(ctx, s)
			return nil, nil
		}}), func(c *client) {
			if _, r, err := c.s.request(c.ctx(), nil, "s"); err == nil {
				r.Rewrite([]byte("{}"))
			}
		}},
		"tool_call": {hooks(ext.Hooks{ToolCall: func(ctx context.Context, s ext.Session, _ ext.ToolCall) (ext.ToolCallReply, error) {
			call(ctx, s)
			return ext.ToolCallReply{}, nil
		}}), prompt},
		"tool_result": {hooks(ext.Hooks{ToolResult: func(ctx context.Context, s ext.Session, r ext.ToolResult) (ext.ToolResult, error) {
			call(ctx, s)
			return r, nil
		}}), prompt},
		"run_end": {hooks(ext.Hooks{RunEnd: func(ctx context.Context, s ext.Session, _ ext.RunEnd) error { call(ctx, s); return nil }}), prompt},
		"before_compact": {hooks(ext.Hooks{BeforeCompact: func(ctx context.Context, s ext.Session, _ ext.BeforeCompact) (ext.BeforeCompactReply, error) {
			call(ctx, s)
			return ext.BeforeCompactReply{}, nil
		}}), compact},
		"compacted":      {hooks(ext.Hooks{Compacted: func(ctx context.Context, s ext.Session, _ ext.Compacted) error { call(ctx, s); return nil }}), compact},
		"before_replace": {hooks(ext.Hooks{BeforeReplace: func(ctx context.Context, s ext.Session, _ ext.Replace) (bool, error) { call(ctx, s); return false, nil }}), replace},
		"replaced":       {hooks(ext.Hooks{Replaced: func(ctx context.Context, s ext.Session, _ ext.Replace) error { call(ctx, s); return nil }}), replace},
		"before_move": {hooks(ext.Hooks{BeforeMove: func(ctx context.Context, s ext.Session, _ ext.Move) (ext.BeforeMoveReply, error) {
			call(ctx, s)
			return ext.BeforeMoveReply{}, nil
		}}), move},
		"moved": {hooks(ext.Hooks{Moved: func(ctx context.Context, s ext.Session, _ ext.Moved) error { call(ctx, s); return nil }}), move},
		"user_bash": {hooks(ext.Hooks{UserBash: func(ctx context.Context, s ext.Session, _ ext.UserBash) (ext.UserBashReply, error) {
			call(ctx, s)
			return ext.UserBashReply{Handled: true}, nil
		}}), func(c *client) { _, _ = c.s.Bash(c.ctx(), BashInput{Command: "true"}) }},
		"discover": {hooks(ext.Hooks{Discover: func(ctx context.Context, s ext.Session, _ string) (ext.Discovered, error) {
			call(ctx, s)
			return ext.Discovered{}, nil
		}}), func(*client) {}},
		"tool": {
			ext.Instance{
				Hooks: ext.Hooks{SessionStart: func(_ context.Context, s ext.Session) error { session = s; return nil }},
				Registered: func() ext.Registrations {
					return ext.Registrations{Tools: []tool.Tool{simpleTool{name: "look", run: func(ctx context.Context) error { call(ctx, session); return nil }}}}
				},
			}, prompt,
		},
		"complete": {registers(ext.Registrations{Commands: []ext.Command{{
			Name: "do", Run: func(context.Context, string) error { return nil },
			Complete: func(ctx context.Context, _ string) []ext.Completion { call(ctx, session); return nil },
		}}}), func(c *client) {
			session = callback{c.s, "x"}
			c.s.ExtensionCommands()[0].Complete(c.ctx(), "")
		}},
	}
}

// reentry is a session with one extension that calls back once.
func reentry(t *testing.T, point, name string) {
	called, once := make(chan error, 1), false
	method := methods()[name]
	p := points(func(ctx context.Context, s ext.Session) {
		if once { // a hook that always sends would never let a prompt end
			return
		}
		once = true
		called <- method(ctx, s)
	})[point]
	m := newModules()
	m.loads["x"] = func(context.Context, ext.Session, []string) (*ext.Instance, error) { return &p.is, nil }
	w := newWorld(t, "-- turn --\nsystem: hand-over\ntimes: always\n-- text --\nSummary.\n-- turn --\n-- call look --\n{}\n-- turn --\ntimes: always\n-- text --\nok\n", withModules(m))
	w.plant("x.ts", "x")
	c := w.open(OpenOptions{Mode: "full"})
	if point != "tool" {
		c.addTool("look", tool.Think, func(context.Context, tool.Call) (tool.Result, error) { return tool.TextResult("seen"), nil })
	}
	c.start()
	p.act(c)
	select {
	case err := <-called:
		// What is looked up by an id of nothing is an error outside a hook alone.
		if err != nil && point != "session_shutdown" {
			t.Error(err)
		}
	case <-c.ctx().Done():
		t.Fatal("it never came to the call, or the call to its end")
	}
	if point == "session_shutdown" {
		return
	}
	if err := c.s.Settled(c.ctx()); err != nil {
		t.Error(err)
	}
	if err := c.s.Close(c.ctx()); err != nil {
		t.Error(err)
	}
}

// What is called from inside a hook, or a tool, never waits for what waits for
// the hook. Each pair of them must come to an end, and the session go on.
func TestReentry(t *testing.T) {
	for point := range points(nil) {
		for name := range methods() {
			t.Run(point+"/"+name, func(t *testing.T) {
				t.Parallel()
				reentry(t, point, name)
			})
		}
	}
}

// A command runs outside: there the session can be waited for, replaced and
// moved about at once.
func TestCommandCallsBack(t *testing.T) {
	var s ext.Session
	m := newModules()
	done := make(chan error, 1)
	m.loads["x"] = func(_ context.Context, got ext.Session, _ []string) (*ext.Instance, error) {
		s = got
		return &ext.Instance{Registered: func() ext.Registrations {
			return ext.Registrations{
				Commands: []ext.Command{{Name: "all", Description: "does it all", Run: func(ctx context.Context, args string) error {
					before, err := s.View(ctx)
					if err == nil {
						err = s.Send(ctx, words(args), "")
					}
					if err == nil {
						err = s.Settled(ctx)
					}
					v, _ := s.View(ctx)
					if len(v.Messages) != 2 {
						err = errors.Join(err, errors.New("it didn't wait"))
					}
					if _, e := s.MoveTo(ctx, v.Messages[0].ID, false, ""); e != nil {
						err = errors.Join(err, e)
					}
					cancelled, e := s.NewDocument(ctx, "")
					after, _ := s.View(ctx)
					if cancelled || after.SessionID == before.SessionID {
						err = errors.Join(err, errors.New("it isn't replaced"))
					}
					_, e2 := s.Switch(ctx, v.File)
					e3 := s.Reload(ctx)
					return errors.Join(err, e, e2, e3)
				}}},
				Shortcuts: []ext.Shortcut{{Key: "ctrl+k", Description: "ends it", Run: func(ctx context.Context) error {
					return s.Abort(ctx)
				}}},
				Renders: []string{"box"},
			}
		}, Render: func(_ context.Context, r ext.Render) ([]string, error) {
			if r.Expanded {
				return nil, errors.New("too much")
			}
			return []string{r.Message.Text()}, nil
		}}, nil
	}
	w := newWorld(t, always, withModules(m))
	w.plant("x.ts", "x")
	c := w.open(OpenOptions{})
	c.start()
	go func() { done <- c.s.ExtensionCommands()[0].Run(c.ctx(), "hi") }()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-c.ctx().Done():
		t.Fatal("it never ends")
	}
	if keys := c.s.Shortcuts(); len(keys) != 1 || c.s.RunShortcut(c.ctx(), "Ctrl+K") != nil || c.s.RunShortcut(c.ctx(), "f1") == nil {
		t.Errorf("shortcuts %v", keys)
	}
	box := message.Message{Role: message.Custom, CustomType: "box", Content: words("here")}
	if lines, ok := c.s.RenderMessage(c.ctx(), box, 10, false); !ok || lines[0] != "here" || !c.s.Renders("box") {
		t.Errorf("drawn %q, %v", lines, ok)
	}
	if _, ok := c.s.RenderMessage(c.ctx(), box, 10, true); ok {
		t.Error("what can't be drawn is drawn")
	}
	if _, ok := c.s.RenderMessage(c.ctx(), message.Message{CustomType: "other"}, 10, false); ok {
		t.Error("nobody draws this")
	}
	if list := s.Commands(c.ctx()); len(list) != 1 || list[0].Name != "all" || list[0].Source != "extension" {
		t.Errorf("commands %v", list)
	}
}
