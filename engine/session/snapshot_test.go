package session

import (
	"errors"
	"os"
	"sync"
	"testing"
)

// cold makes a document forget what it has decoded, so that reading goes to
// the file.
func cold(d *Document) {
	for _, n := range d.nodes {
		n.entry = nil
	}
}

// A snapshot stays as it is while the document goes on beside it.
func TestSnapshot(t *testing.T) {
	d := mustOpen(t, writeLong(t, 400), testOptions(t))
	cold(d)
	n, leaf := d.Len(), d.Leaf()
	s := d.Snapshot()
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			for range 5 {
				entries, err := s.Entries()
				if err != nil || len(entries) != n || s.Leaf() != leaf {
					t.Errorf("%d entries, leaf %s, %v", len(entries), s.Leaf(), err)
				}
				for _, e := range entries {
					if e.Message == nil && e.Type == TypeMessage {
						t.Errorf("entry %s was not read", e.ID)
					}
				}
				if prompts, err := s.Prompts(); err != nil || len(prompts) != 100 {
					t.Errorf("%d prompts, %v", len(prompts), err)
				}
				roots, err := s.Tree()
				if err != nil || len(roots) != 1 || roots[0].Entry.ID != entries[0].ID {
					t.Errorf("%d roots, %v", len(roots), err)
				}
			}
		})
	}
	for i := range 50 {
		mustAppend(t, d, user("more"))
		if err := d.MoveTo(d.nodes[i].id); err != nil {
			t.Fatal(err)
		}
		mustAppend(t, d, Entry{Label: &Label{TargetID: leaf, Text: "named"}})
		d.forget()
		d.warm(d.nodes)
	}
	readers.Wait()
	if roots, _ := s.Tree(); roots[0].Label != "" {
		t.Error("a label came later")
	}
}

// A document that is closed before its snapshot is read says so.
func TestSnapshotOfAClosedDocument(t *testing.T) {
	d := mustOpen(t, writeLong(t, 80), testOptions(t))
	cold(d)
	s := d.Snapshot()
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Entries(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("entries: %v", err)
	}
	if _, err := s.Tree(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("tree: %v", err)
	}
	if _, err := s.Prompts(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("prompts: %v", err)
	}
}

// BenchmarkSnapshot10k is what a session's owner spends on a listing of 10,000
// messages, and what the caller spends off it. The goal for the owner is 5 ms.
func BenchmarkSnapshot10k(b *testing.B) {
	d := mustOpen(b, writeLong(b, 10_000), Options{})
	b.Run("taken", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			d.Snapshot()
		}
	})
	cold(d)
	b.Run("read", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := d.Snapshot().Entries(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("prompts", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := d.Snapshot().Prompts(); err != nil {
				b.Fatal(err)
			}
		}
	})
}
