package message

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

func toolCall(id string) Block {
	return Block{Type: ToolCallBlock, ID: id, Name: "read", Arguments: json.RawMessage("{}")}
}

func result(id, text string) Message {
	return Message{Role: ToolResult, ToolCallID: id, ToolName: "read", Content: []Block{TextOf(text)}}
}

func answer(blocks ...Block) Message { return Message{Role: Assistant, Content: blocks} }

// Whatever a conversation went through, a provider gets a valid one.
func TestForModel(t *testing.T) {
	code := 3
	for name, tt := range map[string]struct {
		in   []Message
		want []string
	}{
		"plain": {
			[]Message{NewUser("hi"), answer(TextOf("hello"))},
			[]string{"user: hi", "assistant: hello"},
		},
		"blank answers and blocks go": {
			[]Message{NewUser("hi"), answer(), answer(TextOf(" \n")), answer(TextOf(""), TextOf("x"))},
			[]string{"user: hi", "assistant: x"},
		},
		"a call without result gets one": {
			[]Message{NewUser("hi"), answer(toolCall("a"))},
			[]string{"user: hi", "assistant: call a", "toolResult: a No result: the call was interrupted before it ended."},
		},
		"results move next to their call, in call order": {
			[]Message{answer(toolCall("a"), toolCall("b")), NewUser("meanwhile"), result("b", "B"), result("a", "A")},
			[]string{"assistant: call a call b", "toolResult: a A", "toolResult: b B", "user: meanwhile"},
		},
		"results without a call go": {
			[]Message{NewUser("hi"), result("x", "lost")},
			[]string{"user: hi"},
		},
		"an empty result says so": {
			[]Message{answer(toolCall("a")), result("a", "")},
			[]string{"assistant: call a", "toolResult: a (no output)"},
		},
		"a command of the user": {
			[]Message{{Role: BashExecution, Bash: &Bash{Command: "make", Output: "no ``` rule\n", ExitCode: &code}}},
			[]string{"user: Ran `make`\n````\nno ``` rule\n````\nThe command exited with code 3"},
		},
		"a hidden command of the user": {
			[]Message{{Role: BashExecution, Bash: &Bash{Command: "make", ExcludeFromContext: true}}},
			nil,
		},
		"a summary": {
			[]Message{{Role: CompactionSummary, Summary: "S"}},
			[]string{"user: The conversation before this point was too long to keep. This is its summary:\n\n<summary>\nS\n</summary>"},
		},
		"an unknown role": {
			[]Message{{Role: "novel", Raw: json.RawMessage(`{"role":"novel"}`)}},
			nil,
		},
		"a mentioned file": {
			[]Message{{Role: FileMention, Files: json.RawMessage(`[{"path":"a.go","content":"package a"},{"path":"b","skippedReason":"tooLarge"}]`)}},
			[]string{"user: <system-reminder>\nFiles that the user mentioned:\n<file path=\"a.go\">\npackage a\n</file>\n<file path=\"b\">(not included: tooLarge)</file>\n</system-reminder>"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, m := range ForModel(tt.in) {
				got = append(got, describe(m))
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %q\nwant %q", got, tt.want)
			}
		})
	}
}

func describe(m Message) string {
	parts := []string{string(m.Role) + ":"}
	if m.ToolCallID != "" {
		parts = append(parts, m.ToolCallID)
	}
	for _, b := range m.Content {
		if b.Type == ToolCallBlock {
			parts = append(parts, "call "+b.ID)
		} else {
			parts = append(parts, b.Text)
		}
	}
	return strings.Join(parts, " ")
}

// FuzzForModel: in any order of messages, what comes out has every call
// answered once, right behind it, and nothing empty.
func FuzzForModel(f *testing.F) {
	f.Add("uacbrt")
	f.Add("ccrrcu")
	f.Fuzz(func(t *testing.T, plan string) {
		var in []Message
		for i, r := range plan {
			id := string(rune('a' + i%5))
			switch r % 5 {
			case 0:
				in = append(in, NewUser(strings.Repeat("u", i%2)))
			case 1:
				in = append(in, answer(TextOf(strings.Repeat("t", i%3)), toolCall(id)))
			case 2:
				in = append(in, result(id, strings.Repeat("r", i%2)))
			case 3:
				in = append(in, answer())
			case 4:
				in = append(in, answer(toolCall(id), toolCall(id+"x")))
			}
		}
		out := ForModel(in)
		for i := 0; i < len(out); i++ {
			if len(out[i].Content) == 0 {
				t.Fatalf("message %d is empty", i)
			}
			if out[i].Role == ToolResult {
				t.Fatalf("message %d is a result without its call", i)
			}
			for _, c := range out[i].Calls() {
				if i++; i >= len(out) || out[i].ToolCallID != c.ID {
					t.Fatalf("call %s has no result behind it", c.ID)
				}
			}
		}
	})
}

func TestFence(t *testing.T) {
	for text, want := range map[string]string{"": "```", "a`b": "```", "```": "````", "`````": "``````"} {
		if got := Fence(text); got != want {
			t.Errorf("Fence(%q) = %q, want %q", text, got, want)
		}
	}
}
