package tui

import (
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
	"github.com/hoopoe-agent/hoopoe/tui/flow"
	"github.com/hoopoe-agent/hoopoe/tui/inset"
	"github.com/hoopoe-agent/hoopoe/tui/style"
)

// popup offers completions above the editor.
type popup struct {
	prefix  string // what an option takes the place of
	options []option
	at      int
	first   int  // row on top
	moved   bool // the user chose a row
	hushed  string
}

// option is one completion: the text for the editor, and what it means.
type option struct {
	text, detail string
	// run says that taking it with Enter sends the prompt.
	run bool
}

func (p *popup) open() bool { return len(p.options) > 0 }

func (p *popup) close() { *p = popup{} }

// hush closes the popup until what it completes has changed.
func (p *popup) hush() { *p = popup{hushed: p.prefix} }

// show offers options for a prefix; what was chosen stays if it is still there.
func (p *popup) show(prefix string, options []option) {
	if prefix != "" && prefix == p.hushed {
		return
	}
	at := 0
	if p.moved && p.at < len(p.options) {
		for i, o := range options {
			if o.text == p.options[p.at].text {
				at = i
			}
		}
	}
	*p = popup{prefix: prefix, options: options, at: at, moved: p.moved && at > 0}
}

func (p *popup) move(by int) {
	n := len(p.options)
	p.at = (p.at + by + n) % n
	p.moved = true
}

// rows renders the popup in at most limit rows.
func (p *popup) rows(s style.Styles, b flow.Bidi, width, limit int) []string {
	limit = min(limit, len(p.options))
	if limit < 1 {
		return nil
	}
	p.first = max(min(p.first, p.at), p.at-limit+1, 0)
	wide := 0
	for _, o := range p.options[p.first : p.first+limit] {
		wide = max(wide, style.Width(o.text))
	}
	wide = min(wide, max(8, width/2))
	rows := make([]string, 0, limit)
	for i := p.first; i < p.first+limit; i++ {
		o := p.options[i]
		text, detail := sanitize.Line(o.text), sanitize.Line(o.detail)
		text = inset.Code(shortened(text, max(1, width-2)), b)
		if detail != "" {
			text = style.Pad(text, min(wide, max(1, width-2)))
		}
		if room := width - style.Width(text) - 4; detail != "" && room > 3 {
			detail = "  " + inset.Text(style.Cut(detail, room), b)
		} else {
			detail = ""
		}
		if i == p.at {
			rows = append(rows, s.Selected.Render(style.Pad("› "+text+detail, width)))
			continue
		}
		rows = append(rows, style.Cut("  "+text+s.Muted.Render(detail), width))
	}
	return rows
}

// shortened cuts an option; of a file its end tells more.
func shortened(text string, width int) string {
	path, ok := strings.CutPrefix(text, "@")
	if !ok || style.Width(text) <= width {
		return style.Cut(text, width)
	}
	quote := ""
	if inner, ok := strings.CutPrefix(path, `"`); ok && strings.HasSuffix(inner, `"`) {
		quote, path = `"`, strings.TrimSuffix(inner, `"`)
	}
	return style.Cut("@"+quote+style.CutPath(path, width-1-2*len(quote))+quote, width)
}

// slashOptions lists the commands whose names begin with what is typed.
func (a *app) slashOptions(prefix string) []option {
	typed := strings.ToLower(strings.TrimPrefix(prefix, "/"))
	var exact, others []option
	for _, c := range a.catalog {
		for _, name := range c.Names() {
			if name = strings.ToLower(name); !strings.HasPrefix(name, typed) {
				continue
			}
			// What a template wants to be told is typed behind its name.
			o := option{text: "/" + c.Name, detail: c.Summary, run: c.Expand == nil || c.Args == ""}
			if c.Args != "" {
				o.detail = c.Args + "  " + c.Summary
			}
			if name == typed {
				exact = append(exact, o)
			} else {
				others = append(others, o)
			}
			break
		}
	}
	return append(exact, others...)
}
