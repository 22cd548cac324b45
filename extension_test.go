//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// example is the absolute path of one of the extensions in testdata.
func example(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("testdata", "extensions", name))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// scene is an extension at work: what the model does, what the user says and
// answers, and what has come of it at the end.
type scene struct {
	extension string
	model     string
	prompts   []string
	answers   map[string]any // a dialog's title begins with the key
	// want are parts of the outcome, in order: what was said, by role, and what
	// the extension showed.
	want  []string
	check func(t *testing.T, p *place)
	// shows is what the chat shows after each prompt.
	shows [][]string
}

func call(tool, arguments string) string {
	return "-- turn --\n-- call " + tool + " --\n" + arguments + "\n"
}

func says(text string) string { return "-- turn --\n-- text --\n" + text + "\n" }

// scenes are what the examples are for, in a folder that is a git repository.
func scenes() map[string]scene {
	return map[string]scene{
		"gate refuses": {
			extension: "permission-gate.ts", model: call("bash", `{"command":"rm -rf kept"}`) + says("ok"), shows: [][]string{{"\n  ok"}}, prompts: []string{"delete"},
			answers: map[string]any{"This command deletes for good: rm -rf kept": "Don't"},
			want:    []string{"toolResult! The user said no.", "assistant ok"},
			check:   func(t *testing.T, p *place) { p.has(t, "kept", true) },
		},
		"gate allows": {
			extension: "permission-gate.ts", model: call("bash", `{"command":"rm -rf kept"}`) + says("ok"), shows: [][]string{{"\n  ok"}}, prompts: []string{"delete"},
			answers: map[string]any{"This command deletes for good": "Run it"},
			want:    []string{"assistant ok"},
			check:   func(t *testing.T, p *place) { p.has(t, "kept", false) },
		},
		"protected path": {
			extension: "protected-paths.ts", model: call("write", `{"path":".env","content":"x"}`) + call("write", `{"path":"free","content":"x"}`) + says("ok"), shows: [][]string{{".env is protected", "\n  ok"}}, prompts: []string{"write"},
			want:  []string{"toolResult! .env is protected", "toolResult ", "assistant ok"},
			check: func(t *testing.T, p *place) { p.has(t, ".env", false); p.has(t, "free", true) },
		},
		"todo widget": {
			extension: "todo-widget.ts", model: call("tasks", `{"action":"add","text":"sing"}`) + call("tasks", `{"action":"done","number":1}`) + says("ok"), shows: [][]string{{"sing", "\n  ok"}}, prompts: []string{"plan"},
			want: []string{"toolResult 1. sing", "toolResult 1. sing (done)", "assistant ok"},
		},
		"progress": {
			extension: "progress.ts", model: call("countdown", `{"from":2}`) + says("ok"), shows: [][]string{{"counted 2", "\n  ok"}}, prompts: []string{"count"},
			want: []string{"toolResult counted 2", "assistant ok"},
		},
		"question": {
			extension: "question.ts", model: call("question", `{"question":"Which bird?","options":["hoopoe","wren"]}`) + says("ok"), shows: [][]string{{"The user chose: wren", "\n  ok"}}, prompts: []string{"ask me"},
			answers: map[string]any{"Which bird?": "wren"},
			want:    []string{"toolResult The user chose: wren", "assistant ok"},
		},
		"checkpoint": {
			extension: "git-checkpoint.ts", model: call("write", `{"path":"kept","content":"changed"}`) + call("read", `{"path":"kept"}`) + says("ok"), shows: [][]string{{"\n  ok"}}, prompts: []string{"change it"},
			want: []string{"label checkpoint 1", "label checkpoint 2", "assistant ok"},
		},
		"commit on exit": {
			extension: "commit-on-exit.ts", model: call("write", `{"path":"new","content":"x"}`) + says("Added a file."), shows: [][]string{{"Added a file."}}, prompts: []string{"add a file"},
			want: []string{"assistant Added a file."},
			check: func(t *testing.T, p *place) {
				if got := p.git(t, "log", "-1", "--format=%s"); got != "[agent] Added a file." {
					t.Errorf("the last commit is %q", got)
				}
			},
		},
		"input": {
			extension: "input-transform.ts", model: says("because"), shows: [][]string{{"pong"}, {"because"}}, prompts: []string{"ping", "?why"},
			want: []string{"user Answer in one sentence: why", "assistant because"},
		},
		"status line": {
			extension: "status-line.ts", model: says("ok"), shows: [][]string{{"done after 1", "\n  ok"}}, prompts: []string{"hello"},
			want: []string{"assistant ok"},
		},
		"injector": {
			extension: "injector.ts", model: "-- turn --\nsystem: Keep it short.\n-- text --\nok\n", shows: [][]string{{"* Prompt 1: 5 characters", "\n  ok"}}, prompts: []string{"hello"},
			want: []string{"user hello", "custom Prompt 1: 5 characters", "assistant ok"},
		},
		"dynamic tools": {
			extension: "dynamic-tools.ts", model: call("echo_start", `{"text":"a"}`) + call("echo_late", `{"text":"b"}`) + says("ok"), shows: [][]string{{"echo_late"}, {"echo_late: b", "\n  ok"}}, prompts: []string{"/add-tool echo_late", "use both"},
			want: []string{"toolResult echo_start: a", "toolResult echo_late: b", "assistant ok"},
		},
	}
}

