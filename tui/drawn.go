package tui

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/tui/flow"
	"github.com/hoopoe-agent/hoopoe/tui/keymap"
	"github.com/hoopoe-agent/hoopoe/tui/transcript"
)

// drawing is how a message is to be drawn.
type drawing struct {
	width    int
	expanded bool
}

// guestMessage is a message of an extension's own type. Until the extension has
// drawn it, and where none does, its text stands for it.
type guestMessage struct {
	transcript.Fold
	look    *transcript.Look
	message message.Message
	// draw asks for the lines; they come as a drawnMsg. It doesn't wait.
	draw func(*guestMessage, drawing)

	asked   drawing  // what was asked for last
	lines   []string // nil: not drawn
	version int
}

// drawnMsg brings what an extension has drawn.
type drawnMsg struct {
	item  *guestMessage
	as    drawing
	lines []string
}

// Version implements transcript.Item.
func (g *guestMessage) Version() int { return g.version + g.Turns() }

// Source implements transcript.Item.
func (g *guestMessage) Source() string { return g.message.Text() }

// Rows implements transcript.Item.
func (g *guestMessage) Rows(width int) []flow.Row {
	as := drawing{max(1, width-2), g.look.Expanded || g.Unfolded()}
	if g.draw != nil && g.asked != as {
		g.asked = as
		g.draw(g, as)
	}
	if g.lines == nil {
		return (&transcript.Notice{Look: g.look, Text: g.Source()}).Rows(width)
	}
	rows := []flow.Row{{}}
	for i, line := range g.lines {
		if i == maxDrawn {
			rows = append(rows, flow.Row{Text: more(g.look.Styles, len(g.lines)-i, width), Rule: true})
			break
		}
		lead := min(2, width-1)
		rows = append(rows, flow.Row{Text: strings.Repeat(" ", lead) + guestLine(g.look.Styles, g.look.Bidi, line, width-lead), Lead: lead})
	}
	return rows
}

// maxDrawn bounds the rows of one message.
const maxDrawn = 500

// drawGuest has an extension draw a message, off the loop.
func (a *app) drawGuest(g *guestMessage, as drawing) {
	s := a.session
	if s == nil || !s.Renders(g.message.CustomType) {
		return
	}
	go func() {
		lines, ok := s.RenderMessage(a.ctx, g.message, as.width, as.expanded)
		if !ok {
			return
		}
		select {
		case a.drawings <- drawnMsg{g, as, lines}:
		case <-a.ctx.Done():
		}
	}()
}

func (a *app) awaitDrawing() tea.Cmd {
	return func() tea.Msg {
		select {
		case d := <-a.drawings:
			return d
		case <-a.ctx.Done():
			return nil
		}
	}
}

// drawn takes over what an extension has drawn, unless something else was asked
// for meanwhile.
func (a *app) drawn(d drawnMsg) tea.Cmd {
	if d.item.asked == d.as {
		d.item.lines = append([]string{}, d.lines...)
		d.item.version++
	}
	return a.awaitDrawing()
}

// shortcut carries out an extension's key. Keys that type text are nobody's, and
// the chat's own come first.
func (a *app) shortcut(stroke string) (tea.Cmd, bool) {
	s := a.session
	if s == nil || !a.started || !chord(stroke) {
		return nil, false
	}
	for _, k := range s.Shortcuts() {
		if key, err := keymap.Parse(k.Key); err == nil && key == stroke {
			return a.do("carry out "+k.Key, func(ctx context.Context) error { return s.RunShortcut(ctx, k.Key) }), true
		}
	}
	return nil, false
}

// chord reports whether a stroke is no text: it has Ctrl, Alt or the like, or is
// a function key.
func chord(stroke string) bool {
	for _, mod := range []string{"ctrl+", "alt+", "super+", "meta+", "hyper+"} {
		if strings.Contains(stroke, mod) {
			return true
		}
	}
	return len(stroke) > 1 && stroke[0] == 'f' && strings.Trim(stroke[1:], "0123456789") == ""
}
