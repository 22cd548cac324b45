package message

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/hoopoe-agent/hoopoe/engine/jsonl"
)

// wireMessage is the union of all roles' fields. Pointers tell absent from
// zero, so that each role writes exactly its own.
type wireMessage struct {
	Role       Role            `json:"role"`
	CustomType string          `json:"customType,omitempty"`
	ToolCallID *string         `json:"toolCallId,omitempty"`
	ToolName   *string         `json:"toolName,omitempty"`
	Content    json.RawMessage `json:"content,omitempty"`

	Command            *string `json:"command,omitempty"`
	Output             *string `json:"output,omitempty"`
	ExitCode           *int    `json:"exitCode,omitempty"`
	Cancelled          *bool   `json:"cancelled,omitempty"`
	Truncated          *bool   `json:"truncated,omitempty"`
	FullOutputPath     string  `json:"fullOutputPath,omitempty"`
	ExcludeFromContext bool    `json:"excludeFromContext,omitempty"`

	API          string     `json:"api,omitempty"`
	Provider     string     `json:"provider,omitempty"`
	Model        string     `json:"model,omitempty"`
	ResponseID   string     `json:"responseId,omitempty"`
	Usage        *Usage     `json:"usage,omitempty"`
	StopReason   StopReason `json:"stopReason,omitempty"`
	ErrorMessage string     `json:"errorMessage,omitempty"`

	Display *bool           `json:"display,omitempty"`
	Details json.RawMessage `json:"details,omitempty"`
	IsError *bool           `json:"isError,omitempty"`

	Summary      *string         `json:"summary,omitempty"`
	ShortSummary string          `json:"shortSummary,omitempty"`
	FromID       string          `json:"fromId,omitempty"`
	TokensBefore *int            `json:"tokensBefore,omitempty"`
	Files        json.RawMessage `json:"files,omitempty"`

	Attribution string      `json:"attribution,omitempty"`
	Synthetic   bool        `json:"synthetic,omitempty"`
	Timestamp   json.Number `json:"timestamp,omitempty"`
	DurationMS  json.Number `json:"duration,omitempty"`
	TTFTMS      json.Number `json:"ttft,omitempty"`
}

// MarshalJSON writes the role's own fields, content always as an array.
func (m Message) MarshalJSON() ([]byte, error) {
	if m.Raw != nil {
		return m.Raw, nil
	}
	w := wireMessage{Role: m.Role, Attribution: m.Attribution, Synthetic: m.Synthetic, Timestamp: number(m.Timestamp)}
	if w.Timestamp == "" {
		w.Timestamp = "0"
	}
	switch m.Role {
	case BashExecution:
		b := m.Bash
		if b == nil {
			b = &Bash{}
		}
		w.Command, w.Output, w.ExitCode = &b.Command, &b.Output, b.ExitCode
		w.Cancelled, w.Truncated = &b.Cancelled, &b.Truncated
		w.FullOutputPath, w.ExcludeFromContext = b.FullOutputPath, b.ExcludeFromContext
		return jsonl.Value(w)
	case BranchSummary, CompactionSummary:
		w.Summary, w.ShortSummary, w.FromID = &m.Summary, m.ShortSummary, m.FromID
		if m.Role == CompactionSummary {
			w.TokensBefore = &m.TokensBefore
		}
		return jsonl.Value(w)
	case FileMention:
		w.Files = m.Files
		return jsonl.Value(w)
	case Assistant:
		w.API, w.Provider, w.Model, w.ResponseID = m.API, m.Provider, m.Model, m.ResponseID
		w.Usage, w.StopReason, w.ErrorMessage = &m.Usage, m.StopReason, m.ErrorMessage
		w.DurationMS, w.TTFTMS = number(m.DurationMS), number(m.TTFTMS)
	case ToolResult:
		w.ToolCallID, w.ToolName, w.Details, w.IsError = &m.ToolCallID, &m.ToolName, m.Details, &m.IsError
	case Custom:
		w.CustomType, w.Display, w.Details = m.CustomType, &m.Display, m.Details
	}
	content := m.Content
	if content == nil {
		content = []Block{}
	}
	raw, err := jsonl.Value(content)
	if err != nil {
		return nil, fmt.Errorf("encode %s message: %w", m.Role, err)
	}
	w.Content = raw
	return jsonl.Value(w)
}

// UnmarshalJSON reads every role; content may be a string or an array. A role
// that isn't known is kept whole in Raw.
func (m *Message) UnmarshalJSON(data []byte) error {
	var w wireMessage
	err := json.Unmarshal(data, &w)
	if err != nil && !(foreign(err) && w.Role != "" && !w.Role.known()) {
		return fmt.Errorf("decode message: %w", err)
	}
	*m = Message{Role: w.Role, Attribution: w.Attribution, Synthetic: w.Synthetic, Timestamp: integer(w.Timestamp)}
	if !w.Role.known() {
		m.Raw = bytes.Clone(data)
		return nil
	}
	if w.Role == hookMessage {
		m.Role = Custom
	}
	m.API, m.Provider, m.Model, m.ResponseID = w.API, w.Provider, w.Model, w.ResponseID
	if w.Usage != nil {
		m.Usage = *w.Usage
	}
	m.StopReason, m.ErrorMessage = w.StopReason, w.ErrorMessage
	m.DurationMS, m.TTFTMS = integer(w.DurationMS), integer(w.TTFTMS)
	m.ToolCallID, m.ToolName, m.IsError = value(w.ToolCallID), value(w.ToolName), value(w.IsError)
	m.CustomType, m.Display, m.Details = w.CustomType, value(w.Display), w.Details
	m.Summary, m.ShortSummary, m.FromID, m.TokensBefore = value(w.Summary), w.ShortSummary, w.FromID, value(w.TokensBefore)
	m.Files = w.Files
	if w.Role == BashExecution {
		m.Bash = &Bash{Command: value(w.Command), Output: value(w.Output), ExitCode: w.ExitCode,
			Cancelled: value(w.Cancelled), Truncated: value(w.Truncated),
			FullOutputPath: w.FullOutputPath, ExcludeFromContext: w.ExcludeFromContext}
	}
	return m.decodeContent(w.Content)
}

