package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// word evaluates a word as far as its text tells. It doesn't look into
// substitutions; see walker.word.
func (w *walker) value(word *syntax.Word) Word {
	e := evaluation{}
	for i, part := range word.Parts {
		e.part(part, i == 0)
	}
	switch {
	case e.dynamic:
		return Word{Text: w.text(word), Kind: Dynamic}
	case e.expands():
		return Word{Text: w.text(word), Kind: Pattern}
	}
	return Word{Text: e.text.String()}
}

// evaluation gathers a word's value and which expansions its unquoted text
// could trigger.
type evaluation struct {
	text                            strings.Builder
	dynamic, glob, tilde            bool
	bracket, brace, list, listClose bool
}

// expands reports whether the word stands for other words than its text.
func (e *evaluation) expands() bool {
	return e.glob || e.tilde || e.brace && e.list && e.listClose
}

func (e *evaluation) part(part syntax.WordPart, first bool) {
	switch part := part.(type) {
	case *syntax.Lit:
		e.literal(part.Value, first)
	case *syntax.SglQuoted:
		// $'…' decodes escapes in bash and doesn't in a POSIX shell.
		e.dynamic = e.dynamic || part.Dollar
		e.text.WriteString(part.Value)
	case *syntax.DblQuoted:
		e.dynamic = e.dynamic || part.Dollar
		for _, inner := range part.Parts {
			lit, ok := inner.(*syntax.Lit)
			if !ok {
				e.dynamic = true
				continue
			}
			e.text.WriteString(unescape(lit.Value, "$`\"\\"))
		}
	default:
		e.dynamic = true
	}
}

// literal takes in unquoted text: a backslash quotes whatever follows it.
func (e *evaluation) literal(s string, first bool) {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '\\':
			if i++; i == len(s) { // at the end of a script bash is of two minds
				e.dynamic = true
				return
			}
			e.text.WriteByte(s[i])
			continue
		case '*', '?':
			e.glob = true
		case '[':
			e.bracket = true
		case ']':
			e.glob = e.glob || e.bracket
		case '{':
			e.brace = true
		case ',':
			e.list = e.list || e.brace
		case '.':
			e.list = e.list || e.brace && strings.HasPrefix(s[i:], "..")
		case '}':
			e.listClose = e.listClose || e.brace
		case '~':
			// Bash also expands it in words that look like assignments.
			e.tilde = e.tilde || first && i == 0 || i > 0 && (s[i-1] == '=' || s[i-1] == ':')
		}
		e.text.WriteByte(s[i])
	}
}

// unescape removes the backslashes before the characters in special, and keeps
// all others, as double quotes do.
func unescape(s, special string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte(special, s[i+1]) >= 0 {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// Quote writes a word so that a shell reads it back as it is.
func Quote(word string) string {
	plain := word != ""
	for _, r := range word {
		plain = plain && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-./:=@%+,", r))
	}
	if plain {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
