package print

import (
	"bufio"
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
)

// tape makes the events of a session; deltas are cut at "|".
type tape struct {
	events []event.Event
	n      int
}

func (t *tape) add(e ...event.Event) *tape { t.events = append(t.events, e...); return t }

func (t *tape) id() string { t.n++; return string(rune('a' + t.n)) }

// answer is a message of text blocks with a stop reason.
func (t *tape) answer(stop message.StopReason, blocks ...string) *tape {
	m := message.Message{ID: t.id(), Role: message.Assistant, StopReason: stop}
	t.add(event.MessageStarted{ID: m.ID, Message: m})
	for i, b := range blocks {
		whole := strings.ReplaceAll(b, "|", "")
		from := 0
		for _, piece := range strings.Split(b, "|") {
			t.add(event.MessageDelta{ID: m.ID, Index: i, Block: message.TextBlock, From: from, Text: whole[:from+len(piece)]})
			from += len(piece)
		}
		m.Content = append(m.Content, message.TextOf(whole))
	}
	return t.add(event.MessageEnded{ID: m.ID, Message: m})
}

func (t *tape) lastID() string { return string(rune('a' + t.n)) }

// play runs a projection to the end.
func play(live, progress bool, events []event.Event) (stdout, stderr string) {
	var out, errs bytes.Buffer
	p := &text{out: bufio.NewWriter(&out), err: &errs, live: live, progress: progress}
	for i, e := range events {
		p.put(event.Envelope{Seq: uint64(i), Event: e})
	}
	p.finish()
	p.out.Flush()
	return out.String(), errs.String()
}

func TestText(t *testing.T) {
	user := event.MessageEnded{ID: "u", Message: message.NewUser("hello")}
	result := event.MessageEnded{ID: "r", Message: message.Message{Role: message.ToolResult, Content: []message.Block{message.TextOf("output")}}}
	ask := event.MessageEnded{ID: "q", Message: message.Message{Role: message.ToolResult, ToolName: "ask", Content: []message.Block{message.TextOf("Which?\n\n1. red")}}}
	for _, c := range []struct {
		name string
		tape *tape
		want string // on stdout, live or not
	}{
		{"nothing", &tape{}, ""},
		{"one answer", new(tape).add(user).answer(message.Stop, "He|llo"), "Hello\n"},
		{"own line end", new(tape).answer(message.Stop, "Hello|\n"), "Hello\n"},
		{"messages are parted", new(tape).answer(message.ToolUse, "I read.").add(result).answer(message.Stop, "Done."), "I read.\n\nDone.\n"},
		{"message without words", new(tape).answer(message.ToolUse).answer(message.Stop, "Done."), "Done.\n"},
		{"two blocks", new(tape).answer(message.Stop, "one", "two"), "one\ntwo\n"},
		{"thinking is kept back", new(tape).add(event.MessageDelta{ID: "x", Block: message.ThinkingBlock, Text: "hm"}).answer(message.Stop, "yes"), "yes\n"},
		{"escape in pieces", new(tape).answer(message.Stop, "a|\x1b|[3|1mb\nc"), "ab\nc\n"},
		{"clipboard in pieces", new(tape).answer(message.Stop, "a\x1b]52;|c;aGk=|\x07b"), "ab\n"},
		{"character in pieces", new(tape).answer(message.Stop, "\xe4|\xbd|\xa0, a long text after it"), "你, a long text after it\n"},
		{"question", new(tape).answer(message.ToolUse, "I'll ask.").add(ask, result, event.RunSettled{Reason: message.Stop}), "I'll ask.\n\nWhich?\n\n1. red\n"},
		{"question that was answered", new(tape).add(ask).answer(message.Stop, "Red, then.").add(event.RunSettled{Reason: message.Stop}), "Red, then.\n"},
		{"question at the step limit", new(tape).add(ask, event.RunSettled{Reason: message.StepLimit}), ""},
		{"without deltas", new(tape).add(event.MessageEnded{ID: "z", Message: message.Message{Role: message.Assistant, Content: []message.Block{message.TextOf("No.")}}}), "No.\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, live := range []bool{true, false} {
				out, errs := play(live, false, c.tape.events)
				if out != c.want || errs != "" {
					t.Errorf("live %v: %q and %q, want %q", live, out, errs, c.want)
				}
			}
		})
	}
}

// An answer that broke off and was tried again is in a pipe only once.
func TestTextRetry(t *testing.T) {
	tape := new(tape).answer(message.Error, "Half an ans|")
	tape.add(event.MessageRemoved{ID: tape.lastID()}, event.RetryScheduled{Attempt: 1, MaxAttempts: 3, DelayMS: 1500, Error: "overloaded"})
	tape.answer(message.Stop, "A whole answer.")
	if out, _ := play(false, false, tape.events); out != "A whole answer.\n" {
		t.Errorf("pipe: %q", out)
	}
	out, errs := play(true, true, tape.events)
	if out != "Half an ans\n\nA whole answer.\n" || !strings.Contains(errs, "overloaded; trying again in 2 s (1 of 3)") {
		t.Errorf("terminal: %q and %q", out, errs)
	}
}

