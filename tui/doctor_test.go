//go:build unix

package tui

import (
	"sync/atomic"
	"testing"

	"github.com/hoopoe-agent/hoopoe/tui/terminal"
)

// /doctor asks the terminal, keeps the answers and shows them; the chat goes on
// with every key.
func TestDoctor(t *testing.T) {
	var kept atomic.Pointer[terminal.Profile]
	s, _ := start(t, 90, 30, Options{Doctored: func(p terminal.Profile) error { kept.Store(&p); return nil }})
	s.typed("/doctor\r")
	s.see("What this terminal can do", "Shift+Enter")
	s.typed("\x1b")
	s.gone("What this terminal can do")
	s.typed("still typing")
	s.see("› still typing")
	if p := kept.Load(); p == nil || p.Asked.IsZero() {
		t.Errorf("kept %+v", p)
	}
}

// The key of the search goes on to the next earlier prompt.
func TestHistorySearchAgain(t *testing.T) {
	s, _ := start(t, 80, 24, Options{History: func() []string { return []string{"oldest", "middle", "latest"} }})
	s.typed("\x12")
	s.see("Earlier prompts", "› latest")
	s.typed("\x12\x12\r")
	s.see("› oldest")
}
