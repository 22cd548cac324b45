package transcript

// Following reports whether the window is at the end and stays there.
func (l *List) Following() bool { return !l.scrolled }

// AtTop reports whether the window shows the first row of all.
func (l *List) AtTop() bool {
	top, skip := l.window()
	return top == 0 && skip == 0
}

// Scroll moves the window by rows, down if positive.
func (l *List) Scroll(rows int) {
	if !l.scrolled {
		if rows >= 0 {
			return
		}
		l.top, l.skip = l.end()
		l.scrolled = true
	}
	l.skip += rows
	l.settle()
}

// Page moves by a window less two rows of overlap; pages may be negative.
func (l *List) Page(pages int) { l.Scroll(pages * max(1, l.height-2)) }

// ToTop shows the first item.
func (l *List) ToTop() { l.show(0, 0) }

// ToEnd shows the last item and follows what comes.
func (l *List) ToEnd() { l.scrolled, l.top, l.skip, l.place = false, 0, 0, nil }

// show puts a row of an item on top.
func (l *List) show(item, row int) {
	l.scrolled, l.top, l.skip = true, item, row
	l.settle()
}

// JumpPrompt puts the user's message before or after the one on top on top:
// dir is -1 or 1. It reports false if there is none; after the last one comes
// the end.
func (l *List) JumpPrompt(dir int) bool {
	if len(l.slots) == 0 || dir > 0 && !l.scrolled {
		return false
	}
	i, skip := l.window()
	if dir > 0 || skip <= 1 { // its first row is blank
		i += dir
	}
	for ; i >= 0 && i < len(l.slots); i += dir {
		if _, ok := l.slots[i].item.(*Prompt); ok {
			l.show(i, min(1, len(l.rows(i))-1))
			return true
		}
	}
	if dir > 0 {
		l.ToEnd()
	}
	return false
}

// settle brings top and skip into range, and follows again when the end shows.
func (l *List) settle() {
	l.place = nil
	if !l.scrolled {
		return
	}
	if len(l.slots) == 0 {
		l.ToEnd()
		return
	}
	l.top = min(max(l.top, 0), len(l.slots)-1)
	for l.skip < 0 && l.top > 0 {
		l.top--
		l.skip += len(l.rows(l.top))
	}
	l.skip = max(l.skip, 0)
	for l.skip >= len(l.rows(l.top)) && l.top < len(l.slots)-1 {
		l.skip -= len(l.rows(l.top))
		l.top++
	}
	left := -l.skip
	for i := l.top; i < len(l.slots); i++ {
		if left += len(l.rows(i)); left > l.height {
			return
		}
	}
	if l.selection.frozen { // the end may grow while the mouse is down
		return
	}
	l.ToEnd()
}

// end returns the anchor of a window that ends with the last item.
func (l *List) end() (top, skip int) {
	rows := 0
	for i := len(l.slots) - 1; i >= 0; i-- {
		if rows += len(l.rows(i)); rows >= l.height {
			return i, rows - l.height
		}
	}
	return 0, 0
}

// At returns the item at a row of the window, and the row of the item.
func (l *List) At(y int) (item Item, row int, ok bool) {
	i, row, ok := l.at(y)
	if !ok {
		return nil, 0, false
	}
	return l.slots[i].item, row, true
}

func (l *List) at(y int) (item, row int, ok bool) {
	if y < 0 || y >= l.height || len(l.slots) == 0 {
		return 0, 0, false
	}
	i, skip := l.window()
	for y += skip; i < len(l.slots); i++ {
		n := len(l.rows(i))
		if y < n {
			return i, y, true
		}
		y -= n
	}
	return 0, 0, false
}

// folding is an item that shows only part of itself until it is unfolded.
type folding interface {
	Unfold(open bool)
	Unfolded() bool
}

// Toggle unfolds the item at a row of the window, or folds it again. It
// reports whether that item can.
func (l *List) Toggle(y int) bool {
	i, _, ok := l.at(y)
	if !ok {
		return false
	}
	f, ok := l.slots[i].item.(folding)
	if ok {
		f.Unfold(!f.Unfolded())
		l.settle()
	}
	return ok
}
