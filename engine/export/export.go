// Package export writes a conversation as a page, a document or a copy of the
// session.
//
//	session.Document ─▶ Of ─▶ Transcript ─▶ HTML      a page that stands alone
//	                                     ─▶ Markdown  fences hold what is foreign
//	                 ─▶ JSONL                         the session itself
//
// What was said is hostile until it is written: control characters go through
// sanitize, text is escaped for the format, images are decoded and of a type
// that cannot carry code. A page loads nothing and runs nothing, and says so
// to the browser.
package export

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
	"github.com/hoopoe-agent/hoopoe/engine/session"
)

// Transcript is what is shown of a session.
type Transcript struct {
	Title    string
	ID       string
	Cwd      string
	Created  time.Time
	Messages []message.Message
}

// Of takes the transcript of the branch that ends in the document's leaf, all
// of it: what a compaction took out of the context is still told.
func Of(d *session.Document) Transcript {
	h := d.Header()
	t := Transcript{Title: d.Name(), ID: h.ID, Cwd: h.Cwd, Created: h.Timestamp}
	for _, e := range d.Path() {
		if m, ok := e.AsMessage(); ok {
			t.Messages = append(t.Messages, m)
		}
	}
	if t.Title == "" {
		t.Title = t.firstPrompt()
	}
	return t
}

// JSONL writes the session as its file has it.
func JSONL(w io.Writer, d *session.Document) error {
	if _, err := d.WriteTo(w); err != nil {
		return fmt.Errorf("export session: %w", err)
	}
	return nil
}

func (t Transcript) firstPrompt() string {
	const most = 80
	for _, m := range t.Messages {
		if m.Role != message.User || m.Text() == "" {
			continue
		}
		title := []rune(session.CleanName(m.Text()))
		if len(title) > most {
			title = append(title[:most-1], '…')
		}
		return string(title)
	}
	return "Session"
}

// fact is a line of the head of a transcript.
type fact struct{ name, value string }

func (t Transcript) facts() []fact {
	facts := []fact{{"Session", t.ID}, {"Folder", t.Cwd}}
	if !t.Created.IsZero() {
		facts = append(facts, fact{"Started", t.Created.UTC().Format("2006-01-02 15:04 UTC")})
	}
	var usage message.Usage
	var models []string
	seen := map[string]bool{}
	for _, m := range t.Messages {
		if m.Role != message.Assistant {
			continue
		}
		usage = usage.Add(m.Usage)
		if name := m.Provider + "/" + m.Model; !seen[name] && name != "/" {
			seen[name] = true
			models = append(models, name)
		}
	}
	if len(models) > 0 {
		facts = append(facts, fact{"Model", strings.Join(models, ", ")})
	}
	if in := usage.Input + usage.CacheRead + usage.CacheWrite; in+usage.Output > 0 {
		facts = append(facts, fact{"Tokens", fmt.Sprintf("%d in, %d out", in, usage.Output)})
	}
	if usage.Cost.Total > 0 {
		facts = append(facts, fact{"Cost", fmt.Sprintf("$%.4f", usage.Cost.Total)})
	}
	out := facts[:0]
	for _, f := range facts {
		if f.value = sanitize.Line(f.value); f.value != "" {
			out = append(out, f)
		}
	}
	return out
}

// results pairs tool calls with what came of them.
type results struct {
	messages []message.Message
	byCall   map[string][]int // message numbers, in order
	told     map[int]bool
}

func pair(messages []message.Message) *results {
	r := &results{messages: messages, byCall: map[string][]int{}, told: map[int]bool{}}
	calls := map[string]bool{}
	for i, m := range messages {
		for _, c := range m.Calls() {
			calls[c.ID] = true
		}
		if m.Role == message.ToolResult && calls[m.ToolCallID] {
			r.byCall[m.ToolCallID] = append(r.byCall[m.ToolCallID], i)
		}
	}
	return r
}

// take returns the result of a call, nil if there is none. Each result is
// told once; one that belongs to no call is told where it stands.
func (r *results) take(call string) *message.Message {
	waiting := r.byCall[call]
	if len(waiting) == 0 {
		return nil
	}
	i := waiting[0]
	r.byCall[call], r.told[i] = waiting[1:], true
	return &r.messages[i]
}

// section is what a message is called and how it is shown.
type section struct {
	title string
	class string // of the page
	fold  bool   // not said by or to the user: shown folded
}

func sectionOf(m message.Message) section {
	switch m.Role {
	case message.User:
		if m.Synthetic {
			return section{"Note to the model", "note", true}
		}
		return section{"User", "user", false}
	case message.Assistant:
		return section{"Assistant", "assistant", false}
	case message.Developer:
		return section{"Note to the model", "note", true}
	case message.ToolResult:
		return section{"Result of " + orUnknown(m.ToolName), "tool", false}
	case message.BashExecution:
		return section{"Command of the user", "tool", false}
	case message.Custom:
		return section{"Extension " + orUnknown(m.CustomType), "note", !m.Display}
	case message.BranchSummary:
		return section{"Summary of another branch", "note", true}
	case message.CompactionSummary:
		return section{"Summary of what came before", "note", true}
	case message.FileMention:
		return section{"Files mentioned", "note", true}
	}
	return section{"Message of type " + orUnknown(string(m.Role)), "note", true}
}

func orUnknown(name string) string {
	if name = sanitize.Line(name); name == "" {
		return "unknown"
	}
	return name
}

// indented returns JSON for reading; what is no JSON comes back as it is.
func indented(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return string(raw)
	}
	return b.String()
}

// arguments returns a call's arguments for reading.
func arguments(call message.Block) string {
	if call.Malformed != "" {
		return call.Malformed
	}
	return indented(call.Arguments)
}

// diffOf returns the diff in a tool result's details, "" if there is none.
func diffOf(m message.Message) string {
	var details struct {
		Diff string `json:"diff"`
	}
	if json.Unmarshal(m.Details, &details) != nil {
		return ""
	}
	return details.Diff
}

// mentioned is a file of a fileMention message.
type mentioned struct {
	Path    string `json:"path"`
	Content string `json:"content"`
}

func mentions(m message.Message) []mentioned {
	var files []mentioned
	if json.Unmarshal(m.Files, &files) != nil {
		return nil
	}
	return files
}

// outcome says in words how a command of the user ended.
func outcome(b message.Bash) string {
	switch {
	case b.Cancelled:
		return "cancelled"
	case b.ExitCode == nil:
		return "killed"
	}
	return fmt.Sprintf("exit code %d", *b.ExitCode)
}
