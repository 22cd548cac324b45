package builtin

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/hoopoe-agent/hoopoe/engine/tool"
)

func TestEdit(t *testing.T) {
	for _, tt := range []struct {
		name, before, args, after string
		errs                      []string
	}{
		{name: "one", before: "a\nb\nc\n", args: `"oldText":"b","newText":"B"`, after: "a\nB\nc\n"},
		{name: "several", before: "a\nb\nc\n", args: `"edits":[{"oldText":"c","newText":"C"},{"oldText":"a","newText":"A"}]`, after: "A\nb\nC\n"},
		{name: "both forms", before: "a\nb\n", args: `"oldText":"a","newText":"A","edits":[{"oldText":"b","newText":"B"}]`, after: "A\nB\n"},
		{name: "delete", before: "a\nb\n", args: `"oldText":"b\n","newText":""`, after: "a\n"},
		{name: "everywhere", before: "x x\nx\n", args: `"oldText":"x","newText":"yy","replaceAll":true`, after: "yy yy\nyy\n"},
		{name: "edits see the file before the call", before: "a b\n", args: `"edits":[{"oldText":"a","newText":"b"},{"oldText":"b","newText":"a"}]`, after: "b a\n"},
		{name: "no newline at the end", before: "a\nb", args: `"oldText":"b","newText":"B"`, after: "a\nB"},
		{name: "dollar and backslash", before: "a\n", args: `"oldText":"a","newText":"$1\\1"`, after: "$1\\1\n"},

		{name: "CRLF file, LF text", before: "a\r\nb\r\nc\r\n", args: `"oldText":"a\nb\n","newText":"A\nB\nnew\n"`, after: "A\r\nB\r\nnew\r\nc\r\n"},
		{name: "LF file, CRLF text", before: "a\nb\nc\n", args: `"oldText":"a\r\nb","newText":"A\r\nB"`, after: "A\nB\nc\n"},
		{name: "CRLF file, inserted line", before: "a\r\nb\r\n", args: `"oldText":"b","newText":"b\nc"`, after: "a\r\nb\r\nc\r\n"},
		{name: "mixed endings stay where they are", before: "a\r\nb\nc\r\nd\n", args: `"oldText":"b\nc","newText":"b\nC"`, after: "a\r\nb\nC\r\nd\n"},
		{name: "BOM", before: "\ufeffa\nb\n", args: `"oldText":"a","newText":"A"`, after: "\ufeffA\nb\n"},
		{name: "UTF-16", before: "\xff\xfea\x00\n\x00", args: `"oldText":"a","newText":"日"`, after: "\xff\xfe\xe5\x65\n\x00"},
		{name: "bytes that aren't UTF-8", before: "caf\xe9\nb\n", args: `"oldText":"b","newText":"B"`, after: "caf\xe9\nB\n"},
		{name: "trailing blanks in the file", before: "a  \nb\t\nc\n", args: `"oldText":"a\nb\nc","newText":"a\nX\nc"`, after: "a  \nX\nc\n"},
		{name: "trailing blanks in the text", before: "a\nb\n", args: `"oldText":"a \nb","newText":"A\nb"`, after: "A\nb\n"},
		{name: "trailing blanks at its end", before: "ab\na\n", args: `"oldText":"a  ","newText":"A"`, after: "ab\nA\n"},
		{name: "curly quotes stay", before: "say “hi” – now\n", args: `"oldText":"say \"hi\" - now","newText":"say \"hi\" - later"`, after: "say “hi” – later\n"},
		{name: "straightened when that is meant", before: "it’s\n", args: `"oldText":"it’s","newText":"it's"`, after: "it's\n"},
		{name: "no-break space", before: "a\u00a0b\n", args: `"oldText":"a b","newText":"a c"`, after: "a\u00a0c\n"},
		{name: "exact wins over loose", before: "“x”\n\"x\"\n", args: `"oldText":"\"x\"","newText":"y"`, after: "“x”\ny\n"},
		{name: "Arabic and Chinese", before: "مرحبا 世界\n", args: `"oldText":"世界","newText":"hoopoe"`, after: "مرحبا hoopoe\n"},

		{name: "ambiguous", before: "x\ny\nx\n", args: `"oldText":"x","newText":"z"`, errs: []string{"2 times (lines 1, 3)", "replaceAll"}},
		{name: "overlapping itself", before: "aaa\n", args: `"oldText":"aa","newText":"b"`, errs: []string{"2 times"}},
		{name: "overlapping edits", before: "abc\n", args: `"edits":[{"oldText":"ab","newText":"x"},{"oldText":"bc","newText":"y"}]`, errs: []string{"edits 1 and 2 overlap at line 1"}},
		{name: "nearest by equal lines", before: "func a() {\n\tone()\n\ttwo()\n}\n", args: `"oldText":"func a() {\n\tone()\n\tthree()\n}","newText":"x"`,
			errs: []string{"not in f", "nearest text is at lines 1-4", "two()"}},
		{name: "nearest by likeness", before: "package p\n\nconst maxRetries = 3\n", args: `"oldText":"const maxRetry = 3","newText":"x"`,
			errs: []string{"nearest text is at line 3", "const maxRetries = 3"}},
		{name: "indentation", before: "if x {\n\t\ty()\n}\n", args: `"oldText":"if x {\n    y()\n}","newText":"z"`, errs: []string{"lines 1-3, which differ only in blanks or indentation"}},
		{name: "already made", before: "new line\n", args: `"oldText":"old thing entirely","newText":"new line"`, errs: []string{"at line 1: was this edit already made?"}},
		{name: "all or nothing", before: "a\n", args: `"edits":[{"oldText":"a","newText":"b"},{"oldText":"zzz","newText":"y"}]`, errs: []string{"edit 2: oldText is not in f", "Nothing was changed"}},
		{name: "every problem is named", before: "a a\n", args: `"edits":[{"oldText":"a","newText":"b"},{"oldText":"zzz","newText":"y"}]`, errs: []string{"edit 1:", "edit 2:"}},
		{name: "empty", before: "a\n", args: `"oldText":"","newText":"y"`, errs: []string{"oldText is empty"}},
		{name: "same", before: "a\n", args: `"oldText":"a","newText":"a"`, errs: []string{"are the same"}},
		{name: "half", before: "a\n", args: `"oldText":"a"`, errs: []string{"belong together"}},
		{name: "none", before: "a\n", args: `"edits":[]`, errs: []string{"nothing to replace"}},
		{name: "binary", before: "a\x00b", args: `"oldText":"a","newText":"b"`, errs: []string{"binary"}},
		{name: "broken UTF-16", before: "\xff\xfea", args: `"oldText":"a","newText":"b"`, errs: []string{"UTF-16"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t, map[string]string{"f": tt.before})
			args := `{"path":"f",` + tt.args + `}`
			if tt.errs != nil {
				b.fails(Edit(), args, tt.errs...)
				if _, err := b.preview(Edit(), args); err == nil {
					t.Error("the preview hides that the call would fail")
				}
				tt.after = tt.before
			} else {
				diff, err := b.preview(Edit(), args)
				if err != nil || !strings.HasPrefix(diff, "--- f\n+++ f\n@@") {
					t.Errorf("preview: %v\n%s", err, diff)
				}
				if b.content("f") != tt.before {
					t.Error("the preview wrote")
				}
				r, err := b.run(Edit(), args)
				if err != nil {
					t.Fatal(err)
				}
				var d change
				if err := json.Unmarshal(r.Details, &d); err != nil || d.Diff != diff || d.Path != b.path("f") || d.FirstChanged == 0 {
					t.Errorf("details %s, %v", r.Details, err)
				}
			}
			if got := b.content("f"); got != tt.after {
				t.Errorf("got  %q\nwant %q", got, tt.after)
			}
		})
	}
}

