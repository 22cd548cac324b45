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