// stage is a place with a git repository, the scene's extension and its model.
func (s scene) stage(t *testing.T) (p *place, args []string) {
	t.Helper()
	p = newPlace(t)
	p.file("kept", "kept")
	p.git(t, "init", "-q")
	p.git(t, "config", "user.name", "hoopoe")
	p.git(t, "config", "user.email", "hoopoe@localhost")
	p.git(t, "add", "-A")
	p.git(t, "commit", "-q", "-m", "first")
	models := t.TempDir()
	script := filepath.Join(models, "model.script")
	if err := os.WriteFile(script, []byte(s.model), 0o600); err != nil {
		t.Fatal(err)
	}
	return p, []string{"--model=script/" + script, "--approve", "--permissions=full", "--extension", example(t, s.extension)}
}

func (p *place) git(t *testing.T, args ...string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), "git", args...)
	c.Dir, c.Env = p.dir, append(clean(os.Environ()), "HOME="+p.home)
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (p *place) has(t *testing.T, name string, want bool) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(p.dir, name)); (err == nil) != want {
		t.Errorf("%s is there: %v", name, !want)
	}
}

// outcome is what the session's file holds, a line for each message and label.
func (p *place) outcome() []string {
	p.t.Helper()
	var lines []string
	for _, e := range p.lines() {
		raw, err := json.Marshal(e)
		if err != nil {
			p.t.Fatal(err)
		}
		var entry struct {
			Type, Label, CustomType string
			Content                 json.RawMessage
			Message                 struct {
				Role    string
				IsError bool
				Content json.RawMessage
			}
		}
		if err := json.Unmarshal(raw, &entry); err != nil {
			continue
		}
		switch entry.Type {
		case "label":
			lines = append(lines, "label "+entry.Label)
		case "custom_message":
			lines = append(lines, "custom "+textOf(entry.Content))
		case "message":
			role := entry.Message.Role
			if entry.Message.IsError {
				role += "!"
			}
			if text := textOf(entry.Message.Content); text != "" {
				lines = append(lines, role+" "+text)
			}
		}
	}
	return lines
}

func textOf(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var blocks []struct{ Text string }
	_ = json.Unmarshal(raw, &blocks) // a message without content has no text
	for _, b := range blocks {
		text += b.Text
	}
	return text
}

// came reports what of the scene's outcome is missing.
func (s scene) came(t *testing.T, p *place) {
	t.Helper()
	got := p.outcome()
	rest := got
	for _, want := range s.want {
		i := slices.IndexFunc(rest, func(line string) bool { return strings.HasPrefix(line, want) })
		if i < 0 {
			t.Errorf("%q isn't there, in this order, in\n%s", want, strings.Join(got, "\n"))
			return
		}
		rest = rest[i+1:]
	}
	if s.check != nil {
		s.check(t, p)
	}
}

// answerOf is the scene's answer to a dialog.
func (s scene) answerOf(t *testing.T, title string) any {
	t.Helper()
	for prefix, a := range s.answers {
		if strings.HasPrefix(title, prefix) {
			return a
		}
	}
	t.Errorf("unexpected dialog %q", title)
	return nil
}

