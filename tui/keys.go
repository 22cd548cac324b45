package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hoopoe-agent/hoopoe/tui/editor"
	"github.com/hoopoe-agent/hoopoe/tui/keymap"
)

// quitWindow is how soon the second Ctrl+C must follow the first.
const quitWindow = time.Second

// wheelRows is how far one notch of the mouse wheel scrolls.
const wheelRows = 3

// key handles one key. Two presses of Esc that came in one read arrive as
// Alt+Esc.
func (a *app) key(k tea.KeyPressMsg) tea.Cmd {
	stroke := keymap.Stroke(k)
	if stroke == "alt+esc" {
		esc := tea.KeyPressMsg{Code: tea.KeyEscape}
		return tea.Batch(a.key(esc), a.key(esc))
	}
	if a.o.Keys.Action(stroke, keymap.Global) != keymap.Clear {
		a.hint, a.quitArmed = "", time.Time{}
	}
	if a.front() != nil {
		if cmd, ok := a.acts(stroke, keymap.Global); ok {
			return cmd
		}
		if a.pasted() {
			return nil // the rest of a paste that broke out answers nothing
		}
		return a.panelKey(k)
	}
	if cmd, ok := a.popupKey(stroke); ok {
		return cmd
	}
	if !a.editor.Captures(k) {
		if cmd, ok := a.acts(stroke, keymap.Global, keymap.Chat); ok {
			return cmd
		}
		if cmd, ok := a.shortcut(stroke); ok {
			return cmd
		}
	}
	switch a.editor.Update(k) {
	case editor.Submitted:
		return a.submit("steer")
	case editor.Changed, editor.Moved:
		return a.complete()
	}
	return nil
}

// acts carries out the first action of a stroke that applies.
func (a *app) acts(stroke string, in ...keymap.Context) (tea.Cmd, bool) {
	for _, action := range a.o.Keys.Actions(stroke, in...) {
		if command := a.o.Keys.Command(action); command != "" {
			return a.send(submission{text: command, delivery: "steer"}), true
		}
		if cmd, ok := a.always(action); ok {
			return cmd, true
		}
		if cmd, ok := a.act(action); ok {
			return cmd, true
		}
	}
	return nil, false
}

// always handles the actions that mean the same wherever the keyboard is.
func (a *app) always(action keymap.Action) (tea.Cmd, bool) {
	switch action {
	case keymap.Clear:
		return a.interrupt(), true
	case keymap.Redraw:
		return tea.ClearScreen, true
	case keymap.Suspend:
		return a.away(tea.Suspend), true
	case keymap.Dump:
		return a.dump(), true
	case keymap.ExpandTools:
		a.look.Expanded = !a.look.Expanded
		a.story.list.Invalidate()
	case keymap.ScrollTop:
		a.story.list.ToTop()
	case keymap.ScrollBottom:
		a.story.list.ToEnd()
	case keymap.ToggleTodos:
		a.showTodos = !a.showTodos
	case keymap.ToggleMouse:
		a.mouseFree = !a.mouseFree
		a.hint = "The mouse scrolls"
		if a.mouseFree {
			a.hint = "The mouse is the terminal's: select and copy; " + a.o.Keys.Key(keymap.ToggleMouse) + " gives it back"
		}
	default:
		return nil, false
	}
	return nil, true
}

// act handles the chat's own actions while the editor has the keyboard. It
// reports false for one whose condition doesn't hold.
func (a *app) act(action keymap.Action) (tea.Cmd, bool) {
	switch action {
	case keymap.PageUp:
		a.story.list.Page(-1)
	case keymap.PageDown:
		a.story.list.Page(1)
	case keymap.Interrupt:
		return a.stop(), true
	case keymap.CycleMode:
		return a.cycleMode(), true
	case keymap.Exit:
		if !a.editor.Empty() {
			return nil, false
		}
		return a.leave(0), true
	case keymap.FollowUp:
		return a.followUp()
	case keymap.CycleModel:
		if a.session != nil {
			return a.do("change the model", a.session.CycleModel), true
		}
	case keymap.PreviousMessage:
		a.story.list.JumpPrompt(-1)
	case keymap.NextMessage:
		a.story.list.JumpPrompt(1)
	case keymap.Search:
		a.openSearch()
	case keymap.PasteImage:
		return a.pasteImage(), true
	case keymap.Dequeue:
		return a.dequeue()
	case keymap.CycleThinking:
		return a.cycleThinking(), true
	case keymap.CopyMessage:
		return a.copyAnswer(), true
	case keymap.HistorySearch:
		return a.searchHistory(), true
	case keymap.ExternalEditor:
		return a.editOutside(), true
	case keymap.Hotkeys:
		if !a.editor.Empty() {
			return nil, false
		}
		a.openKeys()
	default:
		return nil, false
	}
	return nil, true
}

