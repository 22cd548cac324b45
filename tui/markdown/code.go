package markdown

import (
	"strings"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
	"github.com/clipperhouse/uax29/v2/graphemes"

	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
	"github.com/hoopoe-agent/hoopoe/tui/style"
)

// A fence that is a block of its own is shown without Glamour. Its lines are
// folded at the last column and keep their margin, and they are the same rows
// while it is open as when it is closed and coloured: nothing jumps.

// openFence is a fence that grows. Its whole lines are folded once.
type openFence struct {
	text string // lines that are in rows
	rows []string
}

// add folds what is new in text, which begins with the fence's first line,
// and returns all rows.
func (f *openFence) add(r *Renderer, text string, width int) []string {
	_, code, _ := strings.Cut(text, "\n")
	whole := code[:strings.LastIndexByte(code, '\n')+1]
	if !strings.HasPrefix(whole, f.text) {
		*f = openFence{}
	}
	if fresh := whole[len(f.text):]; fresh != "" {
		f.text = whole
		f.rows = append(f.rows, r.one(strings.TrimSuffix(fresh, "\n"), width)...)
	}
	rows := f.rows[:len(f.rows):len(f.rows)]
	if rest := code[len(whole):]; rest != "" {
		rows = append(rows, r.one(rest, width)...)
	}
	return stripBlank(rows)
}

// one folds code in one colour.
func (r *Renderer) one(code string, width int) []string {
	return r.fold([]chroma.Token{{Type: chroma.EOFType, Value: sanitize.Tabs(code, codeTab)}}, max(width, 1))
}

// fenced returns the rows of a fence without its marks.
func (r *Renderer) fenced(text string, width int, highlight bool) []string {
	first, code, _ := strings.Cut(text, "\n")
	f := opens(first, false)
	code = strings.TrimRight(code, "\n")
	if at := strings.LastIndexByte(code, '\n') + 1; f.closedBy(code[at:]) {
		code = strings.TrimRight(code[:at], "\n")
	}
	language, _, _ := strings.Cut(strings.TrimLeft(first, " ")[f.length:], " ")

	var tokens []chroma.Token
	if highlight && r.styles.Color {
		tokens = r.tokens(code, strings.TrimSpace(language))
	}
	if tokens == nil {
		return stripBlank(r.one(code, width))
	}
	return stripBlank(r.fold(tokens, width))
}

// tokens cuts code into coloured pieces; nil if its language is not known.
func (r *Renderer) tokens(code, language string) (tokens []chroma.Token) {
	r.mu.Lock()
	known := language != "" && r.known(language)
	r.mu.Unlock()
	if !known {
		return nil
	}
	defer func() {
		if recover() != nil { // a lexer is foreign code at work on foreign text
			tokens = nil
		}
	}()
	it, err := chroma.Coalesce(lexers.Get(language)).Tokenise(nil, code)
	if err != nil {
		return nil
	}
	tokens = it.Tokens()
	var whole strings.Builder
	for _, t := range tokens {
		whole.WriteString(t.Value)
	}
	if strings.TrimRight(whole.String(), "\n") != code {
		return nil // never show something else than what is there
	}
	return tokens
}

// fold paints tokens and breaks their lines into rows with a margin.
func (r *Renderer) fold(tokens []chroma.Token, width int) []string {
	margin := strings.Repeat(" ", min(codeMargin, width-1))
	room := width - len(margin)
	var rows []string
	var row, run strings.Builder
	used := 0
	end := func(paint style.Style) {
		row.WriteString(paint.Render(run.String()))
		run.Reset()
		text := ""
		if row.Len() > 0 {
			text = trim(margin + row.String())
		}
		if room < 4 { // a wide character may not fit
			text = style.Cut(text, width)
		}
		rows = append(rows, text)
		row.Reset()
		used = 0
	}
	for _, t := range tokens {
		paint := r.paint(t.Type)
		for it := graphemes.FromString(t.Value); it.Next(); {
			text, w := it.Value(), 1
			if text == "\n" {
				end(paint)
				continue
			}
			if len(text) > 1 {
				w = style.Width(text)
			}
			if used+w > room && used > 0 {
				end(paint)
			}
			run.WriteString(text)
			used += w
		}
		row.WriteString(paint.Render(run.String()))
		run.Reset()
	}
	end(style.Style{})
	return rows
}

// paint finds the style for a kind of token: its own, or its family's.
func (r *Renderer) paint(t chroma.TokenType) style.Style {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.syntax == nil {
		r.syntax = map[chroma.TokenType]style.Style{}
		for token, color := range syntax(r.styles.Colors) {
			r.syntax[token] = style.Foreground(color)
		}
	}
	for _, kind := range []chroma.TokenType{t, t.SubCategory(), t.Category()} {
		if paint, ok := r.syntax[kind]; ok {
			return paint
		}
	}
	if t == chroma.EOFType {
		return r.styles.Code
	}
	return r.styles.Text
}
