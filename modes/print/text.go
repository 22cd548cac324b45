package print

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
)

// text writes the assistant's words to out, a blank line between messages,
// and what goes on meanwhile to err. Nothing that a model or a tool says can
// drive a terminal: all of it is sanitised, also on its way into a file.
type text struct {
	out      *bufio.Writer
	err      io.Writer
	live     bool
	progress bool

	stream   filter
	id       string // of the message being written live
	index    int    // of its block
	held     string // an answer that broke off, until it is known whether it is begun again
	question string // of the ask tool, until the model goes on
	wrote    bool   // something is on out
	lineOpen bool   // and its last line has no end
}

func (t *text) opened(event.View) {}

func (t *text) put(e event.Envelope) {
	switch e := e.Event.(type) {
	case event.MessageDelta:
		if t.live && e.Block == message.TextBlock {
			t.delta(e)
		}
	case event.MessageEnded:
		t.ended(e)
	case event.RunSettled:
		if e.Reason == message.Stop || e.Reason == message.ToolUse {
			t.reply(t.question)
		}
	case event.MessageRemoved:
		t.held = ""
	case event.ToolRunning:
		t.say("· %s", first(e.Title, e.Name))
	case event.ToolEnded:
		if e.IsError && e.Denied == "" {
			t.say("  %s failed: %s", e.Name, firstLine(message.Text(e.Content)))
		}
	case event.RetryScheduled:
		t.say("· %s; trying again in %d s (%d of %d)", e.Error, (e.DelayMS+999)/1000, e.Attempt, e.MaxAttempts)
	case event.RuleTriggered:
		t.say("· The answer goes against %s; it begins again", rules(e.Rules))
	case event.TodoReminder:
		t.say("· Tasks are open; the model is reminded (%d of %d)", e.Attempt, e.MaxAttempts)
	case event.CompactionStarted:
		t.say("· Summarising older messages")
	case event.Notice:
		if e.Level == "info" {
			t.say("· %s", e.Text)
		} else {
			t.warn(e.Text)
		}
	case event.ExtensionFailed:
		t.warn(fmt.Sprintf("extension %s failed at %s: %s", e.Extension, e.Point, e.Error))
	}
}

// delta writes more of a text block as it comes.
func (t *text) delta(e event.MessageDelta) {
	if e.ID != t.id {
		t.id, t.index = e.ID, e.Index
		t.gap()
	} else if e.Index != t.index {
		t.index = e.Index
		t.write(t.stream.rest())
		t.endLine()
	}
	t.write(t.stream.add(e.Delta()))
}

// ended completes a message: what was written live, or all of it. A question
// of the ask tool that ends the run is the last word.
func (t *text) ended(e event.MessageEnded) {
	switch m := e.Message; {
	case m.Role == message.ToolResult && m.ToolName == "ask" && !m.IsError:
		t.question = m.Text()
		return
	case m.Role != message.Assistant:
		return
	}
	t.question = ""
	if e.ID == t.id {
		t.write(t.stream.rest())
		return
	}
	answer := sanitize.Text(e.Message.Text())
	if answer == "" {
		return
	}
	t.release()
	if r := e.Message.StopReason; r == message.Error || r == message.Aborted {
		t.held = answer
		return
	}
	t.gap()
	t.write(answer)
}

// release writes an answer that broke off and wasn't taken back.
func (t *text) release() {
	if t.held != "" {
		t.gap()
		t.write(t.held)
		t.held = ""
	}
}

func (t *text) reply(s string) {
	if s = sanitize.Text(s); s != "" {
		t.gap()
		t.write(s)
	}
}

func (t *text) finish() {
	t.write(t.stream.rest())
	t.release()
	t.endLine()
}

// write takes text that is sanitised. Write errors stick in out and show at
// its next flush.
func (t *text) write(s string) {
	if s == "" {
		return
	}
	t.out.WriteString(s)
	t.wrote, t.lineOpen = true, s[len(s)-1] != '\n'
}

// gap parts a message from what was written before it.
func (t *text) gap() {
	if t.wrote {
		t.endLine()
		t.out.WriteByte('\n')
	}
}

func (t *text) endLine() {
	if t.lineOpen {
		t.out.WriteByte('\n')
		t.lineOpen = false
	}
}

func rules(broken []event.Rule) string {
	var names []string
	for _, r := range broken {
		names = append(names, r.Name)
	}
	if len(names) == 1 {
		return "the rule " + names[0]
	}
	return "the rules " + strings.Join(names, ", ")
}

// say reports progress, where somebody watches.
func (t *text) say(format string, args ...any) {
	if t.progress {
		t.tell(fmt.Sprintf(format, args...))
	}
}

func (t *text) warn(s string) { t.tell("hoopoe: " + s) }

// tell writes one line to err, after what is already on out.
func (t *text) tell(s string) {
	if t.live {
		t.write(t.stream.rest())
		t.endLine()
		_ = t.out.Flush() // the error sticks
	}
	fmt.Fprintln(t.err, cut(sanitize.Line(s)))
}

// lineRunes bounds a line of progress.
const lineRunes = 300

func cut(s string) string {
	if r := []rune(s); len(r) > lineRunes {
		return string(r[:lineRunes-1]) + "…"
	}
	return s
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	return s
}

func first(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
