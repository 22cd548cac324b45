package catalog

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/hoopoe-agent/hoopoe/engine/llm"
)

// nearestShown is how many models an error names.
const nearestShown = 3

// Find looks a model up by what the user typed: provider/id, a bare id, a
// provider (its default), or part of a name that only one model has; each with
// ":level" after it, split off only when it is a thinking level's name. The
// level is empty when none was given. Models that can be used now win over
// others. The error is an *UnknownModelError; whether the model can be used is
// another question, which Usable answers.
func (c *Catalog) Find(pattern string) (llm.Model, llm.Level, error) {
	pattern = strings.TrimSpace(pattern)
	if m, ok := c.exact(pattern); ok {
		return m, "", nil
	}
	name, level := splitLevel(pattern)
	if level != "" {
		if m, ok := c.exact(name); ok {
			return m, level, nil
		}
	}
	found := c.containing(name)
	if len(found) == 1 {
		return found[0], level, nil
	}
	e := &UnknownModelError{Pattern: pattern, Ambiguous: len(found) > 1}
	if !e.Ambiguous {
		found = c.nearest(name)
	}
	for _, m := range found[:min(nearestShown, len(found))] {
		e.Nearest = append(e.Nearest, m.Ref())
	}
	return llm.Model{}, "", e
}

// splitLevel cuts ":level" off when the suffix is a level's name: ids of local
// models hold colons too.
func splitLevel(pattern string) (name string, level llm.Level) {
	if i := strings.LastIndexByte(pattern, ':'); i > 0 {
		if l, err := llm.ParseLevel(pattern[i+1:]); err == nil {
			return pattern[:i], l
		}
	}
	return pattern, ""
}

// exact finds provider/id, an id, or a provider, first as written and then in
// any case. An id that several providers have goes to one that can be used,
// else to the first in order.
func (c *Catalog) exact(name string) (llm.Model, bool) {
	if name == "" {
		return llm.Model{}, false
	}
	for _, same := range []func(a, b string) bool{func(a, b string) bool { return a == b }, strings.EqualFold} {
		if provider, id, ok := strings.Cut(name, "/"); ok {
			for _, s := range c.index() {
				if same(s.ID, provider) {
					if i := slices.IndexFunc(s.models(), func(m llm.Model) bool { return same(m.ID, id) }); i >= 0 {
						return s.models()[i], true
					}
				}
			}
		}
		if found := c.all(func(m llm.Model) bool { return same(m.ID, name) }); len(found) > 0 {
			return found[0], true
		}
	}
	return c.Default(strings.ToLower(name))
}

// containing finds the models whose ref or name holds the pattern. When some
// of them can be used the others don't count, and an id that several providers
// have counts once.
func (c *Catalog) containing(pattern string) []llm.Model {
	plain := fold(pattern)
	if plain == "" {
		return nil
	}
	found := c.all(func(m llm.Model) bool {
		return holds(m.Ref(), pattern, plain) || strings.Contains(fold(m.Name), plain)
	})
	if len(found) > 0 && c.Usable(found[0]) == nil {
		found = slices.DeleteFunc(found, func(m llm.Model) bool { return c.Usable(m) != nil })
	}
	seen := map[string]bool{}
	return slices.DeleteFunc(found, func(m llm.Model) bool {
		again := seen[fold(m.ID)]
		seen[fold(m.ID)] = true
		return again
	})
}

// all lists the models that fit, those that can be used first.
func (c *Catalog) all(fits func(llm.Model) bool) []llm.Model {
	var usable, others []llm.Model
	for _, s := range c.index() {
		hopeless := c.hopeless(s)
		for _, m := range s.models() {
			switch {
			case !fits(m):
			case !hopeless && c.Usable(m) == nil:
				usable = append(usable, m)
			default:
				others = append(others, m)
			}
		}
	}
	return append(usable, others...)
}

// nearest lists the few models for which least has to change in the pattern,
// those that can be used first among equals.
func (c *Catalog) nearest(pattern string) []llm.Model {
	type scored struct {
		model    llm.Model
		distance int
	}
	plain := []rune(fold(pattern))
	if len(plain) > 100 { // a pattern is a line that somebody typed
		plain = plain[:100]
	}
	var best []scored
	for _, m := range c.all(func(llm.Model) bool { return true }) {
		bound := math.MaxInt
		if len(best) == nearestShown {
			bound = best[nearestShown-1].distance
		}
		provider, id := []rune(fold(m.Provider)), []rune(fold(m.ID))
		d := min(distance(plain, id, bound), distance(plain, append(provider, id...), bound))
		same := slices.IndexFunc(best, func(s scored) bool { return fold(s.model.ID) == string(id) })
		if d >= bound || same >= 0 && best[same].distance <= d {
			continue
		}
		if same >= 0 { // the same model, at a provider whose name is nearer
			best = slices.Delete(best, same, same+1)
		}
		at, _ := slices.BinarySearchFunc(best, d+1, func(s scored, d int) int { return cmp.Compare(s.distance, d) })
		best = slices.Insert(best, at, scored{m, d})
		best = best[:min(len(best), nearestShown)]
	}
	out := make([]llm.Model, len(best))
	for i, s := range best {
		out[i] = s.model
	}
	return out
}

// holds reports whether a ref holds a pattern, not across its slashes unless
// the pattern has one: "nope" isn't part of "baseten/openai/".
func holds(ref, pattern, plain string) bool {
	if strings.Contains(pattern, "/") {
		return strings.Contains(fold(ref), plain)
	}
	for part := range strings.SplitSeq(ref, "/") {
		if strings.Contains(fold(part), plain) {
			return true
		}
	}
	return false
}

// fold keeps what people remember of a name: letters and digits, lower case.
func fold(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

// distance is the number of insertions, deletions and replacements between two
// words, or bound when it isn't below that.
func distance(a, b []rune, bound int) int {
	if max(len(a)-len(b), len(b)-len(a)) >= bound {
		return bound
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i, x := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j, y := range b {
			change := diagonal
			if x != y {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, diagonal+1)
		}
		if slices.Min(row) >= bound {
			return bound
		}
	}
	return min(row[len(b)], bound)
}
