package rpc

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/modes/internal/wire"
)

// projection turns the session's events into frames of a dialect. It does no
// I/O and reads no clock: the writer gives it the time and asks it for what it
// holds back.
type projection struct {
	dialect string
	deltas  bool // leave the message out of its updates
	titles  bool

	answer *answer
	calls  map[string]toolStart // calls in progress
	asked  map[string]bool      // dialogs that the host shows
	bash   shell
	next   int // counts requests that need no answer
}

func newProjection(o Options) *projection {
	return &projection{
		dialect: o.Dialect, deltas: o.Deltas, titles: o.Titles || o.Dialect == Pi,
		calls: map[string]toolStart{}, asked: map[string]bool{},
	}
}

// event returns the frames of one event. What was held back of an answer goes
// before everything that follows it.
func (p *projection) event(e event.Event, now time.Time) []any {
	if d, ok := e.(event.MessageDelta); ok {
		return p.delta(d, now)
	}
	return append(p.flush(now), p.frames(e)...)
}

func (p *projection) frames(e event.Event) []any {
	switch e := e.(type) {
	case event.RunStarted:
		return one(plain{"agent_start"})
	case event.RunEnded:
		return one(agentEnd{"agent_end", wireMessages(e.Messages), e.Will == event.WillRetry})
	case event.RunSettled:
		return one(agentSettled{"agent_settled", e.Aborted})
	case event.TurnStarted:
		return one(plain{"turn_start"})
	case event.TurnEnded:
		return one(turnEnd{"turn_end", wireMessage(e.Message), wireMessages(e.ToolResults)})
	case event.MessageStarted:
		if e.Message.Role == message.Assistant {
			p.answer = &answer{id: e.ID, start: wireMessage(e.Message)}
		}
		return one(messageFrame{"message_start", wireMessage(e.Message)})
	case event.MessageEnded:
		if p.answer != nil && p.answer.id == e.ID {
			p.answer = nil
		}
		return one(messageFrame{"message_end", wireMessage(e.Message)})
	case event.ToolStarted, event.ToolRunning, event.ToolProgress, event.ToolEnded:
		return p.tool(e)
	case event.RetryScheduled:
		return one(retryStart{"auto_retry_start", e.Attempt, e.MaxAttempts, e.DelayMS, e.Error})
	case event.RetryEnded:
		return one(retryEnd{"auto_retry_end", e.Success, e.Attempt, e.Error})
	case event.CompactionStarted, event.CompactionEnded:
		return p.compaction(e)
	case event.RuleTriggered:
		return one(rulesTriggered{"ttsr_triggered", listed(e.Rules)})
	case event.TodoReminder:
		return one(reminder(e))
	case event.TodoCleared:
		return one(plain{"todo_auto_clear"})
	case event.ExtensionFailed:
		return one(extensionError{"extension_error", e.Extension, point(e.Point), e.Error})
	case event.PromptFailed:
		return one(failureOf(e.Ref, e.Error))
	case event.SessionReplaced:
		p.answer = nil
		clear(p.calls)
	}
	if frames := p.ui(e); frames != nil {
		return frames
	}
	return p.piOnly(e)
}

// point is a hook's name as the family has it.
func point(name string) string {
	switch name {
	case "run_end":
		return "agent_end"
	case "before_run":
		return "before_agent_start"
	case "before_compact":
		return "session_before_compact"
	case "before_replace":
		return "session_before_switch"
	case "replaced":
		return "session_switch"
	}
	return name
}

func one(frame any) []any { return []any{frame} }

func (p *projection) tool(e event.Event) []any {
	switch e := e.(type) {
	case event.ToolStarted:
		start := toolStart{"tool_execution_start", e.CallID, e.Name, message.Object(e.Arguments)}
		p.calls[e.CallID] = start
		return one(start)
	case event.ToolRunning:
		start := p.calls[e.CallID]
		start.ToolCallID, start.ToolName, start.Args = e.CallID, e.Name, message.Object(e.Arguments)
		p.calls[e.CallID] = start
	case event.ToolProgress:
		start := p.calls[e.CallID]
		return one(toolUpdate{"tool_execution_update", e.CallID, start.ToolName, message.Object(start.Args), toolContent{listed(e.Content), e.Details}})
	case event.ToolEnded:
		delete(p.calls, e.CallID)
		return one(toolEnd{"tool_execution_end", e.CallID, e.Name, toolContent{listed(e.Content), e.Details}, e.IsError})
	}
	return nil
}

