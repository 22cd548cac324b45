//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// served makes the helper a server of the project, under the name of its mode.
func (p *place) served(modes ...string) {
	p.t.Helper()
	var servers []string
	for _, mode := range modes {
		servers = append(servers, fmt.Sprintf(`%q: {"command": "mcpserver", "args": [%[1]q]}`, mode))
	}
	p.file(".mcp.json", `{"mcpServers": {`+strings.Join(servers, ", ")+`}}`)
}

// calling is a model that calls a tool of a server and then answers.
func (p *place) calling(tool, arguments string) string {
	p.t.Helper()
	return p.script("calling", "-- turn --\n-- call "+tool+" --\n"+arguments+"\n-- turn --\ntimes: always\n-- text --\nA whole answer\n")
}

// left fails when the helper's process is still there.
func (p *place) left(mode string) {
	p.t.Helper()
	data, err := os.ReadFile(filepath.Join(p.dir, mode+".pid"))
	var pid int
	if err == nil {
		_, err = fmt.Sscan(string(data), &pid)
	}
	if err != nil || pid < 2 {
		p.t.Fatalf("the server has left no process id: %d, %v", pid, err)
	}
	p.t.Cleanup(func() { _ = syscall.Kill(-pid, syscall.SIGKILL) })
	p.gone(pid)
}

// content is the text of a tool's result in an event.
func content(e map[string]any) string {
	var text []string
	blocks, _ := e["content"].([]any)
	for _, b := range blocks {
		block, _ := b.(map[string]any)
		text = append(text, fmt.Sprint(block["text"]))
	}
	return strings.Join(text, "\n")
}

// A server's tool works in print, whatever else the server does, and no process
// is left.
func TestServersInPrint(t *testing.T) {
	for _, mode := range []string{"good", "garbage", "floods", "stubborn", "many"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			p.served(mode)
			r := p.start("--approve", "--permissions=full", p.calling("mcp__"+mode+"__echo", `{"text": "hi"}`), "go")
			for r.next("server_status")["state"] != "ready" {
			}
			if e := r.next("tool_running"); e["title"] != mode+`: echo {"text": "hi"}` {
				t.Errorf("%v", e)
			}
			if e := r.next("tool_ended"); content(e) != "echo: hi" || e["isError"] == true {
				t.Errorf("%v", e)
			}
			if code := r.end(); code != 0 || r.stderr.Len() > 0 {
				t.Errorf("exit code %d, %q", code, r.stderr)
			}
			p.left(mode)
		})
	}
}

// One that doesn't start is told in a line, and the others work.
func TestDeadServer(t *testing.T) {
	p := newPlace(t)
	p.served("dead", "good")
	out, errs, code := p.run("--approve", "--permissions=full", p.calling("mcp__good__write", `{}`), "-p", "go")
	if want := "hoopoe: MCP server \"dead\" failed to start: it exited (exit status 3); it wrote: no database\n"; code != 0 || out != "A whole answer\n" || errs != want {
		t.Errorf("exit code %d, %q, %q", code, out, errs)
	}
	if _, err := os.Stat(filepath.Join(p.dir, "out")); err != nil {
		t.Error(err)
	}
	p.left("dead")
	p.left("good")
	out, errs, code = p.run("--approve", p.script("echo", echo), "-p", "/mcp")
	want := "dead  failed: it exited (exit status 3); it wrote: no database\ngood  ready, 3 tools, 1 prompt\n"
	if code != 0 || out != want {
		t.Errorf("exit code %d, %q, %q", code, out, errs)
	}
}

// The first request waits for a slow server and says so.
func TestSlowServer(t *testing.T) {
	p := newPlace(t)
	p.served("slow")
	r := p.start("--approve", "--permissions=full", p.calling("mcp__slow__echo", `{"text": "at last"}`), "go")
	if e := r.next("notice"); e["text"] != "Waiting for MCP servers: slow" || e["level"] != "warning" {
		t.Errorf("%v", e)
	}
	p.file("go", "")
	if e := r.next("tool_ended"); content(e) != "echo: at last" {
		t.Errorf("%v", e)
	}
	if code := r.end(); code != 0 {
		t.Errorf("exit code %d, %q", code, r.stderr)
	}
	p.left("slow")
}

