package remote

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const calls = "-- turn --\non: run\n-- text --\nI run it.\n-- call bash --\n{\"command\": \"echo ran > proof\"}\n" +

	"-- turn --\n-- text --\nIt is done.\n-- turn --\ntimes: always\n-- text --\nHello.\n"

// W-7: a call waits for the client's word. The frames keep the id and the mode
// of the request, whatever the confirmation's are; only errors have its own.
func TestToolConfirmation(t *testing.T) {
	for _, stream := range []bool{false, true} {
		p := serve(t, calls)
		c := p.connect("")
		c.send(`{"request_id":"t","input":{"Text":"run"},"stream":%v}`, stream)
		g := c.untilKind(kindToolAsk)
		var q toolAsk
		if err := json.Unmarshal(g.Response[kindToolAsk], &q); err != nil || g.ID != "t" || q.Name != "bash" || q.Description == nil || !strings.Contains(*q.Description, "echo ran > proof") {
			t.Fatalf("the question %v, %v", c.tail(), err)
		}
		for _, bad := range []struct{ name, arguments, err string }{
			{"other", string(q.Arguments), "Tool name mismatch: expected 'bash', got 'other'"},
			{"bash", `{"command":"rm -rf /"}`, "arguments"},
			{"bash", `null`, "arguments"},
		} {
			c.send(`{"request_id":"x","input":{"ToolConfirmationResponse":{"name":%q,"arguments":%s,"approved":true}}}`, bad.name, bad.arguments)
			if g, _ := c.take(); g.ID != "x" || !strings.HasPrefix(g.err(), "Tool confirmation validation failed: ") || !strings.Contains(g.err(), bad.err) {
				t.Errorf("%v: %v", bad, g)
			}
		}
		if _, err := os.Stat(filepath.Join(p.dir, "proof")); err == nil {
			t.Fatal("it ran unasked")
		}
		c.send(`{"request_id":"y","input":{"ToolConfirmationResponse":{"name":"bash","arguments":{"command":"echo ran \u003e proof"},"approved":true}},"stream":%v,"use_tools":false}`, !stream)
		g = c.end("t")
		if g.Error != nil || stream != (g.kind() == kindComplete) || !stream && g.text() != "I run it.\n\nIt is done." {
			t.Errorf("stream %v: the end %v", stream, g)
		}
		if _, err := os.Stat(filepath.Join(p.dir, "proof")); err != nil {
			t.Error("the approved call didn't run")
		}
		c.send(`{"request_id":"z","input":{"ToolConfirmationResponse":{"name":"bash","arguments":{},"approved":true}}}`)
		if g := c.end("z"); g.err() != "No pending tool confirmation found" {
			t.Errorf("a second answer: %v", g)
		}
		for _, raw := range c.tail() {
			if !stream && (strings.Contains(raw, kindCall) || strings.Contains(raw, kindResult)) {
				t.Errorf("a one-frame request got %s", raw)
			}
		}
	}
}

// W-7: a refused call doesn't run; the model is told why and goes on.
func TestToolRefused(t *testing.T) {
	p := serve(t, calls)
	c := p.connect("")
	c.send(`{"request_id":"t","input":{"Text":"run"},"stream":true}`)
	c.untilKind(kindToolAsk)
	c.send(`{"request_id":"n","input":{"ToolConfirmationResponse":{"name":"bash","arguments":{"command":"echo ran > proof"},"approved":false,"reason":"not today"}}}`)
	g := c.untilKind(kindResult)
	var r toolResult
	if err := json.Unmarshal(g.Response[kindResult], &r); err != nil || !r.Result.IsError || !strings.Contains(r.Result.Text, "not today") {
		t.Errorf("the result %v, %v", g, err)
	}
	if g := c.end("t"); g.kind() != kindComplete || g.interrupted() {
		t.Errorf("the end %v", g)
	}
	if _, err := os.Stat(filepath.Join(p.dir, "proof")); err == nil {
		t.Error("the refused call ran")
	}
}

