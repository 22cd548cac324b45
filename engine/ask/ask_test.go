package ask

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/event"
)

// desk is a broker whose events and results are written down.
type desk struct {
	Broker
	log    []string
	timers []func()
	faces  bool
}

func newDesk() *desk {
	d := &desk{faces: true}
	n := 0
	d.Broker = Broker{
		Publish: func(ev event.Event) {
			switch e := ev.(type) {
			case event.AskOpened:
				d.log = append(d.log, "opened "+e.Question.Title)
			case event.AskClosed:
				d.log = append(d.log, fmt.Sprintf("closed %s answered=%v", e.ID, e.Answered)+map[bool]string{true: " timed out"}[e.TimedOut])
			}
		},
		Shown: func(event.QuestionKind) bool { return d.faces },
		After: func(_ time.Duration, fn func()) func() {
			d.timers = append(d.timers, fn)
			return func() { d.log = append(d.log, "timer stopped") }
		},
		NewID: func() string { n++; return fmt.Sprint(n) },
	}
	return d
}

func (d *desk) pending(title string) *Pending {
	return &Pending{Question: Question{Kind: event.AskConfirm, Title: title}, Done: func(r Result) {
		d.log = append(d.log, fmt.Sprintf("%s: confirmed=%v answered=%v nobody=%v", title, r.Answer.Confirmed, r.Answered, r.Nobody))
	}}
}

func (d *desk) wants(t *testing.T, want ...string) {
	t.Helper()
	if !slices.Equal(d.log, want) {
		t.Errorf("log %q\nwant %q", d.log, want)
	}
	d.log = nil
}

func TestOneAtATime(t *testing.T) {
	d := newDesk()
	d.Ask(d.pending("a"))
	d.Ask(d.pending("b"))
	if d.Answer("2", Answer{}) {
		t.Error("a question that isn't open took an answer")
	}
	if !d.Answer("1", Answer{Confirmed: true}) {
		t.Error("the first answer lost")
	}
	if d.Answer("1", Answer{}) {
		t.Error("a second answer won")
	}
	d.wants(t, "opened a", "closed 1 answered=true", "a: confirmed=true answered=true nobody=false", "opened b")
}

func TestJudgedAgain(t *testing.T) {
	d := newDesk()
	d.Ask(d.pending("a"))
	p := d.pending("b")
	p.Again = func() (Answer, bool) { return Answer{Confirmed: true}, true }
	d.Ask(p)
	d.Answer("1", Answer{})
	d.wants(t, "opened a", "closed 1 answered=true", "a: confirmed=false answered=true nobody=false", "b: confirmed=true answered=true nobody=false")
}

func TestNobody(t *testing.T) {
	d := newDesk()
	d.Ask(d.pending("a"))
	d.faces = false
	d.Ask(d.pending("b"))
	d.Recheck()
	d.wants(t, "opened a", "closed 1 answered=false", "a: confirmed=false answered=false nobody=true", "b: confirmed=false answered=false nobody=true")
}

func TestTimeout(t *testing.T) {
	d := newDesk()
	p := d.pending("a")
	p.Question.Timeout = time.Minute
	d.Ask(p)
	d.timers[0]()
	d.timers[0]() // late: the question is gone
	d.wants(t, "opened a", "timer stopped", "closed 1 answered=false timed out", "a: confirmed=false answered=false nobody=false")
}

func TestCancel(t *testing.T) {
	d := newDesk()
	a, b, c := d.pending("a"), d.pending("b"), d.pending("c")
	d.Ask(a)
	d.Ask(b)
	d.Ask(c)
	d.Cancel(b)
	d.Cancel(b)
	d.wants(t, "opened a", "b: confirmed=false answered=false nobody=false")
	d.CancelAll()
	d.wants(t, "c: confirmed=false answered=false nobody=false", "closed 1 answered=false", "a: confirmed=false answered=false nobody=false")
	if _, open := d.Open(); open {
		t.Error("a question is still open")
	}
}
