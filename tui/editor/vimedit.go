package editor

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

func (e *Editor) openLine(above bool) {
	at := pos{e.cursor.line, len(e.buf.lines[e.cursor.line])}
	if above {
		at.col = 0
	}
	e.replace(at, at, [][]cell{nil, nil})
	if above {
		e.cursor = at
	}
	e.insertMode()
}

// put inserts the newest entry of the kill ring n times.
func (e *Editor) put(before bool, n int) {
	if len(e.kills) == 0 {
		return
	}
	c := e.kills[len(e.kills)-1]
	all := c.cells
	for range min(n, putMax) - 1 {
		if c.linewise {
			all = append(all[:len(all):len(all)], c.cells...)
		} else {
			all = concat(all, c.cells)
		}
	}
	e.putCut(cut{all, c.linewise}, before)
}

// putMax bounds how often a text is put at once.
const putMax = 100

func (e *Editor) putCut(c cut, before bool) {
	line := e.cursor.line
	end := len(e.buf.lines[line])
	switch {
	case c.linewise && before:
		e.replace(pos{line, 0}, pos{line, 0}, concat(c.cells, [][]cell{nil, nil}))
		e.cursor = e.firstCell(line)
	case c.linewise:
		e.replace(pos{line, end}, pos{line, end}, concat([][]cell{nil, nil}, c.cells))
		e.cursor = e.firstCell(line + 1)
	default:
		at := e.cursor
		if !before {
			at.col = min(at.col+1, end)
		}
		e.replace(at, at, c.cells)
		if len(c.cells) == 1 {
			e.cursor = pos{e.cursor.line, max(e.cursor.col-1, 0)}
		} else {
			e.cursor = at
		}
	}
}

// join puts the next lines behind this one, a blank between.
func (e *Editor) join(n int) {
	line := e.cursor.line
	for range n {
		if line+1 >= len(e.buf.lines) {
			return
		}
		at := pos{line, len(e.buf.lines[line])}
		to := e.firstCell(line + 1)
		with := [][]cell{nil}
		if at.col > 0 && !e.buf.lines[line][at.col-1].space() && to.col < len(e.buf.lines[line+1]) {
			with = segment(" ")
		}
		e.replace(at, to, with)
		e.cursor = at
	}
}

func (e *Editor) replaceChars(key string) {
	line := e.buf.lines[e.cursor.line]
	n := e.times()
	if e.cursor.col+n > len(line) {
		return
	}
	at := e.cursor
	e.replace(at, pos{at.line, at.col + n}, segment(strings.Repeat(key, n)))
	e.cursor = pos{at.line, max(e.cursor.col-1, 0)}
}

// recase makes letters small (u), capitals (U), or the other of both (~).
func (e *Editor) recase(key string, from, to pos) {
	lines := e.buf.slice(from, to)
	for _, line := range lines {
		for i, c := range line {
			if c.held != nil {
				continue
			}
			r, n := utf8.DecodeRuneInString(c.text)
			if key == "u" || key == "~" && unicode.IsUpper(r) {
				r = unicode.ToLower(r)
			} else {
				r = unicode.ToUpper(r)
			}
			line[i].text = string(r) + c.text[n:]
		}
	}
	if from.before(to) {
		e.replace(from, to, lines)
	}
}
