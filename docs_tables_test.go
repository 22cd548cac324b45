package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"github.com/hoopoe-agent/hoopoe/engine/config"
	"github.com/hoopoe-agent/hoopoe/engine/tool/builtin"
	"github.com/hoopoe-agent/hoopoe/slash"
	vim "github.com/hoopoe-agent/hoopoe/tui/editor"
	"github.com/hoopoe-agent/hoopoe/tui/keymap"
)

// cell makes a text fit for a table of Markdown.
func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "*", `\*`, "<", `\<`).Replace(text)
}

// Requirement C-5: the tables of keys, commands and flags are those of the program.
func TestDocsTables(t *testing.T) {
	for _, c := range []struct{ file, name, want string }{
		{"docs/chat.md", "keys", keyTables()},
		{"docs/chat.md", "commands", commandTable(panelNames(t))},
		{"docs/scripting.md", "flags", flagTables()},
	} {
		data, err := os.ReadFile(c.file)
		if err != nil {
			t.Fatal(err)
		}
		begin, end := "<!-- "+c.name+" -->\n", "<!-- /"+c.name+" -->\n"
		before, rest, ok1 := strings.Cut(string(data), begin)
		got, after, ok2 := strings.Cut(rest, end)
		if !ok1 || !ok2 {
			t.Fatalf("%s has no place for the table of %s", c.file, c.name)
		}
		if got == c.want {
			continue
		}
		if *update {
			if err := os.WriteFile(c.file, []byte(before+begin+c.want+end+after), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		t.Errorf("%s: the table of %s is behind: run go test . -run TestDocsTables -update", c.file, c.name)
	}
}

func keyTables() string {
	var b strings.Builder
	for _, s := range append(keymap.Default().Help(), vim.VimHelp()) {
		fmt.Fprintf(&b, "\n### %s\n\n| keys | |\n| --- | --- |\n", s.Title)
		for _, r := range s.Rows {
			fmt.Fprintf(&b, "| %s | %s |\n", keyCell(r.Keys), cell(r.Text))
		}
	}
	return b.String() + "\n"
}

// keyCell shows signs as code, so that none of them is Markdown.
func keyCell(keys string) string {
	var shown []string
	for key := range strings.SplitSeq(keys, ", ") {
		if strings.ContainsAny(key, "_`*\\<>|[]^") {
			key = "`" + strings.ReplaceAll(key, "|", `\|`) + "`"
		}
		shown = append(shown, key)
	}
	return strings.Join(shown, ", ")
}

// builtins are the commands of the chat that every face may have.
func builtins() []slash.Command {
	share := func(context.Context, slash.Session, string) (string, error) { return "", nil }
	r := slash.Builtins(slash.Options{Keys: noKeys{}, Remote: share})
	return r.Catalog(slash.Terminal | slash.Replaceable | slash.Dialogs)
}

// noKeys has the commands about keys listed.
type noKeys struct{}

func (noKeys) Providers() []slash.Provider                          { return nil }
func (noKeys) Save(context.Context, string, string) (string, error) { return "", nil }
func (noKeys) Forget(context.Context, string) error                 { return nil }

func commandTable(panels []string) string {
	var b strings.Builder
	b.WriteString("\n| command | |\n| --- | --- |\n")
	for _, c := range builtins() {
		// What is a panel of the chat's is no other command's alias there.
		c.Aliases = slices.DeleteFunc(slices.Clone(c.Aliases), func(name string) bool { return slices.Contains(panels, name) })
		form := strings.TrimSpace("/" + c.Name + " " + c.Args)
		about := c.Summary
		if len(c.Aliases) > 0 {
			about += " (also `/" + strings.Join(c.Aliases, "`, `/") + "`)"
		}
		fmt.Fprintf(&b, "| `%s` | %s |\n", strings.ReplaceAll(form, "|", `\|`), strings.ReplaceAll(about, "|", `\|`))
	}
	return b.String() + "\n"
}

func flagTables() string {
	app := (&program{}).chatApp()
	groups := map[string][]string{}
	var order []string
	for _, category := range visibleByGroup(app) {
		order = append(order, category.name)
		groups[category.name] = category.rows
	}
	var b strings.Builder
	for _, name := range order {
		fmt.Fprintf(&b, "\n### %s\n\n| flag | |\n| --- | --- |\n%s", strings.TrimSuffix(name, ":"), strings.Join(groups[name], ""))
	}
	return b.String() + "\n"
}

type flagGroup struct {
	name string
	rows []string
}

// visibleByGroup lists the flags as --help does.
func visibleByGroup(app *cli.App) []flagGroup {
	var groups []flagGroup
	flags := slices.Clone(app.Flags)
	slices.SortStableFunc(flags, func(a, b cli.Flag) int { return strings.Compare(a.Names()[0], b.Names()[0]) })
	for _, f := range flags {
		documented, ok := f.(cli.DocGenerationFlag)
		visible, isVisible := f.(cli.VisibleFlag)
		grouped, isGrouped := f.(cli.CategorizableFlag)
		if !ok || !isVisible || !visible.IsVisible() || !isGrouped {
			continue
		}
		value, about := valueOf(documented.GetUsage())
		var forms []string
		for _, name := range f.Names() {
			forms = append(forms, "`"+strings.TrimSpace(strings.Repeat("-", min(len(name), 2))+name+" "+value)+"`")
		}
		row := fmt.Sprintf("| %s | %s |\n", strings.ReplaceAll(strings.Join(forms, ", "), "|", `\|`), cell(about))
		i := slices.IndexFunc(groups, func(g flagGroup) bool { return g.name == grouped.GetCategory() })
		if i < 0 {
			i = len(groups)
			groups = append(groups, flagGroup{name: grouped.GetCategory()})
		}
		groups[i].rows = append(groups[i].rows, row)
	}
	return groups
}

// valueOf takes the value's name, which stands in backquotes, out of a usage text.
func valueOf(usage string) (value, about string) {
	before, rest, ok := strings.Cut(usage, "`")
	if !ok {
		return "", usage
	}
	value, after, _ := strings.Cut(rest, "`")
	return value, before + value + after
}

var (
	slashWord   = regexp.MustCompile("^/([a-z]+)(?: .*)?$")
	flagWord    = regexp.MustCompile(`^--([a-z-]+)\b`)
	settingWord = regexp.MustCompile(`^([a-z]+)(?:\.[a-zA-Z]+)+$`)
	repoPath    = regexp.MustCompile(`^(?:engine|internal|modes|slash|testdata|tui)/[a-zA-Z0-9_./-]+$|^[a-z_]+\.go$`)
	ourVariable = regexp.MustCompile(`\bHOOPOE_[A-Z_]+\b`)
)

// Requirement C-5: what the pages name is there.
func TestDocsNames(t *testing.T) {
	commands := map[string]bool{}
	for _, c := range builtins() {
		for _, name := range c.Names() {
			commands[name] = true
		}
	}
	for _, name := range panelNames(t) {
		commands[name] = true
	}
	for _, p := range manual(t) { // templates of the examples
		for _, b := range p.blocks {
			if m := regexp.MustCompile(`/commands/(.+)\.md$`).FindStringSubmatch(b.mark); m != nil {
				commands[m[1]] = true
			}
		}
	}
	flags := map[string]bool{"help": true}
	for _, app := range apps(&program{}) {
		for _, f := range app.Flags {
			for _, name := range f.Names() {
				flags[name] = true
			}
		}
	}
	for _, f := range hostFlags() {
		flags[f.Names()[0]] = true
	}
	settings := config.Keys()
	for _, p := range pages(t) {
		for i, line := range p.prose {
			for _, span := range code.FindAllString(line, -1) {
				span = strings.Trim(span, "`")
				at := fmt.Sprintf("%s:%d", p.path, i+1)
				if m := slashWord.FindStringSubmatch(span); m != nil && !commands[m[1]] && !ownTests(p) && !strings.HasPrefix(p.path, "testdata/") {
					t.Errorf("%s: there is no command %s", at, span)
				}
				if m := flagWord.FindStringSubmatch(span); m != nil && !flags[m[1]] && !foreignFlag(p, m[1]) {
					t.Errorf("%s: there is no flag %s", at, span)
				}
				if (p.path == "AGENTS.md" || p.path == "CONTRIBUTING.md") && repoPath.MatchString(span) {
					if _, err := os.Stat(span); err != nil {
						t.Errorf("%s: there is no %s", at, span)
					}
				}
				if m := settingWord.FindStringSubmatch(span); m != nil && slices.ContainsFunc(settings, func(k string) bool { return strings.HasPrefix(k, m[1]+".") }) {
					if !slices.Contains(settings, span) {
						t.Errorf("%s: there is no setting %s", at, span)
					}
				}
			}
		}
	}
}

// foreignFlag holds for flags of hosts that RPC mode lets pass.
func foreignFlag(p page, name string) bool {
	return p.path == "modes/rpc/PROTOCOL.md" && slices.Contains([]string{"no-title", "no-themes"}, name)
}

// panelNames are the chat's own commands; a test of tui holds the page to them.
func panelNames(t *testing.T) []string {
	t.Helper()
	text := readPage(t, "docs/chat.md").text
	_, rest, _ := strings.Cut(text, "<!-- panels -->")
	table, _, ok := strings.Cut(rest, "<!-- /panels -->")
	var names []string
	for _, m := range regexp.MustCompile("`/([a-z]+)").FindAllStringSubmatch(table, -1) {
		names = append(names, m[1])
	}
	if !ok || len(names) < 5 {
		t.Fatalf("docs/chat.md names these commands of the chat: %v", names)
	}
	return names
}

// Requirement C-5: what there is for users is in the manual.
func TestDocsComplete(t *testing.T) {
	var all strings.Builder
	named := map[string]bool{}
	for _, p := range manual(t) {
		all.WriteString(p.text)
		for _, name := range ourVariable.FindAllString(p.text, -1) {
			named[name] = true
		}
	}
	has := func(kind, text string) {
		if !strings.Contains(all.String(), text) {
			t.Errorf("no page tells of the %s %s", kind, text)
		}
	}
	for _, s := range subcommands() {
		if !s.hidden {
			has("command", "hoopoe "+s.name)
		}
		for verb := range s.args {
			if verb != "" && verb != "list" {
				has("command", "hoopoe "+s.name+" "+verb)
			}
		}
	}
	for name, app := range apps(&program{}) {
		for _, f := range app.VisibleFlags() {
			has("flag of "+name, "--"+f.Names()[0])
		}
	}
	for _, v := range variables() {
		for name := range strings.SplitSeq(v.form, ", ") {
			if name != "..." {
				has("variable", name)
			}
		}
	}
	for _, s := range schemaNames() {
		has("schema", s)
	}
	for _, tool := range append(builtin.Standard(), builtin.Fetch(nil)) {
		has("tool", "`"+tool.Spec().Name+"`")
	}
	for _, name := range fileNames() {
		has("file", name)
	}
	source := sources(t)
	for _, name := range slices.Sorted(maps.Keys(named)) {
		if !strings.Contains(source, `"`+name) {
			t.Errorf("a page names %s, which the program doesn't know", name)
		}
	}
}

// sources are the Go files of the packages that read the environment or name codes
// of errors.
func sources(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	for _, dir := range []string{".", "engine/spec", "engine/config", "engine/ext/command", "modes/acp"} {
		list, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range list {
			if name := e.Name(); strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
				data, err := os.ReadFile(dir + "/" + name)
				if err != nil {
					t.Fatal(err)
				}
				b.Write(data)
			}
		}
	}
	return b.String()
}
