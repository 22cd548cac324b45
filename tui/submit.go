package tui

import (
	"context"
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/hoopoe-agent/hoopoe/engine"
	"github.com/hoopoe-agent/hoopoe/slash"
	"github.com/hoopoe-agent/hoopoe/tui/editor"
)

// submission is a text that the user sent.
type submission struct {
	text     string
	delivery string // while a run is going: steer or followUp
	files    []editor.Attachment
}

// submit takes the editor's text.
func (a *app) submit(delivery string) tea.Cmd {
	held := a.editor.Submission()
	text := strings.TrimRight(held.Text, " \t\n")
	if strings.TrimSpace(text) == "" {
		return nil
	}
	a.editor.AddHistory(text)
	a.editor.Reset()
	a.popup.close()
	a.story.list.ToEnd()
	return tea.Batch(a.remember(text), a.send(submission{text, delivery, held.Attachments}))
}

func (a *app) remember(text string) tea.Cmd {
	if a.o.Remember == nil {
		return nil
	}
	return func() tea.Msg {
		a.o.Remember(text)
		return nil
	}
}

// send gives a text to whom it is for: the shell, a command, or the model. It
// waits until there is a session.
func (a *app) send(s submission) tea.Cmd {
	switch {
	case a.session == nil || !a.started:
		a.waiting = append(a.waiting, s)
		return nil
	case strings.HasPrefix(s.text, "!"):
		return a.shell(s.text)
	case strings.HasPrefix(strings.TrimLeft(s.text, " \t"), "/"):
		if open, ok := a.panelFor(s.text); ok {
			return open(a)
		}
		return a.dispatch(s)
	}
	return a.prompt(s)
}

// unsentMsg brings a message back that the session didn't take.
type unsentMsg struct {
	sent submission
	err  error
}

func (a *app) prompt(s submission) tea.Cmd {
	session := a.session
	return func() tea.Msg {
		if err := deliver(a.ctx, session, s); err != nil {
			return unsentMsg{s, err}
		}
		return nil
	}
}

// deliver sends a message. Only the session knows whether a run is going: what
// the screen shows may be a moment old, and while the session does something
// else, as to compact, a message for the run would wait for one.
func deliver(ctx context.Context, session Session, s submission) error {
	images := blocks(s.files)
	err := session.Prompt(ctx, s.text, "", images)
	if errors.Is(err, engine.ErrBusy) {
		err = session.Prompt(ctx, s.text, s.delivery, images)
	}
	return err
}

// unsent tells why a message wasn't sent and gives its text back.
func (a *app) unsent(msg unsentMsg) {
	if errors.Is(msg.err, context.Canceled) {
		return
	}
	a.story.notice("error", "The message was not sent: "+msg.err.Error())
	if a.editor.Empty() {
		a.editor.Restore(editor.Submission{Text: msg.sent.text, Attachments: msg.sent.files})
	}
}

// shell runs "!command"; with "!!" the model doesn't see it.
func (a *app) shell(text string) tea.Cmd {
	command, hidden := strings.CutPrefix(text[1:], "!")
	command = strings.TrimSpace(command)
	if command == "" {
		a.hint = "!command runs a command; !!command hides it from the model"
		return nil
	}
	session := a.session
	return a.do("run the command", func(ctx context.Context) error {
		return session.Bash(ctx, command, hidden)
	})
}

func (a *app) commandDone(msg slashMsg) tea.Cmd {
	a.ended(msg.command)
	var unknown *slash.UnknownError
	switch {
	case errors.As(msg.err, &unknown):
		a.story.notice("warning", capital(unknown.Error()))
		if a.editor.Empty() {
			a.editor.SetValue(msg.sent.text) // to be mended, not typed again
		}
	case errors.Is(msg.err, context.Canceled):
	case msg.err != nil:
		a.story.notice("error", msg.err.Error())
	case !msg.result.Handled:
		return a.prompt(submission{msg.result.Text, msg.sent.delivery, msg.sent.files})
	case msg.result.Quit:
		return a.leave(0)
	default:
		return a.replied(msg.sent.text, msg.result)
	}
	return nil
}
