package slash

import (
	"context"
	"slices"

	"github.com/hoopoe-agent/hoopoe/engine/prompt"
	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
)

// Files returns a command for each template and skill of a session.
func Files(_ context.Context, s Session) []Command {
	return slices.Concat(Templates(s.Templates()), Skills(s.Skills()))
}

// Templates returns a command for each prompt template.
func Templates(templates []prompt.Template) []Command {
	commands := make([]Command, len(templates))
	for i, t := range templates {
		commands[i] = Command{
			Name: t.Name, Summary: sanitize.Line(t.Description), Args: sanitize.Line(t.Hint),
			Source: "prompt", Path: t.Path, Location: t.Source, Expand: t.Expand,
		}
	}
	return commands
}

// Skills returns a command "skill:name" for each skill that users may call.
func Skills(skills []prompt.Skill) []Command {
	var commands []Command
	for _, s := range skills {
		if s.ModelOnly {
			continue
		}
		commands = append(commands, Command{
			Name: "skill:" + s.Name, Summary: sanitize.Line(s.Description), Args: sanitize.Line(s.Hint),
			Source: "skill", Path: s.Path, Location: s.Source, Expand: s.Expand,
		})
	}
	return commands
}