func TestEditDetails(t *testing.T) {
	b := newBench(t, map[string]string{"f": "a\nb\nc\nd\n"})
	r, err := b.run(Edit(), `{"path":"f","oldText":"c","newText":"x\ny"}`)
	if err != nil {
		t.Fatal(err)
	}
	var d change
	if err := json.Unmarshal(r.Details, &d); err != nil {
		t.Fatal(err)
	}
	want := change{Path: b.path("f"), Diff: "--- f\n+++ f\n@@ -1,4 +1,5 @@\n a\n b\n-c\n+x\n+y\n d\n", FirstChanged: 3, Added: 2, Removed: 1}
	if d != want {
		t.Errorf("got %+v\nwant %+v", d, want)
	}
}

// E-1: foreign work isn't overwritten, and what was done is known.
func TestEditStale(t *testing.T) {
	b := newBench(t, map[string]string{"f": "a\n", "g": "a\n"})
	b.text(Read(), `{"path":"f"}`)
	b.plant("f", "a\nforeign\n")
	b.fails(Edit(), `{"path":"f","oldText":"a","newText":"b"}`, "f has changed since you read it", "Read it again")
	b.fails(Write(), `{"path":"f","content":"b"}`, "f has changed since you read it")
	if b.content("f") != "a\nforeign\n" {
		t.Error("foreign work is lost")
	}
	b.text(Read(), `{"path":"f"}`)
	b.text(Edit(), `{"path":"f","oldText":"a","newText":"b"}`)
	b.text(Edit(), `{"path":"f","oldText":"b","newText":"c"}`) // our own change isn't foreign
	b.text(Edit(), `{"path":"g","oldText":"a","newText":"b"}`) // never read: nothing to be stale
}

