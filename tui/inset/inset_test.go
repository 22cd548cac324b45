package inset_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/hoopoe-agent/hoopoe/tui/flow"
	"github.com/hoopoe-agent/hoopoe/tui/inset"
	"github.com/hoopoe-agent/hoopoe/tui/style"
)

// Case 31: a piece of a row has its own direction and keeps to its columns;
// brackets, points and what marks a cut stand at its end.
func TestText(t *testing.T) {
	for _, c := range []struct{ name, text, own, ordered string }{
		{"latin", "all users (now).", "all users (now).", "all users (now)."},
		{"chinese", "所有用户（现在）。", "所有用户（现在）。", "所有用户（现在）。"},
		{"arabic", "كل المستخدمين (الآن).", "كل المستخدمين (الآن).", ".(نآلا) نيمدختسملا لك"},
		{"cut", style.Cut("كل المستخدمين", 7), "كل الم…", "…ملا لك"},
		{"a command in it", "شغّل go test ./... الآن", "شغّل go test ./... الآن", "نآلا go test ./... لغّش"},
		{"arabic in latin", "run الآن (now).", "run الآن (now).", "run نآلا (now)."},
		{"path", "/شفرة/عرض.go", "/شفرة/عرض.go", "/ضرع/ةرفش.go"},
		{"nothing", "", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			for b, want := range map[flow.Bidi]string{{}: c.own, {Reorder: true}: c.ordered} {
				got := inset.Text(c.text, b)
				if got != want || style.Width(got) != style.Width(c.text) {
					t.Errorf("%+v: %q, want %q", b, got, want)
				}
			}
		})
	}
}

// Numbers beside a name stay in their part.
func TestParts(t *testing.T) {
	for text, want := range map[string]string{
		"deploy · 1 of 2":           "deploy · 1 of 2",
		"النشر · 1 of 2 · 5s left":  "رشنلا · 1 of 2 · 5s left",
		"60 · النشر ·…":             "60 · رشنلا ·…",
		"/شفرة/عرض · 0199a3c2-test": "/ضرع/ةرفش · 0199a3c2-test",
	} {
		if got := inset.Parts(text, flow.Bidi{Reorder: true}); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
		if got := inset.Parts(text, flow.Bidi{}); got != text {
			t.Errorf("%q: %q for a terminal that puts it in order itself", text, got)
		}
	}
}

// A block begins where its rows do, its Arabic flush right in it.
func TestRows(t *testing.T) {
	for _, c := range []struct {
		name, text   string
		width, limit int
		want         []string
	}{
		{"arabic", "خادم الإنتاج (كل المستخدمين في الحال)", 22, 9, []string{"    لك) جاتنإلا مداخ", "(لاحلا يف نيمدختسملا"}},
		{"latin and arabic", "one\nالاسم القديم", 20, 9, []string{"one", "ميدقلا مسالا"}},
		{"a word in latin text", "saves the rule bash(git push رئيسي)", 20, 9, []string{"saves the rule", "bash(git push يسيئر)"}},
		{"parts", "/شفرة/عرض · 0199a3c2", 30, 9, []string{"/ضرع/ةرفش · 0199a3c2"}},
		{"parts in two rows", "/tmp/شفرة/عرض · 0199a3c2-7e6f", 20, 9, []string{"/tmp/ضرع/ةرفش ·", "0199a3c2-7e6f"}},
		{"parts, cut", "one\n/شفرة/عرض · 0199a3c2-7e6f", 14, 2, []string{"one", "/ضرع/ةرفش · …"}},
		{"path", "مصدر/مجلد/رئيسي.go", 12, 9, []string{"ئر/دلجم/ردصم", "يسي.go"}},
		{"cut", "خادم الإنتاج (كل المستخدمين في الحال)", 16, 2, []string{"لك) جاتنإلا مداخ", "… يف نيمدختسملا"}},
		{"cut, latin", "one two three", 5, 2, []string{"one", "two …"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			rows := inset.Rows(c.text, c.width, c.limit, flow.Bidi{Reorder: true})
			if !slices.Equal(rows, c.want) {
				t.Errorf("%q, want %q", rows, c.want)
			}
			plain := inset.Rows(c.text, c.width, c.limit, flow.Bidi{})
			if len(plain) != len(rows) {
				t.Errorf("%d rows in order, %d else", len(rows), len(plain))
			}
			for _, row := range append(rows, plain...) {
				if style.Width(row) > c.width {
					t.Errorf("a row of %d columns: %q", style.Width(row), row)
				}
			}
		})
	}
}

func FuzzRows(f *testing.F) {
	f.Add("خادم الإنتاج (كل) go test ./...\n· x", 7, 3)
	f.Add("👨‍👩‍👧‍👦 天地 \u00ad مرحبا/a\\b", 3, 1)
	f.Fuzz(func(t *testing.T, text string, width, limit int) {
		limit = limit&0xf + 1
		width = width&0x3f + 1
		text = ansi.Strip(strings.ToValidUTF8(text, ""))
		for _, b := range []flow.Bidi{{}, {Reorder: true}, {Isolate: true}} {
			for _, row := range inset.Rows(text, width, limit, b) {
				if w := style.Width(row); w > width && !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' }) {
					t.Errorf("%q at %d: a row of %d columns: %q", text, width, w, row)
				}
			}
			inset.Parts(text, b)
		}
	})
}