// compaction is told in the words of the dialect. The default one says nothing
// of a compaction that a command asked for: its response does.
func (p *projection) compaction(e event.Event) []any {
	switch e := e.(type) {
	case event.CompactionStarted:
		switch {
		case p.dialect == Pi:
			return one(compactionStart{Type: "compaction_start", Reason: e.Reason})
		case e.Reason != "manual":
			return one(compactionStart{"auto_compaction_start", e.Reason, wholeContext})
		}
	case event.CompactionEnded:
		// What goes on after a threshold is a new run, no second try.
		again := e.WillRetry && e.Reason == "overflow"
		end := compactionEnd{Result: e.Result, Aborted: e.Aborted, WillRetry: again, ErrorMessage: e.Error}
		switch {
		case p.dialect == Pi:
			end.Type, end.Reason = "compaction_end", e.Reason
			return one(end)
		case e.Reason != "manual":
			end.Type, end.Action, end.Skipped = "auto_compaction_end", wholeContext, e.Skipped
			return one(end)
		}
	}
	return nil
}

// wholeContext is the family's name for a compaction that replaces the old part
// of the context by a summary.
const wholeContext = "context-full"

func reminder(e event.TodoReminder) todoReminder {
	r := todoReminder{"todo_reminder", []reminderTodo{}, e.Attempt, e.MaxAttempts}
	for _, t := range e.Todos {
		r.Todos = append(r.Todos, reminderTodo{t.ID, t.Content, t.Status})
	}
	return r
}

// ui projects what concerns the host's screen: questions, and what extensions
// show without asking.
func (p *projection) ui(e event.Event) []any {
	switch e := e.(type) {
	case event.AskOpened:
		p.asked[e.Question.ID] = true
		return one(dialogRequest(e.Question))
	case event.AskClosed:
		shown := p.asked[e.ID]
		delete(p.asked, e.ID)
		if !shown || e.Answered || e.TimedOut {
			return nil
		}
		r := p.request("cancel")
		r.TargetID = e.ID
		return one(r)
	case event.Notice:
		if e.Source == "" {
			return one(notice{"notice", e.Level, e.Text})
		}
		r := p.request("notify")
		r.Message, r.NotifyType = &e.Text, e.Level
		return one(r)
	case event.StatusChanged:
		r := p.request("setStatus")
		r.StatusKey, r.StatusText = &e.Key, e.Text
		return one(r)
	case event.WidgetChanged:
		r := p.request("setWidget")
		r.WidgetKey, r.WidgetLines, r.WidgetPlacement = &e.Key, e.Lines, e.Placement
		return one(r)
	case event.TitleChanged:
		if !p.titles {
			return nil
		}
		r := p.request("setTitle")
		r.Title = &e.Title
		return one(r)
	case event.EditorTextSet:
		r := p.request("set_editor_text")
		r.Text = &e.Text
		return one(r)
	}
	return nil
}

// request is a UI request that the host doesn't answer.
func (p *projection) request(method string) uiRequest {
	p.next++
	return newUIRequest("ui_"+strconv.Itoa(p.next), method)
}

// piOnly are events that only pi's line of the family knows.
func (p *projection) piOnly(e event.Event) []any {
	if p.dialect != Pi {
		return nil
	}
	switch e := e.(type) {
	case event.QueueChanged:
		return one(queueUpdate{"queue_update", queueLists(e.Queue)})
	case event.BashStarted:
		p.bash = shell{ref: e.Ref, id: e.ID}
	case event.BashProgress:
		return p.bashOutput(e)
	case event.SessionNamed:
		return one(nameChanged{"session_info_changed", e.Name})
	case event.ThinkingChanged:
		return one(levelChanged{"thinking_level_changed", e.Level})
	}
	return nil
}

// shell is the host's command that runs, and how much of its output was told.
type shell struct{ ref, id, told string }

// bashOutput tells what a command has printed since. Only the end of a long
// output is at hand: what can't be joined to the rest begins anew.
func (p *projection) bashOutput(e event.BashProgress) []any {
	if p.bash.id != e.ID {
		return nil
	}
	news, joined := strings.CutPrefix(e.Output, p.bash.told)
	if !joined {
		news = e.Output
	}
	p.bash.told = e.Output
	if news == "" {
		return nil
	}
	return one(bashUpdate{"bash_execution_update", json.RawMessage(p.bash.ref), news})
}

// answer is the assistant message that is being told.
type answer struct {
	id     string
	start  message.Message
	blocks []block
	// at is when the last update that carried text was written.
	at time.Time
}

