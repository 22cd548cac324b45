//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// chatFace is a terminal with the chat on it.
type chatFace struct {
	child   *child
	tty     *os.File
	heard   func([]byte)
	changed chan struct{}

	mu sync.Mutex
	vt *vt.Emulator
}

func (w *worker) chat(heard func([]byte), args ...string) (*chatFace, error) {
	f := &chatFace{heard: heard, changed: make(chan struct{}, 1), vt: vt.NewEmulator(100, 40)}
	var err error
	f.child, err = w.start("chat", func(cmd *exec.Cmd) error {
		tty, program, err := pty.Open()
		if err != nil {
			return err
		}
		cmd.Stdin, cmd.Stdout = program, program
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
		f.tty, err = interruptible(tty)
		return errors.Join(err, f.resize(100, 40))
	}, append([]string{"--permissions", "full"}, args...)...)
	if err != nil {
		return nil, err
	}
	f.child.screen = f.text
	go func() { _, _ = io.Copy(f.tty, f.vt) }() // what a terminal answers to queries
	go f.draw()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return f, f.see(ctx, "›")
}

// interruptible returns the same terminal as a file whose Close ends a Read that
// waits, so that it is really closed. What pty gives blocks.
func interruptible(tty *os.File) (*os.File, error) {
	defer tty.Close()
	fd, err := unix.FcntlInt(tty.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err == nil {
		err = unix.SetNonblock(fd, true)
	}
	return os.NewFile(uintptr(fd), tty.Name()), err
}

func (f *chatFace) draw() {
	buf := make([]byte, 64<<10)
	for {
		n, err := f.tty.Read(buf)
		f.mu.Lock()
		_, _ = f.vt.Write(buf[:n])
		f.mu.Unlock()
		select {
		case f.changed <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

func (f *chatFace) text() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return ansi.Strip(f.vt.String())
}

// wait waits until the screen is so.
func (f *chatFace) wait(ctx context.Context, what string, so func(screen string) bool) error {
	for {
		shown := f.text()
		if so(shown) {
			return nil
		}
		select {
		case <-f.changed:
		case <-f.child.done:
			return fmt.Errorf("the chat has ended, not %s:\n%s", what, shown)
		case <-ctx.Done():
			return fmt.Errorf("the screen doesn't show %s: %w:\n%s", what, ctx.Err(), shown)
		}
	}
}

func (f *chatFace) see(ctx context.Context, text string) error {
	return f.wait(ctx, text, func(shown string) bool { return strings.Contains(shown, text) })
}

// working stands in the status as long as something is going on.
const working = "Esc stops"

// idle waits until nothing is going on.
func (f *chatFace) idle(ctx context.Context) error {
	return f.wait(ctx, "an end of the work", func(shown string) bool { return !strings.Contains(shown, working) })
}

func (f *chatFace) keys(text string) error {
	_, err := io.WriteString(f.tty, text)
	return err
}

func (f *chatFace) ask(ctx context.Context, text string) (string, error) {
	id := string(directives.FindSubmatch([]byte(text))[1])
	if err := f.start(ctx, text, id); err != nil {
		return "", err
	}
	answered := func(shown string) bool { return strings.Contains(shown, "answer-"+id) }
	err := f.wait(ctx, "what came of "+text, func(shown string) bool {
		_, after, _ := strings.Cut(shown, "[["+id)
		return answered(shown) || strings.Contains(after, "✗ soak-") && !strings.Contains(shown, working)
	})
	said := f.text()
	if err = errors.Join(err, f.idle(ctx)); err == nil && answered(said) {
		f.heard([]byte("answer-" + id))
	}
	return said, err
}

func (f *chatFace) leave()          { _ = f.keys("/quit\r") }
func (f *chatFace) process() *child { return f.child }

func (f *chatFace) vanish() {
	_ = f.tty.Close()
	if pipe, ok := f.vt.InputPipe().(io.Closer); ok {
		_ = pipe.Close()
	}
}
func (f *chatFace) codes(how ending) []int {
	switch how {
	case left:
		return []int{0}
	case vanished:
		return []int{129}
	}
	return signalCodes(how)
}

// chatting is the load of the chat worker: one terminal, conversation after
// conversation.
func (w *worker) chatting(ctx context.Context) {
	f, err := w.chat(w.place.hear, w.extension()...)
	if err != nil {
		w.journal.fail(w.name, err)
		return
	}
	w.watcher.watch("chat", f.child)
	w.each(ctx, func(ctx context.Context) error {
		var err error
		for range 3 {
			err = errors.Join(err, w.question(ctx, f))
		}
		return errors.Join(err, w.chatExtras(ctx, f))
	})
	w.rested(f, func() (face, error) { return w.chat(w.place.hear) })
}

// chatExtras is what only this face has. It leaves with a new session.
func (w *worker) chatExtras(ctx context.Context, f *chatFace) error {
	ctx, cancel := context.WithTimeout(ctx, 2*patience)
	defer cancel()
	what := pick(w.rand, "stop", "stop tool", "queue", "compact", "resize", "resume", "scroll")
	w.journal.count("chat: " + what)
	id := w.id()
	var err error
	switch what {
	case "stop":
		err = w.chatStop(ctx, f, ask(id, "fault:hang"), id)
	case "stop tool":
		err = w.chatStop(ctx, f, ask(id, "sleep"), id)
	case "queue":
		next := w.id()
		err = f.start(ctx, ask(id, "bash", "slow"), id)
		if err = errors.Join(err, f.keys(ask(next)+"\r"), f.see(ctx, "answer-"+next), f.idle(ctx)); err == nil {
			w.place.ledger.told("answer-" + next)
		}
	case "compact":
		err = errors.Join(f.keys("/compact\r"), f.wait(ctx, "the end of /compact", func(shown string) bool {
			return strings.Contains(shown, "by a summary") || strings.Contains(shown, "compact:")
		}))
	case "resize":
		for _, size := range [][2]int{{60, 20}, {140, 50}, {30, 12}, {100, 40}} {
			err = errors.Join(err, f.resize(size[0], size[1]))
		}
	case "resume":
		err = errors.Join(f.keys("/resume\r"), f.see(ctx, "type to filter"))
		w.rest(ctx, 300e6, 500e6) // a dialog that has just opened takes no keys
		err = errors.Join(err, f.keys("\x1b"), f.wait(ctx, "that the list is gone", func(shown string) bool { return !strings.Contains(shown, "type to filter") }))
	case "scroll":
		err = f.keys("\x1b[5~\x1b[5~\x1b[6~\x1b[6~\x1b[6~")
	}
	if err == nil {
		err = w.question(ctx, f)
	}
	if err == nil {
		err = errors.Join(f.keys("/new\r"), f.see(ctx, "A fresh session"))
	}
	if err != nil {
		err = fmt.Errorf("chat %s: %w", what, err)
	}
	return err
}

// start sends a prompt and waits until the model has it.
func (f *chatFace) start(ctx context.Context, text, id string) error {
	reached := f.child.soak.player.expect(id)
	if err := f.keys(text + "\r"); err != nil {
		return err
	}
	select {
	case <-reached:
		return nil
	case <-f.child.done:
		return errors.New("the chat has ended")
	case <-ctx.Done():
		return fmt.Errorf("%s didn't get to the model: %w\n%s", text, ctx.Err(), f.text())
	}
}

// chatStop stops the work by Esc.
func (w *worker) chatStop(ctx context.Context, f *chatFace, text, id string) error {
	err := f.start(ctx, text, id)
	if err == nil {
		err = f.see(ctx, working)
	}
	w.rest(ctx, 50e6, 400e6)
	return errors.Join(err, f.keys("\x1b"), f.see(ctx, "Stopped"), f.idle(ctx))
}

func (f *chatFace) resize(width, height int) error {
	f.mu.Lock()
	f.vt.Resize(width, height)
	f.mu.Unlock()
	control, err := f.tty.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = control.Control(func(fd uintptr) {
		failed = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Row: uint16(height), Col: uint16(width)})
	})
	return errors.Join(err, failed)
}
