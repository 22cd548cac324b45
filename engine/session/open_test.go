package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files")

// copyOf puts a file of testdata into a folder of the test's own.
func copyOf(t testing.TB, name string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(read(t, filepath.Join("testdata", name))), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want := read(t, path); got != want {
		t.Errorf("%s differs\n got: %s\nwant: %s", name, got, want)
	}
}

// describe writes down all that a document says.
func describe(d *Document, notices []Notice) string {
	var b strings.Builder
	h := d.Header()
	fmt.Fprintf(&b, "header %s v%d %s parent=%q\nname %q\n", h.ID, h.Version, h.Cwd, h.ParentSession, d.Name())
	for _, n := range notices {
		fmt.Fprintf(&b, "notice %s\n", n)
	}
	for _, e := range d.Entries() {
		fmt.Fprintf(&b, "entry %s <- %q %s label=%q raw=%t\n", e.ID, e.ParentID, e.Type, d.Label(e.ID), e.Raw != nil)
	}
	c := d.Context()
	fmt.Fprintf(&b, "model %+v others %+v thinking %q set=%t\n", c.Model, c.Models, c.Thinking, c.ThinkingSet)
	for _, m := range c.Messages {
		fmt.Fprintf(&b, "message %s %s %q %s%s\n", m.ID, m.Role, m.Text(), m.Summary, m.Raw)
	}
	fmt.Fprintf(&b, "stats %+v\n", d.Stats())
	return b.String()
}

func TestOpenGolden(t *testing.T) {
	for _, name := range []string{"omp", "pi", "v1", "v2", "title-line", "damaged"} {
		t.Run(name, func(t *testing.T) {
			path := copyOf(t, name+".jsonl")
			before := read(t, path)
			o := testOptions(t)
			d, notices, err := Open(path, o)
			if err != nil {
				t.Fatal(err)
			}
			golden(t, name+".golden", describe(d, notices))
			if got := read(t, path); got != before {
				t.Error("opening has changed the file")
			}
			// An entry more, and all that was there is there again.
			entries := len(d.Entries())
			context := texts(d)
			mustAppend(t, d, user("more"))
			if err := d.Close(); err != nil {
				t.Fatal(err)
			}
			if after := read(t, path); d.Header().Version == fileVersion(before) {
				rest, ok := strings.CutPrefix(after, before)
				if !ok || strings.Count(rest, "\n") != 1 {
					t.Errorf("appending has changed more than the end:\n%s", after)
				}
			} else {
				golden(t, name+".migrated.golden", after)
			}
			again, _, err := Open(path, testOptions(t))
			if err != nil {
				t.Fatal(err)
			}
			defer again.Close()
			if got := len(again.Entries()); got != entries+1 {
				t.Errorf("%d entries after one was added to %d", got, entries)
			}
			if got := texts(again); got != strings.TrimSpace(context+" user:more") {
				t.Errorf("context is %s\n   it was %s", got, context)
			}
		})
	}
}

func fileVersion(content string) int {
	if strings.Contains(content, `"version":3`) {
		return 3
	}
	return 1
}

// E-1: what was torn is cut off, kept, and the session goes on.
func TestOpenTornLine(t *testing.T) {
	whole := read(t, filepath.Join("testdata", "pi.jsonl"))
	last := strings.LastIndex(strings.TrimSuffix(whole, "\n"), "\n") + 1
	for _, test := range []struct {
		name, tail string
		torn       bool
	}{
		{"one byte", "{", true},
		{"half an entry", `{"type":"message","id":"0000000d","parentId":"0000000c","mess`, true},
		{"zeros after a power cut", strings.Repeat("\x00", 100), true},
		{"whole but without line end", strings.TrimSuffix(whole[last:], "\n"), false},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "s.jsonl")
			if err := os.WriteFile(path, []byte(whole[:last]+test.tail), 0o600); err != nil {
				t.Fatal(err)
			}
			d, notices, err := Open(path, Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			if test.torn {
				if len(notices) != 1 || read(t, path) != whole[:last] || read(t, path+".torn") != test.tail+"\n" {
					t.Errorf("notices %v, file %q, kept %q", notices, read(t, path), read(t, path+".torn"))
				}
			} else if len(notices) != 0 || d.Len() != 13 {
				t.Errorf("notices %v, %d entries", notices, d.Len())
			}
			mustAppend(t, d, user("after"))
			again := mustOpen(t, path, Options{})
			if !strings.HasSuffix(texts(again), " user:after") || again.Len() != d.Len() {
				t.Errorf("after one more: %s", texts(again))
			}
		})
	}
}

