package tui

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/slash"
)

// Requirement C-4: docs/chat.md lists the commands that only the chat has.
func TestPanelsInDocs(t *testing.T) {
	const file, begin, end = "../docs/chat.md", "<!-- panels -->\n", "<!-- /panels -->\n"
	a := &app{o: Options{Sessions: noSessions{}, Themes: noThemes{}}}
	share := slash.Builtins(slash.Options{}).Catalog(slash.Terminal | slash.Replaceable | slash.Dialogs)
	var want strings.Builder
	want.WriteString("\n| command | |\n| --- | --- |\n")
	for _, c := range a.withPanels(share) {
		if slices.ContainsFunc(share, func(s slash.Command) bool { return s.Name == c.Name }) {
			continue
		}
		about := c.Summary
		if len(c.Aliases) > 0 {
			about += " (also `/" + strings.Join(c.Aliases, "`, `/") + "`)"
		}
		fmt.Fprintf(&want, "| `%s` | %s |\n", strings.ReplaceAll(strings.TrimSpace("/"+c.Name+" "+c.Args), "|", `\|`), about)
	}
	want.WriteString("\n")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok1 := strings.Cut(strings.ReplaceAll(string(data), "\r\n", "\n"), begin)
	got, after, ok2 := strings.Cut(rest, end)
	switch {
	case !ok1 || !ok2:
		t.Fatal("docs/chat.md has no place for the table")
	case got == want.String():
	case *update:
		if err := os.WriteFile(file, []byte(before+begin+want.String()+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Error("docs/chat.md is behind: run go test ./tui -run TestPanelsInDocs -update")
	}
}

// noSessions and noThemes have their commands listed.
type noSessions struct{ Sessions }

type noThemes struct{ Themes }
