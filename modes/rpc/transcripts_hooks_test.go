package rpc

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/ext"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// testHooks are the extensions that a transcript can name.
var testHooks = map[string][]ext.Hooks{
	"hold":     {holding},
	"dialogs":  {asking},
	"screen":   {showing},
	"start":    {starting},
	"replace":  {replacing},
	"broken":   {broken1, broken2},
	"input":    {changing},
	"run_end":  {ending},
	"shutdown": {leaving},
}

// told shows a result where a transcript can wait for it.
func told(ctx context.Context, s ext.Session, format string, args ...any) {
	s.Notify(ctx, "info", fmt.Sprintf(format, args...))
}

// holding asks before the run of a prompt that begins with "wait", before the
// request for one that begins with "hold", and before every compaction.
var holding = ext.Hooks{
	Name: "holding",
	BeforeRun: func(ctx context.Context, s ext.Session, b ext.BeforeRun) (ext.BeforeRunReply, error) {
		if strings.HasPrefix(b.Prompt, "wait") {
			s.Ask(ctx, event.Question{Kind: event.AskConfirm, Title: "Begin?"})
		}
		return ext.BeforeRunReply{}, nil
	},
	Context: func(ctx context.Context, s ext.Session, all []message.Message) ([]message.Message, error) {
		if strings.HasPrefix(all[len(all)-1].Text(), "hold") {
			s.Ask(ctx, event.Question{Kind: event.AskConfirm, Title: "Go on?"})
		}
		return nil, nil
	},
	BeforeCompact: func(ctx context.Context, s ext.Session, _ ext.BeforeCompact) (ext.BeforeCompactReply, error) {
		a, _ := s.Ask(ctx, event.Question{Kind: event.AskConfirm, Title: "Compact?"})
		return ext.BeforeCompactReply{Cancel: !a.Confirmed}, nil
	},
}

// asking asks what a prompt says and tells what came of it. The prompt is
// handled by that.
var asking = ext.Hooks{
	Name: "asking",
	Input: func(ctx context.Context, s ext.Session, in ext.Input) (ext.InputReply, error) {
		kind, quick := strings.CutSuffix(in.Text, " quickly")
		q := event.Question{Kind: event.QuestionKind(kind), Title: "The title"}
		if quick {
			q.Timeout = 20 * time.Millisecond
		}
		switch q.Kind {
		case event.AskSelect:
			q.Options = []string{"one", "two"}
		case event.AskConfirm:
			q.Message = "Sure?"
		case event.AskInput:
			q.Placeholder = "a word"
		case event.AskEditor:
			q.Prefill = "first\nlines"
		default:
			return ext.InputReply{}, nil
		}
		a, answered := s.Ask(ctx, q)
		if !answered && !quick {
			return ext.InputReply{Handled: true}, nil // nobody is left to tell
		}
		told(ctx, s, "answered %v, cancelled %v, confirmed %v, value %q", answered, a.Cancelled, a.Confirmed, a.Value)
		return ext.InputReply{Handled: true}, nil
	},
}

// showing uses all that needs no answer.
var showing = ext.Hooks{
	Name: "showing",
	Input: func(ctx context.Context, s ext.Session, _ ext.Input) (ext.InputReply, error) {
		s.Notify(ctx, "info", "as it is")
		s.Notify(ctx, "warning", "careful")
		s.Notify(ctx, "error", "broken")
		text := "working"
		s.SetStatus(ctx, "work", &text)
		s.SetStatus(ctx, "work", nil)
		s.SetWidget(ctx, "list", []string{"a", "b"}, "")
		s.SetWidget(ctx, "list", []string{"c"}, "belowEditor")
		s.SetWidget(ctx, "list", nil, "")
		s.SetTitle(ctx, "A title")
		s.SetEditorText(ctx, "written for you")
		return ext.InputReply{Handled: true}, nil
	},
}

// starting asks when the session starts.
var starting = ext.Hooks{
	Name: "starting",
	SessionStart: func(ctx context.Context, s ext.Session) error {
		if a, answered := s.Ask(ctx, event.Question{Kind: event.AskConfirm, Title: "Start?"}); answered {
			told(ctx, s, "start: confirmed %v", a.Confirmed)
		}
		return nil
	},
}

// replacing asks before another document comes and tells of it.
var replacing = ext.Hooks{
	Name: "replacing",
	SessionStart: func(ctx context.Context, s ext.Session) error {
		told(ctx, s, "started")
		return nil
	},
	BeforeReplace: func(ctx context.Context, s ext.Session, r ext.Replace) (bool, error) {
		a, _ := s.Ask(ctx, event.Question{Kind: event.AskConfirm, Title: "Leave for " + r.Reason + "?"})
		return !a.Confirmed, nil
	},
	Replaced: func(ctx context.Context, s ext.Session, r ext.Replace) error {
		told(ctx, s, "replaced by %s", r.Reason)
		return nil
	},
}

// broken1 fails at most points, broken2 panics.
var (
	broken1 = ext.Hooks{
		Name:         "broken",
		SessionStart: func(context.Context, ext.Session) error { return errors.New("no start") },
		Input: func(context.Context, ext.Session, ext.Input) (ext.InputReply, error) {
			return ext.InputReply{Handled: true}, errors.New("no input")
		},
		RunEnd: func(context.Context, ext.Session, ext.RunEnd) error { return errors.New("no end") },
	}
	broken2 = ext.Hooks{
		Name:     "panicking",
		ToolCall: func(context.Context, ext.Session, ext.ToolCall) (ext.ToolCallReply, error) { panic("no call") },
	}
)

// changing changes prompts by their first word, and says where they come from.
var changing = ext.Hooks{
	Name: "changing",
	Input: func(ctx context.Context, s ext.Session, in ext.Input) (ext.InputReply, error) {
		told(ctx, s, "%s from %s", in.Text, in.Source)
		word, rest, _ := strings.Cut(in.Text, " ")
		switch word {
		case "change":
			text := "changed: " + rest
			return ext.InputReply{Text: &text}, nil
		case "take":
			return ext.InputReply{Handled: true}, nil
		case "refuse":
			return ext.InputReply{Block: true, Reason: "Not here."}, nil
		}
		return ext.InputReply{}, nil
	},
	ToolCall: func(_ context.Context, _ ext.Session, c ext.ToolCall) (ext.ToolCallReply, error) {
		if strings.Contains(string(c.Arguments), "secret") {
			return ext.ToolCallReply{Block: true, Reason: "That is secret."}, nil
		}
		if strings.Contains(string(c.Arguments), "plain") {
			return ext.ToolCallReply{Arguments: []byte(`{"at":"replaced"}`)}, nil
		}
		return ext.ToolCallReply{}, nil
	},
}

// ending asks at the end of a run and sends what it is told to.
var ending = ext.Hooks{
	Name: "ending",
	RunEnd: func(ctx context.Context, s ext.Session, _ ext.RunEnd) error {
		a, _ := s.Ask(ctx, event.Question{Kind: event.AskInput, Title: "What else?"})
		if a.Value == "" {
			return nil
		}
		return s.Send(ctx, []message.Block{message.TextOf(a.Value)}, "")
	},
}

// leaving ends the process, and waits for that.
var leaving = ext.Hooks{
	Name: "leaving",
	Input: func(ctx context.Context, s ext.Session, in ext.Input) (ext.InputReply, error) {
		if in.Text == "leave" {
			s.Shutdown(ctx)
			<-ctx.Done()
		}
		return ext.InputReply{}, nil
	},
}
