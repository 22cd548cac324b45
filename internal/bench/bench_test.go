//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/hoopoe-agent/hoopoe/engine/llm/llmtest/mockserver"
)

func newBench(t *testing.T, o options) *bench {
	s := newStage()
	t.Cleanup(s.close)
	o.runs, o.budget, o.limit, o.path = 1, time.Minute, time.Minute, os.Getenv("PATH")
	return &bench{options: o, folder: t.TempDir(), stage: s, log: t.Output()}
}

// script is a program for /bin/sh.
func script(t *testing.T, text string) string {
	path := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// Whoever can't take part is named with a reason.
func TestAbsentRivals(t *testing.T) {
	for name, c := range map[string]struct{ program, want string }{
		"not installed": {"no-such-program", "no-such-program is not installed"},
		"no version":    {script(t, "echo none"), "--version names no version: none"},
		"a failure":     {script(t, "echo 1.2; [ $1 = --version ] || { echo 'no \x1b[31mkey' >&2; exit 3; }"), "it doesn't answer: exit status 3: 1.2"},
		"no answer":     {script(t, "echo 1.2"), `it doesn't answer: no "mockingbird" in its output: 1.2`},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, options{})
			p := pi()
			p.program = c.program
			_, _, err := b.introduce(t.Context(), p)
			if err == nil || err.Error() != c.want {
				t.Errorf("%v, not %s", err, c.want)
			}
		})
	}
}

func TestEndsWhatDoesNotEnd(t *testing.T) {
	b := newBench(t, options{})
	b.limit = 50 * time.Millisecond
	w, err := newPlace(b.folder, b.stage.url(), b.path, pi())
	if err != nil {
		t.Fatal(err)
	}
	_, err = b.run1(t.Context(), w.command(pi(), script(t, "sleep 600 & wait")))
	if err == nil || !strings.HasPrefix(err.Error(), "no end: ") {
		t.Errorf("%v", err)
	}
}

// A chat that shows no prompt is waited for once, not in each work.
func TestSilentChat(t *testing.T) {
	b := newBench(t, options{})
	b.limit = 300 * time.Millisecond
	p := pi()
	starts := filepath.Join(t.TempDir(), "starts")
	p.program = script(t, "echo begun >> "+starts+"; exec sleep 600")
	w, err := newPlace(b.folder, b.stage.url(), b.path, p)
	if err != nil {
		t.Fatal(err)
	}
	e := &entrant{peer: p, place: w}
	for _, work := range chats(small) {
		if _, err := work.do(t.Context(), b, e); err == nil || !strings.Contains(err.Error(), `no "mock-model"`) {
			t.Errorf("%s: %v", work.id, err)
		}
	}
	if data, err := os.ReadFile(starts); strings.Count(string(data), "begun") > 1 {
		t.Errorf("it was started again: %q, %v", data, err)
	}
}

func TestPeers(t *testing.T) {
	names := map[string]bool{}
	for _, p := range append([]peer{hoopoe("hoopoe")}, rivals()...) {
		t.Run(p.name, func(t *testing.T) {
			if names[p.name] {
				t.Error("twice the same name")
			}
			names[p.name] = true
			if p.read == nil || p.shell == nil || p.print == nil || p.chat == nil || p.chat.ready == "" {
				t.Fatal("a work lacks its command")
			}
			for _, c := range []*mockserver.Call{p.read, p.shell} {
				if c.Name == "" || !json.Valid([]byte(c.Arguments)) {
					t.Errorf("call %+v", c)
				}
			}
			if !slices.ContainsFunc(p.print("the prompt"), func(a string) bool { return a == "the prompt" }) {
				t.Errorf("printed with %q", p.print("the prompt"))
			}
			w, err := newPlace(t.TempDir(), "http://127.0.0.1:1", "", p)
			if err != nil {
				t.Fatal(err)
			}
			env := strings.Join(w.command(p, "x").Env, "\n") + files(t, w.home)
			if !strings.Contains(env, "http://127.0.0.1:1") {
				t.Error("nothing tells it where the mock is")
			}
			if p.long != nil {
				checkLong(t, p, w)
			}
		})
	}
}

