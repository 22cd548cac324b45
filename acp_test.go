//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hoopoe-agent/hoopoe/modes/acp/acptest"
)

// editor is a process under test as an editor sees it.
type editor struct {
	*running
	stdin   io.WriteCloser
	lines   []string // all that came
	checked *acptest.Connection
	session string
}

// editor starts hoopoe acp on pipes (case 3) and opens a session in the place's folder.
func (p *place) editor(servers string, args ...string) *editor {
	p.t.Helper()
	return p.editorWith(`{}`, servers, args...)
}

// editorWith is that of an editor that states what it can do.
func (p *place) editorWith(capabilities, servers string, args ...string) *editor {
	p.t.Helper()
	c := p.command(append([]string{"acp"}, args...)...)
	c.Dir = "/" // what counts is the session's folder
	stdin, err := c.StdinPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	checked, err := acptest.NewConnection()
	if err != nil {
		p.t.Fatal(err)
	}
	e := &editor{running: begin(p.t, c), stdin: stdin, checked: checked}
	e.send(1, "initialize", fmt.Sprintf(`{"protocolVersion":1,"clientCapabilities":%s}`, capabilities))
	e.send(2, "session/new", fmt.Sprintf(`{"cwd":%q,"mcpServers":[%s]}`, p.dir, servers))
	var r struct{ Result struct{ SessionID string } }
	if err := json.Unmarshal([]byte(e.until(`"id":2,`)), &r); err != nil || r.Result.SessionID == "" {
		p.t.Fatalf("no session: %v\n%s", err, strings.Join(e.lines, "\n"))
	}
	e.session = r.Result.SessionID
	return e
}

func (e *editor) send(id int, method, params string) {
	e.t.Helper()
	e.checked.Sent(strconv.Itoa(id), method)
	if _, err := fmt.Fprintf(e.stdin, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", id, method, params); err != nil {
		e.t.Fatal(err)
	}
}

func (e *editor) prompt(id int, text string) {
	e.t.Helper()
	e.send(id, "session/prompt", fmt.Sprintf(`{"sessionId":%q,"prompt":[{"type":"text","text":%q}]}`, e.session, text))
}

// until reads up to a line that holds the text.
func (e *editor) until(text string) string {
	e.t.Helper()
	for {
		line, err := e.events.ReadString('\n')
		if err != nil {
			e.t.Fatalf("no %s: %v; stderr: %s; lines:\n%s", text, err, e.stderr, strings.Join(e.lines, "\n"))
		}
		e.take(line)
		if strings.Contains(line, text) {
			return line
		}
	}
}

// rest reads to the end and returns the exit code.
func (e *editor) rest() int {
	e.t.Helper()
	data, err := io.ReadAll(e.events)
	if err != nil {
		e.t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		e.take(line)
	}
	return e.end()
}

// take keeps a line and holds it against the protocol.
func (e *editor) take(line string) {
	e.t.Helper()
	if err := e.checked.Check([]byte(line)); err != nil {
		e.t.Errorf("on stdout: %v: %q", err, line)
	}
	e.lines = append(e.lines, strings.TrimSpace(line))
}

// A-1, cases 5, 6, 7, 8: however an editor goes, the run is stopped and answered,
// nothing is left running, the session is whole, and that is no failure.
func TestEditorEnds(t *testing.T) {
	for _, c := range []struct {
		name, model string
		end         func(e *editor)
	}{
		{"end of stdin", sleeper, func(e *editor) { e.stdin.Close() }},
		{"end of stdin, stubborn", stubborn, func(e *editor) { e.stdin.Close() }},
		{"SIGTERM", sleeper, func(e *editor) { e.signal(syscall.SIGTERM) }},
		{"SIGTERM, stubborn", stubborn, func(e *editor) { e.signal(syscall.SIGTERM) }},
		{"SIGINT", sleeper, func(e *editor) { e.signal(syscall.SIGINT) }},
		{"both", stubborn, func(e *editor) { e.stdin.Close(); e.signal(syscall.SIGTERM) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			server := `{"name":"good","command":"mcpserver","args":["good"],"env":[]}`
			e := p.editor(server, p.script("model", c.model), "--permissions", "full")
			e.prompt(3, "work")
			e.until(`"status":"in_progress"`)
			e.until(`"text":"up`)
			group := p.group()
			began := time.Now()
			c.end(e)
			if code := e.rest(); code != 0 {
				t.Errorf("exit code %d, stderr %q", code, e.stderr)
			}
			t.Logf("gone after %s", time.Since(began))
			p.gone(group)
			p.left("good")
			if !slices.ContainsFunc(e.lines, func(l string) bool { return strings.Contains(l, `"id":3,"result":{"stopReason":"cancelled"}`) }) {
				t.Errorf("the prompt wasn't answered:\n%s", strings.Join(e.lines, "\n"))
			}
			if roles := p.roles(); !strings.HasPrefix(roles, "user assistant toolResult") {
				t.Errorf("the session holds %s", roles)
			}
		})
	}
}

