package session

import (
	"bytes"
	"encoding/json"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// decodeMessage reads a message as message.UnmarshalJSON does. The messages
// that make up nearly all of a session take a way through them that looks at
// each byte once; it gives up on whatever it doesn't expect, and the general
// decoder has the last word.
func decodeMessage(raw []byte) (*message.Message, error) {
	m := new(message.Message)
	if fastMessage(m, raw) {
		return m, nil
	}
	*m = message.Message{}
	return m, m.UnmarshalJSON(raw)
}

func fastMessage(m *message.Message, raw []byte) bool {
	switch role := inner(field(raw, "role")); message.Role(role) {
	case message.User:
		m.Role = message.User
	case message.Assistant:
		m.Role = message.Assistant
	case message.ToolResult:
		m.Role = message.ToolResult
	default:
		return false
	}
	s := scanner{b: bytes.TrimSpace(raw)}
	return s.members(func(key []byte) bool {
		switch string(key) {
		case "content":
			return fastContent(&m.Content, &s)
		case "timestamp":
			return fastInt(&m.Timestamp, s.value())
		case "attribution":
			return fastString(&m.Attribution, s.value())
		case "synthetic":
			return fastBool(&m.Synthetic, s.value())
		case "api":
			return fastString(&m.API, s.value())
		case "provider":
			return fastString(&m.Provider, s.value())
		case "model":
			return fastString(&m.Model, s.value())
		case "responseId":
			return fastString(&m.ResponseID, s.value())
		case "usage":
			return fastUsage(&m.Usage, &s)
		case "stopReason":
			return fastString((*string)(&m.StopReason), s.value())
		case "errorMessage":
			return fastString(&m.ErrorMessage, s.value())
		case "duration":
			return fastInt(&m.DurationMS, s.value())
		case "ttft":
			return fastInt(&m.TTFTMS, s.value())
		case "toolCallId":
			return fastString(&m.ToolCallID, s.value())
		case "toolName":
			return fastString(&m.ToolName, s.value())
		case "isError":
			return fastBool(&m.IsError, s.value())
		case "details":
			val := s.value()
			m.Details = bytes.Clone(val)
			return json.Valid(val)
		case "role":
			return s.value() != nil
		}
		return false
	}) && s.i == len(s.b)
}

func fastContent(to *[]message.Block, s *scanner) bool {
	if s.next('"') {
		var text string
		ok := fastString(&text, s.value())
		*to = []message.Block{message.TextOf(text)}
		return ok
	}
	if !s.next('[') {
		return false
	}
	s.i++
	*to = []message.Block{}
	for !s.closed(']') {
		*to = append(*to, message.Block{})
		if !fastBlock(&(*to)[len(*to)-1], s) || !s.comma(']') {
			return false
		}
	}
	return true
}

func fastBlock(b *message.Block, s *scanner) bool {
	switch name := inner(field(s.b[s.i:], "type")); message.BlockType(name) {
	case message.TextBlock:
		b.Type = message.TextBlock
	case message.ThinkingBlock:
		b.Type = message.ThinkingBlock
	case message.ImageBlock:
		b.Type = message.ImageBlock
	case message.ToolCallBlock:
		b.Type, b.Arguments = message.ToolCallBlock, json.RawMessage("{}")
	default:
		return false
	}
	return s.members(func(key []byte) bool {
		val := s.value()
		switch string(key) {
		case "type":
			return val != nil
		case "text":
			return b.Type == message.TextBlock && fastString(&b.Text, val)
		case "thinking":
			return b.Type == message.ThinkingBlock && fastString(&b.Text, val)
		case "textSignature":
			return b.Type == message.TextBlock && fastString(&b.Signature, val)
		case "thinkingSignature":
			return b.Type == message.ThinkingBlock && fastString(&b.Signature, val)
		case "data":
			return b.Type == message.ImageBlock && fastString(&b.Data, val)
		case "mimeType":
			return b.Type == message.ImageBlock && fastString(&b.MimeType, val)
		}
		if b.Type != message.ToolCallBlock {
			return false
		}
		switch string(key) {
		case "id":
			return fastString(&b.ID, val)
		case "name":
			return fastString(&b.Name, val)
		case "providerId":
			return fastString(&b.ProviderID, val)
		case "thoughtSignature":
			return fastString(&b.Signature, val)
		case "arguments":
			b.Arguments = bytes.Clone(val)
			return len(val) > 0 && val[0] == '{' && json.Valid(val)
		}
		return false
	})
}

func fastUsage(u *message.Usage, s *scanner) bool {
	return s.members(func(key []byte) bool {
		switch string(key) {
		case "input":
			return fastCount(&u.Input, s.value())
		case "output":
			return fastCount(&u.Output, s.value())
		case "cacheRead":
			return fastCount(&u.CacheRead, s.value())
		case "cacheWrite":
			return fastCount(&u.CacheWrite, s.value())
		case "totalTokens":
			return fastCount(&u.TotalTokens, s.value())
		case "cost":
			return fastCost(&u.Cost, s)
		}
		return false
	})
}

func fastCost(c *message.Cost, s *scanner) bool {
	return s.members(func(key []byte) bool {
		switch string(key) {
		case "input":
			return fastDollars(&c.Input, s.value())
		case "output":
			return fastDollars(&c.Output, s.value())
		case "cacheRead":
			return fastDollars(&c.CacheRead, s.value())
		case "cacheWrite":
			return fastDollars(&c.CacheWrite, s.value())
		case "total":
			return fastDollars(&c.Total, s.value())
		}
		return false
	})
}

func fastDollars(to *float64, val []byte) bool {
	if string(val) == "0" {
		return true
	}
	return json.Unmarshal(val, to) == nil && val[0] != 'n'
}

func fastInt(to *int64, val []byte) bool {
	n, err := strconv.ParseInt(string(val), 10, 64)
	*to = n
	return err == nil && plainNumber(val)
}

func fastCount(to *int, val []byte) bool {
	n, err := strconv.Atoi(string(val))
	*to = n
	return err == nil && plainNumber(val)
}

// plainNumber excludes what Go reads as a number and JSON doesn't.
func plainNumber(val []byte) bool {
	return val[0] != '+' && (val[0] != '0' || len(val) == 1) && val[0] != '-'
}

func fastBool(to *bool, val []byte) bool {
	*to = string(val) == "true"
	return *to || string(val) == "false"
}

// fastString reads a string, in one pass over its escapes.
func fastString(to *string, val []byte) bool {
	if len(val) < 2 || val[0] != '"' || val[len(val)-1] != '"' || !utf8.Valid(val) {
		return false
	}
	val = val[1 : len(val)-1]
	next := bytes.IndexByte(val, '\\')
	if next < 0 {
		*to = string(val)
		return true
	}
	out := make([]byte, 0, len(val))
	for next >= 0 {
		out = append(out, val[:next]...)
		r, n := escape(val[next:])
		if n == 0 {
			return false
		}
		out = utf8.AppendRune(out, r)
		val = val[next+n:]
		next = bytes.IndexByte(val, '\\')
	}
	*to = string(append(out, val...))
	return true
}

// escape reads the escape sequence that s begins with, and its length; 0 if it
// is none.
func escape(s []byte) (rune, int) {
	if len(s) < 2 {
		return 0, 0
	}
	switch s[1] {
	case '"', '\\', '/':
		return rune(s[1]), 2
	case 'n':
		return '\n', 2
	case 't':
		return '\t', 2
	case 'r':
		return '\r', 2
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'u':
		r, ok := hexRune(s)
		if !ok {
			return 0, 0
		}
		if !utf16.IsSurrogate(r) {
			return r, 6
		}
		if low, ok := hexRune(s[6:]); ok {
			if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
				return pair, 12
			}
		}
		return utf8.RuneError, 6
	}
	return 0, 0
}

func hexRune(s []byte) (rune, bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(s[2:6]), 16, 32)
	return rune(n), err == nil
}
