package js

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/ext"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/tool"
)

// example is one of the extensions that are written as the family's are.
func example(name string) string {
	return filepath.Join("..", "..", "..", "testdata", "extensions", name)
}

// use loads an example into a session that answers every question by choose.
func use(t *testing.T, name string, choose func(event.Question) (event.Answer, bool)) *loaded {
	t.Helper()
	r := newRecorder()
	r.answer = func(_ context.Context, q event.Question) (event.Answer, bool) {
		if choose == nil {
			return event.Answer{}, false
		}
		return choose(q)
	}
	return loadInto(t, r, New(Options{Cache: t.TempDir()}), example(name))
}

func pick(value string) func(event.Question) (event.Answer, bool) {
	return func(event.Question) (event.Answer, bool) {
		return event.Answer{Value: value, Confirmed: value == "yes"}, true
	}
}

func (l *loaded) call(t *testing.T, name, arguments string) ext.ToolCallReply {
	t.Helper()
	_, reply := l.host.ToolCall(t.Context(), ext.ToolCall{ID: "c1", Name: name, Arguments: json.RawMessage(arguments)})
	return reply
}

func (l *loaded) tool(t testing.TB, name string) tool.Tool {
	t.Helper()
	for _, found := range l.part.Instance.Registered().Tools {
		if found.Spec().Name == name {
			return found
		}
	}
	t.Fatalf("there is no tool %s", name)
	return nil
}

func (l *loaded) command(t testing.TB, name string) ext.Command {
	t.Helper()
	for _, c := range l.part.Instance.Registered().Commands {
		if c.Name == name {
			return c
		}
	}
	t.Fatalf("there is no command %s", name)
	return ext.Command{}
}