// E-1, C-3: what is no session, or a newer one, is refused and left alone.
func TestOpenRefuses(t *testing.T) {
	for _, test := range []struct {
		name, content string
		want          error
	}{
		{"empty", "", ErrEmpty},
		{"only blank lines", "\n\n", ErrNotSession},
		{"text", "hello\nworld\n", ErrNotSession},
		{"other json", `{"type":"message","id":"1"}` + "\n", ErrNotSession},
		{"header without id", `{"type":"session","version":3}` + "\n", ErrNotSession},
		{"half a header", `{"type":"session","version":3,"id":"a`, ErrNotSession},
		{"only a title line", `{"type":"title","v":1,"title":"x"}` + "\n", ErrNotSession},
		{"two title lines", `{"type":"title"}` + "\n" + `{"type":"title"}` + "\n", ErrNotSession},
		{"binary", "\x7fELF\x00\x01\xff\n", ErrNotSession},
		{"newer version", `{"type":"session","version":4,"id":"a"}` + "\n{torn", ErrVersion},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "s.jsonl")
			if err := os.WriteFile(path, []byte(test.content), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, _, err := Open(path, Options{}); !errors.Is(err, test.want) {
				t.Errorf("got %v, want %v", err, test.want)
			}
			if got := read(t, path); got != test.content {
				t.Errorf("the file was changed to %q", got)
			}
		})
	}
	if _, _, err := Open(filepath.Join(t.TempDir(), "none.jsonl"), Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
	if _, _, err := Open(t.TempDir(), Options{}); !errors.Is(err, ErrNotSession) {
		t.Errorf("folder: %v", err)
	}
}

func TestNewAtPath(t *testing.T) {
	o := testOptions(t)
	o.Path = filepath.Join(t.TempDir(), "deep", "er", "mine.jsonl")
	d := mustNew(t, o)
	mustAppend(t, d, user("hi"))
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if got := texts(mustOpen(t, o.Path, Options{})); got != "user:hi" {
		t.Errorf("context %s", got)
	}
	if _, err := New(o); !errors.Is(err, os.ErrExist) {
		t.Errorf("a second session at the same path: %v", err)
	}
	if err := os.Truncate(o.Path, 0); err != nil {
		t.Fatal(err)
	}
	mustAppend(t, mustNew(t, o), user("again"))
}

func TestMoveToAndTree(t *testing.T) {
	d := mustOpen(t, copyOf(t, "pi.jsonl"), testOptions(t))
	if err := d.MoveTo("00000005"); err != nil {
		t.Fatal(err)
	}
	if got := texts(d); got != "user:first assistant:one user:left branch" {
		t.Errorf("context %s", got)
	}
	e := mustAppend(t, d, answer("left answer"))
	if e.ParentID != "00000005" {
		t.Errorf("parent %s", e.ParentID)
	}
	if got := fmt.Sprint(d.Children("00000004"), d.Children("")); got != "[00000005 00000006] [00000001]" {
		t.Errorf("children %s", got)
	}
	tree := d.Tree()
	if len(tree) != 1 || len(tree[0].Children) != 1 || tree[0].Entry.ID != "00000001" {
		t.Errorf("tree begins %+v", tree[0])
	}
	if err := d.MoveTo(""); err != nil || len(d.Context().Messages) != 0 || len(d.Path()) != 0 {
		t.Errorf("at the root: %v, %s", err, texts(d))
	}
	if err := d.MoveTo("nowhere"); !errors.Is(err, ErrNoEntry) {
		t.Errorf("got %v", err)
	}
	if err := d.MoveTo("0000000d"); err != nil {
		t.Fatal(err)
	}
	if c, ok := d.LastCustom("counter"); !ok || string(c.Custom.Data) != `{"n":2}` {
		t.Errorf("last custom %+v %t", c.Custom, ok)
	}
	if _, ok := d.LastCustom("other"); ok {
		t.Error("found a custom entry that is not there")
	}
	if got := fmt.Sprint(d.Prompts()); got != "[{00000003 first} {00000005 left branch} {00000006 second} {0000000d third \u2028 😀 \"q\"}]" {
		t.Errorf("prompts %s", got)
	}
	again := mustOpen(t, d.File(), Options{})
	if again.Leaf() != e.ID {
		t.Errorf("leaf %s after opening, want the last entry of the file, %s", again.Leaf(), e.ID)
	}
}

