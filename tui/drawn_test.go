//go:build unix

package tui

import (
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine"
	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// C-3: a message of an extension's type is drawn by it, within the window and
// without control codes; any other is shown as its text.
func TestDrawnMessage(t *testing.T) {
	s, f := start(t, 60, 20, Options{})
	working(s, f)
	for id, kind := range map[string]string{"d": "drawn", "p": "plain"} {
		m := message.Message{ID: id, Role: message.Custom, CustomType: kind, Display: true, Content: []message.Block{message.TextOf("hello " + kind)}}
		f.publish(event.MessageStarted{ID: id, Message: m}, event.MessageEnded{ID: id, Message: m})
	}
	s.see("drawn hello drawn at 58, false", "· hello plain")
	s.typed("\x0f") // Ctrl+O unfolds
	s.see("drawn hello drawn at 58, true")
	s.resize(40, 20)
	s.see("drawn hello drawn at 38, true")
	if out := string(s.written()); strings.Contains(out, "\x1b]52") || strings.Contains(s.text(), strings.Repeat("w", 41)) {
		t.Errorf("control codes or too wide a row:\n%s", s.text())
	}
}

// Keys of extensions work where they are no text and no key of the chat's.
func TestExtensionShortcut(t *testing.T) {
	s, f := start(t, 80, 24, Options{})
	f.shortcuts = []engine.Shortcut{{Key: "Ctrl+Shift+K", Extension: "a"}, {Key: "f7", Extension: "a"}, {Key: "x", Extension: "a"}, {Key: "ctrl+c", Extension: "a"}}
	s.typed("\x1b[107;6u") // Ctrl+Shift+K, as kitty's protocol tells it
	s.wait("the shortcut", f.did("shortcut Ctrl+Shift+K"))
	s.typed("\x1b[18~")
	s.wait("the function key", f.did("shortcut f7"))
	s.typed("x")
	s.see("› x")
	if f.did("shortcut x")() || f.did("shortcut ctrl+c")() {
		t.Error("a letter or the chat's own key went to an extension")
	}
}
