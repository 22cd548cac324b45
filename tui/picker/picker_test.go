package picker_test

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/hoopoe-agent/hoopoe/themes"
	"github.com/hoopoe-agent/hoopoe/tui/flow"
	"github.com/hoopoe-agent/hoopoe/tui/keymap"
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

func newPicker(t testing.TB, color bool, items []picker.Item) *picker.Picker {
	return picker.New(picker.Options{Title: "Model", Styles: styles(t, color)}, items)
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
			p := newPicker(t, true, models)
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
	p := newPicker(t, true, models[:1])
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
	p := newPicker(t, true, models)
	press(p, tea.KeyDown)
	p.SetItems(append([]picker.Item{{ID: "n", Title: "newcomer"}}, models...))
	if it, ok := p.Selected(); !ok || it.ID != "o" {
		t.Errorf("selected %+v", it)
	}
}

func TestSmall(t *testing.T) {
	for _, width := range []int{1, 2, 5, 11} {
		for _, height := range []int{1, 2, 3, 9, 30} {
			for _, items := range [][]picker.Item{models, mixed.rich(), nil} {
				p := picker.New(picker.Options{Title: "Model", Note: "n", Intro: "an intro", Styles: styles(t, true)}, items)
				inside(t, p, p.View(width, height), width, height)
				typeIn(p, "天地玄黄 a long filter")
				inside(t, p, p.View(width, height), width, height)
			}
		}
	}
}

// The owner's actions come back with the selected item; the list stays as it is.
func TestOwnersActions(t *testing.T) {
	p := picker.New(picker.Options{Title: "Sessions", Own: keymap.Sessions, Styles: styles(t, true)}, models)
	res, done := p.Update(tea.KeyPressMsg{Code: 'x', Mod: tea.ModCtrl})
	if !done || res.Action != keymap.DeleteSession || res.Item.ID != "s" || res.Cancelled {
		t.Errorf("got %+v, %v", res, done)
	}
}

// C-4: keys that the user has given to actions hold here, and those that they
// were given instead of don't.
func TestUserKeys(t *testing.T) {
	keys, problems := keymap.New(map[string][]string{
		"selectDown": {"f5"}, "selectUp": {"f6"}, "selectLast": {"f7"}, "selectFirst": {"f8"}, "selectPageDown": {"ctrl+down"}, "selectConfirm": {"ctrl+y"},
		"selectCancel": {"ctrl+g"}, "deleteSession": {"f9"}, "deleteCharBackward": {"f10"}, "deleteToLineStart": {"f11"}, "deleteBlankWordBackward": {"f12"},
	})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	press := func(p *picker.Picker, key string) (picker.Result, bool) {
		mod := tea.KeyMod(0)
		if rest, ok := strings.CutPrefix(key, "ctrl+"); ok {
			key, mod = rest, tea.ModCtrl
		}
		code := map[string]rune{"down": tea.KeyDown, "up": tea.KeyUp, "enter": tea.KeyEnter, "esc": tea.KeyEscape, "home": tea.KeyHome, "end": tea.KeyEnd,
			"pgdown": tea.KeyPgDown, "backspace": tea.KeyBackspace, "y": 'y', "g": 'g', "x": 'x', "u": 'u', "w": 'w'}[key]
		var n rune
		if _, err := fmt.Sscanf(key, "f%d", &n); err == nil {
			code = tea.KeyF1 + n - 1
		}
		return p.Update(tea.KeyPressMsg{Code: code, Mod: mod})
	}
	at := func(p *picker.Picker) string { it, _ := p.Selected(); return it.ID }
	p := picker.New(picker.Options{Title: "Sessions", Own: keymap.Sessions, Keys: keys, Styles: styles(t, true)}, models)
	p.View(60, 6) // two rows of the list
	for _, step := range []struct{ key, at string }{
		{"f5", "o"}, {"down", "o"}, {"f6", "s"}, {"up", "s"}, {"f7", "e"}, {"end", "e"}, {"f8", "s"}, {"ctrl+down", "z"}, {"pgdown", "z"}, {"home", "z"},
	} {
		if press(p, step.key); at(p) != step.at {
			t.Errorf("after %s at %q, want %q", step.key, at(p), step.at)
		}
	}
	for _, key := range []string{"enter", "esc", "ctrl+x"} {
		if res, done := press(p, key); done {
			t.Errorf("%s still gives %+v", key, res)
		}
	}
	p.SetFilter("cl op us")
	for _, step := range []struct{ key, filter string }{{"backspace", "cl op us"}, {"f10", "cl op u"}, {"f12", "cl op "}, {"ctrl+w", "cl op "}, {"ctrl+u", "cl op "}, {"f11", ""}} {
		if press(p, step.key); p.Filter() != step.filter {
			t.Errorf("after %s the filter is %q, want %q", step.key, p.Filter(), step.filter)
		}
	}
	if res, done := press(p, "f9"); !done || res.Action != keymap.DeleteSession {
		t.Errorf("F9 gives %+v", res)
	}
	if res, done := press(p, "ctrl+y"); !done || res.Item.ID != "s" {
		t.Errorf("Ctrl+Y gives %+v", res)
	}
	if res, done := press(p, "ctrl+g"); !done || !res.Cancelled {
		t.Errorf("Ctrl+G gives %+v", res)
	}
}

