package session

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// clock ticks one second at each reading.
func clock() func() time.Time {
	at := time.Date(2026, 2, 16, 10, 20, 30, 0, time.UTC)
	var mu sync.Mutex
	return func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		at = at.Add(time.Second)
		return at
	}
}

// counting is a source of bytes that never repeats four in a row.
type counting struct{ n uint32 }

func (c *counting) Read(p []byte) (int, error) {
	for i := range p {
		if i%4 == 0 {
			c.n++
		}
		p[i] = byte(c.n >> (8 * (3 - i%4)))
	}
	return len(p), nil
}

func testOptions(t testing.TB) Options {
	return Options{Cwd: "/home/u/app", Dir: t.TempDir(), Now: clock(), Rand: &counting{n: 0xa0000000}}
}

func user(text string) Entry {
	m := message.NewUser(text)
	m.Timestamp = 1
	return Entry{Message: &m}
}

func answer(text string) Entry {
	return Entry{Message: &message.Message{Role: message.Assistant, Content: []message.Block{message.TextOf(text)},
		API: "anthropic-messages", Provider: "anthropic", Model: "m-1", StopReason: message.Stop, Timestamp: 2,
		Usage: message.Usage{Input: 10, Output: 5, TotalTokens: 15, Cost: message.Cost{Total: 0.25}}}}
}

