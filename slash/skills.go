package slash

import (
	"context"
	"fmt"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/prompt"
	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
)

// runSkills lists the skills, or tells what there is to know about one.
func runSkills(_ context.Context, c Call) (Result, error) {
	skills := c.Session.Skills()
	if c.Args != "" {
		for _, s := range skills {
			if strings.EqualFold(s.Name, c.Args) {
				return reply("%s", skillText(s))
			}
		}
		return Result{}, fmt.Errorf("there is no skill %s; /skills lists them", sanitize.Line(c.Args))
	}
	if len(skills) == 0 {
		return reply("There are no skills. A skill is a folder with a file SKILL.md, for instance in .agents/skills of the project or of your home folder.")
	}
	rows := make([][2]string, len(skills))
	for i, s := range skills {
		rows[i] = [2]string{s.Name, brief(sanitize.Line(s.Description))}
	}
	return reply("%s", columns(rows))
}

func skillText(s prompt.Skill) string {
	rows := [][2]string{{"skill", s.Name}, {"for", s.Description}, {"file", s.Path}, {"from", s.Source + ", " + s.Family}, {"used by", usedBy(s)}}
	for _, more := range [][2]string{
		{"arguments", s.Hint}, {"needs", s.Compatibility}, {"license", s.License}, {"tools", strings.Join(s.AllowedTools, ", ")},
	} {
		if more[1] != "" {
			rows = append(rows, more)
		}
	}
	for i := range rows {
		rows[i][1] = sanitize.Line(rows[i][1])
	}
	return columns(rows)
}

// usedBy says who calls a skill.
func usedBy(s prompt.Skill) string {
	switch command := "you, as /skill:" + s.Name; {
	case s.UserOnly && s.ModelOnly:
		return "nobody"
	case s.UserOnly:
		return command
	case s.ModelOnly:
		return "the model"
	default:
		return "the model, and " + command
	}
}

func completeSkills(_ context.Context, s Session, prefix string) []string {
	var names []string
	for _, skill := range s.Skills() {
		names = append(names, skill.Name)
	}
	return beginning(names, prefix)
}

func runReload(ctx context.Context, c Call) (Result, error) {
	c.Session.Reload()
	n, err := c.Session.ReloadExtensions(ctx)
	if err != nil {
		return Result{}, err
	}
	return reply("Skills, templates, rules, notes and extensions are read again: %s, %s, %s.",
		counted(len(c.Session.Skills()), "skill"), counted(len(c.Session.Templates()), "template"), counted(n, "extension"))
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
