package history

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

var (
	seeing = llm.Model{Provider: "p", ID: "m", Input: []string{"text", "image"}}
	blind  = llm.Model{Provider: "p", ID: "m", Input: []string{"text"}}
)

func said(provider, model string, blocks ...message.Block) message.Message {
	return message.Message{Role: message.Assistant, Provider: provider, Model: model, Content: blocks}
}

func TestForeign(t *testing.T) {
	for name, c := range map[string]struct {
		m    message.Message
		want bool
	}{
		"own":            {said("p", "m"), false},
		"other model":    {said("p", "n"), true},
		"other provider": {said("q", "m"), true},
		"user":           {message.NewUser("x"), false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Foreign(c.m, seeing); got != c.want {
				t.Errorf("foreign is %v", got)
			}
		})
	}
}

func TestStrip(t *testing.T) {
	thinking := message.Block{Type: message.ThinkingBlock, Text: "hm", Signature: "s"}
	redacted := message.Block{Type: message.RedactedBlock, Data: "r"}
	signed := message.Block{Type: message.TextBlock, Text: "yes", Signature: "s"}
	call := message.Block{Type: message.ToolCallBlock, ID: "1", Name: "ls", Signature: "s", Arguments: json.RawMessage("{}")}
	plainCall := call
	plainCall.Signature = ""
	image := message.ImageOf("aGk=", "image/png")
	note := message.TextOf("(an image was left out: this model takes no images)")
	for name, c := range map[string]struct {
		model    llm.Model
		in, want []message.Message
	}{
		"own thinking stays as it is": {seeing, []message.Message{said("p", "m", thinking, redacted, signed, call)}, []message.Message{said("p", "m", thinking, redacted, signed, call)}},
		"another's thinking goes":     {seeing, []message.Message{said("q", "m", thinking, redacted, signed, call)}, []message.Message{said("q", "m", message.TextOf("yes"), plainCall)}},
		"nothing else was said":       {seeing, []message.Message{said("q", "m", thinking)}, []message.Message{}},
		"blank text goes":             {seeing, []message.Message{said("p", "m", message.TextOf(" \n"), call)}, []message.Message{said("p", "m", call)}},
		"a result stays": {seeing, []message.Message{{Role: message.ToolResult, ToolCallID: "1", Content: []message.Block{message.TextOf("")}}},
			[]message.Message{{Role: message.ToolResult, ToolCallID: "1", Content: []message.Block{}}}},
		"images stay":         {seeing, []message.Message{message.NewUser("look", image)}, []message.Message{message.NewUser("look", image)}},
		"images to the blind": {blind, []message.Message{message.NewUser("look", image)}, []message.Message{message.NewUser("look", note)}},
		"a picture as a tool's result": {blind, []message.Message{{Role: message.ToolResult, ToolCallID: "1", Content: []message.Block{image}}},
			[]message.Message{{Role: message.ToolResult, ToolCallID: "1", Content: []message.Block{note}}}},
	} {
		t.Run(name, func(t *testing.T) {
			before, _ := json.Marshal(c.in)
			if got := Strip(c.in, c.model); !reflect.DeepEqual(got, c.want) {
				t.Errorf("got  %+v\nwant %+v", got, c.want)
			}
			if after, _ := json.Marshal(c.in); string(after) != string(before) {
				t.Errorf("the messages passed in became %s", after)
			}
		})
	}
}

func TestToolID(t *testing.T) {
	for name, c := range map[string]struct {
		id       string
		alphabet string
		limit    int
		want     string
	}{
		"valid":         {"toolu_01-A", Word, 64, "toolu_01-A"},
		"at the limit":  {strings.Repeat("a", 64), Word, 64, strings.Repeat("a", 64)},
		"other letters": {"call.1|fc:2", Word, 64, "call1fc2e308679520e0"},
		"empty":         {"", Word, 64, "e3b0c44298fc"},
		"too long":      {strings.Repeat("a", 65), Word, 64, strings.Repeat("a", 52) + "635361c48bb9"},
		"little room":   {"call_1", "abcdefghijklmnopqrstuvwxyz0123456789", 9, "74196fe72"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := ToolID(c.id, c.alphabet, c.limit); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
	if ToolID("a.b", Word, 64) == ToolID("a:b", Word, 64) {
		t.Error("two ids became one")
	}
}

func FuzzToolID(f *testing.F) {
	f.Add("call_1|fc_ü", uint8(64))
	f.Add("\xff", uint8(9))
	f.Fuzz(func(t *testing.T, id string, limit uint8) {
		limit = max(limit, 1)
		got := ToolID(id, Word, int(limit))
		if got == "" || len(got) > int(limit) || strings.Trim(got, Word) != "" {
			t.Fatalf("%q of at most %d became %q", id, limit, got)
		}
		if again := ToolID(got, Word, int(limit)); again != got {
			t.Fatalf("%q, a second time %q", got, again)
		}
	})
}
