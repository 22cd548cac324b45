package remote

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"github.com/hoopoe-agent/hoopoe/engine"
)

// W-1, W-3: one frame with all keys in the one mode; chunks and a completion
// under both names in the other. Nothing comes unasked.
func TestModes(t *testing.T) {
	p := serve(t, "-- turn --\ntimes: always\n-- text piece=4 --\nمرحبا 你好 👩‍🚀 done.\n-- usage input=5 output=7 --\n")
	c := p.connect("")
	for _, stream := range []string{``, `,"stream":false`, `,"":false`, `,"stream":null`, `,"stream":false,"":true`} {
		c.send(`{"request_id":"a","input":{"Text":"hi"}%s}`, stream)
		g, _ := c.take()
		if g.kind() != kindText || g.text() != "مرحبا 你好 👩‍🚀 done." || g.Error != nil || g.Usage == nil || g.Usage.Total != 12 {
			t.Errorf("%s: %s", stream, c.tail())
		}
	}
	if raw := c.tail()[0]; !strings.HasPrefix(raw, `{"request_id":"a","response":{"Text":"مرحبا`) || !strings.HasSuffix(raw, `"error":null,"token_usage":{"prompt_tokens":5,"completion_tokens":7,"total_tokens":12}}`) {
		t.Errorf("the frame %s", raw)
	}
	for _, stream := range []string{`"stream":true`, `"":true`} {
		c.send(`{"request_id":"b","input":{"Text":"hi"},%s}`, stream)
		var text strings.Builder
		for {
			g, ok := c.take()
			if !ok || g.kind() != kindStream {
				want := `{"token_usage":{"prompt_tokens":5,"completion_tokens":7,"total_tokens":12},"interrupted":false}`
				if string(g.Response["Complete"]) != want || string(g.Response["StreamComplete"]) != want || g.Usage != nil || g.Error != nil {
					t.Errorf("completion %v", c.tail())
				}
				break
			}
			text.WriteString(g.text())
		}
		if text.String() != "مرحبا 你好 👩‍🚀 done." {
			t.Errorf("the chunks are %q", text.String())
		}
	}
	for wire, want := range map[string][]string{"seed": {"Complete"}, "upstream": {"StreamComplete"}, "both": {"Complete", "StreamComplete"}} {
		c := p.connect("?wire=" + wire)
		c.send(`{"request_id":"c","input":{"Text":"hi"},"stream":true}`)
		var names []string
		for name := range c.end("c").Response {
			names = append(names, name)
		}
		if slices.Sort(names); !slices.Equal(names, want) {
			t.Errorf("wire %s: %v", wire, names)
		}
	}
}

