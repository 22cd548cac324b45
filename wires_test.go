//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/llm/llmtest/mockserver"
)

// labKey is the key of every provider under test.
const labKey = "sk-lab-0123456789abcdefghijklmnop"

// connect starts a service that speaks all wires, and has the place's own
// models.json name it: lab-WIRE/m.
func (p *place) connect(answer func(mockserver.Request) mockserver.Answer) *mockserver.Server {
	p.t.Helper()
	server := mockserver.New(answer)
	listener := httptest.NewServer(server)
	p.t.Cleanup(listener.Close)
	providers := map[string]any{}
	for _, wire := range mockserver.Wires() {
		base := listener.URL
		if wire != mockserver.Anthropic && wire != mockserver.Google {
			base += "/v1"
		}
		providers["lab-"+string(wire)] = map[string]any{
			"baseUrl": base, "api": wire, "apiKey": "$LAB_KEY", "models": []any{map[string]any{"id": "m", "reasoning": true}},
		}
	}
	p.configure("models.json", map[string]any{"providers": providers})
	p.configure("settings.json", map[string]any{"retry": map[string]any{"baseDelayMs": 1, "maxRetries": 5}})
	return server
}

func (p *place) configure(name string, v any) {
	p.t.Helper()
	data, err := json.Marshal(v)
	if err == nil {
		err = os.MkdirAll(filepath.Join(p.home, ".config/hoopoe"), 0o700)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(p.home, ".config/hoopoe", name), data, 0o600)
	}
	if err != nil {
		p.t.Fatal(err)
	}
}

// online is a command that may connect. As it names its model, it looks for no
// server but ours.
func (p *place) online(wire mockserver.Wire, args ...string) *exec.Cmd {
	c := p.command(append([]string{"--model", "lab-" + string(wire) + "/m"}, args...)...)
	c.Env = append(c.Env, "HOOPOE_OFFLINE=", "LAB_KEY="+labKey)
	return c
}

// result runs a command to its end.
func result(t *testing.T, c *exec.Cmd) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	code = exitOf(t, c.Run())
	return out.String(), errs.String(), code
}

// eachWire runs a test on every wire.
func eachWire(t *testing.T, test func(t *testing.T, wire mockserver.Wire)) {
	for _, wire := range mockserver.Wires() {
		t.Run(string(wire), func(t *testing.T) {
			t.Parallel()
			test(t, wire)
		})
	}
}

func manyWords(n int) []string {
	words := make([]string, n)
	for i := range words {
		words[i] = fmt.Sprintf("w%03d ", i%1000)
	}
	words[n-1] = "end."
	return words
}

const markdown = "# Title\n\n```go\nfunc main() {}\n```\n\n| a | b |\n|---|---|\n| 中文 | عربي |\n\n- one 🦤\n  - two\n\n> said\n"

// Requirement E-4: what a model says on any wire is what print prints.
func TestAnswersOfEveryWire(t *testing.T) {
	for name, a := range map[string]mockserver.Answer{
		"hello":    {Text: []string{"Hel", "lo", " there."}},
		"long":     {Text: manyWords(20_000)},
		"markdown": {Text: strings.SplitAfter(markdown, " ")},
		"thinking": {Thinking: "a secret thought", Signature: "c2ln", Text: []string{"The answer."}},
		"slow":     {Text: manyWords(50), Pause: time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			eachWire(t, func(t *testing.T, wire mockserver.Wire) {
				p := newPlace(t)
				server := p.connect(func(mockserver.Request) mockserver.Answer { return a })
				out, errs, code := result(t, p.online(wire, "-p", "--thinking", "high", "go"))
				if want := strings.TrimRight(strings.Join(a.Text, ""), "\n") + "\n"; out != want || errs != "" || code != 0 {
					t.Errorf("%d bytes, not %d: %.200q, stderr %q, exit code %d", len(out), len(want), out, errs, code)
				}
				got := server.Requests()
				if len(got) != 1 || got[0].Wire != wire || got[0].Key != labKey {
					t.Errorf("the service got %+v", got)
				}
			})
		})
	}
}

// A model calls a tool and gets its result, over and over.
func TestToolsOnEveryWire(t *testing.T) {
	eachWire(t, func(t *testing.T, wire mockserver.Wire) {
		const rounds = 5
		p := newPlace(t)
		p.file("notes.txt", "the capybara is in the third drawer\n")
		server := p.connect(func(r mockserver.Request) mockserver.Answer {
			if r.Number == rounds {
				return mockserver.Answer{Text: []string{"Found."}}
			}
			return mockserver.Answer{Thinking: "I look.", Signature: "c2ln", Calls: []mockserver.Call{{
				ID: fmt.Sprintf("call_%d", r.Number), Item: fmt.Sprintf("fc_%d", r.Number), Name: "read", Arguments: `{"path":"notes.txt"}`,
			}}}
		})
		out, errs, code := result(t, p.online(wire, "-p", "--thinking", "high", "look"))
		if out != "Found.\n" || errs != "" || code != 0 {
			t.Fatalf("%q, stderr %q, exit code %d", out, errs, code)
		}
		got := server.Requests()
		if len(got) != rounds+1 {
			t.Fatalf("%d requests", len(got))
		}
		if n := strings.Count(string(got[rounds].Body), "third drawer"); n != rounds {
			t.Errorf("the last request has %d results", n)
		}
		if roles, want := p.roles(), "user"+strings.Repeat(" assistant toolResult", rounds)+" assistant"; roles != want {
			t.Errorf("the session holds %s", roles)
		}
	})
}

