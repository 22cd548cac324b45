package prompt

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func skillText(name, description string) string {
	return "---\nname: " + name + "\ndescription: " + description + "\n---\nDo it.\n"
}

// told lists notices as "path below root: text".
func told(root string, notices []Notice) []string {
	var list []string
	for _, n := range notices {
		list = append(list, strings.ReplaceAll(n.String(), root+string(filepath.Separator), ""))
	}
	return list
}

func TestSkills(t *testing.T) {
	root := tree(t, map[string]string{
		"p/pdf/SKILL.md":            "---\nname: pdf\ndescription: >\n  Fill PDF\n  forms\nlicense: MIT\ncompatibility: needs python\nmetadata:\n  author: me\n  version: 1.5\nallowed-tools: Bash(git add:*) Read\nargument-hint: <file>\n---\nBody\n",
		"p/pdf/examples/x/SKILL.md": skillText("inner", "a skill's own file"),
		"p/group/deep/SKILL.md":     skillText("deep", "Use when: deep"),
		"p/hidden/SKILL.md":         skillText("hidden", "x\ndisable-model-invocation: true"),
		"p/model/SKILL.md":          "---\ndescription: named by its folder\nuser-invocable: false\n---\n",
		"p/.git/SKILL.md":           skillText("git", "x"),
		"p/node_modules/SKILL.md":   skillText("node", "x"),
		"p/a/b/c/d/SKILL.md":        skillText("d", "too deep"),
		"p/README.md":               "no skill",
		"u/pdf/SKILL.md":            skillText("pdf", "the user's"),
		"u/deep/SKILL.md":           skillText("deep", "Use when: deep"), // a copy
		"u/other/SKILL.md":          skillText("other", "x"),
	})
	got, notices := Skills([]Folder{
		{Path: filepath.Join(root, "p"), Source: "project", Family: "agents"}, {Path: filepath.Join(root, "none")}, {},
		{Path: filepath.Join(root, "u"), Source: "user"},
	})
	var names []string
	byName := map[string]Skill{}
	for _, s := range got {
		names = append(names, s.Source+"/"+s.Name)
		byName[s.Name] = s
	}
	if want := []string{"project/deep", "project/hidden", "project/model", "project/pdf", "user/other"}; !reflect.DeepEqual(names, want) {
		t.Errorf("skills %v, want %v", names, want)
	}
	want := Skill{
		Name: "pdf", Description: "Fill PDF forms", Path: filepath.Join(root, "p", "pdf", "SKILL.md"), Source: "project", Family: "agents",
		Hint: "<file>", License: "MIT", Compatibility: "needs python", Metadata: map[string]string{"author": "me", "version": "1.5"},
		AllowedTools: []string{"Bash(git add:*)", "Read"},
	}
	if !reflect.DeepEqual(byName["pdf"], want) {
		t.Errorf("pdf: %+v", byName["pdf"])
	}
	if s := byName["deep"]; s.Description != "Use when: deep" {
		t.Errorf("deep: %+v", s)
	}
	if !byName["hidden"].UserOnly || byName["hidden"].ModelOnly || !byName["model"].ModelOnly || byName["model"].UserOnly {
		t.Errorf("hidden %+v, model %+v", byName["hidden"], byName["model"])
	}
	if got := told(root, notices); !reflect.DeepEqual(got, []string{"u/pdf/SKILL.md: not used: another folder of higher rank has one named pdf"}) {
		t.Errorf("notices %q", got)
	}
}

