// Package compact makes room in the context window: it decides when, where to
// cut, and what to ask the model for. It is pure; the session makes the
// request and moves the tree.
//
//	usage > Limit ─▶ Plan (cut point) ─▶ Request ─▶ summary ─▶ summary + kept messages
package compact

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// Settings are the compaction.* settings; zero values mean the defaults.
type Settings struct {
	ReserveTokens    int // default 16384
	KeepRecentTokens int // default 20000
	ThresholdPercent int // of the window; 0: not set
	ThresholdTokens  int // 0: not set
}

const (
	defaultReserve = 16384
	defaultKeep    = 20000
	imageTokens    = 1200
)

// Limit is the number of context tokens above which a conversation is
// compacted; 0 when the window is unknown.
func (s Settings) Limit(window int) int {
	if window <= 0 {
		return 0
	}
	if s.ThresholdTokens > 0 {
		return min(s.ThresholdTokens, window-1)
	}
	if s.ThresholdPercent > 0 && s.ThresholdPercent < 100 {
		return window * s.ThresholdPercent / 100
	}
	reserve := s.ReserveTokens
	if reserve <= 0 {
		reserve = defaultReserve
	}
	return max(window-max(window*15/100, reserve), window/2)
}

// Estimate guesses the tokens of one message: four characters a token.
func Estimate(m message.Message) int {
	n := len(m.Summary) / 4
	if m.Bash != nil && !m.Bash.ExcludeFromContext {
		n += (len(m.Bash.Command) + len(m.Bash.Output)) / 4
	}
	for _, b := range m.Content {
		switch b.Type {
		case message.ImageBlock:
			n += imageTokens
		default:
			n += (len(b.Text) + len(b.Name) + len(b.Arguments)) / 4
		}
	}
	return n + len(m.Files)/4
}

// Tokens is how full the context is: the last answer's real usage plus an
// estimate of what came after it. The first messages, as many as a compaction
// left, were measured in a context that is gone. exact is false without any
// real usage.
func Tokens(messages []message.Message, compacted int) (n int, exact bool) {
	for i := len(messages) - 1; i >= compacted; i-- {
		m := messages[i]
		if m.Role == message.Assistant && m.Usage.ContextTokens() > 0 && m.StopReason != message.Error && m.StopReason != message.Aborted {
			return n + m.Usage.ContextTokens(), true
		}
		n += Estimate(m)
	}
	n = 0
	for _, m := range messages {
		n += Estimate(m)
	}
	return n, false
}

// Plan finds where to cut: messages[:cut] are summarised, the rest is kept.
// ok is false when there is nothing worth summarising. A cut never separates
// a tool result from its call.
func (s Settings) Plan(messages []message.Message) (cut int, ok bool) {
	keep := s.KeepRecentTokens
	if keep <= 0 {
		keep = defaultKeep
	}
	total, first := 0, len(messages)
	for first > 0 && total < keep {
		first--
		total += Estimate(messages[first])
	}
	for cut = first; cut < len(messages); cut++ {
		if cuttable(messages[cut].Role) {
			break
		}
	}
	if cut == len(messages) { // nothing behind it can start a context: cut before
		for cut = first; cut > 0 && !cuttable(messages[min(cut, len(messages)-1)].Role); cut-- {
		}
	}
	old := messages[:cut]
	if len(old) == 1 && old[0].Role == message.CompactionSummary {
		return 0, false
	}
	return cut, cut > 0 && cut < len(messages)
}

// PlanAll is Plan for a user who asks for it, or an overflow: when everything
// would be kept, all but the last exchange goes.
func (s Settings) PlanAll(messages []message.Message) (cut int, ok bool) {
	if cut, ok = s.Plan(messages); ok {
		return cut, true
	}
	for cut = len(messages) - 1; cut > 0; cut-- {
		if messages[cut].Role == message.User {
			break
		}
	}
	old := messages[:max(cut, 0)]
	return cut, len(old) > 1 || (len(old) == 1 && old[0].Role != message.CompactionSummary)
}