// block is one piece of it: what the model has said, and how much of it the
// host has been told.
type block struct {
	event.MessageDelta
	begun, ended bool
	told         int // bytes of Text
}

func (b *block) pending() bool { return b.begun && !b.ended && b.told < len(b.Text) }

// updateEvery is the least time between two updates of a message that bring
// only more text: every one of them holds the whole message.
const updateEvery = 33 * time.Millisecond

// delta takes news about a block. Its beginning and its end are told at once,
// text in between at intervals.
func (p *projection) delta(d event.MessageDelta, now time.Time) []any {
	a := p.answer
	if a == nil || a.id != d.ID {
		return nil
	}
	var frames []any
	for len(a.blocks) <= d.Index {
		a.blocks = append(a.blocks, block{})
	}
	for i := range a.blocks { // another block's rest goes before this one
		if i != d.Index && a.blocks[i].pending() {
			frames = append(frames, p.text(i, now))
		}
	}
	b := &a.blocks[d.Index]
	b.MessageDelta = d
	if names(d.Block) == "" {
		return frames
	}
	if !b.begun {
		b.begun = true
		frames = append(frames, p.begin(d.Index))
	}
	if b.pending() && (d.Done || now.Sub(a.at) >= updateEvery) {
		frames = append(frames, p.text(d.Index, now))
	}
	if d.Done && !b.ended {
		b.ended = true
		frames = append(frames, p.finish(d.Index))
	}
	return frames
}

// flush tells what was held back.
func (p *projection) flush(now time.Time) []any {
	if p.answer == nil {
		return nil
	}
	var frames []any
	for i := range p.answer.blocks {
		if p.answer.blocks[i].pending() {
			frames = append(frames, p.text(i, now))
		}
	}
	return frames
}

// due says when something that is held back has to be told.
func (p *projection) due() (at time.Time, ok bool) {
	if p.answer == nil {
		return at, false
	}
	for i := range p.answer.blocks {
		if p.answer.blocks[i].pending() {
			return p.answer.at.Add(updateEvery), true
		}
	}
	return at, false
}

func (p *projection) begin(i int) any {
	b := p.answer.blocks[i]
	e := assistantEvent{Type: names(b.Block) + "_start", ContentIndex: i}
	if b.Block == message.ToolCallBlock {
		e.ID, e.ToolName = b.CallID, b.Name
	}
	return p.update(e)
}

func (p *projection) text(i int, now time.Time) any {
	b := &p.answer.blocks[i]
	news := b.Text[b.told:]
	b.told = len(b.Text)
	p.answer.at = now
	return p.update(assistantEvent{Type: names(b.Block) + "_delta", ContentIndex: i, Delta: &news})
}

func (p *projection) finish(i int) any {
	b := p.answer.blocks[i]
	e := assistantEvent{Type: names(b.Block) + "_end", ContentIndex: i}
	if b.Block == message.ToolCallBlock {
		e.ToolCall = &message.Block{Type: b.Block, ID: b.CallID, Name: b.Name, Arguments: message.Object([]byte(b.Text))}
	} else {
		e.Content = &b.Text
	}
	return p.update(e)
}

// names are how the protocol calls the steps of a block.
func names(t message.BlockType) string {
	switch t {
	case message.TextBlock:
		return "text"
	case message.ThinkingBlock:
		return "thinking"
	case message.ToolCallBlock:
		return "toolcall"
	}
	return "" // redacted thinking has no steps
}

// update wraps an event, with the message so far unless the host wants none.
func (p *projection) update(e assistantEvent) any {
	u := messageUpdate{Type: "message_update", Usage: p.answer.start.Usage, Event: e}
	if !p.deltas {
		whole := p.answer.encoded()
		u.Message, u.Event.Partial = whole, whole
	}
	return u
}

// encoded is the message as far as the host has been told.
func (a *answer) encoded() json.RawMessage {
	m := a.start
	m.Content = make([]message.Block, 0, len(a.blocks))
	for i := range a.blocks {
		m.Content = append(m.Content, a.blocks[i].content())
	}
	return raw(m)
}

func (b *block) content() message.Block {
	out := message.Block{Type: b.Block}
	switch b.Block {
	case message.ToolCallBlock:
		out.ID, out.Name, out.Arguments = b.CallID, b.Name, wire.Partial(b.Text[:b.told])
	case "":
		out.Type = message.TextBlock // not told of yet
	default:
		out.Text = b.Text[:b.told]
	}
	return out
}
