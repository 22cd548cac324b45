package foreign

import (
	"encoding/json"

	"github.com/hoopoe-agent/hoopoe/engine/jsonl"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// claudeLine is a line of a session of Claude Code. Each block of an answer may
// have a line of its own, under the answer's id.
type claudeLine struct {
	Type        string        `json:"type"`
	UUID        string        `json:"uuid"`
	ParentUUID  string        `json:"parentUuid"`
	Logical     string        `json:"logicalParentUuid"`
	Cwd         string        `json:"cwd"`
	Timestamp   moment        `json:"timestamp"`
	Sidechain   bool          `json:"isSidechain"`
	Meta        bool          `json:"isMeta"`
	Summarising bool          `json:"isCompactSummary"`
	Summary     string        `json:"summary"`
	CustomTitle string        `json:"customTitle"`
	AITitle     string        `json:"aiTitle"`
	Message     claudeMessage `json:"message"`
}

type claudeMessage struct {
	ID         string       `json:"id"`
	Role       string       `json:"role"`
	Model      string       `json:"model"`
	Content    claudeBlocks `json:"content"`
	StopReason string       `json:"stop_reason"`
	Usage      struct {
		Input      int `json:"input_tokens"`
		Output     int `json:"output_tokens"`
		CacheRead  int `json:"cache_read_input_tokens"`
		CacheWrite int `json:"cache_creation_input_tokens"`
	} `json:"usage"`
}

// claudeBlocks are a list of blocks, or one text.
type claudeBlocks []claudeBlock

type claudeBlock struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	Thinking  string          `json:"thinking"`
	Signature string          `json:"signature"`
	Data      string          `json:"data"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	IsError   bool            `json:"is_error"`
	Content   claudeBlocks    `json:"content"`
	Source    struct {
		Type      string `json:"type"`
		MediaType string `json:"media_type"`
		Data      string `json:"data"`
	} `json:"source"`
}

// UnmarshalJSON takes both forms.
func (b *claudeBlocks) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*b = claudeBlocks{{Type: "text", Text: text}}
		return nil
	}
	return json.Unmarshal(data, (*[]claudeBlock)(b))
}

// claudeReader keeps what later lines refer to.
type claudeReader struct {
	t     transcript
	r     *Report
	calls map[string]claudeCall // by id
	// alias is the line, or the turn, that takes the place of a line: several
	// lines make one answer, one line several results, others aren't carried over.
	alias map[string]string
	turns map[string]int // index of a turn by its id
	// answers are the turns of answers by the answers' ids; results the last result
	// of an answer by the id of its turn; of the answer whose result a turn is.
	answers, results, of map[string]string
	titled               bool // by the user
}

// claudeCall is the call of a tool.
type claudeCall struct {
	name, turn string
	answered   bool
}

func readClaude(lines *jsonl.Reader, r *Report) (transcript, error) {
	c := claudeReader{
		r: r, calls: map[string]claudeCall{}, alias: map[string]string{}, turns: map[string]int{},
		answers: map[string]string{}, results: map[string]string{}, of: map[string]string{},
	}
	err := each(lines, r, func(_ []byte, l claudeLine) { c.line(l) })
	return c.t, err
}

func (c *claudeReader) line(l claudeLine) {
	if c.t.cwd == "" {
		c.t.cwd = l.Cwd
	}
	if _, twice := c.alias[l.UUID]; twice && l.UUID != "" {
		c.r.leave("lines that are there twice")
		return
	}
	switch {
	case l.Type == "summary" || l.Type == "custom-title" || l.Type == "ai-title":
		c.title(l)
	case l.Sidechain:
		c.r.leave("lines of sub-agents")
		c.skip(l)
	case l.Type == "user":
		c.user(l)
	case l.Type == "assistant" && l.Message.Model == "<synthetic>":
		c.r.leave("messages of the program itself")
		c.skip(l)
	case l.Type == "assistant":
		c.assistant(l)
	default:
		c.r.leave("lines of the type " + kindOf(l.Type))
		c.skip(l)
	}
}

// title takes the name of the session: the user's own, else the last one.
func (c *claudeReader) title(l claudeLine) {
	switch {
	case l.CustomTitle != "":
		c.t.name, c.titled = l.CustomTitle, true
	case !c.titled && l.Summary+l.AITitle != "":
		c.t.name = l.Summary + l.AITitle
	}
}

// skip lets what follows a line that isn't carried over follow its parent.
func (c *claudeReader) skip(l claudeLine) {
	if l.UUID != "" {
		c.alias[l.UUID] = parentOf(l)
	}
}

func parentOf(l claudeLine) string {
	if l.ParentUUID != "" {
		return l.ParentUUID
	}
	return l.Logical
}

// turn is the id of the turn that a line stands for.
func (c *claudeReader) turn(line string) string {
	end := line
	for range len(c.alias) { // a circle ends too
		to, ok := c.alias[end]
		if !ok || to == end {
			break
		}
		end = to
	}
	if end != line {
		c.alias[line] = end // long ways are gone once
	}
	return end
}

// parent is the turn that a line follows. Results of calls that ran at once each
// follow the line of their own call; here each follows the one before, and what
// comes after one of them comes after all.
func (c *claudeReader) parent(l claudeLine) string {
	id := c.turn(parentOf(l))
	if n := len(c.t.turns); id == "" && l.UUID == "" && n > 0 {
		id = c.t.turns[n-1].id // nothing says where it belongs
	}
	if answer, ok := c.of[id]; ok {
		id = answer
	}
	if last, ok := c.results[id]; ok {
		return last
	}
	return id
}

// add puts a turn after another and makes it what the line stands for.
func (c *claudeReader) add(l claudeLine, t turn, parent string) {
	t.at, t.id, t.parent = l.Timestamp.Time, l.UUID, parent
	for _, taken := c.turns[t.id]; taken || t.id == ""; _, taken = c.turns[t.id] {
		t.id += "+" // not the line's first, or a line without an id
	}
	c.turns[t.id] = len(c.t.turns)
	c.t.turns = append(c.t.turns, t)
	if l.UUID != "" {
		c.alias[l.UUID] = t.id
	}
}

func (c *claudeReader) user(l claudeLine) {
	if l.Summarising {
		if text := blockText(l.Message.Content); text != "" {
			c.add(l, turn{summary: text}, c.parent(l))
		} else {
			c.r.leave("summaries without a text")
			c.skip(l)
		}
		return
	}
	var said []message.Block
	for _, b := range l.Message.Content {
		if b.Type == "tool_result" {
			c.result(l, b)
		} else {
			said = append(said, c.blocks(claudeBlocks{b}, "")...)
		}
	}
	if len(said) > 0 {
		parent := c.parent(l)
		if to, ok := c.alias[l.UUID]; ok { // behind the line's results
			parent = to
		}
		c.add(l, turn{message: message.Message{Role: message.User, Content: said, Synthetic: l.Meta}}, parent)
	}
	if _, ok := c.alias[l.UUID]; !ok {
		c.skip(l)
	}
}

// result adds the result of a call behind those of the same answer.
func (c *claudeReader) result(l claudeLine, b claudeBlock) {
	call, known := c.calls[b.ToolUseID]
	if call.answered {
		c.r.leave("second results of a call")
		return
	}
	parent := c.parent(l)
	if known {
		call.answered = true
		c.calls[b.ToolUseID] = call
		if parent = call.turn; c.results[call.turn] != "" {
			parent = c.results[call.turn]
		}
	}
	m := message.Message{Role: message.ToolResult, ToolCallID: b.ToolUseID, ToolName: call.name, IsError: b.IsError, Content: c.blocks(b.Content, "")}
	c.add(l, turn{message: m}, parent)
	if known {
		id := c.t.turns[len(c.t.turns)-1].id
		c.results[call.turn], c.of[id] = id, call.turn
	}
}

// assistant takes a piece of an answer: pieces of one have its id and follow
// each other, though results may come between them.
func (c *claudeReader) assistant(l claudeLine) {
	if to := c.answers[l.Message.ID]; to != "" && to == c.turn(parentOf(l)) {
		m := &c.t.turns[c.turns[to]].message
		m.Content = append(m.Content, c.blocks(l.Message.Content, to)...)
		c.finish(m, l)
		c.alias[l.UUID] = to
		return
	}
	m := message.Message{Role: message.Assistant, API: "anthropic-messages", Provider: "anthropic", Model: l.Message.Model}
	c.add(l, turn{message: m}, c.parent(l))
	last := &c.t.turns[len(c.t.turns)-1]
	last.message.Content = c.blocks(l.Message.Content, last.id)
	c.finish(&last.message, l)
	if l.Message.ID != "" {
		c.answers[l.Message.ID] = last.id
	}
}

// finish sets what the last line of an answer knows best.
func (c *claudeReader) finish(m *message.Message, l claudeLine) {
	u := l.Message.Usage
	m.Usage = message.Usage{Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite, TotalTokens: u.Input + u.Output + u.CacheRead + u.CacheWrite}
	m.StopReason = message.Stop
	if len(m.Calls()) > 0 {
		m.StopReason = message.ToolUse
	}
	if l.Message.StopReason == "max_tokens" {
		m.StopReason = message.Length
	}
}

// blocks turns their blocks into ours; those of an answer belong to its turn.
func (c *claudeReader) blocks(list claudeBlocks, turn string) []message.Block {
	var blocks []message.Block
	for _, b := range list {
		switch b.Type {
		case "text":
			blocks = append(blocks, message.TextOf(b.Text))
		case "thinking":
			blocks = append(blocks, message.Block{Type: message.ThinkingBlock, Text: b.Thinking, Signature: b.Signature})
		case "redacted_thinking":
			blocks = append(blocks, message.Block{Type: message.RedactedBlock, Data: b.Data})
		case "tool_use":
			c.calls[b.ID] = claudeCall{name: b.Name, turn: turn}
			blocks = append(blocks, message.Block{Type: message.ToolCallBlock, ID: b.ID, Name: b.Name, Arguments: message.Object(b.Input)})
		case "image":
			if b.Source.Type != "base64" {
				c.r.leave("images that are only named")
				continue
			}
			blocks = append(blocks, message.ImageOf(b.Source.Data, b.Source.MediaType))
		default:
			c.r.leave("pieces of a message of an unknown type")
		}
	}
	return blocks
}

func blockText(list claudeBlocks) string {
	text := ""
	for _, b := range list {
		text += b.Text
	}
	return text
}
