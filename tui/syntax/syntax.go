// Package syntax colours code for Markdown and for diffs.
//
//	code, language or path ──▶ lexer ──▶ tokens ──▶ lines of painted runs
//
// A lexer is foreign code at work on foreign text: what it makes is used only
// if it is the code that went in, and a panic in it means no colours. Most of
// them can be made to work for minutes by a few kilobytes, so each has its time,
// and one that is too slow once is not used again.
package syntax

import (
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/alecthomas/chroma/v2"

	"github.com/hoopoe-agent/hoopoe/themes"
	"github.com/hoopoe-agent/hoopoe/tui/style"
)

// Max is the size in bytes up to which code is coloured.
const Max = 64 << 10

// longLine is the length in bytes from which a line is no code that somebody
// reads. Lexers are slow on such lines.
const longLine = 2000

// patience is the time that a lexer has for code of a size in bytes. Code as
// people write it takes a tenth of that on a machine that is busy.
func patience(size int) time.Duration {
	return time.Second + time.Duration(size)*10*time.Microsecond
}

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
	lexers map[string]*lexer // by language, or by file name with a slash before; nil: there is none
}

// lexer is one of the library's.
type lexer struct {
	chroma.Lexer
	slow atomic.Bool // it took too long once
}

// New returns a painter.
func New(s style.Styles) *Painter {
	p := &Painter{styles: s, paints: map[chroma.TokenType]style.Style{}, lexers: map[string]*lexer{}}
	for kind, color := range palette(s.Colors) {
		p.paints[kind] = style.Foreground(color)
	}
	if s.Color && s.Colors.SyntaxComment == "" { // with sixteen colours
		p.paints[chroma.Comment] = s.Muted
	}
	return p
}

// Code colours code in a language; nil if it can't.
func (p *Painter) Code(code, language string) []Line { return p.lines(code, p.language(language)) }

// File colours code by the name of its file; nil if it can't, as a nil painter
// can't.
func (p *Painter) File(code, name string) []Line {
	if p == nil {
		return nil
	}
	return p.lines(code, p.file(name))
}

// lines has the code's lines coloured if that is possible, and in time.
func (p *Painter) lines(code string, l *lexer) []Line {
	if l == nil || l.slow.Load() || !p.styles.Color || len(code) > Max || hasLongLine(code) {
		return nil
	}
	made := make(chan []Line, 1)
	go func() { made <- p.lex(code, l) }()
	late := time.NewTimer(patience(len(code)))
	defer late.Stop()
	select {
	case lines := <-made:
		return lines
	case <-late.C:
	}
	select {
	case lines := <-made: // just in time
		return lines
	default:
		l.slow.Store(true) // which also ends the work, at the next token
		return nil
	}
}

func hasLongLine(code string) bool {
	for line := range strings.SplitSeq(code, "\n") {
		if len(line) > longLine {
			return true
		}
	}
	return false
}

// lex colours the code's lines; nil if the lexer fails.
func (p *Painter) lex(code string, l *lexer) (lines []Line) {
	defer func() {
		if recover() != nil {
			lines = nil
		}
	}()
	it, err := l.Tokenise(nil, code)
	if err != nil {
		return nil
	}
	var whole strings.Builder
	lines = []Line{nil}
	for t := it(); t != chroma.EOF; t = it() {
		if l.slow.Load() {
			return nil
		}
		whole.WriteString(t.Value)
		paint := p.paint(t.Type)
		for i, text := range strings.Split(t.Value, "\n") {
			if i > 0 {
				lines = append(lines, nil)
			}
			lines[len(lines)-1] = lines[len(lines)-1].and(text, paint)
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

// and appends text, to the last run if that has the same style.
func (l Line) and(text string, paint style.Style) Line {
	if text == "" {
		return l
	}
	if n := len(l); n > 0 && l[n-1].Style == paint {
		l[n-1].Text += text
		return l
	}
	return append(l, Run{text, paint})
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