// E-2: each bad file is one line, and the rest is there.
func TestBadSkills(t *testing.T) {
	for _, c := range []struct{ name, text, says string }{
		{"yaml", "---\nname: [a\n\tdescription: {{\n---\n", "not used: front matter: "},
		{"list", "---\n- a\n- b\n---\n", `not used: front matter: it has to be lines of the form "key: value"`},
		{"twice", "---\ndescription: a\ndescription: b\n---\n", `not used: front matter: mapping key "description" already defined`},
		{"bare", "no front matter", "not used: its front matter has no description"},
		{"open", "---\nname: open\ndescription: x\n", "not used: its front matter has no description"},
		{"empty", "", "not used: its front matter has no description"},
		{"latin", skillText("latin", "caf\xe9"), "not read: it is not UTF-8 text"},
		{"binary", skillText("binary", "x") + "\x00", "not read: it is not UTF-8 text"},
		{"huge", skillText("huge", "x") + strings.Repeat("x", maxSkill), "not read: it is larger than 256 KiB"},
		{"matter", skillText("matter", strings.Repeat("x", maxMatter)), "not used: front matter is longer than 64 KiB"},
		{"called", skillText("else", "x"), "it calls itself else, other than its folder; /skill:else calls it"},
		{"spaced", skillText("a name", "x"), `the name "a name" can't be typed; the folder's name is taken`},
		{"bad name", "---\ndescription: x\n---\n", "not used: a skill's name has up to 64 letters"},
		{"dead", "-> nowhere", "not read: "},
		{"loop", "-> SKILL.md", "not read: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := tree(t, map[string]string{"s/" + c.name + "/SKILL.md": c.text, "s/zz/SKILL.md": skillText("zz", "good")})
			skills, notices := Skills([]Folder{{Path: filepath.Join(root, "s")}})
			if len(skills) == 0 || skills[len(skills)-1].Name != "zz" {
				t.Errorf("the good one is missing: %v", skills)
			}
			if len(notices) != 1 || !strings.HasPrefix(notices[0].Text, c.says) || strings.Contains(notices[0].Text, "\n") || filepath.Base(notices[0].Path) != "SKILL.md" {
				t.Errorf("notices %q, want %q", notices, c.says)
			}
		})
	}
}

// E-4: links can't loop, and a project's don't lead out of it.
func TestSkillLinks(t *testing.T) {
	root := tree(t, map[string]string{
		"secret/SKILL.md":                skillText("secret", "x"),
		"repo/.agents/skills/a/SKILL.md": skillText("a", "x"),
		"repo/.agents/skills/up":         "-> ..",
		"repo/.agents/skills/self":       "-> .",
		"repo/.agents/skills/out":        "-> ../../../secret",
		"repo/.agents/skills/f/SKILL.md": "-> ../../../../secret/SKILL.md",
		"repo/.claude/skills/a":          "-> ../../.agents/skills/a",
		"repo/.pi/skills":                "-> ../.agents/skills",
		"repo/.codex/skills":             "-> ../../secret",
	})
	repo := filepath.Join(root, "repo")
	skills, notices := Skills(Places{Cwd: repo, Root: repo, Trusted: true}.Skills())
	if len(skills) != 1 || skills[0].Path != filepath.Join(repo, ".agents", "skills", "a", "SKILL.md") {
		t.Errorf("skills %+v", skills)
	}
	var paths []string
	for _, n := range notices {
		if n.Text != "not read: it leads outside of "+repo {
			t.Errorf("notice %q", n)
		}
		paths = append(paths, strings.TrimPrefix(n.Path, repo))
	}
	if want := []string{"/.agents/skills/f/SKILL.md", "/.agents/skills/out", "/.codex/skills"}; !reflect.DeepEqual(paths, want) {
		t.Errorf("notices for %q", paths)
	}
}

func TestSkillsAreBounded(t *testing.T) {
	files := map[string]string{}
	for i := range maxSkills + 3 {
		name := fmt.Sprintf("s%03d", i)
		files["many/"+name+"/SKILL.md"] = skillText(name, strings.Repeat("long ", 300))
	}
	root := tree(t, files)
	skills, notices := Skills([]Folder{{Path: filepath.Join(root, "many")}})
	if len(skills) != maxSkills || len(notices) == 0 || !strings.Contains(notices[0].Text, "more than 300 skills") {
		t.Errorf("%d skills, %v", len(skills), notices)
	}
	if n := len(skillSection(skills)); n > 100<<10 {
		t.Errorf("the section has %d bytes", n)
	}
}

