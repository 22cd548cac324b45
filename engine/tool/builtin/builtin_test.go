package builtin

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/shell"
	"github.com/hoopoe-agent/hoopoe/engine/tool"
	"github.com/hoopoe-agent/hoopoe/engine/workspace"
)

// bench is a session over a folder of its own.
type bench struct {
	testing.TB
	dir string
	env tool.Env
}

func newBench(t testing.TB, files map[string]string) *bench {
	t.Helper()
	sh, err := shell.FindShell(runtime.GOOS, exec.LookPath)
	if err != nil {
		t.Skip(err)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	runner := shell.NewRunner(shell.Options{Shell: sh, Environ: os.Environ(), Spool: t.TempDir()})
	w, err := workspace.NewLocal(workspace.Options{Cwd: dir, Home: "/nowhere", Runner: runner})
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{TB: t, dir: dir, env: tool.Env{Workspace: w, Files: workspace.NewLedger(), Images: true}}
	for name, content := range files {
		b.plant(name, content)
	}
	return b
}

func (b *bench) path(name string) string { return filepath.Join(b.dir, filepath.FromSlash(name)) }

func (b *bench) plant(name, content string) {
	b.Helper()
	if err := os.MkdirAll(filepath.Dir(b.path(name)), 0o755); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(b.path(name), []byte(content), 0o644); err != nil {
		b.Fatal(err)
	}
}

func (b *bench) content(name string) string {
	b.Helper()
	data, err := os.ReadFile(b.path(name))
	if err != nil {
		b.Fatal(err)
	}
	return string(data)
}

// call prepares a call as the loop does: the arguments pass the schema.
func (b *bench) call(t tool.Tool, args string) tool.Call {
	b.Helper()
	raw, err := tool.Check(t.Spec(), json.RawMessage(args))
	if err != nil {
		b.Fatal(err)
	}
	return tool.Call{ID: "1", Name: t.Spec().Name, Arguments: raw, Env: b.env, Progress: func(tool.Result) {}}
}

func (b *bench) run(t tool.Tool, args string) (tool.Result, error) {
	b.Helper()
	return t.Run(b.Context(), b.call(t, args))
}

// text runs a call that must succeed and returns its text.
func (b *bench) text(t tool.Tool, args string) string {
	b.Helper()
	r, err := b.run(t, args)
	if err != nil {
		b.Fatalf("%s %s: %v", t.Spec().Name, args, err)
	}
	return message.Text(r.Content)
}

// fails runs a call that must fail with an error that holds every one of want.
func (b *bench) fails(t tool.Tool, args string, want ...string) {
	b.Helper()
	r, err := b.run(t, args)
	if err == nil {
		b.Errorf("%s %s succeeded: %s", t.Spec().Name, args, message.Text(r.Content))
		return
	}
	holds(b, failure(r, err), want...)
}

// failure is what the model is told of a failed call.
func failure(r tool.Result, err error) string {
	if text := message.Text(r.Content); text != "" {
		return text + "\n" + err.Error()
	}
	return err.Error()
}

func (b *bench) describe(t tool.Tool, args string) tool.Description {
	b.Helper()
	d, err := t.(tool.Describer).Describe(b.Context(), b.call(t, args))
	if err != nil {
		b.Fatal(err)
	}
	return d
}

func (b *bench) preview(t tool.Tool, args string) (string, error) {
	b.Helper()
	return t.(tool.Previewer).Preview(b.Context(), b.call(t, args))
}

func holds(t testing.TB, text string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(text, w) {
			t.Errorf("lacks %q:\n%s", w, text)
		}
	}
}

// marshal quotes a value for arguments.
func marshal(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(raw)
}

// failing is a workspace whose disk is full.
type failing struct {
	workspace.Workspace
	err error
}

func (f failing) WriteFile(context.Context, string, []byte) error { return f.err }

func TestStandard(t *testing.T) {
	r, err := tool.NewRegistry(append(Standard(), Ask(true))...)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range r.Tools() {
		s := x.Spec()
		if s.Description == "" || s.Summary == "" || s.Label == "" || s.Kind == "" {
			t.Errorf("%s is not fully described: %+v", s.Name, s)
		}
		if _, err := s.Compile(); err != nil {
			t.Error(err)
		}
		if _, ok := x.(tool.Describer); !ok {
			t.Errorf("%s can't say what a call will do", s.Name)
		}
		if strings.Contains(string(s.Parameters), `"null"`) {
			t.Errorf("%s offers null: %s", s.Name, s.Parameters)
		}
	}
	if got, err := r.Find("todo_write"); err != nil || got.Spec().Name != "todo" {
		t.Errorf("todo_write: %v, %v", got, err)
	}
}

