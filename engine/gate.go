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
}

func (g *gate) judge(r permission.Request) permission.Decision {
	g.mu.Lock()
	p := g.policy
	g.mu.Unlock()
	return p.Judge(r)
}

// withholder returns what tells files that are judged more strictly than the
// request whose folder they are in. That a folder may be read although it is
// outside is settled when they are read: what counts are the rules.
func (g *gate) withholder(r permission.Request) func(file string) bool {
	g.mu.Lock()
	p := g.policy
	g.mu.Unlock()
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
	g.mu.Lock()
	defer g.mu.Unlock()
	return string(g.policy.Mode())
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

func (g *gate) add(source permission.Source, rules []permission.Rule) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for i := range rules {
		rules[i].Source, rules[i].Action = source, permission.Allow
	}
	g.policy = g.policy.With(rules...)
}

// Rules lists the session's permission rules, each with where it comes from.
func (s *Session) Rules() []permission.Rule {
	s.policy.mu.Lock()
	defer s.policy.mu.Unlock()
	return s.policy.policy.Rules()
}