// files is all that is in a home.
func files(t *testing.T, home string) string {
	var all strings.Builder
	err := filepath.WalkDir(home, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		all.Write(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

// checkLong reads a long session as lines of JSON.
func checkLong(t *testing.T, p peer, w *place) {
	before := len(files(t, w.home))
	print, chat, err := p.long(w, 10)
	if err != nil || len(print) <= len(chat) {
		t.Fatalf("%q, %q, %v", print, chat, err)
	}
	text := files(t, w.home)
	if len(text)-before < 1000 || !strings.Contains(text, lastLong(10)) {
		t.Errorf("%d bytes", len(text)-before)
	}
	err = filepath.WalkDir(w.home, func(path string, _ os.DirEntry, err error) error {
		if filepath.Ext(path) != ".jsonl" || err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		for line := range bytes.Lines(data) {
			if !json.Valid(line) {
				t.Errorf("no JSON: %s", line)
			}
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestChosenWorks(t *testing.T) {
	b := newBench(t, options{only: []string{"hello", "idle"}})
	list, err := b.chosen(works(small))
	if err != nil || len(list) != 2 || list[0].id != "hello" || list[1].id != "idle" {
		t.Errorf("%d works, %v", len(list), err)
	}
	b.only = []string{"hell"}
	if _, err := b.chosen(works(small)); err == nil {
		t.Error("there is no such work")
	}
}

func TestCommandLine(t *testing.T) {
	for name, args := range map[string][]string{
		"argument": {"now"}, "runs": {"-runs", "0"}, "rival": {"-hoopoe", "/bin/true", "-json", "", "-peers", "pie"},
		"no results": {"-render", filepath.Join(t.TempDir(), "README.md")},
	} {
		t.Run(name, func(t *testing.T) {
			if err := command(t.Context(), args, io.Discard, io.Discard); err == nil {
				t.Error("no error")
			}
		})
	}
	var out strings.Builder
	if err := command(t.Context(), []string{"-list"}, &out, io.Discard); err != nil || !strings.Contains(out.String(), "codex-acp") {
		t.Errorf("%q, %v", out.String(), err)
	}
}

func TestSamples(t *testing.T) {
	text := markdown(60_000)
	if len(text) < 60_000 || !utf8.ValidString(text) {
		t.Errorf("%d bytes", len(text))
	}
	cut := pieces(text, 24)
	if strings.Join(cut, "") != text || !slices.ContainsFunc(cut, func(p string) bool { return len(p) > 24 }) {
		t.Error("the pieces are not the text, or none is longer for a rune")
	}
	for _, p := range cut {
		if !utf8.ValidString(p) {
			t.Fatalf("a rune is cut: %q", p)
		}
	}
}

// A scene asks for one call after the other, and side requests have no part in
// it.
func TestCalls(t *testing.T) {
	s := newStage()
	t.Cleanup(s.close)
	s.play(calls(1, mockserver.Call{Name: "read", Arguments: `{}`}))
	for _, c := range []struct{ body, want string }{
		{`{"stream":true,"tools":[{}]}`, `"name":"read"`},
		{`{"stream":true,"tools":[{}],"messages":[{"type":"tool_result"}]}`, done},
		{`{"stream":true}`, title.Text[0]},
	} {
		r, err := http.Post(s.url()+"/v1/messages", "application/json", strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(r.Body)
		r.Body.Close()
		if err != nil || !strings.Contains(string(got), c.want) {
			t.Errorf("%s: %s, %v", c.body, got, err)
		}
	}
	if s.requests() != 2 {
		t.Errorf("%d requests, not 2", s.requests())
	}
}

func TestReason(t *testing.T) {
	got := reason(errors.New("no \x1b[31mfile\n/tmp/x/home/a"), "/tmp/x")
	if want := "no  [31mfile …/home/a"; got != want {
		t.Errorf("%q, not %q", got, want)
	}
}
