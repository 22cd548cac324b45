package keymap

import "strings"

// Section is a part of the help on keys.
type Section struct {
	Title string
	Rows  []Row
}

// Row is one action in the help: its keys, separated by commas, and what it
// does, with its condition.
type Row struct {
	Action     Action
	Keys, Text string
}

// Help lists every action that has a key, section by section.
func (m *Map) Help() []Section {
	var sections []Section
	for _, e := range m.entries {
		if len(e.Keys) == 0 {
			continue
		}
		if n := len(sections); n == 0 || sections[n-1].Title != e.Section {
			sections = append(sections, Section{Title: e.Section})
		}
		labels := make([]string, len(e.Keys))
		for i, k := range e.Keys {
			labels[i] = Label(k)
		}
		row := Row{e.Action, strings.Join(labels, ", "), e.Text}
		if e.When != "" {
			row.Text += " (when " + e.When + ")"
		}
		last := &sections[len(sections)-1]
		last.Rows = append(last.Rows, row)
	}
	return sections
}
