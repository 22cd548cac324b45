package picker_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/hoopoe-agent/hoopoe/themes"
	"github.com/hoopoe-agent/hoopoe/tui/picker"
	"github.com/hoopoe-agent/hoopoe/tui/style"
)

var update = flag.Bool("update", false, "write the golden files")

func styles(t testing.TB, color bool) style.Styles {
	t.Helper()
	theme, err := themes.Load(themes.Default)
	if err != nil {
		t.Fatal(err)
	}
	return style.New(theme, true, color)
}

var models = []picker.Item{
	{ID: "d", Title: "not there", Detail: "no key", Disabled: true},
	{ID: "s", Title: "claude-sonnet", Detail: "anthropic, 200k tokens of context, images, thinking"},
	{ID: "o", Title: "claude-opus", Detail: "anthropic"},
	{ID: "g", Title: "gpt-large", Detail: "openai"},
	{ID: "z", Title: "本地模型 天地玄黄宇宙洪荒", Detail: "مرحبا بالعالم"},
	{ID: "e", Title: "👨‍👩‍👧‍👦 family", Detail: "\x1b[2Jlocal\n"},
}

func typeIn(p *picker.Picker, text string) {
	for _, r := range text {
		p.Update(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
}

func press(p *picker.Picker, codes ...rune) (picker.Result, bool) {
	var res picker.Result
	var done bool
	for _, code := range codes {
		res, done = p.Update(tea.KeyPressMsg{Code: code})
	}
	return res, done
}

func TestChoosing(t *testing.T) {
	for _, c := range []struct {
		name   string
		filter string
		keys   []rune
		want   string
	}{
		{"first that can be chosen", "", nil, "s"},
		{"down", "", []rune{tea.KeyDown, tea.KeyDown}, "g"},
		{"up stops", "", []rune{tea.KeyUp, tea.KeyUp}, "s"},
		{"end and home", "", []rune{tea.KeyEnd, tea.KeyHome}, "s"},
		{"end", "", []rune{tea.KeyEnd}, "e"},
		{"fuzzy", "clop", nil, "o"},
		{"two words in any order", "anthropic opus", nil, "o"},
		{"chinese", "模型", nil, "z"},
		{"arabic", "عالم", nil, "z"},
		{"backspace", "gptx", []rune{tea.KeyBackspace}, "g"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := picker.New("Model", models, styles(t, true))
			typeIn(p, c.filter)
			press(p, c.keys...)
			res, done := press(p, tea.KeyEnter)
			if !done || res.Cancelled || res.Item.ID != c.want {
				t.Errorf("chose %+v (done %v), want %q", res, done, c.want)
			}
		})
	}
}

func TestNothingToChoose(t *testing.T) {
	p := picker.New("Model", models[:1], styles(t, true))
	if res, done := press(p, tea.KeyDown, tea.KeyEnter); done {
		t.Errorf("a disabled item was chosen: %+v", res)
	}
	typeIn(p, "zzzz")
	if _, done := press(p, tea.KeyUp, tea.KeyPgDown, tea.KeyEnter); done {
		t.Error("chose from an empty list")
	}
	if res, done := press(p, tea.KeyEscape); !done || !res.Cancelled {
		t.Error("Esc does not cancel")
	}
}

func TestSetItemsKeepsSelection(t *testing.T) {
	p := picker.New("Model", models, styles(t, true))
	press(p, tea.KeyDown)
	p.SetItems(append([]picker.Item{{ID: "n", Title: "newcomer"}}, models...))
	if it, ok := p.Selected(); !ok || it.ID != "o" {
		t.Errorf("selected %+v", it)
	}
}

// E-5: golden text at four widths, and no row is wider or one too many.
func TestGolden(t *testing.T) {
	for _, width := range []int{20, 40, 80, 200} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			p := picker.New("模型 Model", models, styles(t, false))
			var views []string
			for _, step := range []func(){func() {}, func() { press(p, tea.KeyEnd) }, func() { typeIn(p, "local") }} {
				step()
				view := p.View(width, 6)
				inside(t, p, view, width, 6)
				views = append(views, ansi.Strip(view))
			}
			got := strings.Join(views, "\n\n") + "\n"
			file := filepath.Join("testdata", fmt.Sprintf("models-%d.txt", width))
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("rows differ from %s (run with -update and look at the change):\n%s", file, got)
			}
		})
	}
	for _, width := range []int{1, 2, 5, 11} {
		for _, height := range []int{1, 2, 3, 30} {
			p := picker.New("Model", models, styles(t, true))
			inside(t, p, p.View(width, height), width, height)
			typeIn(p, "天地玄黄 a long filter")
			inside(t, p, p.View(width, height), width, height)
		}
	}
}

func inside(t *testing.T, p *picker.Picker, view string, width, height int) {
	t.Helper()
	rows := strings.Split(view, "\n")
	if len(rows) > height {
		t.Errorf("%d rows of %d:\n%s", len(rows), height, view)
	}
	for _, row := range rows {
		if w := style.Width(row); w > width {
			t.Errorf("row %q has %d columns of %d", row, w, width)
		}
	}
	if x, y := p.Cursor(); x < 0 || x >= width || y != 0 {
		t.Errorf("cursor at %d,%d of %d", x, y, width)
	}
}

func BenchmarkFilter10000(b *testing.B) {
	items := make([]picker.Item, 10000)
	for i := range items {
		items[i] = picker.Item{ID: fmt.Sprint(i), Title: fmt.Sprintf("session %d about something", i), Detail: "yesterday, ~/src/project"}
	}
	p := picker.New("Resume", items, styles(b, true))
	for b.Loop() {
		p.SetFilter("ses 99 thing")
		p.View(100, 30)
	}
}
