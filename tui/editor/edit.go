package editor

// command is what the last key did.
type command int

const (
	commandNone   command = iota
	commandType           // typed a character: the next one joins its undo step
	commandKill           // cut text: the next cut joins it in the kill ring
	commandYank           // pasted from the kill ring: the next may replace it
	commandAccept         // took a completion: punctuation takes the place of its blank
)

// did notes the last command and ends vertical moving and jumping.
func (e *Editor) did(c command) {
	e.last = c
	e.goal = -1
	e.jump = 0
}

// edit is one step of undo or redo: at from, the cells up to end replaced
// removed.
type edit struct {
	from, end     pos
	removed       [][]cell
	before, after pos // the caret
	typed         bool
	group         int // steps of one group go together; 0 is no group
}

// undoMax bounds the steps of undo that are kept.
const undoMax = 500

// replace is the only way the text changes. It keeps clusters whole: cells
// around the place that could combine with the new text are cut anew.
func (e *Editor) replace(from, to pos, with [][]cell) {
	cursor := e.cursor
	wide, widened := e.buf.widen(from, to, with)
	end := pos{from.line + len(with) - 1, len(with[len(with)-1])}
	if len(with) == 1 {
		end.col += from.col
	}
	if wide != from || widened != to {
		with, end = e.recut(wide, from, to, widened, with)
	}
	removed := e.buf.slice(wide, widened)
	after := e.buf.splice(wide, widened, with)
	e.cursor = end
	e.note(edit{from: wide, end: after, removed: removed, before: cursor, after: end, group: e.group}, widened)
}

// recut segments the new text together with its neighbours, which are no
// pastes, and finds the place where the new text ends.
func (e *Editor) recut(wide, from, to, widened pos, with [][]cell) ([][]cell, pos) {
	left := e.buf.lines[from.line][wide.col:from.col]
	right := e.buf.lines[to.line][to.col:widened.col]
	joined := make([][]cell, len(with))
	for i, line := range with {
		if i == 0 {
			line = append(clone(left), line...)
		}
		if i == len(with)-1 {
			line = append(clone(line), right...)
		}
		joined[i] = resegment(line)
	}
	last := len(joined) - 1
	rest := 0
	for _, c := range right {
		rest += len(c.text)
	}
	col := len(joined[last])
	for rest > 0 && col > 0 && rest >= len(joined[last][col-1].text) {
		col--
		rest -= len(joined[last][col].text)
	}
	end := pos{wide.line + last, col}
	if last == 0 {
		end.col += wide.col
	}
	return joined, end
}

// resegment cuts the text between pastes anew.
func resegment(line []cell) []cell {
	var out []cell
	var text []byte
	for _, c := range line {
		if c.held == nil {
			text = append(text, c.text...)
			continue
		}
		out = append(out, clusters(string(text))...)
		out = append(out, c)
		text = text[:0]
	}
	return append(out, clusters(string(text))...)
}

// note records a step. While a word is typed its letters are one step: each
// replaces nothing, or letters of the same word that it combines with.
func (e *Editor) note(step edit, to pos) {
	e.redo = nil
	if n := len(e.undo); n > 0 && e.last == commandType {
		if before := &e.undo[n-1]; before.typed && to == before.end && !step.from.before(before.from) {
			before.end, before.after = step.end, step.after
			return
		}
	}
	e.undo = append(e.undo, step)
	if n := len(e.undo); n > undoMax {
		e.undo = e.undo[n-undoMax:]
	}
}

// takeBack moves the last step, with its group, from one list to the other:
// undo to redo or redo to undo. The steps of the group that is still being made
// go one by one. It reports whether there was one.
func (e *Editor) takeBack(from, to *[]edit) bool {
	n := len(*from)
	if n == 0 {
		return false
	}
	for group := (*from)[n-1].group; ; {
		step := (*from)[n-1]
		*from = (*from)[:n-1]
		*to = append(*to, e.revert(step))
		n--
		if group == 0 || group == e.group || n == 0 || (*from)[n-1].group != group {
			return true
		}
	}
}

// revert takes a step back and returns the one that does it again.
func (e *Editor) revert(step edit) edit {
	taken := e.buf.slice(step.from, step.end)
	end := e.buf.splice(step.from, step.end, step.removed)
	e.cursor = step.before
	return edit{from: step.from, end: end, removed: taken, before: step.after, after: step.before, group: step.group}
}

func (e *Editor) insert(cells [][]cell) { e.replace(e.cursor, e.cursor, cells) }

// typeText inserts what a key typed. A step of undo ends with a word.
func (e *Editor) typeText(text string) {
	cells := segment(text)
	blank := len(cells[0]) > 0 && cells[0][0].space()
	if blank || len(cells) > 1 {
		e.last = commandNone
	}
	e.insert(cells)
	if n := len(e.undo); n > 0 {
		e.undo[n-1].typed = len(cells) == 1
	}
	e.did(commandType)
}

// remove deletes what is between two places, if anything.
func (e *Editor) remove(from, to pos) bool {
	if !from.before(to) {
		return false
	}
	e.replace(from, to, [][]cell{nil})
	return true
}
