package engine

import (
	"context"
	"slices"

	"github.com/hoopoe-agent/hoopoe/engine/config"
	"github.com/hoopoe-agent/hoopoe/engine/permission"
)

// RemoveRule takes back a rule that an answer of the user's has made: for this
// session, or saved for the folder. It reports false when there is none such.
func (s *Session) RemoveRule(ctx context.Context, rule permission.Rule) (removed bool, err error) {
	if s.caller != nil {
		return s.caller.session.RemoveRule(ctx, rule)
	}
	if rule.Source != permission.FromSaved && rule.Source != permission.FromSession || !slices.Contains(s.Rules(), rule) {
		return false, nil
	}
	if rule.Source == permission.FromSaved {
		if err := s.engine.paths.RemoveRule(ctx, s.env.workspace.Cwd(), config.Effect(rule.Action), rule.String()); err != nil {
			return false, err
		}
	}
	s.policy.drop(rule)
	return true, nil
}

func (g *gate) drop(rule permission.Rule) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.policy = g.policy.Without(rule)
}

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
