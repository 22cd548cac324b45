package tui

import (
	"context"
	"errors"
	"fmt"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/hoopoe-agent/hoopoe/tui/clipboard"
	"github.com/hoopoe-agent/hoopoe/tui/terminal"
)

// Clipboard is the desktop's, beside the terminal's own.
type Clipboard interface {
	Copy(ctx context.Context, text string) error
	Image(ctx context.Context) (data []byte, mime string, err error)
}

// safeCopy is how much text every terminal takes: some have 100,000 bytes of
// room for its base64.
const safeCopy = 74_000

// copied puts text into the clipboards: the terminal's, through a multiplexer
// too, and the desktop's.
func (a *app) copied(text string) tea.Cmd {
	n := count(len([]rune(text)), "character", "characters")
	a.hint = "Copied " + n
	if len(text) > safeCopy {
		a.hint += fmt.Sprintf("; a terminal may take only the first %d", safeCopy)
	}
	cmds := []tea.Cmd{tea.Raw(copySequence(a.o.Terminal, text))}
	if a.o.Clipboard != nil {
		cmds = append(cmds, func() tea.Msg {
			if err := a.o.Clipboard.Copy(a.ctx, text); err != nil && !errors.Is(err, clipboard.ErrNone) {
				return failedMsg{"copy to the desktop's clipboard", err}
			}
			return nil
		})
	}
	return tea.Batch(cmds...)
}

// copySequence is OSC 52. A multiplexer that knows it gets it as well as the
// terminal around it.
func copySequence(p terminal.Profile, text string) string {
	bare := ansi.SetSystemClipboard(text)
	if wrapped := p.Wrap(bare); wrapped != bare {
		return bare + wrapped
	}
	return bare
}

// copyAnswer copies the source of the last answer.
func (a *app) copyAnswer() tea.Cmd {
	text := a.story.list.LastAnswer()
	if text == "" {
		a.hint = "There is no answer yet"
		return nil
	}
	return a.copied(text)
}
