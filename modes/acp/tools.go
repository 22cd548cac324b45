package acp

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/tool"
)

// call is a tool call on its way. It isn't announced before it is known what it
// does: by a question, by its start, or by its failure before that.
type call struct {
	name      string
	arguments json.RawMessage
	announced bool
	last      toolCall // what was told of it
	title     string
	kind      string
	locations []location
	diffs     []toolContent
	terminal  string // that shows its output, "" without one
	ran       bool
	output    output
}

// output is what of a running command's output was told.
type output struct {
	told string
	at   time.Time
}

// While a command runs, the end of its output is told this often and up to this
// many bytes.
const (
	progressEvery = 200 * time.Millisecond
	maxProgress   = 8 << 10
)

func itoa(n int) string { return strconv.Itoa(n) }

func (p *projection) tool(e event.Event, now time.Time) []any {
	switch e := e.(type) {
	case event.ToolStarted:
		p.calls[e.CallID] = &call{name: e.Name, arguments: e.Arguments, title: e.Name, kind: string(tool.Other)}
	case event.ToolRunning:
		c := p.call(e.CallID, e.Name)
		c.arguments = e.Arguments
		p.describe(c, e.Title, e.ToolKind, e.Locations)
		p.change(c, e.Diff)
		return p.running(e.CallID, c)
	case event.ToolProgress:
		return p.progress(e, now)
	case event.ToolEnded:
		return p.finished(e)
	}
	return nil
}

func (p *projection) call(id, name string) *call {
	c := p.calls[id]
	if c == nil {
		c = &call{name: name, title: name, kind: string(tool.Other)}
		p.calls[id] = c
	}
	return c
}

// describe takes over what the engine says of the call. For a command the title
// is the command itself.
func (p *projection) describe(c *call, title, kind string, places []event.Location) {
	c.title, c.kind = title, kind
	if command := c.command(); kind == string(tool.Execute) && command != "" {
		c.title = tool.Line(command, 500)
	}
	c.locations = nil
	for _, l := range places {
		if filepath.IsAbs(l.Path) && (kind == string(tool.Read) || kind == string(tool.Edit)) && !p.folder(l.Path) {
			c.locations = append(c.locations, location{l.Path, l.Line})
		}
	}
}

// command is the script of a call that runs one.
func (c *call) command() string {
	var a struct{ Command string }
	_ = json.Unmarshal(c.arguments, &a)
	return strings.TrimSpace(a.Command)
}

// change keeps what the call does to its file, and says where.
func (p *projection) change(c *call, diff string) {
	if diff == "" || len(c.locations) == 0 || len(c.diffs) > 0 {
		return
	}
	c.diffs = diffs(c.locations[0].Path, diff, p.read)
	if found := hunks(diff); len(found) > 0 && c.locations[0].Line == 0 {
		c.locations[0].Line = firstChanged(found[0]) + 1
	}
}

// firstChanged is the first line, from 0, of the new text that is another.
func firstChanged(h hunk) int {
	n := 0
	for n < len(h.old) && n < len(h.new) && h.old[n] == h.new[n] {
		n++
	}
	return h.to + n
}

// announce makes the call known, or tells what is new of it. A terminal of ours
// is there from the beginning: clients make one only then.
func (p *projection) announce(id string, c *call, status string) toolCall {
	t := toolCall{
		SessionUpdate: "tool_call", ToolCallID: id, Title: c.title, Name: c.name, Kind: c.kind, Status: status,
		RawInput: object(c.arguments), Locations: c.locations, Content: c.diffs,
	}
	last := c.last
	c.last = t
	if !c.announced {
		c.announced = true
		if c.kind == string(tool.Execute) && bool(p.client.Meta.TerminalOutput) && c.command() != "" {
			c.terminal = id
			t.Content = append(slices.Clone(t.Content), toolContent{Type: "terminal", TerminalID: id})
			t.Meta = map[string]any{"terminal_info": map[string]any{"terminal_id": id}}
		}
		return t
	}
	t.SessionUpdate, t.Name, t.Content = "tool_call_update", "", nil
	if t.Title == last.Title {
		t.Title = ""
	}
	if t.Kind == last.Kind {
		t.Kind = ""
	}
	if string(t.RawInput) == string(last.RawInput) {
		t.RawInput = nil
	}
	if slices.Equal(t.Locations, last.Locations) {
		t.Locations = nil
	}
	return t
}

// running tells that a call is at work.
func (p *projection) running(id string, c *call) []any {
	c.ran = true
	return one(p.announce(id, c, "in_progress"))
}