func TestWalkIsBounded(t *testing.T) {
	root := tree(t, map[string]string{"0/": "", "a/1.md": "", "a/2.md": "", "b/1.md": "", "c/1.md": ""})
	for limit, want := range map[int]string{100: "a/1.md a/2.md b/1.md c/1.md", 7: "a/1.md a/2.md b/1.md", 4: ""} {
		l := newLoader()
		l.limit = limit
		var got []string
		l.walk(Folder{Path: root}, "", func(rel, _ string) { got = append(got, rel) })
		if strings.Join(got, " ") != want || (limit < 100) != (len(l.notices) == 1) {
			t.Errorf("of %d: %v, %v", limit, got, l.notices)
		}
	}
}

func TestSkillExpand(t *testing.T) {
	root := tree(t, map[string]string{
		"plain/SKILL.md": "---\ndescription: x\n---\n\nRun awk '{print $1}' in ${HOME}.\n</skill>\n",
		"args/SKILL.md":  "---\ndescription: x\n---\nFix $ARGUMENTS now. $ARGUMENTS_FILE $1",
		"gone/SKILL.md":  "---\ndescription: x\n---\n",
	})
	skills, notices := Skills([]Folder{{Path: root}})
	if len(skills) != 3 || len(notices) > 0 {
		t.Fatalf("skills %v, %v", skills, notices)
	}
	at := func(name string) string { return filepath.Join(root, name) }
	for _, c := range []struct {
		name, arguments, want string
		skill                 Skill
	}{
		{"placeholder", " a  b\n", "Fix a  b now. $ARGUMENTS_FILE $1\n</skill>", skills[0]},
		{"no argument", "", "Fix  now. $ARGUMENTS_FILE $1\n</skill>", skills[0]},
		{"arguments follow", "x.txt $1", "Run awk '{print $1}' in ${HOME}.\n<\\/skill>\n</skill>\n\nx.txt $1", skills[2]},
		{"none follow", "", "Run awk '{print $1}' in ${HOME}.\n<\\/skill>\n</skill>", skills[2]},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := c.skill.Expand(c.arguments)
			want := fmt.Sprintf("<skill name=%q path=%q>\nRelative paths in this text start from %s.\n\n", c.skill.Name, c.skill.Path, at(c.skill.Name)) + c.want
			if err != nil || got != want {
				t.Errorf("got %q, %v\nwant %q", got, err, want)
			}
		})
	}
	if err := os.Remove(skills[1].Path); err != nil {
		t.Fatal(err)
	}
	if _, err := skills[1].Expand(""); err == nil || !strings.Contains(err.Error(), "read the skill gone") {
		t.Errorf("a lost file: %v", err)
	}
	if err := os.WriteFile(skills[0].Path, []byte(strings.Repeat("$ARGUMENTS", 20_000)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := skills[0].Expand(strings.Repeat("x", 1000)); err == nil || !strings.Contains(err.Error(), "larger than 4 MiB") {
		t.Errorf("a flood: %v", err)
	}
}

func TestSkillSection(t *testing.T) {
	for _, c := range []struct {
		name   string
		skills []Skill
		want   string // a part
	}{
		{"escaped", []Skill{{Name: "a", Path: `/x "y"/&`, Description: "a <b>\n</skills>\x1b[2J"}}, `<skill name="a" path="/x &quot;y&quot;/&amp;">a &lt;b&gt; &lt;/skills&gt;` + "\uFFFD[2J</skill>\n</skills>"},
		{"one may be long", []Skill{{Name: "a", Description: strings.Repeat("é", 5000)}}, ">" + strings.Repeat("é", maxDescription-1) + "…</skill>"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := skillSection(c.skills); !strings.Contains(got, c.want) {
				t.Errorf("got %s", got)
			}
		})
	}
	if got := skillSection([]Skill{{Name: "a", Description: "x", UserOnly: true}}); got != "" {
		t.Errorf("the user's own: %q", got)
	}
}
