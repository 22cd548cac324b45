package picker

import (
	"cmp"
	"slices"
	"strings"

	"github.com/sahilm/fuzzy"
)

// search finds the items that hold every word of the filter, and selects the
// first that does in its row. Only where none does, those that hold the words'
// letters in this order count: somebody abbreviates.
func (p *Picker) search() {
	p.at, p.top, p.tall = 0, 0, need{}
	words := strings.Fields(strings.ToLower(p.filter))
	found, scores := p.holding(words)
	if len(found) == 0 {
		found, scores = p.resembling(words)
	}
	if !p.o.Ordered && len(words) > 0 {
		slices.SortFunc(found, func(a, b int) int {
			return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(a, b))
		})
	}
	p.found = found
	p.at = max(slices.IndexFunc(found, func(i int) bool { return holdsAll(p.texts[i], words) }), 0)
	p.lines = p.lines[:0]
	group := ""
	for i, n := range found {
		if g := p.items[n].Group; g != group {
			group = g
			if g != "" {
				p.lines = append(p.lines, ^i)
			}
		}
		p.lines = append(p.lines, i)
	}
	p.skip(+1)
}

// holding finds items by whole words; those whose title begins with the first
// come first, then those whose title holds it.
func (p *Picker) holding(words []string) (found, scores []int) {
	scores = make([]int, len(p.items))
	for i, text := range p.texts {
		holds := true
		for _, w := range words {
			holds = holds && (strings.Contains(text, w) || strings.Contains(p.mores[i], w))
		}
		if !holds {
			continue
		}
		found = append(found, i)
		if len(words) > 0 {
			switch at := strings.Index(text, words[0]); {
			case at == 0:
				scores[i] = 2
			case at > 0 && at < len(p.items[i].Title):
				scores[i] = 1
			}
		}
	}
	return found, scores
}

func holdsAll(text string, words []string) bool {
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
}

// resembling finds items by letters.
func (p *Picker) resembling(words []string) (found, scores []int) {
	scores = make([]int, len(p.items))
	found = every(len(p.items))
	for _, word := range words {
		var left []int
		for _, m := range fuzzy.FindFromNoSort(word, subset{p.texts, found}) {
			i := found[m.Index]
			scores[i] += m.Score
			left = append(left, i)
		}
		found = left
	}
	return found, scores
}

func every(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// subset is the texts of some items, for the matcher.
type subset struct {
	texts []string
	of    []int
}

func (s subset) String(i int) string { return s.texts[s.of[i]] }
func (s subset) Len() int            { return len(s.of) }
