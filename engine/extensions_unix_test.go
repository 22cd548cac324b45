//go:build unix

package engine

import (
	"context"
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/ext"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// An extension runs programs with both streams apart, also while the session
// ends.
func TestExtensionExec(t *testing.T) {
	results := make(chan ext.ExecResult, 4)
	run := func(ctx context.Context, s ext.Session) error {
		r, err := s.Exec(ctx, ext.Exec{Name: "/bin/sh", Args: []string{"-c", `cat; echo "$1 $X"; echo err >&2; exit 3`, "sh", "a b"}, Env: []string{"X=y"}, Stdin: strings.NewReader("in\n")})
		results <- r
		return err
	}
	h := ext.Hooks{Name: "a", SessionStart: run, SessionShutdown: run}
	c := newWorld(t, hello, withHooks(h)).open(OpenOptions{})
	c.start()
	want := ext.ExecResult{Stdout: "in\na b y\n", Stderr: "err\n", Code: 3}
	if got := <-results; got != want {
		t.Errorf("got %+v", got)
	}
	if err := c.s.Close(c.ctx()); err != nil {
		t.Fatal(err)
	}
	if got := <-results; got != want {
		t.Errorf("at the end: %+v", got)
	}
}

// Commands of the settings take part too: here one that guards a tool.
func TestHookCommands(t *testing.T) {
	w := newWorld(t, "-- turn --\n-- call ls --\n{}\n-- turn --\n-- text --\nok\n",
		withSettings(`{"hooks": {"tool_call": [{"matcher": "ls", "command": "echo not here >&2; exit 2"}]}}`))
	c := w.open(OpenOptions{Mode: "full"})
	c.run("go")
	wants(t, c.story(), logged(c, func(e event.ToolEnded) bool {
		return e.Denied == "extension" && message.Text(e.Content) == "not here"
	}))
	if _, _, err := newWorld(t, hello, withSettings(`{"hooks": {"tool_call": [{"matcher": "(", "command": "true"}]}}`)).engine.Open(t.Context(), OpenOptions{Cwd: w.dir}); err == nil {
		t.Error("a guard that can't work is left out")
	}
}
