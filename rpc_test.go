//go:build unix

package main

import (
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// host is a process under test as the program that started it sees it.
type host struct {
	*running
	stdin io.WriteCloser
}

// host starts hoopoe --mode rpc.
func (p *place) host(args ...string) *host {
	p.t.Helper()
	return serveHost(p.t, p.command(append([]string{"--mode", "rpc"}, args...)...))
}

func serveHost(t *testing.T, c *exec.Cmd) *host {
	t.Helper()
	stdin, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	h := &host{begin(t, c), stdin}
	h.next("ready")
	return h
}

func (h *host) send(command map[string]any) {
	h.t.Helper()
	line, err := json.Marshal(command)
	if err == nil {
		_, err = h.stdin.Write(append(line, '\n'))
	}
	if err != nil {
		h.t.Fatal(err)
	}
}

func (h *host) prompt(text string) {
	h.t.Helper()
	h.send(map[string]any{"id": "p", "type": "prompt", "message": text})
}

// done ends the input and returns the exit code.
func (h *host) done() int {
	h.t.Helper()
	if err := h.stdin.Close(); err != nil {
		h.t.Fatal(err)
	}
	return h.end()
}

// sleeper is a model whose command leaves its process group in the file pid
// and runs for an hour; stubborn is one whose command doesn't heed any request
// to end.
const (
	sleeper  = "-- turn --\n-- call bash --\n{\"command\":\"echo $$ > pid; echo up; sleep 3600 & wait\"}\n"
	stubborn = "-- turn --\n-- call bash --\n{\"command\":\"trap '' TERM INT HUP; echo $$ > pid; echo up; while :; do sleep 3600; done\"}\n"
)

// working starts a host whose prompt runs a command.
func (p *place) working(model string) (h *host, group int) {
	p.t.Helper()
	h = p.host(p.script("model", model))
	h.prompt("work")
	h.next("tool_execution_update")
	return h, p.group()
}

// Requirement R-4: however the process is told to end, it leaves nothing
// running, and the session goes on.
func TestHostEnds(t *testing.T) {
	for _, c := range []struct {
		name  string
		model string
		end   func(h *host) int
		want  []int
	}{
		{"end of stdin", sleeper, func(h *host) int { return h.done() }, []int{0}},
		{"end of stdin, stubborn", stubborn, func(h *host) int { return h.done() }, []int{0}},
		{"SIGTERM", sleeper, func(h *host) int { h.signal(syscall.SIGTERM); return h.end() }, []int{143}},
		{"SIGTERM, stubborn", stubborn, func(h *host) int { h.signal(syscall.SIGTERM); return h.end() }, []int{143}},
		{"SIGHUP", sleeper, func(h *host) int { h.signal(syscall.SIGHUP); return h.end() }, []int{129}},
		{"SIGINT", sleeper, func(h *host) int { h.signal(syscall.SIGINT); return h.end() }, []int{130}},
		// Which of the two is seen first is open.
		{"both", stubborn, func(h *host) int { h.stdin.Close(); h.signal(syscall.SIGTERM); return h.end() }, []int{0, 143}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			h, group := p.working(c.model)
			code := c.end(h)
			if (code != c.want[0] && code != c.want[len(c.want)-1]) || h.stderr.Len() > 0 {
				t.Errorf("exit code %d, want %d; stderr %q", code, c.want, h.stderr)
			}
			p.gone(group)
			if roles := p.roles(); !strings.HasPrefix(roles, "user assistant toolResult") {
				t.Errorf("the session holds %s", roles)
			}
			next := p.host("-c", p.script("echo", echo))
			next.prompt("go on")
			next.next("agent_end")
			if code := next.done(); code != 0 {
				t.Errorf("going on: exit code %d, stderr %q", code, next.stderr)
			}
		})
	}
}

// Requirement R-4: a host can tell an answer that was cut off from one that is
// whole.
func TestHostIsToldOfTheEnd(t *testing.T) {
	for name, end := range map[string]func(h *host){
		"end of stdin": func(h *host) { h.stdin.Close() },
		"SIGTERM":      func(h *host) { h.signal(syscall.SIGTERM) },
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			h := p.host(p.script("endless", endless))
			h.prompt("talk")
			h.next("message_update")
			end(h)
			if m, _ := h.next("message_end")["message"].(map[string]any); m["stopReason"] != "aborted" {
				t.Errorf("the answer ended with %v", m)
			}
			h.next("agent_end")
			h.end()
			if roles := p.roles(); roles != "user assistant" {
				t.Errorf("the session holds %s", roles)
			}
		})
	}
}

