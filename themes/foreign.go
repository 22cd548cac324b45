package themes

import "strings"

// foreignKeys says which of our colours a colour of pi's files stands for. The
// kinds of colours that pi tells apart and we don't are left out.
func foreignKeys() map[string][]string {
	return map[string][]string{
		"accent":          {"accent", "user", "hunk", "modeAsk"},
		"border":          {"border"},
		"success":         {"success", "modePlan"},
		"warning":         {"warning", "modeEdit"},
		"error":           {"error", "modeFull"},
		"muted":           {"muted"},
		"dim":             {"lineNumber"},
		"text":            {"text", "selectedText"},
		"thinkingText":    {"thinking"},
		"selectedBg":      {"selectedBackground"},
		"toolTitle":       {"tool"},
		"mdHeading":       {"heading"},
		"mdLink":          {"link"},
		"mdCode":          {"code"},
		"mdQuote":         {"quote"},
		"toolDiffAdded":   {"addedText"},
		"toolDiffRemoved": {"removedText"},
		"syntaxKeyword":   {"syntaxKeyword"},
		"syntaxType":      {"syntaxType"},
		"syntaxFunction":  {"syntaxFunction"},
		"syntaxString":    {"syntaxString"},
		"syntaxNumber":    {"syntaxNumber"},
		"syntaxComment":   {"syntaxComment"},
		"syntaxOperator":  {"syntaxOperator"},
	}
}

// foreign reads the colours of a file in pi's format. It has one variant: that
// one is changed, the other stays the built-in theme's, so that the text can
// be read on either background.
func (p *parser) foreign(n node, t *Theme) {
	ours := foreignKeys()
	found := map[string]string{}
	p.each("colors", n, func(name string, m member) {
		_, known := ours[name]
		if !known && !strings.HasSuffix(name, "Bg") {
			return
		}
		if color, ok := p.color(join("colors", name), m.value); ok {
			found[name] = color
		}
	})
	c := &t.Light
	if foreignDark(found, t.Name) {
		c = &t.Dark
	}
	fields := fieldsOf(c)
	for name, color := range found {
		if name == "text" && color == "" { // the chosen row needs a colour of its own
			continue
		}
		for _, key := range ours[name] {
			*fields[key] = color
		}
	}
	// There is nothing behind pi's changed lines.
	c.AddedBackground, c.RemovedBackground = "", ""
}

// foreignDark tells from a file's colours which background they are for:
// what is behind text comes first, then the text, then the name.
func foreignDark(found map[string]string, name string) bool {
	const middle = 0.18 // black and white contrast alike with it
	for _, key := range []string{"selectedBg", "userMessageBg", "toolPendingBg"} {
		if rgb, ok := RGB(found[key]); ok {
			return luminance(rgb) < middle
		}
	}
	for _, key := range []string{"text", "accent", "muted"} {
		if rgb, ok := RGB(found[key]); ok {
			return luminance(rgb) > middle
		}
	}
	return !strings.Contains(strings.ToLower(name), "light")
}
