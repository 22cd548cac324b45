package slash_test

import (
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// W-5: what was said can be read again; notes of ours and tools aren't part of
// it.
func TestHistory(t *testing.T) {
	f := &fakeSession{}
	say := func() string {
		t.Helper()
		r, err := builtins().Dispatch(t.Context(), f, pipe, "/history")
		if err != nil || !r.Handled {
			t.Fatal(r, err)
		}
		return r.Reply
	}
	if got := say(); got != "Nothing has been said yet." {
		t.Error(got)
	}
	note := message.NewUser("a note of ours")
	note.Synthetic = true
	f.view.Messages = []message.Message{
		message.NewUser("hello"), note,
		{Role: message.Assistant, Content: []message.Block{message.TextOf(strings.Repeat("ö", 600))}},
		{Role: message.ToolResult, Content: []message.Block{message.TextOf("a result")}},
	}
	if got, want := say(), "You: hello\n\nHoopoe: "+strings.Repeat("ö", 499)+"…"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for range 60 {
		f.view.Messages = append(f.view.Messages, message.NewUser("more"))
	}
	if got := say(); !strings.HasPrefix(got, "(12 earlier messages are left out") || strings.Count(got, "You: more") != 50 {
		t.Error(got)
	}
}

// W-5: the settings that hold, and how to change them.
func TestConfig(t *testing.T) {
	f := &fakeSession{view: event.View{
		Model: event.Model{Provider: "anthropic", ID: "large"}, Thinking: "low", Mode: "plan", AutoRetry: true, Cwd: "/work",
	}}
	r, err := builtins().Dispatch(t.Context(), f, pipe, "/config")
	for _, want := range []string{"anthropic/large  (/model)", "plan  (/permissions)", "auto compaction  off", "auto retry       on", "/work"} {
		if err != nil || !strings.Contains(r.Reply, want) {
			t.Errorf("%q is missing in %v\n%s", want, err, r.Reply)
		}
	}
}
