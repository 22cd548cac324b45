package prompt

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
)

// Bounds of agent definitions.
const (
	maxAgents = 200
	maxAgent  = 64 << 10 // bytes of one file
)

// Agent is the definition of a sub-agent: a Markdown file whose front matter
// says what it is for and what it may use, and whose body is its instructions.
type Agent struct {
	Name         string
	Description  string // one line: when to use it
	Instructions string // "" are our own
	// Tools are the names of those it has, as the file has them, and NotTools of
	// those it hasn't. Without Tools it has what its caller has.
	Tools, NotTools []string
	// Model and Thinking are patterns; "" and "inherit" are the caller's.
	Model, Thinking string
	// Mode is the loosest permission mode that it works in, as the file has it.
	Mode     string
	MaxTurns int // model calls of one task; 0 is no limit
	Path     string
	Source   string // of the folder it is from
	Family   string // likewise
}

// Agents reads the agents of all folders. Of two with one name the first
// counts.
func Agents(folders []Folder) ([]Agent, []Notice) {
	l := newLoader()
	var agents []Agent
	full := false
	for _, f := range folders {
		l.walk(f, "", func(rel, path string) {
			name, ok := strings.CutSuffix(rel, ".md")
			if !ok || full {
				return
			}
			a, ok := l.agent(f, name[strings.LastIndexByte(name, '/')+1:], path)
			if full = ok && len(agents) == maxAgents; full {
				l.notice(path, "not used: there are more than %d agents", maxAgents)
				return
			}
			if ok {
				agents = append(agents, a)
			}
		})
	}
	return agents, l.notices
}

func (l *loader) agent(f Folder, file, path string) (Agent, bool) {
	text, ok := l.text(f, path, maxAgent)
	if !ok {
		return Agent{}, false
	}
	a, err := parseAgent(text, file)
	if err != nil {
		l.notice(path, "not used: %v", err)
		return a, false
	}
	a.Path, a.Source, a.Family = path, f.Source, f.Family
	return a, l.claim(a.Name, path, text)
}

// parseAgent reads a definition; file is what it is called without a name.
func parseAgent(text, file string) (Agent, error) {
	fields, body, err := FrontMatter(text)
	if err != nil {
		return Agent{}, err
	}
	turns, sound := fields.Count("maxTurns")
	a := Agent{
		Name: cmp.Or(fields.Text("name"), file), Description: fields.Text("description"), Instructions: strings.TrimSpace(body),
		Tools: toolNames(fields, "tools"), NotTools: toolNames(fields, "disallowedTools"), MaxTurns: turns,
		Model: fields.Text("model"), Thinking: fields.Text("thinking"), Mode: fields.Text("permissionMode"),
	}
	switch {
	case len(fields) == 0:
		return a, errors.New("it has no front matter with a name and a description")
	case a.Description == "":
		return a, errors.New("its front matter has no description")
	case !isSkillName(a.Name):
		return a, fmt.Errorf("an agent's name has up to %d letters, digits, '-', '_' and '.' only", maxSkillName)
	case a.Instructions == "":
		return a, errors.New("it has no instructions after its front matter")
	case fields["tools"] != nil && len(a.Tools) == 0:
		return a, errors.New("tools names none; without it the agent has those of the session")
	case !sound:
		return a, errors.New("maxTurns is a number of model calls, from 1 on")
	}
	return a, nil
}

// toolNames reads a list of tools. What some programs write behind a name in
// parentheses is a permission, which is not for an agent to give.
func toolNames(fields Fields, key string) []string {
	var names []string
	for _, name := range fields.Patterns(key) {
		name, _, _ = strings.Cut(name, "(")
		names = append(names, strings.TrimSpace(name))
	}
	return names
}
