//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
)

// Single reports about terminal programs, on the program itself: requirements
// C-3, E-4 and E-5.

// scrolling are the sequences that lose rows or throw a reader back: clearing
// the screen or its history, a scroll region, scrolling, and inserting or
// deleting lines.
var scrolling = regexp.MustCompile("\x1b\\[(?:[23]J|\\d*;?\\d+r|\\d*[STLM])")

// Inline every line that was said is in the terminal's own history, once and in
// order, and nothing was done to it that some terminal answers by losing rows.
func TestCaseInlineHistory(t *testing.T) {
	const lines = 200
	p := newPlace(t)
	s := newTerminal(t, 80, 24)
	p.file("lines.script", lined(lines, 2*time.Millisecond))
	c := p.command("--inline", "--model=script/lines.script", "go") // short, for the footer
	s.run(c)
	s.see("The end.", "? keys")
	s.leave(c)
	if bad := scrolling.FindAllString(string(s.written()), 3); bad != nil {
		t.Errorf("sequences that lose rows: %q", bad)
	}
	all := s.history() + s.text()
	at := -1
	for i := range lines {
		line := fmt.Sprintf("Line %d of it.", i)
		if n := strings.Count(all, line); n != 1 {
			t.Fatalf("%q is there %d times:\n%s", line, n, all)
		}
		here := strings.Index(all, line)
		if here < at {
			t.Fatalf("%q is out of order", line)
		}
		at = here
	}
}

// lined is a script that says numbered lines, one after the other.
func lined(lines int, pause time.Duration) string {
	var script strings.Builder
	script.WriteString("-- turn --\n")
	for i := range lines {
		fmt.Fprintf(&script, "-- text --\nLine %d of it.\n-- delay %v --\n", i, pause)
	}
	return script.String() + "-- text --\nThe end.\n"
}

// history is the text of the terminal's scrollback.
func (s *screen) history() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all strings.Builder
	for _, line := range s.vt.Scrollback().Lines() {
		all.WriteString(ansi.Strip(line.Render()) + "\n")
	}
	return all.String()
}

// What only prints asks the terminal nothing, so that one which never answers
// doesn't hold it up.
func TestCasePrintingAsksNothing(t *testing.T) {
	p := newPlace(t)
	for _, args := range []string{"--version", "--help", "models", "sessions", "completion bash", "-p hi"} {
		t.Run(args, func(t *testing.T) {
			s := newTerminal(t, 80, 24)
			s.silent = true
			c := p.command(append(strings.Fields(args), p.script("echo", echo))...)
			if !strings.HasPrefix(args, "-p") {
				c = p.command(strings.Fields(args)...)
			}
			s.run(c)
			exited(t, c, 0)
			if out := s.written(); bytes.Contains(out, []byte("\x1b]")) || bytes.Contains(out, []byte("\x1b[?")) || bytes.Contains(out, []byte("\x1b[c")) {
				t.Errorf("queries or modes: %q", out)
			}
		})
	}
}

// exited waits for a command, but not for ever.
func exited(t *testing.T, c *exec.Cmd, code int) {
	t.Helper()
	killer := time.AfterFunc(guard, func() { c.Process.Kill() })
	defer killer.Stop()
	if got := exitOf(t, c.Wait()); got != code {
		t.Errorf("exit code %d, want %d", got, code)
	}
}

// Without colour there is still a cursor, the terminal's own, at the caret.
func TestCaseCursorWithoutColour(t *testing.T) {
	p := newPlace(t)
	s := newTerminal(t, 80, 24)
	c := p.command(p.script("echo", echo))
	c.Env = append(c.Env, "NO_COLOR=1")
	s.run(c)
	s.keys("你好")
	s.see("› 你好")
	s.wait("a visible cursor at the caret", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		at := s.vt.CursorPosition()
		return at.X == 6 && at.Y == 22 && bytes.LastIndex(s.out, []byte("\x1b[?25h")) > bytes.LastIndex(s.out, []byte("\x1b[?25l"))
	})
	s.keys("\x15")
	s.leave(c)
}

// A new height leaves a reader who has scrolled up where he is, while output
// goes on below.
func TestCaseHeightKeepsTheReader(t *testing.T) {
	p := newPlace(t)
	s := newTerminal(t, 80, 24)
	p.file("lines.script", lined(150, 30*time.Millisecond))
	c := p.command("--model=script/lines.script", "go") // short, for the footer
	s.run(c)
	s.see("Line 40 of it.")
	top := func() string { return strings.TrimSpace(strings.Join(strings.SplitN(s.text(), "\n", 3)[:2], "")) }
	s.keys("\x1b[1;5H") // Ctrl+Home
	s.wait("the start", func() bool { return top() == "› go" })
	s.keys("\x1b[6~")
	s.wait("a page below", func() bool { return strings.HasPrefix(top(), "Line") })
	before := top()
	for i := range 8 {
		height := 30 - 6*(i%2)
		s.resize(80, height)
		s.wait(fmt.Sprintf("a frame of %d rows from %q on", height, before), func() bool {
			rows := strings.Split(s.text(), "\n")
			return len(rows) == height && strings.Contains(rows[height-1], "ask · Script") && top() == before
		})
	}
	s.keys("\x1b[1;5F")
	s.see("The end.")
	s.leave(c)
}

// A paste that holds its own end sends nothing: what follows is text as well.
func TestCasePasteBreaksOut(t *testing.T) {
	p := newPlace(t)
	p.file("echo.script", echo)
	s, c := p.chat("--model=script/echo.script") // short, for the footer
	s.see("›")
	s.keys("\x1b[200~a\x1b[201~rm -rf /\r\x1b[201~")
	s.see("› arm -rf /", "ask · Script")
	s.keys("b")
	s.holds("the paste", "arm -rf /⏎b")
	if strings.Contains(s.text(), "A whole answer") {
		t.Error("the paste was sent")
	}
	s.keys("\x15\x7f\x15")
	s.leave(c)
}