// What comes out as JSON is what the file says, for the protocols to pass on.
func TestEntryJSON(t *testing.T) {
	for _, name := range []string{"omp", "pi"} {
		d := mustOpen(t, copyOf(t, name+".jsonl"), Options{})
		for _, e := range d.Entries() {
			first, err := json.Marshal(e)
			if err != nil {
				t.Fatalf("%s: %v", e.ID, err)
			}
			again, err := decodeEntry(first)
			if err != nil {
				t.Fatalf("%s: %v", first, err)
			}
			if again.Raw = nil; e.Raw != nil {
				again.Raw = e.Raw
			}
			if !reflect.DeepEqual(again, e) {
				t.Errorf("%s\nbecame %+v\nand was %+v", first, again, e)
			}
		}
	}
	d := mustOpen(t, copyOf(t, "title-line.jsonl"), Options{})
	mustAppend(t, d, Entry{Label: &Label{TargetID: "00000001", Text: "here"}})
	tree, err := json.Marshal(d.Tree())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`[{"entry":{"type":"message","id":"00000001"`, `"children":[]`, `"label":"here","labelTimestamp":"20`} {
		if !strings.Contains(string(tree), want) {
			t.Errorf("no %s in %s", want, tree)
		}
	}
}

func TestWriteTo(t *testing.T) {
	for _, name := range []string{"pi", "damaged", "v2"} {
		path := copyOf(t, name+".jsonl")
		want := strings.TrimSuffix(read(t, path), "\n")
		if err := os.WriteFile(path, []byte(want), 0o600); err != nil { // without the last line end
			t.Fatal(err)
		}
		d, _, err := Open(path, testOptions(t))
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		d.store.write = func(*os.File, []byte) (int, error) { return 0, syscall.ENOSPC }
		if name != "v2" {
			if _, err := d.Append(Entry{Custom: &Custom{CustomType: "x"}}); err == nil {
				t.Fatal("no error")
			}
			want += "\n" + `{"type":"custom","id":"a0000001","parentId":"` + d.Path()[len(d.Path())-2].ID + `","timestamp":"2026-02-16T10:20:31.000Z","customType":"x"}`
		} else {
			want = strings.NewReplacer(`"version":2`, `"version":3`, "hookMessage", "custom").Replace(want)
		}
		var b bytes.Buffer
		n, err := d.WriteTo(&b)
		if err != nil || b.String() != want+"\n" || n != int64(b.Len()) {
			t.Errorf("%s: %d %v\n got %s\nwant %s", name, n, err, b.String(), want)
		}
	}
}

// Errors that users meet say what to do.
func TestErrorsSayWhatToDo(t *testing.T) {
	for _, test := range []struct {
		err  error
		want string
	}{
		{&LockedError{Path: "s", PID: 1 << 30}, "process 1073741824; close it there or use --fork"},
		{&LockedError{Path: "s"}, "another process"},
		{&LockedError{Path: "s", PID: os.Getpid()}, "open already"},
		{&AmbiguousError{Query: "a", Matches: make([]Summary, 2)}, "give more of the id"},
		{&SaveError{Path: "s", Pending: 2, Err: ErrReplaced}, "open it again or fork"},
	} {
		if !strings.Contains(test.err.Error(), test.want) {
			t.Errorf("%q does not say %q", test.err, test.want)
		}
	}
}
