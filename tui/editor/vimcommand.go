package editor

import "strings"

// feed takes one key of a command. It reports whether the key moved up or
// down, which keeps the column.
func (e *Editor) feed(key string) (vertical bool) {
	v := &e.vim
	switch {
	case v.prefix != "":
		prefix := v.prefix
		v.prefix = ""
		e.prefixed(prefix, key)
		return false
	case len(key) != 1 && key != "ctrl+r": // no command: a letter of another script
		v.idle()
		return false
	case len(key) == 1 && (key >= "1" && key <= "9" || key == "0" && e.counting() > 0):
		n := int(key[0] - '0')
		if v.operator == "" {
			v.count = min(v.count*10+n, countMax)
		} else {
			v.again = min(v.again*10+n, countMax)
		}
		return false
	case strings.Contains("fFtTg", key):
		v.prefix = key
		return false
	case strings.Contains("ia", key) && (v.operator != "" || v.mode != Normal):
		v.prefix = key
		return false
	case strings.Contains("dcy", key):
		e.operate(key)
		return false
	}
	if m, ok := e.motionOf(key); ok {
		e.move(m)
		return m.vertical
	}
	if v.operator != "" {
		v.idle()
		return false
	}
	if v.mode == Normal {
		e.normal(key)
	} else {
		e.visual(key)
	}
	return false
}

// countMax bounds a count: no prompt has more cells or lines to go.
const countMax = 100_000

func (e *Editor) counting() int {
	if e.vim.operator == "" {
		return e.vim.count
	}
	return e.vim.again
}

// times is the count of a motion, at least 1.
func (e *Editor) times() int { return min(max(e.vim.count, 1)*max(e.vim.again, 1), countMax) }

// prefixed takes the key behind one that waited for it.
func (e *Editor) prefixed(prefix, key string) {
	v := &e.vim
	switch prefix {
	case "f", "F", "t", "T":
		v.find.kind, v.find.text = prefix, key
		e.move(e.findMotion(prefix, key, false))
	case "g":
		switch key {
		case "g":
			e.move(e.lineMotion(max(v.count, 1) - 1))
		case "e":
			e.move(e.wordMotion("ge"))
		case "j", "k":
			m, _ := e.motionOf(key)
			e.move(m)
		default:
			v.idle()
		}
	case "r":
		e.replaceChars(key)
		v.idle()
	case "i", "a":
		s, linewise, ok := e.object(prefix == "i", key)
		if !ok {
			v.idle()
			return
		}
		switch {
		case v.operator == "y":
			e.apply(s, linewise)
			e.cursor = s.from
			return
		case v.operator != "":
			e.apply(s, linewise)
			return
		case linewise:
			v.mode, v.anchor, e.cursor = VisualLine, s.from, s.to
		case s.from.before(s.to):
			v.anchor, e.cursor = s.from, e.buf.prev(s.to)
		}
		v.idle()
	}
}

// operate is d, c or y: twice for whole lines, or on the selection.
func (e *Editor) operate(key string) {
	v := &e.vim
	switch {
	case v.mode != Normal:
		v.operator = key
		e.apply(e.selection(), v.mode == VisualLine)
	case v.operator == key:
		last := min(e.cursor.line+e.times()-1, len(e.buf.lines)-1)
		e.apply(span{e.cursor, pos{last, 0}}, true)
	case v.operator != "":
		v.idle()
	default:
		v.operator = key
	}
}

// selection returns what is selected. The cell at its end belongs to it.
func (e *Editor) selection() span {
	from, to := e.vim.anchor, e.cursor
	if to.before(from) {
		from, to = to, from
	}
	if e.vim.mode == VisualLine {
		return e.wholeLines(span{from, to})
	}
	return span{from, e.buf.next(to)}
}

// move goes where a motion leads, or lets the operator have what is between.
func (e *Editor) move(m motion) {
	v := &e.vim
	if !m.ok {
		v.idle()
		return
	}
	if v.operator == "" {
		e.cursor = m.to
		v.idle()
		return
	}
	s := span{e.cursor, m.to}
	if s.to.before(s.from) {
		s.from, s.to = s.to, s.from
	}
	switch {
	case m.linewise:
	case m.inclusive && s.to.col < len(e.buf.lines[s.to.line]):
		s.to.col++
	case !m.inclusive && s.to.col == 0 && s.to.line > s.from.line:
		// Up to the start of a line is up to the end of the one before, and
		// from the start of a line on it is the lines as a whole.
		s.to = pos{s.to.line - 1, len(e.buf.lines[s.to.line-1])}
		m.linewise = s.from.col <= e.firstCell(s.from.line).col
	}
	e.apply(s, m.linewise)
}

