package scripted_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/llm/llmtest"
	"github.com/hoopoe-agent/hoopoe/engine/llm/scripted"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

func load(t testing.TB, file string) *scripted.Script {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "scripts", file))
	if err != nil {
		t.Fatal(err)
	}
	s, err := scripted.Parse(file, data)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func parse(t testing.TB, text string) *scripted.Script {
	t.Helper()
	s, err := scripted.Parse("test.txt", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func ask(s *scripted.Script, prompt string) llm.Request {
	return llm.Request{Model: s.Model(), Messages: []message.Message{message.NewUser(prompt)}}
}

func noSleep(context.Context, time.Duration) {}

// shape writes parts as one line each, for comparison.
func shape(parts []llm.Part) string {
	var out []string
	for _, p := range parts {
		switch p := p.(type) {
		case llm.BlockStarted:
			out = append(out, strings.TrimSpace(fmt.Sprintf("start %d %s %s %s", p.Index, p.Type, p.ID, p.Name)))
		case llm.BlockDelta:
			out = append(out, fmt.Sprintf("delta %d %q", p.Index, p.Text))
		case llm.BlockEnded:
			out = append(out, fmt.Sprintf("end %d", p.Index))
		case llm.Finished:
			out = append(out, fmt.Sprintf("finished %s %v", p.Message.StopReason, p.Err))
		}
	}
	return strings.Join(out, "\n")
}

func TestPlayer(t *testing.T) {
	s := load(t, "read.txt")
	p := scripted.New(s, scripted.Options{})
	parts, end := llmtest.Collect(t, p.Stream(t.Context(), ask(s, "what is it")))
	want := `start 0 thinking
delta 0 "I sh"
delta 0 "ould"
delta 0 " loo"
delta 0 "k at"
delta 0 " the"
delta 0 " fil"
delta 0 "e fi"
delta 0 "rst."
end 0
start 1 text
delta 1 "I will read main.go."
end 1
start 2 toolCall call_1 read
delta 2 "{\"path\""
delta 2 ": \"main"
delta 2 ".go\"}"
end 2
finished toolUse <nil>`
	if got := shape(parts); got != want {
		t.Errorf("parts:\n%s\nwant:\n%s", got, want)
	}
	if sig := end.Message.Content[0].Signature; sig != "sig-1" {
		t.Errorf("signature %q", sig)
	}
	u := end.Message.Usage
	if u.Input != 1200 || u.TotalTokens != 1330 || u.Cost.Total < 0.00407 || u.Cost.Total > 0.00409 {
		t.Errorf("usage %+v", u)
	}
	_, end = llmtest.Collect(t, p.Stream(t.Context(), ask(s, "what is it")))
	if end.Message.Text() != "It prints a greeting." || end.Message.StopReason != message.Stop {
		t.Errorf("second answer %+v", end.Message)
	}
	_, end = llmtest.Collect(t, p.Stream(t.Context(), ask(s, "what is it")))
	if llm.KindOf(end.Err) != llm.BadRequest || !strings.Contains(end.Err.Error(), "read.txt has no turn left for request 3") {
		t.Errorf("after the last turn: %v", end.Err)
	}
	// A new session starts at the beginning.
	_, end = llmtest.Collect(t, scripted.New(s, scripted.Options{}).Stream(t.Context(), ask(s, "x")))
	if len(end.Message.Calls()) != 1 {
		t.Errorf("a new player began with %+v", end.Message)
	}
}

func TestModelSection(t *testing.T) {
	m := load(t, "read.txt").Model()
	if m.Ref() != "script/read.txt" || m.Name != "Reader" || m.ContextWindow != 8000 || m.Cost.CacheWrite != 3.75 {
		t.Errorf("model %+v", m)
	}
	if got := m.Supported(); !slices.Equal(got, []llm.Level{llm.Off, llm.Low, llm.High}) {
		t.Errorf("levels %v", got)
	}
}

func TestMatching(t *testing.T) {
	s := load(t, "match.txt")
	noWait := scripted.Options{Sleep: noSleep}
	p := scripted.New(s, noWait)
	summary := ask(s, "summarise it")
	summary.System = "You write Hand-Over notes"
	for i, c := range []struct {
		req  llm.Request
		want string
	}{
		{ask(s, "hello"), "twice"},
		{ask(s, "this is SLOW work"), "late"},
		{summary, "summary"},
		{ask(s, "slow once more"), "twice"},
		{ask(s, "hello"), ""},
		{ask(s, "always"), "again"},
		{ask(s, "and always"), "again"},
	} {
		_, end := llmtest.Collect(t, p.Stream(t.Context(), c.req))
		if got := end.Message.Text(); got != c.want || (end.Err != nil) != (c.want == "") {
			t.Errorf("request %d: %q with error %v, want %q", i, got, end.Err, c.want)
		}
	}
}

func TestTrouble(t *testing.T) {
	s := load(t, "trouble.txt")
	p := scripted.New(s, scripted.Options{})
	next := func() llm.Finished {
		_, end := llmtest.Collect(t, p.Stream(t.Context(), ask(s, "go")))
		return end
	}
	end := next()
	if llm.KindOf(end.Err) != llm.Overloaded || llm.RetryAfter(end.Err) != 2*time.Second || end.Err.Error() != "script: Overloaded, try again later. (HTTP 529)" {
		t.Errorf("error turn: %v", end.Err)
	}
	if end = next(); !errors.Is(end.Err, io.ErrUnexpectedEOF) || !llm.Retryable(end.Err) || end.Message.Text() != "Half an ans" {
		t.Errorf("disconnect: %v with %q", end.Err, end.Message.Text())
	}
	end = next()
	if call := end.Message.Calls()[0]; call.ID != "call_x" || string(call.Arguments) != "{}" || call.Malformed != `{"path": "main.go", "edits": [` || end.Message.StopReason != message.Length {
		t.Errorf("malformed call: %+v, %s", call, end.Message.StopReason)
	}
	if end = next(); end.Message.Text() != "\x1b[31mred\a\u202e\n" {
		t.Errorf("quoted text %q", end.Message.Text())
	}
	if end = next(); end.Message.StopReason != message.Refusal {
		t.Errorf("stop reason %q", end.Message.StopReason)
	}
}

func TestDelaysUseTime(t *testing.T) {
	s := load(t, "match.txt")
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		llmtest.Collect(t, scripted.New(s, scripted.Options{}).Stream(t.Context(), ask(s, "slow")))
		if took := time.Since(start); took != 70*time.Millisecond {
			t.Errorf("the turn took %v, want 70ms", took)
		}
	})
}

