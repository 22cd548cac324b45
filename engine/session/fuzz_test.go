package session

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// FuzzOpen: whatever the file says, opening it does not panic and, if it is a
// session, one more entry leaves all that were there.
func FuzzOpen(f *testing.F) {
	for _, name := range []string{"omp", "pi", "v1", "v2", "title-line", "damaged"} {
		f.Add([]byte(read(f, filepath.Join("testdata", name+".jsonl"))))
	}
	f.Add([]byte("{\"type\":\"session\",\"id\":\"a\"}\n{\"type\":\"compaction\",\"firstKeptEntryIndex\":0}\n{"))
	f.Fuzz(func(t *testing.T, content []byte) {
		path := filepath.Join(t.TempDir(), "s.jsonl")
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		Summarize(path)
		d, _, err := Open(path, testOptions(t))
		if err != nil {
			if now := read(t, path); now != string(content) {
				t.Fatalf("refused, but changed to %q", now)
			}
			return
		}
		defer d.Close()
		before, context := d.Entries(), d.Context().Messages
		d.Tree()
		d.Prompts()
		if _, err := d.Append(user("more")); err != nil {
			t.Fatal(err)
		}
		again, _, err := Open(path, testOptions(t))
		if err != nil {
			t.Fatal(err)
		}
		defer again.Close()
		after := again.Entries()
		if len(after) != len(before)+1 {
			t.Fatalf("%d entries became %d", len(before), len(after))
		}
		for i, e := range before {
			if a := after[i]; a.ID != e.ID || a.ParentID != e.ParentID || a.Type != e.Type {
				t.Fatalf("entry %d was %+v and is %+v", i, e, a)
			}
		}
		if got := again.Context().Messages; len(got) != len(context)+1 || !reflect.DeepEqual(got[:len(context)], context) {
			t.Fatalf("context was %+v and is %+v", context, got)
		}
	})
}

// FuzzDecodeMessage: the fast way through a message says what the general
// decoder says.
func FuzzDecodeMessage(f *testing.F) {
	for _, name := range []string{"omp", "pi"} {
		for line := range bytes.Lines([]byte(read(f, filepath.Join("testdata", name+".jsonl")))) {
			if raw := field(line, "message"); raw != nil {
				f.Add([]byte(raw))
			}
		}
	}
	f.Add([]byte(`{"role":"user","content":[{"type":"image","data":"QQ==","mimeType":"image/png"}],"timestamp":1}`))
	f.Add([]byte(`{"role":"user","content":"\ud800 \ud83d\ude00 \/ \b\f\u00e9","timestamp":01}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var fast, general message.Message
		if !json.Valid(raw) || !fastMessage(&fast, raw) {
			return
		}
		if err := general.UnmarshalJSON(raw); err != nil {
			t.Fatalf("the general decoder refuses %q: %v", raw, err)
		}
		if !reflect.DeepEqual(fast, general) {
			t.Fatalf("%s\nfast    %+v\ngeneral %+v", raw, fast, general)
		}
	})
}
