package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/tool"
)

// deaf is a session in whose first prompt, "first", a tool runs that ignores
// its context until release is closed.
func deaf(t *testing.T) (c *client, release chan struct{}) {
	w := newWorld(t, "-- turn --\n-- call stubborn --\n{}\n-- turn --\ntimes: always\n-- text --\nok\n")
	c = w.open(OpenOptions{})
	running, release := make(chan struct{}), make(chan struct{})
	c.addTool("stubborn", tool.Think, func(context.Context, tool.Call) (tool.Result, error) {
		close(running)
		<-release
		return tool.TextResult("late"), nil
	})
	c.prompt("first")
	wait(t, running, "the tool")
	return c, release
}

// An abort stops what was sent before it, also what waits because an abort
// before it is on its way: whether the prompt had begun is a matter of luck.
func TestAbortReachesWhatWaitsForAnAbort(t *testing.T) {
	c, release := deaf(t)
	for i, text := range []string{"second", "third", ""} {
		if err := c.s.AbortAck(&Ack{Sub: c.sub, Value: i}); err != nil {
			t.Fatal(err)
		}
		if text != "" {
			c.prompt(text)
		}
	}
	c.prompt("last")
	close(release)
	for last := ""; last != "last"; {
		c.until("the last prompt's end", func(it Item) bool {
			if e, ok := it.Event.(event.MessageEnded); ok && e.Message.Role == message.User {
				last = e.Message.Text()
			}
			_, settled := it.Event.(event.RunSettled)
			return settled
		})
	}
	var order []string
	for _, it := range c.log {
		line := ""
		if it.Ack != nil {
			line = fmt.Sprint("ack ", it.Ack)
		} else if line = tell(it.Event); !strings.HasPrefix(line, "user") && !strings.HasPrefix(line, "run_settled") {
			continue
		}
		order = append(order, strings.TrimSpace(line))
	}
	want := []string{
		`user "first"`, "run_settled aborted", "ack 0", `user "second"`, "run_settled aborted", "ack 1",
		`user "third"`, "run_settled aborted", "ack 2", `user "last"`, "run_settled stop",
	}
	if !slices.Equal(order, want) {
		t.Errorf("got %q, want %q", order, want)
	}
}
