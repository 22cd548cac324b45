package slash_test

import (
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/prompt"
	"github.com/hoopoe-agent/hoopoe/slash"
)

func TestSkillsCommand(t *testing.T) {
	s := newFake()
	s.skills = []prompt.Skill{
		{Name: "pdf", Description: "Work on\x1b[2J PDF files", Path: "/home/a/.claude/skills/pdf/SKILL.md", Source: "user", Family: "claude",
			Hint: "<file>", AllowedTools: []string{"read", "bash(pdftk)"}},
		{Name: "release", Description: "Publish", Path: "/w/.hoopoe/skills/release/SKILL.md", Source: "project", Family: "hoopoe", UserOnly: true},
		{Name: "style", Description: "How we write", Path: "/w/.agents/skills/style/SKILL.md", Source: "project", Family: "agents", ModelOnly: true},
	}
	for _, c := range []struct{ text, want string }{
		{"/skills", "pdf      Work on PDF files\nrelease  Publish\nstyle    How we write"},
		{"/skill", "pdf      Work on PDF files\nrelease  Publish\nstyle    How we write"},
		{"/skills PDF", "skill      pdf\nfor        Work on PDF files\nfile       /home/a/.claude/skills/pdf/SKILL.md\nfrom       user, claude\n" +
			"used by    the model, and you, as /skill:pdf\narguments  <file>\ntools      read, bash(pdftk)"},
		{"/skills release", "skill    release\nfor      Publish\nfile     /w/.hoopoe/skills/release/SKILL.md\nfrom     project, hoopoe\nused by  you, as /skill:release"},
		{"/skills style", "skill    style\nfor      How we write\nfile     /w/.agents/skills/style/SKILL.md\nfrom     project, agents\nused by  the model"},
	} {
		t.Run(c.text, func(t *testing.T) {
			if r, err := dispatch(t, s, pipe, c.text); err != nil || !r.Handled || r.Reply != c.want {
				t.Errorf("%v\n got %q\nwant %q", err, r.Reply, c.want)
			}
		})
	}
	if _, err := dispatch(t, s, pipe, "/skills nope"); err == nil || !strings.Contains(err.Error(), "there is no skill nope; /skills lists them") {
		t.Errorf("error %v", err)
	}
	if got := strings.Join(builtins().Complete(t.Context(), s, chat, "/skills "), "|"); got != "/skills pdf|/skills release|/skills style" {
		t.Errorf("completed %q", got)
	}
	if c := slash.Skills(s.skills); len(c) != 2 || c[1].Name != "skill:release" {
		t.Errorf("commands %+v", c)
	}
}
