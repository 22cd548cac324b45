package engine

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/session"
)

const oneTask = `
-- model --
price: 1 2 0 0

-- turn --
on: find out
-- text --
I'll ask.
-- call task --
{"agent": "explore", "description": "look around", "prompt": "Say what notes.txt holds."}
-- usage input=1000 output=0 --

-- turn --
on: what notes.txt holds
-- text --
Let me look.
-- call read --
{"path": "notes.txt"}
-- usage input=2000 output=0 --

-- turn --
on: what notes.txt holds
-- text --
It holds "a note".
-- usage input=4000 output=0 --

-- turn --
on: find out
-- text --
Found out.
-- usage input=8000 output=0 --
`

// nested are the events of one call's sub-agent, in order.
func (c *client) nested(call string) (events []event.Event) {
	for _, it := range c.log {
		if e, ok := it.Event.(event.SubagentEvent); ok && e.CallID == call {
			events = append(events, e.Event)
		}
	}
	return events
}

// ends are the task calls that have ended, by the text of their result.
func (c *client) ends() map[string]event.ToolEnded {
	ends := map[string]event.ToolEnded{}
	for _, it := range c.log {
		if e, ok := it.Event.(event.ToolEnded); ok && e.Name == taskTool {
			ends[e.CallID] = e
		}
	}
	return ends
}

func TestSubagent(t *testing.T) {
	w := newWorld(t, oneTask)
	w.write(map[string]string{"project/notes.txt": "a note\n"})
	c := w.open(OpenOptions{})
	if end := c.run("find out"); end.Reason != message.Stop {
		t.Fatalf("%+v\n%s", end, c.story())
	}
	ends := c.ends()
	if len(ends) != 1 {
		t.Fatalf("story:\n%s", c.story())
	}
	v, err := c.s.View(c.ctx())
	if err != nil {
		t.Fatal(err)
	}
	for id, e := range ends {
		if got := message.Text(e.Content); e.IsError || got != `It holds "a note".` {
			t.Errorf("result %q, error %v", got, e.IsError)
		}
		var d taskDetails
		if err := json.Unmarshal(e.Details, &d); err != nil {
			t.Fatal(err)
		}
		if d.Agent != "explore" || d.Status != "done" || d.Model != "test/model" || d.Turns != 2 || d.ToolCalls != 1 || d.Usage.Input != 6000 {
			t.Errorf("details %+v", d)
		}
		// Its session is a file beside the caller's, which no list shows.
		if want := strings.TrimSuffix(v.File, ".jsonl") + "/subagents/"; !strings.HasPrefix(d.Transcript, want) {
			t.Errorf("transcript %s, want it in %s", d.Transcript, want)
		}
		doc, _, err := session.Open(d.Transcript, session.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer doc.Close()
		if m := doc.Context().Messages; len(m) != 4 || m[0].Text() != "Say what notes.txt holds." {
			t.Errorf("transcript of %d messages", len(m))
		}
		var story []string
		for _, ev := range c.nested(id) {
			if line := tell(ev); line != "" {
				story = append(story, line)
			}
		}
		want := `run_started
turn_started
user "Say what notes.txt holds." 
assistant "Let me look." toolUse
tool_started read
tool_running read
tool_ended read "a note\n" error=false
toolResult "a note\n" 
turn_started
assistant "It holds \"a note\"." stop
run_settled stop`
		if got := strings.Join(story, "\n"); got != want {
			t.Errorf("its story:\n%s\nwant:\n%s", got, want)
		}
	}
	if v.Usage.Total.Input != 15000 {
		t.Errorf("the session counts %d tokens, want its own and the sub-agent's", v.Usage.Total.Input)
	}
	folders, err := w.engine.SessionFolders(w.dir, "", true)
	if err != nil {
		t.Fatal(err)
	}
	if list, err := session.List(folders...); err != nil || len(list) != 1 {
		t.Errorf("%d sessions are listed, want 1: %v", len(list), err)
	}
	if err := c.s.Close(c.ctx()); err != nil {
		t.Fatal(err)
	}
	again := w.open(OpenOptions{Path: v.File})
	if again.view.Usage.Total.Input != 15000 {
		t.Errorf("opened again it counts %d", again.view.Usage.Total.Input)
	}
}
