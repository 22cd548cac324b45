package editor

import (
	"slices"
	"strings"
)

// object returns the stretch of a text object around the caret: its inside, or
// all of it.
func (e *Editor) object(inner bool, key string) (s span, linewise, ok bool) {
	switch key {
	case "w", "W":
		return e.wordObject(inner, key == "W"), false, true
	case "p":
		return e.paragraph(inner), true, true
	case `"`, "'", "`":
		s, ok = e.quoted(inner, key)
		return s, false, ok
	case "b":
		key = "("
	case "B":
		key = "{"
	}
	if i := strings.Index("()[]{}<>", key); i >= 0 && len(key) == 1 {
		i -= i % 2
		s, ok = e.enclosed(inner, "()[]{}<>"[i:i+1], "()[]{}<>"[i+1:i+2])
	}
	return s, false, ok
}

// wordObject is the word or the blanks at the caret, for a whole one with the
// blanks behind it, or else before it.
func (e *Editor) wordObject(inner, big bool) span {
	line := e.cursor.line
	cells := len(e.buf.lines[line])
	run := func(col, step int) int { // to the last cell of the same kind
		kind := e.kind(pos{line, col}, big)
		for next := col + step; kind != classHeld && next >= 0 && next < cells && e.kind(pos{line, next}, big) == kind; next += step {
			col = next
		}
		return col
	}
	at := e.cursor.col
	if at >= cells {
		return span{e.cursor, e.cursor}
	}
	from, to := run(at, -1), run(at, +1)+1
	for left := e.times() - 1; left > 0 && to < cells; left-- {
		to = run(to, +1) + 1
	}
	blank := func(col int) bool { return e.kind(pos{line, col}, big) == classBlank }
	switch {
	case inner:
	case to < cells && (blank(to) || blank(at)):
		to = run(to, +1) + 1
	case from > 0 && blank(from-1):
		from = run(from-1, -1)
	}
	return span{pos{line, from}, pos{line, to}}
}

// paragraph is the lines around the caret up to empty ones, for a whole one
// with the empty lines behind it, or else before it.
func (e *Editor) paragraph(inner bool) span {
	empty := func(line int) bool { return len(e.buf.lines[line]) == 0 }
	from, to := e.cursor.line, e.cursor.line
	kind := empty(from)
	for from > 0 && empty(from-1) == kind {
		from--
	}
	for to+1 < len(e.buf.lines) && empty(to+1) == kind {
		to++
	}
	last := to
	for !inner && to+1 < len(e.buf.lines) && empty(to+1) != kind {
		to++
	}
	for !inner && to == last && from > 0 && empty(from-1) != kind {
		from--
	}
	return span{pos{from, 0}, pos{to, 0}}
}

// quoted is what is between two equal marks in the line of the caret: around
// the caret, or after it. On a mark, those before it in the line are paired.
func (e *Editor) quoted(inner bool, mark string) (span, bool) {
	line := e.cursor.line
	var marks []int
	for i, c := range e.buf.lines[line] {
		if c.text == mark && (i == 0 || e.buf.lines[line][i-1].text != `\`) {
			marks = append(marks, i)
		}
	}
	n, on := slices.BinarySearch(marks, e.cursor.col) // marks before the caret
	first := max(n-1, 0)
	if on {
		first = n &^ 1
	}
	if first+1 >= len(marks) {
		return span{}, false
	}
	s := span{pos{line, marks[first]}, pos{line, marks[first+1] + 1}}
	if inner {
		s.from.col++
		s.to.col--
	}
	return s, true
}

// enclosed is what is between the brackets around the caret, or after it.
func (e *Editor) enclosed(inner bool, open, end string) (span, bool) {
	from, ok := e.bracket(e.cursor, open, end, -1)
	for p := e.cursor; !ok; {
		next := e.buf.next(p)
		if next == p {
			return span{}, false
		}
		p = next
		from, ok = p, e.at(p) == open
	}
	to, ok := e.bracket(from, end, open, +1)
	if !ok {
		return span{}, false
	}
	if inner {
		from.col++
		return span{from, to}, true
	}
	to.col++
	return span{from, to}, true
}

// at returns the text of the cell behind p, "" at a line end.
func (e *Editor) at(p pos) string {
	if line := e.buf.lines[p.line]; p.col < len(line) && line[p.col].held == nil {
		return line[p.col].text
	}
	return ""
}

// bracket looks from p in one direction for a bracket, past pairs of it and
// its other side. Going back it may be at p itself; ahead p is the other side.
func (e *Editor) bracket(p pos, want, other string, step int) (pos, bool) {
	if step < 0 && e.at(p) == want {
		return p, true
	}
	for depth := 0; ; {
		next := e.buf.next(p)
		if step < 0 {
			next = e.buf.prev(p)
		}
		if next == p {
			return pos{}, false
		}
		p = next
		switch e.at(p) {
		case other:
			depth++
		case want:
			if depth == 0 {
				return p, true
			}
			depth--
		}
	}
}

// matchMotion is %: from the next bracket in the line to its other side.
func (e *Editor) matchMotion() motion {
	line := e.buf.lines[e.cursor.line]
	for col := e.cursor.col; col < len(line); col++ {
		p := pos{e.cursor.line, col}
		i := strings.Index("()[]{}", e.at(p))
		if e.at(p) == "" || i < 0 {
			continue
		}
		at, to, ok := "()[]{}"[i:i+1], pos{}, false
		if i%2 == 0 {
			to, ok = e.bracket(p, "()[]{}"[i+1:i+2], at, +1)
		} else {
			to, ok = e.bracket(p, "()[]{}"[i-1:i], at, -1)
		}
		return motion{to: to, inclusive: true, ok: ok}
	}
	return motion{}
}