// W-8: what can't be read is answered under its id, if it has one, and the
// connection stays open.
func TestBadRequests(t *testing.T) {
	c := serve(t, hello).connect("")
	for _, r := range []struct{ send, id, err string }{
		{`not json`, "parse_error", "invalid character"},
		{``, "parse_error", ""},
		{`[]`, "parse_error", "JSON object"},
		{`null`, "parse_error", "JSON object"},
		{`{}`, "parse_error", "`request_id`"},
		{`{"request_id":1,"input":{"Text":"a"}}`, "parse_error", "`request_id`"},
		{`{"Request_Id":"x","input":{"Text":"a"}}`, "parse_error", "`request_id`"},
		{`{"request_id":"x"}`, "x", "`input`"},
		{`{"request_id":"x","response":{"ToolResult":{"name":"a","result":1}}}`, "x", "`input`"},
		{`{"request_id":"x","input":{}}`, "x", "one name"},
		{`{"request_id":"x","input":{"Text":"a","Image":null}}`, "x", "one name"},
		{`{"request_id":"x","input":"Text"}`, "x", "unknown input `Text`"},
		{`{"request_id":"x","input":{"text":"a"}}`, "x", "unknown input `text`"},
		{`{"request_id":"x","input":{"type":"get_commands"}}`, "x", "unknown input `type`"},
		{`{"request_id":"x","input":{"GetCommands":true}}`, "x", "no value but null"},
		{`{"request_id":"x","input":{"Text":1}}`, "x", "Text must be a string"},
		{`{"request_id":"x","input":{"Image":{}}}`, "x", "`data`"},
		{`{"request_id":"x","input":{"File":{"filename":"a","data":""}}}`, "x", "`content_type`"},
		{`{"request_id":"x","input":{"Instruction":{"command":"help"}}}`, "x", "`parameters`"},
		{`{"request_id":"x","input":{"ToolConfirmationResponse":{"name":"a","approved":true}}}`, "x", "`arguments`"},
		{`{"request_id":"x","input":{"Text":"a"},"config":{"max_tokens":-1}}`, "x", "`max_tokens`"},
		{`{"request_id":"x","input":{"Text":"a"},"config":{"max_context_num":1.5}}`, "x", "`max_context_num`"},
		{`{"request_id":"x","input":{"Text":"a"},"config":{"max_tool_try":4294967296}}`, "x", "at most"},
		{`{"request_id":"x","input":{"Text":"a"},"config":[]}`, "x", "`config`"},
		{`{"request_id":"x","input":{"Text":"a"},"use_tools":1}`, "x", "`use_tools`"},
		{`{"request_id":"x","input":{"Text":"a"},"stream":"yes"}`, "x", "`stream`"},
		{`{"request_id":"x","input":` + strings.Repeat(`{"Multi":[`, 40) + strings.Repeat(`]}`, 40) + `}`, "parse_error", "nested"},
		{`{"request_id":"x","input":{"Multi":[` + strings.Repeat(`{"Text":"a"},`, 1000) + `{"Text":"a"}]}}`, "x", "more than 1000"},
	} {
		c.send("%s", r.send)
		g, ok := c.take()
		if !ok || g.ID != r.id || g.kind() != kindText || g.text() != "" || !strings.HasPrefix(g.err(), "Failed to parse request: ") || !strings.Contains(g.err(), r.err) {
			t.Errorf("%s is answered %v", excerpt(r.send, 100), c.tail()[len(c.tail())-1])
		}
	}
	if g := c.ask("ok", "hi"); g.text() != "Hello." {
		t.Error("the connection is of no use any more")
	}
}

// W-8: no parser may make something else of bytes that are no UTF-8.
func TestNotUTF8(t *testing.T) {
	p := serve(t, hello)
	c := p.connect("")
	c.send("{\"request_id\":\"a\xff\",\"input\":{\"Text\":\"hi\"}}")
	if code := c.closed(); code != websocket.StatusInvalidFramePayloadData {
		t.Errorf("closed with %d", code)
	}
	c = p.connect("")
	if err := c.ws.Write(t.Context(), websocket.MessageBinary, []byte("\xff")); err != nil {
		t.Fatal(err)
	}
	if g, _ := c.take(); !strings.HasSuffix(g.err(), "Binary message must be valid UTF-8 JSON") {
		t.Errorf("answered %v", g)
	}
	if err := c.ws.Write(t.Context(), websocket.MessageBinary, []byte(`{"request_id":"b","input":{"Text":"hi"}}`)); err != nil {
		t.Fatal(err)
	}
	if g := c.end("b"); g.text() != "Hello." {
		t.Errorf("answered %v", g)
	}
}

// W-2, W-5: the list holds the names that clients know, the same in every
// spelling of the request.
func TestGetCommands(t *testing.T) {
	c := serve(t, hello).connect("")
	var lists []string
	for _, in := range []string{`"GetCommands"`, `{"GetCommands":null}`, `{"GetCommands":{}}`} {
		c.send(`{"request_id":"l","input":%s}`, in)
		g := c.end("l")
		if g.Error != nil || g.Usage != nil {
			t.Errorf("%s: %v", in, c.tail())
		}
		lists = append(lists, g.text())
	}
	var list struct {
		Commands []commandRow
		Count    int
	}
	if err := json.Unmarshal([]byte(lists[0]), &list); err != nil || lists[0] != lists[1] || lists[1] != lists[2] || list.Count != len(list.Commands) {
		t.Errorf("%v: %v", err, lists)
	}
	names := map[string]bool{}
	for _, row := range list.Commands {
		if names[row.Name] || row.Description == "" {
			t.Errorf("row %+v", row)
		}
		names[row.Name] = true
	}
	for _, want := range []string{"help", "clear", "exit", "reset", "history", "tools", "config"} {
		if !names[want] {
			t.Errorf("%s is missing in %v", want, list.Commands)
		}
	}
	if names["resume"] || names["sessions"] {
		t.Error("the list offers the sessions of others")
	}
}

