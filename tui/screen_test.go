//go:build unix

package tui

import (
	"bytes"
	"context"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"

	"github.com/hoopoe-agent/hoopoe/themes"
)

// patience is a guard, not a measure: what is waited for comes at once.
const patience = 20 * time.Second

// screen is a terminal: a pty whose other end the chat draws on, read by an
// emulator. All waiting is in here.
type screen struct {
	t      *testing.T
	ptmx   *os.File
	tty    *os.File
	mu     sync.Mutex
	vt     *vt.Emulator
	bytes  bytes.Buffer // all that was written
	writes int
	alt    bool
	shown  bool // cursor
	title  string
	done   chan struct{}
	exit   int
	err    error
	cancel context.CancelFunc
	sig    chan os.Signal
}

// newScreen opens a terminal of that size. Answers to the program's queries
// go back into it, as a real one's do.
func newScreen(t *testing.T, width, height int) *screen {
	t.Helper()
	ptmx, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	s := &screen{t: t, ptmx: ptmx, tty: tty, vt: vt.NewEmulator(width, height), done: make(chan struct{}), sig: make(chan os.Signal, 1), shown: true}
	s.vt.SetCallbacks(vt.Callbacks{
		AltScreen:        func(on bool) { s.alt = on },
		CursorVisibility: func(on bool) { s.shown = on },
		Title:            func(title string) { s.title = title },
	})
	s.size(width, height)
	go s.read()
	go func() { _, _ = io.Copy(ptmx, s.vt) }()
	t.Cleanup(func() {
		if pipe, ok := s.vt.InputPipe().(io.Closer); ok {
			_ = pipe.Close() // not vt.Close, which races with its own Read
		}
		_ = tty.Close()
		_ = ptmx.Close()
	})
	return s
}

func (s *screen) size(width, height int) {
	if err := pty.Setsize(s.ptmx, &pty.Winsize{Rows: uint16(height), Cols: uint16(width)}); err != nil {
		s.t.Fatal(err)
	}
}

func (s *screen) read() {
	buf := make([]byte, 64<<10)
	for {
		n, err := s.ptmx.Read(buf)
		if n > 0 {
			s.mu.Lock()
			s.bytes.Write(buf[:n])
			s.writes++
			_, _ = s.vt.Write(buf[:n])
			s.mu.Unlock()
		}
		if err != nil {
			return
		}
	}
}

// run starts the chat on this terminal.
func (s *screen) run(o Options) {
	ctx, cancel := context.WithCancel(s.t.Context())
	s.cancel = cancel
	o.In, o.Out, o.Signals = s.tty, s.tty, s.sig
	if o.Environ == nil {
		o.Environ = []string{"TERM=xterm-256color", "COLORTERM=truecolor"}
	}
	if o.Theme.Name == "" {
		theme, err := themes.Load(themes.Default)
		if err != nil {
			s.t.Fatal(err)
		}
		o.Theme = theme
	}
	go func() {
		s.exit, s.err = Run(ctx, o)
		close(s.done)
	}()
	s.t.Cleanup(func() {
		cancel()
		s.wait("the chat's end", func() bool {
			select {
			case <-s.done:
				return true
			default:
				return false
			}
		})
	})
}

// resize changes the terminal's size and tells the program, as the kernel
// tells the process that owns the terminal.
func (s *screen) resize(width, height int) {
	s.mu.Lock()
	s.vt.Resize(width, height)
	s.mu.Unlock()
	s.size(width, height)
	winch()
}

// typed sends keys.
func (s *screen) typed(keys string) {
	s.t.Helper()
	if _, err := io.WriteString(s.ptmx, keys); err != nil {
		s.t.Fatal(err)
	}
}

// text is the screen's rows without styles.
func (s *screen) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	rows := strings.Split(ansi.Strip(s.vt.String()), "\n")
	for i, row := range rows {
		rows[i] = strings.TrimRight(row, " \r")
	}
	return strings.Join(rows, "\n")
}

func (s *screen) written() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return bytes.Clone(s.bytes.Bytes())
}

// wait polls until ok holds.
func (s *screen) wait(what string, ok func() bool) {
	s.t.Helper()
	deadline := time.Now().Add(patience)
	for !ok() {
		if time.Now().After(deadline) {
			s.t.Fatalf("no %s within %s; the screen shows\n%s", what, patience, s.text())
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// see waits until the screen shows every text.
func (s *screen) see(texts ...string) {
	s.t.Helper()
	for _, text := range texts {
		s.wait("text "+text, func() bool { return strings.Contains(s.text(), text) })
	}
}

// titled waits until the window has a title.
func (s *screen) titled(title string) {
	s.t.Helper()
	s.wait("title "+title, func() bool { s.mu.Lock(); defer s.mu.Unlock(); return s.title == title })
}

// gone waits until the screen no longer shows the text.
func (s *screen) gone(text string) {
	s.t.Helper()
	s.wait("end of text "+text, func() bool { return !strings.Contains(s.text(), text) })
}

// ended waits for the chat's end and returns its exit code.
func (s *screen) ended() int {
	s.t.Helper()
	select {
	case <-s.done:
	case <-time.After(patience):
		s.t.Fatalf("the chat did not end; the screen shows\n%s", s.text())
	}
	return s.exit
}

// settle waits until nothing has been written for a while and returns how
// much there is.
func (s *screen) settle() int {
	s.t.Helper()
	n, since := len(s.written()), time.Now()
	s.wait("quiet screen", func() bool {
		if now := len(s.written()); now != n {
			n, since = now, time.Now()
		}
		return time.Since(since) > 200*time.Millisecond
	})
	return n
}

// quiet lets time pass in which nothing should happen.
func (s *screen) quiet(d time.Duration) {
	until := time.Now().Add(d)
	s.wait("time", func() bool { return time.Now().After(until) })
}

// restored checks that the terminal is as it was: every mode that was set has
// been reset, the cursor shows, the screen is the normal one.
func (s *screen) restored() {
	s.t.Helper()
	s.wait("normal screen with a cursor", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return !s.alt && s.shown
	})
	s.settle()
	out := string(s.written())
	for _, mode := range []string{"?1049", "?2004", "?1002", "?1006"} {
		on, off := strings.LastIndex(out, mode+"h"), strings.LastIndex(out, mode+"l")
		if on >= 0 && off < on {
			s.t.Errorf("mode %s is still set", mode)
		}
	}
	if kept, back := strings.Count(out, keepTitle), strings.Count(out, giveTitleBack); kept != back {
		s.t.Errorf("the title was kept %d times and given back %d times", kept, back)
	}
	if on, off := strings.LastIndex(out, "\x1b[>1u"), strings.LastIndex(out, "\x1b[<1u"); on >= 0 && off < on {
		s.t.Error("the keyboard protocol is still on")
	}
}

// clock is a clock that the test moves.
type clock struct {
	mu sync.Mutex
	t  time.Time
}

func newClock() *clock { return &clock{t: time.Unix(1_800_000_000, 0)} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.t
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t = c.t.Add(d)
}

func pipe() (r, w *os.File, err error) { return os.Pipe() }