// E-4: tools reach files and processes only through their workspace.
func TestNoDirectAccess(t *testing.T) {
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range file.Imports {
			switch path := strings.Trim(spec.Path.Value, `"`); path {
			case "os", "os/exec", "io/ioutil", "syscall", "net", "net/http", "github.com/hoopoe-agent/hoopoe/engine/shell":
				t.Errorf("%s imports %s", name, path)
			}
		}
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range []string{"Abs", "EvalSymlinks", "Glob", "Walk", "WalkDir"} {
			if strings.Contains(string(source), "filepath."+f+"(") {
				t.Errorf("%s calls filepath.%s", name, f)
			}
		}
		checked++
	}
	if checked < 10 {
		t.Errorf("only %d files were checked", checked)
	}
}

// Permission is given by what Describe says: it must be where Run would go.
func TestDescribe(t *testing.T) {
	b := newBench(t, map[string]string{"a.txt": "x", "d/b.txt": "y"})
	outside, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"out": outside, "d/in": b.path("a.txt"), "dangling": filepath.Join(outside, "new")} {
		if err := os.Symlink(to, b.path(link)); err != nil {
			t.Skip("no symlinks here")
		}
	}
	for _, tt := range []struct {
		tool      tool.Tool
		args      string
		title     string
		path      string
		write, in bool
	}{
		{Read(), `{"path":"a.txt","offset":3,"limit":2}`, "Read a.txt lines 3-4", b.path("a.txt"), false, true},
		{Read(), `{"path":"out/x"}`, "Read " + outside + "/x", outside + "/x", false, false},
		{Read(), `{"path":"d/../../etc/passwd"}`, "", filepath.Join(filepath.Dir(b.dir), "etc/passwd"), false, false},
		{Write(), `{"path":"dangling","content":""}`, "", outside + "/new", true, false},
		{Write(), `{"path":"d/in","content":""}`, "Write a.txt", b.path("a.txt"), true, true},
		{Edit(), `{"path":"@a.txt","oldText":"x","newText":"z"}`, "Edit a.txt", b.path("a.txt"), true, true},
		{Grep(), `{"pattern":"x"}`, `Search for "x" in .`, b.dir, false, true},
		{Grep(), `{"pattern":"x","path":"out"}`, "", outside, false, false},
		{Find(), `{"pattern":"*.go","path":"d"}`, `Find *.go in d`, b.path("d"), false, true},
		{Ls(), `{}`, "List .", b.dir, false, true},
		{Ls(), `{"path":"/"}`, "List /", "/", false, false},
	} {
		d := b.describe(tt.tool, tt.args)
		want := tool.Path{Path: filepath.FromSlash(tt.path), Write: tt.write, Inside: tt.in}
		if len(d.Paths) == 1 {
			d.Paths[0].Line = 0
		}
		if len(d.Paths) != 1 || d.Paths[0] != want || tt.title != "" && d.Title != tt.title || d.Kind != tt.tool.Spec().Kind {
			t.Errorf("%s %s: %+v, want title %q and %+v", tt.tool.Spec().Name, tt.args, d, tt.title, want)
		}
	}
	if d := b.describe(Bash(), `{"command":"go test ./...\necho done"}`); d.Title != "Run go test ./... …" || d.Command != "go test ./...\necho done" {
		t.Errorf("bash: %+v", d)
	}
}

// E-5, E-4: names of any script work, and hostile ones can't forge output.
func TestNames(t *testing.T) {
	for _, name := range []string{"ملف.txt", "文件/资料.txt", "-rf", "a b", "$(touch x)", "'q'", "#c", "line\nbreak", "esc\x1b[2J", "é", "e\u0301", "🧿.txt"} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, nil)
			b.text(Write(), `{"path":`+marshal(name)+`,"content":"one\n"}`)
			b.text(Edit(), `{"path":`+marshal(name)+`,"oldText":"one","newText":"two"}`)
			if got := b.text(Read(), `{"path":`+marshal(name)+`}`); got != "two\n" {
				t.Errorf("read %q", got)
			}
			for _, out := range []string{b.text(Grep(), `{"pattern":"two"}`), b.text(Find(), `{"pattern":"**"}`), b.text(Ls(), `{}`)} {
				if strings.ContainsAny(out, "\x1b") || strings.Contains(out, "line\nbreak") {
					t.Errorf("control characters pass: %q", out)
				}
			}
			if b.content(name) != "two\n" {
				t.Errorf("content %q", b.content(name))
			}
			entries, err := os.ReadDir(b.dir)
			if err != nil || len(entries) != 1 {
				t.Errorf("more than one entry: %v, %v", entries, err)
			}
		})
	}
	b := newBench(t, nil)
	for _, x := range []tool.Tool{Read(), Ls()} {
		b.fails(x, `{"path":"a\u0000b"}`, "NUL")
	}
}

