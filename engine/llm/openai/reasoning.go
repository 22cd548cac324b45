package openai

import (
	"encoding/json"
	"strings"

	sdk "github.com/openai/openai-go/v3"

	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// reasoningFields are where servers of the chat wire put the thinking. Its
// text goes back in the same field, which is therefore the block's signature.
var reasoningFields = []string{"reasoning_content", "reasoning", "reasoning_text"}

const detailsField = "reasoning_details"

// reasoningText returns the thinking in a delta and the field it came in.
// Some servers send the same text in two fields.
func reasoningText(delta *sdk.ChatCompletionChunkChoiceDelta) (text, field string) {
	for _, field := range reasoningFields {
		raw := delta.JSON.ExtraFields[field].Raw()
		if len(raw) <= 2 || raw[0] != '"' {
			continue
		}
		if json.Unmarshal([]byte(raw), &text) == nil && text != "" {
			return text, field
		}
	}
	return "", ""
}

// details collects OpenRouter's reasoning_details, which hold signatures and
// encrypted thinking of the model behind it. They go back as they came, the
// fragments of one entry joined.
type details []map[string]any

// add takes the entries of one delta and returns the text in them.
func (d *details) add(raw string) string {
	var entries []map[string]any
	if raw == "" || json.Unmarshal([]byte(raw), &entries) != nil {
		return ""
	}
	var text strings.Builder
	for _, e := range entries {
		for _, field := range []string{"text", "summary"} {
			if s, ok := e[field].(string); ok {
				text.WriteString(s)
			}
		}
		d.merge(e)
	}
	return text.String()
}

// joined are the fields of which each fragment holds the next piece.
var joined = map[string]bool{"text": true, "summary": true, "data": true, "signature": true}

func (d *details) merge(e map[string]any) {
	if len(*d) > 0 {
		last := (*d)[len(*d)-1]
		if last["type"] == e["type"] && last["index"] == e["index"] && (e["id"] == nil || last["id"] == nil || last["id"] == e["id"]) {
			for field, v := range e {
				old, isText := last[field].(string)
				fragment, ok := v.(string)
				if isText && ok && joined[field] {
					last[field] = old + fragment
				} else if v != nil {
					last[field] = v
				}
			}
			return
		}
	}
	*d = append(*d, e)
}

// take returns the collected details as a signature and forgets them. Entries
// of plain text alone are worth no signature.
func (d *details) take() string {
	worth := false
	for _, e := range *d {
		for _, field := range []string{"data", "signature"} {
			s, _ := e[field].(string)
			worth = worth || s != ""
		}
	}
	entries := *d
	*d = nil
	if !worth {
		return ""
	}
	b, err := json.Marshal(entries)
	if err != nil {
		return ""
	}
	return string(b)
}

// reasoned adds the thinking of an earlier answer to the fields of its
// message, as its signature says. Unsigned thinking isn't wanted back.
func reasoned(fields map[string]any, b message.Block) {
	if strings.HasPrefix(b.Signature, "[") {
		var entries []json.RawMessage
		if json.Unmarshal([]byte(b.Signature), &entries) == nil {
			old, _ := fields[detailsField].([]json.RawMessage)
			fields[detailsField] = append(old, entries...)
		}
		return
	}
	for _, name := range reasoningFields {
		if b.Signature == name && b.Text != "" {
			old, _ := fields[name].(string)
			fields[name] = strings.TrimPrefix(old+"\n"+b.Text, "\n")
		}
	}
}
