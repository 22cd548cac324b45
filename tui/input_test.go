//go:build unix

package tui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/slash"
)

// A message that the session doesn't take comes back.
func TestUnsent(t *testing.T) {
	s, f := start(t, 80, 24, Options{})
	f.mu.Lock()
	f.refuse = errors.New("the disk is full")
	f.mu.Unlock()
	s.typed("precious words\r")
	s.see("The message was not sent: the disk is full", "› precious words")
}

// Esc twice in one read is two presses: the popup closes, the run stops.
func TestEscTwiceInOneRead(t *testing.T) {
	s, f := start(t, 80, 24, Options{Commands: slash.Builtins(slash.Options{})})
	working(s, f)
	s.typed("/mo")
	s.see("Show or choose the model")
	s.typed("\x1b\x1b")
	s.gone("Show or choose the model")
	s.wait("abort", f.did("abort"))
}

func TestCtrlCClears(t *testing.T) {
	s, _ := start(t, 80, 24, Options{})
	s.typed("some text")
	s.see("› some text")
	s.typed("\x03")
	s.gone("some text")
	s.see("Ctrl+C again leaves")
	s.typed("more")
	s.gone("Ctrl+C again leaves")
}

// The mouse can be left to the terminal, to select text.
func TestFreeMouse(t *testing.T) {
	s, _ := start(t, 80, 24, Options{})
	s.see("Guide")
	s.typed("\x1bOQ")
	s.see("The mouse is the terminal's")
	s.wait("mouse mode off", func() bool { return strings.Contains(string(s.written()), "?1002l") })
	s.typed("\x1bOQ")
	s.see("The mouse scrolls")
}

func TestSlash(t *testing.T) {
	commands := slash.New(
		slash.Command{Name: "hello", Args: "[name]", Summary: "Greet", Run: func(_ context.Context, c slash.Call) (slash.Result, error) {
			return slash.Result{Handled: true, Reply: "Hello " + c.Args}, nil
		}},
		slash.Command{Name: "fix", Summary: "A prompt", Run: func(context.Context, slash.Call) (slash.Result, error) {
			return slash.Result{Text: "please fix it"}, nil
		}},
		slash.Command{Name: "bad", Summary: "Fails", Run: func(context.Context, slash.Call) (slash.Result, error) {
			return slash.Result{}, errors.New("it broke")
		}},
	)
	s, f := start(t, 80, 24, Options{Commands: commands})
	s.typed("/he")
	s.see("› /hello", "Greet")
	s.typed("\t")
	s.gone("Greet")
	s.see("› /hello")
	s.typed("Aswan\r")
	s.see("Hello Aswan")
	s.typed("/fix\r")
	s.wait("prompt", f.did(":please fix it"))
	s.typed("/bad\r")
	s.see("it broke")
	s.typed("/helo x\r")
	s.see("no command /helo", "did you mean /hello", "› /helo x")
	s.typed("\x03//etc\r")
	s.wait("literal text", f.did(":/etc"))
	s.typed("/etc/hosts is odd\r")
	s.wait("a path", f.did(":/etc/hosts is odd"))
}

// The commands of files come and go with them. What a template wants to be told
// is typed before it is sent.
func TestSlashOfSession(t *testing.T) {
	var mu sync.Mutex
	var more []slash.Command
	set := func(commands ...slash.Command) {
		mu.Lock()
		defer mu.Unlock()
		more = commands
	}
	s, f := start(t, 80, 24, Options{Commands: slash.Builtins(slash.Options{More: func(context.Context, slash.Session) []slash.Command {
		mu.Lock()
		defer mu.Unlock()
		return more
	}})})
	expand := func(args string) (string, error) { return "Use it: " + args, nil }
	set(slash.Command{Name: "skill:PDF", Args: "<file>", Summary: "Work on PDFs", Source: "skill", Expand: expand})
	s.typed("/skill:")
	s.see("› /skill:PDF", "<file>  Work on PDFs")
	s.typed("p\r")
	s.gone("Work on PDFs")
	s.see("› /skill:PDF")
	s.typed("a.pdf\r")
	s.wait("prompt", f.did(":Use it: a.pdf"))
	set(slash.Command{Name: "plain", Summary: "No arguments", Source: "prompt", Expand: expand})
	s.typed("/skill:")
	s.gone("Work on PDFs")
	s.typed("\x03/plai")
	s.see("No arguments")
	s.typed("\r")
	s.wait("prompt", f.did(":Use it: "))
	f.mu.Lock()
	f.busy = true
	f.mu.Unlock()
	s.typed("/plain while it runs\r")
	s.wait("steered", f.did("steer:Use it: while it runs"))
}

