//go:build unix

package main

import (
	"os/exec"
	"strings"
	"testing"
	"time"
)

// gap lies between the parts of a split sequence: longer than a read, shorter
// than what makes an Esc of a lone escape byte.
const gap = 30 * time.Millisecond

// A sequence that comes in two reads is the key that it is: no stray text, and
// no Esc that stops the work. On a machine that is busy a gap can be longer than
// was asked for: then another chat gets the same. What is wrong fails each time.
func TestAcceptSplitInput(t *testing.T) {
	p := newPlace(t)
	model := p.script("endless", endless)
	open := func() (*screen, *exec.Cmd) {
		s, c := p.chat(model, "go")
		s.see("Half an answer", "Esc")
		return s, c
	}
	s, c := open()
	for _, tt := range []struct{ name, bytes, want string }{
		{"wheel", "\x1b[<65;11;5M", "ab"},
		{"right", "\x1b[C", "ab"},
		{"left", "\x1b[D", "ba"},
		{"home by application mode", "\x1bOH", "ba"},
		{"Chinese letter", "你", "a你b"},
		{"Arabic letter", "م", "aمb"},
		{"shift+enter of kitty", "\x1b[13;2u", "a⏎b"},
		{"shift+enter of xterm", "\x1b[27;2;13~", "a⏎b"},
		{"alt+enter", "\x1b\r", "a⏎b"},
		{"background", "\x1b]11;rgb:0000/0000/0000\x1b\\", "ab"},
		{"focus", "\x1b[I", "ab"},
		{"cursor report", "\x1b[3;5R", "ab"},
		{"paste", "\x1b[200~xy\x1b[201~", "axyb"},
	} {
		for at := 1; at < len(tt.bytes); at++ {
			late := time.Now().Add(guard)
			for got := s.split(tt.bytes[:at], tt.bytes[at:]); got != tt.want; got = s.split(tt.bytes[:at], tt.bytes[at:]) {
				if time.Now().After(late) {
					t.Fatalf("%s split at %d: %q, want %q", tt.name, at, got, tt.want)
				}
				c.Process.Kill()
				c.Wait()
				s, c = open()
			}
			s.keys("\x1b[F\x15\x7f\x15") // End, then clear this row and the one above
			s.holds(tt.name+", cleared", "")
		}
	}
	s.keys("\x1b")
	s.see("Stopped")
	s.leave(c)
}

// split types the parts of a sequence between two letters; it returns what the
// editor holds then, or that the work was stopped.
func (s *screen) split(one, two string) string {
	s.t.Helper()
	s.keys("a")
	s.holds("before a split", "a")
	s.keys(one)
	<-time.After(gap)
	s.keys(two + "b")
	s.wait("the letter behind a split", func() bool { return strings.Contains(s.prompt(), "b") })
	if strings.Contains(s.text(), "Stopped") {
		return "the work was stopped"
	}
	return s.prompt()
}
