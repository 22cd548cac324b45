// Package history fits a conversation that other models took part in to the
// model that is asked next. What it does is common to all vendors; the wire's
// own rules stay in the adapters.
//
//	request's messages ─▶ Strip ─▶ what any vendor takes ─▶ adapter
//	tool call ids      ─▶ ToolID ─▶ what this vendor takes
package history

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// Word is the alphabet that most vendors allow in tool call ids.
const Word = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"

// Foreign reports whether m is an answer of another model than model.
func Foreign(m message.Message, model llm.Model) bool {
	return m.Role == message.Assistant && (m.Provider != model.Provider || m.Model != model.ID)
}

// Strip returns the messages without what only another model can read: the
// thinking, redacted thinking and signatures of its answers. Images become a
// note for a model that takes none. Messages of which nothing is left go,
// except results, which a call waits for. The messages passed in are shared
// and stay as they are.
func Strip(messages []message.Message, model llm.Model) []message.Message {
	out := make([]message.Message, 0, len(messages))
	for _, m := range messages {
		m.Content = strip(m.Content, Foreign(m, model), model.Images())
		if len(m.Content) > 0 || m.Role == message.ToolResult {
			out = append(out, m)
		}
	}
	return out
}

func strip(blocks []message.Block, foreign, images bool) []message.Block {
	out := make([]message.Block, 0, len(blocks))
	for _, b := range blocks {
		switch b.Type {
		case message.ThinkingBlock, message.RedactedBlock:
			if foreign {
				continue
			}
		case message.TextBlock:
			if strings.TrimSpace(b.Text) == "" {
				continue
			}
		case message.ImageBlock:
			if !images {
				b = ImageNote("this model takes no images")
			}
		}
		if foreign {
			b.Signature = ""
		}
		out = append(out, b)
	}
	return out
}

// ImageNote is the text in the place of an image that can't be sent.
func ImageNote(why string) message.Block {
	return message.TextOf("(an image was left out: " + why + ")")
}

// digest is how many hexadecimal digits keep changed ids apart.
const digest = 12

// ToolID returns id as a vendor takes it: of the alphabet's characters, which
// must include the hexadecimal digits, and of 1 to limit bytes. A valid id stays;
// another keeps what it can and ends in a digest of the whole, so that it is
// the same in every request and two ids never become one.
func ToolID(id, alphabet string, limit int) string {
	if id != "" && len(id) <= limit && strings.Trim(id, alphabet) == "" {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	tail := hex.EncodeToString(sum[:])
	tail = tail[:min(len(tail), digest, limit)]
	head := strings.Map(func(r rune) rune {
		if strings.ContainsRune(alphabet, r) {
			return r
		}
		return -1
	}, id)
	return head[:min(len(head), limit-len(tail))] + tail
}
