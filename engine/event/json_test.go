package event

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/message"
)

var update = flag.Bool("update", false, "write the golden files")

// samples are events of every kind, with full and with empty fields where an
// empty one means something.
func samples() []Event {
	text := "<b>2 tests & 1 \u2028 build"
	empty := ""
	user := message.Message{ID: "m1", Role: message.User, Content: []message.Block{message.TextOf("hi")}, Timestamp: 1}
	todo := message.Todo{ID: "t1", Content: "look", Status: "pending"}
	model := Model{Provider: "p", ID: "m", Name: "M", ContextWindow: 8000, Reasoning: true, Levels: []string{"off", "high"}, Images: true}
	question := Question{ID: "q1", Kind: AskSelect, Title: "Which?", Options: []string{"a", "b"}, Timeout: 1500 * time.Millisecond}
	view := View{
		Seq: 7, SessionID: "s1", File: "/s/1.jsonl", Name: "work", Cwd: "/w", Model: model, Thinking: "high", Mode: "ask", State: "idle",
		SteeringMode: "one-at-a-time", FollowUpMode: "all", InterruptMode: "wait", AutoCompaction: true,
		Messages: []message.Message{user}, Queue: []Queued{{ID: "m2", Delivery: "steer", Message: user}}, Question: &question,
		Todos: []message.TodoPhase{{ID: "p1", Name: "One", Tasks: []message.Todo{todo}}},
	}
	result := []message.Block{message.TextOf("done")}
	return []Event{
		RunStarted{Run: 1},
		RunEnded{Run: 1, Reason: message.Error, Error: "busy", Messages: []message.Message{user}, Will: WillRetry},
		RunSettled{Reason: message.Aborted, Aborted: true},
		PromptFailed{Ref: "r", Error: "no key"},
		TurnStarted{},
		TurnEnded{Message: user, ToolResults: []message.Message{}},
		MessageStarted{ID: "m1", Message: user},
		MessageDelta{ID: "m1", Block: message.TextBlock, From: 2, Text: "hi there"},
		MessageDelta{ID: "m1", Index: 1, Block: message.ToolCallBlock, CallID: "c1", Name: "read", Text: "{}", Done: true},
		MessageEnded{ID: "m1", Message: user},
		MessageRemoved{ID: "m1"},
		ToolStarted{CallID: "c1", Name: "read", Arguments: json.RawMessage(`{"path":"a"}`)},
		ToolRunning{CallID: "c1", Name: "read", Arguments: json.RawMessage(`{}`), Title: "Read a", ToolKind: "read", Locations: []Location{{Path: "/w/a", Line: 3}}},
		ToolProgress{CallID: "c1", Content: result},
		ToolEnded{CallID: "c1", Name: "read", Content: result, IsError: true, Denied: "user", DurationMS: 5},
		RetryScheduled{Attempt: 1, MaxAttempts: 3, DelayMS: 20, Error: "busy"},
		RetryEnded{Attempt: 3, Error: "busy"},
		QueueChanged{Queue: []Queued{}},
		EntryAppended{ID: "m1", Type: "message"},
		LeafMoved{View: View{Messages: []message.Message{}}},
		SessionNamed{Name: "work"},
		SessionReplaced{Reason: "new", View: view},
		ModelChanged{Model: model},
		ThinkingChanged{Level: "high"},
		ModeChanged{Mode: "plan"},
		SettingsChanged{SteeringMode: "all", FollowUpMode: "one-at-a-time", InterruptMode: "wait", AutoRetry: true},
		ToolsChanged{Names: []string{"read", "weather"}},
		ServerStatus{Name: "files", State: "ready", Tools: 3},
		ServerStatus{Name: "issues", State: "failed", Error: "it exited (exit status 3)"},
		CompactionStarted{Reason: "manual"},
		CompactionEnded{Reason: "manual", Result: &CompactionResult{Summary: "s", FirstKeptEntryID: "m1", TokensBefore: 9}},
		UsageChanged{ContextTokens: -1, ContextWindow: 8000},
		TodosChanged{Phases: []message.TodoPhase{}},
		RuleTriggered{Rules: []Rule{
			{Name: "tabs", Path: "/w/.hoopoe/rules/tabs.md", Content: "Use tabs.", Source: RuleSource{Provider: "hoopoe", ProviderName: "Hoopoe", Path: "/w/.hoopoe/rules/tabs.md", Level: "project"}},
			{
				Name: "n", Path: "p", Content: "c", Globs: []string{"*.go"}, AlwaysApply: true, Description: "d",
				Condition: []string{"    "}, Scope: []string{"text"}, InterruptMode: "immediate",
			},
		}},
		TodoReminder{Todos: []message.Todo{todo}, Attempt: 1, MaxAttempts: 3},
		TodoCleared{},
		SubagentEvent{CallID: "c1", Agent: "explore", Event: ToolStarted{CallID: "c2", Name: "read", Arguments: json.RawMessage(`{"path":"<x>"}`)}},
		SubagentEvent{CallID: "c1", Agent: "general", Event: SubagentEvent{CallID: "c2", Agent: "explore", Event: TurnStarted{}}},
		BashStarted{ID: "b1", Command: "ls"},
		BashProgress{ID: "b1", Output: "a"},
		BashEnded{ID: "b1", Message: message.Message{ID: "b1", Role: message.BashExecution, Bash: &message.Bash{Command: "ls", Output: "a"}}},
		AskOpened{Question: question},
		AskWaiting{ID: "q1", Count: 2},
		AskClosed{ID: "q1", Answer: Answer{Value: "a"}, Answered: true},
		AskClosed{ID: "q1", Answer: Answer{Cancelled: true}, TimedOut: true},
		Notice{Level: "info", Text: "hi"},
		Notice{Level: "warning", Text: "hi", Source: "lint"},
		ExtensionFailed{Extension: "lint", Point: "input", Error: "panicked"},
		ExtensionFailed{Extension: "lint", Path: "/x/lint.ts", Point: "load", Error: "panicked"},
		StatusChanged{Extension: "lint", Key: "count", Text: &text},
		StatusChanged{Extension: "lint", Key: "count", Text: &empty},
		StatusChanged{Extension: "lint", Key: "count"},
		WidgetChanged{Extension: "lint", Key: "list", Lines: []string{"a", "b"}, Placement: "belowEditor"},
		WidgetChanged{Extension: "lint", Key: "list", Lines: []string{}},
		WidgetChanged{Extension: "lint", Key: "list"},
		TitleChanged{Title: "t"},
		EditorTextSet{Text: "t"},
		CommandsChanged{},
	}
}

