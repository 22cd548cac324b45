package engine

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/config"
	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/llm/catalog"
	"github.com/hoopoe-agent/hoopoe/engine/permission"
	"github.com/hoopoe-agent/hoopoe/engine/spec"
	"github.com/hoopoe-agent/hoopoe/engine/tool"
)

// An agent's file has its say where no flag has: it wins over the settings and
// over what a session had last. What guards the user it can only tighten:
// permissions and limits.

// Agent is what the session's agent calls itself and says of itself; "" without
// an agent's file.
func (s *Session) Agent() (name, description string) {
	if a := s.opts.Agent; a != nil {
		return a.Name, a.Description
	}
	return "", ""
}

// heed puts what an agent's file says of settings into them.
func heed(s config.Settings, a *spec.Agent) (config.Settings, []string) {
	if a == nil {
		return s, nil
	}
	l := &s.Limits
	l.Turns, l.Seconds = tighter(l.Turns, a.Limits.Turns), tighter(l.Seconds, a.Limits.Seconds)
	l.OutputTokens, l.TotalTokens = tighter(l.OutputTokens, a.Limits.OutputTokens), tighter(l.TotalTokens, a.Limits.TotalTokens)
	l.CostUSD = tighter(l.CostUSD, a.Limits.CostUSD)
	s.Skills = slices.Concat(a.Skills, s.Skills)
	if len(a.Extensions) > 0 {
		return s, []string{fmt.Sprintf("%s:%d: extensions: not loaded: this version has no host for them", a.Path, a.Line("extensions"))}
	}
	return s, nil
}

// bounded keeps a policy within what an agent's file leaves of it. rules are
// those of the user, options those of the policy; a mode that was asked for at
// the command line stays.
func bounded(p *permission.Policy, o permission.Options, rules []permission.Rule, a *spec.Agent, byFlag bool) *permission.Policy {
	if a == nil {
		return p
	}
	if a.Mode != "" && !byFlag {
		o.Mode = permission.Tighter(o.Mode, a.Mode)
	}
	return p.Bounded(permission.New(o, slices.Concat(rules, a.Rules)...))
}

// approvals are the tools each call of which an agent's file wants approved.
func approvals(a *spec.Agent, tools []tool.Tool) []string {
	if a == nil {
		return nil
	}
	var names []string
	for _, t := range a.Tools {
		if !t.NeedsApproval {
			continue
		}
		name := t.Name
		if found, err := tool.Find(tools, name); err == nil {
			name = found.Spec().Name
		}
		names = append(names, name)
	}
	return names
}

// mcpTool begins the names of MCP servers' tools, which come later than the
// session's own.
const mcpTool = "mcp__"

// chosenBy are those of offered that an agent's file names. known are all that
// there could be: a tool that this face has no use for is no fault, nor is one
// that is expected later.
func chosenBy(a *spec.Agent, offered, known []tool.Tool, expected func(name string) bool) ([]tool.Tool, error) {
	wanted := map[string]bool{}
	var faults []error
	for i, t := range a.Tools {
		if strings.HasPrefix(t.Name, mcpTool) || t.Name == taskTool {
			wanted[t.Name] = true
			continue
		}
		found, err := tool.Find(known, t.Name)
		if err != nil && expected(t.Name) {
			continue
		}
		if err != nil {
			faults = append(faults, a.Fault(spec.Invalid, fmt.Sprintf("tools[%d]", i), err))
			continue
		}
		wanted[found.Spec().Name] = true
	}
	return slices.DeleteFunc(offered, func(t tool.Tool) bool { return !wanted[t.Spec().Name] }), errors.Join(faults...)
}

// agentModel is the model that an agent's file names.
func (e *Engine) agentModel(o OpenOptions) (choice catalog.Choice, err error) {
	a := o.Agent
	choice.Model, choice.Level, err = e.findModel(a.Model)
	choice.Level = cmp.Or(a.Thinking, choice.Level)
	_, keyless := errors.AsType[*catalog.MissingKeyError](err)
	_, unspoken := errors.AsType[*catalog.UnspokenError](err)
	_, offline := errors.AsType[*OfflineError](err)
	switch {
	case err == nil || keyless && o.Hosted:
		return choice, nil
	case keyless:
		return choice, a.Fault(spec.NoKey, "model", err)
	case unspoken || offline:
		return choice, a.Fault(spec.Unavailable, "model", err)
	}
	return choice, a.Fault(spec.UnknownModel, "model", err)
}

// agentThinking is the level of an agent's file, for a model that it doesn't
// name.
func agentThinking(a *spec.Agent) llm.Level {
	if a == nil {
		return ""
	}
	return a.Thinking
}
