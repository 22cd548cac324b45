//go:build unix

package tui

import (
	"context"
	"encoding/base64"
	"errors"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// desk is a desktop's clipboard.
type desk struct {
	mu    sync.Mutex
	text  string
	image []byte
}

func (d *desk) Copy(_ context.Context, text string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.text = text
	return nil
}

func (d *desk) Image(context.Context) ([]byte, string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.image == nil {
		return nil, "", errors.New("the clipboard holds no image")
	}
	return d.image, "image/png", nil
}

func (d *desk) holds(text string) func() bool {
	return func() bool {
		d.mu.Lock()
		defer d.mu.Unlock()
		return d.text == text
	}
}

// at finds a text on the screen.
func (s *screen) at(text string) (x, y int) {
	s.t.Helper()
	for y, row := range strings.Split(s.text(), "\n") {
		if i := strings.Index(row, text); i >= 0 {
			return ansi.StringWidth(row[:i]), y
		}
	}
	s.t.Fatalf("%q isn't on the screen", text)
	return 0, 0
}

// mouse sends a report: b is the button, end is M for a press or a motion and
// m for a release.
func (s *screen) mouse(b, x, y int, end string) {
	s.typed("\x1b[<" + itoa(b) + ";" + itoa(x+1) + ";" + itoa(y+1) + end)
}

// Copying takes the source: soft wraps joined, without margins and padding; it
// goes to the terminal and to the desktop.
func TestSelectAndCopy(t *testing.T) {
	d := &desk{}
	s, f := start(t, 40, 16, Options{Clipboard: d})
	line := "one two three four five six seven eight nine ten eleven twelve"
	f.say("a1", line+"\n\nlast words")
	s.see("last words")
	x, y := s.at("three")
	_, last := s.at("twelve")
	tx, _ := s.at("twelve")
	s.mouse(0, x, y, "M")
	s.mouse(32, x+1, y, "M")
	s.mouse(32, tx+5, last, "M")
	s.mouse(0, tx+5, last, "m")
	want := line[strings.Index(line, "three"):]
	s.wait("copy", d.holds(want))
	s.see("Copied " + itoa(len(want)) + " characters")
	s.wait("OSC 52", func() bool {
		return strings.Contains(string(s.written()), "\x1b]52;c;"+base64.StdEncoding.EncodeToString([]byte(want)))
	})

	// Twice takes a word, three times the line.
	for n, want := range []string{"", "seven", line} {
		x, y := s.at("seven")
		s.mouse(0, x+1, y, "M")
		s.mouse(0, x+1, y, "m")
		if n > 0 {
			s.wait("copy of "+want, d.holds(want))
		}
	}
	// The prompt's caret goes where a click is.
	s.typed("abcd")
	s.see("› abcd")
	x, y = s.at("abcd")
	s.mouse(0, x+1, y, "M")
	s.mouse(0, x+1, y, "m")
	s.typed("X")
	s.see("› aXbcd")
}

// Dragging beyond the edge scrolls on by itself while the button is down.
func TestDragScrolls(t *testing.T) {
	d := &desk{}
	s, f := start(t, 40, 12, Options{Clipboard: d})
	var lines []string
	for i := range 40 {
		lines = append(lines, "row "+itoa(100+i))
	}
	f.say("a1", strings.Join(lines, "\\\n"))
	s.see("row 139")
	x, y := s.at("row 139")
	s.mouse(0, x, y, "M")
	s.mouse(32, 0, 0, "M")
	s.see("row 100") // without another report
	s.mouse(0, 0, 0, "m")
	s.wait("copy", func() bool {
		d.mu.Lock()
		defer d.mu.Unlock()
		return strings.HasPrefix(d.text, "row 100\nrow 101") && strings.Contains(d.text, "row 138")
	})
}

func TestTmuxCopy(t *testing.T) {
	s, f := start(t, 60, 12, Options{Environ: []string{"TERM=tmux-256color", "TMUX=/tmp/tmux,1,0"}})
	f.say("a1", "an answer")
	s.see("an answer")
	s.typed("\x18")
	s.see("Copied 9 characters")
	code := base64.StdEncoding.EncodeToString([]byte("an answer"))
	s.wait("both sequences", func() bool {
		out := string(s.written())
		return strings.Contains(out, "\x1b]52;c;"+code) && strings.Contains(out, "\x1bPtmux;\x1b\x1b]52;c;"+code)
	})
}

func TestSearchAndJump(t *testing.T) {
	s, f := start(t, 60, 14, Options{})
	for _, n := range []string{"first", "second", "third"} {
		f.publish(userMessage("u"+n, "the "+n+" question"))
		f.say("a"+n, strings.Repeat("filler\n\n", 12)+"needle of the "+n)
	}
	s.see("needle of the third")
	s.typed("\x1bOR") // F3
	s.see("Type what to look for")
	s.typed("needle")
	s.see("3/3 · ↑ earlier")
	s.typed("\r")
	s.see("2/3", "needle of the second")
	s.typed("\x1b[A")
	s.see("1/3", "needle of the first")
	s.typed("\x1b[B\x1b[B")
	s.see("3/3", "needle of the third")
	s.typed("x")
	s.see("Not found")
	s.typed("\x1b")
	s.gone("Search:")
	s.typed("\x1b[1;2A") // Shift+Up
	s.see("› the third question", "more below")
	s.typed("\x1b[1;5A")
	s.see("› the second question")
	s.typed("\x1b[1;2B")
	s.see("› the third question")
}

// A match in what a card folds unfolds the card, and is painted there.
func TestSearchInFoldedCard(t *testing.T) {
	s, f := start(t, 60, 24, Options{})
	var lines []string
	for i := range 60 {
		lines = append(lines, "line "+itoa(100+i))
	}
	f.publish(event.ToolStarted{CallID: "c", Name: "bash", Arguments: []byte(`{"command":"seq"}`)}, event.ToolRunning{CallID: "c", Name: "bash", Title: "Run seq", ToolKind: "execute"},
		event.ToolEnded{CallID: "c", Name: "bash", Content: []message.Block{message.TextOf(strings.Join(lines, "\n"))}})
	s.see("line 159", "more lines")
	s.typed("\x1bOR")
	s.see("Type what to look for")
	s.typed("line 13")
	s.see("10/10", "line 139")
	s.typed("\r")
	s.see("9/10", "line 138")
}

func itoa(n int) string { return strconv.Itoa(n) }
