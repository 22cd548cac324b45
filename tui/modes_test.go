//go:build unix

package tui

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/slash"
)

// xterm cuts rows at a new width, as the emulator does.
var xterm = []string{"TERM=xterm-256color", "COLORTERM=truecolor", "XTERM_VERSION=XTerm(400)"}

// everything is the scrollback and the screen.
func (s *screen) everything() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var rows []string
	for _, line := range s.vt.Scrollback().Lines() {
		rows = append(rows, strings.TrimRight(ansi.Strip(line.Render()), " "))
	}
	for _, row := range strings.Split(ansi.Strip(s.vt.String()), "\n") {
		rows = append(rows, strings.TrimRight(row, " \r"))
	}
	return strings.Join(rows, "\n")
}

// once waits until a text is there exactly once, in scrollback or on screen.
func (s *screen) once(text string) {
	s.t.Helper()
	s.wait("one "+text, func() bool { return strings.Count(s.everything(), text) == 1 })
}

// numberedAnswer has lines that can be told apart.
func numberedAnswer(n int) string {
	lines := make([]string, n)
	for i := range lines {
		lines[i] = "line " + itoa(1000+i)
	}
	return strings.Join(lines, "\n\n")
}

// Inline, all that is over is in the scrollback once and in order, and the
// terminal is never cleared.
func TestInline(t *testing.T) {
	s, f := start(t, 60, 16, Options{Screen: Inline, Environ: xterm})
	s.see("Say what you want done")
	s.typed("go\r")
	s.wait("prompt", f.did(":go"))
	f.publish(event.RunStarted{Run: 1}, userMessage("u1", "go"))
	f.say("a1", numberedAnswer(200))
	f.publish(event.RunEnded{Run: 1}, event.RunSettled{Reason: message.Stop})
	s.gone("Working")
	s.once("line 1199")
	var got, want []string
	for _, row := range strings.Split(s.everything(), "\n") {
		if row = strings.TrimSpace(row); strings.HasPrefix(row, "line ") {
			got = append(got, row)
		}
	}
	for i := range 200 {
		want = append(want, "line "+itoa(1000+i))
	}
	if !slices.Equal(got, want) {
		t.Errorf("the terminal holds %d lines: %q", len(got), got)
	}
	s.once("› go")
	for _, bad := range []string{"\x1b[2J", "\x1b[3J", "\x1b[?1049h", "\x1b[?1002h"} {
		if strings.Contains(string(s.written()), bad) {
			t.Errorf("%q was written", bad)
		}
	}
	s.typed("draft")
	s.see("› draft")
	s.typed("\x15\x04")
	s.ended()
	s.restored()
	s.once("line 1199")
	s.gone("────")
}

// Widths come and go while an answer streams: one prompt, every line once.
func TestInlineWidths(t *testing.T) {
	s, f := start(t, 100, 24, Options{Screen: Inline, Environ: xterm})
	f.publish(event.RunStarted{Run: 1}, userMessage("u1", "the question"))
	f.publish(event.MessageStarted{ID: "a1", Message: message.Message{ID: "a1", Role: message.Assistant}})
	text := numberedAnswer(30)
	for i, width := range []int{80, 60, 45, 60, 90, 100, 50, 70, 40, 100} {
		part := text[:len(text)*(i+1)/10]
		f.publish(event.MessageDelta{ID: "a1", Block: message.TextBlock, Text: part})
		s.resize(width, 24)
		s.wait("one rule of "+itoa(width-1), func() bool {
			all := s.everything()
			return strings.Count(all, "──") > 0 && strings.Count(all, strings.Repeat("─", width-1)) == 1 && strings.Count(all, "\n─") == 1
		})
	}
	m := message.Message{ID: "a1", Role: message.Assistant, StopReason: message.Stop, Content: []message.Block{message.TextOf(text)}}
	f.publish(event.MessageDelta{ID: "a1", Block: message.TextBlock, Text: text, Done: true}, event.MessageEnded{ID: "a1", Message: m}, event.RunSettled{})
	s.once("line 1029")
	s.once("line 1000")
	s.once("› the question")
}