// W-5: an Instruction runs a slash command, with parameters in any of their
// shapes.
func TestInstruction(t *testing.T) {
	p := serve(t, hello)
	c := p.connect("")
	for _, r := range []struct{ command, parameters, text, err string }{
		{"help", `{}`, "/tools", ""},
		{"/help", `null`, "/tools", ""},
		{"HELP", `[]`, "/tools", ""},
		{"tools", `{"args":[]}`, "bash", ""},
		{"permissions", `"plan"`, "plan", ""},
		{"permissions", `["plan"]`, "plan", ""},
		{"permissions", `{"args":"plan"}`, "plan", ""},
		{"permissions", `{"args":["full"]}`, "", "can't loosen"},
		{"reset", `{}`, "counted anew", ""},
		{"nope", `{}`, "", "Unknown command: nope"},
		{"hel", `{}`, "", "Unknown command: hel"},
		{"resume", `{}`, "", "Unknown command: resume"},
		{"help", `{"path":"x"}`, "", "`path`"},
		{"help", `{"args":{"a":1}}`, "", "`args`"},
		{"help", `7`, "", "`parameters`"},
		{"export", `"../outside.html"`, "", "below the working directory"},
		{"export", `"/tmp/outside.html"`, "", "below the working directory"},
	} {
		c.send(`{"request_id":"i","input":{"Instruction":{"command":%q,"parameters":%s}}}`, r.command, r.parameters)
		g := c.end("i")
		if !strings.Contains(g.text(), r.text) || (r.err == "") != (g.Error == nil) || !strings.Contains(g.err(), r.err) {
			t.Errorf("%s %s: %v", r.command, r.parameters, g.text()+g.err())
		}
	}
	c.send(`{"request_id":"bye","input":{"Instruction":{"command":"exit","parameters":null}}}`)
	if g := c.end("bye"); g.Error != nil {
		t.Error(g.err())
	}
	if code := c.closed(); code != websocket.StatusNormalClosure {
		t.Errorf("closed with %d", code)
	}
}

// The conversation goes on from request to request; ClearContext begins anew.
func TestMemory(t *testing.T) {
	p := serve(t, "-- turn --\non: my name\n-- text --\nHello Ada.\n-- turn --\ntimes: always\n-- text --\nAgain.\n")
	c := p.connect("")
	c.ask("a", "my name is Ada")
	c.ask("b", "and?")
	c.send(`{"request_id":"h","input":{"Instruction":{"command":"history","parameters":null}}}`)
	if h := c.end("h").text(); !strings.Contains(h, "my name is Ada") || !strings.Contains(h, "Again.") {
		t.Errorf("history %q", h)
	}
	c.send(`{"request_id":"c","input":"ClearContext"}`)
	if g := c.end("c"); g.Error != nil || g.text() == "" {
		t.Errorf("cleared %v", g)
	}
	c.send(`{"request_id":"h","input":{"Instruction":{"command":"history","parameters":null}}}`)
	if h := c.end("h").text(); strings.Contains(h, "Ada") {
		t.Errorf("history %q", h)
	}
	c.send(`{"request_id":"r","input":"Regenerate"}`)
	if g := c.end("r"); !strings.Contains(g.err(), "no message to answer again") {
		t.Errorf("nothing to answer again: %v", g)
	}
}

