package offline_test

import (
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/llm/llmtest"
	"github.com/hoopoe-agent/hoopoe/engine/llm/offline"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/shell"
	"github.com/hoopoe-agent/hoopoe/engine/tool"
	"github.com/hoopoe-agent/hoopoe/engine/tool/builtin"
	"github.com/hoopoe-agent/hoopoe/engine/workspace"
)

var update = flag.Bool("update", false, "write the golden files")

// talk is a conversation with the guide over real tools in a folder.
type talk struct {
	testing.TB
	dir      string
	env      tool.Env
	tools    []tool.Tool
	deny     string // tool that isn't allowed
	messages []message.Message
	log      strings.Builder
}

type todos struct{ phases []tool.TodoPhase }

func (l *todos) Get() []tool.TodoPhase { return l.phases }

func (l *todos) Set(_ context.Context, phases []tool.TodoPhase) ([]tool.TodoPhase, error) {
	l.phases = phases
	return phases, nil
}

type asker string

func (a asker) Ask(context.Context, string, string, []string) (string, bool, error) {
	return string(a), a != "", nil
}

func newTalk(t testing.TB) *talk {
	t.Helper()
	sh, err := shell.FindShell(runtime.GOOS, exec.LookPath)
	if err != nil {
		t.Skip(err)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"README.md":             "# Lapwing\n\n[![badge](x)](y)\n\nA small server that answers\nwith **greetings**.\n\n## Use\n",
		"go.mod":                "module example.com/lapwing\n\ngo 1.26\n",
		"LICENSE":               "                                 Apache License\n                           Version 2.0\n",
		"Makefile":              "VERSION := 1\nbuild:\n\tgo build ./...\ntest: build\n\tgo test ./...\n",
		"main.go":               "package main\n\n// TODO: flags\nfunc main() {\n\tfoo := 1\n\tprintln(foo, \"foo\")\n}\n",
		"internal/conf/conf.go": "package conf\n\n// TODO: defaults\nfunc parseConfig(s string) string { return s }\n",
		"web/app.js":            "const x = parseConfig('a')\n",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	runner := shell.NewRunner(shell.Options{Shell: sh, Environ: os.Environ(), Spool: t.TempDir()})
	w, err := workspace.NewLocal(workspace.Options{Cwd: dir, Home: "/nowhere", Runner: runner})
	if err != nil {
		t.Fatal(err)
	}
	return &talk{
		TB: t, dir: dir, env: tool.Env{Workspace: w, Files: workspace.NewLedger(), Todos: &todos{}, Asker: asker("9090")},
		tools: []tool.Tool{builtin.Read(), builtin.Write(), builtin.Edit(), builtin.Bash(), builtin.Grep(), builtin.Find(), builtin.Ls(), builtin.Todo(), builtin.Ask(true)},
	}
}

func (k *talk) without(names ...string) *talk {
	var kept []tool.Tool
	for _, t := range k.tools {
		if !strings.Contains(" "+strings.Join(names, " ")+" ", " "+t.Spec().Name+" ") {
			kept = append(kept, t)
		}
	}
	k.tools = kept
	return k
}

func (k *talk) request() llm.Request {
	req := llm.Request{Model: offline.Model(), System: "You are an agent.", Messages: k.messages}
	for _, t := range k.tools {
		s := t.Spec()
		req.Tools = append(req.Tools, llm.ToolSpec{Name: s.Name, Description: s.Description, Parameters: s.Parameters})
	}
	return req
}

// say sends a prompt and lets the guide work until it has nothing more to do.
// It returns the last text.
func (k *talk) say(prompt string) string {
	k.Helper()
	k.messages = append(k.messages, message.NewUser(prompt))
	k.log.WriteString("> " + prompt + "\n")
	for range 10 {
		_, end := llmtest.Collect(k, offline.New(offline.Options{}).Stream(k.Context(), k.request()))
		if end.Err != nil {
			k.Fatal(end.Err)
		}
		k.messages = append(k.messages, end.Message)
		k.log.WriteString(end.Message.Text() + "\n")
		calls := end.Message.Calls()
		if len(calls) == 0 {
			return end.Message.Text()
		}
		for _, c := range calls {
			k.log.WriteString("  " + c.Name + " " + string(c.Arguments) + "\n")
			k.messages = append(k.messages, k.run(c))
		}
	}
	k.Fatalf("the guide never finished %q:\n%s", prompt, k.log.String())
	return ""
}

func (k *talk) run(c message.Block) message.Message {
	k.Helper()
	m := message.Message{Role: message.ToolResult, ToolCallID: c.ID, ToolName: c.Name}
	fail := func(text string) message.Message {
		m.IsError, m.Content = true, []message.Block{message.TextOf(text)}
		return m
	}
	if c.Name == k.deny {
		return fail("Permission denied: it changes files, and there is nobody to ask here. Don't try it another way.")
	}
	for _, t := range k.tools {
		if t.Spec().Name != c.Name {
			continue
		}
		args, err := tool.Check(t.Spec(), c.Arguments)
		if err != nil {
			k.Fatalf("the guide called %s with %s: %v", c.Name, c.Arguments, err)
		}
		r, err := t.Run(k.Context(), tool.Call{ID: c.ID, Name: c.Name, Arguments: args, Env: k.env, Progress: func(tool.Result) {}})
		if err != nil {
			return fail(err.Error())
		}
		m.Content, m.Details = r.Content, r.Details
		return m
	}
	k.Fatalf("the guide called %s, which wasn't offered", c.Name)
	return m
}

func (k *talk) content(name string) string {
	data, err := os.ReadFile(filepath.Join(k.dir, name))
	if err != nil {
		return err.Error()
	}
	return string(data)
}

func (k *talk) golden(name string) {
	k.Helper()
	file := filepath.Join("testdata", name+".golden")
	got := strings.ReplaceAll(k.log.String(), k.dir, "DIR")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			k.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			k.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		k.Fatal(err)
	}
	if got != string(want) {
		k.Errorf("%s differs, got:\n%s", file, got)
	}
}
