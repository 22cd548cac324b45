package config

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Problem is a fault in a settings file or an environment variable: an error
// where it stops the program, a warning where it doesn't.
type Problem struct {
	File   string // path, or the name of the flag or variable
	Line   int    // from 1; 0 if the problem has no place in the file
	Column int    // in characters, from 1
	Key    string // dotted, such as permissions.mode; "" for the whole file
	Text   string // what is wrong and how to fix it
}

// Error reads "file:line:column: key: text".
func (p Problem) Error() string {
	var b strings.Builder
	b.WriteString(p.File)
	if p.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", p.Line, p.Column)
	}
	if p.Key != "" {
		b.WriteString(": " + p.Key)
	}
	return b.String() + ": " + p.Text
}

// position turns a byte offset of src into line and column.
func position(src []byte, offset int) (line, column int) {
	before := string(src[:min(max(offset, 0), len(src))])
	start := strings.LastIndexByte(before, '\n') + 1
	return 1 + strings.Count(before, "\n"), 1 + utf8.RuneCountInString(before[start:])
}

// nearest returns the candidate most like name, "" if none is near.
func nearest(name string, candidates []string) string {
	best, bestAt := "", len(name)/2+1
	for _, c := range candidates {
		if d := distance(strings.ToLower(name), strings.ToLower(c)); d < bestAt {
			best, bestAt = c, d
		}
	}
	return best
}

// distance counts the edits (insert, delete, replace) from a to b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(diagonal+cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
