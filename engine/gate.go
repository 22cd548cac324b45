package engine

import (
	"slices"
	"sync"

	"github.com/hoopoe-agent/hoopoe/engine/permission"
)

// gate is the session's permission policy. Calls are judged off the owner, so
// it has a lock of its own; the policies themselves are immutable.
type gate struct {
	mu     sync.Mutex
	policy *permission.Policy
	// A sub-agent's gate has no policy but its caller's, as it is at the moment,
	// in a mode that is never looser than loosest.
	caller  *gate
	loosest permission.Mode
	all     bool // every call is put to the user, for the prompt in progress
}

// askAll says whether a prompt wants to be asked about every call.
func (g *gate) askAll(on bool) {
	if g.caller == nil {
		g.mu.Lock()
		g.all = on
		g.mu.Unlock()
	}
}

// asksAll is asked by sub-agents too.
func (g *gate) asksAll() bool {
	if g.caller != nil {
		return g.caller.asksAll()
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.all
}

// current is the policy of the moment.
func (g *gate) current() *permission.Policy {
	if g.caller != nil {
		p := g.caller.current()
		return p.WithMode(permission.Tighter(p.Mode(), g.loosest))
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.policy
}

func (g *gate) judge(r permission.Request) permission.Decision {
	d := g.current().Judge(r)
	if g.asksAll() {
		d = asked(d, r)
	}
	return d
}

// withholder returns what tells files that are judged more strictly than the
// request whose folder they are in. That a folder may be read although it is
// outside is settled when they are read: what counts are the rules.
func (g *gate) withholder(r permission.Request) func(file string) bool {
	p := g.current()
	judge := func(paths []permission.Path) int {
		r := r
		r.Paths = slices.Clone(paths)
		for i := range r.Paths {
			r.Paths[i].Inside = true
		}
		return rank(p.Judge(r).Action)
	}
	whole := judge(r.Paths)
	return func(file string) bool { return judge([]permission.Path{{Path: file}}) > whole }
}

func rank(a permission.Action) int {
	return slices.Index([]permission.Action{permission.Allow, permission.Ask, permission.Deny}, a)
}

func (g *gate) mode() string {
	return string(g.current().Mode())
}

// setMode reports whether the mode has changed.
func (g *gate) setMode(m permission.Mode) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.policy.Mode() == m {
		return false
	}
	g.policy = g.policy.WithMode(m)
	return true
}

// add has rules count from now on, for whoever works under this session too.
func (g *gate) add(source permission.Source, rules []permission.Rule) {
	if g.caller != nil {
		g.caller.add(source, rules)
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for i := range rules {
		rules[i].Source, rules[i].Action = source, permission.Allow
	}
	g.policy = g.policy.With(rules...)
}

// Rules lists the session's permission rules, each with where it comes from.
func (s *Session) Rules() []permission.Rule {
	return s.policy.current().Rules()
}