// An answer that a rule stopped is in a pipe only when it is kept, and where it
// was.
func TestTextRules(t *testing.T) {
	for _, c := range []struct {
		name, pipe string
		removed    bool
	}{
		{"discarded", "Better.\n\nMore.\n", true},
		{"kept", "I pan\n\nBetter.\n\nMore.\n", false},
	} {
		tape := new(tape).add(event.RuleTriggered{Rules: []event.Rule{{Name: "calm"}, {Name: "tidy"}}}).answer(message.Aborted, "I pan|")
		if c.removed {
			tape.add(event.MessageRemoved{ID: tape.lastID()})
		}
		tape.answer(message.Stop, "Better.").add(event.TodoReminder{Attempt: 1, MaxAttempts: 3}).answer(message.Stop, "More.")
		if out, errs := play(false, false, tape.events); out != c.pipe || errs != "" {
			t.Errorf("%s: pipe: %q and %q, want %q", c.name, out, errs, c.pipe)
		}
		out, errs := play(true, true, tape.events)
		if out != "I pan\n\nBetter.\n\nMore.\n" || !strings.Contains(errs, "against the rules calm, tidy; it begins again") || !strings.Contains(errs, "reminded (1 of 3)") {
			t.Errorf("%s: terminal: %q and %q", c.name, out, errs)
		}
	}
}

// What arrived of an answer that stays failed is not lost (requirement E-1).
func TestTextKeepsFailedAnswer(t *testing.T) {
	for _, live := range []bool{true, false} {
		if out, _ := play(live, false, new(tape).answer(message.Error, "Half").events); out != "Half\n" {
			t.Errorf("live %v: %q", live, out)
		}
	}
}

func TestProgress(t *testing.T) {
	events := new(tape).answer(message.ToolUse, "I look").add(
		event.ToolStarted{CallID: "1", Name: "read"},
		event.ToolRunning{CallID: "1", Name: "read", Title: "Read ma\x1b[2Jin.go"},
		event.ToolEnded{CallID: "1", Name: "read", IsError: true, Content: []message.Block{message.TextOf("no such file\nmore")}},
		event.ToolEnded{CallID: "2", Name: "bash", IsError: true, Denied: "nobody"},
		event.Notice{Level: "info", Text: "for your information"},
		event.Notice{Level: "warning", Text: "careful\nnow"},
		event.ToolRunning{CallID: "3", Name: strings.Repeat("x", 1000)},
	).events
	out, errs := play(true, true, events)
	want := "· Read main.go\n  read failed: no such file\n· for your information\nhoopoe: careful now\n· " + strings.Repeat("x", 297) + "…\n"
	if out != "I look\n" || errs != want {
		t.Errorf("watched: %q and\n%s", out, errs)
	}
	if _, errs := play(false, false, events); errs != "hoopoe: careful now\n" {
		t.Errorf("unwatched: %q", errs)
	}
}

// Requirement E-4: however the text is cut, nothing that drives a terminal
// comes out, and with no control in it, all of it does.
func FuzzFilter(f *testing.F) {
	f.Add("a\x1b]52;c;aGk=\x07b\n", 3)
	f.Add("你好 👍\n\u202eab", 1)
	f.Add("10%\r20%\n\x9b2J", 2)
	f.Fuzz(func(t *testing.T, s string, size int) {
		size = max(1, size%16)
		var fl filter
		var out strings.Builder
		for rest := s; rest != ""; {
			n := min(size, len(rest))
			out.WriteString(fl.add(rest[:n]))
			rest = rest[n:]
		}
		out.WriteString(fl.rest())
		got := out.String()
		if sanitize.Text(got) != got || !utf8.ValidString(got) {
			t.Fatalf("%q by %d: %q", s, size, got)
		}
		if sanitize.Text(s) == s && got != s {
			t.Fatalf("%q by %d became %q", s, size, got)
		}
	})
}

func TestLinesAreOneEventEach(t *testing.T) {
	var out bytes.Buffer
	p := &lines{out: bufio.NewWriter(&out), now: fixedNow}
	p.opened(event.View{Seq: 4, SessionID: "s1", Cwd: "/w", Model: event.Model{Provider: "offline", ID: "guide"}, Mode: "ask", Thinking: "off"})
	for i, e := range new(tape).answer(message.Stop, "<a>\u2028|\x1b[2J\nb").events {
		p.put(event.Envelope{Seq: uint64(5 + i), Session: "s1", At: fixedNow(), Event: e})
	}
	p.put(event.Envelope{Seq: 9, Session: "s1", Event: event.ToolStarted{Arguments: json.RawMessage("{broken")}})
	p.reply("The model is now x.")
	p.out.Flush()
	var types []string
	for line := range strings.Lines(out.String()) {
		var v struct {
			Type    string
			Seq     uint64
			Session string
		}
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if v.Session != "s1" || v.Seq < 4 || strings.ContainsAny(line, "\x1b\u2028") {
			t.Errorf("line %q", line)
		}
		types = append(types, v.Type)
	}
	want := "session_opened message_started message_delta message_delta message_ended notice notice"
	if got := strings.Join(types, " "); got != want {
		t.Errorf("types %s, want %s", got, want)
	}
}
