package rpc

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/jsonl"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/modes/rpc/strict"
)

// TestEventsOnTheWire is the golden of events that transcripts can't cause, or
// whose frames differ between the dialects. Pi is the default's where it
// is empty; "-" means no frame.
func TestEventsOnTheWire(t *testing.T) {
	refused := message.Message{Role: message.Assistant, API: "a", Provider: "p", Model: "m", StopReason: message.Refusal, Timestamp: 1}
	blank := message.Message{Role: message.Assistant, API: "a", Provider: "p", Model: "m", Timestamp: 1}
	rule := event.Rule{
		Name: "no-unwrap", Path: "/w/.rules/no-unwrap.md", Content: "Return errors.", Condition: []string{"unwrap\\("},
		Source: event.RuleSource{Provider: "native", ProviderName: "Hoopoe", Path: "/w/.rules/no-unwrap.md", Level: "project"},
	}
	result := &event.CompactionResult{Summary: "s", FirstKeptEntryID: "e", TokensBefore: 7}
	for _, c := range []struct {
		name     string
		event    event.Event
		want, pi string
	}{
		{name: "a rule", event: event.RuleTriggered{Rules: []event.Rule{rule}},
			want: `{"type":"ttsr_triggered","rules":[{"name":"no-unwrap","path":"/w/.rules/no-unwrap.md","content":"Return errors.","condition":["unwrap\\("],"_source":{"provider":"native","providerName":"Hoopoe","path":"/w/.rules/no-unwrap.md","level":"project"}}]}`},
		{name: "no rule", event: event.RuleTriggered{}, want: `{"type":"ttsr_triggered","rules":[]}`},
		{name: "open todos", event: event.TodoReminder{Attempt: 1, MaxAttempts: 3, Todos: []message.Todo{
			{ID: "t1", Content: "One", Status: "in_progress", Notes: "n", Details: "d"}, {ID: "t2", Content: "Two", Status: "pending"},
		}}, want: `{"type":"todo_reminder","todos":[{"id":"t1","content":"One","status":"in_progress"},{"id":"t2","content":"Two","status":"pending"}],"attempt":1,"maxAttempts":3}`},
		{name: "no todos", event: event.TodoReminder{Attempt: 3, MaxAttempts: 3}, want: `{"type":"todo_reminder","todos":[],"attempt":3,"maxAttempts":3}`},
		{name: "todos gone", event: event.TodoCleared{}, want: `{"type":"todo_auto_clear"}`},
		{name: "our own words", event: event.Notice{Level: "warning", Text: "careful"}, want: `{"type":"notice","level":"warning","message":"careful"}`},
		{name: "nothing to compact", event: event.CompactionEnded{Reason: "threshold", Skipped: true},
			want: `{"type":"auto_compaction_end","action":"context-full","aborted":false,"willRetry":false,"skipped":true}`,
			pi:   `{"type":"compaction_end","reason":"threshold","aborted":false,"willRetry":false}`},
		{name: "an automatic compaction", event: event.CompactionStarted{Reason: "threshold"},
			want: `{"type":"auto_compaction_start","reason":"threshold","action":"context-full"}`,
			pi:   `{"type":"compaction_start","reason":"threshold"}`},
		{name: "one that was asked for", event: event.CompactionStarted{Reason: "manual"}, want: "-",
			pi: `{"type":"compaction_start","reason":"manual"}`},
		{name: "its end", event: event.CompactionEnded{Reason: "manual", Result: result}, want: "-",
			pi: `{"type":"compaction_end","reason":"manual","result":{"summary":"s","firstKeptEntryId":"e","tokensBefore":7},"aborted":false,"willRetry":false}`},
		{name: "an empty queue", event: event.QueueChanged{}, want: "-", pi: `{"type":"queue_update","steering":[],"followUp":[]}`},
		{name: "a name", event: event.SessionNamed{Name: "N"}, want: "-", pi: `{"type":"session_info_changed","name":"N"}`},
		{name: "no name", event: event.SessionNamed{}, want: "-", pi: `{"type":"session_info_changed"}`},
		{name: "a level", event: event.ThinkingChanged{Level: "low"}, want: "-", pi: `{"type":"thinking_level_changed","level":"low"}`},
		{name: "a title", event: event.TitleChanged{Title: "T"}, want: "-", pi: `{"type":"extension_ui_request","id":"ui_1","method":"setTitle","title":"T"}`},
		{name: "a refusal", event: event.MessageEnded{Message: refused},
			want: `{"type":"message_end","message":{"role":"assistant","content":[],"api":"a","provider":"p","model":"m","usage":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"error","errorMessage":"The provider refused to answer","timestamp":1}}`},
		{name: "an answer that begins", event: event.MessageStarted{Message: blank},
			want: `{"type":"message_start","message":{"role":"assistant","content":[],"api":"a","provider":"p","model":"m","usage":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"stop","timestamp":1}}`},
		{name: "arguments that are none", event: event.ToolStarted{CallID: "c", Name: "n"},
			want: `{"type":"tool_execution_start","toolCallId":"c","toolName":"n","args":{}}`},
		{name: "a result without content", event: event.ToolEnded{CallID: "c", Name: "n"},
			want: `{"type":"tool_execution_end","toolCallId":"c","toolName":"n","result":{"content":[]},"isError":false}`},
		{name: "a run without messages", event: event.RunEnded{Will: event.WillRetry}, want: `{"type":"agent_end","messages":[],"willRetry":true}`},
		{name: "a run that goes on after a compaction", event: event.RunEnded{Will: event.WillCompact}, want: `{"type":"agent_end","messages":[],"willRetry":false}`},
		{name: "what only faces know", event: event.EntryAppended{ID: "e", Type: "message"}, want: "-"},
		{name: "a user's command", event: event.BashStarted{ID: "b", Command: "ls"}, want: "-"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for dialect, want := range map[string]string{"": c.want, Pi: c.pi} {
				if want == "" {
					want = c.want
				}
				got := "-"
				for _, f := range newProjection(Options{Dialect: dialect}).event(c.event, time.Unix(0, 0)) {
					line, err := jsonl.Marshal(f)
					if err != nil {
						t.Fatal(err)
					}
					got = strings.TrimRight(string(line), "\n")
					if err := strict.Frame([]byte(got)); err != nil {
						t.Errorf("strict reader: %v", err)
					}
				}
				if got != want {
					t.Errorf("dialect %q:\n got %s\nwant %s", dialect, got, want)
				}
			}
		})
	}
}