// W-6: the old answer is gone; the new one comes in the mode of its request.
func TestRegenerate(t *testing.T) {
	c := serve(t, "-- turn --\n-- text --\nOne.\n-- turn --\n-- text --\nTwo.\n").connect("")
	c.ask("a", "count")
	c.send(`{"request_id":"r","input":{"Regenerate":null},"stream":true}`)
	if g := c.untilKind(kindStream); g.ID != "r" || g.text() != "Two." {
		t.Errorf("chunk %v", g)
	}
	c.end("r")
	c.send(`{"request_id":"h","input":{"Instruction":{"command":"history","parameters":null}}}`)
	if h := c.end("h").text(); strings.Contains(h, "One.") || !strings.Contains(h, "Two.") {
		t.Errorf("history %q", h)
	}
}

// W-6: a Regenerate is a request like others: it can be interrupted.
func TestRegenerateInterrupted(t *testing.T) {
	c := serve(t, "-- turn --\n-- text --\nOne.\n-- turn --\n-- text --\nTwo\n-- delay 1h --\n-- turn --\ntimes: always\n-- text --\nThree.\n").connect("")
	c.ask("a", "count")
	c.send(`{"request_id":"r","input":"Regenerate","stream":true}`)
	c.untilKind(kindStream)
	c.send(`{"request_id":"i","input":"Interrupt"}`)
	if g := c.end("r"); !g.interrupted() {
		t.Errorf("the end %+v", g)
	}
	c.end("i")
	c.send(`{"request_id":"again","input":"Regenerate"}`)
	if g := c.end("again"); g.text() != "Three." {
		t.Errorf("afterwards %+v", g)
	}
}

// W-4: what a request wishes for reaches the model's call, and nothing of it
// stays for the next.
func TestConfig(t *testing.T) {
	for _, c := range []struct {
		more string
		want engine.Once
	}{
		{``, engine.Once{}},
		{`,"config":null`, engine.Once{}},
		{`,"config":{"max_tokens":7,"prompt":"Be brief.","max_tool_try":3,"unknown":1}`, engine.Once{MaxTokens: 7, Append: "Be brief."}},
		{`,"config":{"ask_before_tool_execution":true},"use_tools":false`, engine.Once{AskAll: true, NoTools: true}},
		{`,"config":{"ask_before_tool_execution":false,"max_tokens":null}`, engine.Once{}},
	} {
		r, err := parse([]byte(`{"request_id":"a","input":{"Text":"hi"}` + c.more + `}`))
		if err != nil {
			t.Fatal(err)
		}
		if in, err := promptOf(t.Context(), r); err != nil || in.Text != "hi" || in.Once != c.want {
			t.Errorf("%s is %+v, %v", c.more, in, err)
		}
	}
}

const slow = "-- turn --\non: slow\ntimes: always\n-- text --\nBegun.\n-- delay 1h --\n-- text --\nnever\n" +
	"-- turn --\ntimes: always\n-- text --\nHello.\n"

// W-6: an Interrupt is answered under its own id and ends the request in its
// mode; the connection works on.
func TestInterrupt(t *testing.T) {
	c := serve(t, slow).connect("")
	c.send(`{"request_id":"i0","input":"Interrupt"}`)
	if g := c.end("i0"); g.err() != "No active model output to interrupt" {
		t.Errorf("idle: %v", g)
	}
	for _, in := range []string{`"Interrupt"`, `{"Interrupt":null}`} {
		c.send(`{"request_id":"s","input":{"Text":"slow"},"stream":true}`)
		c.untilKind(kindStream)
		c.send(`{"request_id":"i","input":%s}`, in)
		seen := map[string]got{}
		for len(seen) < 2 {
			g := c.until("both ends", got.ends)
			seen[g.ID] = g
		}
		if s := seen["s"]; s.kind() != kindComplete || !s.interrupted() {
			t.Errorf("the request ended with %v", s)
		}
		if i := seen["i"]; i.text() != "Model output interrupted successfully" || i.Error != nil {
			t.Errorf("the Interrupt was answered %v", i)
		}
	}
	if g := c.ask("ok", "hi"); g.text() != "Hello." {
		t.Errorf("afterwards %v", g)
	}
}

