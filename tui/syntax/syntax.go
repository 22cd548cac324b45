// Package syntax colours code for Markdown and for diffs.
//
//	code, language or path ──▶ lexer ──▶ tokens ──▶ lines of painted runs
//
// A lexer is foreign code at work on foreign text: what it makes is used only
// if it is the code that went in, and a panic in it means no colours.
package syntax

import (
	"path"
	"strings"
	"sync"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"

	"github.com/hoopoe-agent/hoopoe/themes"
	"github.com/hoopoe-agent/hoopoe/tui/style"
)

// Max is the size in bytes up to which code is coloured.
const Max = 64 << 10

// Run is text of one style, without line ends.
type Run struct {
	Text  string
	Style style.Style
}

// Line is one line of code.
type Line []Run

// Paint returns the line with its colours.
func (l Line) Paint() string {
	var b strings.Builder
	for _, r := range l {
		b.WriteString(r.Style.Render(r.Text))
	}
	return b.String()
}

// Painter colours with one set of styles. It is safe for concurrent use.
type Painter struct {
	styles style.Styles

	mu     sync.Mutex
	paints map[chroma.TokenType]style.Style
	lexers map[string]chroma.Lexer // by language, or by path with a slash before
}

// New returns a painter.
func New(s style.Styles) *Painter {
	p := &Painter{styles: s, paints: map[chroma.TokenType]style.Style{}, lexers: map[string]chroma.Lexer{}}
	for kind, color := range palette(s.Colors) {
		p.paints[kind] = style.Foreground(color)
	}
	return p
}

// Known reports whether there are colours for a language.
func (p *Painter) Known(language string) bool { return p.language(language) != nil }

// Code colours code in a language; nil if it can't.
func (p *Painter) Code(code, language string) []Line { return p.lines(code, p.language(language)) }

// File colours code by the name of its file; nil if it can't, as a nil painter
// can't.
func (p *Painter) File(code, name string) []Line {
	if p == nil {
		return nil
	}
	name = path.Base(name)
	key := "/" + path.Ext(name)
	if key == "/" {
		key = "/" + name
	}
	return p.lines(code, p.lexer(key, func() chroma.Lexer { return lexers.Match(name) }))
}

func (p *Painter) language(name string) chroma.Lexer {
	if name == "" || len(name) >= 30 {
		return nil
	}
	return p.lexer(name, func() chroma.Lexer { return lexers.Get(name) })
}

// keptLexers bounds what is remembered: names are foreign.
const keptLexers = 100

// lexer finds a lexer once. A search for one that isn't there is slow, so that
// is remembered too.
func (p *Painter) lexer(key string, find func() chroma.Lexer) chroma.Lexer {
	p.mu.Lock()
	defer p.mu.Unlock()
	if l, ok := p.lexers[key]; ok {
		return l
	}
	if len(p.lexers) > keptLexers {
		clear(p.lexers)
	}
	l := find()
	if l != nil {
		l = chroma.Coalesce(l)
	}
	p.lexers[key] = l
	return l
}

func (p *Painter) lines(code string, lexer chroma.Lexer) (lines []Line) {
	if lexer == nil || !p.styles.Color || len(code) > Max {
		return nil
	}
	defer func() {
		if recover() != nil {
			lines = nil
		}
	}()
	it, err := lexer.Tokenise(nil, code)
	if err != nil {
		return nil
	}
	var whole strings.Builder
	lines = []Line{nil}
	for t := it(); t != chroma.EOF; t = it() {
		whole.WriteString(t.Value)
		paint := p.paint(t.Type)
		for i, text := range strings.Split(t.Value, "\n") {
			if i > 0 {
				lines = append(lines, nil)
			}
			if text != "" {
				last := len(lines) - 1
				lines[last] = append(lines[last], Run{text, paint})
			}
		}
	}
	if strings.TrimRight(whole.String(), "\n") != strings.TrimRight(code, "\n") {
		return nil // never show something else than what is there
	}
	want := strings.Count(code, "\n") + 1
	for len(lines) < want {
		lines = append(lines, nil)
	}
	return lines[:want]
}

// paint finds the style for a kind of token: its own, or its family's.
func (p *Painter) paint(t chroma.TokenType) style.Style {
	for _, kind := range []chroma.TokenType{t, t.SubCategory(), t.Category()} {
		if paint, ok := p.paints[kind]; ok {
			return paint
		}
	}
	return p.styles.Text
}

// palette maps the kinds of tokens that have a colour to it.
func palette(c themes.Colors) map[chroma.TokenType]string {
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
