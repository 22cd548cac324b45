package wires_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/llm/llmtest/mockserver"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// step is one answer of the script, with what precedes and follows it.
type step struct {
	before   []message.Message
	thinking string
	redacted string // Anthropic's, before the thinking
	text     string
	calls    []call
	aborted  bool // by the user, after the text's first delta
	// results belong to the calls; nil is a call that never got one.
	results []*message.Message
	steered []message.Message // said while the tools ran
}

type call struct{ name, path string }

// elsewhere is in what a model of another wire's vendor signed: nobody of this
// conversation may see it.
const elsewhere = "ZWxzZXdoZXJl"

// answer gives a step the form of a wire: ids and signatures as the services
// make them.
func (s step) answer(i int, wire mockserver.Wire) mockserver.Answer {
	a := mockserver.Answer{Thinking: s.thinking, Hang: s.aborted}
	if s.text != "" {
		a.Text = []string{s.text}
	}
	if s.thinking != "" {
		a.Signature = base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "signature %d of %s", i, wire))
	}
	for n, c := range s.calls {
		arguments, _ := json.Marshal(map[string]string{"path": c.path}) // of strings: it can't fail
		made := mockserver.Call{Name: c.name, Arguments: string(arguments)}
		switch wire {
		case mockserver.Anthropic:
			made.ID = fmt.Sprintf("toolu_01%020d%d", i, n)
		case mockserver.Completions:
			made.ID = []string{
				fmt.Sprintf("call_%024d%d", i, n), fmt.Sprintf("functions.%s:%d%d", c.name, i, n), // of other services behind this wire
				fmt.Sprintf("chatcmpl-tool-%032d%d", i, n), fmt.Sprintf("D681PevK%d", i*10+n),
			}[(i+n)%4]
		case mockserver.Responses:
			made.ID, made.Item = fmt.Sprintf("call_%024d%d", i, n), fmt.Sprintf("fc_%050d%d", i, n)
		case mockserver.Google:
			if n%2 == 1 {
				made.ID = fmt.Sprintf("function-call-%018d%d", i, n) // many come without
			}
			if n == 0 { // only the first of parallel calls is signed
				made.Signature = base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "thought %d", i))
			}
		}
		a.Calls = append(a.Calls, made)
	}
	return a
}

func say(text string, images ...message.Block) []message.Message {
	return []message.Message{message.NewUser(text, images...)}
}

func gave(blocks ...message.Block) *message.Message {
	return &message.Message{Role: message.ToolResult, Content: blocks}
}

func failed(blocks ...message.Block) *message.Message {
	m := gave(blocks...)
	m.IsError = true
	return m
}

// picture has data of its own for each name.
func picture(name, kind string) message.Block {
	return message.ImageOf(base64.StdEncoding.EncodeToString([]byte("picture "+name)), "image/"+kind)
}