func TestCancelEndsADelay(t *testing.T) {
	s := parse(t, "-- turn --\n-- text --\nbefore\n-- delay 1h --\n-- text --\nafter\n")
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		_, end := llmtest.Collect(t, scripted.New(s, scripted.Options{}).Stream(ctx, ask(s, "go")))
		if !errors.Is(end.Err, context.DeadlineExceeded) || end.Message.Text() != "before" || time.Since(start) != time.Second {
			t.Errorf("%v with %q after %v", end.Err, end.Message.Text(), time.Since(start))
		}
	})
}

func TestMark(t *testing.T) {
	s := parse(t, "-- turn --\n-- text --\none\n-- mark here --\n-- text --\ntwo\n")
	var marks []string
	p := scripted.New(s, scripted.Options{Mark: func(_ context.Context, name string) { marks = append(marks, name) }})
	llmtest.Collect(t, p.Stream(t.Context(), ask(s, "go")))
	if !slices.Equal(marks, []string{"here"}) {
		t.Errorf("marks %v", marks)
	}
}

func BenchmarkDeltas(b *testing.B) {
	s := load(b, "big.txt")
	p := scripted.New(s, scripted.Options{})
	req := ask(s, "go")
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		for range p.Stream(b.Context(), req) {
			n++
		}
		if n != 20_003 {
			b.Fatalf("%d parts", n)
		}
	}
}