func mustNew(t testing.TB, o Options) *Document {
	t.Helper()
	d, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

func mustAppend(t testing.TB, d *Document, e Entry) Entry {
	t.Helper()
	out, err := d.Append(e)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func mustOpen(t testing.TB, path string, o Options) *Document {
	t.Helper()
	d, notices, err := Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range notices {
		t.Errorf("unexpected notice: %s", n)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

// texts lists a context as role:text.
func texts(d *Document) string {
	var out []string
	for _, m := range d.Context().Messages {
		text := m.Text()
		if m.Summary != "" {
			text = m.Summary
		}
		out = append(out, string(m.Role)+":"+text)
	}
	return strings.Join(out, " ")
}

func read(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestFileIsMadeAtFirstMessage(t *testing.T) {
	d := mustNew(t, testOptions(t))
	mustAppend(t, d, Entry{Thinking: &ThinkingChange{Level: "high"}})
	mustAppend(t, d, Entry{Model: &ModelChange{Provider: "p", ModelID: "m"}})
	if _, err := d.SetName(" a \x1b[31m\nname  "); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(d.File()); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("a file exists before the first message: %v", err)
	}
	mustAppend(t, d, user("hello"))
	got := read(t, d.File())
	if n := strings.Count(got, "\n"); n != 5 {
		t.Fatalf("%d lines, want header and 4 entries:\n%s", n, got)
	}
	for _, want := range []string{
		`{"type":"session","version":3,`, `"title":"a name"`, `"name":"a name"`,
		`"model":"p/m","role":"default","provider":"p","modelId":"m"`, `"thinkingLevel":"high"`,
		`"parentId":null`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	again := mustOpen(t, d.File(), Options{})
	c := again.Context()
	if again.Name() != "a name" || c.Thinking != "high" || c.Model != (ModelRef{"p", "m"}) || texts(again) != "user:hello" {
		t.Errorf("after opening: name %q, context %+v", again.Name(), c)
	}
}

func TestNoMessageNoFile(t *testing.T) {
	d := mustNew(t, testOptions(t))
	mustAppend(t, d, Entry{Thinking: &ThinkingChange{Level: "low"}})
	if err := errors.Join(d.Sync(), d.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(d.File()); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("an empty session left a file: %v", err)
	}
}

func TestAppendKeepsGivenID(t *testing.T) {
	d := mustNew(t, testOptions(t))
	id := d.NewID()
	e := user("hi")
	e.ID = id
	got := mustAppend(t, d, e)
	if got.ID != id || got.Message.ID != id || d.Leaf() != id {
		t.Errorf("id %q became entry %q, message %q, leaf %q", id, got.ID, got.Message.ID, d.Leaf())
	}
	if _, err := d.Append(e); err == nil {
		t.Error("the same id was taken twice")
	}
}

func TestAppendRefusesEmptyEntry(t *testing.T) {
	d := mustNew(t, testOptions(t))
	if _, err := d.Append(Entry{}); err == nil {
		t.Error("an entry without content was taken")
	}
	if _, err := d.Append(Entry{Type: "session"}); err == nil {
		t.Error("a second header was taken")
	}
}

func TestNewIDIsUniqueAcrossGoroutines(t *testing.T) {
	d := mustNew(t, Options{InMemory: true})
	const workers, each = 4, 500
	ids := make(chan string, workers*each)
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for range each {
				ids <- d.NewID()
			}
		})
	}
	for i := range 100 {
		mustAppend(t, d, user(fmt.Sprint(i)))
	}
	wg.Wait()
	close(ids)
	seen := map[string]bool{}
	for _, e := range d.Entries() {
		seen[e.ID] = true
	}
	for id := range ids {
		if len(id) != 8 || seen[id] {
			t.Fatalf("id %q is malformed or was given twice", id)
		}
		seen[id] = true
	}
}

func TestNewIDWithConstantSource(t *testing.T) {
	d := mustNew(t, Options{InMemory: true, Rand: bytes.NewReader(nil)})
	if a, b := d.NewID(), d.NewID(); a == b {
		t.Error("two ids are equal")
	}
	d = mustNew(t, Options{InMemory: true, Rand: zeros{}})
	if a, b := d.NewID(), d.NewID(); a == b {
		t.Error("two ids are equal")
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// E-1: a full disk costs no entry and leaves no half line.
func TestFullDisk(t *testing.T) {
	for _, half := range []int{0, 1, 7, 40} {
		t.Run(fmt.Sprint(half), func(t *testing.T) {
			d := mustNew(t, testOptions(t))
			mustAppend(t, d, user("one"))
			before := read(t, d.File())
			full := true
			d.store.write = func(f *os.File, p []byte) (int, error) {
				if !full {
					return f.Write(p)
				}
				n, err := f.Write(p[:half])
				return n, errors.Join(err, syscall.ENOSPC)
			}
			_, err := d.Append(answer("two"))
			var save *SaveError
			if !errors.As(err, &save) || !errors.Is(err, syscall.ENOSPC) || save.Pending != 1 {
				t.Fatalf("got %v, want a save error for a full disk with 1 pending", err)
			}
			if got := read(t, d.File()); got != before {
				t.Fatalf("half a line was left:\n%s", got)
			}
			if _, err = d.Append(user("three")); !errors.As(err, &save) || save.Pending != 2 {
				t.Fatalf("got %v, want 2 pending", err)
			}
			if got := texts(d); got != "user:one assistant:two user:three" {
				t.Fatalf("context %s", got)
			}
			full = false
			mustAppend(t, d, answer("four"))
			if err := d.Close(); err != nil {
				t.Fatal(err)
			}
			if got := texts(mustOpen(t, d.File(), Options{})); got != "user:one assistant:two user:three assistant:four" {
				t.Errorf("after opening: %s", got)
			}
		})
	}
}

func TestFullDiskAtFirstMessage(t *testing.T) {
	d := mustNew(t, testOptions(t))
	d.store.write = func(f *os.File, p []byte) (int, error) {
		n, _ := f.Write(p[:20])
		return n, syscall.ENOSPC
	}
	if _, err := d.Append(user("one")); err == nil {
		t.Fatal("no error")
	}
	if _, err := os.Stat(d.File()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("half a header was left: %v", err)
	}
	if err := d.Sync(); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("sync says %v, but nothing is saved", err)
	}
	d.store.write = writeFile
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if got := texts(mustOpen(t, d.File(), Options{})); got != "user:one" {
		t.Errorf("after closing with room again: %s", got)
	}
}

// A write that fails and cannot be undone at once is undone before the next.
func TestHalfLineIsCutBeforeTheNextWrite(t *testing.T) {
	d := mustNew(t, testOptions(t))
	mustAppend(t, d, user("one"))
	good := d.store.file
	d.store.write = func(f *os.File, p []byte) (int, error) {
		f.Write(p[:9])
		f.Close() // truncating it fails too
		return 9, io.ErrShortWrite
	}
	if _, err := d.Append(user("two")); err == nil {
		t.Fatal("no error")
	}
	f, err := os.OpenFile(d.File(), os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	if d.store.file != good || !d.store.torn {
		t.Fatal("the half line is not remembered")
	}
	d.store.file, d.store.write = f, writeFile
	mustAppend(t, d, user("three"))
	if got := texts(mustOpen(t, d.File(), Options{})); got != "user:one user:two user:three" {
		t.Errorf("after opening: %s", got)
	}
}

func TestOtherProgramsLinesStay(t *testing.T) {
	for _, end := range []string{"\n", ""} {
		d := mustNew(t, testOptions(t))
		mustAppend(t, d, user("one"))
		f, err := os.OpenFile(d.File(), os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(f, `{"type":"custom","id":"feed0001","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z","customType":"x"}`+end)
		f.Close()
		mustAppend(t, d, user("two"))
		if got := texts(d); got != "user:one user:two" {
			t.Errorf("context %s", got)
		}
		again := mustOpen(t, d.File(), Options{})
		if _, ok := again.Entry("feed0001"); !ok || texts(again) != "user:one user:two" {
			t.Errorf("end %q: foreign entry %v, context %s", end, ok, texts(again))
		}
	}
}

func TestRemovedFileIsMadeAgain(t *testing.T) {
	d := mustNew(t, testOptions(t))
	mustAppend(t, d, user("one"))
	if err := os.RemoveAll(filepath.Dir(d.File())); err != nil {
		t.Fatal(err)
	}
	mustAppend(t, d, user("two"))
	if got := texts(mustOpen(t, d.File(), Options{})); got != "user:one user:two" {
		t.Errorf("context %s", got)
	}
}

func TestReplacedFileIsRefused(t *testing.T) {
	d := mustNew(t, testOptions(t))
	mustAppend(t, d, user("one"))
	other := d.File() + ".new"
	if err := os.WriteFile(other, []byte("something else\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(other, d.File()); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Append(user("two")); !errors.Is(err, ErrReplaced) {
		t.Errorf("got %v, want ErrReplaced", err)
	}
	if got := read(t, d.File()); got != "something else\n" {
		t.Errorf("the other file was changed: %q", got)
	}
	if got := texts(d); got != "user:one user:two" {
		t.Errorf("context %s", got)
	}
}
