package tui

import (
	"fmt"
	"os"
	"os/exec"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// editedMsg brings the prompt back from the user's editor.
type editedMsg struct {
	text string
	err  error
}

// editOutside opens the prompt in the user's editor; the chat waits for it.
func (a *app) editOutside() tea.Cmd {
	words := strings.Fields(a.o.getenv("VISUAL"))
	if len(words) == 0 {
		words = strings.Fields(a.o.getenv("EDITOR"))
	}
	if len(words) == 0 {
		a.hint = "Set EDITOR to edit the prompt outside"
		return nil
	}
	name, err := writeDraft(a.editor.Value())
	if err != nil {
		return func() tea.Msg { return editedMsg{err: err} }
	}
	cmd := exec.CommandContext(a.ctx, words[0], append(words[1:], name)...)
	cmd.Env = a.o.Environ
	cmd.Stdin, cmd.Stdout, cmd.Stderr = a.o.In, a.o.Out, a.o.Out
	return tea.ExecProcess(cmd, func(err error) tea.Msg {
		defer os.Remove(name)
		if err != nil {
			return editedMsg{err: fmt.Errorf("%s: %w", words[0], err)}
		}
		text, err := os.ReadFile(name)
		return editedMsg{strings.TrimRight(string(text), "\n"), err}
	})
}

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
	a.editor.SetValue(msg.text)
}
