package editor

// killMax bounds the kill ring.
const killMax = 30

// span is a stretch of text.
type span struct{ from, to pos }

// cut is an entry of the kill ring. Vim puts whole lines below the line of
// the caret, other keys put them at it.
type cut struct {
	cells    [][]cell
	linewise bool
}

// kill cuts what is between two places into the kill ring. Cuts in a row
// make one entry; backward ones grow it at its front.
func (e *Editor) kill(from, to pos, backward bool) bool {
	if !from.before(to) {
		return false
	}
	cells := e.buf.slice(from, to)
	run := e.last == commandKill
	e.remove(from, to)
	n := len(e.kills)
	switch {
	case !run || n == 0:
		e.keep(cut{cells: cells})
	case backward:
		e.kills[n-1].cells = concat(cells, e.kills[n-1].cells)
	default:
		e.kills[n-1].cells = concat(e.kills[n-1].cells, cells)
	}
	e.did(commandKill)
	return true
}

// keep puts an entry into the kill ring.
func (e *Editor) keep(c cut) {
	e.kills = append(e.kills, c)
	if len(e.kills) > killMax {
		e.kills = e.kills[1:]
	}
}

// concat joins two stretches: the last line of a goes on with the first of b.
func concat(a, b [][]cell) [][]cell {
	out := make([][]cell, 0, len(a)+len(b)-1)
	out = append(out, a...)
	last := len(out) - 1
	out[last] = append(clone(out[last]), b[0]...)
	return append(out, b[1:]...)
}

// yankLast inserts the newest entry of the kill ring.
func (e *Editor) yankLast() bool {
	n := len(e.kills)
	if n == 0 {
		return false
	}
	from := e.cursor
	e.insert(e.kills[n-1].cells)
	e.yank = span{from, e.cursor}
	e.did(commandYank)
	return true
}

// yankPop replaces what was just yanked by the entry before it.
func (e *Editor) yankPop() bool {
	n := len(e.kills)
	if e.last != commandYank || n < 2 {
		return false
	}
	newest := e.kills[n-1]
	copy(e.kills[1:], e.kills[:n-1])
	e.kills[0] = newest
	e.replace(e.yank.from, e.yank.to, e.kills[n-1].cells)
	e.yank.to = e.cursor
	e.did(commandYank)
	return true
}
