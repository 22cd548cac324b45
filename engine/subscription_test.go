package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

func envelope1(seq int, ev event.Event) event.Envelope {
	return event.Envelope{Seq: uint64(seq), Event: ev}
}

// read takes all that is queued, a line each.
func read(t *testing.T, s *Subscription) []string {
	t.Helper()
	batch, err := s.take(0)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, it := range batch {
		switch e := it.Event.(type) {
		case event.MessageDelta:
			lines = append(lines, fmt.Sprintf("%d %s[%d] %q", it.Seq, e.ID, e.Index, e.Delta()))
		case event.ToolProgress:
			lines = append(lines, fmt.Sprintf("%d progress %s", it.Seq, message.Text(e.Content)))
		case nil:
			lines = append(lines, fmt.Sprint(it.Ack))
		default:
			lines = append(lines, fmt.Sprintf("%d %s", it.Seq, e.Kind()))
		}
	}
	return lines
}

// Deltas of one block merge across other messages' events, but not over a
// life-cycle event of their own message, nor into another block, nor over a rule
// that they break.
func TestDeltasMerge(t *testing.T) {
	text := "abcdefgh"
	delta := func(id string, index, from, to int) event.MessageDelta {
		return event.MessageDelta{ID: id, Index: index, Block: message.TextBlock, Text: text[:to], From: from}
	}
	s := newSubscription(func() {})
	for i, ev := range []event.Event{
		delta("m", 0, 0, 2), event.Notice{}, delta("m", 0, 2, 4), delta("n", 0, 0, 1), delta("m", 0, 4, 5),
		delta("m", 1, 0, 1), delta("m", 1, 1, 3),
		event.MessageEnded{ID: "n"}, delta("m", 1, 3, 4),
		event.MessageRemoved{ID: "m"}, delta("m", 1, 4, 5),
		event.RuleTriggered{}, delta("m", 1, 5, 6),
	} {
		s.put(envelope1(i+1, ev))
	}
	want := []string{`2 notice`, `4 n[0] "a"`, `5 m[0] "abcde"`, `8 message_ended`, `9 m[1] "abcd"`, `10 message_removed`, `11 m[1] "e"`, `12 rule_triggered`, `13 m[1] "f"`}
	if got := read(t, s); !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

// A sub-agent's deltas and progress merge too, each under its own call: ids are
// unique in one session only.
func TestSubagentDeltasMerge(t *testing.T) {
	text := "abcdefgh"
	delta := func(call string, from, to int) event.Event {
		d := event.MessageDelta{ID: "m", Block: message.TextBlock, Text: text[:to], From: from}
		return event.SubagentEvent{CallID: call, Event: d}
	}
	deeper := func(ev event.Event) event.Event { return event.SubagentEvent{CallID: "c", Event: ev} }
	progress := func(call, text string) event.Event {
		return event.SubagentEvent{CallID: call, Event: event.ToolProgress{CallID: "t", Content: []message.Block{message.TextOf(text)}}}
	}
	s := newSubscription(func() {})
	for i, ev := range []event.Event{
		delta("c", 0, 2), delta("d", 0, 1), event.MessageDelta{ID: "m", Text: "x"}, deeper(delta("c", 0, 3)), delta("c", 2, 4), deeper(delta("c", 3, 5)),
		progress("c", "1"), progress("d", "1"), progress("c", "2"),
		event.MessageEnded{ID: "m"}, delta("d", 1, 3),
		event.SubagentEvent{CallID: "c", Event: event.MessageEnded{ID: "m"}}, delta("c", 4, 5),
	} {
		s.put(envelope1(i+1, ev))
	}
	batch, err := s.take(0)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, it := range batch {
		calls, inner := unwrap(it.Event)
		line := fmt.Sprintf("%d %s %s", it.Seq, calls, inner.Kind())
		switch e := inner.(type) {
		case event.MessageDelta:
			line = fmt.Sprintf("%d %s %q", it.Seq, calls, e.Delta())
		case event.ToolProgress:
			line += " " + message.Text(e.Content)
		}
		got = append(got, line)
	}
	want := []string{
		`3  "x"`, `5 c/ "abcd"`, `6 c/c/ "abcde"`, "8 d/ tool_progress 1", "9 c/ tool_progress 2", "10  message_ended", `11 d/ "abc"`, "12 c/ message_ended", `13 c/ "e"`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestAFinishedBlockTakesNoMore(t *testing.T) {
	s := newSubscription(func() {})
	s.put(envelope1(1, event.MessageDelta{ID: "m", Text: "ab", Done: true}))
	s.put(envelope1(2, event.MessageDelta{ID: "m", Text: "abc", From: 2}))
	if got := read(t, s); len(got) != 2 {
		t.Errorf("got %q", got)
	}
}

// Progress keeps its last value and its place before the end of the call.
func TestProgressKeepsTheLast(t *testing.T) {
	s := newSubscription(func() {})
	for i := range 1000 {
		s.put(envelope1(i+1, event.ToolProgress{CallID: "c", Content: []message.Block{message.TextOf(strings.Repeat("x", 100_000) + fmt.Sprint(i))}}))
	}
	if s.weight > 200_000 {
		t.Errorf("weighs %d", s.weight)
	}
	s.put(envelope1(1001, event.ToolEnded{CallID: "c"}))
	s.put(envelope1(1002, event.ToolProgress{CallID: "c"}))
	got := read(t, s)
	if len(got) != 3 || !strings.HasSuffix(got[0], "x999") || s.weight != 0 {
		t.Errorf("%d items, weight %d", len(got), s.weight)
	}
}

// A reader may pause through a whole long answer; one that lets events of its
// own pile up is told so and may attach again.
func TestWeight(t *testing.T) {
	s := newSubscription(func() {})
	text := strings.Repeat("word ", 1<<20)
	for i := 5; i < len(text); i += 5 {
		s.put(envelope1(i, event.MessageDelta{ID: "m", Text: text[:i], From: i - 5}))
	}
	if s.weight > 1000 {
		t.Errorf("a long answer weighs %d", s.weight)
	}
	for i := range 1000 {
		s.put(envelope1(i, event.ToolProgress{CallID: fmt.Sprint(i), Content: []message.Block{message.TextOf(strings.Repeat("x", 100_000))}}))
	}
	if _, err := s.Next(context.Background()); !errors.Is(err, ErrTooSlow) {
		t.Errorf("error %v", err)
	}
}

// What extensions show weighs as much as it is long.
func TestWeightOfWhatExtensionsShow(t *testing.T) {
	text := strings.Repeat("x", 1<<20)
	for name, ev := range map[string]event.Event{
		"notice": event.Notice{Text: text}, "status": event.StatusChanged{Text: &text}, "title": event.TitleChanged{Title: text},
		"editor": event.EditorTextSet{Text: text}, "widget": event.WidgetChanged{Lines: []string{text[:1<<19], text[1<<19:]}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSubscription(func() {})
			for i := range 63 {
				s.put(envelope1(i, ev))
			}
			if s.weight < 63<<20 || s.weight > maxWeight {
				t.Errorf("weight %d", s.weight)
			}
			s.put(envelope1(63, ev))
			s.put(envelope1(64, ev))
			if _, err := s.Next(context.Background()); !errors.Is(err, ErrTooSlow) {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestSubscriptionEnds(t *testing.T) {
	released := false
	s := newSubscription(func() { released = true })
	s.put(envelope1(1, event.Notice{}))
	s.end(io.EOF, false)
	s.put(envelope1(2, event.Notice{}))
	ctx := context.Background()
	if it, err := s.Next(ctx); err != nil || it.Seq != 1 {
		t.Errorf("%v, %v", it, err)
	}
	if _, err := s.Next(ctx); err != io.EOF {
		t.Errorf("error %v, want io.EOF", err)
	}
	s.Close()
	if !released {
		t.Error("the session wasn't told")
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := newSubscription(func() {}).Batch(cancelled); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
