// Package print runs one prompt and writes what comes of it: the answer as
// text, or every event as a line of JSON (PROTOCOL.md).
//
//	Prompt ─▶ Session ─▶ Subscription ─▶ projection ─▶ stdout  the answer, or events
//	                                               └─▶ stderr  progress, warnings
//
// The run ends when the prompt is settled. A cancelled context stops it in
// order first: the tools end, the session file is left valid, the last events
// are written. A projection is a pure sink of envelopes, so that it is tested
// without an engine.
package print

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine"
	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/slash"
)

// Session is what print needs of a session. The engine's satisfies it.
type Session interface {
	slash.Session
	Start(ctx context.Context) error
	Settled(ctx context.Context) error
	AwaitServers(ctx context.Context)
	Attach(ctx context.Context, c engine.Client) (event.View, *engine.Subscription, error)
	Prompt(ctx context.Context, in engine.Input) (engine.Accepted, error)
	Abort(ctx context.Context) error
}

// Options are what one run needs.
type Options struct {
	Session  Session
	Commands *slash.Registry
	// Text and Blocks are the prompt: what the user wrote, and the files and
	// images that go with it.
	Text   string
	Blocks []message.Block
	// JSON writes events in place of the answer's text.
	JSON bool
	// Live writes the answer as it comes; else each message when it is whole,
	// so that an answer that breaks off and is tried again appears once.
	Live bool
	// Progress writes a line to Stderr for each tool call.
	Progress bool
	Stdout   io.Writer
	Stderr   io.Writer
	Now      func() time.Time
}

// Caps are the abilities that slash commands may count on here.
const Caps = slash.Needs(0)

// errOutput is wrapped when stdout takes no more; nobody reads the answer.
var errOutput = errors.New("write the answer")

// deniedError says that a tool call needed an approval that nobody could give.
type deniedError struct {
	Tool string
	Flag string // what would have allowed it; "" if nothing but an answer would
}

func (e *deniedError) Error() string {
	if e.Flag == "" {
		return fmt.Sprintf("%s was denied: its agent wants each call approved, and nobody can be asked here; use the chat", e.Tool)
	}
	return fmt.Sprintf("%s was denied, because nobody can be asked here; allow it with %s", e.Tool, e.Flag)
}

// abortWait bounds how long an interrupted run may take to end.
const abortWait = 10 * time.Second

// Run sends the prompt and returns when it is settled. The error is for
// people; after a cancelled context it is the context's cause.
func Run(ctx context.Context, o Options) error {
	out := bufio.NewWriterSize(o.Stdout, 64<<10)
	r := &run{Options: o, out: out}
	if o.JSON {
		r.to = &lines{out: out, now: o.Now}
	} else {
		r.to = &text{out: out, err: o.Stderr, live: o.Live, progress: o.Progress}
	}
	view, sub, err := o.Session.Attach(ctx, engine.Client{Name: "print"})
	if err != nil {
		return err
	}
	defer sub.Close()
	r.sub, r.mode = sub, view.Mode
	r.to.opened(view)
	err = r.drive(ctx)
	r.to.finish()
	if flush := out.Flush(); flush != nil && err == nil {
		err = fmt.Errorf("%w: %w", errOutput, flush)
	}
	return err
}

// run is one Run in progress.
type run struct {
	Options
	to   projection
	out  *bufio.Writer
	sub  *engine.Subscription
	mode string // of permission

	ours    bool // the prompt's own events have begun
	denied  *deniedError
	settled *event.RunSettled
	failed  *event.PromptFailed
}

// begun marks the place in the stream where the prompt's events begin.
type begun struct{}

