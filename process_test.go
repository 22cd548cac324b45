//go:build unix

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
)

// guard ends a test that hangs; nothing is measured by it.
const guard = time.Minute

// place is a folder to work in and a home for a process under test.
type place struct {
	t         *testing.T
	dir, home string
}

func newPlace(t *testing.T) *place {
	t.Helper()
	wholeProcesses(t)
	p := &place{t: t, dir: t.TempDir(), home: t.TempDir()}
	return p
}

func (p *place) file(name, text string) string {
	p.t.Helper()
	path := filepath.Join(p.dir, name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		p.t.Fatal(err)
	}
	return path
}

// script makes a model and returns the flag that selects it.
func (p *place) script(name, text string) string {
	return "--model=script/" + p.file(name+".script", text)
}

func (p *place) command(args ...string) *exec.Cmd {
	c := exec.CommandContext(p.t.Context(), "hoopoe", args...)
	c.Dir = p.dir
	c.Env = append(clean(os.Environ()), "HOME="+p.home)
	c.WaitDelay = guard
	return c
}

// run runs hoopoe to its end.
func (p *place) run(args ...string) (stdout, stderr string, code int) {
	p.t.Helper()
	c := p.command(args...)
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	code = exitOf(p.t, c.Run())
	return out.String(), errs.String(), code
}

func exitOf(t *testing.T, err error) int {
	t.Helper()
	exit, ok := errors.AsType[*exec.ExitError](err)
	if err != nil && !ok {
		t.Fatal(err)
	}
	if ok {
		return exit.ExitCode()
	}
	return 0
}

// running is a process whose events are read as they come.
type running struct {
	t      *testing.T
	cmd    *exec.Cmd
	events *bufio.Reader
	stderr *bytes.Buffer
}

// start runs hoopoe -p with --mode json.
func (p *place) start(args ...string) *running {
	p.t.Helper()
	return begin(p.t, p.command(append([]string{"-p", "--mode", "json"}, args...)...))
}

// begin starts a command that prints events.
func begin(t *testing.T, c *exec.Cmd) *running {
	t.Helper()
	r := &running{t: t, cmd: c, stderr: &bytes.Buffer{}}
	c.Stderr = r.stderr
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	r.events = bufio.NewReader(out)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	killer := time.AfterFunc(guard, func() { c.Process.Kill() })
	t.Cleanup(func() { killer.Stop() })
	return r
}

// next reads on to an event of the kind.
func (r *running) next(kind string) map[string]any {
	r.t.Helper()
	for {
		line, err := r.events.ReadBytes('\n')
		if err != nil {
			r.t.Fatalf("no %s: %v; stderr: %s", kind, err, r.stderr)
		}
		var e map[string]any
		if err := json.Unmarshal(line, &e); err != nil {
			r.t.Fatalf("%s: %v", line, err)
		}
		if e["type"] == kind {
			return e
		}
	}
}

// end waits for the process and returns its exit code.
func (r *running) end() int {
	r.t.Helper()
	if _, err := io.Copy(io.Discard, r.events); err != nil {
		r.t.Fatal(err)
	}
	err := r.cmd.Wait()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && !exit.Exited() {
		r.t.Fatalf("ended by %v", exit)
	}
	return exitOf(r.t, err)
}

func (r *running) signal(s syscall.Signal) {
	r.t.Helper()
	if signal.Ignored(s) { // under nohup: the program rightly ignores it too
		r.t.Skipf("the tests were started with %v ignored", s)
	}
	if err := r.cmd.Process.Signal(s); err != nil {
		r.t.Fatal(err)
	}
}

// endless says something and then nothing for an hour; after that it answers.
const endless = `-- turn --
-- text --
Half an answer
-- delay 1h --
-- turn --
times: always
-- text --
A whole answer
`

// echo answers anything.
const echo = `-- turn --
times: always
-- text --
A whole answer
`