// W-6: without streaming the text so far is the answer.
func TestInterruptOneFrame(t *testing.T) {
	p := serve(t, slow)
	c := p.connect("?session=new")
	c.send(`{"request_id":"s","input":{"Text":"slow"}}`)
	c.send(`{"request_id":"l","input":"GetCommands"}`)
	id := c.end("l").Session
	eventually(t, "the answer has begun", func() bool {
		v, err := p.conversation(id).session.View(t.Context())
		return err == nil && v.InFlight != nil && v.InFlight.Text() == "Begun."
	})
	c.send(`{"request_id":"i","input":"Interrupt"}`)
	if g := c.end("s"); g.text() != "Begun." || g.Error != nil {
		t.Errorf("the answer %v", g)
	}
}

func (p *place) conversation(id string) *conversation {
	p.t.Helper()
	p.server.mu.Lock()
	defer p.server.mu.Unlock()
	c := p.server.kept[id]
	if c == nil {
		p.t.Fatalf("no conversation %s", id)
	}
	return c
}

// W-1: requests wait for each other, in their order, and none is dropped in
// silence.
func TestQueue(t *testing.T) {
	c := serve(t, slow).connect("")
	c.send(`{"request_id":"s","input":{"Text":"slow"},"stream":true}`)
	c.untilKind(kindStream)
	for i := range maxWaiting + 2 {
		c.send(`{"request_id":"q%d","input":{"Text":"hi"}}`, i)
	}
	for _, id := range []string{"q8", "q9"} {
		if g := c.end(id); !strings.HasPrefix(g.err(), "busy: ") {
			t.Errorf("%s: %v", id, g)
		}
	}
	c.send(`{"request_id":"l","input":"GetCommands"}`)
	c.end("l")
	c.send(`{"request_id":"i","input":"Interrupt"}`)
	for _, id := range []string{"s", "i", "q0", "q1", "q2", "q3", "q4", "q5", "q6", "q7"} {
		if g, _ := c.take(); g.ID != id || g.Error != nil {
			t.Errorf("%v came in place of %s", g, id)
		}
	}
}

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

// W-8: a provider that fails is an error, with nothing behind it.
func TestProviderError(t *testing.T) {
	c := serve(t, "-- turn --\ntimes: always\n-- error status=401 --\nthe key is no good\n").connect("")
	for _, stream := range []bool{false, true} {
		c.send(`{"request_id":"a","input":{"Text":"hi"},"stream":%v}`, stream)
		g, _ := c.take()
		if g.kind() != kindText || g.text() != "" || !strings.HasPrefix(g.err(), "Processing error: ") || !strings.Contains(g.err(), "the key is no good") {
			t.Errorf("stream %v: %v", stream, c.tail())
		}
	}
}

// W-8: a request that ends on a failed call and no word about it fails itself.
func TestToolError(t *testing.T) {
	c := serve(t, "-- turn --\n-- call read --\n{\"path\": \"missing.txt\"}\n-- turn --\n-- delay 1ms --\n").connect("")
	g := c.ask("a", "read it")
	var e struct {
		Type, Message string
		Details       struct {
			Tool, Error string
			Arguments   map[string]string
		}
	}
	if err := json.Unmarshal([]byte(g.err()), &e); err != nil || e.Type != "tool_execution_error" || e.Message != "Tool 'read' execution failed" ||
		e.Details.Tool != "read" || e.Details.Arguments["path"] != "missing.txt" || e.Details.Error == "" {
		t.Errorf("%v: %v", err, g.err())
	}
}

// W-1: without tools none runs.
func TestNoTools(t *testing.T) {
	p := serve(t, calls, inMode("full"))
	c := p.connect("")
	c.send(`{"request_id":"t","input":{"Text":"run"},"use_tools":false}`)
	c.end("t")
	if _, err := os.Stat(filepath.Join(p.dir, "proof")); err == nil {
		t.Error("a tool ran")
	}
}

