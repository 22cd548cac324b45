package offline

import (
	"strings"
	"unicode"
)

// folded is a prompt in the one spelling that the grammars are written for,
// with the way back: what is quoted to the user or written to a file is cut
// from the original, vowel marks and all.
type folded struct {
	text     string
	original string
	at       []int // offset in original of each byte of text, and of its end
}

func fold(s string) folded {
	var b strings.Builder
	f := folded{original: s}
	for i, r := range s {
		if r = foldRune(r); r < 0 {
			continue
		}
		before := b.Len()
		b.WriteRune(r)
		for range b.Len() - before {
			f.at = append(f.at, i)
		}
	}
	f.text, f.at = b.String(), append(f.at, len(s))
	return f
}

// source returns the original of text[start:end].
func (f folded) source(start, end int) string { return f.original[f.at[start]:f.at[end]] }

// foldRune joins letters that Arabic writers use for one another, makes digits
// and punctuation ASCII, and drops (-1) vowel marks and invisible characters.
func foldRune(r rune) rune {
	switch r {
	case 'أ', 'إ', 'آ', 'ٱ':
		return 'ا'
	case 'ى':
		return 'ي'
	case 'ة':
		return 'ه'
	case '،', '、':
		return ','
	case '؛':
		return ';'
	case '؟':
		return '?'
	case '。':
		return '.'
	case '“', '”', '„', '«', '»', '「', '」', '『', '』', '《', '》':
		return '"'
	case '‘', '’', '‚':
		return '\''
	case '–', '—', '‐', '‑', '−':
		return '-'
	case '\u0640', '\u0670', '\ufeff':
		return -1
	}
	switch {
	case r >= '\u064b' && r <= '\u0652', unicode.Is(unicode.Cf, r):
		return -1
	case r >= '٠' && r <= '٩':
		return '0' + r - '٠'
	case r >= '۰' && r <= '۹':
		return '0' + r - '۰'
	case r >= '！' && r <= '～':
		return r - '！' + '!'
	case r != '\n' && unicode.IsSpace(r):
		return ' '
	}
	return r
}
