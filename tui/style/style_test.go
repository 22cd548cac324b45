package style_test

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/hoopoe-agent/hoopoe/themes"
	"github.com/hoopoe-agent/hoopoe/tui/style"
)

func theme(t *testing.T) themes.Theme {
	t.Helper()
	th, err := themes.Load(themes.Default)
	if err != nil {
		t.Fatal(err)
	}
	return th
}

func TestVariants(t *testing.T) {
	th := theme(t)
	dark, light := style.New(th, true, true), style.New(th, false, true)
	if dark.Error.Render("x") == light.Error.Render("x") {
		t.Error("dark and light paint errors alike")
	}
	if got := ansi.Strip(dark.Error.Render("x")); got != "x" {
		t.Errorf("painted text reads %q", got)
	}
	if got := dark.Muted.Render(""); got != "" {
		t.Errorf("nothing painted is %q", got)
	}
}

// NO_COLOR is obeyed: attributes, but no colour.
func TestNoColor(t *testing.T) {
	s := style.New(theme(t), true, false)
	for name, st := range map[string]style.Style{
		"error": s.Error, "accent": s.Accent, "added": s.Added, "mode": s.Mode("full"), "link": s.Link,
	} {
		if !st.Plain() {
			t.Errorf("%s is painted: %q", name, st.Render("x"))
		}
	}
	for name, st := range map[string]style.Style{"selected": s.Selected, "mark": s.AddedMark, "heading": s.Heading} {
		got := st.Render("x")
		if got == "x" || strings.Contains(got, "38;") || strings.Contains(got, "48;") {
			t.Errorf("%s = %q: want an attribute without colour", name, got)
		}
	}
}

// E-5: rows never exceed the width, whatever the script.
func TestRows(t *testing.T) {
	for _, text := range []string{
		"plain words that go on and on for a while",
		"شغّل الأمر go test ./... ثم أعد المحاولة",
		"天地玄黄宇宙洪荒日月盈昃辰宿列张寒来暑往秋收冬藏",
		"👨‍👩‍👧‍👦👍🏽❤️🇩🇪 emoji 👨‍👩‍👧‍👦👍🏽❤️🇩🇪",
		strings.Repeat("1️⃣", 40), strings.Repeat("e\u0301", 90),
		strings.Repeat("x", 500),
	} {
		for _, width := range []int{1, 2, 7, 20, 40, 80, 200} {
			rows := style.Wrap(text, width)
			for _, row := range rows {
				if w := style.Width(row); w > width {
					t.Errorf("Wrap(%q, %d): row %q has %d columns", text, width, row, w)
				}
			}
			if w := style.Width(style.Cut(text, width)); w > width {
				t.Errorf("Cut(%q, %d) has %d columns", text, width, w)
			}
			if w := style.Width(style.Pad(text, width)); w != width {
				t.Errorf("Pad(%q, %d) has %d columns", text, width, w)
			}
			if width > 1 {
				squash := func(s string) string { return strings.Join(strings.Fields(s), "") }
				if got := squash(strings.Join(rows, "")); got != squash(text) {
					t.Errorf("Wrap(%q, %d) lost text: %q", text, width, got)
				}
			}
		}
	}
}
