package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/permission"
	"github.com/hoopoe-agent/hoopoe/engine/prompt"
	"github.com/hoopoe-agent/hoopoe/engine/tool"
	"github.com/hoopoe-agent/hoopoe/engine/tool/builtin"
)

const exploreText = `You explore a code base for another agent and report what is there. You read and search; you change nothing.
- Search broadly first, with several calls in one turn, then read the places that matter.
- Follow the question to its end: definitions, callers, tests, configuration.
- Report facts, each with its place (path:line). Quote only the lines that matter. Say what you looked for and didn't find.`

// subagentText follows the instructions of every sub-agent.
const subagentText = `# Your part
Another agent gave you one task and waits for it. It sees your last message and nothing else: put the whole result there, with paths and lines. There is nobody to ask: where the task leaves something open, decide, and say what you assumed.`

// builtinAgents are there without any file; a file of that name has their
// place.
func builtinAgents() []prompt.Agent {
	return []prompt.Agent{
		{
			Name: "explore", Description: "finds things out in many files: where and how something is done, who uses it; read-only",
			Instructions: exploreText, Tools: []string{"read", "grep", "find", "ls"}, Source: "builtin",
		},
		{Name: "general", Description: "any other task of several steps; has your tools", Source: "builtin"},
	}
}

// agents reads the definitions of the user and the project and adds our own.
func (e *environment) agents(places prompt.Places) ([]prompt.Agent, []prompt.Notice) {
	found, notices := prompt.Agents(places.Agents())
	agents := slices.DeleteFunc(found, func(a prompt.Agent) bool {
		err := checkAgent(a)
		if err != nil {
			notices = append(notices, prompt.Notice{Path: a.Path, Text: "not used: " + err.Error()})
		}
		return err != nil
	})
	for _, own := range builtinAgents() {
		if !slices.ContainsFunc(agents, func(a prompt.Agent) bool { return a.Name == own.Name }) {
			agents = append(agents, own)
		}
	}
	agents = slices.DeleteFunc(agents, func(a prompt.Agent) bool { return slices.Contains(e.settings.Task.DisabledAgents, a.Name) })
	return agents, notices
}

func checkAgent(a prompt.Agent) error {
	if _, err := loosest(a); err != nil {
		return err
	}
	if a.Thinking == "" || a.Thinking == inherited {
		return nil
	}
	_, err := llm.ParseLevel(a.Thinking)
	return err
}

// inherited is what a definition says for "the same as the caller's".
const inherited = "inherit"

// loosest is the permission mode that an agent may work in at most. Other
// programs have names of their own for the modes.
func loosest(a prompt.Agent) (permission.Mode, error) {
	switch a.Mode {
	case "", inherited, "bypassPermissions":
		return permission.ModeFull, nil
	case "default", "dontAsk", "auto":
		return permission.ModeAsk, nil
	case "acceptEdits":
		return permission.ModeEdit, nil
	}
	mode, err := permission.ParseMode(a.Mode)
	if err != nil {
		return "", fmt.Errorf("permissionMode: %w", err)
	}
	return mode, nil
}

// Agents lists the sub-agents that the model can give tasks to.
func (s *Session) Agents() []prompt.Agent { return s.env.guidance().agents }

// listAgents are those of the last reading: the list is needed in places that
// can't wait for files.
func (s *Session) listAgents() []builtin.Agent {
	var list []builtin.Agent
	s.env.mu.Lock()
	defer s.env.mu.Unlock()
	for _, a := range s.env.listed {
		list = append(list, builtin.Agent{Name: a.Name, Description: a.Description})
	}
	return list
}

// agentNamed finds the definition that the model means.
func (s *Session) agentNamed(name string) (prompt.Agent, error) {
	var names []string
	for _, a := range s.Agents() {
		if strings.EqualFold(a.Name, strings.TrimSpace(name)) {
			return a, nil
		}
		names = append(names, a.Name)
	}
	if len(names) == 0 {
		return prompt.Agent{}, fmt.Errorf("there is no agent %q, nor any other: do the task yourself", name)
	}
	return prompt.Agent{}, fmt.Errorf("there is no agent %q; there are: %s", name, strings.Join(names, ", "))
}