// apply lets the operator have a stretch, or the whole lines that it touches.
func (e *Editor) apply(s span, linewise bool) {
	v := &e.vim
	operator, selected := v.operator, v.mode != Normal
	v.idle()
	v.mode = Normal
	first, last, start := s.from.line, s.to.line, s.from
	lineStart := pos{first, 0}
	if linewise {
		s = e.wholeLines(s)
	}
	if s.from.before(s.to) || linewise {
		e.keep(cut{e.buf.slice(s.from, s.to), linewise})
	}
	switch {
	case operator == "y":
		if selected || start != e.cursor {
			e.cursor = start
		}
	case operator == "c":
		e.remove(s.from, s.to)
		e.cursor = s.from
		e.insertMode()
	case !linewise:
		e.remove(s.from, s.to)
	case last+1 < len(e.buf.lines):
		e.remove(lineStart, pos{last + 1, 0})
		e.cursor = e.firstCell(first)
	case first > 0:
		e.remove(pos{first - 1, len(e.buf.lines[first-1])}, s.to)
		e.cursor = e.firstCell(first - 1)
	default:
		e.remove(s.from, s.to)
	}
}

func (e *Editor) wholeLines(s span) span {
	return span{pos{s.from.line, 0}, pos{s.to.line, len(e.buf.lines[s.to.line])}}
}

// firstCell is the first place of a line that is not blank.
func (e *Editor) firstCell(line int) pos {
	cells := e.buf.lines[line]
	col := 0
	for col < len(cells) && cells[col].space() {
		col++
	}
	return pos{line, col}
}

// normal carries out a command that is no motion and no operator.
func (e *Editor) normal(key string) {
	v := &e.vim
	line := e.cursor.line
	n := e.times()
	switch key {
	case "r":
		v.prefix = "r"
		return
	case "i":
		e.insertMode()
	case "I":
		e.cursor = e.firstCell(line)
		e.insertMode()
	case "a":
		e.cursor.col = min(e.cursor.col+1, len(e.buf.lines[line]))
		e.insertMode()
	case "A":
		e.cursor.col = len(e.buf.lines[line])
		e.insertMode()
	case "o", "O":
		e.openLine(key == "O")
	case "v", "V":
		v.anchor, v.mode = e.cursor, Visual
		if key == "V" {
			v.mode = VisualLine
		}
	case "x", "X", "D", "C", "s", "S", "Y":
		e.short(key)
		return
	case "p", "P":
		e.put(key == "P", n)
	case "J":
		e.join(max(n-1, 1))
	case "~":
		e.recase(key, e.cursor, pos{line, min(e.cursor.col+n, len(e.buf.lines[line]))})
	case "u", "ctrl+r":
		from, to := &e.undo, &e.redo
		if key == "ctrl+r" {
			from, to = to, from
		}
		for range n {
			if !e.takeBack(from, to) {
				break
			}
		}
		v.record = nil // "." doesn't repeat it
	case ".":
		v.idle()
		e.repeatChange()
		v.record = nil
	}
	v.idle()
}

// short is a command that stands for an operator and a motion.
func (e *Editor) short(key string) {
	v := &e.vim
	line := len(e.buf.lines[e.cursor.line])
	s := span{e.cursor, pos{e.cursor.line, line}}
	switch key {
	case "x", "s":
		s.to.col = min(e.cursor.col+e.times(), line)
	case "X":
		s = span{pos{e.cursor.line, max(e.cursor.col-e.times(), 0)}, e.cursor}
	case "S", "Y":
		v.operator = map[string]string{"S": "c", "Y": "y"}[key]
		e.operate(v.operator)
		return
	}
	v.operator = map[string]string{"x": "d", "X": "d", "D": "d", "C": "c", "s": "c"}[key]
	e.apply(s, false)
}

// visual carries out a command on the selection.
func (e *Editor) visual(key string) {
	v := &e.vim
	switch key {
	case "v", "V":
		to := Visual
		if key == "V" {
			to = VisualLine
		}
		if v.mode == to {
			to = Normal
		}
		v.mode = to
	case "o":
		v.anchor, e.cursor = e.cursor, v.anchor
	case "x", "s", "X", "D", "S", "C", "Y":
		if key == "X" || key == "D" || key == "S" || key == "C" || key == "Y" {
			v.mode = VisualLine
		}
		e.operate(map[string]string{"x": "d", "X": "d", "D": "d", "s": "c", "S": "c", "C": "c", "Y": "y"}[key])
		return
	case "p", "P":
		if n := len(e.kills); n > 0 {
			with := e.kills[n-1]
			v.operator = "d"
			s, whole := e.selection(), v.mode == VisualLine
			last := whole && s.to.line == len(e.buf.lines)-1
			e.apply(s, whole)
			e.putCut(with, !last)
		}
	case "J":
		from, to := min(v.anchor.line, e.cursor.line), max(v.anchor.line, e.cursor.line)
		v.mode, e.cursor.line = Normal, from
		e.join(max(to-from, 1))
	case "~", "u", "U":
		s := e.selection()
		v.mode = Normal
		e.recase(key, s.from, s.to)
		e.cursor = s.from
	}
	v.idle()
}
