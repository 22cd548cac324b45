package editor

import (
	"unicode"
	"unicode/utf8"
)

// class is the kind of a cell. A run of cells of one class is a word.
type class int

const (
	classBlank class = iota
	classWord        // letters, digits, marks and the underscore
	classHan         // each script that is written without blanks is a class
	classHiragana
	classKatakana
	classSign
	classHeld // a label: each is a word of its own
)

// class tells what kind of cell follows p. A line end is blank. An apostrophe
// inside a word and a point inside a number belong to them.
func (b *buffer) class(p pos) class {
	line := b.lines[p.line]
	if p.col >= len(line) {
		return classBlank
	}
	c := classOf(line[p.col])
	if c != classSign || p.col == 0 || p.col+1 >= len(line) {
		return c
	}
	before, after := line[p.col-1], line[p.col+1]
	switch line[p.col].text {
	case "'", "’":
		if classOf(before) == classWord && classOf(after) == classWord {
			return classWord
		}
	case ".", ",":
		if before.digit() && after.digit() {
			return classWord
		}
	}
	return c
}

func (c cell) digit() bool {
	r, _ := utf8.DecodeRuneInString(c.text)
	return c.held == nil && unicode.IsDigit(r)
}

func classOf(c cell) class {
	if c.held != nil {
		return classHeld
	}
	r, _ := utf8.DecodeRuneInString(c.text)
	switch {
	case unicode.IsSpace(r):
		return classBlank
	case r == '_' || r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)):
		return classWord
	case r < utf8.RuneSelf:
		return classSign
	case unicode.Is(unicode.Han, r):
		return classHan
	case unicode.Is(unicode.Hiragana, r):
		return classHiragana
	case unicode.Is(unicode.Katakana, r) || r == 'ー' || r == 'ｰ':
		return classKatakana
	case unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r):
		return classWord
	}
	return classSign
}

// stop holds for the full-width punctuation that ends a clause where no
// blanks part words.
func (c cell) stop() bool {
	r, _ := utf8.DecodeRuneInString(c.text)
	return c.held == nil && (r > 0x3000 && r < 0x3040 || r > 0xff00 && r < 0xff66) && unicode.IsPunct(r)
}

// wordRight goes past blanks, then to the end of a word; wordLeft likewise
// back.
func (b *buffer) wordRight(p pos) pos {
	for p != b.end() && b.class(p) == classBlank {
		p = b.next(p)
	}
	for kind := b.class(p); p != b.end() && b.class(p) == kind; {
		p = b.next(p)
		if kind == classHeld {
			break
		}
	}
	return p
}

func (b *buffer) wordLeft(p pos) pos {
	start := pos{}
	for p != start && b.class(b.prev(p)) == classBlank {
		p = b.prev(p)
	}
	if p == start {
		return p
	}
	for kind := b.class(b.prev(p)); p != start && b.class(b.prev(p)) == kind; {
		p = b.prev(p)
		if kind == classHeld {
			break
		}
	}
	return p
}

// blankLeft is the start of the word before p, where only blanks and the ends
// of clauses part words.
func (b *buffer) blankLeft(p pos) pos {
	parts := func(p pos) bool {
		return b.class(p) == classBlank || b.lines[p.line][p.col].stop()
	}
	start := pos{}
	for p != start && parts(b.prev(p)) {
		p = b.prev(p)
	}
	for p != start && !parts(b.prev(p)) {
		p = b.prev(p)
	}
	return p
}