// ourTool is our name for a tool of other programs.
func ourTool(name string) string {
	switch strings.ToLower(name) {
	case "glob":
		return "find"
	case "multiedit", "notebookedit":
		return "edit"
	case "todowrite", "todoread":
		return "todo"
	case "webfetch":
		return "web_fetch"
	case "agent":
		return "task"
	}
	return name
}

// toolsFor are the tools of a sub-agent: of the session's own and those of MCP
// servers the ones that its definition names, all of them where it names none.
// It asks nobody, and gives tasks only where task says so.
func (s *Session) toolsFor(a prompt.Agent, task []tool.Tool) (*toolset, error) {
	every := len(a.Tools) == 0 || slices.Contains(a.Tools, everyTool)
	wants := func(t tool.Tool) bool { return (every || names(a.Tools, t)) && !names(a.NotTools, t) }
	own := slices.DeleteFunc(s.tools.own(), func(t tool.Tool) bool {
		name := t.Spec().Name
		return name == "ask" || name == taskTool || !wants(t)
	})
	for _, t := range task {
		if wants(t) {
			own = append(own, t)
		}
	}
	registry, err := tool.NewRegistry(own...)
	if err != nil {
		return nil, err
	}
	set := &toolset{Registry: registry, caller: s.tools, wants: wants}
	if !every && len(set.Tools()) == 0 {
		return nil, fmt.Errorf("the agent %s works with %s, and this session has none of them", a.Name, strings.Join(a.Tools, ", "))
	}
	return set, nil
}

// everyTool stands for all tools in a list of a definition.
const everyTool = "*"

// names reports whether a list of a definition names a tool, alone, with all
// those of its MCP server (mcp__SERVER or mcp__SERVER__*), or with all there are.
func names(list []string, t tool.Tool) bool {
	return slices.ContainsFunc(list, func(name string) bool {
		if name == everyTool {
			return true
		}
		name = strings.TrimSuffix(name, "__"+everyTool)
		if _, err := tool.Find([]tool.Tool{t}, ourTool(name)); err == nil {
			return true
		}
		return isServed(name) && strings.HasPrefix(t.Spec().Name, name+"__")
	})
}

// modelFor is the model of a sub-agent: its definition's, if that can be used,
// else the caller's. The notice says why it isn't.
func (e *Engine) modelFor(a prompt.Agent, caller llm.Model, thinking llm.Level) (m llm.Model, level llm.Level, notice string) {
	level = thinking
	if a.Thinking != "" && a.Thinking != inherited {
		level = llm.Level(a.Thinking)
	}
	if a.Model == "" || a.Model == inherited {
		return caller, level, ""
	}
	m, of, err := e.findModel(a.Model)
	if err != nil {
		var ok bool
		if m, ok = e.related(a.Model, caller); !ok {
			return caller, level, fmt.Sprintf("the agent %s works with the session's model: %v", a.Name, err)
		}
	}
	if a.Thinking == "" {
		level = cmp.Or(of, level)
	}
	return m, level, ""
}

// related finds a model of the caller's provider by part of a name, such as
// "haiku": of several the one with the greatest name, which is the newest. What
// has a word after another's name is a variant of that one and comes behind it.
func (e *Engine) related(name string, caller llm.Model) (best llm.Model, ok bool) {
	variant := func(id, of string) bool {
		rest, longer := strings.CutPrefix(id, of)
		return longer && of != "" && !strings.ContainsAny(rest, "0123456789")
	}
	for _, m := range e.models().Models(caller.Provider) {
		if !strings.Contains(strings.ToLower(m.ID), strings.ToLower(name)) || e.usable(m) != nil {
			continue
		}
		if variant(best.ID, m.ID) || m.ID > best.ID && !variant(m.ID, best.ID) {
			best, ok = m, true
		}
	}
	return best, ok
}