// Inline, what the user opens has the terminal's other screen: afterwards the
// normal one is as it was, without a gap, and the scrollback too. A question
// stays where the conversation is.
func TestInlinePanel(t *testing.T) {
	s, f := start(t, 60, 20, Options{Screen: Inline, Environ: xterm})
	f.say("a1", numberedAnswer(30))
	s.see("line 1029", "? keys")
	before := s.everything()
	s.typed("?")
	s.wait("the other screen", func() bool { s.mu.Lock(); defer s.mu.Unlock(); return s.alt })
	s.see("line 1029")
	f.say("a2", "meanwhile")
	s.see("meanwhile")
	s.typed("\x1b")
	s.wait("the normal screen", func() bool { s.mu.Lock(); defer s.mu.Unlock(); return !s.alt })
	s.once("meanwhile")
	if got := s.everything(); strings.Replace(got, "\n  meanwhile\n", "", 1) != before {
		t.Errorf("the terminal holds\n%s\nand held\n%s", got, before)
	}
	working(s, f)
	f.publish(edit("q1")...)
	s.see("Allow? Edit main.go")
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.alt {
		t.Error("a question left the normal screen")
	}
}

// Inline, the prompt stays where it is while the popup comes and goes: it has
// moved up once, where the window had no room below.
func TestInlinePopup(t *testing.T) {
	s, f := start(t, 60, 20, Options{Screen: Inline, Environ: xterm, Commands: slash.Builtins(slash.Options{Now: time.Now})})
	f.say("a1", numberedAnswer(30))
	s.see("line 1029", "? keys")
	row := func() int { return slices.Index(strings.Split(s.text(), "\n"), "› /") }
	s.typed("/")
	s.see("/help")
	var first int
	s.wait("prompt", func() bool { first = row(); return first >= 0 })
	for range 3 {
		s.typed("\x1b")
		s.wait("prompt in its row, without a popup", func() bool { return row() == first && !strings.Contains(s.text(), "/help") })
		s.typed("\x7f/")
		s.wait("prompt in its row, with a popup", func() bool { return row() == first && strings.Contains(s.text(), "/help") })
	}
}

// When the terminal becomes light, what is on its screen takes the colours for
// that, the part that was printed as well.
func TestInlineTakesOtherColours(t *testing.T) {
	s, f := start(t, 60, 20, Options{Screen: Inline, Environ: xterm})
	f.say("a1", "with `code`")
	s.see("with code")
	s.settle() // it has told its background
	dark := s.paint("code")
	s.typed("\x1b[?997;2n")
	s.wait("other colours", func() bool { return s.paint("code") != dark })
	s.typed("\x1b[?997;1n")
	s.wait("the first colours", func() bool { return s.paint("code") == dark })
	s.once("with code")
}

// paint is the sequence right before a text on the screen.
func (s *screen) paint(text string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, _, _ := strings.Cut(s.vt.Render(), text)
	return before[strings.LastIndex(before, "\x1b")+1:]
}

// /tui changes the mode live, there and back, and nothing is lost or printed
// twice. Either way the whole conversation is in the terminal at the end.
func TestSwitchModes(t *testing.T) {
	s, f := start(t, 80, 20, Options{Environ: xterm})
	f.publish(userMessage("u1", "question one"))
	f.say("a1", "answer one")
	s.see("answer one")
	s.typed("/tui inline\r")
	s.see("Inline: what is over", "question one", "answer one")
	s.wait("the normal screen", func() bool { s.mu.Lock(); defer s.mu.Unlock(); return !s.alt })
	f.publish(userMessage("u2", "question two"))
	f.say("a2", "answer two")
	s.see("answer two")
	s.typed("/tui\r")
	s.wait("the other screen", func() bool { s.mu.Lock(); defer s.mu.Unlock(); return s.alt })
	s.see("question one", "answer two", "Fullscreen: the conversation")
	f.publish(userMessage("u3", "question three"))
	s.see("question three")
	s.typed("\x15\x04")
	s.ended()
	s.restored()
	for _, text := range []string{"question one", "answer one", "question two", "answer two", "question three"} {
		s.once(text)
	}
}

// A key writes the conversation into the real scrollback and Enter comes back.
func TestDump(t *testing.T) {
	s, f := start(t, 60, 14, Options{Environ: xterm})
	f.say("a1", numberedAnswer(40))
	s.see("line 1039")
	s.typed("\x1b[19~") // F8
	s.see("in the terminal's own scrollback", "Enter goes back")
	s.once("line 1000")
	s.typed("\r")
	s.see("line 1039", "? keys")
	s.typed("still here")
	s.see("› still here")
}

func TestAutoScreen(t *testing.T) {
	for _, test := range []struct {
		name          string
		environ       []string
		width, height int
		want          bool
	}{
		{"a usual terminal", xterm, 80, 24, false},
		{"Zellij", []string{"ZELLIJ=0"}, 80, 24, true},
		{"a narrow window", xterm, 39, 24, true},
		{"a low window", xterm, 80, 9, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := fit(Options{Screen: Auto, Environ: test.environ}.withDefaults(), test.width, test.height); got != test.want {
				t.Errorf("inline is %t", got)
			}
		})
	}
}
