package message

import (
	"encoding/json"
	"fmt"
	"strings"
)

// ForModel turns the conversation into what a model may be sent: user,
// assistant and toolResult messages only. It is the one place where the other
// roles get their words, and it repairs what providers refuse: empty blocks
// and messages, results away from their call, calls without a result, results
// without a call.
func ForModel(messages []Message) []Message {
	results := map[string]Message{}
	for _, m := range messages {
		if m.Role == ToolResult {
			results[m.ToolCallID] = m
		}
	}
	out := make([]Message, 0, len(messages))
	for _, m := range messages {
		switch m.Role {
		case Assistant:
			m.Content = sendable(m.Content)
			if len(m.Content) == 0 {
				continue
			}
			out = append(out, m)
			for _, c := range m.Calls() {
				r, ok := results[c.ID]
				if !ok {
					r = missingResult(c, m.Timestamp)
				}
				delete(results, c.ID) // a second answer to one call is an orphan
				if r.Content = sendable(r.Content); len(r.Content) == 0 {
					r.Content = []Block{TextOf("(no output)")}
				}
				out = append(out, r)
			}
		case ToolResult: // went out beside its call
		default:
			if u, ok := asUser(m); ok {
				out = append(out, u)
			}
		}
	}
	return out
}

func missingResult(c Block, at int64) Message {
	return Message{
		Role: ToolResult, ToolCallID: c.ID, ToolName: c.Name, IsError: true, Timestamp: at,
		Content: []Block{TextOf("No result: the call was interrupted before it ended.")},
	}
}

// sendable drops blocks that providers refuse: blank text, unknown types.
func sendable(blocks []Block) []Block {
	clean := true
	for _, b := range blocks {
		clean = clean && keep(b)
	}
	if clean {
		return blocks
	}
	var out []Block
	for _, b := range blocks {
		if keep(b) {
			out = append(out, b)
		}
	}
	return out
}

func keep(b Block) bool {
	switch b.Type {
	case TextBlock:
		return strings.TrimSpace(b.Text) != ""
	case ThinkingBlock:
		return strings.TrimSpace(b.Text) != "" || b.Signature != ""
	case RedactedBlock, ImageBlock:
		return b.Data != ""
	case ToolCallBlock:
		return b.ID != "" && b.Name != ""
	}
	return false
}

// asUser gives a message that isn't the assistant's the form of a user's.
func asUser(m Message) (Message, bool) {
	u := Message{ID: m.ID, Role: User, Timestamp: m.Timestamp, Attribution: m.Attribution, Synthetic: m.Synthetic}
	switch m.Role {
	case User, Developer, Custom:
		u.Content = sendable(m.Content)
	case BashExecution:
		if m.Bash == nil || m.Bash.ExcludeFromContext {
			return u, false
		}
		u.Content = []Block{TextOf(bashText(*m.Bash))}
	case CompactionSummary:
		u.Content = []Block{TextOf("The conversation before this point was too long to keep. This is its summary:\n\n<summary>\n" + m.Summary + "\n</summary>")}
	case BranchSummary:
		u.Content = []Block{TextOf("The conversation left another branch to come back here. This is what happened there:\n\n<summary>\n" + m.Summary + "\n</summary>")}
	case FileMention:
		u.Content = mentioned(m.Files)
	}
	return u, len(u.Content) > 0
}

func bashText(b Bash) string {
	var s strings.Builder
	fmt.Fprintf(&s, "Ran `%s`\n", b.Command)
	if strings.TrimSpace(b.Output) == "" {
		s.WriteString("(no output)")
	} else {
		f := Fence(b.Output)
		fmt.Fprintf(&s, "%s\n%s\n%s", f, strings.TrimRight(b.Output, "\n"), f)
	}
	switch {
	case b.Cancelled:
		s.WriteString("\n(the command was cancelled)")
	case b.ExitCode != nil && *b.ExitCode != 0:
		fmt.Fprintf(&s, "\nThe command exited with code %d", *b.ExitCode)
	}
	return s.String()
}

// Fence returns a code fence longer than any run of backticks in text.
func Fence(text string) string {
	longest, run := 2, 0
	for i := range len(text) {
		if text[i] != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return strings.Repeat("`", longest+1)
}

func mentioned(raw json.RawMessage) []Block {
	var files []struct {
		Path, Content string
		SkippedReason string
		Image         *Block
	}
	if json.Unmarshal(raw, &files) != nil || len(files) == 0 {
		return nil
	}
	var s strings.Builder
	var images []Block
	s.WriteString("<system-reminder>\nFiles that the user mentioned:\n")
	for _, f := range files {
		if f.Image != nil {
			images = append(images, *f.Image)
		}
		if f.SkippedReason != "" {
			fmt.Fprintf(&s, "<file path=%q>(not included: %s)</file>\n", f.Path, f.SkippedReason)
			continue
		}
		fmt.Fprintf(&s, "<file path=%q>\n%s\n</file>\n", f.Path, f.Content)
	}
	s.WriteString("</system-reminder>")
	return append([]Block{TextOf(s.String())}, images...)
}
