package editor

// history is the list of earlier prompts and where in it the editor stands.
// While it is walked through, what was on the screen at each place is kept
// with its pastes and its caret: the draft, and entries that were changed.
type history struct {
	entries []string
	at      int                 // len(entries) is the draft
	kept    map[int]heldContent // by place
}

type heldContent struct {
	lines      [][]cell
	cursor     pos
	pastes     int
	undo, redo []edit
}

func (h *history) leave() {
	h.at = len(h.entries)
	h.kept = nil
}

// SetHistory replaces the earlier prompts, oldest first.
func (e *Editor) SetHistory(entries []string) {
	e.history.entries = entries
	e.history.leave()
}

// AddHistory appends a prompt that was sent. One equal to the last is not
// kept twice.
func (e *Editor) AddHistory(entry string) {
	n := len(e.history.entries)
	if entry == "" || n > 0 && e.history.entries[n-1] == entry {
		return
	}
	e.history.entries = append(e.history.entries[:n:n], entry)
	e.history.leave()
}

// History returns the earlier prompts, oldest first.
func (e *Editor) History() []string { return e.history.entries }

// recall shows the prompt step places away. It reports false at either end.
func (e *Editor) recall(step int) bool {
	h := e.history
	to := h.at + step
	if to < 0 || to > len(h.entries) {
		return false
	}
	if h.kept == nil {
		h.kept = map[int]heldContent{}
	}
	h.kept[h.at] = heldContent{e.buf.lines, e.cursor, e.pastes, e.undo, e.redo}
	if was, ok := h.kept[to]; ok {
		e.setLines(was.lines)
		e.cursor, e.pastes, e.undo, e.redo = was.cursor, was.pastes, was.undo, was.redo
	} else {
		e.pastes = 0
		e.setLines(e.whole(h.entries[to]))
	}
	h.at = to
	e.history = h
	return true
}