func (l *loaded) said(t *testing.T, want ...string) {
	t.Helper()
	if got := l.lines(); !slices.Equal(got, want) {
		t.Errorf("said\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func run(t *testing.T, found tool.Tool, arguments string) (string, string) {
	t.Helper()
	r, err := found.Run(t.Context(), tool.Call{ID: "c1", Name: found.Spec().Name, Arguments: json.RawMessage(arguments), Progress: func(tool.Result) {}})
	if err != nil {
		return "error: " + err.Error(), string(r.Details)
	}
	return message.Text(r.Content), string(r.Details)
}

// E-2: a gate asks, and what it answers decides.
func TestPermissionGate(t *testing.T) {
	for _, tt := range []struct {
		command, choice, blocked string
	}{
		{"ls", "", ""},
		{"rm -rf /tmp/x", "Run it", ""},
		{"rm -rf /tmp/x", "Don't", "The user said no."},
		{"git push --force", "", "The user said no."},
	} {
		l := use(t, "permission-gate.ts", pick(tt.choice))
		arguments, _ := json.Marshal(map[string]string{"command": tt.command})
		if r := l.call(t, "bash", string(arguments)); r.Block != (tt.blocked != "") || r.Reason != tt.blocked {
			t.Errorf("%s, %q: %+v", tt.command, tt.choice, r)
		}
		if asked := len(l.lines()) == 1; asked == (tt.command == "ls") {
			t.Errorf("%s: said %q", tt.command, l.lines())
		}
	}
}

func TestProtectedPaths(t *testing.T) {
	l := use(t, "protected-paths.ts", nil)
	for path, reason := range map[string]string{
		"main.go": "", "a/.env": ".env is protected", "/src/node_modules/x/y.js": "y.js is protected", "sub/go.sum": "go.sum is protected",
	} {
		arguments, _ := json.Marshal(map[string]string{"path": path})
		if r := l.call(t, "write", string(arguments)); r.Reason != reason || r.Block != (reason != "") {
			t.Errorf("%s: %+v", path, r)
		}
		if r := l.call(t, "read", string(arguments)); r.Block {
			t.Errorf("read %s: %+v", path, r)
		}
	}
}

func TestTodoWidget(t *testing.T) {
	r := newRecorder()
	r.leaf = "b"
	r.entries = []json.RawMessage{
		json.RawMessage(`{"type":"message","id":"a","parentId":null,"message":{"role":"toolResult","toolName":"tasks","content":[],"details":{"tasks":[{"text":"old","done":true}]}}}`),
		json.RawMessage(`{"type":"message","id":"b","parentId":"a","message":{"role":"user","content":[]}}`),
		json.RawMessage(`{"type":"message","id":"x","parentId":"a","message":{"role":"toolResult","toolName":"tasks","content":[],"details":{"tasks":[]}}}`),
	}
	l := loadInto(t, r, New(Options{}), example("todo-widget.ts"))
	l.host.SessionStart(t.Context())
	tasks := l.tool(t, "tasks")
	if s := tasks.Spec(); s.Label != "Tasks" || s.Summary != "keep a list of tasks" || !strings.Contains(string(s.Parameters), `"enum":["add","done","list"]`) {
		t.Errorf("spec %+v, %s", s, s.Parameters)
	}
	if text, details := run(t, tasks, `{"action":"add","text":"new"}`); text != "1. old (done)\n2. new" || details != `{"tasks":[{"text":"old","done":true},{"text":"new","done":false}]}` {
		t.Errorf("%q, %s", text, details)
	}
	if text, _ := run(t, tasks, `{"action":"done","number":9}`); text != "error: there is no task 9" {
		t.Errorf("got %q", text)
	}
	if err := l.command(t, "tasks").Run(t.Context(), ""); err != nil {
		t.Error(err)
	}
	l.said(t, `widget tasks ["Tasks" "[x] 1. old"] `, `status tasks "1/1"`,
		`widget tasks ["Tasks" "[x] 1. old" "[ ] 2. new"] `, `status tasks "1/2"`, `notify info "old, new"`)
}

func TestProgress(t *testing.T) {
	l := use(t, "progress.ts", nil)
	var seen []string
	call := tool.Call{ID: "c1", Name: "countdown", Arguments: json.RawMessage(`{"from":3,"ms":0}`), Progress: func(r tool.Result) { seen = append(seen, message.Text(r.Content)+string(r.Details)) }}
	r, err := l.tool(t, "countdown").Run(t.Context(), call)
	if err != nil || message.Text(r.Content) != "counted 3" {
		t.Errorf("%+v, %v", r, err)
	}
	if want := []string{`3 left{"left":3}`, `2 left{"left":2}`, `1 left{"left":1}`}; !slices.Equal(seen, want) {
		t.Errorf("progress %q, want %q", seen, want)
	}

	ctx, cancel := context.WithCancel(t.Context())
	call.Arguments, call.Progress = json.RawMessage(`{"from":100,"ms":60000}`), func(tool.Result) { cancel() }
	if _, err := l.tool(t, "countdown").Run(ctx, call); err == nil {
		t.Error("a stopped tool has no error")
	}
}

func TestQuestion(t *testing.T) {
	l := use(t, "question.ts", func(q event.Question) (event.Answer, bool) {
		switch q.Kind {
		case event.AskConfirm:
			return event.Answer{Confirmed: true}, true
		case event.AskInput:
			return event.Answer{Cancelled: true, Value: "no"}, true
		case event.AskEditor:
			return event.Answer{Value: q.Prefill + "!"}, true
		}
		return event.Answer{Value: q.Options[len(q.Options)-1]}, true
	})
	if text, details := run(t, l.tool(t, "question"), `{"question":"Which?","options":["a","b"]}`); text != "The user chose: b" || details != `{"answer":"b"}` {
		t.Errorf("%q, %s", text, details)
	}
	if err := l.command(t, "survey").Run(t.Context(), ""); err != nil {
		t.Error(err)
	}
	l.said(t, `ask select "Which?" "" [a b] call=c1`,
		`ask select "Which colour?" "" [red green 蓝色 أزرق] call=`, `ask confirm "Sure?" "You chose أزرق." [] call=`,
		`ask input "Your name?" "" [] call=`, `ask editor "Tell more" "" [] call=`,
		`notify info "أزرق, true, undefined, Once upon a time!"`)
}

func TestGitCheckpoint(t *testing.T) {
	l := use(t, "git-checkpoint.ts", pick("Yes"))
	l.leaf = "e7"
	l.exec = func(ext.Exec) (ext.ExecResult, error) { return ext.ExecResult{Stdout: "abc\n"}, nil }
	l.host.Event(t.Context(), l.part, event.TurnStarted{})
	if l.host.BeforeReplace(t.Context(), ext.Replace{Reason: "fork", EntryID: "other"}) {
		t.Error("a branch without a checkpoint was stopped")
	}
	if l.host.BeforeReplace(t.Context(), ext.Replace{Reason: "fork", EntryID: "e7"}) {
		t.Error("the branch was stopped")
	}
	l.said(t, `exec git stash create in ""`, `label e7 "checkpoint 0"`,
		`ask select "Bring the files back too?" "" [Yes No, only the conversation Cancel] call=`, `exec git stash apply abc in ""`)
	l.answer = func(context.Context, event.Question) (event.Answer, bool) { return event.Answer{Cancelled: true}, true }
	if !l.host.BeforeReplace(t.Context(), ext.Replace{Reason: "fork", EntryID: "e7"}) {
		t.Error("cancel didn't stop the branch")
	}
	l.host.Event(t.Context(), l.part, event.RunEnded{})
	if l.host.BeforeReplace(t.Context(), ext.Replace{Reason: "fork", EntryID: "e7"}) {
		t.Error("the checkpoint outlived the run")
	}
}

func TestCommitOnExit(t *testing.T) {
	l := use(t, "commit-on-exit.ts", nil)
	l.entries = []json.RawMessage{
		json.RawMessage(`{"type":"message","id":"a","message":{"role":"assistant","content":[{"type":"text","text":"Fixed it\nat last"}]}}`),
		json.RawMessage(`{"type":"message","id":"b","parentId":"a","message":{"role":"user","content":[]}}`),
	}
	l.exec = func(ext.Exec) (ext.ExecResult, error) { return ext.ExecResult{Stdout: " M x"}, nil }
	l.host.SessionShutdown(t.Context())
	l.said(t, `exec git status --porcelain in ""`, `exec git add -A in ""`, `exec git commit -m [agent] Fixed it in ""`)
}

func TestOwnCompaction(t *testing.T) {
	l := use(t, "compaction.ts", nil)
	l.leaf, l.entries = "b", []json.RawMessage{json.RawMessage(`{"id":"a","parentId":null}`), json.RawMessage(`{"id":"b","parentId":"a"}`), json.RawMessage(`{"id":"c","parentId":"a"}`)}
	b := ext.BeforeCompact{Reason: "manual", FirstKeptID: "b", TokensBefore: 900, Messages: []message.Message{
		message.NewUser("fix it"),
		{Role: message.Assistant, Content: []message.Block{{Type: message.ToolCallBlock, ID: "1", Name: "edit", Arguments: json.RawMessage(`{"path":"a.go"}`)}}},
	}}
	got := l.host.BeforeCompact(t.Context(), b)
	if got.Summary != "The user asked for:\n- fix it\nFiles: a.go" || got.FirstKeptID != "b" || string(got.Details) != `{"files":["a.go"]}` {
		t.Errorf("%+v, %s", got, got.Details)
	}
	b.Instructions = "never"
	if got := l.host.BeforeCompact(t.Context(), b); !got.Cancel {
		t.Errorf("%+v", got)
	}
	l.host.Compacted(t.Context(), ext.Compacted{EntryID: "b", FromExtension: true})
	l.said(t, `notify info "Summarised 2 of 2 entries"`, `status compaction "own summary"`)
}

func TestInputTransform(t *testing.T) {
	l := use(t, "input-transform.ts", nil)
	for _, tt := range []struct {
		in, source, out string
		handled         bool
		refused         string
	}{
		{"hello", "interactive", "hello", false, ""},
		{"ping", "rpc", "ping", true, ""},
		{"ping", "extension", "ping", false, ""},
		{"?why", "rpc", "Answer in one sentence: why", false, ""},
		{"use sk-abcdefghij0123456789", "rpc", "use sk-abcdefghij0123456789", false, "There is a key in this message."},
	} {
		in, reply := l.host.Input(t.Context(), ext.Input{Text: tt.in, Source: tt.source})
		if in.Text != tt.out || reply.Handled != tt.handled || reply.Reason != tt.refused || reply.Block != (tt.refused != "") {
			t.Errorf("%q: %q, %+v", tt.in, in.Text, reply)
		}
	}
	l.said(t, `notify info "pong"`)
}

func TestStatusLine(t *testing.T) {
	l := use(t, "status-line.ts", nil)
	l.flags = map[string]any{"quiet-status": false}
	l.host.SessionStart(t.Context())
	l.host.Event(t.Context(), l.part, event.TurnStarted{})
	l.host.Event(t.Context(), l.part, event.RunEnded{})
	l.host.Event(t.Context(), l.part, event.ModelChanged{Model: event.Model{ID: "big"}})
	r := l.part.Instance.Registered()
	if len(r.Shortcuts) != 1 || r.Shortcuts[0].Key != "ctrl+shift+k" || len(r.Flags) != 1 || r.Flags[0] != (ext.Flag{Name: "quiet-status", Description: "No status line of the extension", Type: "boolean", Default: false}) {
		t.Fatalf("registered %+v", r)
	}
	if err := r.Shortcuts[0].Run(t.Context()); err != nil {
		t.Error(err)
	}
	l.said(t, `status turns "ready"`, `title "first"`, `status turns "turn 1"`, `status turns "done after 1, 25 %"`, `status turns "big"`, `status turns ""`)
}

func TestInjector(t *testing.T) {
	l := use(t, "injector.ts", nil)
	b := l.host.BeforeRun(t.Context(), ext.BeforeRun{Prompt: "hello", System: "be good"})
	if len(b.Messages) != 1 || b.Messages[0].Text() != "Prompt 1: 5 characters" || b.Messages[0].CustomType != "clock" || !b.Messages[0].Display || b.System != "be good\nKeep it short." {
		t.Fatalf("%+v", b)
	}
	lines, err := l.part.Instance.Render(t.Context(), ext.Render{Message: b.Messages[0], Width: 12, Expanded: true})
	if err != nil || len(lines) == 0 || !strings.HasPrefix(lines[0], "* Prompt 1") {
		t.Errorf("%q, %v", lines, err)
	}
	say := l.command(t, "say")
	if got := say.Complete(t.Context(), "n"); !slices.Equal(got, []ext.Completion{{Value: "now", Label: "now"}, {Value: "next", Label: "next"}}) {
		t.Errorf("completions %+v", got)
	}
	if got := say.Complete(t.Context(), "z"); len(got) != 0 {
		t.Errorf("completions %+v", got)
	}
	for _, args := range []string{"now a", "later b", "next c"} {
		if err := say.Run(t.Context(), args); err != nil {
			t.Error(err)
		}
	}
	l.view.Busy = true
	if err := say.Run(t.Context(), "now d"); err != nil {
		t.Error(err)
	}
	l.said(t, `send "a" `, `entry said {"when":"now","content":"a"}`, `send "b" followUp`, `entry said {"when":"later","content":"b"}`,
		`message clock "c" display=true trigger=false nextTurn `, `entry said {"when":"next","content":"c"}`, `send "d" steer`, `entry said {"when":"now","content":"d"}`)
}

func TestDynamicTools(t *testing.T) {
	l := use(t, "dynamic-tools.ts", nil)
	if n := len(l.part.Instance.Registered().Tools); n != 0 {
		t.Errorf("%d tools before the start", n)
	}
	l.host.SessionStart(t.Context())
	if text, _ := run(t, l.tool(t, "echo_start"), `{"text":"x"}`); text != "echo_start: x" {
		t.Errorf("got %q", text)
	}
	for _, name := range []string{"later", "read", "no good"} {
		err := l.command(t, "add-tool").Run(t.Context(), name)
		if bad := err != nil; bad != (name == "no good") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := l.command(t, "read-only").Run(t.Context(), ""); err != nil {
		t.Error(err)
	}
	l.tool(t, "later")
	l.said(t, "changed", "changed", `notify info "Registered later"`, `notify error "read is there already"`, "tools [read]")
}

// Two extensions of one session talk over pi.events, those of another don't hear.
func TestBus(t *testing.T) {
	m := New(Options{})
	here := newRecorder()
	sender, hearer := loadInto(t, here, m, example("bus")+"/index.ts"), loadInto(t, here, m, example("watcher.ts"))
	other := newRecorder()
	other.key = "other"
	stranger := loadInto(t, other, m, example("watcher.ts"))
	r := sender.host.ToolResult(t.Context(), ext.ToolResult{Call: ext.ToolCall{Name: "write", Arguments: json.RawMessage(`{"path":"a.go"}`)}, Details: json.RawMessage(`{"n":1}`)})
	if string(r.Details) != `{"announced":true,"n":1}` && string(r.Details) != `{"n":1,"announced":true}` {
		t.Errorf("details %s", r.Details)
	}
	for _, tt := range []struct {
		l    *loaded
		want string
	}{{hearer, "Tell about a.go"}, {stranger, "Tell about nothing"}} {
		if in, _ := tt.l.host.Input(t.Context(), ext.Input{Text: "what changed?", Source: "rpc"}); in.Text != tt.want {
			t.Errorf("got %q, want %q", in.Text, tt.want)
		}
	}
	c := hearer.host.BeforeCompact(t.Context(), ext.BeforeCompact{})
	if !slices.Equal(c.Context, []string{"Changed: a.go"}) || string(c.Preserve) != `{"changed":["a.go"]}` {
		t.Errorf("%+v", c)
	}
	code := 0
	if b := hearer.host.UserBash(t.Context(), ext.UserBash{Command: "uptime"}); !b.Handled || b.Output != "up for ever" || *b.ExitCode != code {
		t.Errorf("%+v", b)
	}
	if b := hearer.host.UserBash(t.Context(), ext.UserBash{Command: "ls"}); b.Handled {
		t.Errorf("%+v", b)
	}
	if !hearer.host.BeforeReplace(t.Context(), ext.Replace{Reason: "fork", EntryID: "e1"}) {
		t.Error("a question that nobody answered let the branch happen")
	}
}

// an agent that is a module has options as a file's, and tools of its own.
func TestAgentModule(t *testing.T) {
	m := New(Options{})
	a, e, err := m.Agent(t.Context(), example("agent/agent.ts"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if a.Name != "reviewer" || a.Limits.Turns != 8 || a.Mode != "plan" || len(a.Tools) != 3 || a.Tools[2].Name != "measure" || !a.Tools[2].NeedsApproval {
		t.Errorf("%+v", a)
	}
	instance, err := e.Load(t.Context(), newRecorder())
	if err != nil {
		t.Fatal(err)
	}
	defer instance.Close()
	tools := instance.Registered().Tools
	if len(tools) != 1 {
		t.Fatalf("%d tools", len(tools))
	}
	if n, ok := tools[0].(ext.NeedsApproval); !ok || !n.NeedsApproval() {
		t.Error("it needs no approval")
	}
	if text, _ := run(t, tools[0], `{"text":"a\nb"}`); text != `{"lines":2}` {
		t.Errorf("got %q", text)
	}
}
