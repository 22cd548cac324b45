package prompt

import (
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/rule"
)

func TestParseRule(t *testing.T) {
	for _, c := range []struct {
		name, matter string
		want         rule.Rule
	}{
		{"condition", "condition: console\\.log\\(\ninterruptMode: never", rule.Rule{Conditions: []string{`console\.log\(`}, Interrupt: rule.Never}},
		{"conditions", "condition:\n  - a  b\n  - 'c|d'\nscope: [text, 'tool:bash']", rule.Rule{Conditions: []string{"a  b", "c|d"}, Scopes: []string{"text", "tool:bash"}}},
		{"condition that is a pattern", "condition: '*.rs'", rule.Rule{Conditions: []string{".*"}, Scopes: []string{"tool:edit(*.rs)", "tool:write(*.rs)"}}},
		{"pattern without quotes", "condition: *.rs\ndescription: x: y", rule.Rule{Conditions: []string{".*"}, Scopes: []string{"tool:edit(*.rs)", "tool:write(*.rs)"}, Description: "x: y"}},
		{"patterns in a broken list", "condition:\n  - *.rs\n  - a: {\nglobs: **/*.go", rule.Rule{Conditions: []string{"a: {"}, Scopes: []string{"tool:edit(*.rs)", "tool:write(*.rs)"}, Globs: []string{"**/*.go"}}},
		{"old names", "ttsr_trigger: a\nttsrTrigger: [b]", rule.Rule{Conditions: []string{"a", "b"}}},
		{"scopes in a text", "condition: a\nscope: text, edit(*.{ts,tsx}), thinking", rule.Rule{Conditions: []string{"a"}, Scopes: []string{"text", "edit(*.{ts,tsx})", "thinking"}}},
		{"scopes between blanks", "condition: a\nscope: text tool:edit(*.{ts, tsx})", rule.Rule{Conditions: []string{"a"}, Scopes: []string{"text", "tool:edit(*.{ts, tsx})"}}},
		{"an escape that isn't YAML's", "condition: \"\\d+ it's\"", rule.Rule{Conditions: []string{`\d+ it's`}}},
		{"always", "alwaysApply: true", rule.Rule{Always: true}},
		{"cursor", "description: How\nglobs: *.ts,src/*.{a,b}\nalwaysApply: false", rule.Rule{Description: "How", Globs: []string{"*.ts", "src/*.{a,b}"}}},
		{"cursor without values", "description:\nglobs:\nalwaysApply: false", rule.Rule{}},
		{"claude", "paths:\n  - \"src/**/*.ts\"", rule.Rule{Globs: []string{"src/**/*.ts"}}},
		{"windsurf always", "trigger: always_on", rule.Rule{Always: true}},
		{"windsurf glob", "trigger: glob\nglobs: *.go", rule.Rule{Globs: []string{"*.go"}}},
		{"windsurf manual", "trigger: manual\ndescription: x", rule.Rule{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.want.Content = "Text."
			got, err := parseRule("---\n" + c.matter + "\n---\n\nText.\n")
			for _, list := range []*[]string{&got.Globs, &got.Scopes, &got.Conditions} {
				if len(*list) == 0 {
					*list = nil
				}
			}
			if err != nil || !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
	if got, err := parseRule("Plain text."); err != nil || !got.Always || got.Content != "Plain text." {
		t.Errorf("plain text: %+v, %v", got, err)
	}
}

func TestRules(t *testing.T) {
	root := tree(t, map[string]string{
		"a/style.mdc":      "---\nalwaysApply: true\n---\nUse tabs.",
		"a/deep/log.md":    "---\ncondition: log\n---\nNo logs.",
		"a/notes.txt":      "x",
		"a/.hidden.md":     "x",
		"a/look.md":        "---\ncondition: a(?=b)\n---\nx",
		"a/mode.md":        "---\ncondition: a\ninterruptMode: maybe\n---\nx",
		"a/bell.md":        "---\ncondition: \"\\bfoo\"\n---\nx",
		"a/nothing.md":     "---\ncondition: a\n---\n \n",
		"a/empty.md":       "",
		"a/latin.md":       "caf\xe9",
		"a/large.md":       strings.Repeat("x", maxFile+1),
		"b/style.md":       "Use blanks.",
		"b/more.md":        "More.",
		"c/more.md":        "More.",
		"repo/.clinerules": "From the file.",
	})
	rules, notices := Rules([]Folder{
		{Path: filepath.Join(root, "a"), Source: "project", Family: "cursor"}, {},
		{Path: filepath.Join(root, "b"), Source: "user"}, {Path: filepath.Join(root, "c"), Source: "user"},
		{Path: filepath.Join(root, "repo", ".clinerules"), Source: "project", Family: "cline"},
	})
	var got []string
	for _, r := range rules {
		got = append(got, fmt.Sprintf("%s %s %s: %s", r.Source, r.Family, r.Name, r.Content))
	}
	want := []string{"project cursor deep/log: No logs.", "project cursor style: Use tabs.", "user  more: More.", "project cline clinerules: From the file."}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("rules %q", got)
	}
	if rules[0].Path != filepath.Join(root, "a", "deep", "log.md") {
		t.Errorf("path %s", rules[0].Path)
	}
	says := []string{
		`a/bell.md: not used: condition "\bfoo": it holds a backspace; `,
		"a/large.md: not read: it is larger than 64 KiB",
		"a/latin.md: not read: it is not UTF-8 text",
		"a/look.md: not used: condition \"a(?=b)\": look-ahead, look-behind and back-references",
		"a/mode.md: not used: unknown interruptMode \"maybe\"",
		"a/nothing.md: not used: it has a condition, but no text",
		"b/style.md: not used: another folder of higher rank has one named style",
	}
	lines := told(root, notices)
	if len(lines) != len(says) {
		t.Fatalf("notices %q", lines)
	}
	for i, line := range lines {
		if !strings.HasPrefix(line, says[i]) || strings.Contains(line, "\n") {
			t.Errorf("notice %q, want %q", line, says[i])
		}
	}
}

// Rules that always apply fill the prompt up to a bound; the rest is listed.
func TestRulesAreBounded(t *testing.T) {
	files := map[string]string{}
	for i := range maxRules + 2 {
		files[fmt.Sprintf("%03d.md", i)] = fmt.Sprintf("# Rule %d\n%s", i, strings.Repeat("x", 1000))
	}
	root := tree(t, files)
	rules, notices := Rules([]Folder{{Path: root}})
	if len(rules) != maxRules {
		t.Errorf("%d rules", len(rules))
	}
	section := ruleSection(rules)
	if len(section) > 64<<10 || !strings.Contains(section, "Rule 299") || strings.Count(section, "<rule ") != 32 {
		t.Errorf("%d bytes, %d quoted", len(section), strings.Count(section, "<rule "))
	}
	last := notices[len(notices)-1].Text
	if last != "not used: there are more than 300 rules" {
		t.Errorf("last notice %q", last)
	}
}

// Any bytes are a rule or one line of why not; what is taken can be watched.
func FuzzRule(f *testing.F) {
	for _, s := range []string{
		"---\ncondition: a\nscope: edit(*.go)\n---\nx", "---\nglobs: *.ts,*.{a,b}\ncondition:\n- *.rs\n- (\n---\n", "---\na: &a [*a, *a]\n---\n",
		"---\n? {a: b}\n: c\n---", "---\nscope: 'text(((,'\n---\nx", "---\ncondition: \"\\b\"\n...\n", "\uFEFF---\r\nalwaysApply: yes\r\n---\r\nx",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := parseRule(text)
		if err != nil {
			if n := oneLine(err.Error()); n == "" {
				t.Fatal("no reason")
			}
			return
		}
		w, err := rule.NewWatcher([]rule.Rule{r}, rule.Settings{})
		if err != nil || w.Empty() == r.Streams() {
			t.Fatalf("%+v can't be watched: %v", r, err)
		}
		if section := ruleSection([]rule.Rule{r}); strings.Count(section, "</rule>") > 1 {
			t.Fatalf("section %q", section)
		}
	})
}