// W-2: pictures and files reach the model; what can't is refused by name.
func TestAttachments(t *testing.T) {
	p := serve(t, hello)
	c := p.connect("?session=new")
	png := "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
	text := base64.StdEncoding.EncodeToString([]byte("line <one>\n"))
	c.send(`{"request_id":"a","input":{"Multi":[{"Text":"look"},{"Image":{"data":%q,"mime_type":"image/png"}},{"Multi":[{"File":{"filename":"a\u0007.txt","content_type":"text/plain","data":%q}}]}]}}`, png, text)
	g := c.end("a")
	if g.Error != nil {
		t.Fatal(g.err())
	}
	v, err := p.conversation(g.Session).session.View(t.Context())
	if err != nil || len(v.Messages) == 0 {
		t.Fatal(err)
	}
	blocks := v.Messages[0].Content
	if len(blocks) != 3 || blocks[0].Text != "look" || blocks[1].MimeType != "image/png" || blocks[1].Data == "" || blocks[2].Text != "<file path=\"a.txt\">\nline <one>\n</file>" {
		t.Errorf("the message %+v", blocks)
	}
	for _, bad := range []struct{ input, err string }{
		{`{"Image":{"data":"%%%"}}`, "not base64"},
		{`{"Image":{"data":""}}`, "is empty"},
		{`{"Image":{"data":"aGVsbG8="}}`, "no picture"},
		{`{"File":{"filename":"b.bin","content_type":"x","data":"AAEC"}}`, `"b.bin" is neither`},
		{`{"Multi":["Interrupt"]}`, "Multi holds"},
		{`{"Multi":[]}`, "empty"},
		{`{"Text":" "}`, "empty"},
	} {
		c.send("%s", `{"request_id":"b","input":`+bad.input+`}`)
		if g := c.end("b"); !strings.HasPrefix(g.err(), "Processing error: ") || !strings.Contains(g.err(), bad.err) {
			t.Errorf("%s: %v", bad.input, g)
		}
	}
}

// W-10: a message over the limit ends its connection alone.
func TestTooLarge(t *testing.T) {
	p := serve(t, hello, func(o *Options) { o.MaxMessage = 1 << 20 })
	other := p.connect("")
	c := p.connect("")
	big := base64.StdEncoding.EncodeToString(make([]byte, 512<<10))
	c.send(`{"request_id":"a","input":{"Image":{"data":%q}}}`, big)
	if g := c.end("a"); !strings.Contains(g.err(), "no picture") {
		t.Errorf("a message below the limit: %v", g)
	}
	go c.ws.Write(t.Context(), websocket.MessageText, make([]byte, 2<<20))
	if code := c.closed(); code != websocket.StatusMessageTooBig && code != -1 {
		t.Errorf("closed with %d", code)
	}
	if g := other.ask("b", "hi"); g.text() != "Hello." {
		t.Errorf("another connection: %v", g)
	}
}

// W-6: whoever goes takes what runs along: the model's call, a stubborn
// process, an open question.
func TestDisconnect(t *testing.T) {
	p := serve(t, "-- turn --\n-- call bash --\n{\"command\": \"trap '' INT TERM; echo $$ > pid; while :; do sleep 1; done\"}\n", inMode("full"))
	c := p.connect("")
	c.send(`{"request_id":"a","input":{"Text":"go"},"stream":true}`)
	pid := ""
	eventually(t, "the command runs", func() bool {
		data, _ := os.ReadFile(filepath.Join(p.dir, "pid"))
		pid = strings.TrimSpace(string(data))
		return pid != ""
	})
	c.ws.CloseNow()
	eventually(t, "the process is gone", func() bool {
		_, err := os.Stat("/proc/" + pid)
		return err != nil
	})
	eventually(t, "the session is closed", func() bool {
		p.server.mu.Lock()
		defer p.server.mu.Unlock()
		return len(p.server.talks) == 0
	})
}