func TestEditKeepsModeAndLink(t *testing.T) {
	b := newBench(t, map[string]string{"real/f": "a\n"})
	if err := os.Chmod(b.path("real/f"), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join("real", "f"), b.path("link")); err != nil {
		t.Skip("no symlinks here")
	}
	b.text(Edit(), `{"path":"link","oldText":"a","newText":"b"}`)
	b.text(Write(), `{"path":"link","content":"c\n"}`)
	info, err := os.Lstat(b.path("link"))
	if err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v, %v", info, err)
	}
	if info, err = os.Stat(b.path("real/f")); err != nil || info.Mode().Perm() != 0o750 || b.content("real/f") != "c\n" {
		t.Errorf("mode %v, %v, content %q", info.Mode(), err, b.content("real/f"))
	}
}

// Calls of one turn run side by side: none of their edits may be lost.
func TestEditConcurrently(t *testing.T) {
	const n = 40
	var before strings.Builder
	for i := range n {
		before.WriteString("line " + string(rune('a'+i%26)) + marshal(i) + ";\n")
	}
	b := newBench(t, map[string]string{"f": before.String()})
	b.text(Read(), `{"path":"f"}`)
	edit := Edit()
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			old := "line " + string(rune('a'+i%26)) + marshal(i) + ";"
			if _, err := b.run(edit, `{"path":"f","oldText":`+marshal(old)+`,"newText":"done"}`); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if got := b.content("f"); got != strings.Repeat("done\n", n) {
		t.Errorf("edits were lost:\n%s", got)
	}
}

// An edit changes one region and nothing else, whatever had to be overlooked
// to find it.
func FuzzEdit(f *testing.F) {
	f.Add("a  \r\n“b” c\nd", "a\n\"b\"", "x\ny")
	f.Add("x\u00a0y \n \n", "x y\n", "")
	f.Add("aéa\xff\r\n\r\r\n", "\r\n", "é")
	f.Add("— \t\r\n-", "-\n-", "–\n–")
	f.Fuzz(func(t *testing.T, content, old, text string) {
		if old == "" || !utf8.ValidString(old) || !utf8.ValidString(text) {
			t.Skip("arguments are JSON")
		}
		checkEdit(t, content, old, text)
	})
}

