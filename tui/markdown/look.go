package markdown

import (
	"fmt"
	"hash/fnv"

	"charm.land/glamour/v2/ansi"
	"charm.land/lipgloss/v2"
	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/styles"

	"github.com/hoopoe-agent/hoopoe/themes"
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
	if s.Color {
		config.CodeBlock.Theme = register(s)
	} else {
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

// register makes a highlighting style under a name of its own for these
// colours: Glamour's own way keeps the first theme's for ever. The caller
// holds the lock of this package.
func register(s style.Styles) string {
	h := fnv.New64a()
	fmt.Fprint(h, s.Dark, s.Colors)
	name := fmt.Sprintf("hoopoe-%x", h.Sum64())
	if _, ok := styles.Registry[name]; ok {
		return name
	}
	entries := chroma.StyleEntries{}
	for token, color := range syntax(s.Colors) {
		if color != "" {
			entries[token] = hex(color)
		}
	}
	built, err := chroma.NewStyle(name, entries)
	if err != nil {
		return ""
	}
	styles.Register(built)
	return name
}

// syntax maps the kinds of tokens that have a colour to it.
func syntax(c themes.Colors) map[chroma.TokenType]string {
	return map[chroma.TokenType]string{
		chroma.Keyword:             c.SyntaxKeyword,
		chroma.KeywordType:         c.SyntaxType,
		chroma.NameClass:           c.SyntaxType,
		chroma.NameTag:             c.SyntaxKeyword,
		chroma.NameAttribute:       c.SyntaxType,
		chroma.NameBuiltin:         c.SyntaxFunction,
		chroma.NameFunction:        c.SyntaxFunction,
		chroma.NameDecorator:       c.SyntaxFunction,
		chroma.LiteralString:       c.SyntaxString,
		chroma.LiteralStringEscape: c.SyntaxNumber,
		chroma.LiteralNumber:       c.SyntaxNumber,
		chroma.Comment:             c.SyntaxComment,
		chroma.CommentPreproc:      c.SyntaxKeyword,
		chroma.Operator:            c.SyntaxOperator,
		chroma.GenericDeleted:      c.Error,
		chroma.GenericInserted:     c.Success,
		chroma.GenericSubheading:   c.Hunk,
	}
}

// hex turns a palette index into the colour that the palette usually has,
// since the highlighter knows no indices.
func hex(color string) string {
	if color[0] == '#' {
		return color
	}
	r, g, b, _ := lipgloss.Color(color).RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}
