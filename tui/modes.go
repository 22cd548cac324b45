package tui

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/term"

	"github.com/hoopoe-agent/hoopoe/tui/editor"
	"github.com/hoopoe-agent/hoopoe/tui/inline"
	"github.com/hoopoe-agent/hoopoe/tui/keymap"
)

// Ways to use the screen, for Options.Screen and the setting tui.mode.
const (
	Auto       = "auto"       // fullscreen where that works well
	Fullscreen = "fullscreen" // a screen of its own, with its own scrolling
	Inline     = "inline"     // the normal screen; what is over goes into its scrollback
)

// Windows smaller than this have no room for a screen of its own.
const (
	leastWidth  = 40
	leastHeight = 10
)

// fit tells whether auto means inline here.
func fit(o Options, width, height int) (inline bool) {
	switch o.Screen {
	case Inline:
		return true
	case Auto:
		return o.Terminal.Inline() || width < leastWidth || height < leastHeight
	}
	return false
}

// output is the terminal as the library sees it: its bytes pass through the
// inline screen, which knows when to draw.
type output struct {
	*inline.Screen
	file term.File
	pace *pace
}

func (o output) Write(p []byte) (int, error) {
	defer o.pace.written()
	return o.Screen.Write(p)
}

func (o output) Read(p []byte) (int, error) { return o.file.Read(p) }
func (o output) Close() error               { return o.file.Close() }
func (o output) Fd() uintptr                { return o.file.Fd() }

func newOutput(o Options, p *pace) output {
	cuts := false
	switch o.Terminal.Terminal {
	case "xterm", "linux", "rxvt", "screen":
		cuts = true
	}
	return output{inline.New(inline.Options{Out: o.Out, Cuts: cuts, Size: func() (int, int) {
		width, height, err := term.GetSize(o.Out.Fd())
		if err != nil {
			return 80, 24
		}
		return width, height
	}}), o.Out, p}
}

// setInline changes how the screen is used. Nothing is lost: what is over goes
// into the scrollback, if it isn't there yet, and stays in the list.
func (a *app) setInline(on bool) {
	if a.inline == on {
		return
	}
	a.inline = on
	a.story.list.ClearSelection()
	a.story.list.ToEnd()
	if a.normal == nil {
		return
	}
	if on {
		a.normal.Start()
	} else {
		a.normal.Stop()
	}
}

// covered reports whether inline the terminal shows its other screen: what the
// user has opened there, such as a list, pushes nothing into the scrollback and
// leaves no gap. A dialog stays where the conversation is.
func (a *app) covered() bool {
	_, dialog := a.panel.(*dialogPanel)
	return a.panel != nil && !dialog && a.question == nil
}

// inlineShare is the part of the window that an answer in the making gets.
const inlineShare = 3

// inlineView prints what is over and shows the rest below it.
func (a *app) inlineView() tea.View {
	v := tea.NewView(" ") // the library draws nothing but this
	v.KeyboardEnhancements.ReportAlternateKeys = true
	rows, above, cursor := a.inlineRows()
	if a.normal == nil {
		return v
	}
	above, rows = a.measured(above, nil), a.measured(rows, cursor)
	f := inline.Frame{Rows: rows, X: -1}
	if cursor != nil {
		f.X, f.Y, f.Shape = cursor.X, cursor.Y, barShape
		if cursor.Shape == tea.CursorBlock {
			f.Shape = 0
		}
	}
	a.normal.Draw(above, f)
	return v
}

// barShape is DECSCUSR's blinking bar.
const barShape = 5