func TestMissing(t *testing.T) {
	b := newBench(t, map[string]string{"src/server.go": "x", "README.md": ""})
	b.fails(Read(), `{"path":"src/sever.go"}`, "src/sever.go doesn't exist", "did you mean src/server.go?")
	b.fails(Read(), `{"path":"readme"}`, "did you mean README.md?")
	b.fails(Read(), `{"path":"lib/x.go"}`, "lib/x.go doesn't exist; neither does the folder lib")
	b.fails(Edit(), `{"path":"none","oldText":"a","newText":"b"}`, "doesn't exist", "use write")
	b.fails(Grep(), `{"pattern":"x","path":"scr"}`, "did you mean src?")
	b.fails(Find(), `{"pattern":"x","path":"scr"}`, "did you mean src?")
	b.fails(Ls(), `{"path":"scr"}`, "did you mean src?")
}

// Cancelling ends a call.
func TestCancelled(t *testing.T) {
	b := newBench(t, map[string]string{"a": "x"})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tt := range []struct {
		tool tool.Tool
		args string
	}{
		{Read(), `{"path":"a"}`}, {Write(), `{"path":"a","content":"y"}`}, {Edit(), `{"path":"a","oldText":"x","newText":"y"}`},
		{Bash(), `{"command":"touch b"}`}, {Grep(), `{"pattern":"x"}`}, {Find(), `{"pattern":"*"}`}, {Ls(), `{}`},
	} {
		if r, err := tt.tool.Run(ctx, b.call(tt.tool, tt.args)); err == nil {
			t.Errorf("%s went on: %s", tt.tool.Spec().Name, message.Text(r.Content))
		}
	}
	if b.content("a") != "x" {
		t.Error("a cancelled call wrote")
	}
	if _, err := os.Stat(b.path("b")); err == nil {
		t.Error("a cancelled command ran")
	}
}

// E-1: a full disk leaves the file and what is known of it as they were.
func TestDiskFull(t *testing.T) {
	b := newBench(t, map[string]string{"a": "x\n"})
	full := &fs.PathError{Op: "write", Path: "a", Err: fs.ErrInvalid}
	b.text(Read(), `{"path":"a"}`)
	local := b.env.Workspace
	b.env.Workspace = failing{local, full}
	b.fails(Write(), `{"path":"a","content":"y"}`, "write a")
	b.fails(Edit(), `{"path":"a","oldText":"x","newText":"y"}`, "write a")
	b.env.Workspace = local
	if got := b.text(Edit(), `{"path":"a","oldText":"x","newText":"y"}`); got != "Edited a at line 1 (+1 -1 lines)." {
		t.Error(got)
	}
}

func BenchmarkRead200(b *testing.B) {
	x := newBench(b, map[string]string{"main.go": strings.Repeat("\tfmt.Println(\"hello, world\")\n", 300)})
	read := Read()
	call := x.call(read, `{"path":"main.go"}`)
	b.ReportAllocs()
	for b.Loop() {
		for range 200 {
			if _, err := read.Run(b.Context(), call); err != nil {
				b.Fatal(err)
			}
		}
	}
}

func BenchmarkBash200(b *testing.B) {
	x := newBench(b, nil)
	bash := Bash()
	call := x.call(bash, `{"command":"true"}`)
	for b.Loop() {
		for range 200 {
			if _, err := bash.Run(b.Context(), call); err != nil {
				b.Fatal(err)
			}
		}
	}
}

var update = flag.Bool("update", false, "rewrite golden files")

// What models are told of the tools: a change of it is a decision, not a side
// effect.
func TestSchemas(t *testing.T) {
	var got bytes.Buffer
	for _, x := range append(Standard(), Ask(true), Fetch(nil)) {
		s := x.Spec()
		fmt.Fprintf(&got, "%s: %s\n", s.Name, s.Summary)
		if err := json.Indent(&got, s.Parameters, "", "  "); err != nil {
			t.Fatal(err)
		}
		got.WriteString("\n\n")
	}
	golden := filepath.Join("testdata", "schemas.golden")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Errorf("the schemas differ from %s; run with -update if that is meant:\n%s", golden, got.String())
	}
}
