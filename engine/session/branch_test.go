package session

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/message"
)

func TestBranchFrom(t *testing.T) {
	d := mustOpen(t, copyOf(t, "pi.jsonl"), testOptions(t))
	before := read(t, d.File())
	mustBranch := func(id string) (*Document, string) {
		t.Helper()
		b, text, err := d.BranchFrom(id)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { b.Close() })
		return b, text
	}

	b, text := mustBranch("00000006")
	if text != "second" || texts(b) != "user:first assistant:one" {
		t.Errorf("text %q, context %s", text, texts(b))
	}
	if b.ID() == d.ID() || b.Header().ParentSession != d.File() || b.Header().Cwd != "/home/u/app" {
		t.Errorf("header %+v", b.Header())
	}
	if got, want := strings.Join(ids(b), " "), "00000001 00000002 00000003 00000004"; got != want {
		t.Errorf("entries %s, want %s", got, want)
	}
	mustAppend(t, b, user("another second"))
	if got := texts(mustOpen(t, b.File(), Options{})); got != "user:first assistant:one user:another second" {
		t.Errorf("after opening: %s", got)
	}
	if read(t, d.File()) != before {
		t.Error("branching has changed the old file")
	}

	// Before the first message there is nothing to keep a file for.
	b, text = mustBranch("00000003")
	if text != "first" || texts(b) != "" || b.Len() != 2 || b.Written() {
		t.Errorf("text %q, %d entries, written %t", text, b.Len(), b.Written())
	}
	for id, want := range map[string]error{"00000004": ErrNotPrompt, "00000008": ErrNotPrompt, "nowhere": ErrNoEntry} {
		if _, _, err := d.BranchFrom(id); !errors.Is(err, want) {
			t.Errorf("branching at %s: %v, want %v", id, err, want)
		}
	}
}

func TestBranchFromRootIsEmpty(t *testing.T) {
	d := mustNew(t, testOptions(t))
	first := mustAppend(t, d, user("first"))
	b, text, err := d.BranchFrom(first.ID)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if text != "first" || b.Len() != 0 || b.Header().ParentSession != d.File() {
		t.Errorf("text %q, %d entries, header %+v", text, b.Len(), b.Header())
	}
}

// A label set after the branching point goes along with its entry.
func TestBranchKeepsLabels(t *testing.T) {
	d := mustNew(t, testOptions(t))
	first := mustAppend(t, d, user("first"))
	mustAppend(t, d, answer("one"))
	second := mustAppend(t, d, user("second"))
	mustAppend(t, d, Entry{Label: &Label{TargetID: first.ID, Text: "start"}})
	mustAppend(t, d, Entry{Label: &Label{TargetID: second.ID, Text: "lost"}})
	b, _, err := d.BranchFrom(second.ID)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	again := mustOpen(t, b.File(), Options{})
	if again.Label(first.ID) != "start" || again.Label(second.ID) != "" || again.Len() != 3 {
		t.Errorf("labels %q %q, %d entries", again.Label(first.ID), again.Label(second.ID), again.Len())
	}
	mustAppend(t, d, Entry{Label: &Label{TargetID: first.ID}})
	if d.Label(first.ID) != "" {
		t.Error("the label was not taken away")
	}
}

func TestClone(t *testing.T) {
	d := mustOpen(t, copyOf(t, "omp.jsonl"), testOptions(t))
	c, err := d.Clone()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if texts(c) != texts(d) || c.Name() != d.Name() || c.ID() == d.ID() {
		t.Errorf("context %s, name %q", texts(c), c.Name())
	}
	// Lines go over as they are, with what this build does not know.
	_, want, _ := strings.Cut(read(t, d.File()), "\n")
	if _, got, _ := strings.Cut(read(t, c.File()), "\n"); got != want {
		t.Errorf("lines differ:\n%s", got)
	}
	empty := mustNew(t, testOptions(t))
	if _, err := empty.Clone(); !errors.Is(err, ErrNoEntry) {
		t.Errorf("cloning an empty session: %v", err)
	}
}

func TestForkKeepsAllBranches(t *testing.T) {
	path := copyOf(t, "pi.jsonl")
	// A write is under way in the process that has it open.
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteString(`{"type":"mess`)
	f.Close()
	before := read(t, path)
	o := testOptions(t)
	o.Cwd = "/home/u/other"
	fork, notices, err := Fork(path, o)
	if err != nil || len(notices) != 1 {
		t.Fatal(err, notices)
	}
	defer fork.Close()
	if fork.Len() != 13 || fork.Name() != "counting" || fork.Header().Cwd != "/home/u/other" || fork.Header().ParentSession != path {
		t.Errorf("%d entries, name %q, header %+v", fork.Len(), fork.Name(), fork.Header())
	}
	if read(t, path) != before {
		t.Error("forking has changed the source")
	}
	if _, err := os.Stat(path + ".torn"); err == nil {
		t.Error("forking has cut the source's last line off")
	}
}

func TestBranchInMemory(t *testing.T) {
	d := mustNew(t, Options{InMemory: true, Now: clock(), Rand: &counting{}})
	mustAppend(t, d, user("first"))
	mustAppend(t, d, answer("one"))
	second := mustAppend(t, d, user("second"))
	b, text, err := d.BranchFrom(second.ID)
	if err != nil || text != "second" || texts(b) != "user:first assistant:one" || b.File() != "" {
		t.Errorf("%v, text %q, context %s, file %q", err, text, texts(b), b.File())
	}
	if b.Header().ParentSession != d.ID() {
		t.Errorf("parent %q", b.Header().ParentSession)
	}
	if err := errors.Join(d.Sync(), d.Save(), d.Close(), b.Close()); err != nil {
		t.Error(err)
	}
}