// An interrupt doesn't wait for a server, and the second one for nothing.
func TestServersInterrupted(t *testing.T) {
	for _, c := range []struct {
		mode    string
		signals []syscall.Signal
		code    int
	}{
		{"slow", []syscall.Signal{syscall.SIGINT}, 130},
		{"stubborn", []syscall.Signal{syscall.SIGINT, syscall.SIGTERM}, 143},
	} {
		t.Run(c.mode, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			p.served(c.mode)
			r := p.start("--approve", p.script("endless", endless), "go")
			if c.mode == "slow" {
				r.next("notice")
			} else {
				r.next("message_delta")
			}
			for _, s := range c.signals {
				r.signal(s)
			}
			if code := r.end(); code != c.code {
				t.Errorf("exit code %d, %q", code, r.stderr)
			}
			p.left(c.mode)
		})
	}
}

// Nothing of a project starts before it is trusted; --no-mcp and a list of tools
// leave servers out.
func TestServersLeftOut(t *testing.T) {
	for _, c := range []struct {
		name    string
		args    []string
		stderr  string
		started bool
	}{
		{"not trusted", nil, "hoopoe: not read until you trust this folder: .mcp.json (the chat asks; --approve does it for one run)\n", false},
		{"no servers", []string{"--approve", "--no-mcp"}, "", false},
		{"no tools", []string{"--approve", "--no-tools"}, "", false},
		{"other tools", []string{"--approve", "--tools=read"}, "", false},
		{"tools by name", []string{"--approve", "--tools=read,mcp__good__e*"}, "", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			p.served("good")
			out, errs, code := p.run(append(c.args, p.script("echo", echo), "-p", "go")...)
			if code != 0 || out != "A whole answer\n" || errs != c.stderr {
				t.Errorf("exit code %d, %q, %q", code, out, errs)
			}
			if _, err := os.Stat(filepath.Join(p.dir, "good.pid")); (err == nil) != c.started {
				t.Errorf("started: %v", err)
			}
		})
	}
	p := newPlace(t)
	p.served("good")
	r := p.start("--approve", "--tools=read,mcp__good__e*", p.script("echo", echo), "go")
	if e := r.next("tools_changed"); fmt.Sprint(e["names"]) != "[read mcp__good__echo]" {
		t.Errorf("%v", e)
	}
	r.end()
}

// What runs unasked is decided by the tool's name; plan mode has room for tools
// that only read.
func TestServersPermissions(t *testing.T) {
	for _, c := range []struct {
		mode, tool, settings string
		denied               any
	}{
		{"ask", "echo", `{}`, "nobody"},
		{"ask", "echo", `{"permissions": {"allow": ["mcp__good__*"]}}`, nil},
		{"ask", "write", `{"permissions": {"allow": ["mcp__good__echo"]}}`, "nobody"},
		{"plan", "echo", `{"permissions": {"allow": ["mcp__good__*"]}}`, nil},
		{"plan", "write", `{"permissions": {"allow": ["mcp__good__*"]}}`, "rule"},
		{"full", "write", `{"permissions": {"deny": ["mcp__*"]}}`, "rule"},
	} {
		t.Run(c.mode+" "+c.tool+" "+c.settings, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			p.served("good")
			p.settings(c.settings)
			r := p.start("--approve", "--permissions="+c.mode, p.calling("mcp__good__"+c.tool, `{}`), "go")
			if e := r.next("tool_ended"); e["denied"] != c.denied {
				t.Errorf("%v", e)
			}
			r.end()
		})
	}
}

// settings writes the user's.
func (p *place) settings(text string) {
	p.t.Helper()
	dir := filepath.Join(p.home, ".config", "hoopoe")
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "settings.json"), []byte(text), 0o600)
	}
	if err != nil {
		p.t.Fatal(err)
	}
}

