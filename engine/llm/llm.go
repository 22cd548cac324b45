// Package llm is the seam to language models: one request in, one stream of
// parts out.
//
//	Request ─▶ Provider.Stream ─▶ BlockStarted BlockDelta* BlockEnded … Finished
//
// A provider makes exactly one attempt. Retry, fallback and abort belong to
// the loop, which is why failures are classified here and not handled.
package llm

import (
	"context"
	"encoding/json"
	"iter"

	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// Provider talks to one family of models.
type Provider interface {
	// Stream makes one request and never retries. The last part is always
	// Finished, also after a failure or when ctx ends. The caller may stop
	// ranging at any time; the provider then frees what it holds. A stream is
	// ranged once, by one goroutine.
	Stream(ctx context.Context, req Request) Stream
}

// Stream yields the parts of one answer in order.
type Stream = iter.Seq[Part]

// Request is everything a provider needs for one answer.
type Request struct {
	Model    Model
	System   string
	Messages []message.Message
	Tools    []ToolSpec
	Thinking Level
	// MaxTokens limits the answer; 0 means the model's own limit.
	MaxTokens int
	// SessionID is stable for a session: a cache key where a provider has one.
	SessionID string
	// Rewrite, if set, returns the body to send in place of the one that the
	// adapter made, in the provider's own JSON: see Client.
	Rewrite func(body []byte) []byte
}

// ToolSpec is how a tool is shown to the model.
type ToolSpec struct {
	Name        string
	Description string
	// Parameters is a JSON Schema of type object.
	Parameters json.RawMessage
}

// Model is one row of the catalogue. The JSON is the RPC dialects'.
type Model struct {
	ID            string            `json:"id"`
	Name          string            `json:"name"`
	API           string            `json:"api"` // wire family, for instance anthropic-messages
	Provider      string            `json:"provider"`
	BaseURL       string            `json:"baseUrl"`
	Reasoning     bool              `json:"reasoning"`
	Input         []string          `json:"input"` // text, image
	Cost          Price             `json:"cost"`
	ContextWindow int               `json:"contextWindow"`
	MaxTokens     int               `json:"maxTokens"`
	Headers       map[string]string `json:"-"` // may hold secrets: never on a wire of ours
	Levels        []Level           `json:"-"` // thinking levels besides off; empty for a model without reasoning
	Compat        json.RawMessage   `json:"compat,omitempty"`
}

// Ref is the name that selects the model: provider/id.
func (m Model) Ref() string { return m.Provider + "/" + m.ID }

// Images reports whether the model takes images.
func (m Model) Images() bool {
	for _, in := range m.Input {
		if in == "image" {
			return true
		}
	}
	return false
}

// Price is in US dollars per million tokens.
type Price struct {
	Input      float64 `json:"input"`
	Output     float64 `json:"output"`
	CacheRead  float64 `json:"cacheRead"`
	CacheWrite float64 `json:"cacheWrite"`
}

// Bill fills in what usage costs at this price and its total of tokens.
func (p Price) Bill(u message.Usage) message.Usage {
	const mtok = 1e6
	u.Cost.Input = float64(u.Input) * p.Input / mtok
	u.Cost.Output = float64(u.Output) * p.Output / mtok
	u.Cost.CacheRead = float64(u.CacheRead) * p.CacheRead / mtok
	u.Cost.CacheWrite = float64(u.CacheWrite) * p.CacheWrite / mtok
	u.Cost.Total = u.Cost.Input + u.Cost.Output + u.Cost.CacheRead + u.Cost.CacheWrite
	if u.TotalTokens == 0 {
		u.TotalTokens = u.ContextTokens()
	}
	return u
}

// Part is one element of a stream: BlockStarted, BlockDelta, BlockEnded or Finished.
type Part interface{ part() }

// BlockStarted opens content block Index. Name and ID belong to tool calls.
type BlockStarted struct {
	Index    int
	Type     message.BlockType
	ID, Name string
}

// BlockDelta adds text to a block: prose, thinking, or a fragment of the JSON
// of a tool call's arguments.
type BlockDelta struct {
	Index int
	Text  string
}

// BlockEnded closes a block with its authoritative content.
type BlockEnded struct {
	Index int
	Block message.Block
}

// Finished is the last part. Message is the whole answer with its usage; after
// a failure it holds what had arrived, and Err says what went wrong (an *Error
// where the provider answered, ctx.Err() after a cancel).
type Finished struct {
	Message message.Message
	Err     error
}

func (BlockStarted) part() {}
func (BlockDelta) part()   {}
func (BlockEnded) part()   {}
func (Finished) part()     {}
