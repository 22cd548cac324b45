package tui

import (
	"fmt"
	"strings"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/tui/card"
	"github.com/hoopoe-agent/hoopoe/tui/image"
	"github.com/hoopoe-agent/hoopoe/tui/markdown"
	"github.com/hoopoe-agent/hoopoe/tui/transcript"
)

// story turns events into the items of the transcript. It holds references to
// what may still change; what is over lives in the list alone.
type story struct {
	list transcript.List
	look *transcript.Look

	// answers are the messages in flight, by id: their items by block index.
	answers map[string]map[int]transcript.Item
	// owned are the items of each assistant message since the last prompt,
	// for a message that is removed again.
	owned map[string][]transcript.Item
	cards map[string]*card.Card // calls and user's commands that haven't ended
	// draw has an extension draw one of its messages; nil: their text is shown.
	draw func(*guestMessage, drawing)
	// plainLinks says that the terminal shows no links.
	plainLinks bool
}

func newStory(look *transcript.Look) *story {
	s := &story{look: look}
	s.list.Look = look
	s.forget()
	return s
}

func (s *story) forget() {
	s.answers = map[string]map[int]transcript.Item{}
	s.owned = map[string][]transcript.Item{}
	s.cards = map[string]*card.Card{}
}

// restyle renders everything anew, with other styles.
func (s *story) restyle() {
	s.look.Markdown = markdown.New(s.look.Styles)
	s.look.Markdown.Bidi, s.look.Markdown.PlainLinks = s.look.Bidi, s.plainLinks
	s.list.Invalidate()
}

// show replaces everything by a picture of the session.
func (s *story) show(v event.View) {
	s.list.Reset()
	s.forget()
	for _, m := range v.Messages {
		s.message(m)
	}
	if v.InFlight != nil {
		s.begin(v.InFlight.ID, *v.InFlight)
		for i, b := range v.InFlight.Content {
			s.delta(event.MessageDelta{ID: v.InFlight.ID, Index: i, Block: b.Type, CallID: b.ID, Name: b.Name, Text: blockText(b)})
		}
	}
	running := map[string]bool{}
	for _, r := range v.Running {
		running[r.CallID] = true
		s.running(r)
	}
	if v.Question != nil {
		running[v.Question.CallID] = true
	}
	for id, c := range s.cards {
		// Without a run nothing will end these calls: the session was cut off.
		if !running[id] && v.State == "idle" {
			c.End(card.Result{Failed: true, Content: []message.Block{message.TextOf("Tool execution was aborted")}})
			delete(s.cards, id)
		}
	}
}

func blockText(b message.Block) string {
	if b.Type == message.ToolCallBlock {
		return string(b.Arguments)
	}
	return b.Text
}

// message adds one that is complete.
func (s *story) message(m message.Message) {
	switch m.Role {
	case message.User:
		p := &transcript.Prompt{Look: s.look, Text: strings.TrimSpace(m.Text())}
		for _, b := range m.Content {
			if b.Type == message.ImageBlock {
				p.Images++
				p.Pictures = append(p.Pictures, image.Open(b.Data))
			}
		}
		s.owned = map[string][]transcript.Item{}
		s.list.Append(p)
	case message.Assistant:
		s.begin(m.ID, m)
		s.end(m)
	case message.ToolResult:
		s.result(m)
	case message.BashExecution:
		if m.Bash != nil {
			c := card.NewBash(s.look, m.Bash.Command, m.Bash.ExcludeFromContext)
			c.EndBash(*m.Bash)
			s.list.Append(c)
		}
	case message.BranchSummary:
		s.list.Append(&transcript.Summary{Look: s.look, Title: "summary of another branch", Text: m.Summary})
	case message.CompactionSummary:
		title := "earlier messages were summarised"
		if m.TokensBefore > 0 {
			title += fmt.Sprintf(" (%d tokens)", m.TokensBefore)
		}
		s.list.Append(&transcript.Summary{Look: s.look, Title: title, Text: m.Summary})
	case message.Custom:
		if m.Display {
			s.list.Append(&guestMessage{look: s.look, message: m, draw: s.draw})
		}
	}
}

// begin opens an assistant message.
func (s *story) begin(id string, m message.Message) {
	if m.Role == message.Assistant {
		s.answers[id] = map[int]transcript.Item{}
	}
}

// delta brings one block of an answer up to date.
func (s *story) delta(d event.MessageDelta) {
	blocks, ok := s.answers[d.ID]
	if !ok {
		return
	}
	it, ok := blocks[d.Index]
	if !ok {
		switch d.Block {
		case message.TextBlock:
			it = transcript.NewAnswer(s.look)
		case message.ThinkingBlock:
			it = &transcript.Thinking{Look: s.look}
		case message.ToolCallBlock:
			it = s.card(d.CallID, d.Name, d.Text)
		default:
			return
		}
		blocks[d.Index] = it
		s.own(d.ID, it)
	}
	switch it := it.(type) {
	case *transcript.Answer:
		it.Set(d.Text, d.Done)
	case *transcript.Thinking:
		it.Set(d.Text, d.Done)
	case *card.Card:
		if it.State() == card.Queued {
			it.SetArguments(d.Name, d.Text)
		}
	}
}

func (s *story) own(id string, it transcript.Item) {
	s.owned[id] = append(s.owned[id], it)
	if c, ok := it.(*card.Card); ok {
		s.place(c)
		return
	}
	s.list.Append(it)
}