// inTerminal shows a call's output in one of the editor's terminals.
func (p *projection) inTerminal(id, terminal string) []any {
	c := p.calls[id]
	if c == nil || !c.announced {
		return nil
	}
	c.terminal = terminal
	return one(toolCall{
		SessionUpdate: "tool_call_update", ToolCallID: id,
		Content: []toolContent{{Type: "terminal", TerminalID: terminal}},
	})
}

// progress tells more of a call's output: what is new where the editor shows a
// terminal of ours, else its end.
func (p *projection) progress(e event.ToolProgress, now time.Time) []any {
	c := p.calls[e.CallID]
	text := message.Text(e.Content)
	if c == nil || !c.announced || text == "" || text == c.output.told {
		return nil
	}
	switch {
	case c.terminal == e.CallID:
		return one(p.terminalOutput(e.CallID, c, text))
	case c.terminal != "" || now.Sub(c.output.at) < progressEvery:
		return nil
	}
	c.output = output{text, now}
	shown := textContent(tail(text))
	return one(toolCall{
		SessionUpdate: "tool_call_update", ToolCallID: e.CallID,
		Content: append(slices.Clone(c.diffs), toolContent{Type: "content", Content: &shown}),
	})
}

// tail is the end of a long text.
func tail(text string) string {
	if len(text) <= maxProgress {
		return text
	}
	return strings.ToValidUTF8(text[len(text)-maxProgress:], "")
}

// joint is by how many bytes a new end of an output is joined to the old one.
const joint = 256

// terminalOutput tells what a terminal of ours shows next.
func (p *projection) terminalOutput(id string, c *call, text string) toolCall {
	news, joined := strings.CutPrefix(text, c.output.told)
	if !joined { // only the end of a long output is at hand
		news = "\n" + text
		last := c.output.told[max(0, len(c.output.told)-joint):]
		if at := strings.LastIndex(text, last); at >= 0 {
			news = text[at+len(last):]
		}
	}
	c.output.told = text
	return toolCall{SessionUpdate: "tool_call_update", ToolCallID: id, Meta: map[string]any{
		"terminal_output": map[string]any{"terminal_id": id, "data": strings.ReplaceAll(news, "\n", "\r\n")},
	}}
}

// finished tells how a call ended.
func (p *projection) finished(e event.ToolEnded) []any {
	c := p.call(e.CallID, e.Name)
	delete(p.calls, e.CallID)
	var updates []any
	if !c.announced {
		updates = append(updates, p.announce(e.CallID, c, "pending"))
	}
	text := message.Text(e.Content)
	end := toolCall{SessionUpdate: "tool_call_update", ToolCallID: e.CallID, Kind: c.kind, Status: "completed", RawOutput: text}
	if e.IsError {
		end.Status = "failed"
	}
	end.Content = c.result(e, p.read)
	if c.terminal != "" && c.ran {
		end.Content = []toolContent{{Type: "terminal", TerminalID: c.terminal}}
	}
	if c.terminal == e.CallID {
		if c.ran && text != "" && text != c.output.told {
			updates = append(updates, p.terminalOutput(e.CallID, c, text))
		}
		end.Meta = map[string]any{"terminal_exit": exitOf(e)}
	}
	return append(updates, end)
}

// result is what a finished call shows: the change of a file, else what the
// model was told.
func (c *call) result(e event.ToolEnded, read func(string) (string, bool)) []toolContent {
	var list []toolContent
	if !e.IsError {
		list = slices.Clone(c.diffs)
		if len(list) == 0 && c.kind == string(tool.Edit) {
			list = storedDiff(e.Details, read)
		}
	}
	if len(list) > 0 {
		return list
	}
	for _, b := range contents(e.Content) {
		list = append(list, toolContent{Type: "content", Content: &b})
	}
	return list
}

// storedDiff is the change that a result's details hold.
func storedDiff(details json.RawMessage, read func(string) (string, bool)) []toolContent {
	var d struct {
		Path, Diff string
		Created    bool
	}
	if json.Unmarshal(details, &d) != nil || !filepath.IsAbs(d.Path) {
		return nil
	}
	list := diffs(d.Path, d.Diff, read)
	if d.Created && len(list) == 1 {
		list[0].OldText = nil
	}
	return list
}

func exitOf(e event.ToolEnded) map[string]any {
	exit := map[string]any{"terminal_id": e.CallID}
	var d struct{ ExitCode *int }
	_ = json.Unmarshal(e.Details, &d)
	switch {
	case d.ExitCode != nil:
		exit["exit_code"] = *d.ExitCode
	case e.IsError:
		exit["signal"] = "SIGTERM"
	default:
		exit["exit_code"] = 0
	}
	return exit
}
