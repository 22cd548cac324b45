package tui

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
	"github.com/hoopoe-agent/hoopoe/tui/flow"
	"github.com/hoopoe-agent/hoopoe/tui/inset"
	"github.com/hoopoe-agent/hoopoe/tui/style"
)

// activity is what goes on at the moment, and since when.
type activity struct {
	running    bool
	since      time.Time
	retry      *event.RetryScheduled // between two attempts
	retryAt    time.Time
	compacting string      // its reason
	bash       int         // shell commands of the user's own
	commands   []*underway // slash commands that take their time, as they began
	asking     bool        // a question is open
	told       string      // an error that has been shown
	closed     time.Time   // when the last question was
}

// ofBranch is the reason of a summary that isn't a compaction's.
const ofBranch = "branch"

func (b *activity) run(now time.Time) {
	if !b.running {
		b.since = now
	}
	b.running, b.retry = true, nil
}

func (b *activity) compact(reason string, now time.Time) {
	b.compacting = reason
	if !b.running {
		b.since = now
	}
}

// settle ends the prompt. Commands of the user's own may go on.
func (b *activity) settle() {
	*b = activity{bash: b.bash, commands: b.commands, asking: b.asking, closed: b.closed}
}

// from takes the state of a picture.
func (b *activity) from(v event.View, now time.Time) {
	running := v.State != "" && v.State != "idle"
	if running && b.running {
		return
	}
	*b = activity{commands: b.commands}
	if running {
		b.run(now)
	}
}

// any reports whether something runs that Esc can stop.
func (b *activity) any() bool { return b.works() || b.slow() != nil }

// works reports whether the session does something.
func (b *activity) works() bool { return b.running || b.compacting != "" || b.bash > 0 }

// slow is the slash command that the user waits for. One that asks says itself
// what is to be done.
func (b *activity) slow() *underway {
	if b.asking || b.works() || len(b.commands) == 0 {
		return nil
	}
	return b.commands[len(b.commands)-1]
}

// ticks reports whether something on the screen moves with time.
func (b *activity) ticks() bool { return b.running || b.compacting != "" || b.slow() != nil }

var spinner = [...]string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}

// text says what goes on and what can be done. Where that is too wide for the
// screen, the task in hand is cut, and last the time and the way to stop remain.
func (b *activity) text(todos []message.TodoPhase, now time.Time, width int, bidi flow.Bidi) string {
	since := b.since
	if c := b.slow(); c != nil {
		since = c.since
	}
	elapsed := now.Sub(since)
	text := b.whole(todos, now, elapsed, width, bidi)
	if style.Width(text) <= width {
		return text
	}
	frame, _, _ := strings.Cut(text, " ")
	return fmt.Sprintf("%s %s · Esc stops", frame, short(elapsed))
}

// leastTask are the columns in which a task can be told.
const leastTask = 10

func (b *activity) whole(todos []message.TodoPhase, now time.Time, elapsed time.Duration, width int, bidi flow.Bidi) string {
	frame := spinner[int(elapsed/(100*time.Millisecond))%len(spinner)]
	switch {
	case b.retry != nil:
		wait := max(0, b.retryAt.Sub(now).Round(time.Second))
		return fmt.Sprintf("%s Trying again in %s (%d of %d) · Esc stops", frame, wait, b.retry.Attempt, b.retry.MaxAttempts)
	case b.compacting == ofBranch:
		return fmt.Sprintf("%s Summing the branch up %s · Esc stops", frame, short(elapsed))
	case b.compacting != "":
		return fmt.Sprintf("%s Summarising older messages %s · Esc stops", frame, short(elapsed))
	case b.running:
		what, end := "Working", fmt.Sprintf(" %s · Esc stops", short(elapsed))
		if task, at, of := current(todos); task != "" {
			number := fmt.Sprintf(" (%d/%d)", at, of)
			if room := width - style.Width(frame+" "+number+end); room >= leastTask {
				what = inset.Text(style.Cut(sanitize.Line(task), room), bidi) + number
			}
		}
		return frame + " " + what + end
	case b.bash > 0:
		return "● A command runs · Esc stops it"
	case b.slow() != nil:
		return fmt.Sprintf("%s %s %s · Esc stops", frame, b.slow().name, short(elapsed))
	}
	return ""
}

// current is the task in progress, its number and how many there are.
func current(phases []message.TodoPhase) (task string, at, of int) {
	for _, p := range phases {
		for _, t := range p.Tasks {
			of++
			if t.Status == "in_progress" && task == "" {
				task, at = t.Content, of
			}
		}
	}
	return task, at, of
}

// short writes a duration the way people read a clock.
func short(d time.Duration) string {
	d = d.Truncate(time.Second)
	if d < time.Minute {
		return fmt.Sprintf("%ds", d/time.Second)
	}
	if d < time.Hour {
		return fmt.Sprintf("%dm%02ds", d/time.Minute, d%time.Minute/time.Second)
	}
	return fmt.Sprintf("%dh%02dm", d/time.Hour, d%time.Hour/time.Minute)
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// capital begins a sentence.
func capital(s string) string {
	if s == "" {
		return s
	}
	_, n := utf8.DecodeRuneInString(s)
	return strings.ToUpper(s[:n]) + s[n:]
}
