//go:build unix

package main

import (
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
)

// screen is a terminal, for hoopoe's chat to be on it.
type screen struct {
	t             *testing.T
	width, height int
	name          string                  // as of TERM
	silent        bool                    // answers no query
	filter        func(out []byte) []byte // before the emulator; nil: what comes is shown
	tty, program  *os.File
	changed       chan struct{}

	mu  sync.Mutex
	vt  *vt.Emulator
	out []byte // all that was written
}

// chat runs hoopoe on a screen of 100 by 40.
func (p *place) chat(args ...string) (*screen, *exec.Cmd) {
	p.t.Helper()
	c := p.command(args...)
	return show(p.t, c), c
}

// show starts a command on a screen.
func show(t *testing.T, c *exec.Cmd) *screen {
	t.Helper()
	s := newTerminal(t, 100, 40)
	s.run(c)
	return s
}

func newTerminal(t *testing.T, width, height int) *screen {
	t.Helper()
	tty, program, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	s := &screen{
		t: t, width: width, height: height, name: "xterm-256color", tty: tty, program: program,
		vt: vt.NewEmulator(width, height), changed: make(chan struct{}, 1),
	}
	t.Cleanup(func() {
		if pipe, ok := s.vt.InputPipe().(io.Closer); ok {
			pipe.Close()
		}
		program.Close()
		tty.Close()
	})
	s.resize(width, height)
	return s
}

// run starts a command on it.
func (s *screen) run(c *exec.Cmd) {
	s.t.Helper()
	c.Env = append(c.Env, "TERM="+s.name)
	c.Stdin, c.Stdout, c.Stderr = s.program, s.program, s.program
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := c.Start(); err != nil {
		s.t.Fatal(err)
	}
	answers := io.Writer(s.tty)
	if s.silent {
		answers = io.Discard
	}
	go io.Copy(answers, s.vt) // what a terminal answers to queries
	go s.draw()
}

func (s *screen) resize(width, height int) {
	s.t.Helper()
	s.mu.Lock()
	s.width, s.height = width, height
	s.vt.Resize(width, height)
	s.mu.Unlock()
	if err := pty.Setsize(s.tty, &pty.Winsize{Cols: uint16(width), Rows: uint16(height)}); err != nil {
		s.t.Fatal(err)
	}
}

func (s *screen) draw() {
	buf := make([]byte, 64<<10)
	for {
		n, err := s.tty.Read(buf)
		s.mu.Lock()
		s.out = append(s.out, buf[:n]...)
		s.show(buf[:n])
		s.mu.Unlock()
		select {
		case s.changed <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

// show draws what was written. What scrolls rows that a resize has taken away
// panics in the emulator, where a terminal would do nothing.
func (s *screen) show(written []byte) {
	defer func() {
		if recover() != nil {
			s.vt.Write([]byte("\x1b[r"))
		}
	}()
	if s.filter != nil {
		written = s.filter(written)
	}
	s.vt.Write(written)
}

// written is all that the program wrote so far.
func (s *screen) written() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out[:len(s.out):len(s.out)]
}

func (s *screen) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return ansi.Strip(s.vt.String())
}

// see waits until the screen shows all of the texts.
func (s *screen) see(texts ...string) {
	s.t.Helper()
	late := time.After(guard)
	for {
		shown, missing := s.text(), ""
		for _, text := range texts {
			if !strings.Contains(shown, text) {
				missing = text
			}
		}
		if missing == "" {
			return
		}
		select {
		case <-s.changed:
		case <-late:
			s.t.Fatalf("the screen doesn't show %q:\n%s", missing, shown)
		}
	}
}

func (s *screen) keys(text string) {
	s.t.Helper()
	if _, err := io.WriteString(s.tty, text); err != nil {
		s.t.Fatal(err)
	}
}

// answer gives a dialog a key. A dialog that has just opened takes none, so
// that nothing typed for the editor answers it: then the key is given again.
func (s *screen) answer(key, title string) {
	s.t.Helper()
	again := time.NewTicker(2 * time.Second)
	defer again.Stop()
	late := time.After(guard)
	for s.keys(key); strings.Contains(s.text(), title); {
		select {
		case <-s.changed:
		case <-again.C:
			s.keys(key)
		case <-late:
			s.t.Fatalf("the dialog %q stays:\n%s", title, s.text())
		}
	}
}

func (p *place) read(name string) string {
	p.t.Helper()
	data, err := os.ReadFile(p.dir + "/" + name)
	if err != nil {
		p.t.Fatal(err)
	}
	return string(data)
}

// The main job in the chat: an edit that the user approves, on a generated
// repository, and one that the user denies (requirement C-1).
func TestChatEdits(t *testing.T) {
	p := newPlace(t)
	if err := makeRepository(p.dir); err != nil {
		t.Fatal(err)
	}
	before := p.read("main.go")
	s, c := p.chat("replace foo with bar in main.go")
	s.see("Allow? Edit main.go", "var bar = 1")
	if p.read("main.go") != before {
		t.Error("the file was changed before the approval")
	}
	s.answer("n", "Allow?")
	s.see("nothing was changed")
	if p.read("main.go") != before {
		t.Error("the file was changed after a denial")
	}
	s.keys("replace foo with baz in main.go\r")
	s.see("Allow? Edit main.go", "var baz = 1")
	s.answer("y", "Allow?")
	s.see("with baz in main.go.")
	if got := p.read("main.go"); got != strings.ReplaceAll(before, "foo", "baz") {
		t.Errorf("main.go is now %q", got)
	}
	s.keys("/quit\r")
	if code := exitOf(t, c.Wait()); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if roles := p.roles(); !strings.HasSuffix(roles, "toolResult assistant") {
		t.Errorf("the session holds %s", roles)
	}
}

// Files from the command line go with the first message; sessions are picked.
func TestChatStart(t *testing.T) {
	p := newPlace(t)
	p.file("notes.txt", "a note\n")
	model := p.script("echo", echo)
	s, c := p.chat(model, "about", "@notes.txt")
	s.see("A whole answer")
	s.keys("/quit\r")
	if code := exitOf(t, c.Wait()); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if file, err := os.ReadFile(p.sessionFile()); err != nil || !strings.Contains(string(file), "a note") {
		t.Errorf("the file isn't in the session: %v", err)
	}
	s, c = p.chat(model, "--resume")
	s.see("Sessions of this folder", "about")
	s.answer("\r", "Sessions of this folder")
	s.see("A whole answer")
	s.keys("/quit\r")
	if code := exitOf(t, c.Wait()); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// The model is picked from a list with windows and prices.
func TestChatModel(t *testing.T) {
	p := newPlace(t)
	s, c := p.chat(p.script("echo", echo), "hello")
	s.see("A whole answer")
	s.keys("/model\r")
	s.see("type to filter", "dollars per million tokens")
	s.keys("guide")
	s.see("── Model ", "› guide", "1 of ")
	s.answer("\r", "── Model ")
	s.see("The model is now offline/guide.")
	s.keys("/quit\r")
	if code := exitOf(t, c.Wait()); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// What can't be opened ends the chat with the reason (requirement E-2).
func TestChatRefuses(t *testing.T) {
	p := newPlace(t)
	s, c := p.chat("--model", "script/missing.script")
	s.see("hoopoe: ", "missing.script")
	if code := exitOf(t, c.Wait()); code != 1 {
		t.Errorf("exit code %d", code)
	}
}
