package foreign

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/jsonl"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// codexLine is a line of a rollout. Old files have the payload without the
// envelope around it.
type codexLine struct {
	Timestamp moment          `json:"timestamp"`
	Type      string          `json:"type"`
	Payload   json.RawMessage `json:"payload"`
}

// codexItem is any payload that says something about the conversation.
type codexItem struct {
	Type    string       `json:"type"`
	Role    string       `json:"role"`
	Content []codexPiece `json:"content"`
	Summary []struct {
		Text string `json:"text"`
	} `json:"summary"`
	Encrypted string          `json:"encrypted_content"`
	CallID    string          `json:"call_id"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Arguments string          `json:"arguments"`
	Input     string          `json:"input"`
	Action    json.RawMessage `json:"action"`
	Output    json.RawMessage `json:"output"`

	// session_meta, turn_context and compacted
	Cwd      string `json:"cwd"`
	Provider string `json:"model_provider"`
	Model    string `json:"model"`
	Message  string `json:"message"`

	Turns int `json:"num_turns"` // event_msg of the type thread_rolled_back

	// event_msg of the type token_count
	Info struct {
		Last struct {
			Input  int `json:"input_tokens"`
			Cached int `json:"cached_input_tokens"`
			Output int `json:"output_tokens"`
		} `json:"last_token_usage"`
	} `json:"info"`
}

// codexPiece is a piece of a message or of a result.
type codexPiece struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	ImageURL string `json:"image_url"`
}

// codexReader puts the items of one answer together. Each turn follows the one
// before, unless the user has gone back.
type codexReader struct {
	t               transcript
	r               *Report
	provider, model string
	tools           map[string]string
	leaf            string // the turn that the next one follows
	answering       bool   // the last turn is an answer that may get more blocks
}

func readCodex(lines *jsonl.Reader, r *Report) (transcript, error) {
	c := codexReader{r: r, provider: "openai", tools: map[string]string{}}
	err := each(lines, r, func(raw []byte, l codexLine) {
		if l.Payload == nil {
			l.Payload = raw
			if l.Type == "" {
				l.Type = "session_meta"
			} else {
				l.Type = "response_item"
			}
		}
		var item codexItem
		if json.Unmarshal(l.Payload, &item) != nil {
			r.leave("lines of a form that isn't known")
			return
		}
		c.line(l, item)
	})
	return c.t, err
}

func (c *codexReader) line(l codexLine, item codexItem) {
	switch l.Type {
	case "session_meta":
		c.about(item)
	case "turn_context":
		c.about(item)
		if item.Model != "" {
			c.model = item.Model
		}
	case "compacted":
		if item.Message == "" {
			c.r.leave("summaries without a text")
			return
		}
		c.add(l.Timestamp.Time, turn{summary: item.Message})
	case "event_msg":
		c.event(item)
	case "response_item":
		c.item(l.Timestamp.Time, item)
	default:
		c.r.leave("lines of the type " + kindOf(l.Type))
	}
}

// kindOf bounds what a report repeats of a file.
func kindOf(text string) string {
	if text == "" || len(text) > 40 || strings.ContainsFunc(text, func(r rune) bool { return r != '-' && (r < 'A' || r > 'z') }) {
		return "unknown"
	}
	return text
}

func (c *codexReader) about(item codexItem) {
	if c.t.cwd == "" {
		c.t.cwd = item.Cwd
	}
	if item.Provider != "" {
		c.provider = item.Provider
	}
}

// event takes what an answer has used, and steps back; the other events repeat
// what the items say.
func (c *codexReader) event(item codexItem) {
	if item.Type == "thread_rolled_back" {
		c.back(item.Turns)
		return
	}
	last := len(c.t.turns) - 1
	if item.Type != "token_count" || last < 0 {
		return
	}
	for i := last; i >= 0; i-- {
		if m := &c.t.turns[i].message; m.Role == message.Assistant {
			u := item.Info.Last
			m.Usage = message.Usage{Input: max(u.Input-u.Cached, 0), CacheRead: u.Cached, Output: u.Output, TotalTokens: u.Input + u.Output}
			return
		}
	}
}

// back lets what follows come before the last turns of the user.
func (c *codexReader) back(turns int) {
	for ; turns > 0 && c.leaf != ""; turns-- {
		for c.leaf != "" {
			t := c.t.turns[c.index(c.leaf)]
			c.leaf = t.parent
			if t.message.Role == message.User && !t.message.Synthetic {
				break
			}
		}
	}
	c.answering = false
}

// index is the place of a turn, whose id is its number.
func (c *codexReader) index(id string) int {
	n, _ := strconv.Atoi(id) // of our own making
	return n
}

func (c *codexReader) item(at time.Time, item codexItem) {
	switch item.Type {
	case "message":
		c.message(at, item)
	case "reasoning":
		if item.Encrypted != "" {
			c.r.leave("encrypted thinking, which only its own program can return to the model")
		}
		var texts []string
		for _, s := range item.Summary {
			texts = append(texts, s.Text)
		}
		if len(texts) > 0 {
			c.answer(at, message.Block{Type: message.ThinkingBlock, Text: strings.Join(texts, "\n\n")})
		}
	case "function_call":
		c.call(at, item, json.RawMessage(item.Arguments))
	case "custom_tool_call":
		input, _ := json.Marshal(map[string]string{"input": item.Input}) // strings always marshal
		c.call(at, item, input)
	case "local_shell_call":
		item.Name = "shell"
		c.call(at, item, item.Action)
	case "function_call_output", "custom_tool_call_output", "local_shell_call_output":
		c.result(at, item)
	default:
		c.r.leave("items of the type " + kindOf(item.Type))
	}
}

func (c *codexReader) message(at time.Time, item codexItem) {
	blocks := c.blocks(item.Content)
	switch {
	case len(blocks) == 0:
	case item.Role == "assistant":
		c.answer(at, blocks...)
	default:
		text := strings.TrimSpace(message.Text(blocks))
		// What the program itself put in front of the user's words.
		synthetic := item.Role != "user" || strings.HasPrefix(text, "<environment_context>") ||
			strings.HasPrefix(text, "<user_instructions>") || strings.HasPrefix(text, "# AGENTS.md instructions")
		c.add(at, turn{message: message.Message{Role: message.User, Content: blocks, Synthetic: synthetic}})
	}
}

// blocks turns their pieces into ours.
func (c *codexReader) blocks(pieces []codexPiece) []message.Block {
	var blocks []message.Block
	for _, b := range pieces {
		switch {
		case b.ImageURL != "":
			kind, data, ok := strings.Cut(strings.TrimPrefix(b.ImageURL, "data:"), ";base64,")
			if !ok {
				c.r.leave("images that are only named")
				continue
			}
			blocks = append(blocks, message.ImageOf(data, kind))
		case b.Text != "":
			blocks = append(blocks, message.TextOf(b.Text))
		default:
			c.r.leave("pieces of a message of the type " + kindOf(b.Type))
		}
	}
	return blocks
}

// answer adds blocks to the answer in progress.
func (c *codexReader) answer(at time.Time, blocks ...message.Block) {
	if !c.answering {
		c.add(at, turn{message: message.Message{Role: message.Assistant, API: "openai-responses", Provider: c.provider, Model: c.model, StopReason: message.Stop}})
		c.answering = true
	}
	m := &c.t.turns[len(c.t.turns)-1].message
	m.Content = append(m.Content, blocks...)
}

func (c *codexReader) call(at time.Time, item codexItem, arguments json.RawMessage) {
	id := item.CallID
	if id == "" {
		id = item.ID
	}
	c.tools[id] = item.Name
	c.answer(at, message.Block{Type: message.ToolCallBlock, ID: id, Name: item.Name, Arguments: message.Object(arguments)})
	c.t.turns[len(c.t.turns)-1].message.StopReason = message.ToolUse
}

// result takes an output: a text, pieces, or an object that holds a text.
func (c *codexReader) result(at time.Time, item codexItem) {
	m := message.Message{Role: message.ToolResult, ToolCallID: item.CallID, ToolName: c.tools[item.CallID]}
	var pieces []codexPiece
	if json.Unmarshal(item.Output, &pieces) == nil && pieces != nil {
		m.Content = c.blocks(pieces)
	} else {
		text, failed := outputText(item.Output)
		m.Content, m.IsError = []message.Block{message.TextOf(text)}, failed
	}
	c.add(at, turn{message: m})
}

func outputText(output json.RawMessage) (text string, failed bool) {
	if json.Unmarshal(output, &text) != nil {
		var o struct {
			Content string `json:"content"`
			Success *bool  `json:"success"`
		}
		if json.Unmarshal(output, &o) != nil {
			o.Content = string(output)
		}
		text, failed = o.Content, o.Success != nil && !*o.Success
	}
	var wrapped struct {
		Output   *string `json:"output"`
		Metadata struct {
			ExitCode int `json:"exit_code"`
		} `json:"metadata"`
	}
	if json.Unmarshal([]byte(text), &wrapped) == nil && wrapped.Output != nil {
		text, failed = *wrapped.Output, wrapped.Metadata.ExitCode != 0
	}
	return text, failed
}

func (c *codexReader) add(at time.Time, t turn) {
	t.at, t.id, t.parent = at, strconv.Itoa(len(c.t.turns)), c.leaf
	c.t.turns = append(c.t.turns, t)
	c.leaf = t.id
	c.answering = false
}
