package card

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
	"github.com/hoopoe-agent/hoopoe/tui/diff"
	"github.com/hoopoe-agent/hoopoe/tui/image"
)

// Result is how a call ended.
type Result struct {
	Content []message.Block
	Details json.RawMessage
	Failed  bool
	// Denied says who refused the call, as the engine tells it; empty when
	// nobody did, or when that isn't known.
	Denied   string
	Duration time.Duration // 0: unknown
}

// End closes the card with the call's result.
func (c *Card) End(r Result) {
	c.version++
	c.output, c.details, c.questioned = message.Text(r.Content), r.Details, false
	ran := c.state == Running
	c.pictures = nil
	for _, b := range r.Content {
		if b.Type == message.ImageBlock {
			c.pictures = append(c.pictures, image.Open(b.Data))
		}
	}
	switch {
	case !r.Failed:
		c.state = Done
	case r.Denied != "" || refused(c.output):
		c.state = Denied
	case stopped(c.output):
		c.state = Stopped
		c.output = dropNotice(c.output)
	case c.name == taskTool && taskOf(r.Details).Status == "aborted": // it alone
		c.state = Stopped
		c.output, _, _ = strings.Cut(c.output, "The user stopped this agent.")
	default:
		c.state = Failed
	}
	var details struct {
		Diff string `json:"diff"`
	}
	if json.Unmarshal(r.Details, &details) == nil && details.Diff != "" {
		c.patch = details.Diff
	}
	if r.Failed && !ran {
		c.patch = ""
	}
	c.note = c.summary(r)
}

// EndBash closes the card of a user's command.
func (c *Card) EndBash(b message.Bash) {
	c.version++
	c.output, c.hidden = b.Output, b.ExcludeFromContext
	switch {
	case b.Cancelled:
		c.state = Stopped
	case b.ExitCode == nil || *b.ExitCode != 0:
		c.state = Failed
	default:
		c.state = Done
	}
	if b.ExitCode != nil && *b.ExitCode != 0 {
		c.note = fmt.Sprintf("exit %d", *b.ExitCode)
	}
}

// Words that the engine closes a call with when it did not fail by itself.
func refused(text string) bool {
	return strings.HasPrefix(text, "Permission denied") || strings.HasPrefix(text, "Not allowed:")
}

func stopped(text string) bool {
	return strings.Contains(text, "Tool execution was aborted") || strings.HasPrefix(text, "Skipped due to")
}

// dropNotice leaves what the call had written: the mark tells the rest.
func dropNotice(text string) string {
	if at := strings.Index(text, "Tool execution was aborted"); at >= 0 {
		return text[:at]
	}
	return ""
}

// facts are what details of results tell; each tool has some of them.
type facts struct {
	ExitCode *int   `json:"exitCode"`
	TimedOut bool   `json:"timedOut"`
	Matches  int    `json:"matches"`
	Files    int    `json:"files"`
	Status   any    `json:"status"` // a number of a fetch, a word of a task
	Type     string `json:"type"`
	Bytes    int    `json:"bytes"`
	MovedTo  string `json:"movedTo"`
}

// summary is the line beside the title: what came of it.
func (c *Card) summary(r Result) string {
	var f facts
	_ = json.Unmarshal(r.Details, &f) // without details there is nothing to tell
	var parts []string
	if c.name == taskTool {
		parts = outcome(r.Details)
	}
	switch c.kind {
	case "edit":
		if c.patch != "" && !r.Failed {
			added, removed := diff.Stat(c.patch)
			parts = append(parts, fmt.Sprintf("+%d -%d", added, removed))
		}
	case "execute":
		switch {
		case f.TimedOut:
			parts = append(parts, "timed out")
		case f.ExitCode != nil && *f.ExitCode != 0:
			parts = append(parts, fmt.Sprintf("exit %d", *f.ExitCode))
		}
	case "fetch":
		parts = append(parts, fetched(f)...)
	case "read", "search":
		parts = append(parts, c.found(f, r.Failed)...)
	}
	if r.Duration >= time.Second {
		parts = append(parts, r.Duration.Round(100*time.Millisecond).String())
	}
	return strings.Join(parts, " · ")
}

// found is what a search or a reading brought.
func (c *Card) found(f facts, failed bool) []string {
	n := lineCount(c.output)
	switch {
	case failed || n == 0 || len(c.pictures) > 0:
		return nil
	case f.Matches > 0:
		return []string{count(f.Matches, "match", "matches"), count(f.Files, "file", "files")}
	case c.view() == viewTree:
		return []string{count(len(entries(c.output)), "entry", "entries")}
	}
	return []string{count(n, "line", "lines")}
}

// fetched is what became of a request.
func fetched(f facts) (parts []string) {
	if status, ok := f.Status.(float64); ok && status > 0 {
		parts = append(parts, fmt.Sprintf("%d", int(status)))
	}
	if f.Type != "" {
		parts = append(parts, sanitize.Line(f.Type))
	}
	if f.Bytes > 0 {
		parts = append(parts, size(f.Bytes))
	}
	if f.MovedTo != "" {
		parts = append(parts, "moved to "+sanitize.Line(f.MovedTo))
	}
	return parts
}

func size(n int) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d B", n)
	case n < 1<<20:
		return fmt.Sprintf("%d KB", (n+1<<9)>>10)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
}

func lineCount(s string) int {
	s = strings.TrimRight(s, "\n")
	if s == "" {
		return 0
	}
	return strings.Count(s, "\n") + 1
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
