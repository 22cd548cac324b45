package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine"
	"github.com/hoopoe-agent/hoopoe/engine/config"
	"github.com/hoopoe-agent/hoopoe/engine/ext"
	"github.com/hoopoe-agent/hoopoe/engine/jsonl"
	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/llm/scripted"
	"github.com/hoopoe-agent/hoopoe/engine/session"
	"github.com/hoopoe-agent/hoopoe/modes/rpc/strict"
	"github.com/hoopoe-agent/hoopoe/slash"
)

// patience is a guard: nothing here takes that long unless it hangs.
const patience = 30 * time.Second

// noLibrary has no sessions.
type noLibrary struct{}

func (noLibrary) Sessions(context.Context, string) ([]session.Summary, error) { return nil, nil }
func (noLibrary) FindSession(context.Context, string, string) (string, error) {
	return "", session.ErrNotFound
}
func (noLibrary) Spending(context.Context, time.Time, func(session.Spending)) error { return nil }

// setup is what a test changes about a connection.
type setup struct {
	open  engine.OpenOptions
	mode  func(*Options)
	hooks []ext.Hooks
	// settings, models and auth are the user's files of these names. With models
	// of the user's the api openai-completions plays the script.
	settings, models, auth string
	// files are what lies in the working directory.
	files map[string]string
	// keyed opens the session without a model of its own.
	keyed bool
	// loose leaves the stream unchecked, for tests of single frames.
	loose bool
	// slow keeps the harness from reading until read is called.
	slow bool
}

// host is a connection to a server in this process, seen from the host.
type host struct {
	t       testing.TB
	dir     string
	home    string
	session *engine.Session
	in      *io.PipeWriter
	check   *strict.Stream

	mu     sync.Mutex
	wake   sync.Cond
	lines  []string // all that came
	next   int      // the first that hasn't been taken
	closed bool

	out   *io.PipeReader
	ended chan error
}

