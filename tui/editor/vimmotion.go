package editor

// motion is where a key of vim leads.
type motion struct {
	to        pos
	linewise  bool // an operator takes whole lines
	inclusive bool // an operator takes the cell at the end too
	vertical  bool
	ok        bool
}

// motionOf returns the motion of a key, if it is one.
func (e *Editor) motionOf(key string) (motion, bool) {
	at := e.cursor
	end := len(e.buf.lines[at.line])
	n := e.times()
	to := func(p pos) (motion, bool) { return motion{to: p, ok: true}, true }
	switch key {
	case "h":
		return to(pos{at.line, max(at.col-n, 0)})
	case "l":
		return to(pos{at.line, min(at.col+n, end)})
	case "0":
		return to(pos{at.line, 0})
	case "^":
		return to(e.firstCell(at.line))
	case "_":
		m := e.lineMotion(at.line + n - 1)
		if e.vim.operator != "" {
			m.to.col = at.col
		}
		return m, true
	case "$":
		line := min(at.line+n-1, len(e.buf.lines)-1)
		return to(pos{line, len(e.buf.lines[line])})
	case "j":
		return e.rowMotion(n), true
	case "k":
		return e.rowMotion(-n), true
	case "G":
		line := len(e.buf.lines) - 1
		if e.vim.count > 0 || e.vim.again > 0 {
			line = n - 1
		}
		return e.lineMotion(line), true
	case "w", "W", "b", "B", "e", "E":
		return e.wordMotion(key), true
	case ";", ",":
		if e.vim.find.kind == "" {
			return motion{}, true
		}
		kind := e.vim.find.kind
		if key == "," {
			kind = map[string]string{"f": "F", "F": "f", "t": "T", "T": "t"}[kind]
		}
		return e.findMotion(kind, e.vim.find.text, true), true
	case "%":
		return e.matchMotion(), true
	}
	return motion{}, false
}

// lineMotion leads to a line.
func (e *Editor) lineMotion(line int) motion {
	line = min(max(line, 0), len(e.buf.lines)-1)
	return motion{to: e.firstCell(line), linewise: true, ok: true}
}

// rowMotion goes down, or up: by rows on the screen, and past the ends through
// the history; with an operator by lines.
func (e *Editor) rowMotion(n int) motion {
	if e.vim.operator != "" {
		line := min(max(e.cursor.line+n, 0), len(e.buf.lines)-1)
		return motion{to: pos{line, e.cursor.col}, linewise: true, ok: line != e.cursor.line}
	}
	step := 1
	if n < 0 {
		step, n = -1, -n
	}
	for range n {
		if e.vertical(step) != Moved {
			break
		}
	}
	return motion{to: e.cursor, vertical: true, ok: true}
}

// kind is the class of a cell as vim sees it: a bigger word has only blanks
// around it.
func (e *Editor) kind(p pos, big bool) class {
	line := e.buf.lines[p.line]
	if p.col >= len(line) {
		return classBlank
	}
	c := classOf(line[p.col])
	if big && c != classBlank {
		return classWord
	}
	return c
}

// emptyLine holds for a line without cells, which is a word to vim.
func (e *Editor) emptyLine(p pos) bool { return len(e.buf.lines[p.line]) == 0 }

// wordMotion goes by words: w b e, W B E and ge.
func (e *Editor) wordMotion(key string) motion {
	big := key == "W" || key == "B" || key == "E"
	at := e.cursor
	m := motion{ok: true}
	for left := e.times(); left > 0; left-- {
		switch key {
		case "w", "W":
			if e.vim.operator == "c" && left == 1 && e.kind(at, big) != classBlank { // cw is ce
				at, m.inclusive = e.wordEnd(at, big, true), true
				continue
			}
			if left == 1 && e.vim.operator != "" && e.emptyLine(at) {
				return motion{to: e.buf.next(at), ok: true}
			}
			at = e.nextWord(at, big)
		case "b", "B":
			at = e.wordStart(at, big)
		case "e", "E":
			at, m.inclusive = e.wordEnd(at, big, false), true
		case "ge":
			at, m.inclusive = e.endBefore(at), true
		}
	}
	// dw on the last word of a line leaves the line end alone.
	if (key == "w" || key == "W") && e.vim.operator != "" && at.line > e.cursor.line && at == e.firstCell(at.line) {
		at = pos{at.line - 1, len(e.buf.lines[at.line-1])}
	}
	m.to = at
	if at == e.cursor && (key == "b" || key == "B" || key == "ge") {
		m.ok = false
	}
	return m
}

// nextWord is the start of the next word.
func (e *Editor) nextWord(p pos, big bool) pos {
	for kind := e.kind(p, big); kind != classBlank && e.kind(p, big) == kind; {
		if p.col++; kind == classHeld {
			break
		}
	}
	for {
		next := e.buf.next(p)
		if next == p || e.kind(p, big) != classBlank {
			return p
		}
		if p = next; p.col == 0 && e.emptyLine(p) {
			return p
		}
	}
}

// wordStart is the start of this word, or of the one before.
func (e *Editor) wordStart(p pos, big bool) pos {
	for p = e.buf.prev(p); p != (pos{}) && e.kind(p, big) == classBlank && !e.emptyLine(p); {
		p = e.buf.prev(p)
	}
	kind := e.kind(p, big)
	for p.col > 0 && kind != classHeld && e.kind(pos{p.line, p.col - 1}, big) == kind {
		p.col--
	}
	return p
}

// wordEnd is the last cell of this word or, if p is there already and may not
// stay, of the next one.
func (e *Editor) wordEnd(p pos, big, stay bool) pos {
	if !stay {
		p = e.buf.next(p)
	}
	for p != e.buf.end() && e.kind(p, big) == classBlank {
		p = e.buf.next(p)
	}
	kind := e.kind(p, big)
	for kind != classHeld && kind != classBlank && e.kind(pos{p.line, p.col + 1}, big) == kind {
		p.col++
	}
	return p
}

// endBefore is the last cell of the word before.
func (e *Editor) endBefore(p pos) pos {
	for kind := e.kind(p, false); p != (pos{}) && e.kind(p, false) == kind; {
		if p = e.buf.prev(p); kind == classHeld || kind == classBlank {
			break
		}
	}
	for p != (pos{}) && e.kind(p, false) == classBlank && !e.emptyLine(p) {
		p = e.buf.prev(p)
	}
	return p
}

// findMotion looks for a character in the line: f and t ahead, F and T back, t
// and T stop beside it. A repeated t goes on to the next one.
func (e *Editor) findMotion(kind, text string, repeated bool) motion {
	line := e.buf.lines[e.cursor.line]
	step := 1
	if kind == "F" || kind == "T" {
		step = -1
	}
	col := e.cursor.col
	till := kind == "t" || kind == "T"
	if next := col + step; till && repeated && next >= 0 && next < len(line) && line[next].text == text {
		col = next
	}
	for left := e.times(); left > 0; left-- {
		for col += step; ; col += step {
			if col < 0 || col >= len(line) {
				return motion{}
			}
			if line[col].text == text {
				break
			}
		}
	}
	if till {
		col -= step
	}
	return motion{to: pos{e.cursor.line, col}, inclusive: step > 0, ok: true}
}
