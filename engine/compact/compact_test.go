package compact

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

func TestLimit(t *testing.T) {
	for _, tt := range []struct {
		s            Settings
		window, want int
	}{
		{Settings{}, 0, 0},
		{Settings{}, 200_000, 170_000},
		{Settings{}, 64_000, 47_616},
		{Settings{}, 8_000, 4_000}, // a reserve of 16384 would leave nothing
		{Settings{ThresholdTokens: 50_000}, 200_000, 50_000},
		{Settings{ThresholdTokens: 500_000}, 200_000, 199_999},
		{Settings{ThresholdPercent: 50}, 200_000, 100_000},
		{Settings{ThresholdTokens: 7, ThresholdPercent: 50}, 200_000, 7},
	} {
		if got := tt.s.Limit(tt.window); got != tt.want {
			t.Errorf("%+v.Limit(%d) = %d, want %d", tt.s, tt.window, got, tt.want)
		}
	}
}

// conversation builds messages from a plan: u and a are a user's and an
// assistant's of 100 tokens, c an assistant's with a call, r its result, s a
// summary of an earlier compaction.
func conversation(plan string) []message.Message {
	var out []message.Message
	text := strings.Repeat("abcd", 100)
	for _, r := range plan {
		m := message.Message{Content: []message.Block{message.TextOf(text)}}
		switch r {
		case 'u':
			m.Role = message.User
		case 'a':
			m.Role = message.Assistant
		case 'c':
			m.Role = message.Assistant
			m.Content = append(m.Content, message.Block{Type: message.ToolCallBlock, ID: "x", Name: "read", Arguments: json.RawMessage(`{"path":"a.go"}`)})
		case 'r':
			m.Role = message.ToolResult
			m.ToolCallID = "x"
		case 's':
			m = message.Message{Role: message.CompactionSummary, Summary: text}
		}
		out = append(out, m)
	}
	return out
}

func TestPlan(t *testing.T) {
	for _, tt := range []struct {
		plan string
		keep int
		cut  int
		ok   bool
	}{
		{"", 100, 0, false},
		{"ua", 1000, 0, false},
		{"uaua", 200, 2, true},
		{"uaua", 150, 2, true},
		{"ucra", 150, 3, true}, // the result would be first: its turn goes on behind it
		{"ucr", 50, 1, true},   // nothing behind it can begin: cut before its call
		{"sua", 250, 0, false}, // only a summary would be summarised
		{"suaua", 150, 3, true},
	} {
		cut, ok := Settings{KeepRecentTokens: tt.keep}.Plan(conversation(tt.plan))
		if ok != tt.ok || (ok && cut != tt.cut) {
			t.Errorf("%s keeping %d: cut %d, %v; want %d, %v", tt.plan, tt.keep, cut, ok, tt.cut, tt.ok)
		}
	}
}

func TestPlanAll(t *testing.T) {
	for _, tt := range []struct {
		plan string
		cut  int
		ok   bool
	}{
		{"", 0, false}, {"u", 0, false}, {"ua", 0, false}, {"uau", 2, true}, {"uaua", 2, true}, {"su", 1, false}, {"sua", 1, false}, {"suaua", 3, true},
	} {
		cut, ok := Settings{}.PlanAll(conversation(tt.plan))
		if ok != tt.ok || (ok && cut != tt.cut) {
			t.Errorf("%s: cut %d, %v; want %d, %v", tt.plan, cut, ok, tt.cut, tt.ok)
		}
	}
}

// FuzzPlan: a cut is inside the conversation and never before a tool result.
func FuzzPlan(f *testing.F) {
	f.Add("uacrua", 150)
	f.Fuzz(func(t *testing.T, plan string, keep int) {
		m := conversation(strings.Map(func(r rune) rune { return rune("uacrs"[r%5]) }, plan))
		for _, fn := range []func([]message.Message) (int, bool){Settings{KeepRecentTokens: keep}.Plan, Settings{KeepRecentTokens: keep}.PlanAll} {
			cut, ok := fn(m)
			if ok && (cut <= 0 || cut >= len(m) || m[cut].Role == message.ToolResult) {
				t.Fatalf("cut %d of %d", cut, len(m))
			}
		}
	})
}

func TestTokens(t *testing.T) {
	m := conversation("uau")
	if n, exact := Tokens(m, 0); n != 300 || exact {
		t.Errorf("estimate %d, %v", n, exact)
	}
	m[1].Usage = message.Usage{Input: 1000, Output: 100}
	if n, exact := Tokens(m, 0); n != 1200 || !exact {
		t.Errorf("measured %d, %v", n, exact)
	}
	after := append(conversation("s"), m[2])
	if n, exact := Tokens(after, 2); n != 200 || exact {
		t.Errorf("after a compaction %d, %v", n, exact)
	}
}

func TestRequest(t *testing.T) {
	r := Request(llm.Model{ContextWindow: 8000, MaxTokens: 4000}, conversation("suacr"), "keep names")
	text := r.Messages[0].Text()
	for _, want := range []string{"<previous-summary>", "keep names", "[call read]", "## Next steps"} {
		if !strings.Contains(text, want) {
			t.Errorf("the request lacks %q", want)
		}
	}
	if !strings.HasPrefix(r.System, System) || r.MaxTokens != 4000 || len(r.Tools) != 0 {
		t.Errorf("system %q, max tokens %d, tools %d", r.System, r.MaxTokens, len(r.Tools))
	}
}

func TestTranscriptIsBounded(t *testing.T) {
	if got := Transcript(conversation(strings.Repeat("ua", 200)), 5000); len(got) > 5100 {
		t.Errorf("%d bytes", len(got))
	}
}

func TestDetails(t *testing.T) {
	raw, text := Details(conversation("ucrucr"))
	if string(raw) != `{"readFiles":["a.go"],"modifiedFiles":[]}` || !strings.Contains(text, "a.go") {
		t.Errorf("%s, %q", raw, text)
	}
}