// TestBashOutputStreams: the pi dialect tells what a host's command prints as it
// comes, each part once, also when only the end of it is kept.
func TestBashOutputStreams(t *testing.T) {
	for _, dialect := range []string{"", Pi} {
		p := newProjection(Options{Dialect: dialect})
		var got []string
		for _, e := range []event.Event{
			event.BashProgress{ID: "early", Output: "x"},
			event.BashStarted{ID: "b", Ref: `"7"`, Command: "make"},
			event.BashProgress{ID: "other", Output: "x"},
			event.BashProgress{ID: "b", Output: "a\n"},
			event.BashProgress{ID: "b", Output: "a\nb\n"},
			event.BashProgress{ID: "b", Output: "a\nb\n"},
			event.BashProgress{ID: "b", Output: "cut\n"},
		} {
			for _, f := range p.event(e, time.Unix(0, 0)) {
				line, err := jsonl.Marshal(f)
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, strings.TrimSuffix(string(line), "\n"))
			}
		}
		want := []string{
			`{"type":"bash_execution_update","id":"7","delta":"a\n"}`,
			`{"type":"bash_execution_update","id":"7","delta":"b\n"}`,
			`{"type":"bash_execution_update","id":"7","delta":"cut\n"}`,
		}
		if dialect == "" {
			want = nil
		}
		if !slices.Equal(got, want) {
			t.Errorf("dialect %q:\n%s", dialect, strings.Join(got, "\n"))
		}
	}
}

