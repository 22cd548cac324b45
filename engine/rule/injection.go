package rule

import (
	"fmt"
	"html"
	"strings"
)

// Injection is what the model is told about the rules that it broke: one block
// for each.
func Injection(matches []Match) string {
	var b strings.Builder
	for i, m := range matches {
		if i > 0 {
			b.WriteString("\n\n")
		}
		fmt.Fprintf(&b, "<system-interrupt reason=\"rule_violation\" rule=\"%s\" path=\"%s\">\n", attribute(m.Rule.Name), attribute(m.Rule.Path))
		b.WriteString(wording(m))
		content := strings.ReplaceAll(m.Rule.Content, closing, `<\`+closing[1:])
		fmt.Fprintf(&b, "\n\n%s\n%s>", strings.TrimSpace(content), closing)
	}
	return b.String()
}

// closing begins the end of a block; it can't occur inside one.
const closing = "</system-interrupt"

func wording(m Match) string {
	where := "your answer"
	switch m.Source {
	case Thinking:
		where = "your thinking"
	case Tool:
		where = "your call of the tool " + strings.Join(strings.Fields(m.Tool), " ")
	}
	if m.Interrupt {
		return "You were stopped, because " + where + " went against a rule that the user has set. What you had begun doesn't count. Start it again and keep to the rule, without a word about this."
	}
	return "In " + where + " you went against a rule that the user has set. Keep to it from now on, and put right what still can be."
}

// attribute escapes a value for an attribute on one line.
func attribute(s string) string {
	return html.EscapeString(strings.Join(strings.Fields(s), " "))
}