// 6.4: the last compaction counts; what it keeps and what follows remain.
func TestContextAfterCompactions(t *testing.T) {
	d := mustNew(t, testOptions(t))
	mustAppend(t, d, user("a"))
	mustAppend(t, d, answer("A"))
	b := mustAppend(t, d, user("b"))
	mustAppend(t, d, Entry{Compaction: &Compaction{Summary: "s1", FirstKeptEntryID: b.ID, TokensBefore: 9}})
	c := mustAppend(t, d, user("c"))
	if got := texts(d); got != "compactionSummary:s1 user:b user:c" {
		t.Fatalf("context %s", got)
	}
	mustAppend(t, d, Entry{Compaction: &Compaction{Summary: "s2", FirstKeptEntryID: c.ID, FromExtension: true}})
	mustAppend(t, d, Entry{CustomMessage: &CustomMessage{CustomType: "x", Content: []message.Block{message.TextOf("note")}}})
	mustAppend(t, d, Entry{Custom: &Custom{CustomType: "x", Data: []byte(`{"n":1}`)}})
	mustAppend(t, d, Entry{BranchSummary: &BranchSummary{FromID: b.ID, Summary: "elsewhere"}})
	const want = "compactionSummary:s2 user:c custom:note branchSummary:elsewhere"
	if got := texts(d); got != want {
		t.Fatalf("context %s", got)
	}
	if !strings.Contains(read(t, d.File()), `"fromExtension":true,"fromHook":true`) {
		t.Error("the mark of an extension's compaction is not written for both families")
	}
	again := mustOpen(t, d.File(), Options{})
	if got := texts(again); got != want {
		t.Errorf("after opening: %s", got)
	}
	// What a compaction keeps may be unknown: then it keeps nothing.
	mustAppend(t, again, Entry{Compaction: &Compaction{Summary: "s3", FirstKeptEntryID: "nowhere"}})
	mustAppend(t, again, user("d"))
	if got := texts(again); got != "compactionSummary:s3 user:d" {
		t.Errorf("context %s", got)
	}
	// Forgotten entries can be read again.
	if e, ok := again.Entry(b.ID); !ok || e.Message == nil || e.Message.Text() != "b" {
		t.Errorf("entry %+v %t", e, ok)
	}
}

func TestContextSettings(t *testing.T) {
	d := mustNew(t, testOptions(t))
	if c := d.Context(); !c.Model.Empty() || c.ThinkingSet {
		t.Errorf("an empty session has settings: %+v", c)
	}
	mustAppend(t, d, Entry{Model: &ModelChange{Provider: "p", ModelID: "a/b"}})
	mustAppend(t, d, Entry{Model: &ModelChange{Provider: "p", ModelID: "small", Role: "smol"}})
	mustAppend(t, d, user("hi"))
	if c := d.Context(); c.Model != (ModelRef{"p", "a/b"}) || c.Models["smol"] != (ModelRef{"p", "small"}) {
		t.Errorf("models %+v %+v", c.Model, c.Models)
	}
	at := mustAppend(t, d, answer("hello"))
	mustAppend(t, d, Entry{Thinking: &ThinkingChange{}})
	if c := mustOpen(t, d.File(), Options{}).Context(); c.Model != (ModelRef{"anthropic", "m-1"}) || c.Thinking != "" || !c.ThinkingSet {
		t.Errorf("after an answer: %+v", c)
	}
	mustAppend(t, d, Entry{Model: &ModelChange{Provider: "q", ModelID: "z"}})
	if c := d.Context(); c.Model != (ModelRef{"q", "z"}) {
		t.Errorf("model %+v", c.Model)
	}
	if err := d.MoveTo(at.ID); err != nil {
		t.Fatal(err)
	}
	if c := d.Context(); c.Model != (ModelRef{"anthropic", "m-1"}) || c.ThinkingSet {
		t.Errorf("on an older branch: %+v", c)
	}
}

func TestStats(t *testing.T) {
	d := mustNew(t, testOptions(t))
	mustAppend(t, d, user("a"))
	mustAppend(t, d, answer("A"))
	mustAppend(t, d, user("b"))
	mustAppend(t, d, answer("B"))
	s := d.Stats()
	if s.UserMessages != 2 || s.AssistantMessages != 2 || s.TotalMessages != 4 || s.Usage.TotalTokens != 30 || s.Usage.Cost.Total != 0.5 {
		t.Errorf("stats %+v", s)
	}
}

// Appending an entry of a type this package does not know keeps its fields.
func TestAppendRawEntry(t *testing.T) {
	d := mustNew(t, testOptions(t))
	mustAppend(t, d, user("a"))
	e := mustAppend(t, d, Entry{Type: "mode_change", Raw: []byte(`{"mode":"plan","id":"theirs"}`)})
	got, ok := mustOpen(t, d.File(), Options{}).Entry(e.ID)
	if !ok || got.Type != "mode_change" || !strings.Contains(string(got.Raw), `"mode":"plan"`) || strings.Contains(string(got.Raw), "theirs") {
		t.Errorf("entry %+v %t", got, ok)
	}
	if _, err := d.Append(Entry{Type: "x", Raw: []byte(`[1]`)}); err == nil {
		t.Error("a list was taken for an entry")
	}
}

func ids(d *Document) []string {
	var out []string
	for _, e := range d.Entries() {
		out = append(out, e.ID)
	}
	return out
}