func (r *run) drive(ctx context.Context) error {
	if err := r.Session.Start(ctx); err != nil {
		return cause(ctx, err)
	}
	if err := r.Session.Settled(ctx); err != nil {
		return cause(ctx, err)
	}
	if _, _, ok := slash.Split(r.Text); ok {
		r.Session.AwaitServers(ctx) // it may be a prompt of theirs
	}
	result, err := r.Commands.Dispatch(ctx, r.Session, Caps, r.Text)
	var unknown *slash.UnknownError
	if err != nil && !errors.As(err, &unknown) {
		return cause(ctx, err)
	}
	if result.Handled {
		r.to.reply(result.Reply)
		return nil
	}
	in := engine.Input{Ref: "print", Text: result.Text, Images: r.Blocks, Ack: &engine.Ack{Sub: r.sub, Value: begun{}}}
	if _, err := r.Session.Prompt(ctx, in); err != nil {
		return cause(ctx, err)
	}
	err = r.follow(ctx)
	switch {
	case ctx.Err() != nil || errors.Is(err, errOutput):
		return errors.Join(cause(ctx, err), r.stop(ctx))
	case err != nil:
		return err
	}
	return r.verdict()
}

// cause is why ctx ended, if it has, else err.
func cause(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// follow projects events until the prompt is over.
func (r *run) follow(ctx context.Context) error {
	for r.settled == nil && r.failed == nil {
		if err := ctx.Err(); err != nil {
			return err
		}
		items, err := r.sub.Batch(ctx)
		if errors.Is(err, io.EOF) {
			return errors.New("the session ended before the answer did")
		}
		if err != nil {
			return err
		}
		for _, it := range items {
			if _, ok := it.Ack.(begun); ok {
				r.ours = true
				continue
			}
			r.note(it.Event)
			r.to.put(it.Envelope)
		}
		if err := r.out.Flush(); err != nil {
			return fmt.Errorf("%w: %w", errOutput, err)
		}
	}
	return nil
}

// note keeps what the verdict needs.
func (r *run) note(e event.Event) {
	switch e := e.(type) {
	case event.ModeChanged:
		r.mode = e.Mode
	case event.ToolEnded:
		switch {
		case r.denied != nil:
		case e.Denied == "nobody":
			r.denied = &deniedError{Tool: e.Name, Flag: "--permissions " + allows(e.Name, r.mode)}
		case e.Denied == "approval":
			r.denied = &deniedError{Tool: e.Name}
		}
	case event.SubagentEvent:
		switch e.Event.(type) { // of its own life only what was denied matters
		case event.ToolEnded, event.SubagentEvent:
			r.note(e.Event)
		}
	case event.RunSettled:
		if r.ours {
			r.settled = &e
		}
	case event.PromptFailed:
		if e.Ref == "print" {
			r.failed = &e
		}
	}
}

// allows names the tightest mode that lets a call through which mode denied.
func allows(tool, mode string) string {
	if mode != "edit" && (tool == "edit" || tool == "write") {
		return "edit"
	}
	return "full"
}

// stop ends the run in order after an interrupt or when nobody reads.
func (r *run) stop(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), abortWait)
	defer cancel()
	if err := r.Session.Abort(ctx); err != nil {
		return fmt.Errorf("stop the run: %w", err)
	}
	if err := r.follow(ctx); err != nil && !errors.Is(err, errOutput) {
		return fmt.Errorf("stop the run: %w", err)
	}
	return nil
}

// verdict says whether the prompt was done.
func (r *run) verdict() error {
	if r.failed != nil {
		return errors.New(r.failed.Error)
	}
	s := r.settled
	switch s.Reason {
	case message.StepLimit:
		return fmt.Errorf("stopped%s; the task may not be done: go on with --continue, or raise --max-turns", colon(s.Error))
	case message.Budget:
		return fmt.Errorf("stopped%s; the task may not be done: go on with --continue, or raise the limits in the settings", colon(s.Error))
	case message.Length:
		return errors.New("the answer was cut off at the model's output limit")
	case message.Refusal:
		return fmt.Errorf("the prompt was refused%s", colon(s.Error))
	case message.Error:
		return fmt.Errorf("the model failed%s", colon(s.Error))
	}
	if s.Aborted || s.Reason == message.Aborted {
		return errors.New("the run was stopped before it was done")
	}
	if r.denied != nil {
		return r.denied
	}
	return nil
}

func colon(text string) string {
	if text == "" {
		return ""
	}
	return ": " + text
}
