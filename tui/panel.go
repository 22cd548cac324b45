package tui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/hoopoe-agent/hoopoe/tui/style"
)

// panel has the keyboard in the editor's place.
type panel interface {
	// key handles one key; closed says that the panel is done.
	key(k tea.KeyPressMsg) (cmd tea.Cmd, closed bool)
	paste(text string)
	scroll(rows int)
	// view renders at most height rows; cx is -1 without a cursor.
	view(width, height int) (rows []string, cx, cy int)
	setStyles(s style.Styles)
}

func (a *app) panelKey(k tea.KeyPressMsg) tea.Cmd {
	cmd, closed := a.panel.key(k)
	if closed {
		a.panel = nil
	}
	return cmd
}
