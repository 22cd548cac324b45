package tui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
	"github.com/hoopoe-agent/hoopoe/tui/picker"
	"github.com/hoopoe-agent/hoopoe/tui/style"
)

// menu is a list to choose from in plain lines: a page of numbered items at a
// time. A number chooses, with what is written behind it; any other text
// filters.
type menu struct {
	list  *picker.Picker
	title string // "" for a list whose question was asked already
	hint  string // what the columns are
	first int    // item on top of the page
	told  bool   // More is told of each item
	// chosen gets an item and what was written behind its number; it reports
	// whether the list is done.
	chosen func(it picker.Item, rest string) (done bool)
	// cancelled, if set, hears that nothing was chosen.
	cancelled func()
	verbs     []verb
}

// verb is what can be done beside choosing.
type verb struct {
	word string // "delete"
	form string // "delete 3", as it is written
	does string
	// item is for a verb with a number, list for one without; either is nil.
	item func(it picker.Item, rest string)
	list func()
}

// menuPage is how many items a page has.
const menuPage = 15

// spokenTitle bounds an item's title, in columns.
const spokenTitle = 120

func newMenu(title, hint string, items []picker.Item) *menu {
	return &menu{title: sanitize.Line(title), hint: hint, list: picker.New(picker.Options{Ordered: true}, items)}
}

// page is the text of the page that is open.
func (m *menu) page() string {
	items := m.list.Found()
	m.first = max(min(m.first, (len(items)-1)/menuPage*menuPage), 0)
	end := min(m.first+menuPage, len(items))
	var b strings.Builder
	if m.title != "" {
		b.WriteString("? " + m.title)
		if m.hint != "" {
			b.WriteString(" (" + m.hint + ")")
		}
		b.WriteString("\n")
	}
	group := ""
	for i := m.first; i < end; i++ {
		it := items[i]
		if it.Group != group {
			if group = it.Group; group != "" {
				b.WriteString(group + ":\n")
			}
		}
		b.WriteString(strconv.Itoa(i+1) + ". " + spoken(it) + "\n")
		if m.told && it.More != "" {
			b.WriteString("   " + strings.ReplaceAll(it.More, "\n", "\n   ") + "\n")
		}
	}
	b.WriteString(m.footer(end, len(items)) + "\n> ")
	return b.String()
}

// spoken is an item in a line, without lines and columns drawn.
func spoken(it picker.Item) string {
	title := strings.TrimSpace(it.Before + " " + it.Title)
	parts := []string{strings.Repeat("  ", style.Width(it.Lead)/len("   ")) + style.Cut(title, spokenTitle)}
	for _, cell := range append(slices.Clone(it.Cells), it.Detail) {
		if cell != "" && cell != "–" {
			parts = append(parts, cell)
		}
	}
	text := strings.Join(parts, ", ")
	if it.Current {
		text += " (current)"
	}
	return text
}

func (m *menu) footer(end, n int) string {
	var parts []string
	switch {
	case n == 0 && m.list.Filter() != "":
		parts = append(parts, fmt.Sprintf("Nothing matches %q", m.list.Filter()))
	case n == 0:
		parts = append(parts, "There is nothing to choose from")
	case end-m.first < n:
		parts = append(parts, fmt.Sprintf("%d to %d of %d", m.first+1, end, n), "Enter shows the next", "- those before")
	}
	if m.list.Filter() != "" {
		parts = append(parts, "* shows all")
	}
	if n > 0 {
		parts = append(parts, "a number chooses")
	}
	if n > menuPage {
		parts = append(parts, "text filters")
	}
	for _, v := range m.verbs {
		if n > 0 || v.list != nil {
			parts = append(parts, v.form+" "+v.does)
		}
	}
	return capital(strings.Join(append(parts, "0 closes"), ", ")) + "."
}

// answer takes a line; it reports whether the list is done, and what to say.
func (m *menu) answer(line string) (say string, done bool) {
	line = strings.TrimSpace(line)
	items := m.list.Found()
	word, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	if n, ok := numberOf(word); ok {
		switch {
		case n == 0:
			if m.cancelled != nil {
				m.cancelled()
			}
			return "", true
		case n < 0 || n > len(items):
			return fmt.Sprintf("A number from 1 to %d, please.\n> ", len(items)), false
		case items[n-1].Disabled:
			return "That can't be chosen.\n> ", false
		}
		return "", m.chosen(items[n-1], rest)
	}
	for _, v := range m.verbs {
		if strings.EqualFold(word, v.word) {
			return m.do(v, rest, items), false
		}
	}
	switch line {
	case "":
		if m.first += menuPage; m.first >= len(items) {
			m.first = 0
		}
	case "-":
		m.first -= menuPage
	case "*":
		m.list.SetFilter("")
		m.first = 0
	default:
		m.list.SetFilter(line)
		m.first = 0
	}
	return m.page(), false
}

// do carries a verb out.
func (m *menu) do(v verb, rest string, items []picker.Item) (say string) {
	if v.list != nil {
		v.list()
		return ""
	}
	number, rest, _ := strings.Cut(rest, " ")
	n, ok := numberOf(number)
	if !ok || n < 1 || n > len(items) {
		return fmt.Sprintf("%s takes a number from 1 to %d.\n> ", capital(v.word), len(items))
	}
	v.item(items[n-1], strings.TrimSpace(rest))
	return ""
}