func cuttable(r message.Role) bool {
	switch r {
	case message.User, message.Assistant, message.BashExecution, message.Custom, message.BranchSummary:
		return true
	}
	return false
}

// System opens the system prompt of every summary request.
const System = "You write hand-over summaries"

const systemText = System + ` of a coding agent's work, so that the agent can go on without the conversation itself. Write only the summary. Do not answer the conversation and do not call tools.`

const formText = `Write the hand-over under these headings, leaving out those with nothing to say:

## Goal
## Constraints and preferences
## Done
## In progress
## Blocked
## Decisions, with their reasons
## Next steps
## Facts to keep (paths, names, commands, error texts, numbers: exactly as they were)`

// Request builds the summary request for messages, which may begin with the
// summary of an earlier compaction.
func Request(model llm.Model, messages []message.Message, instructions string) llm.Request {
	var s strings.Builder
	if messages[0].Role == message.CompactionSummary {
		fmt.Fprintf(&s, "<previous-summary>\n%s\n</previous-summary>\n\nBring this summary up to date with what happened since.\n\n", messages[0].Summary)
		messages = messages[1:]
	}
	s.WriteString("<conversation>\n")
	s.WriteString(Transcript(messages, maxTranscript(model)))
	s.WriteString("</conversation>\n\n")
	s.WriteString(formText)
	if instructions = strings.TrimSpace(instructions); instructions != "" {
		s.WriteString("\n\nThe user asks of the summary: " + instructions)
	}
	return llm.Request{
		Model: model, System: systemText, Thinking: llm.Off,
		Messages:  []message.Message{{Role: message.User, Content: []message.Block{message.TextOf(s.String())}}},
		MaxTokens: min(max(model.MaxTokens, 0), 8192),
	}
}

// maxTranscript is how many bytes of conversation fit into one request with
// room for the summary.
func maxTranscript(m llm.Model) int {
	if m.ContextWindow <= 0 {
		return 400_000
	}
	return max(m.ContextWindow*3-40_000, m.ContextWindow)
}

// Transcript writes messages as text for a reader, at most limit bytes; long
// outputs are cut, and the middle goes first when all of it is too long.
func Transcript(messages []message.Message, limit int) string {
	const perBlock = 4000
	var parts []string
	total := 0
	for _, m := range message.ForModel(messages) {
		var s strings.Builder
		for _, b := range m.Content {
			switch b.Type {
			case message.TextBlock:
				fmt.Fprintf(&s, "[%s] %s\n", m.Role, indent(cutMiddle(b.Text, perBlock)))
			case message.ToolCallBlock:
				fmt.Fprintf(&s, "[call %s] %s\n", b.Name, cutMiddle(string(b.Arguments), perBlock))
			case message.ImageBlock:
				fmt.Fprintf(&s, "[%s] (an image)\n", m.Role)
			}
		}
		parts = append(parts, s.String())
		total += s.Len()
	}
	for total > limit && len(parts) > 2 {
		i := len(parts) / 2
		total -= len(parts[i])
		parts = slices.Delete(parts, i, i+1)
	}
	return cutMiddle(strings.Join(parts, ""), limit)
}

// indent keeps a line of some file from looking like a turn of its own.
func indent(s string) string { return strings.ReplaceAll(s, "\n", "\n  ") }

func cutMiddle(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	head, tail := limit*2/3, limit/3
	return fmt.Sprintf("%s\n[%d bytes left out]\n%s", strings.ToValidUTF8(s[:head], ""), len(s)-head-tail, strings.ToValidUTF8(s[len(s)-tail:], ""))
}

// Files lists the paths that the messages' file tools read and modified.
func Files(messages []message.Message) (read, modified []string) {
	seen := map[string]bool{}
	for _, m := range messages {
		for _, c := range m.Calls() {
			path := pathOf(c.Arguments)
			if path == "" || seen[c.Name+path] {
				continue
			}
			seen[c.Name+path] = true
			switch c.Name {
			case "read":
				read = append(read, path)
			case "write", "edit":
				modified = append(modified, path)
			}
		}
	}
	return read, modified
}