// script is the conversation of twenty answers.
func script() []step {
	text := message.TextOf
	code := 1
	return []step{
		{before: say("Hello, who are you?"), text: "I am an agent."},
		{before: say("What is in a.go?"), thinking: "I should read a.go first.", text: "I read it.",
			calls: []call{{"read", "a.go"}}, results: []*message.Message{gave(text("package a"))}},
		{thinking: "It is short.", text: "It holds package a."},
		{before: say("Compare b.go and c.go."), thinking: "Two files at once.",
			calls: []call{{"read", "b.go"}, {"read", "c.go"}}, results: []*message.Message{gave(text("package b")), gave(text("package c"))}},
		{text: "They differ in name."},
		{before: say("Look at this.", picture("one", "png"), picture("two", "jpeg"), picture("three", "gif")), text: "Three pictures."},
		{before: say("And at logo.webp."), thinking: "A picture again.", calls: []call{{"read", "logo.webp"}},
			results: []*message.Message{gave(text("An image of 1 by 1:"), picture("four", "webp"))}},
		{text: "A logo.", calls: []call{{"read", "shot.png"}, {"read", "gone.png"}}, // going on after a result, with a picture alone and a failure with one
			results: []*message.Message{gave(picture("five", "png")), failed(text("the file ends early"), picture("six", "png"))}},
		{thinking: "One was damaged.", text: "The second is damaged."},
		{before: say("Tell me a long story."), thinking: "A story, then.", text: "Once upon", aborted: true},
		{before: say("Shorter, please: اقرأ الملف، 请读文件 🦤"), thinking: "العربية و中文", text: "حسنًا، 好的 👩‍🚀", calls: []call{{"read", "وثائق/说明 🗂️.md"}},
			results: []*message.Message{gave(text("سطر\n第二行\t🧭 \"quoted\" \\ <tag> & \u2028"))}},
		{text: " \n\t", calls: []call{{"read", "blank.txt"}}, results: []*message.Message{gave(text(" \n"))}}, // nothing but blanks
		{text: "The file is blank."},
		{before: besides(), text: "Shall I go on?", calls: []call{{"read", "orphan.txt"}}, results: []*message.Message{nil}},
		{before: []message.Message{
			{Role: message.BashExecution, Bash: &message.Bash{Command: "go test ./b", Output: "FAIL b", ExitCode: &code}},
			{Role: message.Developer, Content: []message.Block{text("The tool was interrupted.")}},
		}, thinking: "It was interrupted.", redacted: "cmVkYWN0ZWQ=", text: "Once more.",
			calls: []call{{"read", "d.go"}, {"now", "zone"}}, results: []*message.Message{gave(text("package d")), gave()},
			steered: say("Faster, please.")},
		{thinking: "Names that no tool has.", calls: []call{{"functions.read", "e.go"}, {"读 文件", "f.go"}, {strings.Repeat("long_", 20), "g.go"}},
			results: []*message.Message{failed(text("there is no functions.read")), failed(text("there is no such tool")), failed(text("that name is too long"))}},
		{text: "I used wrong names."},
		{before: abroad(), thinking: "Another model was here.", text: "I take over."},
		{before: append(say("First."), say("Second.")...), thinking: "Two messages.", text: "Both seen."},
		{before: say("Thanks, 谢谢, شكرًا."), text: "You are welcome 🌿"},
	}
}

// besides leaves two answers side by side: what the user said between them is
// blank and goes.
func besides() []message.Message {
	return append(say(" \n "),
		message.Message{Role: message.Assistant, API: "bedrock", Provider: "other", Model: "other", Content: []message.Block{
			message.TextOf("I looked again."), {Type: message.ToolCallBlock, ID: "tooluse_0", Name: "read", Arguments: json.RawMessage(`{"path":"j.go"}`)},
		}},
		message.Message{Role: message.ToolResult, ToolCallID: "tooluse_0", ToolName: "read", Content: []message.Block{message.TextOf("package j")}})
}

// abroad is what models outside the four left in the history: a sibling of one,
// and another service, whose ids fit nobody.
func abroad() []message.Message {
	long := "call_" + strings.Repeat("x", 30) + "|fc_" + strings.Repeat("y", 60) + "|é"
	object := func(path string) json.RawMessage { return json.RawMessage(`{"path":"` + path + `"}`) }
	sibling := message.Message{
		Role: message.Assistant, API: string(mockserver.Anthropic), Provider: "provider-" + string(mockserver.Anthropic), Model: "sibling",
		Content: []message.Block{
			{Type: message.ThinkingBlock, Text: "Hidden " + elsewhere, Signature: elsewhere},
			{Type: message.RedactedBlock, Data: elsewhere},
			{Type: message.TextBlock, Text: "I am the sibling.", Signature: elsewhere},
			{Type: message.ToolCallBlock, ID: long, Name: "read", Arguments: object("h.go"), Signature: elsewhere},
			{Type: message.ToolCallBlock, ID: "tooluse_Ab-9", ProviderID: "kept by " + elsewhere, Name: "read", Arguments: json.RawMessage(`{}`), Malformed: `{"path": "i`},
		},
	}
	thoughtOnly := message.Message{Role: message.Assistant, API: "bedrock", Provider: "other", Model: "other",
		Content: []message.Block{{Type: message.ThinkingBlock, Text: "Only " + elsewhere, Signature: elsewhere}}}
	return []message.Message{
		message.NewUser("Let the sibling try."), sibling,
		{Role: message.ToolResult, ToolCallID: "tooluse_Ab-9", ToolName: "read", IsError: true, Content: []message.Block{message.TextOf("the arguments are no JSON")}},
		{Role: message.ToolResult, ToolCallID: long, ToolName: "read", Content: []message.Block{message.TextOf("package h")}},
		message.NewUser("And the other."), thoughtOnly,
		message.NewUser("Back to you."),
	}
}
