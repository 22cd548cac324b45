package offline

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// digest is the guide's hand-over summary: what was asked, what was touched,
// what was said last. It only repeats facts of the messages.
func digest(messages []message.Message) string {
	var d history
	for _, m := range messages {
		d.add(m)
	}
	var b strings.Builder
	b.WriteString("A digest made by the Hoopoe guide, which is no language model.\n")
	section := func(title string, lines []string) {
		if len(lines) > 0 {
			fmt.Fprintf(&b, "\n## %s\n- %s\n", title, strings.Join(lines, "\n- "))
		}
	}
	section("What was said before", d.earlier)
	section("What the user asked", keepEnds(d.prompts, 20))
	section("Files changed", d.changed)
	section("Files read", keepEnds(d.read, 30))
	section("Commands run", keepEnds(d.commands, 15))
	section("What failed", keepEnds(d.failures, 10))
	if d.last != "" {
		section("The last answer", []string{d.last})
	}
	return b.String()
}

type history struct {
	earlier, prompts, changed, read, commands, failures []string
	last                                                string
}

func (d *history) add(m message.Message) {
	switch m.Role {
	case message.User:
		if text := oneLine(m.Text(), 1000); text != "" {
			d.prompts = append(d.prompts, text)
		}
	case message.CompactionSummary, message.BranchSummary:
		if m.Summary != "" {
			d.earlier = append(d.earlier, oneLine(m.Summary, 4000))
		}
	case message.Assistant:
		if text := oneLine(m.Text(), 1000); text != "" {
			d.last = text
		}
		for _, c := range m.Calls() {
			d.call(c)
		}
	case message.ToolResult:
		if m.IsError {
			d.failures = append(d.failures, m.ToolName+": "+oneLine(m.Text(), 200))
		}
	case message.BashExecution:
		if m.Bash != nil {
			d.commands = append(d.commands, code(m.Bash.Command))
		}
	}
}

func (d *history) call(c message.Block) {
	var args struct{ Path, Command string }
	// Arguments of another shape name neither, and there is nothing to note.
	if json.Unmarshal(c.Arguments, &args) != nil {
		return
	}
	switch {
	case args.Command != "":
		d.commands = append(d.commands, code(args.Command))
	case args.Path == "":
	case c.Name == "edit" || c.Name == "write":
		d.changed = once(d.changed, code(args.Path))
	case c.Name == "read":
		d.read = once(d.read, code(args.Path))
	}
}

func once(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

// keepEnds shortens a list in its middle.
func keepEnds(list []string, n int) []string {
	if len(list) <= n {
		return list
	}
	half := n / 2
	out := append([]string(nil), list[:half]...)
	out = append(out, fmt.Sprintf("… %d more …", len(list)-n))
	return append(out, list[len(list)-(n-half):]...)
}

func oneLine(s string, limit int) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > limit {
		return string(r[:limit]) + "…"
	}
	return s
}
