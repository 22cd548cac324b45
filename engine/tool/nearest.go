package tool

import (
	"cmp"
	"slices"
	"strings"
)

// Nearest returns at most n of from that word was likely meant to be, best
// first: the same but for case and separators, one containing the other, or a
// few typing errors apart.
func Nearest(word string, from []string, n int) []string {
	type candidate struct {
		name  string
		score int
	}
	var found []candidate
	w := fold(word)
	for _, name := range from {
		if d, ok := distance(w, fold(name)); ok {
			found = append(found, candidate{name, d})
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return cmp.Compare(a.score, b.score) })
	var names []string
	for _, c := range found[:min(n, len(found))] {
		names = append(names, c.name)
	}
	return names
}

func fold(s string) string {
	return strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(s))
}

// maxWord bounds the quadratic comparison; names are hostile.
const maxWord = 256

// distance counts the edits between a and b; ok is false when they are too far
// apart to be taken for each other.
func distance(a, b string) (d int, ok bool) {
	x, y := []rune(a), []rune(b)
	if len(x) == 0 || len(y) == 0 || len(x) > maxWord || len(y) > maxWord {
		return 0, false
	}
	// Three rows suffice: swapped neighbours, the commonest slip, look back two.
	before, last, row := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := range x {
		before, last, row = last, row, before
		row[0] = i + 1
		for j := range y {
			replace := last[j]
			if x[i] != y[j] {
				replace++
			}
			row[j+1] = min(replace, row[j]+1, last[j+1]+1)
			if i > 0 && j > 0 && x[i] == y[j-1] && x[i-1] == y[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	d = row[len(y)]
	contains := min(len(x), len(y)) >= 3 && (strings.Contains(a, b) || strings.Contains(b, a))
	return d, contains || d <= max(len(x), len(y))/3
}