func TestShell(t *testing.T) {
	s, f := start(t, 80, 24, Options{})
	s.typed("!ls -la\r")
	s.wait("command", f.did("bash ls -la"))
	s.typed("!!env\r")
	s.wait("hidden command", f.did("bash env (hidden)"))
	f.publish(event.BashStarted{ID: "b", Command: "ls -la"}, event.BashProgress{ID: "b", Output: "total 3\n"})
	s.see("● $ ls -la", "total 3", "A command runs")
	s.typed("\x1b")
	s.wait("abort", f.did("abort bash"))
	zero := 0
	f.publish(event.BashEnded{ID: "b", Message: message.Message{Role: message.BashExecution, Bash: &message.Bash{Command: "ls -la", Output: "total 4", ExitCode: &zero}}})
	s.see("✓ $ ls -la", "total 4")
	s.gone("A command runs")
}

func TestFileCompletion(t *testing.T) {
	s, f := start(t, 80, 24, Options{Files: func(context.Context) []string {
		return []string{"engine/session.go", "main.go", "tui/app.go"}
	}})
	s.typed("look at @ses")
	s.see("› @engine/session.go")
	s.typed("\r and @main")
	s.see("› @main.go")
	s.typed("\t\r")
	s.wait("prompt", f.did(":look at @engine/session.go  and @main.go"))
}

func TestHistory(t *testing.T) {
	kept := make(chan string, 4)
	s, f := start(t, 80, 24, Options{
		History:  func() []string { return []string{"older prompt", "newer prompt"} },
		Remember: func(text string) { kept <- text },
	})
	s.see("Say what you want done")
	s.wait("history", func() bool {
		s.typed("\x1b[A")
		s.settle()
		return strings.Contains(s.text(), "› newer prompt")
	})
	s.typed("\r")
	s.wait("prompt", f.did(":newer prompt"))
	if got := <-kept; got != "newer prompt" {
		t.Errorf("remembered %q", got)
	}
	s.typed("\x12old")
	s.see("Earlier prompts", "› old")
	s.typed("\r")
	s.see("› older prompt")
}

// Ctrl+G edits the prompt in the user's editor.
func TestExternalEditor(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "My Editor")
	script := filepath.Join(dir, "edit.sh")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(script, []byte("#!/bin/sh\ntest -t 0 && test -t 1 || exit 3\nprintf ' and more' >> \"$2\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	s, _ := start(t, 80, 24, Options{Environ: []string{"TERM=xterm-256color", `EDITOR="` + script + `" --wait`, "PATH=" + os.Getenv("PATH")}})
	s.typed("a draft")
	s.see("› a draft")
	s.typed("\x07")
	s.see("› a draft and more")
	s.typed("!")
	s.see("› a draft and more!")
}

func TestNoExternalEditor(t *testing.T) {
	s, _ := start(t, 80, 24, Options{})
	s.typed("\x07")
	s.see("Set EDITOR")
}

func TestModeAndKeys(t *testing.T) {
	s, f := start(t, 80, 24, Options{})
	s.see("ask · Guide")
	s.typed("\x1b[Z")
	s.see("edit · Guide")
	s.typed("\x10")
	s.wait("model", f.did("cycle model"))
	s.typed("?")
	s.see("Send, stop, leave")
	s.typed("\x1b")
	s.gone("Send, stop, leave")
	f.publish(event.TodosChanged{Phases: []message.TodoPhase{{Name: "Plan", Tasks: []message.Todo{
		{Content: "write it", Status: "completed"}, {Content: "test it", Status: "in_progress"},
	}}}})
	s.typed("\x14")
	s.see("✓ write it", "● test it")
	working2 := event.RunStarted{Run: 1}
	f.publish(working2)
	s.see("test it (2/2)")
}

// 12,000 pasted lines: a label on the screen, every byte in the prompt.
func TestBigPaste(t *testing.T) {
	s, f := start(t, 80, 24, Options{})
	var b strings.Builder
	for i := range 12_000 {
		fmt.Fprintf(&b, "line %d\r\n", i)
	}
	s.typed("\x1b[200~" + b.String() + "\x1b[201~")
	s.see("[Pasted 12,000 lines]")
	clock := time.Now()
	s.wait("the end of the paste's burst", func() bool { return time.Since(clock) > 50*time.Millisecond })
	s.typed("\r")
	want := ":" + strings.TrimRight(strings.ReplaceAll(b.String(), "\r\n", "\n"), "\n")
	s.wait("prompt", f.did(want))
}

// The real cursor is at the caret, in columns, for input methods.
func TestCursor(t *testing.T) {
	s, _ := start(t, 80, 24, Options{})
	s.typed("あいう")
	s.see("› あいう")
	s.wait("caret", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		at := s.vt.CursorPosition()
		return s.shown && at.X == 8 && at.Y == 22
	})
}