// inlineRows lays the live rows out: at most the window's height less one, none
// wider than its width less a column. above is what is over.
func (a *app) inlineRows() (rows, above []string, cursor *tea.Cursor) {
	width, height := max(1, a.width-1), max(1, a.height-1)
	list := &a.story.list
	list.SetSize(width, height)
	if a.recolor && a.normal != nil {
		again := list.Taken(height)
		a.normal.Repaint(a.measured(again, nil))
		a.recolor = again == nil // an answer has grown: with the next frame
	}
	above = list.TakeSettled()
	below, cx, cy := a.below(width, height)
	live := list.Live(min(height-len(below), max(1, a.height/inlineShare)))
	if list.Len() == 0 && a.front() == nil {
		live = nil
		if room := height - len(below); room >= leastHeight {
			live = append(a.welcome(width, room), "")
		}
	}
	cy += len(live)
	rows = append(live, below...)
	if cx < 0 {
		return rows, above, nil
	}
	return rows, above, a.cursor(min(cx, width-1), cy)
}

// cursor is the caret's: a bar while text is written.
func (a *app) cursor(x, y int) *tea.Cursor {
	c := tea.NewCursor(x, y)
	c.Shape, c.Blink = tea.CursorBar, true
	if mode, vim := a.editor.VimMode(); vim && mode != editor.Insert && a.front() == nil {
		c.Shape = tea.CursorBlock
	}
	return c
}

// commandTUI is /tui: it changes the mode, or tells it.
func (a *app) commandTUI(args string) tea.Cmd {
	to := strings.ToLower(strings.TrimSpace(args))
	switch to {
	case Inline, Fullscreen:
		a.setInline(to == Inline)
	case "":
		a.setInline(!a.inline)
	default:
		a.story.notice("warning", "There are the modes fullscreen and inline; /tui alone changes from one to the other.")
		return nil
	}
	if a.inline {
		a.hint = "Inline: what is over is in the terminal's own scrollback"
	} else {
		a.hint = "Fullscreen: the conversation scrolls here"
	}
	return nil
}

// away lets go of the screen before something else gets it; back takes it again.
func (a *app) away(cmd tea.Cmd) tea.Cmd {
	if a.normal != nil {
		a.normal.Hold()
	}
	return cmd
}

func (a *app) back() {
	if a.normal != nil {
		a.normal.Release()
	}
}

// dumpedMsg tells that the user has come back from the scrollback.
type dumpedMsg struct{ err error }

// dump writes the conversation into the terminal's scrollback, where its own
// means work: search, selection, a pipe to a file.
func (a *app) dump() tea.Cmd {
	if a.inline {
		a.story.list.TakeAgain()
		return nil
	}
	d := &dumped{in: a.o.In, out: a.o.Out, key: a.o.Keys.Key(keymap.SelectConfirm)}
	var b strings.Builder
	if err := a.story.list.Dump(a.width, &b); err != nil {
		return func() tea.Msg { return dumpedMsg{err} }
	}
	d.text = b.String()
	return a.away(tea.Exec(outside{d}, func(err error) tea.Msg { return dumpedMsg{err} }))
}

// dumped shows a text on the normal screen until Enter. The terminal is in its
// own line mode then.
type dumped struct {
	in   io.Reader
	out  io.Writer
	text string
	key  string
}

func (d *dumped) Run() error {
	if _, err := fmt.Fprintf(d.out, "%s\nThis is the conversation, in the terminal's own scrollback. %s goes back to the chat. ", d.text, d.key); err != nil {
		return err
	}
	_, err := bufio.NewReaderSize(d.in, 16).ReadString('\n')
	return err
}

// commandVim is /vim.
func (a *app) commandVim(args string) tea.Cmd {
	_, vim := a.editor.VimMode()
	switch to := strings.ToLower(strings.TrimSpace(args)); to {
	case on, off:
		return a.setVim(to)
	case "":
		return a.setVim(onOff(!vim))
	}
	a.story.notice("warning", "Say /vim on or /vim off; /vim alone changes from one to the other.")
	return nil
}

func (a *app) setVim(to string) tea.Cmd {
	a.editor.SetVim(to == on)
	a.hint = "Vim keys are " + to
	return a.keep("tui.vim", to == on)
}

// keep saves a setting of the chat's own.
func (a *app) keep(key string, value any) tea.Cmd {
	if a.o.Save == nil {
		return nil
	}
	return a.do("save the setting "+key, func(ctx context.Context) error { return a.o.Save(ctx, key, value) })
}
