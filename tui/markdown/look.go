package markdown

import (
	"charm.land/glamour/v2/ansi"

	"github.com/hoopoe-agent/hoopoe/tui/style"
)

// codeMargin is the columns that code blocks are set in by.
const codeMargin = 2

// look translates our styles to Glamour's.
func look(s style.Styles) ansi.StyleConfig {
	yes := true
	c := s.Colors
	margin, quote, quoteMark := uint(codeMargin), uint(1), "│ "
	heading := ansi.StylePrimitive{Color: optional(c.Heading), Bold: &yes}
	config := ansi.StyleConfig{
		Text:       ansi.StylePrimitive{Color: optional(c.Text)},
		Heading:    ansi.StyleBlock{StylePrimitive: heading},
		H1:         ansi.StyleBlock{StylePrimitive: ansi.StylePrimitive{Underline: &yes}},
		BlockQuote: ansi.StyleBlock{StylePrimitive: ansi.StylePrimitive{Color: optional(c.Quote)}, Indent: &quote, IndentToken: &quoteMark},
		List:       ansi.StyleList{LevelIndent: 2},
		Item:       ansi.StylePrimitive{BlockPrefix: "• "},

		Enumeration:    ansi.StylePrimitive{BlockPrefix: ". "},
		Task:           ansi.StyleTask{Ticked: "[x] ", Unticked: "[ ] "},
		Emph:           ansi.StylePrimitive{Italic: &yes},
		Strong:         ansi.StylePrimitive{Bold: &yes},
		Strikethrough:  ansi.StylePrimitive{CrossedOut: &yes},
		HorizontalRule: ansi.StylePrimitive{Color: optional(c.Border), Format: "\n────────\n"},
		Link:           ansi.StylePrimitive{Color: optional(c.Link), Underline: &yes},
		LinkText:       ansi.StylePrimitive{Color: optional(c.Link)},
		Image:          ansi.StylePrimitive{Color: optional(c.Link), Underline: &yes},
		ImageText:      ansi.StylePrimitive{Format: "Image: {{.text}} →"},
		Code:           ansi.StyleBlock{StylePrimitive: ansi.StylePrimitive{Color: optional(c.Code)}},
		CodeBlock: ansi.StyleCodeBlock{
			StyleBlock: ansi.StyleBlock{StylePrimitive: ansi.StylePrimitive{Color: optional(c.Code)}, Margin: &margin},
		},
		DefinitionDescription: ansi.StylePrimitive{BlockPrefix: "\n  "},
	}
	for i, h := range []*ansi.StyleBlock{&config.H3, &config.H4, &config.H5, &config.H6} {
		h.Prefix = "######"[:i+3] + " "
	}
	if !s.Color {
		config.Code.Prefix, config.Code.Suffix = "`", "`"
	}
	return config
}

// optional is Glamour's way to say a colour or none.
func optional(c string) *string {
	if c == "" {
		return nil
	}
	return &c
}