// The second signal doesn't wait for an orderly end.
func TestHostSecondSignal(t *testing.T) {
	p := newPlace(t)
	h, group := p.working(stubborn)
	h.signal(syscall.SIGHUP)
	h.signal(syscall.SIGTERM)
	if code := h.end(); code != 129 && code != 143 {
		t.Errorf("exit code %d", code)
	}
	p.gone(group)
}

// Requirement R-4: a session that can't be kept is no success.
func TestHostCannotSave(t *testing.T) {
	p := newPlace(t)
	h := p.host(p.script("echo", echo), "--session-dir", filepath.Join(p.file("file", ""), "sessions"))
	h.prompt("hello")
	h.next("agent_end")
	if code := h.done(); code != 1 || h.stderr.Len() == 0 {
		t.Errorf("exit code %d, stderr %q", code, h.stderr)
	}
}

// A host that has stopped reading ends the process without a word.
func TestHostStopsReading(t *testing.T) {
	p := newPlace(t)
	c := p.command("--mode", "rpc", p.script("endless", "-- turn --\n-- text piece=10 repeat=200000 --\nten bytes\n"))
	ours, theirs, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	stdin, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	var errs strings.Builder
	c.Stdout, c.Stderr = theirs, &errs
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	theirs.Close()
	ours.Close()
	_, _ = io.WriteString(stdin, `{"type":"prompt","message":"go"}`+"\n") // it may be gone already
	if code := exitOf(t, c.Wait()); code != 1 || errs.Len() > 0 {
		t.Errorf("exit code %d, stderr %q", code, errs.String())
	}
}

// Requirement R-1: nothing but frames gets to stdout, whoever writes there,
// and a child that outlives us doesn't keep it open.
func TestHostGuardsStdout(t *testing.T) {
	if _, err := os.Stat("/proc/self/fd"); err != nil {
		t.Skip("a command can't reach into its parent here")
	}
	p := newPlace(t)
	h := p.host(p.script("model", "-- turn --\n-- call bash --\n"+
		`{"command":"echo stray > /proc/$PPID/fd/1; setsid sh -c 'echo $$ > pid; exec sleep 3600' < /dev/null > /dev/null 2>&1 & for i in {1..300}; do [ -s pid ] && break; sleep 0.1; done"}`+
		"\n-- turn --\n-- text --\ndone\n"))
	h.prompt("write")
	h.next("agent_end")
	p.group()
	if code := h.done(); code != 0 || h.stderr.String() != "stray\n" {
		t.Errorf("exit code %d, stderr %q", code, h.stderr)
	}
}

// Decided for this mode: all is permitted, unless a flag or the user's
// settings say otherwise.
func TestHostPermissions(t *testing.T) {
	const model = "-- turn --\n-- call bash --\n{\"command\":\"touch made\"}\n-- turn --\n-- text --\ndone\n"
	for _, c := range []struct {
		name, settings string
		args           []string
		made           bool
	}{
		{"default", "", nil, true},
		{"flag", "", []string{"--permissions", "plan"}, false},
		{"settings", `{"permissions":{"mode":"plan"}}`, nil, false},
		{"flag over settings", `{"permissions":{"mode":"plan"}}`, []string{"--permissions", "full"}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlace(t)
			if c.settings != "" {
				dir := filepath.Join(p.home, ".config/hoopoe")
				if err := os.MkdirAll(dir, 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(dir, "settings.json"), []byte(c.settings), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			h := p.host(append(c.args, p.script("model", model))...)
			h.prompt("make it")
			h.next("agent_end")
			if code := h.done(); code != 0 {
				t.Errorf("exit code %d, stderr %q", code, h.stderr)
			}
			if _, err := os.Stat(filepath.Join(p.dir, "made")); (err == nil) != c.made {
				t.Errorf("stat: %v, want the file: %t", err, c.made)
			}
		})
	}
}