// Requirement E-1: an interrupt stops the run in order, and the session goes on.
func TestSignals(t *testing.T) {
	for _, c := range []struct {
		signal syscall.Signal
		code   int
	}{{syscall.SIGINT, 130}, {syscall.SIGTERM, 143}, {syscall.SIGHUP, 129}} {
		t.Run(c.signal.String(), func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			r := p.start(p.script("endless", endless), "first")
			r.next("message_delta")
			r.signal(c.signal)
			if e := r.next("run_settled"); e["aborted"] != true {
				t.Errorf("settled: %v", e)
			}
			if code := r.end(); code != c.code || r.stderr.Len() > 0 {
				t.Errorf("exit code %d, stderr %q", code, r.stderr)
			}
			if out, errs, code := p.run("-c", p.script("echo", echo), "-p", "second"); code != 0 || out != "A whole answer\n" {
				t.Errorf("going on: %q, %q, %d", out, errs, code)
			}
			if roles := p.roles(); roles != "user assistant user assistant" {
				t.Errorf("the session holds %s", roles)
			}
		})
	}
}

// An interrupt stops the tools as well, down to their children.
func TestInterruptStopsTools(t *testing.T) {
	p := newPlace(t)
	r := p.start(p.script("sleeper", "-- turn --\n-- call bash --\n{\"command\":\"echo $$ > pid; echo up; sleep 3600 & wait\"}\n"), "--permissions", "full", "sleep")
	r.next("tool_progress")
	group := p.group()
	r.signal(syscall.SIGINT)
	r.next("tool_ended")
	r.next("run_settled")
	if code := r.end(); code != 130 {
		t.Errorf("exit code %d", code)
	}
	p.gone(group)
}

// gone waits until a process group is no more: the last of it may still be on
// its way to be reaped.
func (p *place) gone(group int) {
	p.t.Helper()
	for until := time.Now().Add(guard); !errors.Is(syscall.Kill(-group, 0), syscall.ESRCH); {
		if time.Now().After(until) {
			p.t.Fatal("the command is still there")
		}
	}
}

// group is the process group of the command that wrote its pid, which is
// killed at the end of the test.
func (p *place) group() (pid int) {
	p.t.Helper()
	data, err := os.ReadFile(filepath.Join(p.dir, "pid"))
	if err == nil {
		_, err = fmt.Sscan(string(data), &pid)
	}
	if err != nil || pid < 2 {
		p.t.Fatalf("no process group: %d, %v", pid, err)
	}
	p.t.Cleanup(func() { _ = syscall.Kill(-pid, syscall.SIGKILL) })
	return pid
}

// The second interrupt doesn't wait for anything.
func TestSecondInterrupt(t *testing.T) {
	p := newPlace(t)
	stubborn := "-- turn --\n-- call bash --\n{\"command\":\"trap '' TERM INT; echo $$ > pid; echo up; while :; do sleep 3600; done\"}\n"
	r := p.start(p.script("stubborn", stubborn), "--permissions", "full", "run")
	r.next("tool_progress")
	group := p.group()
	r.signal(syscall.SIGINT)
	r.signal(syscall.SIGTERM)
	if code := r.end(); code != 143 {
		t.Errorf("exit code %d", code)
	}
	p.gone(group)
}

// Requirement E-1: kill -9 loses at most the message being streamed.
func TestKill(t *testing.T) {
	p := newPlace(t)
	p.file("notes.txt", "a note\n")
	r := p.start(p.script("model", `-- turn --
-- call read --
{"path":"notes.txt"}
-- turn --
-- text --
Half an answer
-- delay 1h --
`), "first")
	r.next("tool_ended")
	r.next("message_delta")
	r.signal(syscall.SIGKILL)
	_ = r.cmd.Wait()
	if roles := p.roles(); roles != "user assistant toolResult" {
		t.Errorf("after the kill the session holds %s", roles)
	}
	out, errs, code := p.run("-c", p.script("echo", echo), "-p", "second")
	if out != "A whole answer\n" || code != 0 || errs != "" {
		t.Errorf("going on: %q, %q, %d", out, errs, code)
	}
	if roles := p.roles(); roles != "user assistant toolResult user assistant" {
		t.Errorf("in the end the session holds %s", roles)
	}
}

