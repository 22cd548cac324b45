package rpc

import (
	"strings"
)

// open reads the lines that begin with "!".
func (tr *transcript) open(text string, script *string) setup {
	var s setup
	o := &s.open
	s.files = map[string]string{}
	for line := range strings.Lines(text) {
		rest, ok := strings.CutPrefix(strings.TrimSpace(line), "! ")
		if !ok {
			continue
		}
		if rest, ok := strings.CutPrefix(rest, "file "); ok {
			name, content, _ := strings.Cut(rest, "=")
			s.files[name] = strings.ReplaceAll(content, `\n`, "\n") + "\n"
			continue
		}
		if rest, ok := strings.CutPrefix(rest, "settings "); ok {
			s.settings = rest
			continue
		}
		if rest, ok := strings.CutPrefix(rest, "auth "); ok {
			s.auth = rest
			continue
		}
		if rest, ok := strings.CutPrefix(rest, "models "); ok {
			s.models = rest
			continue
		}
		for _, word := range strings.Fields(rest) {
			key, value, _ := strings.Cut(word, "=")
			switch key {
			case "dialect":
				tr.dialect = value
			case "deltas":
				tr.deltas = true
			case "permissions":
				o.Mode = value
			case "script":
				*script = "testdata/" + value + ".script"
			case "loose":
				s.loose = true
			case "titles":
				tr.titles = true
			case "progress":
				tr.progress = true
			case "model":
				o.Model, s.keyed = value, true
			case "approve":
				o.Approve = true
			case "memory":
				o.InMemory = true
			case "hook":
				tr.hook = value
			default:
				tr.t.Fatalf("unknown option %q", word)
			}
		}
	}
	return s
}
