package prompt

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// paths lists folders as "source path".
func paths(folders []Folder) []string {
	var list []string
	for _, f := range folders {
		list = append(list, f.Source+" "+filepath.ToSlash(f.Path))
	}
	return list
}

func TestPlaces(t *testing.T) {
	p := Places{Home: "/h", Config: "/h/.config/hoopoe", Cwd: "/w/repo/a", Root: "/w/repo", Trusted: true}
	got := paths(p.Skills())
	want := []string{
		"project /w/repo/a/.hoopoe/skills", "project /w/repo/.hoopoe/skills", "user /h/.config/hoopoe/skills",
		"project /w/repo/a/.agents/skills", "project /w/repo/.agents/skills", "user /h/.agents/skills", "user /h/.config/agents/skills",
		"project /w/repo/a/.claude/skills", "project /w/repo/.claude/skills", "user /h/.claude/skills",
		"project /w/repo/a/.pi/skills", "project /w/repo/.pi/skills", "user /h/.pi/agent/skills",
	}
	if !slices.Equal(got[:len(want)], want) {
		t.Errorf("skills:\n%s", strings.Join(got, "\n"))
	}
	for name, c := range map[string]struct {
		folders []Folder
		want    []string
	}{
		"commands": {p.Templates(), []string{
			"project /w/repo/.hoopoe/commands", "user /h/.config/hoopoe/commands", "user /h/.config/hoopoe/prompts", "project /w/repo/a/.claude/commands",
			"user /h/.claude/commands", "project /w/repo/.codex/commands", "project /w/repo/.pi/prompts", "user /h/.pi/agent/prompts", "project /w/repo/.opencode/command",
			"project /w/repo/.opencode/commands", "project /w/repo/.xcsh/prompts",
		}},
		"agents": {p.Agents(), []string{
			"project /w/repo/a/.hoopoe/agents", "user /h/.config/hoopoe/agents", "project /w/repo/.claude/agents", "user /h/.claude/agents", "project /w/repo/.pi/agents", "user /h/.pi/agent/agents",
		}},
		"rules": {p.Rules(), []string{
			"project /w/repo/.hoopoe/rules", "user /h/.config/hoopoe/rules", "project /w/repo/.xcsh/rules", "project /w/repo/.cursor/rules",
			"project /w/repo/.windsurf/rules", "project /w/repo/.clinerules", "project /w/repo/.claude/rules", "user /h/.xcsh/agent/rules",
		}},
	} {
		got := paths(c.folders)
		for _, w := range c.want {
			if !slices.Contains(got, w) {
				t.Errorf("%s lacks %s", name, w)
			}
		}
	}
}

// E-4: without trust nothing of a project is even named.
func TestPlacesWithoutTrust(t *testing.T) {
	p := Places{Home: "/h", Config: "/c", Cwd: "/h/repo", Root: "/h/repo"}
	for _, f := range slices.Concat(p.Skills(), p.Templates(), p.Agents(), p.Rules()) {
		if f.Source != "user" || strings.HasPrefix(f.Path, p.Cwd) {
			t.Errorf("%+v", f)
		}
	}
}

func TestPlacesOfAProject(t *testing.T) {
	for _, c := range []struct {
		name   string
		places Places
		want   []string // the first of the project's folders
		within string
	}{
		{"no repository", Places{Cwd: "/w/a", Trusted: true}, []string{"/w/a/.hoopoe/skills"}, "/w/a"},
		{"a root elsewhere", Places{Cwd: "/w/a", Root: "/x", Trusted: true}, []string{"/w/a/.hoopoe/skills"}, "/w/a"},
		{"home is no project", Places{Home: "/h", Cwd: "/h/a", Root: "/h", Trusted: true}, []string{"/h/a/.hoopoe/skills"}, "/h"},
		{"in home", Places{Home: "/h", Cwd: "/h", Trusted: true}, nil, ""},
		{"nowhere", Places{Trusted: true}, nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, f := range c.places.Skills() {
				if f.Source == "project" && f.Family == "hoopoe" {
					got = append(got, f.Path)
					if f.Within != c.within {
						t.Errorf("within %s", f.Within)
					}
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %v", got)
			}
		})
	}
}

func TestProjectFiles(t *testing.T) {
	root := tree(t, map[string]string{
		"h/.claude/commands/x.md": "", "h/repo/.git/": "", "h/repo/.clinerules": "x", "h/repo/a/.pi/prompts/x.md": "", "h/repo/a/.opencode/": "", "h/repo/.agents/skills/": "",
	})
	cwd := filepath.Join(root, "h", "repo", "a")
	repo := Repository(Disk(), cwd)
	if repo != filepath.Dir(cwd) {
		t.Fatalf("the repository is %s", repo)
	}
	got := Places{Home: filepath.Join(root, "h"), Cwd: cwd, Root: repo}.Project()
	if want := []string{"../.agents/skills", "../.clinerules", ".pi/prompts"}; !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
}
