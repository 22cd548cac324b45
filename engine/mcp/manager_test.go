package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/tool"
)

// told collects notices.
type told struct {
	mu    sync.Mutex
	lines []string
}

func (n *told) notify(level, text string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lines = append(n.lines, level+": "+text)
}

func (n *told) String() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return strings.Join(n.lines, "\n")
}

// manage starts a manager that ends with the test.
func manage(t *testing.T, o Options) (*Manager, *told) {
	t.Helper()
	notices := &told{}
	o.Notify = notices.notify
	if o.Environ == nil {
		o.Environ = os.Environ()
	}
	if o.Dir == "" {
		o.Dir = t.TempDir()
	}
	m := New(o)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		if err := m.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	return m, notices
}

func find(t *testing.T, m *Manager, name string) tool.Tool {
	t.Helper()
	for _, x := range m.Tools() {
		if x.Spec().Name == name {
			return x
		}
	}
	t.Fatalf("no tool %s; status %+v", name, m.Status())
	return nil
}

// run calls a tool as the engine does.
func run(ctx context.Context, t *testing.T, m *Manager, name, args string, progress func(string)) (tool.Result, error) {
	t.Helper()
	x := find(t, m, name)
	checked, err := tool.Check(x.Spec(), json.RawMessage(args))
	if err != nil {
		return tool.Result{}, err
	}
	return x.Run(ctx, tool.Call{ID: "1", Name: name, Arguments: checked, Env: tool.Env{Images: true}, Progress: func(r tool.Result) {
		if progress != nil {
			progress(message.Text(r.Content))
		}
	}})
}

// onWeb serves the good server on the loopback.
func onWeb(t *testing.T) Server {
	t.Helper()
	s := goodServer()
	h := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, nil))
	t.Cleanup(func() {
		h.CloseClientConnections()
		h.Close()
	})
	return Server{Name: "good", URL: h.URL}
}

func transports(t *testing.T) map[string]func(*testing.T) Server {
	return map[string]func(*testing.T) Server{
		"stdio": func(t *testing.T) Server { return helper(t, "good") },
		"http":  onWeb,
	}
}