// place appends a card that isn't in the list yet; it closes up to one right
// before it.
func (s *story) place(c *card.Card) {
	if c.Placed() {
		return
	}
	after := false
	if n := s.list.Len(); n > 0 {
		_, after = s.list.Item(n - 1).(*card.Card)
	}
	c.Place(after)
	s.list.Append(c)
}

// card returns the card of a call, making one that isn't in the list yet.
func (s *story) card(callID, name, arguments string) *card.Card {
	if c, ok := s.cards[callID]; ok {
		return c
	}
	c := card.New(s.look, name, arguments)
	s.cards[callID] = c
	return c
}

// end closes an assistant message with what was stored of it.
func (s *story) end(m message.Message) {
	blocks, ok := s.answers[m.ID]
	if !ok {
		return
	}
	delete(s.answers, m.ID)
	if len(blocks) == 0 {
		s.whole(m)
	}
	kept := map[string]bool{}
	for _, c := range m.Calls() {
		kept[c.ID] = true
	}
	for _, it := range blocks {
		switch it := it.(type) {
		case *transcript.Answer:
			it.Finish()
		case *transcript.Thinking:
			it.Finish()
		}
	}
	for id, c := range s.cards {
		// A call whose arguments were cut off is not part of the message.
		if !kept[id] && contains(blocks, c) && c.State() == card.Queued {
			s.list.Remove(c)
			delete(s.cards, id)
		}
	}
	switch m.StopReason {
	case message.Length:
		s.notice("warning", "The answer reached the model's output limit and was cut off.")
	case message.Refusal:
		s.notice("warning", "The provider refused to answer. "+m.ErrorMessage)
	}
}

func contains(blocks map[int]transcript.Item, it transcript.Item) bool {
	for _, b := range blocks {
		if b == it {
			return true
		}
	}
	return false
}

// whole adds the blocks of a message that didn't stream.
func (s *story) whole(m message.Message) {
	for _, b := range m.Content {
		var it transcript.Item
		switch b.Type {
		case message.TextBlock:
			if strings.TrimSpace(b.Text) == "" {
				continue
			}
			a := transcript.NewAnswer(s.look)
			a.Set(b.Text, true)
			it = a
		case message.ThinkingBlock:
			t := &transcript.Thinking{Look: s.look}
			t.Set(b.Text, true)
			it = t
		case message.ToolCallBlock:
			it = s.card(b.ID, b.Name, string(b.Arguments))
		default:
			continue
		}
		s.own(m.ID, it)
	}
}

// remove takes a message off the screen.
func (s *story) remove(id string) {
	for _, it := range s.owned[id] {
		s.list.Remove(it)
		for call, c := range s.cards {
			if it == transcript.Item(c) {
				delete(s.cards, call)
			}
		}
	}
	delete(s.owned, id)
	delete(s.answers, id)
}

func (s *story) started(e event.ToolStarted) {
	c := s.card(e.CallID, e.Name, string(e.Arguments))
	c.SetArguments(e.Name, string(e.Arguments))
	s.place(c)
	s.shareRows()
}

func (s *story) running(e event.ToolRunning) {
	c := s.card(e.CallID, e.Name, string(e.Arguments))
	s.place(c)
	c.Run(e.Title, e.ToolKind, e.Diff)
}

func (s *story) ended(e event.ToolEnded) {
	if c, ok := s.cards[e.CallID]; ok {
		c.End(card.Result{Content: e.Content, Details: e.Details, Failed: e.IsError, Denied: e.Denied, Duration: time.Duration(e.DurationMS) * time.Millisecond})
		delete(s.cards, e.CallID)
		s.shareRows()
	}
}

// agent tells the card of a task call what its sub-agent does.
func (s *story) agent(e event.SubagentEvent, now time.Time) {
	if c, ok := s.cards[e.CallID]; ok {
		c.Agent(e.Event, now)
	}
}

// tick lets the time of working sub-agents go on.
func (s *story) tick(now time.Time) {
	for _, c := range s.cards {
		c.Tick(now)
	}
}

// shareRows gives working sub-agents less room each when there are many.
func (s *story) shareRows() {
	var tasks []*card.Card
	for _, c := range s.cards {
		if c.Task() {
			tasks = append(tasks, c)
		}
	}
	rows := 0
	if len(tasks) > 2 {
		rows = 1
	}
	for _, c := range tasks {
		c.SetRows(rows)
	}
}

// result closes the card of a stored call; a live one has ended already.
func (s *story) result(m message.Message) {
	if c, ok := s.cards[m.ToolCallID]; ok {
		c.End(card.Result{Content: m.Content, Details: m.Details, Failed: m.IsError})
		delete(s.cards, m.ToolCallID)
	}
}

func (s *story) bashStarted(e event.BashStarted) {
	c := card.NewBash(s.look, e.Command, false)
	s.cards[e.ID] = c
	s.list.Append(c)
}

func (s *story) bashEnded(e event.BashEnded) {
	c, ok := s.cards[e.ID]
	if !ok {
		s.message(e.Message)
		return
	}
	if e.Message.Bash != nil {
		c.EndBash(*e.Message.Bash)
	}
	delete(s.cards, e.ID)
}

func (s *story) notice(level, text string) {
	s.list.Append(&transcript.Notice{Look: s.look, Level: transcript.Level(level), Text: text})
}