// Requirement E-1: what passes by itself is tried again, when the service says
// so or a little later.
func TestErrorsPassOnEveryWire(t *testing.T) {
	eachWire(t, func(t *testing.T, wire mockserver.Wire) {
		p := newPlace(t)
		faults := []mockserver.Answer{
			{Status: 429, Message: "slow down", RetryAfter: "1"},
			{Status: 500, Message: "broken"},
			{Status: 529, Message: "overloaded"},
			{Text: []string{"half an ", "answer"}, Cut: true},
			{Text: []string{"A whole answer"}},
		}
		server := p.connect(func(r mockserver.Request) mockserver.Answer { return faults[min(r.Number, len(faults)-1)] })
		r := begin(t, p.online(wire, "-p", "--mode", "json", "go"))
		if e := r.next("retry_scheduled"); e["delayMs"] != 1000.0 {
			t.Errorf("what the service asked for: %v", e)
		}
		for range len(faults) - 2 {
			if e := r.next("retry_scheduled"); e["delayMs"].(float64) > 100 {
				t.Errorf("the settings say milliseconds: %v", e)
			}
		}
		if code := r.end(); code != 0 || r.stderr.Len() > 0 {
			t.Errorf("exit code %d, stderr %q", code, r.stderr)
		}
		if n := len(server.Requests()); n != len(faults) {
			t.Errorf("%d requests", n)
		}
		if data, err := os.ReadFile(p.sessionFile()); err != nil || !strings.Contains(string(data), "A whole answer") {
			t.Errorf("the session: %v\n%s", err, data)
		}
	})
}

// An interrupt closes the connection at once.
func TestInterruptLeavesEveryWire(t *testing.T) {
	eachWire(t, func(t *testing.T, wire mockserver.Wire) {
		p := newPlace(t)
		server := p.connect(func(mockserver.Request) mockserver.Answer {
			return mockserver.Answer{Text: []string{"Half"}, Hang: true}
		})
		r := begin(t, p.online(wire, "-p", "--mode", "json", "go"))
		r.next("message_delta")
		r.signal(syscall.SIGINT)
		select {
		case <-server.Left():
		case <-time.After(guard):
			t.Error("the connection is still there")
		}
		if e := r.next("run_settled"); e["aborted"] != true {
			t.Errorf("settled: %v", e)
		}
		if code := r.end(); code != 130 {
			t.Errorf("exit code %d, stderr %q", code, r.stderr)
		}
		if n := len(server.Requests()); n != 1 {
			t.Errorf("%d requests", n)
		}
	})
}

// The same in the chat, where Escape is what stops an answer.
func TestChatOnEveryWire(t *testing.T) {
	eachWire(t, func(t *testing.T, wire mockserver.Wire) {
		p := newPlace(t)
		p.file("notes.txt", "a note\n")
		answers := []mockserver.Answer{
			{Thinking: "I look.", Signature: "c2ln", Calls: []mockserver.Call{{ID: "call_1", Item: "fc_1", Name: "read", Arguments: `{"path":"notes.txt"}`}}},
			{Text: []string{"It is **a", " note**."}},
			{Status: 529, Message: "overloaded"},
			{Text: []string{"A long story"}, Hang: true},
			{Text: []string{"As you like."}},
		}
		server := p.connect(func(r mockserver.Request) mockserver.Answer { return answers[min(r.Number, len(answers)-1)] })
		c := p.online(wire, "what is in notes.txt?")
		s := show(t, c)
		s.see("notes.txt", "It is a note.")
		s.keys("and a story\r")
		s.see("A long story")
		s.keys("\x1b")
		select {
		case <-server.Left():
		case <-time.After(guard):
			t.Fatalf("the connection is still there:\n%s", s.text())
		}
		s.see("Stopped.")
		s.keys("enough\r")
		s.see("As you like.")
		s.keys("/quit\r")
		if code := exitOf(t, c.Wait()); code != 0 {
			t.Errorf("exit code %d", code)
		}
		if n := len(server.Requests()); n != len(answers) {
			t.Errorf("%d requests", n)
		}
	})
}

// Requirement C-3: a wrong key is told by its provider, and printed and kept
// nowhere, though the service repeats it.
func TestWrongKeyOnEveryWire(t *testing.T) {
	eachWire(t, func(t *testing.T, wire mockserver.Wire) {
		p := newPlace(t)
		server := p.connect(func(mockserver.Request) mockserver.Answer {
			return mockserver.Answer{Status: 401, Message: "Incorrect API key provided: " + labKey}
		})
		out, errs, code := result(t, p.online(wire, "-p", "go"))
		if code != 1 || out != "" || !strings.Contains(errs, "lab-"+string(wire)) || !strings.Contains(errs, "key") {
			t.Errorf("%q, stderr %q, exit code %d", out, errs, code)
		}
		if n := len(server.Requests()); n != 1 {
			t.Errorf("%d requests: a wrong key gets no better", n)
		}
		if strings.Contains(errs, labKey) {
			t.Errorf("the key is on stderr: %s", errs)
		}
		p.keepsNo(labKey)
	})
}

// keepsNo looks for a secret in every file of the home.
func (p *place) keepsNo(secret string) {
	p.t.Helper()
	files := 0
	err := filepath.WalkDir(p.home, func(path string, e os.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		files++
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), secret) {
			p.t.Errorf("the key is in %s", path)
		}
		return err
	})
	if err != nil || files < 2 {
		p.t.Errorf("looked into %d files: %v", files, err)
	}
}
