package acp

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// projection turns a session's events into updates. It does no I/O of its own
// and reads no clock.
type projection struct {
	client clientCapabilities
	// read is a file's text now, for diffs.
	read func(path string) (text string, there bool)
	// folder reports whether a path is one: editors open locations as files.
	folder func(path string) bool

	told  map[string][]int // bytes of each block of an answer, by its id
	calls map[string]*call
	// compactions counts them: their ids.
	compactions int
}

func newProjection(c clientCapabilities, read func(string) (string, bool), folder func(string) bool) *projection {
	return &projection{client: c, read: read, folder: folder, told: map[string][]int{}, calls: map[string]*call{}}
}

// event returns the updates of an event.
func (p *projection) event(e event.Event, now time.Time) []any {
	switch e := e.(type) {
	case event.MessageDelta:
		return p.delta(e)
	case event.MessageEnded:
		return p.ended(e)
	case event.ToolStarted, event.ToolRunning, event.ToolProgress, event.ToolEnded:
		return p.tool(e, now)
	case event.TodosChanged:
		return one(planOf(e.Phases))
	case event.UsageChanged:
		return usageOf(e)
	case event.ModeChanged:
		return one(modeUpdate{"current_mode_update", e.Mode})
	case event.SessionNamed:
		return one(infoUpdate{SessionUpdate: "session_info_update", Title: e.Name})
	case event.CompactionStarted, event.CompactionEnded:
		return p.compaction(e)
	}
	return p.notice(e)
}

func one(update any) []any { return []any{update} }

// delta tells what is new of a block.
func (p *projection) delta(d event.MessageDelta) []any {
	if names[d.Block] == "" {
		return nil
	}
	told := p.told[d.ID]
	for len(told) <= d.Index {
		told = append(told, 0)
	}
	p.told[d.ID] = told
	if len(d.Text) <= told[d.Index] {
		return nil
	}
	news := d.Text[told[d.Index]:]
	told[d.Index] = len(d.Text)
	return one(chunk{names[d.Block], textContent(news), d.ID})
}

// names are the updates of the blocks that are told while they grow.
var names = map[message.BlockType]string{
	message.TextBlock: "agent_message_chunk", message.ThinkingBlock: "agent_thought_chunk",
}

// ended tells what of an answer was never streamed.
func (p *projection) ended(e event.MessageEnded) []any {
	told := p.told[e.ID]
	delete(p.told, e.ID)
	if e.Message.Role == message.Custom && e.Message.Display {
		return chunks("agent_message_chunk", e.ID, e.Message.Content)
	}
	if e.Message.Role != message.Assistant {
		return nil
	}
	var updates []any
	for i, b := range e.Message.Content {
		n := 0
		if i < len(told) {
			n = told[i]
		}
		if name := names[b.Type]; name != "" && n < len(b.Text) {
			updates = append(updates, chunk{name, textContent(b.Text[n:]), e.ID})
		}
	}
	return updates
}

// chunks tell a whole message.
func chunks(name, id string, blocks []message.Block) []any {
	var updates []any
	for _, c := range contents(blocks) {
		updates = append(updates, chunk{name, c, id})
	}
	return updates
}

// maxImage bounds a picture that is told, in bytes of its data: clients have
// limits for a line.
const maxImage = 6 << 20

// contents are the blocks that a person can see.
func contents(blocks []message.Block) []contentBlock {
	var list []contentBlock
	for _, b := range blocks {
		switch {
		case b.Type == message.TextBlock && b.Text != "":
			list = append(list, textContent(b.Text))
		case b.Type == message.ImageBlock && len(b.Data) > maxImage:
			list = append(list, textContent("[a picture that is too large to be shown again]"))
		case b.Type == message.ImageBlock && b.Data != "":
			list = append(list, contentBlock{Type: "image", Data: b.Data, MimeType: b.MimeType})
		}
	}
	return list
}

func planOf(phases []message.TodoPhase) plan {
	p := plan{"plan", []planEntry{}}
	for _, phase := range phases {
		for _, t := range phase.Tasks {
			switch t.Status {
			case "pending", "in_progress", "completed":
				p.Entries = append(p.Entries, planEntry{t.Content, "medium", t.Status})
			}
		}
	}
	return p
}

func usageOf(e event.UsageChanged) []any {
	if e.ContextTokens < 0 || e.ContextWindow <= 0 {
		return nil
	}
	u := usageUpdate{SessionUpdate: "usage_update", Used: e.ContextTokens, Size: e.ContextWindow}
	if e.Total.Cost.Total > 0 {
		u.Cost = &cost{e.Total.Cost.Total, "USD"}
	}
	return one(u)
}

// notice tells people what isn't part of the conversation, where the editor has
// a place for it.
func (p *projection) notice(e event.Event) []any {
	n := noticeUpdate{SessionUpdate: "notice", Severity: "info"}
	switch e := e.(type) {
	case event.Notice:
		n.Severity, n.Title = e.Level, e.Text
		if e.Source != "" {
			n.Title = e.Source + ": " + e.Text
		}
	case event.ExtensionFailed:
		n.Severity, n.Title, n.Description = "warning", "The extension "+e.Extension+" failed", e.Point+": "+e.Error
	case event.RetryScheduled:
		n.Title = "The request failed and is tried again in " + (time.Duration(e.DelayMS) * time.Millisecond).Round(time.Second/10).String()
		n.Description = e.Error
	default:
		return nil
	}
	if !p.client.Session.Notices {
		return nil
	}
	return one(n)
}

func (p *projection) compaction(e event.Event) []any {
	u := compactionUpdate{SessionUpdate: "compaction_update", Status: "in_progress"}
	switch e := e.(type) {
	case event.CompactionStarted:
		p.compactions++
	case event.CompactionEnded:
		u.Status = "completed"
		switch {
		case e.Aborted:
			u.Status = "cancelled"
		case e.Error != "":
			u.Status, u.Error = "failed", e.Error
		case e.Result != nil && e.Result.Summary != "":
			u.Summary = []contentBlock{textContent(e.Result.Summary)}
		}
	}
	if !p.client.Session.Compaction {
		return nil
	}
	u.CompactionID = "compaction-" + itoa(p.compactions)
	return one(u)
}

// object returns raw JSON of an object; a call has no other arguments.
func object(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 || !strings.HasPrefix(strings.TrimSpace(string(raw)), "{") {
		return json.RawMessage("{}")
	}
	return raw
}