// The same for texts that are nearly in the file.
func TestEditRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	pieces := []string{"a", "b", "\n", "\r\n", " ", "  ", "\t", "“", "”", "\"", "–", "-", "\u00a0", "é", "日", "'", "’", "\r"}
	words := func(n int) (s []string) {
		for range 1 + r.IntN(n) {
			s = append(s, pieces[r.IntN(len(pieces))])
		}
		return s
	}
	loosely := strings.NewReplacer("“", "\"", "”", "\"", "–", "-", "\u00a0", " ", "’", "'", "\r\n", "\n")
	found := [typography + 1]int{}
	for range 20_000 {
		content := words(30)
		from := r.IntN(len(content))
		old := strings.Join(content[from:from+1+r.IntN(len(content)-from)], "")
		switch r.IntN(4) {
		case 0:
			old = loosely.Replace(old)
		case 1:
			old = strings.ReplaceAll(old, "\n", " \n")
		case 2:
			old = strings.ReplaceAll(loosely.Replace(old), " \n", "\n")
		}
		text := old
		if r.IntN(2) == 0 {
			text = strings.Join(words(6), "")
		} else if at := r.IntN(len(old) + 1); at == len(old) || utf8.RuneStart(old[at]) {
			text = old[:at] + strings.Join(words(3), "") + old[at:]
		}
		if n, loose := checkEdit(t, strings.Join(content, ""), old, text); n > 0 {
			found[loose]++
		}
	}
	for loose, n := range found {
		if n < 100 {
			t.Errorf("looseness %d was only tried %d times: %v", loose, n, found)
		}
	}
}

func checkEdit(t *testing.T, content, old, text string) (matches int, loose looseness) {
	t.Helper()
	if strings.Contains(text, "\r\r\n") {
		return 0, exact // giving it the file's line endings leaves a new CRLF
	}
	fd := find(content, old, false)
	for _, m := range fd.matches {
		// The match is what was looked for.
		got := canonical(content[m.start:m.end], fd.loose, fd.open).text
		if want := canonical(old, fd.loose, fd.open).text; fd.loose > exact && got != want || fd.loose == exact && content[m.start:m.end] != old {
			t.Fatalf("%q was taken for %q (%v)", content[m.start:m.end], old, fd.loose)
		}
		// What is replaced lies in it.
		r := fd.replace(content, m, old, text)
		if r.start < m.start || r.end > m.end || r.start > r.end {
			t.Fatalf("region %d-%d of match %d-%d", r.start, r.end, m.start, m.end)
		}
		out := apply(content, []region{r})
		if !strings.HasPrefix(out, content[:m.start]) || !strings.HasSuffix(out, content[m.end:]) {
			t.Fatalf("%q became %q: changed outside of %d-%d", content, out, m.start, m.end)
		}
		// And what is there now reads as the new text.
		mid := out[m.start : len(out)-(len(content)-m.end)]
		if got, want := canonical(mid, typography, false).text, canonical(text, typography, false).text; got != want {
			t.Fatalf("%q with %q for %q (%v): the place reads %q", content, text, old, fd.loose, mid)
		}
	}
	// With replaceAll, matches don't overlap.
	last := 0
	for _, m := range find(content, old, true).matches {
		if m.start < last {
			t.Fatalf("matches overlap at %d", m.start)
		}
		last = m.end
	}
	candidate(content, old)
	return len(fd.matches), fd.loose
}

func FuzzDecodeText(f *testing.F) {
	f.Add([]byte("\xff\xfea\x00"))
	f.Add([]byte("\ufeffa\r\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		text, e, err := decodeText(data)
		if err == nil && string(e.encode(text)) != string(data) {
			t.Fatalf("%q comes back as %q", data, e.encode(text))
		}
	})
}

// Calls of one turn run side by side: none takes another's work for foreign.
func TestOwnChangesAreNotForeign(t *testing.T) {
	b := newBench(t, map[string]string{"f": "0\n"})
	stop := make(chan struct{})
	var others sync.WaitGroup
	for _, step := range []func() error{
		func() error {
			_, err := Write().(tool.Previewer).Preview(t.Context(), b.call(Write(), `{"path":"f","content":"x"}`))
			return err
		},
		func() error {
			_, err := Read().Run(t.Context(), b.call(Read(), `{"path":"f"}`))
			return err
		},
	} {
		others.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if err := step(); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for i := range 300 {
		if _, err := Write().Run(t.Context(), b.call(Write(), fmt.Sprintf(`{"path":"f","content":"%d"}`, i))); err != nil {
			t.Error(err)
			break
		}
	}
	close(stop)
	others.Wait()
}
