package engine

import (
	"context"
	"errors"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/ext"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/shell"
	"github.com/hoopoe-agent/hoopoe/engine/workspace"
)

// userBash is the user's own command in progress; at most one runs.
type userBash struct{ stop context.CancelFunc }

// BashResult is how a command of the user's ended.
type BashResult struct {
	Message message.Message // a BashExecution, as it is in the context
	// What it printed in all, and what of it the message holds.
	TotalLines  int
	TotalBytes  int64
	OutputLines int
	OutputBytes int
	TimedOut    bool
}

// BashInput is a command of the user's.
type BashInput struct {
	// Ref is the face's own name for it, repeated in BashStarted.
	Ref                string
	Command            string
	ExcludeFromContext bool
}

// Bash runs a command of the user's, beside any run, and adds what it printed
// to the context: at once when the session is idle, else when the prompt in
// progress has settled. A conversation that has begun meanwhile gets nothing of
// it. A non-zero exit is no error.
func (s *Session) Bash(ctx context.Context, in BashInput) (BashResult, error) {
	command := in.Command
	if strings.TrimSpace(command) == "" {
		return BashResult{}, errors.New("the command is empty")
	}
	run, cancel := context.WithCancel(s.ctx)
	defer cancel()
	id, talk := s.ids.next(), 0
	// Once it has begun it has to be ended, so the wait outlasts ctx.
	err := s.set(context.WithoutCancel(ctx), func() error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if s.bash != nil {
			return errors.New("a command is already running: stop it first")
		}
		s.bash, talk = &userBash{stop: cancel}, s.talk
		s.publish(event.BashStarted{ID: id, Ref: in.Ref, Command: command})
		return nil
	})
	if err != nil {
		return BashResult{}, err
	}
	stop := context.AfterFunc(ctx, cancel)
	defer stop()
	out, err := s.runBash(run, in, func(tail string) { s.in.post(item{event: event.BashProgress{ID: id, Output: tail}}) })
	switch {
	case errors.Is(err, shell.ErrClosed) || err != nil && (run.Err() != nil || ctx.Err() != nil): // stopped before it began
		out.Cancelled = true
	case err != nil && out.Text == "":
		out.Text = err.Error()
	}
	m := message.Message{ID: id, Role: message.BashExecution, Timestamp: s.engine.now().UnixMilli(), Bash: &message.Bash{
		Command: command, Output: out.Text, ExitCode: out.ExitCode, Cancelled: out.Cancelled || out.TimedOut,
		Truncated: out.Truncated, FullOutputPath: out.FullOutputPath, ExcludeFromContext: in.ExcludeFromContext,
	}}
	err = s.set(context.WithoutCancel(ctx), func() error {
		s.bash = nil
		if s.talk == talk {
			s.pending = append(s.pending, m)
		}
		if s.state == Idle {
			s.flushBash()
		}
		s.publish(event.BashEnded{ID: id, Message: m})
		return nil
	})
	return BashResult{
		Message: m, TotalLines: out.TotalLines, TotalBytes: out.TotalBytes,
		OutputLines: lines(out.Text), OutputBytes: len(out.Text), TimedOut: out.TimedOut,
	}, err
}

// runBash runs a command of the user's, unless an extension does.
func (s *Session) runBash(ctx context.Context, in BashInput, progress func(tail string)) (workspace.Output, error) {
	cwd := s.env.workspace.Cwd()
	r := s.host.UserBash(ctx, ext.UserBash{Command: in.Command, ExcludeFromContext: in.ExcludeFromContext, Cwd: cwd})
	if r.Handled {
		return workspace.Output{
			Text: r.Output, ExitCode: r.ExitCode, Cancelled: r.Cancelled, Truncated: r.Truncated,
			TotalLines: lines(r.Output), TotalBytes: int64(len(r.Output)),
		}, nil
	}
	return s.env.workspace.Run(ctx, workspace.Command{Script: in.Command, OnOutput: progress})
}

// lines counts them; the last may lack its end.
func lines(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}

// AbortBash stops the user's command; the model's own commands go on.
func (s *Session) AbortBash(ctx context.Context) error {
	return s.set(ctx, func() error {
		if s.bash != nil {
			s.bash.stop()
		}
		return nil
	})
}