func TestTools(t *testing.T) {
	for name, server := range transports(t) {
		t.Run(name, func(t *testing.T) {
			m, notices := manage(t, Options{Servers: []Server{server(t)}, Roots: func() []string { return []string{"/w/a b"} }})
			if got := m.Status()[0]; got.State != Idle || len(m.Tools()) != 0 {
				t.Fatalf("before the start: %+v", got)
			}
			m.Start(t.Context())
			s := m.Status()[0]
			if s.State != Ready || s.Tools != 10 || s.Prompts != 1 || !s.Resources || s.Title != "The good server" || s.Version != "1.2" {
				t.Fatalf("status %+v, notices %s", s, notices)
			}
			spec := find(t, m, "mcp__good__echo").Spec()
			if spec.Kind != tool.Read || spec.Label != "ECHO" || spec.Description != "Does echo." || spec.Hidden {
				t.Errorf("spec %+v", spec)
			}
			if k := find(t, m, "mcp__good__fail").Spec().Kind; k != tool.Other {
				t.Errorf("kind %s", k)
			}
			for _, c := range []struct{ tool, args, want, err string }{
				{"echo", `{"text":"hi"}`, `you said {"text":"hi"}`, ""},
				{"echo", `{}`, `you said {}`, ""},
				{"fail", `{}`, "the disk is full", errTool.Error()},
				{"structured", `{}`, `{"n":5}`, ""},
				{"roots", `{}`, "file:///w/a%20b", ""},
				{"sample", `{}`, "sampling: ", ""},
				{"ask", `{}`, "no question: ", ""},
			} {
				res, err := run(t.Context(), t, m, "mcp__good__"+c.tool, c.args, nil)
				if text := message.Text(res.Content); !strings.HasPrefix(text, c.want) {
					t.Errorf("%s: %q, error %v", c.tool, text, err)
				}
				if got := errorText(err); got != c.err {
					t.Errorf("%s: error %q, want %q", c.tool, got, c.err)
				}
			}
			res, _ := run(t.Context(), t, m, "mcp__good__structured", `{}`, nil)
			if string(res.Details) != `{"structuredContent":{"n":5}}` {
				t.Errorf("details %s", res.Details)
			}
		})
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestDescribe(t *testing.T) {
	m, _ := manage(t, Options{Servers: []Server{onWeb(t)}})
	m.Start(t.Context())
	x := find(t, m, "mcp__good__fail")
	d, err := x.(tool.Describer).Describe(t.Context(), tool.Call{Arguments: json.RawMessage("{\"text\":\"a\\u001b\",\n\"b\":\"" + strings.Repeat("x", 300) + "\"}")})
	if err != nil || !strings.HasPrefix(d.Title, `good: fail {"text":"a\u001b", "b":"xx`) || len(d.Title) > 220 || d.Kind != tool.Other {
		t.Errorf("%+v, %v", d, err)
	}
}

func TestResultContent(t *testing.T) {
	m, _ := manage(t, Options{Servers: []Server{onWeb(t)}})
	m.Start(t.Context())
	res, err := run(t.Context(), t, m, "mcp__good__mixed", `{}`, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Content) != 3 || res.Content[1].Type != message.ImageBlock || res.Content[1].MimeType != "image/png" {
		t.Fatalf("%+v", res.Content)
	}
	want := "before\n[image, 14 bytes: not a picture that can be shown]\n[audio, audio/wav, 4 bytes: it can't be shown]\n" +
		"[resource memo: memo://1, text/plain]\nmemo://2:\ninside\n[memo://3: application/x, 3 bytes, it isn't text]"
	if got := message.Text(res.Content); got != want {
		t.Errorf("got %q", got)
	}
	x := find(t, m, "mcp__good__mixed")
	res, err = x.Run(t.Context(), tool.Call{Progress: func(tool.Result) {}})
	if err != nil || len(res.Content) != 1 || !strings.Contains(message.Text(res.Content), "[image: png, 2x3, ") {
		t.Errorf("for a model without images: %+v, %v", res.Content, err)
	}
	res, err = run(t.Context(), t, m, "mcp__good__long", `{}`, nil)
	if text := message.Text(res.Content); err != nil || len(text) > tool.MaxBytes+500 || !strings.Contains(text, "[Cut: lines 1-2000 of 100000") {
		t.Errorf("%d bytes, %v", len(text), err)
	}
}

func TestProgressAndCancel(t *testing.T) {
	for name, server := range transports(t) {
		t.Run(name, func(t *testing.T) {
			m, _ := manage(t, Options{Servers: []Server{server(t)}})
			m.Start(t.Context())
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var got []string
			_, err := run(ctx, t, m, "mcp__good__slow", `{}`, func(text string) {
				if got = append(got, text); text == "step (3 of 3)" {
					cancel()
				}
			})
			if !errors.Is(err, context.Canceled) || len(got) < 2 || got[0] != "step (1 of 3)" {
				t.Errorf("%v, progress %q", err, got)
			}
			if _, err := run(t.Context(), t, m, "mcp__good__echo", `{}`, nil); err != nil {
				t.Errorf("after a cancelled call: %v", err)
			}
		})
	}
}

func TestListChanged(t *testing.T) {
	for name, server := range transports(t) {
		t.Run(name, func(t *testing.T) {
			changed := make(chan struct{}, 100)
			m, _ := manage(t, Options{Servers: []Server{server(t)}, OnChange: func() { changed <- struct{}{} }})
			m.Start(t.Context())
			if _, err := run(t.Context(), t, m, "mcp__good__grow", `{}`, nil); err != nil {
				t.Fatal(err)
			}
			eventually(t, "the new tool is listed", func() bool { return m.Status()[0].Tools == 11 })
			if res, err := run(t.Context(), t, m, "mcp__good__grown", `{}`, nil); err != nil || message.Text(res.Content) != "new" {
				t.Errorf("%+v, %v", res, err)
			}
			if len(changed) < 3 { // connecting, ready, changed
				t.Errorf("%d changes were told", len(changed))
			}
		})
	}
}

func TestElicitation(t *testing.T) {
	for _, c := range []struct {
		name  string
		reply Reply
		err   error
		want  string
	}{
		{"accept", Reply{Accept, map[string]any{"colour": "red", "count": nil}}, nil, "accept map[colour:red]"},
		{"decline", Reply{Action: Decline, Values: map[string]any{"colour": "red"}}, nil, "decline map[]"},
		{"cancel", Reply{Action: Cancel}, nil, "cancel map[]"},
		{"no answer", Reply{}, errors.New("nobody there"), "cancel map[]"},
		{"wrong", Reply{Accept, map[string]any{"colour": "green"}}, nil, "no question: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got Elicitation
			m, _ := manage(t, Options{Servers: []Server{onWeb(t)}, Elicit: func(_ context.Context, e Elicitation) (Reply, error) {
				got = e
				return c.reply, c.err
			}})
			m.Start(t.Context())
			res, err := run(t.Context(), t, m, "mcp__good__ask", `{}`, nil)
			if text := message.Text(res.Content); err != nil || !strings.HasPrefix(text, c.want) {
				t.Errorf("%q, %v", text, err)
			}
			if got.Server != "good" || got.Message != "Which colour?" || len(got.Fields) != 2 {
				t.Fatalf("asked %+v", got)
			}
			if f := got.Fields[0]; f.Name != "colour" || !f.Required || len(f.Options) != 2 || f.Title != "colour" {
				t.Errorf("first field %+v", f)
			}
		})
	}
}

// A question that is open when the session closes goes away with it.
func TestElicitationEnds(t *testing.T) {
	asked := make(chan struct{})
	m, _ := manage(t, Options{Servers: []Server{helper(t, "good")}, Elicit: func(ctx context.Context, e Elicitation) (Reply, error) {
		close(asked)
		<-ctx.Done()
		return Reply{}, ctx.Err()
	}})
	m.Start(t.Context())
	failed := make(chan error)
	go func() {
		_, err := run(t.Context(), t, m, "mcp__good__ask", `{}`, nil)
		failed <- err
	}()
	<-asked
	if err := m.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-failed; err == nil {
		t.Error("the call didn't fail")
	}
}

func TestPrompts(t *testing.T) {
	m, _ := manage(t, Options{Servers: []Server{onWeb(t)}})
	m.Start(t.Context())
	p := m.Prompts()
	if len(p) != 1 || p[0].Command != "mcp__good__review" || p[0].Description != "Reviews files" || len(p[0].Arguments) != 2 {
		t.Fatalf("%+v", p)
	}
	values, err := p[0].Bind([]string{"main.go", "with", "care"})
	if err != nil {
		t.Fatal(err)
	}
	blocks, err := m.Prompt(t.Context(), "good", "review", values, true)
	if err != nil || message.Text(blocks) != "Review main.go with care" {
		t.Errorf("%+v, %v", blocks, err)
	}
	if _, err := m.Prompt(t.Context(), "good", "none", nil, true); err == nil {
		t.Error("an unknown prompt has a text")
	}
}

func TestBind(t *testing.T) {
	p := Prompt{Name: "p", Arguments: []PromptArgument{{Name: "a", Required: true}, {Name: "b"}}}
	for _, c := range []struct{ words, want, err string }{
		{"x", "a=x", ""},
		{"x y z", "a=x b=y z", ""},
		{"b=1 x", "a=x b=1", ""},
		{"a=1 b=2", "a=1 b=2", ""},
		{"c=1", "a=c=1", ""},
		{"", "", "the prompt p needs the argument a"},
		{"a=1 b=2 x", "", `the prompt p takes 2 arguments: "x" is too much`},
	} {
		values, err := p.Bind(strings.Fields(c.words))
		var got []string
		for _, k := range []string{"a", "b"} {
			if v, ok := values[k]; ok {
				got = append(got, k+"="+v)
			}
		}
		if strings.Join(got, " ") != c.want || errorText(err) != c.err {
			t.Errorf("%q: %q, %v", c.words, got, err)
		}
	}
}

func TestResources(t *testing.T) {
	m, _ := manage(t, Options{Servers: []Server{onWeb(t)}})
	m.Start(t.Context())
	for _, c := range []struct{ args, want, err string }{
		{`{}`, "Server good:\n- memo://1 | memo | a note\n", ""},
		{`{"uri":"memo://1"}`, "memo://1:\nremember", ""},
		{`{"uri":"memo://1","server":"good"}`, "memo://1:\nremember", ""},
		{`{"uri":"memo://1","server":"other"}`, "", `there is no MCP server "other"`},
		{`{"uri":"memo://2"}`, "", `the MCP server "good" refused: Resource not found (code -32602)`},
	} {
		res, err := run(t.Context(), t, m, ResourceTool, c.args, nil)
		if message.Text(res.Content) != c.want || errorText(err) != c.err {
			t.Errorf("%s: %q, %v", c.args, message.Text(res.Content), err)
		}
	}
}

func TestDisableAndRestart(t *testing.T) {
	m, notices := manage(t, Options{Servers: []Server{helper(t, "good"), {Name: "off", Command: "x", Disabled: true}}})
	m.Start(t.Context())
	if s := m.Status(); s[0].State != Ready || s[1].State != Disabled {
		t.Fatalf("%+v", s)
	}
	eventually(t, "its standard error is shown", func() bool { return m.Status()[0].Output == "the good server is up" })
	echo := find(t, m, "mcp__good__echo")
	if err := m.Disable("good"); err != nil {
		t.Fatal(err)
	}
	if len(m.Tools()) != 0 || m.Status()[0].State != Disabled {
		t.Errorf("a disabled server has tools: %+v", m.Status())
	}
	if _, err := echo.Run(t.Context(), tool.Call{}); errorText(err) != `the MCP server "good" can't be used: it is disabled` {
		t.Errorf("%v", err)
	}
	if err := m.Restart(t.Context(), "good"); !errors.Is(err, errDisabled) {
		t.Errorf("a disabled server was restarted: %v", err)
	}
	if err := m.Enable(t.Context(), "good"); err != nil {
		t.Fatal(err)
	}
	before := pid(m)
	if err := m.Restart(t.Context(), "good"); err != nil {
		t.Fatal(err)
	}
	if pid(m) == before || m.Status()[0].State != Ready {
		t.Error("it wasn't started anew")
	}
	if err := m.Restart(t.Context(), "none"); errorText(err) != `there is no MCP server "none"` {
		t.Errorf("%v", err)
	}
	if notices.String() != "" {
		t.Errorf("what was wanted is told as a failure: %s", notices)
	}
}

func pid(m *Manager) int {
	r := m.remote[0]
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.link.process.cmd.Process.Pid
}

func TestCloseIsFinal(t *testing.T) {
	m, _ := manage(t, Options{Servers: []Server{helper(t, "good")}})
	m.Start(t.Context())
	echo := find(t, m, "mcp__good__echo")
	if err := m.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := echo.Run(t.Context(), tool.Call{}); !errors.Is(err, errClosed) {
		t.Errorf("%v", err)
	}
	m.Start(t.Context())
	if err := m.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestWorkingDirectoryAndPath(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands are scripts")
	}
	dir := t.TempDir()
	sub := filepath.Join(dir, "sub")
	if err := os.Mkdir(sub, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(sub, "my-server"), []byte("#!/bin/sh\npwd >&2; exit 4\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	m, notices := manage(t, Options{Dir: dir, Servers: []Server{
		{Name: "a", Command: "my-server", Cwd: "sub", Env: map[string]string{"PATH": sub + ":" + os.Getenv("PATH")}},
		{Name: "b", Command: "./my-server", Cwd: sub},
		{Name: "c", Command: "./my-server"},
		{Name: "d", Command: "no-such-server"},
		{Name: "e", Command: "sh", Cwd: "none"},
	}})
	m.Start(t.Context())
	real, err := filepath.EvalSymlinks(sub)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"a" failed to start: it exited (exit status 4); it wrote: ` + real,
		`"b" failed to start: it exited (exit status 4); it wrote: ` + real,
		`"c" failed to start: the command "./my-server" doesn't exist`,
		`"d" failed to start: the command "no-such-server" isn't installed or not on the PATH`,
		`"e" failed to start: its working directory `,
	} {
		if !strings.Contains(notices.String(), want) {
			t.Errorf("missing %q in\n%s", want, notices)
		}
	}
}

// A session that has ended leaves no goroutine behind.
func TestNothingLeft(t *testing.T) {
	before := runtime.NumGoroutine()
	m, _ := manage(t, Options{Servers: []Server{helper(t, "good"), helper(t, "silent")}, StartTimeout: time.Second})
	m.Start(t.Context())
	if err := m.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	eventually(t, "all goroutines have ended", func() bool { return runtime.NumGoroutine() <= before })
}

// A failure is told before it shows: who finds no server on its way goes on
// without waiting, and must not be quicker than the notice.
func TestToldFirst(t *testing.T) {
	var m *Manager
	var state State
	m = New(Options{Servers: []Server{{Name: "bad", Command: "no-such-server"}}, Environ: os.Environ(), Dir: t.TempDir(), Notify: func(string, string) {
		state = m.Status()[0].State
	}})
	m.Start(t.Context())
	if err := m.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if state != Connecting {
		t.Errorf("told when the server was %q already", state)
	}
}
