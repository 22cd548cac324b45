package main

import (
	"fmt"
	"slices"
	"strings"
)

// notices are the licences and notices of all that is linked. A text that several
// modules share stands once.
func (p *program) notices() ([]byte, error) {
	var b strings.Builder
	b.WriteString("Third-party notices\n\nHoopoe contains software of others, each under the licence named here. The\ntexts follow the list.\n\n")
	type shared struct {
		content string
		of      []string
	}
	var texts []shared
	add := func(owner, content string) {
		i := slices.IndexFunc(texts, func(s shared) bool { return s.content == content })
		if i < 0 {
			i, texts = len(texts), append(texts, shared{content: content})
		}
		texts[i].of = append(texts[i].of, owner)
	}
	fmt.Fprintf(&b, "  %-62s %s\n", "the Go standard library", "BSD-3-Clause")
	add("the Go standard library", p.std.content)
	for _, m := range p.modules {
		names, err := m.licences()
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "  %-62s %s\n", m.path+" "+m.version, strings.Join(names, ", "))
		for _, t := range m.texts {
			owner := m.path
			if t.name != "LICENSE" {
				owner += " (" + t.name + ")"
			}
			add(owner, t.content)
		}
	}
	for _, t := range p.own {
		add("Hoopoe ("+t.name+")", t.content)
	}
	rule := strings.Repeat("=", 78)
	for _, s := range texts {
		fmt.Fprintf(&b, "\n%s\n%s\n%s\n\n%s\n", rule, strings.Join(s.of, "\n"), rule, s.content)
	}
	return []byte(b.String()), nil
}