// Servers come from the user's settings and the family's file too; what is wrong
// with one has its line, and no request for the network leaves with --offline.
func TestServersOfTheUser(t *testing.T) {
	p := newPlace(t)
	p.settings("{\n  // mine\n  \"mcpServers\": {\n    \"good\": {\"command\": \"mcpserver\", \"args\": [\"good\"]},\n    \"bad\": {\"command\": 3},\n    \"far\": {\"url\": \"http://127.0.0.1:9/mcp\"},\n  },\n}")
	agent := filepath.Join(p.home, ".pi", "agent")
	if err := os.MkdirAll(agent, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(agent, "mcp.json"), []byte(`{"mcpServers": {"many": {"command": "mcpserver", "args": ["many"]}, "good": {"command": "none"}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	out, errs, code := p.run("-p", "/mcp", p.script("echo", echo))
	if code != 0 || !strings.Contains(out, "good  ready, 3 tools") || !strings.Contains(out, "many  ready, 63 tools") || !strings.Contains(out, "--offline opens no connection") {
		t.Errorf("exit code %d, %q", code, out)
	}
	if !strings.HasSuffix(errs, "settings.json:5: MCP server \"bad\": \"command\" can't be a number\n") || strings.Count(errs, "\n") != 1 {
		t.Errorf("%q", errs)
	}
	out, _, code = p.run("-p", "/mcp__good__greet Ada", p.script("greeting", "-- turn --\non: Say hello to Ada\n-- text --\nHello, Ada\n"))
	if code != 0 || out != "Hello, Ada\n" {
		t.Errorf("a prompt: %q, %d", out, code)
	}
}

// What a search has shown stays with the session.
func TestServersSearch(t *testing.T) {
	p := newPlace(t)
	p.served("many")
	offered := func(e map[string]any) bool {
		names, _ := e["names"].([]any)
		return slices.Contains(names, any("mcp__many__paint_41"))
	}
	r := p.start("--approve", "--permissions=full", p.calling("mcp_search", `{"query": "paint wall 41", "limit": 1}`), "go")
	if e := r.next("tools_changed"); offered(e) || !strings.Contains(fmt.Sprint(e["names"]), "mcp_search") {
		t.Errorf("%v", e)
	}
	if e := r.next("tools_changed"); !offered(e) {
		t.Errorf("%v", e)
	}
	if code := r.end(); code != 0 {
		t.Errorf("exit code %d, %q", code, r.stderr)
	}
	var kept []any
	for _, line := range p.lines() {
		if line["type"] == "mcp_tool_selection" {
			kept, _ = line["selectedToolNames"].([]any)
		}
	}
	if len(kept) != 1 || kept[0] != "mcp__many__paint_41" {
		t.Errorf("the session keeps %v", kept)
	}
	r = p.start("-c", "--approve", p.script("echo", echo), "go on")
	if e := r.next("tools_changed"); !offered(e) {
		t.Errorf("going on: %v", e)
	}
	r.end()
}

// The whole over the protocol: a question field by field, prompts, /mcp, and the
// end.
func TestServersInRPC(t *testing.T) {
	p := newPlace(t)
	p.served("dead", "stubborn")
	h := p.host("--approve", p.calling("mcp__stubborn__ask", "{}"))
	h.prompt("go")
	if e := h.next("notice"); e["level"] != "warning" || !strings.HasPrefix(fmt.Sprint(e["message"]), `MCP server "dead" failed to start`) {
		t.Errorf("%v", e)
	}
	for _, c := range []struct{ method, has, answer string }{
		{"input", "Name", `{"value":"Ada"}`},
		{"select", "Small Medium", `{"value":"Medium"}`},
		{"confirm", "Sure", `{"confirmed":true}`},
		{"input", "Years", `{"value":"many"}`},
		{"input", `"many" is no whole number`, `{"value":"36"}`},
	} {
		e := h.next("extension_ui_request")
		if e["method"] != c.method || !strings.Contains(fmt.Sprint(e), c.has) {
			t.Errorf("want %s about %s, got %v", c.method, c.has, e)
		}
		answer := map[string]any{"type": "extension_ui_response", "id": e["id"]}
		if err := json.Unmarshal([]byte(c.answer), &answer); err != nil {
			t.Fatal(err)
		}
		h.send(answer)
	}
	result, _ := h.next("tool_execution_end")["result"].(map[string]any)
	for _, want := range []string{`"action":"accept"`, `"name":"Ada"`, `"size":"m"`, `"sure":true`, `"years":36`} {
		if !strings.Contains(content(result), want) {
			t.Errorf("%s is missing in %v", want, result)
		}
	}
	h.next("agent_settled")
	h.send(map[string]any{"id": "c", "type": "get_commands"})
	commands := fmt.Sprint(h.next("response")["data"])
	for _, want := range []string{"name:mcp__stubborn__greet", "description:Greet somebody", "source:mcp"} {
		if !strings.Contains(commands, want) {
			t.Errorf("%s is missing in %s", want, commands)
		}
	}
	h.prompt("/stubborn:greet Ada")
	if e := fmt.Sprint(h.next("message_start")); !strings.Contains(e, "Say hello to Ada") {
		t.Error(e)
	}
	h.next("agent_settled")
	h.prompt("/mcp restart stubborn")
	if e := h.next("command_output"); e["text"] != "stubborn: ready, 3 tools, 1 prompt" {
		t.Errorf("%v", e)
	}
	h.prompt("/mcp disable stubborn")
	if e := h.next("command_output"); e["text"] != "stubborn: disabled" {
		t.Errorf("%v", e)
	}
	h.prompt("/mcp enable stubborn")
	if e := h.next("command_output"); e["text"] != "stubborn: ready, 3 tools, 1 prompt" {
		t.Errorf("%v", e)
	}
	if code := h.done(); code != 0 || h.stderr.Len() > 0 {
		t.Errorf("exit code %d, %q", code, h.stderr)
	}
	p.left("stubborn")
}

// The whole in the chat: trust, a failure told once, a call that is approved, a
// question, and /mcp.
func TestServersInChat(t *testing.T) {
	p := newPlace(t)
	p.served("dead", "good")
	s, c := p.chat(p.calling("mcp__good__ask", "{}"))
	s.see("Trust this folder?", ".mcp.json")
	s.answer("y", "Trust this folder?")
	s.see(`! MCP server "dead" failed to start: it exited (exit status 3); it wrote: no database`)
	s.keys("go\r")
	s.see("Allow? good: ask", "mcp__good__ask")
	s.answer("y", "Allow? good: ask")
	for _, q := range []struct{ title, text, key string }{
		{"MCP server good asks for Name", "Ada", "\r"}, {"MCP server good asks for size", "", "\r"},
		{"MCP server good asks for Sure", "", "y"}, {"MCP server good asks for Years", "36", "\r"},
	} {
		s.see(q.title)
		s.keys(q.text)
		s.answer(q.key, q.title)
	}
	s.see("✓ good: ask", "A whole answer")
	s.keys("/mcp\r")
	s.see("MCP servers", "dead (failed: it exited (exit status 3); it wrote: no database)", "good (ready, 3 tools, 1 prompt)")
	s.answer("2", "── MCP servers")
	s.see("MCP server good", "restart", "disable")
	s.answer("3", "── MCP server good")
	s.see("good: disabled")
	if text := s.text(); strings.Count(text, "failed to start") != 1 {
		t.Errorf("the failure is there more than once:\n%s", text)
	}
	s.keys("/quit\r")
	if code := exitOf(t, c.Wait()); code != 0 {
		t.Errorf("exit code %d", code)
	}
	p.left("good")
	file, err := os.ReadFile(p.sessionFile())
	for _, want := range []string{`\"action\":\"accept\"`, `\"name\":\"Ada\"`, `\"size\":\"s\"`, `\"sure\":true`, `\"years\":36`} {
		if err != nil || !strings.Contains(string(file), want) {
			t.Errorf("%s is missing in %s, %v", want, file, err)
		}
	}
}