// A kill between a tool call and its result leaves a call without one: the
// next request must be valid all the same.
func TestKillInTool(t *testing.T) {
	p := newPlace(t)
	r := p.start(p.script("model", "-- turn --\n-- call bash --\n{\"command\":\"echo $$ > pid; echo up; exec sleep 3600\"}\n"), "--permissions", "full", "first")
	r.next("tool_progress")
	p.group()
	r.signal(syscall.SIGKILL)
	_ = r.cmd.Wait()
	out, errs, code := p.run("-c", p.script("echo", echo), "-p", "second")
	if out != "A whole answer\n" || code != 0 {
		t.Errorf("going on: %q, %q, %d", out, errs, code)
	}
}

// Messages that waited when the process was killed come back and are sent.
func TestQueueComesBack(t *testing.T) {
	p := newPlace(t)
	if _, _, code := p.run(p.script("echo", echo), "-p", "first"); code != 0 {
		t.Fatalf("exit code %d", code)
	}
	// What a face that can queue leaves behind when it is killed.
	file := p.sessionFile()
	lines := p.lines()
	leaf := lines[len(lines)-1]["id"]
	waiting := fmt.Sprintf(`{"type":"custom","id":"0badcafe","parentId":"%s","timestamp":"2026-01-01T00:00:00.000Z","customType":"hoopoe.queue","data":{"queue":[{"id":"0badbeef","delivery":"followUp","message":{"role":"user","content":[{"type":"text","text":"I waited"}],"timestamp":1}}]}}`+"\n", leaf)
	f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(waiting); err != nil {
		t.Fatal(err)
	}
	f.Close()
	out, errs, code := p.run("-c", p.script("echo", echo), "-p", "second")
	if out != "A whole answer\n\nA whole answer\n" || code != 0 {
		t.Errorf("going on: %q, %q, %d", out, errs, code)
	}
	var prompts []string
	for _, line := range p.lines() {
		if text, _ := json.Marshal(line["message"]); strings.Contains(string(text), `"role":"user"`) {
			prompts = append(prompts, string(text))
		}
	}
	if len(prompts) != 3 || !strings.Contains(prompts[2], "I waited") {
		t.Errorf("prompts %q", prompts)
	}
}

// One process at a time writes a session; another may fork it.
func TestLockedSession(t *testing.T) {
	p := newPlace(t)
	r := p.start(p.script("endless", endless), "first")
	r.next("message_delta")
	_, errs, code := p.run("-c", p.script("echo", echo), "-p", "second")
	if code != 1 || !strings.Contains(errs, fmt.Sprintf("is open in process %d", r.cmd.Process.Pid)) || !strings.Contains(errs, "--fork") {
		t.Errorf("exit code %d, %q", code, errs)
	}
	if out, errs, code := p.run("--fork", p.sessionFile(), p.script("echo", echo), "-p", "second"); code != 0 || out != "A whole answer\n" {
		t.Errorf("fork: %q, %q, %d", out, errs, code)
	}
	if _, errs, code = p.run("sessions", "delete", filepath.Join(filepath.Dir(p.sessionFile()), "x.jsonl")); code != 1 {
		t.Errorf("deleting nothing: %d, %q", code, errs)
	}
	r.signal(syscall.SIGTERM)
	r.end()
}

// When nobody reads any more the run ends without a word.
func TestClosedPipe(t *testing.T) {
	p := newPlace(t)
	for _, mode := range []string{"json", "text"} {
		t.Run(mode, func(t *testing.T) {
			c := p.command("-p", "--mode", mode, p.script("endless", "-- turn --\n-- text piece=10 repeat=200000 --\nten bytes\n"), "go")
			var errs bytes.Buffer
			c.Stderr = &errs
			out, err := c.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			out.Close()
			if code := exitOf(t, c.Wait()); code != 1 || errs.Len() > 0 {
				t.Errorf("exit code %d, stderr %q", code, &errs)
			}
		})
	}
	if _, errs, code := p.run("-c", p.script("echo", echo), "-p", "second"); code != 0 {
		t.Errorf("going on: %q, %d", errs, code)
	}
}

