package tui

import (
	"context"
	"strconv"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
	"github.com/hoopoe-agent/hoopoe/tui/dialog"
	"github.com/hoopoe-agent/hoopoe/tui/picker"
)

// ask shows a question with numbered answers; many of them come page by page.
func (f *flat) ask(q event.Question) {
	f.question, f.options = &q, nil
	text := questionText(q, f.o.Cwd, f.o.home())
	if q.Timeout > 0 {
		text += "\nWithout an answer it goes on in " + dialog.Countdown(q.Timeout) + "."
	}
	f.say("?", text)
	list := choices(q)
	if q.Kind == event.AskSelect && len(list) > menuPage {
		f.askFrom(q)
		return
	}
	for i, c := range list {
		f.print(strconv.Itoa(i+1) + ". " + sanitize.Line(c.label) + "\n")
		if text := description(q, i); text != "" {
			f.print("   " + sanitize.Line(text) + "\n")
		}
	}
	switch q.Kind {
	case event.AskPermission:
		f.print("A number, or text: no, with that reason.\n")
	case event.AskSelect:
		f.print("A number, or the text of an answer; 0 chooses nothing.\n")
	case event.AskConfirm:
		f.print("A number, yes or no.\n")
	case event.AskInput:
		if q.Secret {
			f.hide(true)
		}
		if q.Prefill != "" && !q.Secret {
			f.print("Until now: " + sanitize.Line(q.Prefill) + "\n")
		}
	}
	f.print("> ")
}

// askFrom shows many options as a list that can be filtered.
func (f *flat) askFrom(q event.Question) {
	items := make([]picker.Item, len(q.Options))
	for i, o := range q.Options {
		items[i] = picker.Item{ID: o, Title: o, Detail: description(q, i)}
	}
	f.options = newMenu("", "", items)
	f.options.chosen = func(it picker.Item, _ string) bool {
		f.give(event.Answer{Value: it.ID})
		return true
	}
	f.options.cancelled = func() { f.give(event.Answer{Cancelled: true}) }
	f.print(f.options.page())
}

// answer takes a line as the answer to the open question.
func (f *flat) answer(line string) {
	if f.options != nil {
		say, _ := f.options.answer(line)
		f.print(say)
		return
	}
	q := *f.question
	list := choices(q)
	line = strings.TrimSpace(line)
	n, isNumber := numberOf(line)
	if at := worded(q, list, line); at >= 0 && !isNumber {
		n, isNumber = at+1, true
	}
	switch {
	case q.Kind == event.AskInput || q.Kind == event.AskEditor:
		f.give(event.Answer{Value: line})
	case isNumber && n >= 1 && n <= len(list):
		f.give(list[n-1].answer)
	case q.Kind == event.AskSelect && isNumber && n == 0:
		f.give(event.Answer{Cancelled: true})
	case q.Kind == event.AskPermission && line != "" && !isNumber:
		f.give(event.Answer{Choice: event.Deny, Reason: line})
	default:
		f.print("A number from 1 to " + strconv.Itoa(len(list)) + ", please.\n> ")
	}
}

// worded is the answer that a line names: yes or no, also by their first
// letters, or the text of an option. -1 is none.
func worded(q event.Question, list []choice, line string) int {
	yes, no := strings.EqualFold(line, "y") || strings.EqualFold(line, "yes"), strings.EqualFold(line, "n") || strings.EqualFold(line, "no")
	switch {
	case line == "":
	case q.Kind == event.AskSelect:
		for i, c := range list {
			if strings.EqualFold(strings.TrimSpace(c.label), line) {
				return i
			}
		}
	case yes:
		return 0
	case no:
		return len(list) - 1
	}
	return -1
}

// give answers the open question. What it stood before is shown again.
func (f *flat) give(a event.Answer) {
	id := f.question.ID
	f.closed()
	go f.run("answer", func(ctx context.Context) error { return f.session.Answer(ctx, id, a) })
	if f.menu != nil {
		f.print(f.menu.page())
	}
}

// closed forgets the question.
func (f *flat) closed() {
	if f.hidden {
		f.hide(false)
		f.print("\n")
	}
	f.question, f.options = nil, nil
}

// hide keeps what is typed off the screen, or shows it again. Where that can't be
// done it says so.
func (f *flat) hide(yes bool) {
	if f.hidden == yes {
		return
	}
	if err := setEcho(f.o.In, !yes); err != nil {
		f.print("What you type can be seen.\n")
		return
	}
	f.hidden = yes
}