// The canonical JSON is what programs are built on: it changes on purpose only.
func TestCanonicalJSON(t *testing.T) {
	var got bytes.Buffer
	for i, ev := range samples() {
		line, err := Envelope{Seq: uint64(i + 1), Session: "s1", At: time.Unix(0, 0), Event: ev}.MarshalJSON()
		if err != nil {
			t.Fatalf("%s: %v", ev.Kind(), err)
		}
		if !json.Valid(line) || bytes.ContainsRune(line, '\n') {
			t.Errorf("%s: not one line of JSON: %s", ev.Kind(), line)
		}
		got.Write(append(line, '\n'))
	}
	file := filepath.Join("testdata", "events.jsonl")
	if *update {
		if err := os.WriteFile(file, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	g, w := bytes.Split(got.Bytes(), []byte("\n")), bytes.Split(want, []byte("\n"))
	for i := range max(len(g), len(w)) {
		if i >= len(g) || i >= len(w) {
			t.Fatalf("%d lines, want %d", len(g), len(w))
		}
		if !bytes.Equal(g[i], w[i]) {
			t.Errorf("line %d:\n got %s\nwant %s", i+1, g[i], w[i])
		}
	}
}

// Every kind in the source has a sample, and no two events share one.
func TestSamplesCoverEveryKind(t *testing.T) {
	source, err := os.ReadFile("json.go")
	if err != nil {
		t.Fatal(err)
	}
	sampled := map[Kind]bool{}
	for _, ev := range samples() {
		sampled[ev.Kind()] = true
	}
	seen := map[Kind]bool{}
	for _, m := range regexp.MustCompile(`Kind\(\) Kind +\{ return "([a-z_]+)" \}`).FindAllSubmatch(source, -1) {
		k := Kind(m[1])
		if seen[k] {
			t.Errorf("two events are called %s", k)
		}
		seen[k] = true
		if !sampled[k] {
			t.Errorf("%s has no sample", k)
		}
	}
	if len(seen) != len(sampled) {
		t.Errorf("%d kinds in the source, %d in the samples", len(seen), len(sampled))
	}
}
