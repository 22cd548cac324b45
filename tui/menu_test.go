package tui

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/tui/picker"
)

func many(n int) []picker.Item {
	items := make([]picker.Item, n)
	for i := range items {
		items[i] = picker.Item{ID: fmt.Sprint(i), Title: fmt.Sprintf("item %d", i)}
	}
	return items
}

// A list in lines: pages, filters, numbers and verbs.
func TestMenu(t *testing.T) {
	type step struct {
		line  string
		shows string // in what is said; "-…" must not be there
		done  bool
		took  string
	}
	for _, c := range []struct {
		name  string
		items []picker.Item
		steps []step
	}{
		{"pages", many(40), []step{
			{"", "16. item 15", false, ""}, {"", "31. item 30", false, ""}, {"", "1. item 0", false, ""}, {"-", "1. item 0", false, ""},
			{"", "16 to 30 of 40, Enter shows the next", false, ""}, {"17", "", true, "16 "},
		}},
		{"a filter keeps the numbers", many(40), []step{
			{"item 3", "1. item 3\n2. item 13", false, ""}, {"nothing such", `Nothing matches "nothing such"`, false, ""}, {"*", "15. item 14", false, ""},
			{"item 39", "1. item 39", false, ""}, {"1.", "", true, "39 "},
		}},
		{"text behind a number", many(3), []step{{"2 keep the names", "", true, "1 keep the names"}}},
		{"closed", many(3), []step{{"0", "", true, "cancelled"}}},
		{"wrong numbers", many(3), []step{{"4", "from 1 to 3", false, ""}, {"-3", "from 1 to 3", false, ""}, {"99999999999999999999", `Nothing matches`, false, ""}}},
		{"other digits", many(3), []step{{"٣", "", true, "2 "}}},
		{"wide digits", many(12), []step{{"１２", "", true, "11 "}}},
		{"nothing", nil, []step{{"", "There is nothing to choose from, all shows all, 0 closes", false, ""}, {"1", "from 1 to 0", false, ""}}},
		{"verb", many(3), []step{{"delete 2", "", false, "deleted 1 "}, {"DELETE 3 now", "", false, "deleted 2 now"}, {"delete", "Delete takes a number from 1 to 3", false, ""}, {"delete x", "takes a number", false, ""}, {"all", "", false, "all"}}},
		{"disabled", []picker.Item{{ID: "a", Title: "a", Disabled: true}}, []step{{"1", "can't be chosen", false, ""}}},
		{"names", []picker.Item{
			{ID: "a", Title: "本地模型", Cells: []string{"8k", "–"}, Detail: "مرحبا", Current: true, Group: "مزود"},
			{ID: "b", Lead: "│  ├─ ", Title: "a\x1b]52;c;aGk=\x07\n\u202eb"},
		}, []step{{"", "مزود:\n1. 本地模型, 8k, مرحبا (current)\n2.     a b", false, ""}, {"本地", "1. 本地模型", false, ""}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			took := ""
			m := newMenu("Which", "", c.items)
			m.chosen = func(it picker.Item, rest string) bool { took = it.ID + " " + rest; return true }
			m.cancelled = func() { took = "cancelled" }
			m.verbs = []verb{
				{word: "delete", form: "delete 2", does: "deletes", item: func(it picker.Item, rest string) { took = "deleted " + it.ID + " " + rest }},
				{word: "all", form: "all", does: "shows all", list: func() { took = "all" }},
			}
			if page := m.page(); !strings.HasPrefix(page, "? Which\n") || !strings.HasSuffix(page, "> ") {
				t.Errorf("the page is %q", page)
			}
			for _, s := range c.steps {
				took = ""
				say, done := m.answer(s.line)
				if !strings.Contains(say, s.shows) || done != s.done || took != s.took {
					t.Errorf("%q: says %q, done %v, took %q; want %q, %v, %q", s.line, say, done, took, s.shows, s.done, s.took)
				}
				if strings.ContainsAny(say, "\x1b\a\u202e") {
					t.Errorf("%q: controls in %q", s.line, say)
				}
			}
		})
	}
}

// No line of the user's, and no item, makes a list fail.
func FuzzMenu(f *testing.F) {
	f.Add("1", "title", 3)
	f.Add("delete 99999999999", "\x1b[2J\u202e", 100)
	f.Add("- ٣ *", "", 0)
	f.Fuzz(func(t *testing.T, line, title string, n int) {
		items := many(max(n, 0) % 200)
		if len(items) > 0 {
			items[0].Title, items[0].Group, items[0].Lead = title, title, "├─ "
		}
		m := newMenu("Which", "", items)
		m.chosen = func(picker.Item, string) bool { return false }
		m.verbs = []verb{{word: "delete", item: func(picker.Item, string) {}}}
		for range 3 {
			say, _ := m.answer(line)
			if strings.ContainsAny(m.page(), "\x1b\a\u202e\r") {
				t.Errorf("controls in %q after %q", say, line)
			}
		}
	})
}
