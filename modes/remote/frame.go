package remote

import (
	"encoding/json"
	"strconv"
	"unicode/utf8"

	"github.com/hoopoe-agent/hoopoe/engine/jsonl"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// Wire says by which name a completion is called.
type Wire string

const (
	// Both names stand in one frame, with the same value.
	Both Wire = "both"
	// Seed calls it Complete.
	Seed Wire = "seed"
	// Upstream calls it StreamComplete.
	Upstream Wire = "upstream"
)

// Bounds of what one frame holds. Some clients refuse a message over 1 MiB.
const (
	maxFrame = 1 << 20
	maxChunk = 64 << 10 // bytes of text in a Stream frame
	maxText  = maxFrame - 16<<10
	maxValue = 256 << 10 // of arguments, encoded
)

// frame is a message of the server's.
type frame struct {
	id    string
	kind  string // the name in the response
	text  string // of Text
	chunk []byte // of Stream
	value any    // of all others
	err   string
	usage *usage
	// seq and session are for the clients of a kept session.
	seq     uint64
	session string
	closes  bool // the connection ends behind it
}

const (
	kindText     = "Text"
	kindStream   = "Stream"
	kindCall     = "ToolCall"
	kindResult   = "ToolResult"
	kindToolAsk  = "ToolConfirmationRequest"
	kindTurnAsk  = "TurnConfirmationRequest"
	kindComplete = "Complete"
)

// usage counts tokens.
type usage struct {
	Prompt     uint32 `json:"prompt_tokens"`
	Completion uint32 `json:"completion_tokens"`
	Total      uint32 `json:"total_tokens"`
}

// usageOf is nil where the provider told nothing.
func usageOf(u message.Usage) *usage {
	if u.Input+u.Output+u.CacheRead+u.CacheWrite == 0 {
		return nil
	}
	prompt := counted(u.Input + u.CacheRead + u.CacheWrite)
	return &usage{prompt, counted(u.Output), counted(int(prompt) + u.Output)}
}

func counted(n int) uint32 { return uint32(min(max(n, 0), 1<<32-1)) }

type toolCall struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

type toolResult struct {
	Name   string `json:"name"`
	Result result `json:"result"`
}

type result struct {
	Text    string `json:"text"`
	IsError bool   `json:"is_error"`
}

type toolAsk struct {
	Name        string          `json:"name"`
	Arguments   json.RawMessage `json:"arguments"`
	Description *string         `json:"description"`
}

// turnAsk carries its reason twice: one client shows only message.
type turnAsk struct {
	CurrentTurns int    `json:"current_turns"`
	MaxTurns     int    `json:"max_turns"`
	Reason       string `json:"reason"`
	Message      string `json:"message"`
}

type complete struct {
	Usage       *usage `json:"token_usage"`
	Interrupted bool   `json:"interrupted"`
}

func textFrame(text string) frame { return frame{kind: kindText, text: text} }

// failure is how every error looks.
func failure(err string) frame { return frame{kind: kindText, err: err} }

// weight is roughly what a frame holds in memory.
func (f frame) weight() int {
	n := 256 + len(f.text) + len(f.chunk) + len(f.err)
	switch v := f.value.(type) {
	case toolCall:
		n += len(v.Arguments)
	case toolResult:
		n += len(v.Result.Text)
	case toolAsk:
		n += len(v.Arguments)
		if v.Description != nil {
			n += len(*v.Description)
		}
	}
	return n
}

// appendTo writes the frame behind b, every key in its place.
func (f frame) appendTo(b []byte, w Wire) []byte {
	b = append(b, `{"request_id":`...)
	b = appendString(b, f.id)
	b = append(b, `,"response":{`...)
	switch f.kind {
	case kindText:
		b = append(b, `"Text":`...)
		b = appendString(b, capped(f.text))
	case kindStream:
		b = append(b, `"Stream":`...)
		b = appendString(b, string(f.chunk))
	case kindComplete:
		value := encoded(f.value)
		if w != Upstream {
			b = append(append(b, `"Complete":`...), value...)
		}
		if w != Seed && w != Upstream {
			b = append(b, ',')
		}
		if w != Seed {
			b = append(append(b, `"StreamComplete":`...), value...)
		}
	default:
		b = appendString(b, f.kind)
		b = append(append(b, ':'), encoded(f.value)...)
	}
	b = append(b, `},"error":`...)
	if f.err == "" {
		b = append(b, "null"...)
	} else {
		b = appendString(b, capped(f.err))
	}
	b = append(append(b, `,"token_usage":`...), encoded(f.usage)...)
	if f.seq > 0 {
		b = strconv.AppendUint(append(b, `,"seq":`...), f.seq, 10)
	}
	if f.session != "" {
		b = appendString(append(b, `,"session":`...), f.session)
	}
	return append(b, '}')
}

// cutNote ends a Text that was too long for one frame.
const cutNote = "\n\n[The answer is longer than one message may be. Ask with \"stream\": true to get all of it.]"

// capped cuts a text so that its frame stays below maxFrame.
func capped(text string) string {
	room := maxText
	for i, r := range text {
		if room -= encodedSize(r); room < 0 {
			return text[:i] + cutNote
		}
	}
	return text
}

// encodedSize is how many bytes a character takes in JSON.
func encodedSize(r rune) int {
	switch {
	case r == '"' || r == '\\' || r == '\n' || r == '\r' || r == '\t' || r == '\b' || r == '\f':
		return 2
	case r < ' ' || r == '\u2028' || r == '\u2029' || r == utf8.RuneError || r == 0x7f:
		return 6
	}
	return utf8.RuneLen(r)
}

func encoded(v any) []byte {
	text, err := jsonl.Value(v)
	if err != nil {
		return []byte("null") // our own types and JSON that was checked
	}
	return text
}

// appendString writes a JSON string as UTF-8. Most texts need no escapes.
func appendString(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			return append(b, encoded(s)...)
		}
	}
	b = append(append(b, '"'), s...)
	return append(b, '"')
}

// arguments makes a call's arguments fit to be sent: an object, of a bounded
// size.
func arguments(raw json.RawMessage) json.RawMessage {
	var o object
	switch {
	case json.Unmarshal(raw, &o) != nil || o == nil:
		return json.RawMessage("{}")
	case len(raw) <= maxValue:
		return raw
	}
	short := map[string]any{}
	for name, value := range o {
		if short[name] = value; len(value) > 4<<10 {
			short[name] = "[left out: too long for a message]"
		}
		if len(short) == 100 {
			break
		}
	}
	return encoded(short)
}

// excerpt is the beginning of a text, whole characters.
func excerpt(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most] + "…"
}
