package print

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine"
	"github.com/hoopoe-agent/hoopoe/engine/config"
	"github.com/hoopoe-agent/hoopoe/engine/session"
	"github.com/hoopoe-agent/hoopoe/slash"
)

// noLibrary has no sessions.
type noLibrary struct{}

func (noLibrary) Sessions(context.Context, string) ([]session.Summary, error) { return nil, nil }
func (noLibrary) FindSession(context.Context, string, string) (string, error) {
	return "", session.ErrNotFound
}
func (noLibrary) Spending(context.Context, time.Time, func(session.Spending)) error { return nil }

// open makes a session whose model plays the script.
func open(t testing.TB, script string, o engine.OpenOptions) *engine.Session {
	t.Helper()
	root := t.TempDir()
	file := filepath.Join(root, "model.script")
	if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	paths, _ := config.FindPaths(config.Places{
		Getenv: func(string) string { return "" }, Home: func() (string, error) { return root, nil }, Cwd: root,
	})
	o.Cwd, o.Model = root, "script/"+file
	s, notices, err := engine.New(engine.Options{Paths: paths, Environ: os.Environ()}).Open(t.Context(), o)
	if err != nil || len(notices) > 0 {
		t.Fatal(err, notices)
	}
	t.Cleanup(func() {
		if err := s.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	return s
}

func options(s Session, text string) Options {
	return Options{
		Session: s, Text: text, Now: fixedNow, Stdout: io.Discard, Stderr: io.Discard,
		Commands: slash.Builtins(slash.Options{Library: noLibrary{}, Now: fixedNow}),
	}
}

// Requirement E-2: what ends a prompt is told, and told apart.
func TestRunVerdicts(t *testing.T) {
	call := "-- turn --\n-- call write --\n{\"path\":\"a\",\"content\":\"b\"}\n-- turn --\n-- text --\nI could not.\n"
	for _, c := range []struct {
		name, script, text string
		open               engine.OpenOptions
		stdout, err        string
	}{
		{name: "done", script: "-- turn --\n-- text --\nYes.\n", stdout: "Yes.\n"},
		{name: "denied", script: call, stdout: "I could not.\n", err: "write was denied, because nobody can be asked here; allow it with --permissions edit"},
		{name: "denied by plan", script: call, open: engine.OpenOptions{Mode: "plan"}, stdout: "I could not.\n"},
		{name: "failed", script: "-- turn --\n-- text --\nHalf\n-- error kind=bad_request --\nno\n", stdout: "Half\n", err: "the model failed: "},
		{name: "step limit", script: "-- turn --\ntimes: always\n-- call ls --\n{}\n", open: engine.OpenOptions{Limits: config.Limits{Turns: 2}}, err: "stopped: the limit is reached: 2 model calls; the task may not be done: go on with --continue, or raise --max-turns"},
		{name: "budget", script: "-- turn --\ntimes: always\n-- call ls --\n{}\n-- usage output=50 --\n", open: engine.OpenOptions{Limits: config.Limits{OutputTokens: 60}}, err: "the limit is reached: 100 output tokens"},
		{name: "refused", script: "-- turn --\n-- stop refusal --\n", err: "the prompt was refused"},
		{name: "cut off", script: "-- turn --\ntimes: always\n-- text --\nand\n-- stop length --\n", stdout: "and\n", err: "cut off"},
		{name: "question", script: "-- turn --\n-- call ask --\n{\"question\":\"Which?\",\"options\":[\"red\",\"green\"]}\n", stdout: "Which?\n"},
		{name: "command", text: "/thinking", script: "-- turn --\n", stdout: "Thinking is medium. Choose with /thinking off|"},
		{name: "failed command", text: "/model nothing", script: "-- turn --\n", err: "/model: "},
		{name: "unknown command", text: "/nothing", script: "-- turn --\non: /nothing\n-- text --\nText.\n", stdout: "Text.\n"},
		{name: "literal slash", text: "//model", script: "-- turn --\non: /model\n-- text --\nText.\n", stdout: "Text.\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.text == "" {
				c.text = "go"
			}
			var out bytes.Buffer
			o := options(open(t, c.script, c.open), c.text)
			o.Stdout = &out
			err := Run(t.Context(), o)
			if c.err == "" && err != nil || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
				t.Errorf("error %v, want %q", err, c.err)
			}
			if !strings.HasPrefix(out.String(), c.stdout) || c.stdout == "" && out.Len() > 0 {
				t.Errorf("stdout %q, want %q", &out, c.stdout)
			}
		})
	}
}

// full takes some bytes and then no more.
type full struct{ left int }

func (f *full) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, errors.New("no space left on device")
	}
	return len(p), nil
}

// An answer that can't be written stops the run and is an error.
func TestRunOutputFails(t *testing.T) {
	for _, json := range []bool{false, true} {
		t.Run(fmt.Sprint("json ", json), func(t *testing.T) {
			s := open(t, "-- turn --\n-- text --\nAn answer.\n", engine.OpenOptions{})
			o := options(s, "go")
			o.JSON, o.Stdout = json, &full{left: 4}
			err := Run(t.Context(), o)
			if !errors.Is(err, errOutput) || !strings.Contains(err.Error(), "no space left") {
				t.Errorf("error %v", err)
			}
			if err := s.Settled(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// A cancelled context stops the run in order and is told by its cause.
func TestRunCancelled(t *testing.T) {
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	s := open(t, "-- turn --\n-- text --\nHalf\n-- delay 1h --\n", engine.OpenOptions{})
	o := options(s, "go")
	o.Live = true
	o.Stdout = writer(func(p []byte) { cancel(cause) })
	if err := Run(ctx, o); !errors.Is(err, cause) {
		t.Errorf("error %v", err)
	}
	v, err := s.View(t.Context())
	if err != nil || v.State != string(engine.Idle) {
		t.Errorf("state %s, %v", v.State, err)
	}
}

type writer func([]byte)

func (w writer) Write(p []byte) (int, error) { w(p); return len(p), nil }

// Twenty thousand deltas through the loop, the session and print.
func BenchmarkRun(b *testing.B) {
	for _, json := range []bool{false, true} {
		b.Run(map[bool]string{false: "text", true: "json"}[json], func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				o := options(open(b, "-- turn --\n-- text piece=9 repeat=20000 --\nword and \n", engine.OpenOptions{InMemory: true}), "go")
				o.JSON, o.Live = json, true
				b.StartTimer()
				if err := Run(b.Context(), o); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N), "ms/run")
		})
	}
}