// A click selects what is under it, wherever the list is scrolled to, and a
// second one chooses it; headings, what can't be chosen and other rows do
// nothing.
func TestClick(t *testing.T) {
	p := picker.New(picker.Options{Title: "Which?", Intro: "A word before.", Styles: styles(t, false)}, append(mixed.rich(), models...))
	press(p, tea.KeyEnd)
	for _, height := range []int{5, 9, 30} {
		for y, row := range strings.Split(ansi.Strip(p.View(60, height)), "\n") {
			before, _ := p.Selected()
			_, done := p.Click(y)
			after, _ := p.Selected()
			switch {
			case strings.HasPrefix(row, "› ") && row != "› type to filter":
				if !done {
					t.Errorf("the selected row %q isn't chosen", row)
				}
			case done:
				t.Errorf("a click on %q chose %+v", row, before)
			case after.ID != before.ID && !strings.Contains(row, strings.Fields(after.Title)[0]):
				t.Errorf("a click on %q selects %+v", row, after)
			}
			press(p, tea.KeyEnd)
			p.View(60, height)
		}
		if _, done := p.Click(1000); done {
			t.Error("a click below the list chose something")
		}
	}
	p.View(60, 30)
	p.Click(4)
	if it, _ := p.Selected(); it.ID == "e" {
		t.Error("a click selects nothing")
	}
}

// The selected row is painted up to the window's edge, and the list takes no
// more rows than it has.
func TestShape(t *testing.T) {
	p := newPicker(t, true, models)
	typeIn(p, "opus")
	rows := strings.Split(p.View(50, 30), "\n")
	if len(rows) != 4 {
		t.Errorf("%d rows for a title, a match, the filter and the keys:\n%s", len(rows), strings.Join(rows, "\n"))
	}
	if w := style.Width(rows[1]); w != 50 || strings.HasSuffix(ansi.Strip(rows[1]), "opus") {
		t.Errorf("the selected row has %d columns: %q", w, rows[1])
	}
}

// Numbers stand flush right, and what follows them begins in one column.
func TestNumbers(t *testing.T) {
	p := picker.New(picker.Options{Numbers: []int{0}, Styles: styles(t, false)}, []picker.Item{
		{ID: "a", Title: "one", Cells: []string{"200k"}, Detail: "First"}, {ID: "b", Title: "two", Cells: []string{"1M"}, Detail: "Second"}, {ID: "c", Title: "three", Detail: "Third"},
	})
	view := p.View(40, 10)
	for _, row := range []string{"› one    200k  First", "  two      1M  Second", "  three        Third"} {
		if !strings.Contains(view, row) {
			t.Errorf("no %q in\n%s", row, view)
		}
	}
}

// A paste of any size is no burden.
func TestHugeFilter(t *testing.T) {
	p := newPicker(t, true, models)
	p.Paste(strings.Repeat("你好 ", 100_000))
	inside(t, p, p.View(40, 10), 40, 10)
	if n := len(p.Filter()); n > 500 {
		t.Errorf("%d bytes of filter", n)
	}
}

