package engine

import (
	"context"
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/tool"
)

// W-4: what a prompt wants for itself holds for it alone.
func TestOnce(t *testing.T) {
	w := newWorld(t, `
-- turn --
system: SPEAK-LATIN
-- text --
Salve.
-- turn --
-- text --
Hello.
`)
	c := w.open(OpenOptions{})
	c.send(Input{Text: "greet me", Once: Once{Append: "SPEAK-LATIN", MaxTokens: 7}})
	on[event.RunSettled](c)
	c.run("greet me")
	v, err := c.s.View(c.ctx())
	if err != nil || len(v.Messages) != 4 || v.Messages[1].Text() != "Salve." || v.Messages[3].Text() != "Hello." {
		t.Errorf("messages %v, %v", v.Messages, err)
	}
}

const callScript = `
-- turn --
-- call look --
{}
-- turn --
-- text --
Seen.
-- turn --
-- call look --
{}
-- turn --
-- text --
Seen again.
`

// W-7: asking about all tightens the mode, for one prompt.
func TestAskAll(t *testing.T) {
	c := newWorld(t, callScript).open(OpenOptions{Mode: "full"})
	c.addTool("look", tool.Read, func(context.Context, tool.Call) (tool.Result, error) { return tool.Result{}, nil })
	c.attach(Client{Name: "asker", Shows: []event.QuestionKind{event.AskPermission}})
	c.send(Input{Text: "look", Once: Once{AskAll: true}})
	q := on[event.AskOpened](c).Question
	if string(q.Permission.Arguments) != "{}" {
		t.Errorf("the question is about the arguments %s", q.Permission.Arguments)
	}
	if won, err := c.s.Answer(c.ctx(), q.ID, event.Answer{Choice: event.Once}); !won || err != nil {
		t.Fatal(won, err)
	}
	on[event.RunSettled](c)
	c.log = nil
	c.run("look")
	for _, it := range c.log {
		if _, ok := it.Event.(event.AskOpened); ok {
			t.Error("the second prompt asked too")
		}
	}
}

// W-1: without tools none can be called, whatever the model thinks.
func TestNoTools(t *testing.T) {
	c := newWorld(t, callScript).open(OpenOptions{Mode: "full"})
	ran := false
	c.addTool("look", tool.Read, func(context.Context, tool.Call) (tool.Result, error) { ran = true; return tool.Result{}, nil })
	c.send(Input{Text: "look", Once: Once{NoTools: true}})
	on[event.RunSettled](c)
	if ran {
		t.Error("the tool ran")
	}
}

// W-6: the old answer leaves the context, the message is answered anew.
func TestRegenerate(t *testing.T) {
	c := newWorld(t, "-- turn --\n-- text --\nOne.\n-- turn --\n-- text --\nTwo.\n").open(OpenOptions{})
	if err := c.s.Regenerate(c.ctx(), Once{}, nil); err == nil || !strings.Contains(err.Error(), "no message to answer again") {
		t.Errorf("nothing to answer again: %v", err)
	}
	c.run("count")
	if err := c.s.Regenerate(c.ctx(), Once{}, &Ack{c.sub, "again"}); err != nil {
		t.Fatal(err)
	}
	c.until("the ack", func(it Item) bool { return it.Ack == "again" })
	on[event.RunSettled](c)
	v, _ := c.s.View(c.ctx())
	if len(v.Messages) != 2 || v.Messages[0].Role != message.User || v.Messages[1].Text() != "Two." {
		t.Errorf("messages %v", v.Messages)
	}
}
