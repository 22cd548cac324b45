package keymap

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Problem is something in a user's keys that can't be done or is likely not
// what was meant. What is not in a problem holds.
type Problem struct {
	Name string // the action as the user wrote it
	Text string // what is wrong and what to do
}

// Error reads "name: text".
func (p Problem) Error() string { return p.Name + ": " + p.Text }

// New makes a map of the table and a user's keys: the keys for each action by
// its name or an alias, or for a slash command ("/review src"). Names are
// matched without regard to case. The map is whole and works, whatever the
// problems; they come in the order of the names.
func New(user map[string][]string) (*Map, []Problem) {
	b := builder{m: &Map{entries: table()}, own: map[Action][]string{}}
	for _, name := range slices.Sorted(maps.Keys(user)) {
		b.add(name, user[name])
	}
	b.settle()
	b.takeAway()
	b.m.index()
	return b.m, b.problems
}

// builder joins the table and the user's keys.
type builder struct {
	m        *Map
	own      map[Action][]string // the user's keys
	names    []Action            // of own, as they came
	problems []Problem
}

func (b *builder) fail(name, text string, args ...any) {
	b.problems = append(b.problems, Problem{name, fmt.Sprintf(text, args...)})
}

// add notes the user's keys for one action.
func (b *builder) add(name string, keys []string) {
	if name == "$schema" { // for editors
		return
	}
	i, known := b.find(name)
	if !known {
		return
	}
	e := b.m.entries[i]
	if _, twice := b.own[e.Action]; twice {
		b.fail(name, "this is another name of %s, which has keys above; name it once", e.Action)
		return
	}
	own := []string{}
	for _, key := range keys {
		k, err := Parse(key)
		switch {
		case err != nil:
			b.fail(name, "%v", err)
		case types(k) && e.When == "":
			b.fail(name, "%q types a character and can't be bound; add ctrl or alt", key)
		case !slices.Contains(own, k):
			own = append(own, k)
		}
	}
	if len(keys) > 0 && len(own) == 0 {
		return // all of them were wrong: the defaults stay
	}
	b.own[e.Action] = own
	b.names = append(b.names, e.Action)
}

// find returns the row of an action and adds one for a slash command.
func (b *builder) find(name string) (int, bool) {
	name = strings.TrimSpace(name)
	if strings.HasPrefix(name, "/") && len(name) > 1 {
		b.m.entries = append(b.m.entries, Entry{Action: Action(name), In: Chat, Section: "Your own", Text: "run " + name, Command: name})
		return len(b.m.entries) - 1, true
	}
	var known []string
	for i, e := range b.m.entries {
		for _, n := range append([]string{string(e.Action)}, e.Aliases...) {
			if strings.EqualFold(n, name) {
				return i, true
			}
			known = append(known, n)
		}
	}
	if slices.ContainsFunc(elsewhere[:], func(n string) bool { return strings.EqualFold(n, name) }) {
		return 0, false
	}
	near := nearest(name, known)
	if near != "" {
		near = "; did you mean " + near + "?"
	}
	b.fail(name, "there is no such action%s", near)
	return 0, false
}

// settle finds keys that the user gave to two actions at once. The one whose
// name comes first keeps it.
func (b *builder) settle() {
	for n, a := range b.names {
		for _, other := range b.names[:n] {
			if !b.clash(a, other) {
				continue
			}
			b.own[a] = slices.DeleteFunc(b.own[a], func(k string) bool {
				both := slices.Contains(b.own[other], k)
				if both {
					b.fail(string(a), "%s is bound to %s too, which keeps it", Label(k), other)
				}
				return both
			})
		}
	}
}

// clash reports whether a key can't mean both actions.
func (b *builder) clash(a, other Action) bool {
	x, _ := b.m.Entry(a)
	y, _ := b.m.Entry(other)
	return x.In.overlaps(y.In) && x.When == "" && y.When == ""
}

// takeAway gives every action its keys: the user's, or the defaults without
// those that the user gave to another action.
func (b *builder) takeAway() {
	for i := range b.m.entries {
		e := &b.m.entries[i]
		if own, ok := b.own[e.Action]; ok {
			e.Keys = own
			continue
		}
		var taken []string
		e.Keys = slices.DeleteFunc(e.Keys, func(k string) bool {
			for _, a := range b.names {
				if slices.Contains(b.own[a], k) && b.clash(a, e.Action) {
					taken = append(taken, fmt.Sprintf("%s now means %s", Label(k), a))
					return true
				}
			}
			return false
		})
		if len(taken) > 0 && len(e.Keys) == 0 {
			b.fail(string(e.Action), "it has no key any more, since %s; give it another, or [] to do without", strings.Join(taken, " and "))
		}
	}
}

// nearest returns the name with the most pairs of letters in common, or "" if
// none has half of them.
func nearest(name string, names []string) string {
	pairs := func(s string) map[string]bool {
		found := map[string]bool{}
		s = strings.ToLower(s)
		for i := range len(s) - 1 {
			found[s[i:i+2]] = true
		}
		return found
	}
	mine := pairs(name)
	best, most := "", 0.5
	for _, n := range names {
		theirs, both := pairs(n), 0
		for p := range mine {
			if theirs[p] {
				both++
			}
		}
		if like := 2 * float64(both) / float64(len(mine)+len(theirs)+1); like >= most {
			best, most = n, like+1e-9
		}
	}
	return best
}
