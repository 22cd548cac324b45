package engine

import (
	"slices"

	"github.com/hoopoe-agent/hoopoe/engine/permission"
)

// forbid has rules deny from now on, for whoever works under this session too.
func (g *gate) forbid(rules []permission.Rule) {
	if g.caller != nil {
		g.caller.forbid(rules)
		return
	}
	rules = slices.Clone(rules)
	for i := range rules {
		rules[i].Source, rules[i].Action = permission.FromSaved, permission.Deny
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.policy = g.policy.With(rules...)
}
