package diff

import "unicode/utf8"

// markMax is the length in bytes up to which two lines are compared.
const markMax = 4 << 10

// mark pairs removed lines with the added ones that follow and marks where
// the two of a pair differ.
func mark(lines []line) {
	for i := 0; i < len(lines); {
		if lines[i].kind != kindRemoved {
			i++
			continue
		}
		removed, added := block(lines[i:])
		for k := range min(removed, added) {
			compare(&lines[i+k], &lines[i+removed+k])
		}
		i += removed + added
	}
}

// block counts the removed lines at the start and the added ones after them.
func block(lines []line) (removed, added int) {
	for removed < len(lines) && lines[removed].kind == kindRemoved {
		removed++
	}
	for removed+added < len(lines) && lines[removed+added].kind == kindAdded {
		added++
	}
	return removed, added
}

// compare marks what is between the common start and the common end, unless
// that is most of the line: then the marks would only be noise.
func compare(a, b *line) {
	if len(a.text) > markMax || len(b.text) > markMax || a.text == b.text {
		return
	}
	start := 0
	for start < len(a.text) && start < len(b.text) {
		r, n := utf8.DecodeRuneInString(a.text[start:])
		if q, _ := utf8.DecodeRuneInString(b.text[start:]); q != r {
			break
		}
		start += n
	}
	end := 0
	for start+end < len(a.text) && start+end < len(b.text) {
		r, n := utf8.DecodeLastRuneInString(a.text[:len(a.text)-end])
		if q, _ := utf8.DecodeLastRuneInString(b.text[:len(b.text)-end]); q != r || start+end+n > min(len(a.text), len(b.text)) {
			break
		}
		end += n
	}
	if (start+end)*3 < max(len(a.text), len(b.text)) {
		return
	}
	a.from, a.to = start, len(a.text)-end
	b.from, b.to = start, len(b.text)-end
}
