package session

import (
	"encoding/json"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/message"
)

func result(tool, details string, failed bool) Entry {
	return Entry{Message: &message.Message{Role: message.ToolResult, ToolCallID: "c", ToolName: tool, IsError: failed,
		Content: []message.Block{message.TextOf("ok")}, Details: json.RawMessage(details), Timestamp: 3}}
}

// What is looked up is that of the branch, from memory and from the file alike,
// and also what a compaction has put out of the context.
func TestLookUp(t *testing.T) {
	o := testOptions(t)
	d := mustNew(t, o)
	add := func(e Entry) string {
		t.Helper()
		got, err := d.Append(e)
		if err != nil {
			t.Fatal(err)
		}
		return got.ID
	}
	note := func(name string) Entry {
		return Entry{Type: "note", Raw: json.RawMessage(`{"name":"` + name + `"}`)}
	}
	add(user("one"))
	add(note("a"))
	fork := add(result("list", `{"n":1}`, false))
	add(result("list", `{"n":2}`, false))
	add(note("b"))
	if err := d.MoveTo(fork); err != nil {
		t.Fatal(err)
	}
	add(answer("two"))
	add(result("table", `{"n":3}`, false))
	add(result("list", `{"n":4}`, true))
	add(result("other", `{"n":5}`, false))
	kept := add(user("three"))
	add(Entry{Compaction: &Compaction{Summary: "s", FirstKeptEntryID: kept}})
	add(note("c"))
	check := func(t *testing.T, d *Document) {
		var names string
		for _, e := range d.Branch("note") {
			var n struct{ Name string }
			if err := json.Unmarshal(e.Raw, &n); err != nil {
				t.Fatal(err)
			}
			names += n.Name
		}
		if names != "ac" {
			t.Errorf("notes %q of the branch, want a and c", names)
		}
		for _, tt := range []struct {
			tools []string
			want  string
		}{{[]string{"list"}, `{"n":1}`}, {[]string{"list", "table"}, `{"n":3}`}, {[]string{"none"}, ""}, {nil, ""}} {
			if m, ok := d.LastResult(tt.tools...); ok != (tt.want != "") || string(m.Details) != tt.want {
				t.Errorf("last result of %v: %s, %v", tt.tools, m.Details, ok)
			}
		}
	}
	t.Run("in memory", func(t *testing.T) { check(t, d) })
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	again, _, err := Open(d.File(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	t.Run("from the file", func(t *testing.T) { check(t, again) })
}