// steps are what the updates of an answer said, joined.
func steps(t *testing.T, frames []any) (kinds []string, text string) {
	t.Helper()
	for _, f := range frames {
		u, ok := f.(messageUpdate)
		if !ok {
			continue
		}
		kinds = append(kinds, u.Event.Type)
		if u.Event.Delta != nil {
			text += *u.Event.Delta
		}
		var m message.Message
		if err := json.Unmarshal(u.Message, &m); err != nil {
			t.Fatal(err)
		}
	}
	return kinds, text
}

// TestUpdatesAreJoined: every update holds the whole answer, so a fast model
// may cause no more than about 30 a second (pi#7290), and nothing is lost.
func TestUpdatesAreJoined(t *testing.T) {
	p := newProjection(Options{})
	now := time.Unix(0, 0)
	p.event(event.MessageStarted{ID: "m", Message: message.Message{Role: message.Assistant}}, now)
	text := strings.Repeat("0123456789", 1000)
	var frames []any
	for i := range len(text) { // ten seconds
		now = now.Add(time.Millisecond)
		frames = append(frames, p.event(event.MessageDelta{ID: "m", Block: message.TextBlock, From: i, Text: text[:i+1]}, now)...)
	}
	frames = append(frames, p.event(event.MessageDelta{ID: "m", Block: message.TextBlock, From: len(text), Text: text, Done: true}, now)...)
	kinds, said := steps(t, frames)
	if said != text {
		t.Errorf("%d bytes were told, want %d", len(said), len(text))
	}
	if most := len(text)/int(updateEvery/time.Millisecond) + 4; len(kinds) > most {
		t.Errorf("%d updates in ten seconds, want at most %d", len(kinds), most)
	}
	if kinds[0] != "text_start" || kinds[len(kinds)-1] != "text_end" {
		t.Errorf("the steps begin with %s and end with %s", kinds[0], kinds[len(kinds)-1])
	}
}

// TestHeldTextGoesFirst: what is held back of a block is told before the next
// block, before the answer's end, and when its time has come.
func TestHeldTextGoesFirst(t *testing.T) {
	at := time.Unix(0, 0)
	begin := func() *projection {
		p := newProjection(Options{})
		p.event(event.MessageStarted{ID: "m", Message: message.Message{Role: message.Assistant}}, at)
		for i, text := range []string{"a", "ab"} {
			p.event(event.MessageDelta{ID: "m", Block: message.ThinkingBlock, From: i, Text: text}, at)
		}
		return p
	}
	t.Run("another block", func(t *testing.T) {
		kinds, text := steps(t, begin().event(event.MessageDelta{ID: "m", Index: 1, Block: message.TextBlock, Text: "c"}, at.Add(time.Second)))
		if got := strings.Join(kinds, " "); got != "thinking_delta text_start text_delta" && got != "thinking_delta text_start" || !strings.HasPrefix(text, "b") {
			t.Errorf("%s, saying %q", got, text)
		}
	})
	t.Run("the end", func(t *testing.T) {
		frames := begin().event(event.MessageEnded{ID: "m", Message: message.Message{Role: message.Assistant}}, at)
		if kinds, text := steps(t, frames); len(frames) != 2 || len(kinds) != 1 || text != "b" {
			t.Errorf("%d frames, %v saying %q", len(frames), kinds, text)
		}
	})
	t.Run("its time", func(t *testing.T) {
		p := begin()
		due, ok := p.due()
		if !ok || due.Sub(at) > updateEvery {
			t.Fatalf("due %v %v", due.Sub(at), ok)
		}
		if _, text := steps(t, p.flush(due)); text != "b" {
			t.Errorf("told %q", text)
		}
		if _, ok := p.due(); ok {
			t.Error("something is still due")
		}
	})
	t.Run("another answer", func(t *testing.T) {
		if frames := begin().event(event.MessageDelta{ID: "other", Block: message.TextBlock, Text: "c"}, at); len(frames) != 0 {
			t.Errorf("%d frames", len(frames))
		}
	})
}