// hookMessage is the name of custom before session version 3.
const hookMessage Role = "hookMessage"

func (r Role) known() bool {
	switch r {
	case User, Developer, Assistant, ToolResult, BashExecution, Custom, BranchSummary, CompactionSummary, FileMention, hookMessage:
		return true
	}
	return false
}

// foreign reports whether JSON is sound but uses a name of ours for another
// type of value, as roles and blocks of other programs may.
func foreign(err error) bool {
	var syntax *json.SyntaxError
	return !errors.As(err, &syntax)
}

func (m *Message) decodeContent(raw json.RawMessage) error {
	switch raw = bytes.TrimSpace(raw); {
	case len(raw) == 0 || string(raw) == "null":
		return nil
	case raw[0] == '"':
		var s string
		if err := json.Unmarshal(raw, &s); err != nil {
			return fmt.Errorf("decode %s content: %w", m.Role, err)
		}
		m.Content = []Block{TextOf(s)}
		return nil
	}
	if err := json.Unmarshal(raw, &m.Content); err != nil {
		return fmt.Errorf("decode %s content: %w", m.Role, err)
	}
	return nil
}

type wireBlock struct {
	Type              BlockType       `json:"type"`
	Text              *string         `json:"text,omitempty"`
	TextSignature     string          `json:"textSignature,omitempty"`
	Thinking          *string         `json:"thinking,omitempty"`
	ThinkingSignature string          `json:"thinkingSignature,omitempty"`
	Data              *string         `json:"data,omitempty"`
	MimeType          *string         `json:"mimeType,omitempty"`
	ID                *string         `json:"id,omitempty"`
	Name              *string         `json:"name,omitempty"`
	Arguments         json.RawMessage `json:"arguments,omitempty"`
	ThoughtSignature  string          `json:"thoughtSignature,omitempty"`
	ProviderID        string          `json:"providerId,omitempty"`
	Malformed         string          `json:"malformedArguments,omitempty"`
}

// MarshalJSON writes the block's own fields.
func (b Block) MarshalJSON() ([]byte, error) {
	if b.Raw != nil {
		return b.Raw, nil
	}
	w := wireBlock{Type: b.Type}
	switch b.Type {
	case TextBlock:
		w.Text, w.TextSignature = &b.Text, b.Signature
	case ThinkingBlock:
		w.Thinking, w.ThinkingSignature = &b.Text, b.Signature
	case RedactedBlock:
		w.Data = &b.Data
	case ImageBlock:
		w.Data, w.MimeType = &b.Data, &b.MimeType
	case ToolCallBlock:
		w.ID, w.Name, w.ThoughtSignature = &b.ID, &b.Name, b.Signature
		w.ProviderID, w.Malformed = b.ProviderID, b.Malformed
		w.Arguments = Object(b.Arguments)
	}
	return jsonl.Value(w)
}

// UnmarshalJSON reads a block; an unknown type is kept whole in Raw.
func (b *Block) UnmarshalJSON(data []byte) error {
	var w wireBlock
	err := json.Unmarshal(data, &w)
	if err != nil && !(foreign(err) && w.Type != "" && !w.Type.known()) {
		return fmt.Errorf("decode content block: %w", err)
	}
	*b = Block{Type: w.Type}
	switch w.Type {
	case TextBlock:
		b.Text, b.Signature = value(w.Text), w.TextSignature
	case ThinkingBlock:
		b.Text, b.Signature = value(w.Thinking), w.ThinkingSignature
	case RedactedBlock:
		b.Data = value(w.Data)
	case ImageBlock:
		b.Data, b.MimeType = value(w.Data), value(w.MimeType)
	case ToolCallBlock:
		b.ID, b.Name, b.Signature = value(w.ID), value(w.Name), w.ThoughtSignature
		b.ProviderID, b.Malformed, b.Arguments = w.ProviderID, w.Malformed, Object(w.Arguments)
	default:
		b.Raw = bytes.Clone(data)
	}
	return nil
}

func (t BlockType) known() bool {
	switch t {
	case TextBlock, ThinkingBlock, RedactedBlock, ImageBlock, ToolCallBlock:
		return true
	}
	return false
}

// Object returns raw when it is a valid JSON object, else {}. Session files
// and providers both choke on null arguments.
func Object(raw json.RawMessage) json.RawMessage {
	t := bytes.TrimSpace(raw)
	if len(t) < 2 || t[0] != '{' || !json.Valid(t) {
		return json.RawMessage("{}")
	}
	return t
}

func value[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

func number(n int64) json.Number {
	if n == 0 {
		return ""
	}
	return json.Number(fmt.Sprint(n))
}

// integer reads a count of milliseconds that some writers store as a fraction.
func integer(n json.Number) int64 {
	if n == "" {
		return 0
	}
	if i, err := n.Int64(); err == nil {
		return i
	}
	f, err := n.Float64()
	if err != nil {
		return 0
	}
	return int64(f)
}