// A disk that is full: the answer can't be written, and that is an error.
func TestFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("there is no /dev/full")
	}
	defer full.Close()
	p := newPlace(t)
	c := p.command("-p", p.script("echo", echo), "hello")
	var errs bytes.Buffer
	c.Stdout, c.Stderr = full, &errs
	if code := exitOf(t, c.Run()); code != 1 || !strings.Contains(errs.String(), "no space left on device") {
		t.Errorf("exit code %d, stderr %q", code, &errs)
	}
}

// A home that can't be written to: the task is done, that nothing is kept is
// said. Root ignores modes, so it becomes somebody else.
func TestReadOnlyHome(t *testing.T) {
	root, err := os.MkdirTemp("", "hoopoe-home")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(root) })
	p := &place{t: t, dir: filepath.Join(root, "work"), home: filepath.Join(root, "home")}
	for _, dir := range []string{p.dir, p.home} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	model := p.script("echo", echo)
	program := filepath.Join(root, "hoopoe")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(self)
	if err == nil {
		err = os.WriteFile(program, data, 0o755)
	}
	for _, dir := range []string{root, p.dir, p.home} {
		err = errors.Join(err, os.Chmod(dir, 0o555))
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, dir := range []string{root, p.dir, p.home} {
			_ = os.Chmod(dir, 0o755)
		}
	})
	c := p.command("-p", model, "hello")
	c.Path = program
	if os.Getuid() == 0 {
		const nobody = 65534
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	err = c.Run()
	if errors.Is(err, os.ErrPermission) {
		t.Skipf("TMPDIR is closed to other users, and root has to become one: %v", err)
	}
	code := exitOf(t, err)
	if out.String() != "A whole answer\n" || code != 1 || !strings.Contains(errs.String(), "can't be saved") {
		t.Errorf("%q, exit code %d, stderr %q", &out, code, &errs)
	}
}

// On a terminal the answer comes as it is made, and there is a line for each
// tool call and one how to go on.
func TestTerminal(t *testing.T) {
	p := newPlace(t)
	p.file("notes.txt", "a note\n")
	model := p.script("model", "-- turn --\n-- text --\nI look.\n-- call read --\n{\"path\":\"notes.txt\"}\n-- turn --\n-- text --\nDone.\n")
	c := p.command("-p", model, "look")
	tty, err := pty.Start(c)
	if err != nil {
		t.Fatal(err)
	}
	defer tty.Close()
	out, _ := io.ReadAll(tty) // ends with EIO when the other side is closed
	if code := exitOf(t, c.Wait()); code != 0 {
		t.Errorf("exit code %d", code)
	}
	got := strings.ReplaceAll(string(out), "\r\n", "\n")
	before, after, ok := strings.Cut(got, "\nTo go on: hoopoe --resume ")
	if !ok || !strings.HasPrefix(before, "I look.\n· ") || !strings.HasSuffix(before, "\n\nDone.") || strings.ContainsRune(got, '\x1b') {
		t.Errorf("the terminal shows %q", got)
	}
	if _, errs, code := p.run("-r", strings.TrimSpace(after), p.script("echo", echo), "-p", "more"); code != 0 {
		t.Errorf("going on: %q, %d", errs, code)
	}
}

// sessionFile is the only session of the place.
func (p *place) sessionFile() string {
	p.t.Helper()
	files, err := filepath.Glob(filepath.Join(p.home, ".local/share/hoopoe/sessions/*/*.jsonl"))
	if err != nil || len(files) == 0 {
		p.t.Fatalf("no session: %v", err)
	}
	return files[0]
}

func (p *place) lines() []map[string]any {
	p.t.Helper()
	data, err := os.ReadFile(p.sessionFile())
	if err != nil {
		p.t.Fatal(err)
	}
	var lines []map[string]any
	for line := range bytes.Lines(data) {
		var v map[string]any
		if err := json.Unmarshal(line, &v); err != nil {
			p.t.Fatalf("%q: %v", line, err)
		}
		lines = append(lines, v)
	}
	return lines
}

// roles lists the roles of the session's messages.
func (p *place) roles() string {
	p.t.Helper()
	var roles []string
	for _, line := range p.lines() {
		if m, ok := line["message"].(map[string]any); ok {
			roles = append(roles, m["role"].(string))
		}
	}
	return strings.Join(roles, " ")
}