// W-4: a client can ask to be asked more, never less.
func TestAskBefore(t *testing.T) {
	p := serve(t, calls, inMode("full"))
	c := p.connect("")
	c.send(`{"request_id":"t","input":{"Text":"run"},"config":{"ask_before_tool_execution":true}}`)
	if g, _ := c.take(); g.kind() != kindToolAsk {
		t.Errorf("asked to be asked, got %v", g)
	}
	p = serve(t, calls)
	c = p.connect("")
	c.send(`{"request_id":"t","input":{"Text":"run"},"config":{"ask_before_tool_execution":false}}`)
	if g, _ := c.take(); g.kind() != kindToolAsk {
		t.Errorf("the server's ask was weakened: %v", g)
	}
}

// W-7: an Interrupt while a call waits takes the question back.
func TestInterruptQuestion(t *testing.T) {
	c := serve(t, calls).connect("")
	c.send(`{"request_id":"t","input":{"Text":"run"},"stream":true}`)
	c.untilKind(kindToolAsk)
	c.send(`{"request_id":"i","input":"Interrupt"}`)
	if g := c.end("t"); !g.interrupted() {
		t.Errorf("the end %v", g)
	}
	if g := c.end("i"); g.Error != nil {
		t.Errorf("the Interrupt %v", g)
	}
	c.send(`{"request_id":"y","input":{"ToolConfirmationResponse":{"name":"bash","arguments":{},"approved":true}}}`)
	if g := c.end("y"); g.err() != "No pending tool confirmation found" {
		t.Errorf("the question is still open: %v", g)
	}
}

// W-7: after so many turns the client is asked to go on, in the protocol's
// words.
func TestTurnConfirmation(t *testing.T) {
	c := serve(t, hello).connect("")
	c.ask("a", "one")
	limit := `"config":{"max_context_num":1}`
	ask := func(id string) turnAsk {
		t.Helper()
		c.send(`{"request_id":%q,"input":{"Text":"two"},%s}`, id, limit)
		g, _ := c.take()
		var q turnAsk
		if err := json.Unmarshal(g.Response[kindTurnAsk], &q); err != nil || g.ID != id {
			t.Fatalf("%v, %v", g, err)
		}
		return q
	}
	const reason = "已达到最大对话轮次限制 (1 轮)。是否重置对话轮次以继续对话？"
	if q := ask("b"); q.CurrentTurns != 1 || q.MaxTurns != 1 || q.Reason != reason || q.Message != reason {
		t.Errorf("the question %+v", q)
	}
	c.send(`{"request_id":"no","input":{"TurnConfirmationResponse":{"confirmed":false,"reason":"enough"}}}`)
	if g, _ := c.take(); g.ID != "b" || g.text() != "对话已结束，未重置轮次。" || g.Error != nil {
		t.Errorf("refused: %v", g)
	}
	ask("c")
	c.send(`{"request_id":"yes","input":{"TurnConfirmationResponse":{"confirmed":true}}}`)
	if g, _ := c.take(); g.ID != "c" || g.text() != "Hello." {
		t.Errorf("confirmed: %v", g)
	}
	c.send(`{"request_id":"late","input":{"TurnConfirmationResponse":{"confirmed":true}}}`)
	if g, _ := c.take(); g.ID != "late" || !strings.Contains(g.err(), "No pending turn confirmation") {
		t.Errorf("nothing is asked: %v", g)
	}
	ask("d")
	c.send(`{"request_id":"i","input":"Interrupt"}`)
	c.end("i")
	if g := c.end("d"); g.text() != "" || g.Error != nil {
		t.Errorf("interrupted: %v", g)
	}
	c.send(`{"request_id":"r","input":{"Instruction":{"command":"reset","parameters":null}}}`)
	c.end("r")
	c.send(`{"request_id":"e","input":{"Text":"two"},%s}`, limit)
	if g, _ := c.take(); g.ID != "e" || g.text() != "Hello." {
		t.Errorf("after a reset: %v", g)
	}
}
