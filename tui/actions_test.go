package tui

import (
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/tui/keymap"
)

// Every action of the help does something in some state of the chat: idle with
// an empty prompt, or at work with a message that waits and a draft.
func TestEveryActionIsHandled(t *testing.T) {
	idle := func(*app) {}
	busy := func(a *app) {
		a.happens(event.RunStarted{Run: 1}, event.QueueChanged{Queue: []event.Queued{{ID: "q", Delivery: "steer", Message: message.NewUser("later")}}})
		a.types("a draft")
	}
	for _, name := range keymap.Names() {
		e, _ := keymap.Default().Entry(name)
		if e.Command != "" || !slices.Contains([]keymap.Context{keymap.Global, keymap.Chat}, e.In) {
			continue
		}
		handled := false
		for _, play := range []func(*app){idle, busy} {
			a := attachedApp(t, 80, 24, newFake().view)
			play(a)
			_, always := a.always(name)
			_, chat := a.act(name)
			handled = handled || always || chat
		}
		if !handled {
			t.Errorf("nothing handles %s (%s)", name, e.Text)
		}
	}
}

// The keys of a command of vim's that isn't whole stand beside the mode.
func TestPendingVimKeys(t *testing.T) {
	a := attachedApp(t, 80, 24, newFake().view)
	a.editor.SetVim(true)
	a.types("some words")
	a.update(tea.KeyPressMsg{Code: tea.KeyEscape})
	a.types("2d")
	if line := ansi.Strip(a.statusLine(80)); !strings.Contains(line, "normal 2d") {
		t.Error(line)
	}
	a.types("b")
	if line := ansi.Strip(a.statusLine(80)); !strings.Contains(line, "normal") || strings.Contains(line, "normal 2d") {
		t.Error(line)
	}
}
