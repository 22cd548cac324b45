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
	for _, m := range conversation(messages) {
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

// conversation unpacks the messages of a request that holds them as a
// transcript in its one user message:
//
//	<previous-summary> TEXT </previous-summary>
//	<conversation>
//	[ROLE] TEXT, which may go on in further lines
//	[call TOOL] ARGUMENTS
//	</conversation>
func conversation(messages []message.Message) []message.Message {
	if len(messages) != 1 {
		return messages
	}
	text := messages[0].Text()
	_, transcript, ok := strings.Cut(text, "<conversation>\n")
	end := strings.LastIndex(transcript, "</conversation>")
	if !ok || end < 0 {
		return messages
	}
	var out []message.Message
	if before, rest, ok := strings.Cut(text, "</previous-summary>"); ok && len(rest) > len(transcript) {
		out = append(out, message.Message{Role: message.CompactionSummary, Summary: strings.TrimPrefix(before, "<previous-summary>")})
	}
	for line := range strings.SplitSeq(transcript[:end], "\n") {
		label, rest, _ := strings.Cut(line, "] ")
		switch {
		case strings.HasPrefix(label, "[call "):
			call := message.Block{Type: message.ToolCallBlock, Name: label[len("[call "):], Arguments: message.Object(json.RawMessage(rest))}
			out = append(out, message.Message{Role: message.Assistant, Content: []message.Block{call}})
		case label == "[user", label == "[assistant", label == "[toolResult", label == "[developer":
			out = append(out, message.Message{Role: message.Role(label[1:]), Content: []message.Block{message.TextOf(rest)}})
		case len(out) > 0 && len(out[len(out)-1].Content) == 1:
			out[len(out)-1].Content[0].Text += "\n" + line
		}
	}
	return out
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
			d.earlier = append(d.earlier, oneLine(m.Summary, 8000))
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
