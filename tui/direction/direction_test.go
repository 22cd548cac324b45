package direction

import (
	"slices"
	"testing"

	"golang.org/x/text/unicode/bidi"
)

// classesOf reads a text a rune at a time.
func classesOf(text string) []bidi.Class {
	var classes []bidi.Class
	for _, r := range text {
		p, _ := bidi.LookupRune(r)
		classes = append(classes, p.Class())
	}
	return classes
}

// E-5: rows as a terminal that reorders nothing has to show them. What is read
// first stands at the number 0.
func TestOrder(t *testing.T) {
	for _, c := range []struct {
		text string
		base int
		want []int
	}{
		{"", 0, []int{}},
		{"ab", 0, []int{0, 1}},
		{"אב", 1, []int{1, 0}},
		{"a אב c", 0, []int{0, 1, 3, 2, 4, 5}},
		{"א ab ב", 1, []int{5, 4, 2, 3, 1, 0}},
		{"א 12 ב", 1, []int{5, 4, 2, 3, 1, 0}},
		{"א 1,2%", 1, []int{2, 3, 4, 5, 1, 0}},
		{"م 1+2", 1, []int{4, 3, 2, 1, 0}},
		{"a ב", 1, []int{2, 1, 0}},
	} {
		if got := Order(Levels(classesOf(c.text), c.base)); !slices.Equal(got, c.want) {
			t.Errorf("%q at %d: %v, want %v", c.text, c.base, got, c.want)
		}
	}
}

// Nested levels, as inside an isolate, turn inside out.
func TestOrderOfLevels(t *testing.T) {
	if got, want := Order([]int{1, 2, 3, 3, 2, 1, 0}), []int{5, 1, 3, 2, 4, 0, 6}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
