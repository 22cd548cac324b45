package foreign

import (
	"encoding/json"
	"time"

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
	Timestamp   time.Time     `json:"timestamp"`
	Sidechain   bool          `json:"isSidechain"`
	Meta        bool          `json:"isMeta"`
	Summarising bool          `json:"isCompactSummary"`
	Summary     string        `json:"summary"`
	CustomTitle string        `json:"customTitle"`
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
	tools map[string]string // name by the call's id
	// alias is the id of the last turn that a line became, by the line's uuid:
	// several lines make one answer, one line several results.
	alias  map[string]string
	answer string // the id of the answer that the last turn is
}

func readClaude(lines *jsonl.Reader, r *Report) (transcript, error) {
	c := claudeReader{r: r, tools: map[string]string{}, alias: map[string]string{}}
	err := each(lines, r, func(_ []byte, l claudeLine) { c.line(l) })
	return c.t, err
}

func (c *claudeReader) line(l claudeLine) {
	if c.t.cwd == "" {
		c.t.cwd = l.Cwd
	}
	switch {
	case l.Type == "summary" || l.Type == "custom-title":
		if name := l.Summary + l.CustomTitle; name != "" {
			c.t.name = name
		}
	case l.Sidechain:
		c.r.leave("lines of sub-agents")
		c.skip(l)
	case l.Type == "user":
		c.user(l)
	case l.Type == "assistant":
		c.assistant(l)
	case l.Type == "system" || l.Type == "attachment" || l.Type == "progress":
		c.r.leave("lines of the type " + l.Type)
		c.skip(l)
	default:
		c.r.leave("lines of an unknown type")
		c.skip(l)
	}
}

// skip lets what follows a line that isn't carried over follow its parent.
func (c *claudeReader) skip(l claudeLine) {
	if l.UUID != "" {
		c.alias[l.UUID] = c.parent(l)
	}
}

func (c *claudeReader) parent(l claudeLine) string {
	parent := l.ParentUUID
	if parent == "" {
		parent = l.Logical
	}
	if to, ok := c.alias[parent]; ok {
		return to
	}
	return parent
}

// add puts a turn after another and makes it what the line stands for.
func (c *claudeReader) add(l claudeLine, t turn) {
	t.at, t.id, t.parent = l.Timestamp, l.UUID, c.parent(l)
	if to, ok := c.alias[l.UUID]; ok { // not the line's first
		t.parent, t.id = to, to+"+"
	}
	c.t.turns = append(c.t.turns, t)
	c.alias[l.UUID] = t.id
	c.answer = ""
}

func (c *claudeReader) user(l claudeLine) {
	if l.Summarising {
		c.add(l, turn{summary: blockText(l.Message.Content)})
		return
	}
	var said []message.Block
	for _, b := range l.Message.Content {
		if b.Type != "tool_result" {
			said = append(said, c.blocks(claudeBlocks{b})...)
			continue
		}
		m := message.Message{Role: message.ToolResult, ToolCallID: b.ToolUseID, ToolName: c.tools[b.ToolUseID], IsError: b.IsError, Content: c.blocks(b.Content)}
		c.add(l, turn{message: m})
	}
	if len(said) > 0 {
		c.add(l, turn{message: message.Message{Role: message.User, Content: said, Synthetic: l.Meta}})
	}
}

func (c *claudeReader) assistant(l claudeLine) {
	blocks := c.blocks(l.Message.Content)
	if last := len(c.t.turns) - 1; last >= 0 && c.answer != "" && c.answer == l.Message.ID {
		m := &c.t.turns[last].message
		m.Content = append(m.Content, blocks...)
		c.finish(m, l)
		c.alias[l.UUID] = c.t.turns[last].id
		return
	}
	m := message.Message{Role: message.Assistant, API: "anthropic-messages", Provider: "anthropic", Model: l.Message.Model, Content: blocks}
	c.finish(&m, l)
	c.add(l, turn{message: m})
	c.answer = l.Message.ID
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

// blocks turns their blocks into ours.
func (c *claudeReader) blocks(list claudeBlocks) []message.Block {
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
			c.tools[b.ID] = b.Name
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