// Extensions do in RPC what they are for.
func TestExtensionsInRPC(t *testing.T) {
	for name, s := range scenes() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, args := s.stage(t)
			h := p.host(args...)
			for i, prompt := range s.prompts {
				h.send(map[string]any{"id": fmt.Sprint("p", i), "type": "prompt", "message": prompt})
				h.through(t, s, fmt.Sprint("p", i))
			}
			if code := h.done(); code != 0 {
				t.Errorf("exit code %d, stderr %s", code, h.stderr)
			}
			s.came(t, p)
		})
	}
}

// through answers dialogs until a prompt has nothing left to do.
func (h *host) through(t *testing.T, s scene, id string) {
	t.Helper()
	for {
		line, err := h.events.ReadBytes('\n')
		if err != nil {
			t.Fatalf("%v; stderr: %s", err, h.stderr)
		}
		var f struct {
			Type, ID, Method, Title, Error, Command string
			Success                                 bool
		}
		if err := json.Unmarshal(line, &f); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		switch {
		case f.Type == "extension_error":
			t.Fatalf("%s", line)
		case f.Type == "response" && f.ID == id && !f.Success:
			t.Fatalf("%s", line)
		case f.Type == "agent_settled":
			return
		case f.Type == "extension_ui_request" && f.Title != "" && f.Method != "setTitle":
			h.send(map[string]any{"type": "extension_ui_response", "id": f.ID, "value": s.answerOf(t, f.Title)})
		}
	}
}

// The same extensions come to the same in ACP, whose editor shows forms.
func TestExtensionsInACP(t *testing.T) {
	for name, s := range scenes() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, args := s.stage(t)
			e := p.editorWith(`{"elicitation":{"form":{}}}`, "", args...)
			for i, prompt := range s.prompts {
				e.prompt(10+i, prompt)
				e.through(t, s, 10+i)
			}
			if err := e.stdin.Close(); err != nil {
				t.Fatal(err)
			}
			if code := e.rest(); code != 0 {
				t.Errorf("exit code %d, stderr %s", code, e.stderr)
			}
			s.came(t, p)
		})
	}
}

// through answers forms until a turn is over.
func (e *editor) through(t *testing.T, s scene, id int) {
	t.Helper()
	for {
		line := e.until("")
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct{ Message string }
			Result struct{ StopReason string }
		}
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		switch {
		case m.Method == "elicitation/create":
			content, err := json.Marshal(map[string]any{"answer": s.answerOf(t, m.Params.Message)})
			if err == nil {
				_, err = fmt.Fprintf(e.stdin, `{"jsonrpc":"2.0","id":%s,"result":{"action":"accept","content":%s}}`+"\n", m.ID, content)
			}
			if err != nil {
				t.Fatal(err)
			}
		case string(m.ID) == fmt.Sprint(id) && m.Method == "":
			if m.Result.StopReason != "end_turn" {
				t.Errorf("the turn ended so: %s", line)
			}
			return
		}
	}
}

// And in the chat, whose dialogs are answered by keys (C-3).
func TestExtensionsInChat(t *testing.T) {
	for name, s := range scenes() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, args := s.stage(t)
			screen, c := newTerminal(t, 200, 40), p.command(args...) // as wide as a status line with everything
			screen.run(c)
			screen.see("›")
			for i, prompt := range s.prompts {
				screen.keys("\x1b[200~" + prompt + "\x1b[201~") // "?" typed alone shows the keys
				screen.see("› " + prompt)
				<-time.After(gap) // what follows a paste at once would belong to it
				screen.keys("\r")
				screen.through(t, s, i)
			}
			screen.leave(c)
			s.came(t, p)
		})
	}
}

// through answers the dialogs of a prompt until the chat has nothing left to do.
func (s *screen) through(t *testing.T, sc scene, prompt int) {
	t.Helper()
	for prefix, answer := range sc.answers {
		if prompt > 0 {
			break
		}
		text, _ := answer.(string)
		s.see(prefix, ". "+text)
		for row := range strings.SplitSeq(s.text(), "\n") {
			number, option, ok := strings.Cut(strings.TrimLeft(row, "› "), ". ")
			if ok && len(number) == 1 && strings.TrimSpace(option) == text {
				s.answer(number, prefix)
			}
		}
	}
	for _, want := range sc.shows[prompt] {
		s.see(want)
	}
}