// followUp sends what is in the editor after the work that is going on.
func (a *app) followUp() (tea.Cmd, bool) {
	switch {
	case a.editor.Empty():
		return nil, false
	case a.busy.running:
		return a.submit("followUp"), true
	}
	a.hint = a.o.Keys.Key(keymap.FollowUp) + " queues a message while the agent works; " + a.o.Keys.Key(keymap.Submit) + " sends"
	return nil, true
}

// interrupt is Ctrl+C: it clears the prompt; the second one in a row leaves.
func (a *app) interrupt() tea.Cmd {
	if a.armed() {
		return a.leave(0)
	}
	a.quitArmed = a.o.Now()
	a.hint = "Ctrl+C again leaves"
	if a.front() != nil {
		return tea.Batch(a.panelKey(tea.KeyPressMsg{Code: 'c', Mod: tea.ModCtrl}), disarm())
	}
	if !a.editor.Empty() {
		a.editor.Clear()
		a.popup.close()
		a.hint = "Cleared · Ctrl+C again leaves"
	}
	return disarm()
}

func (a *app) armed() bool {
	return !a.quitArmed.IsZero() && a.o.Now().Sub(a.quitArmed) < quitWindow
}

func disarm() tea.Cmd {
	return tea.Tick(quitWindow, func(time.Time) tea.Msg { return disarmMsg{} })
}

// cycle is the order of Shift+Tab, from careful to free and round again.
var cycle = [...]string{"ask", "edit", "full", "plan"}

func (a *app) cycleMode() tea.Cmd {
	if a.session == nil {
		return nil
	}
	to := cycle[0]
	for i, mode := range cycle {
		if mode == a.view.Mode {
			to = cycle[(i+1)%len(cycle)]
		}
	}
	s := a.session
	return a.do("change the permission mode", func(ctx context.Context) error { return s.SetMode(ctx, to) })
}

func (a *app) wheel(m tea.Mouse) {
	rows := wheelRows
	switch m.Button {
	case tea.MouseWheelUp:
		rows = -rows
	case tea.MouseWheelDown:
	default:
		return
	}
	if p := a.front(); p != nil && m.Y >= a.last.panelTop {
		p.scroll(rows)
		return
	}
	a.story.list.Scroll(rows)
}

// burst is how soon after a paste, or after the key before, a key belongs to
// it: a terminal's own end marker inside a paste turns the rest into keys.
const burst = 20 * time.Millisecond

// pasted reports whether a key came too soon after a paste to be a hand's.
func (a *app) pasted() bool {
	now := a.o.Now()
	if a.pasteEnd.IsZero() || now.After(a.pasteEnd) {
		return false
	}
	a.pasteEnd = now.Add(burst)
	return true
}

func (a *app) paste(text string) tea.Cmd {
	if p := a.front(); p != nil {
		a.pasteEnd = a.o.Now().Add(burst)
		p.paste(text)
		return nil
	}
	if cmd, ok := a.dropped(text); ok {
		return cmd
	}
	a.editor.Paste(text)
	return a.complete()
}

// endsAnswer reports whether a key is the end of what the terminal answered: ESC
// and a backslash close it, and when they come in two reads the second is taken
// for a key.
func (a *app) endsAnswer(k tea.KeyPressMsg) bool {
	return k.Text == "\\" && !a.answered.IsZero() && a.o.Now().Sub(a.answered) < answerSplit
}

// answerSplit is how far apart the two may be.
const answerSplit = 100 * time.Millisecond