// Case 31: what is typed goes on where its script does.
func TestCaretOfFilter(t *testing.T) {
	for _, c := range []struct {
		filter  string
		reorder bool
		x       int
	}{
		{"abc", true, 5}, {"عالم", false, 6}, {"عالم", true, 2}, {"你好", true, 6}, {"", true, 2},
	} {
		p := newPicker(t, false, models)
		p.SetBidi(flow.Bidi{Reorder: c.reorder})
		typeIn(p, c.filter)
		view := p.View(40, 10)
		if x, y := p.Cursor(); x != c.x || !strings.HasPrefix(ansi.Strip(strings.Split(view, "\n")[y]), "› ") {
			t.Errorf("%q: cursor at %d,%d, want column %d of\n%s", c.filter, x, y, c.x, view)
		}
	}
}

// A session with a name is also found by its first prompt, behind those whose
// titles have the word.
func TestSearchBelow(t *testing.T) {
	items := []picker.Item{
		{ID: "named", Title: "Release", More: "Mend the PARSER\n~/work · 0193"},
		{ID: "titled", Title: "a parser"}, {ID: "other", Title: "Docs"},
	}
	for filter, want := range map[string]string{"parser": "titled", "mend parser": "named", "release 0193": "named"} {
		p := picker.New(picker.Options{}, items)
		typeIn(p, filter)
		if it, _ := p.Selected(); it.ID != want {
			t.Errorf("%q finds %q, want %q", filter, it.ID, want)
		}
	}
}

// In a list that keeps its order the first row that has the word is selected,
// not one that is found by what stands below.
func TestSelectedIsSeen(t *testing.T) {
	p := picker.New(picker.Options{Ordered: true}, []picker.Item{
		{ID: "below", Title: "Show all", More: "Thinking is shown whole."}, {ID: "row", Title: "Thinking"}, {ID: "later", Title: "Thinking aloud"},
	})
	typeIn(p, "thinking")
	if it, _ := p.Selected(); it.ID != "row" || len(p.Found()) != 3 {
		t.Errorf("selected is %q of %d", it.ID, len(p.Found()))
	}
}

// Under a filter an ordered list keeps its order, any other puts titles that
// begin with the words first.
func TestOrder(t *testing.T) {
	items := []picker.Item{{ID: "a", Title: "x", Detail: "go"}, {ID: "b", Title: "cargo"}, {ID: "c", Title: "go build"}}
	for ordered, want := range map[bool]string{true: "a", false: "c"} {
		p := picker.New(picker.Options{Ordered: ordered}, items)
		typeIn(p, "go")
		if it, _ := p.Selected(); it.ID != want {
			t.Errorf("ordered %v: selected %s, want %s", ordered, it.ID, want)
		}
	}
}

// Whatever is selected is on the screen, and every item can be reached.
func TestSelectionIsVisible(t *testing.T) {
	var items []picker.Item
	for i := range 60 {
		items = append(items, picker.Item{ID: fmt.Sprint(i), Title: fmt.Sprintf("item %d.", i), Group: fmt.Sprintf("group %d", i/4)})
	}
	for height := 2; height < 16; height++ {
		p := newPicker(t, false, items)
		for i := range 60 {
			if view := p.View(40, height); !strings.Contains(view, fmt.Sprintf("› item %d.", i)) {
				t.Fatalf("height %d: item %d is not on the screen:\n%s", height, i, view)
			}
			press(p, tea.KeyDown)
		}
	}
}

// trimmed is a view without colours and without blanks at the ends of rows.
func trimmed(view string) string {
	rows := strings.Split(ansi.Strip(view), "\n")
	for i := range rows {
		rows[i] = strings.TrimRight(rows[i], " ")
	}
	return strings.Join(rows, "\n")
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
	if x, y := p.Cursor(); x < 0 || x >= width || y < 0 || y >= len(rows) {
		t.Errorf("cursor at %d,%d of %d", x, y, width)
	}
}

func BenchmarkFilter10000(b *testing.B) {
	items := make([]picker.Item, 10000)
	for i := range items {
		items[i] = picker.Item{ID: fmt.Sprint(i), Title: fmt.Sprintf("session %d about something", i), Detail: "yesterday, ~/src/project"}
	}
	p := picker.New(picker.Options{Title: "Resume", Styles: styles(b, true)}, items)
	for b.Loop() {
		p.SetFilter("ses 99 thing")
		p.View(100, 30)
	}
}
