package prompt

import (
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestAgents(t *testing.T) {
	root := tree(t, map[string]string{
		"p/reviewer.md":     "---\nname: reviewer\ndescription: Reviews\ntools: Read, Grep, Bash(git diff:*)\nmodel: sonnet\npermissionMode: plan\nmaxTurns: 7\n---\nLook closely.\n",
		"p/team/tester.md":  "---\ndescription: named by its file\ntools:\n  - read\n  - bash\ndisallowedTools: [Write]\nthinking: high\n---\nTest it.\n",
		"p/notes.txt":       "no agent",
		"u/reviewer.md":     "---\ndescription: the user's\n---\nOther.\n",
		"u/tester.md":       "---\ndescription: named by its file\ntools:\n  - read\n  - bash\ndisallowedTools: [Write]\nthinking: high\n---\nTest it.\n", // a copy
		"u/everything.md":   "---\nname: everything\ndescription: >\n  has all\n  tools\n---\nWork.\n",
		"bad/README.md":     "# What is here\n",
		"bad/yaml.md":       "---\nname: [a\n\tb: c\n---\nx\n",
		"bad/none.md":       "---\nname: none\n---\nx\n",
		"bad/empty.md":      "---\ndescription: x\n---\n\n",
		"bad/name.md":       "---\nname: \"a b\"\ndescription: x\n---\nx\n",
		"bad/tools.md":      "---\ndescription: x\ntools: []\n---\nx\n",
		"bad/turns.md":      "---\ndescription: x\nmaxTurns: many\n---\nx\n",
		"bad/binary.md":     "---\ndescription: \xff\n---\nx\n",
		"bad/huge.md":       "---\ndescription: x\n---\n" + strings.Repeat("x", maxAgent),
		"bad/good.md":       "---\ndescription: still read\n---\nx\n",
		"bad/loop/again.md": "---\nname: good\ndescription: another\n---\nx\n",
	})
	got, notices := Agents([]Folder{
		{Path: filepath.Join(root, "p"), Source: "project", Family: "claude"}, {Path: filepath.Join(root, "none")}, {},
		{Path: filepath.Join(root, "u"), Source: "user", Family: "hoopoe"}, {Path: filepath.Join(root, "bad"), Source: "user"},
	})
	want := []Agent{
		{
			Name: "reviewer", Description: "Reviews", Instructions: "Look closely.", Tools: []string{"Read", "Grep", "Bash"}, Model: "sonnet", Mode: "plan", MaxTurns: 7,
			Path: filepath.Join(root, "p", "reviewer.md"), Source: "project", Family: "claude",
		},
		{
			Name: "tester", Description: "named by its file", Instructions: "Test it.", Tools: []string{"read", "bash"}, NotTools: []string{"Write"}, Thinking: "high",
			Path: filepath.Join(root, "p", "team", "tester.md"), Source: "project", Family: "claude",
		},
		{Name: "everything", Description: "has all tools", Instructions: "Work.", Path: filepath.Join(root, "u", "everything.md"), Source: "user", Family: "hoopoe"},
		{Name: "good", Description: "still read", Instructions: "x", Path: filepath.Join(root, "bad", "good.md"), Source: "user"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("agents\n%+v\nwant\n%+v", got, want)
	}
	wantNotices := []string{
		"u/reviewer.md: not used: another folder of higher rank has one named reviewer",
		"bad/README.md: not used: it has no front matter with a name and a description",
		"bad/binary.md: not read: it is not UTF-8 text",
		"bad/empty.md: not used: it has no instructions after its front matter",
		"bad/huge.md: not read: it is larger than 64 KiB",
		"bad/loop/again.md: not used: another folder of higher rank has one named good",
		"bad/name.md: not used: an agent's name has up to 64 letters, digits, '-', '_' and '.' only",
		"bad/none.md: not used: its front matter has no description",
		"bad/tools.md: not used: tools names none; without it the agent has those of the session",
		"bad/turns.md: not used: maxTurns is a number of model calls, from 1 on",
	}
	texts := told(root, notices)
	yaml := slices.IndexFunc(texts, func(s string) bool { return strings.HasPrefix(s, "bad/yaml.md: not used: front matter: ") })
	if yaml < 0 {
		t.Fatalf("no notice about yaml.md: %q", texts)
	}
	if texts = slices.Delete(texts, yaml, yaml+1); !slices.Equal(texts, wantNotices) {
		t.Errorf("notices\n%s\nwant\n%s", strings.Join(texts, "\n"), strings.Join(wantNotices, "\n"))
	}
}

func TestAgentsHaveALimit(t *testing.T) {
	files := map[string]string{}
	for i := range maxAgents + 2 {
		name := strings.Repeat("x", i+1)[:min(i+1, 20)] + "-" + string(rune('a'+i%26)) + string(rune('a'+i/26%26))
		files["a/"+name+".md"] = "---\ndescription: d\n---\nx " + name
	}
	root := tree(t, files)
	got, notices := Agents([]Folder{{Path: filepath.Join(root, "a")}})
	if len(got) != maxAgents || len(notices) != 1 || !strings.Contains(notices[0].String(), "more than 200 agents") {
		t.Errorf("%d agents, notices %v", len(got), notices)
	}
}

// Any bytes are an agent that can be called and listed, or one line of why not.
func FuzzAgent(f *testing.F) {
	for _, s := range []string{
		"---\nname: a\ndescription: b\ntools: Read, Bash(git *), [x]\nmaxTurns: 3\n---\nx", "---\ndescription: &a [*a]\n---\nx", "---\ntools: {a: b}\ndescription: |\n  a\n  b\n---\nx",
		"---\nmaxTurns: 1e9\ndescription: x\n---\nx", "\uFEFF---\r\ndescription: x\r\ndisallowedTools:\r\n- (\r\n---\r\nx",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, err := parseAgent(text, "file")
		if err != nil {
			if oneLine(err.Error()) == "" {
				t.Fatal("no reason")
			}
			return
		}
		if !isSkillName(a.Name) || a.Description == "" || oneLine(a.Description) != a.Description || a.Instructions == "" || a.MaxTurns < 0 {
			t.Fatalf("%+v", a)
		}
		for _, name := range append(a.Tools, a.NotTools...) {
			if strings.Contains(name, "(") {
				t.Fatalf("a tool named %q", name)
			}
		}
	})
}