// connect opens a session whose model plays the script, and serves it.
func connect(t testing.TB, script string, s setup) *host {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(t.TempDir(), "model.script")
	if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	paths, _ := config.FindPaths(config.Places{
		Getenv: func(string) string { return "" }, Home: func() (string, error) { return home, nil }, Cwd: dir,
	})
	files := map[string]string{paths.Settings(): s.settings, paths.Models(): s.models, paths.Auth(): s.auth}
	for name, text := range s.files {
		files[filepath.Join(dir, name)] = text
	}
	for path, text := range files {
		if text == "" {
			continue
		}
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	s.open.Cwd = dir
	if s.open.Model == "" && !s.keyed {
		s.open.Model = "script/" + file
	}
	if s.open.Mode == "" {
		s.open.Mode = "full"
	}
	options := engine.Options{Paths: paths, Environ: os.Environ(), Offline: true, Hooks: s.hooks}
	if s.models != "" {
		options.Offline, options.Adapters = false, map[string]llm.Adapter{"openai-completions": playing(t, script)}
	}
	e := engine.New(options)
	opened, notices, err := e.Open(t.Context(), s.open)
	if err != nil || len(notices) > 0 {
		t.Fatal(err, notices)
	}
	in, stdin := io.Pipe()
	stdout, out := io.Pipe()
	o := Options{
		Session: opened, Stdin: in, Stdout: out, Version: "0.0.0-test", End: patience,
		Commands: slash.Builtins(slash.Options{Library: noLibrary{}, Now: time.Now, More: slash.Added}),
	}
	if s.mode != nil {
		s.mode(&o)
	}
	h := &host{t: t, dir: dir, home: home, session: opened, in: stdin, out: stdout, ended: make(chan error, 1)}
	h.wake.L = &h.mu
	if !s.loose {
		h.check = strict.New(strict.Options{Dialect: o.Dialect, Delta: o.Deltas})
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	go func() {
		err := Run(ctx, o)
		out.Close()
		h.ended <- err
	}()
	if !s.slow {
		h.read()
	}
	t.Cleanup(func() {
		stdin.Close()
		cancel()
		stdout.CloseWithError(errors.New("the test is over"))
		if err := opened.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	return h
}

// playing is an adapter that plays a script instead of opening a connection.
func playing(t testing.TB, script string) llm.Adapter {
	t.Helper()
	parsed, err := scripted.Parse("model.script", []byte(script))
	if err != nil {
		t.Fatal(err)
	}
	return func(llm.Model, llm.Connection) (llm.Provider, error) {
		return scripted.New(parsed, scripted.Options{}), nil
	}
}

// read begins to take the server's lines.
func (h *host) read() {
	go func() {
		lines := jsonl.NewReader(h.out, 0)
		for {
			line, err := lines.Next()
			h.mu.Lock()
			if err != nil {
				h.closed = true
				h.wake.Broadcast()
				h.mu.Unlock()
				return
			}
			h.lines = append(h.lines, string(line.Data))
			if h.check != nil {
				if err := h.check.Line(line.Data); err != nil {
					h.t.Errorf("strict reader: %v\n%s", err, shortened(string(line.Data)))
					h.check = nil
				}
			}
			h.wake.Broadcast()
			h.mu.Unlock()
		}
	}()
}

func shortened(line string) string {
	if len(line) > 600 {
		return line[:600] + "…"
	}
	return line
}

// send writes a line of the host's.
func (h *host) send(format string, args ...any) {
	h.t.Helper()
	line := format
	if len(args) > 0 {
		line = fmt.Sprintf(format, args...)
	}
	if h.check != nil {
		h.mu.Lock()
		h.check.Sent([]byte(line))
		h.mu.Unlock()
	}
	if _, err := io.WriteString(h.in, line+"\n"); err != nil {
		h.t.Fatal(err)
	}
}

// frame is a decoded line.
type frame struct {
	line    string
	Type    string
	ID      json.RawMessage
	Command string
	Success bool
	Error   string
	Data    json.RawMessage
	Method  string
	Call    string `json:"toolCallId"`
	Title   string
	Options []string
	Event   struct{ Type string } `json:"assistantMessageEvent"`
}

func decode(t testing.TB, line string) frame {
	t.Helper()
	f := frame{line: line}
	if err := json.Unmarshal([]byte(line), &f); err != nil {
		t.Fatalf("%v: %s", err, line)
	}
	return f
}

// take returns the next line; ok is false at the end of the output.
func (h *host) take() (f frame, ok bool) {
	h.t.Helper()
	timer := time.AfterFunc(patience, func() {
		h.mu.Lock()
		h.wake.Broadcast()
		h.mu.Unlock()
	})
	defer timer.Stop()
	deadline := time.Now().Add(patience)
	h.mu.Lock()
	defer h.mu.Unlock()
	for h.next == len(h.lines) && !h.closed {
		if time.Now().After(deadline) {
			h.t.Fatalf("nothing came for %v after:\n%s", patience, h.tail())
		}
		h.wake.Wait()
	}
	if h.next == len(h.lines) {
		return frame{}, false
	}
	h.next++
	return decode(h.t, h.lines[h.next-1]), true
}

func (h *host) tail() string {
	from := max(0, len(h.lines)-20)
	var b strings.Builder
	for _, l := range h.lines[from:] {
		fmt.Fprintln(&b, shortened(l))
	}
	return b.String()
}

// until takes lines up to the first that fits.
func (h *host) until(what string, fits func(frame) bool) frame {
	h.t.Helper()
	for {
		f, ok := h.take()
		if !ok {
			h.t.Fatalf("the output ended before %s:\n%s", what, h.tail())
		}
		if fits(f) {
			return f
		}
	}
}

func (h *host) untilType(kind string) frame {
	h.t.Helper()
	return h.until(kind, func(f frame) bool { return f.Type == kind })
}

// answer takes lines up to the response to an id.
func (h *host) answer(id string) frame {
	h.t.Helper()
	return h.until("the response to "+id, func(f frame) bool { return f.Type == "response" && string(f.ID) == `"`+id+`"` })
}

// ask sends a command and returns its response.
func (h *host) ask(id, format string, args ...any) frame {
	h.t.Helper()
	h.send(format, args...)
	return h.answer(id)
}

// finish ends stdin and waits for the server's end.
func (h *host) finish() error {
	h.t.Helper()
	h.in.Close()
	select {
	case err := <-h.ended:
		h.mu.Lock()
		for !h.closed {
			h.wake.Wait()
		}
		h.mu.Unlock()
		if h.check != nil {
			if err := h.check.End(); err != nil {
				h.t.Errorf("strict reader: %v", err)
			}
		}
		return err
	case <-time.After(patience):
		h.t.Fatal("the server didn't end")
		return nil
	}
}
