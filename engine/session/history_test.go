package session

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"syscall"
	"testing"
)

// E-1: whatever is appended, moved, refused by the disk, closed and opened
// again in whatever order, every entry is there in the end, under its parent.
func TestRandomHistories(t *testing.T) {
	for seed := range uint64(40) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { randomHistory(t, rand.New(rand.NewPCG(seed, 0))) })
	}
}

func randomHistory(t *testing.T, r *rand.Rand) {
	o := testOptions(t)
	d := mustNew(t, o)
	full := false
	limit := func() {
		d.store.write = func(f *os.File, p []byte) (int, error) {
			if !full {
				return f.Write(p)
			}
			n, _ := f.Write(p[:r.IntN(len(p))])
			return n, syscall.ENOSPC
		}
	}
	limit()
	var want []string // id, parent and text of each entry, in order
	add := func(e Entry, text string) {
		parent := d.Leaf()
		got, err := d.Append(e)
		if err != nil && !full {
			t.Fatal(err)
		}
		want = append(want, got.ID+"<"+parent+":"+text)
	}
	check := func() {
		t.Helper()
		var got []string
		for _, e := range d.Entries() {
			text := ""
			if e.Message != nil {
				text = e.Message.Text()
			}
			got = append(got, e.ID+"<"+e.ParentID+":"+text)
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Fatalf("entries\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	for i := range 60 {
		switch r.IntN(12) {
		case 0:
			full = !full
		case 1:
			if len(want) > 0 {
				if err := d.MoveTo(want[r.IntN(len(want))][:8]); err != nil {
					t.Fatal(err)
				}
			}
		case 2:
			add(Entry{Label: &Label{TargetID: "x", Text: "y"}}, "")
		case 3:
			add(Entry{Compaction: &Compaction{Summary: "s", FirstKeptEntryID: d.Leaf()}}, "")
		case 4:
			full = false
			if err := d.Close(); err != nil {
				t.Fatal(err)
			}
			if _, err := os.Stat(d.File()); err != nil {
				want = nil // nobody has said anything: there is no file
				d = mustNew(t, o)
			} else {
				d = mustOpen(t, d.File(), o)
			}
			limit()
		default:
			text := strings.Repeat(fmt.Sprint(i, " "), 1+r.IntN(200))
			add(user(text), text)
		}
		check()
	}
}
