package tui

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
)

// editedMsg brings the prompt back from the user's editor.
type editedMsg struct {
	text string
	err  error
}

// editOutside opens the prompt in the user's editor; the chat waits for it.
func (a *app) editOutside() tea.Cmd {
	visual := FindVisual(a.o.getenv)
	if visual == "" {
		a.hint = "Set EDITOR to edit the prompt outside"
		return nil
	}
	name, err := writeDraft(a.editor.Value())
	if err != nil {
		return func() tea.Msg { return editedMsg{err: err} }
	}
	return a.visit(visual, name, 0, func(err error) tea.Msg {
		defer os.Remove(name)
		if err != nil {
			return editedMsg{err: err}
		}
		text, err := os.ReadFile(name)
		return editedMsg{strings.TrimRight(string(text), "\n"), err}
	})
}

// visit opens a file in the user's editor; the chat waits for it. What is told
// of the end must have the chat come back.
func (a *app) visit(v Visual, path string, line int, told func(err error) tea.Msg) tea.Cmd {
	cmd := v.Command(a.ctx, path, line)
	cmd.Env = a.o.Environ
	cmd.Stdin, cmd.Stdout, cmd.Stderr = a.o.In, a.o.Out, a.o.Out
	return a.away(tea.Exec(outside{cmd}, func(err error) tea.Msg {
		if err != nil {
			err = fmt.Errorf("the editor %s: %w", v, err)
		}
		return told(err)
	}))
}

// outside is a program that has the terminal for itself.
type outside struct{ runs }

type runs interface{ Run() error }

// rest is how long the library's old renderer gets to stop its ticker. It does
// so in a goroutine that nobody waits for: after a program that ended at once
// it may stop the new renderer's ticker instead, and the screen stays empty.
const rest = 50 * time.Millisecond

func (o outside) Run() error {
	err := o.runs.Run()
	time.Sleep(rest)
	return err
}

// The command has the terminal already.
func (outside) SetStdin(io.Reader)  {}
func (outside) SetStdout(io.Writer) {}
func (outside) SetStderr(io.Writer) {}

// writeDraft puts text into a file that only the user can read.
func writeDraft(text string) (name string, err error) {
	f, err := os.CreateTemp("", "hoopoe-*.md")
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(text)
	if e := f.Close(); err == nil {
		err = e
	}
	return f.Name(), err
}

func (a *app) edited(msg editedMsg) {
	if msg.err != nil {
		a.story.notice("error", "The prompt could not be edited outside: "+msg.err.Error())
		return
	}
	a.editor.ReplaceAll(msg.text)
}
