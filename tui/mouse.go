package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hoopoe-agent/hoopoe/tui/style"
)

// mouse is what the button does in the transcript: one press selects from
// there on, the second takes the word, the third the line.
type mouse struct {
	down   bool
	x, y   int
	clicks int
	at     time.Time // of the last press
	turn   int       // of the press that a tick of scrolling belongs to
}

const (
	// doubleClick is how soon a press belongs to the one before.
	doubleClick = 400 * time.Millisecond
	// dragPace is how often a row is scrolled while the mouse is held beyond
	// the edge.
	dragPace = 40 * time.Millisecond
)

// dragMsg scrolls on while the mouse stays beyond the edge.
type dragMsg struct{ turn int }

// meant is the mouse where it is in the rows, as we measure them.
func (a *app) meant(m tea.Mouse) tea.Mouse {
	if a.clusters && m.Y >= 0 && m.Y < len(a.last.shown) {
		m.X = style.Meant(a.last.shown[m.Y], m.X)
	}
	return m
}

func (a *app) press(m tea.Mouse) tea.Cmd {
	if m.Button != tea.MouseLeft {
		return nil
	}
	if p := a.front(); p != nil && m.Y >= a.last.panelTop {
		return a.panelDid(p)(p.click(m.Y - a.last.panelTop))
	}
	a.pressText(m)
	return nil
}

// pressText begins a selection in the transcript, or places the prompt's caret.
func (a *app) pressText(m tea.Mouse) {
	if m.Y >= a.last.transcript {
		if y := m.Y - a.last.editor; a.front() == nil && y >= 0 && m.Y < a.last.editorEnd {
			a.editor.MoveTo(m.X, y)
		}
		return
	}
	b, now := &a.mouse, a.o.Now()
	if m.X == b.x && m.Y == b.y && now.Sub(b.at) < doubleClick {
		b.clicks = b.clicks%3 + 1
	} else {
		b.clicks = 1
	}
	b.down, b.x, b.y, b.at = true, m.X, m.Y, now
	b.turn++
	list := &a.story.list
	switch b.clicks {
	case 1:
		list.ClearSelection()
		list.SelectStart(m.X, m.Y)
	case 2:
		list.SelectWord(m.X, m.Y)
	case 3:
		list.SelectLine(m.X, m.Y)
	}
}

func (a *app) drag(m tea.Mouse) tea.Cmd {
	b := &a.mouse
	if !b.down || b.clicks > 1 {
		return nil
	}
	b.x, b.y = m.X, m.Y
	b.turn++
	return a.dragged()
}

// dragged brings the selection's end to the mouse. Above the screen there is
// no row: the first one counts as beyond the edge.
func (a *app) dragged() tea.Cmd {
	b := &a.mouse
	y := b.y
	if y == 0 && !a.story.list.AtTop() {
		y = -1
	}
	if !a.story.list.SelectTo(b.x, y) {
		return nil
	}
	turn := b.turn
	return tea.Tick(dragPace, func(time.Time) tea.Msg { return dragMsg{turn} })
}

func (a *app) dragsOn(msg dragMsg) tea.Cmd {
	if !a.mouse.down || msg.turn != a.mouse.turn {
		return nil
	}
	return a.dragged()
}

// release copies what is selected. A press that selected nothing folds or
// unfolds what is under the mouse.
func (a *app) release(m tea.Mouse) tea.Cmd {
	b := &a.mouse
	if !b.down {
		return nil
	}
	b.down = false
	list := &a.story.list
	if text := list.SelectEnd(); text != "" {
		return a.copied(text)
	}
	list.ClearSelection()
	if b.clicks == 1 && m.X == b.x && m.Y == b.y {
		list.Toggle(m.Y)
	}
	return nil
}
