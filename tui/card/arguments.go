package card

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
	"github.com/hoopoe-agent/hoopoe/tui/flow"
	"github.com/hoopoe-agent/hoopoe/tui/style"
	"github.com/hoopoe-agent/hoopoe/tui/transcript"
)

func builtin(name string) bool {
	_, ok := actions[name]
	return ok || name == "!"
}

// toolName is the name of a tool as people read it: that of a server's tool
// names the server first.
func toolName(name string) string {
	rest, ok := strings.CutPrefix(name, "mcp__")
	if !ok {
		return name
	}
	if server, tool, ok := strings.Cut(rest, "__"); ok {
		return server + ":" + tool
	}
	return rest
}

// argument is one member of a call's arguments.
type argument struct{ name, value string }

// argumentsOf reads arguments that are whole, in the order of their names.
func argumentsOf(object string) []argument {
	var members map[string]json.RawMessage
	if json.Unmarshal([]byte(object), &members) != nil {
		return nil
	}
	var out []argument
	for name, raw := range members {
		value := string(raw)
		var text string
		if json.Unmarshal(raw, &text) == nil {
			value = text
		}
		out = append(out, argument{name, value})
	}
	slices.SortFunc(out, func(a, b argument) int { return strings.Compare(a.name, b.name) })
	return out
}

// valueMax is the longest value that is summarised whole, in columns.
const valueMax = 40

// summarised are arguments on one line.
func summarised(object string) string {
	var parts []string
	for _, a := range argumentsOf(object) {
		parts = append(parts, a.name+"="+style.Cut(sanitize.Line(a.value), valueMax))
	}
	return strings.Join(parts, ", ")
}

// argumentRows are all arguments of a tool of other origin, for the expanded
// card.
func (c *Card) argumentRows(width int) []flow.Row {
	var rows []flow.Row
	for _, a := range argumentsOf(c.arguments) {
		text, hidden := transcript.Head(fmt.Sprintf("%s: %s", a.name, a.value), width, 20, c.look.Bidi)
		for _, row := range text {
			rows = append(rows, row.Paint(c.look.Text))
		}
		if hidden > 0 {
			rows = append(rows, c.more(count(hidden, "more line", "more lines"), width))
		}
	}
	if len(rows) > 0 && c.output != "" {
		rows = append(rows, flow.Row{})
	}
	return rows
}