// A-1, cases 1, 2: stdout has the protocol alone until the process is gone,
// whoever else writes there. A key is saved, as after a login; a command writes
// to what its parent has for stdout, and once more when it is stopped.
func TestEditorStdout(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("another process's files are opened by /proc")
	}
	p := newPlace(t)
	login := p.command("login", "anthropic", "--offline")
	login.Stdin = strings.NewReader(testKey + "\n")
	if out, err := login.CombinedOutput(); err != nil || !strings.Contains(p.saved(), testKey) {
		t.Fatalf("%v: %s", err, out)
	}
	const command = `to=/proc/$PPID/fd/1; echo stray >$to; trap 'echo late >$to; exit' TERM; echo up; while :; do sleep 0.1; done`
	arguments, err := json.Marshal(map[string]string{"command": command})
	if err != nil {
		t.Fatal(err)
	}
	e := p.editor("", p.script("model", "-- turn --\n-- call bash --\n"+string(arguments)+"\n"), "--permissions", "full")
	e.prompt(3, "work")
	e.until(`"text":"up`)
	e.stdin.Close()
	if code := e.rest(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if !strings.HasPrefix(e.lines[0], `{"jsonrpc":"2.0","id":1,"result":`) {
		t.Errorf("the first line is %s", e.lines[0])
	}
	for _, word := range []string{"stray", "late"} {
		if !strings.Contains(e.stderr.String(), word) {
			t.Errorf("%q was to go to stderr, which has %q; lines:\n%s", word, e.stderr, strings.Join(e.lines, "\n"))
		}
	}
}

// Case 16: who starts an agent without "acp" is told so.
func TestEditorForgets(t *testing.T) {
	t.Parallel()
	if _, stderr, code := newPlace(t).run(); code != 2 || !strings.Contains(stderr, `"acp"`) {
		t.Errorf("exit code %d, stderr %q", code, stderr)
	}
}

// Case 8: what was said is on disk as it is said, for those who kill.
func TestEditorKilled(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	e := p.editor("", p.script("model", sleeper), "--permissions", "full")
	e.prompt(3, "work")
	e.until(`"status":"in_progress"`)
	e.until(`"text":"up`)
	group := p.group()
	e.cmd.Process.Kill()
	_, _ = io.Copy(io.Discard, e.events)
	_ = e.cmd.Wait()
	_ = syscall.Kill(-group, syscall.SIGKILL)
	if roles := p.roles(); !strings.HasPrefix(roles, "user assistant") {
		t.Errorf("the session holds %s", roles)
	}
	again := p.editor("", p.script("echo", "-- turn --\ntimes: always\n-- text --\nback\n"))
	again.send(4, "session/load", fmt.Sprintf(`{"sessionId":%q,"cwd":%q,"mcpServers":[]}`, e.session, p.dir))
	again.until(`"id":4,"result"`)
	again.stdin.Close()
	if code := again.rest(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// Cases 35, 36: the editor's servers are used beside the user's, and one that
// fails is told of before the turn's end. Their prompts are commands, which the
// editor hears of again (case 21).
func TestEditorServers(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	model := p.script("calling", "-- turn --\n-- call mcp__good__echo --\n{\"text\":\"hi\"}\n-- turn --\ntimes: always\n-- text --\nall done\n")
	e := p.editor(`{"name":"good","command":"mcpserver","args":["good"],"env":[{"name":"A","value":"b"}]},{"name":"bad","command":"/no/such/server","args":[],"env":[]}`, model, "--permissions", "full")
	e.prompt(3, "go")
	e.until("all done")
	e.until(`"id":3,"result":{"stopReason":"end_turn"}`)
	all := strings.Join(e.lines, "\n")
	if !strings.Contains(all, `failed to start`) || !strings.Contains(all, `"status":"completed"`) || !strings.Contains(all, `"name":"mcp__good__greet"`) {
		t.Errorf("the lines:\n%s", all)
	}
	e.stdin.Close()
	if code := e.rest(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	p.left("good")
}

// an agent of one's own speaks with its instructions and its limits.
func TestEditorAgent(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.file("agent.yaml", "name: helper\ninstructions: You are the helper of the tests.\nlimits:\n  turns: 2\ntools: [ls, {name: read, needsApproval: true}]\n")
	model := p.script("model", "-- turn --\nsystem: You are the helper of the tests\ntimes: always\n-- call read --\n{\"path\":\"agent.yaml\"}\n")
	e := p.editor("", model, filepath.Join(p.dir, "agent.yaml"))
	e.prompt(3, "go")
	line := e.until("session/request_permission")
	var ask struct{ ID int }
	if err := json.Unmarshal([]byte(line), &ask); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(e.stdin, `{"jsonrpc":"2.0","id":%d,"result":{"outcome":{"outcome":"selected","optionId":"allow"}}}`+"\n", ask.ID)
	e.until("session/request_permission")
	fmt.Fprintf(e.stdin, `{"jsonrpc":"2.0","id":%d,"result":{"outcome":{"outcome":"selected","optionId":"reject"}}}`+"\n", ask.ID+1)
	e.until(`"id":3,"result":{"stopReason":"max_turn_requests"}`)
	e.stdin.Close()
	if code := e.rest(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}
