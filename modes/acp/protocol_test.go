package acp

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/spec"
	"github.com/hoopoe-agent/hoopoe/modes/internal/wire"
)

const hello = "-- turn --\ntimes: always\n-- text --\nhello\n"

// slow is a model whose answer to "slow" takes until it is cancelled.
const slow = "-- turn --\non: slow\ntimes: always\n-- text piece=4 delay=20ms repeat=2000 --\nwork \n" + hello

// A-2, case 15: version 1, whatever is asked for, and what we offer.
func TestInitialize(t *testing.T) {
	c := connect(t, hello, setup{late: true})
	for _, version := range []string{"1", "2", "9", "0"} {
		var r initializeResult
		c.result(&r, "initialize", `{"protocolVersion":%s}`, version)
		if r.ProtocolVersion != 1 || !r.AgentCapabilities.LoadSession || r.AgentInfo.Version != "0.0.0-test" {
			t.Errorf("asked for %s: %+v", version, r)
		}
		if len(r.AuthMethods) != 0 {
			t.Errorf("with a model there is nothing to log in to: %+v", r.AuthMethods)
		}
	}
	for _, bad := range []string{`{"protocolVersion":"1"}`, `{}`, `{"protocolVersion":1.5}`} {
		if l := c.call("initialize", bad); l.Error == nil || l.Error.Code != -32602 || !strings.Contains(l.Error.Message, "protocolVersion") {
			t.Errorf("%s: %s", bad, l.raw)
		}
	}
}

// A-10, case 18: methods are offered only while no model has a key, and a login only
// where there is a terminal.
func TestAuthentication(t *testing.T) {
	methods := func(caps string) string {
		c := connect(t, hello, setup{keyless: true, late: true})
		var r initializeResult
		c.result(&r, "initialize", `{"protocolVersion":1,"clientCapabilities":%s}`, caps)
		var ids []string
		for _, m := range r.AuthMethods {
			ids = append(ids, m.Type+":"+m.ID)
		}
		c.result(nil, "authenticate", `{"methodId":"offline"}`)
		if l := c.call("authenticate", `{"methodId":"nobody"}`); l.Error == nil || l.Error.Code != -32602 {
			t.Errorf("an unknown method: %s", l.raw)
		}
		c.result(nil, "logout", `{}`)
		return strings.Join(ids, " ")
	}
	if got := methods(`{}`); got != ":offline" {
		t.Error(got)
	}
	if got := methods(`{"auth":{"terminal":true}}`); got != ":offline terminal:login" {
		t.Error(got)
	}
	if got := methods(`{"_meta":{"terminal-auth":true}}`); got != ":offline :login" {
		t.Error(got)
	}
	// The guide starts all the same.
	c := connect(t, hello, setup{keyless: true})
	id := c.open()
	if stop := c.turn(id, "hi"); stop != "end_turn" || c.said(id) == "" {
		t.Errorf("stopped by %s, said %q", stop, c.said(id))
	}
	l := c.call("session/set_config_option", `{"sessionId":%q,"configId":"model","value":"anthropic/claude-sonnet-4-5"}`, id)
	if l.Error == nil || l.Error.Data.Code == "" || l.Error.Data.Details != l.Error.Message {
		t.Errorf("a model that can't be used: %s", l.raw)
	}
}

// A-8, cases 13, 19, 31, 42: what is wrong with a line or a request, by its code;
// notifications have no answer.
func TestErrors(t *testing.T) {
	c := connect(t, slow, setup{})
	id := c.open()
	for _, r := range []struct {
		name, line, id string
		code           int
	}{
		{"no JSON", `{broken`, "null", -32700},
		{"a list", `[{"jsonrpc":"2.0","id":1,"method":"x"}]`, "null", -32600},
		{"a text", `"text"`, "null", -32600},
		{"no method", `{"jsonrpc":"2.0","id":77}`, "77", -32600},
		{"a method that is none", `{"jsonrpc":"2.0","id":78,"method":7}`, "78", -32600},
		{"an id that is none", `{"jsonrpc":"2.0","id":{},"method":"x"}`, "null", -32600},
		{"another version", `{"jsonrpc":"1.0","id":79,"method":"x"}`, "79", -32600},
		{"without a version", `{"id":80,"method":"no/such"}`, "80", -32601},
		{"a text for an id", `{"jsonrpc":"2.0","id":"1","method":"no/such"}`, `"1"`, -32601},
		{"null for an id", `{"jsonrpc":"2.0","id":null,"method":"no/such"}`, "null", -32601},
		{"an extension", `{"jsonrpc":"2.0","id":81,"method":"_x/y"}`, "81", -32601},
		{"a carriage return", "{\"jsonrpc\":\"2.0\",\"id\":82,\"method\":\"no/such\"}\r", "82", -32601},
		{"blank lines", "\n  \n{\"jsonrpc\":\"2.0\",\"id\":83,\"method\":\"no/such\"}", "83", -32601},
	} {
		t.Run(r.name, func(t *testing.T) {
			from := len(c.all())
			c.checked.Sent(r.id, "no/such")
			c.send(r.line)
			n := 0
			l := c.await("the error", func(l line) bool { n++; return n > from && l.Error != nil })
			if string(l.ID) != r.id || l.Error.Code != r.code {
				t.Errorf("got %s, want id %s and code %d", l.raw, r.id, r.code)
			}
		})
	}
	for _, r := range []struct {
		name, method, params string
		code                 int
		says                 string
	}{
		{"a session that isn't there", "session/prompt", `{"sessionId":"nope","prompt":[{"type":"text","text":"x"}]}`, -32602, "session not found: nope"},
		{"no session", "session/prompt", `{"prompt":[{"type":"text","text":"x"}]}`, -32602, "sessionId"},
		{"no blocks", "session/prompt", `{"sessionId":"` + id + `","prompt":[]}`, -32602, "empty"},
		{"blank text", "session/prompt", `{"sessionId":"` + id + `","prompt":[{"type":"text","text":" \n\t"}]}`, -32602, "empty"},
		{"sound", "session/prompt", `{"sessionId":"` + id + `","prompt":[{"type":"audio","data":"AA==","mimeType":"audio/wav"}]}`, -32602, "sound"},
		{"a block of no type", "session/prompt", `{"sessionId":"` + id + `","prompt":[{"type":"smell"}]}`, -32602, "smell"},
		{"parameters that are none", "session/prompt", `[]`, -32602, "parameters"},
		{"no folder", "session/new", `{"mcpServers":[]}`, -32602, "cwd"},
		{"null for a folder", "session/new", `{"cwd":null,"mcpServers":[]}`, -32602, "cwd"},
		{"a relative folder", "session/new", `{"cwd":"a/b","mcpServers":[]}`, -32602, "absolute"},
		{"a folder that isn't there", "session/new", `{"cwd":"/no/such/folder","mcpServers":[]}`, -32602, "no folder"},
		{"a relative root", "session/new", `{"cwd":"/","additionalDirectories":["x"],"mcpServers":[]}`, -32602, "additionalDirectories[0]"},
		{"a server that is none", "session/new", `{"cwd":"/","mcpServers":[{"name":"x"}]}`, -32602, "mcpServers[0]"},
		{"a load of nothing", "session/load", `{"sessionId":"nope","cwd":"/","mcpServers":[]}`, -32602, "session not found: nope"},
		{"a resume of nothing", "session/resume", `{"sessionId":"../nope","cwd":"/"}`, -32602, "session not found"},
		{"a close of nothing", "session/close", `{"sessionId":"nope"}`, -32602, "session not found"},
		{"a mode that isn't there", "session/set_mode", `{"sessionId":"` + id + `","modeId":"wild"}`, -32602, "wild"},
		{"an option that isn't there", "session/set_config_option", `{"sessionId":"` + id + `","configId":"x","value":"y"}`, -32602, "x"},
		{"a switch for a choice", "session/set_config_option", `{"sessionId":"` + id + `","configId":"mode","type":"boolean","value":true}`, -32602, "mode"},
		{"a model that isn't there", "session/set_config_option", `{"sessionId":"` + id + `","configId":"model","value":"no/model"}`, -32602, "Model not found"},
		{"a cursor that is none", "session/list", `{"cursor":"zzz"}`, -32602, "cursor"},
	} {
		t.Run(r.name, func(t *testing.T) {
			l := c.call(r.method, r.params)
			if l.Error == nil || l.Error.Code != r.code || !strings.Contains(l.Error.Message, r.says) {
				t.Fatalf("got %s, want %d and %q", short(l.raw), r.code, r.says)
			}
			if l.Error.Data.Details != l.Error.Message {
				t.Errorf("the details %q don't repeat the message %q", l.Error.Data.Details, l.Error.Message)
			}
		})
	}
	// Notifications are never answered, and an idle cancel does nothing.
	before := len(c.all())
	c.notify("no/such", `{}`)
	c.notify("session/cancel", `{"sessionId":%q}`, id)
	c.notify("session/cancel", `{"sessionId":"nope"}`)
	c.notify("$/cancel_request", `{"requestId":"nothing"}`)
	if stop := c.turn(id, "hi"); stop != "end_turn" {
		t.Errorf("a cancel while nothing ran stopped the next prompt: %s", stop)
	}
	for _, l := range c.all()[before:] {
		if l.Error != nil {
			t.Errorf("a notification was answered: %s", l.raw)
		}
	}
	if l := c.call("session/cancel", `{"sessionId":%q}`, id); string(l.Result) != "{}" {
		t.Errorf("a cancel that wants an answer: %s", l.raw)
	}
	// A second prompt is refused, and so is an id that is in use.
	first := c.ask(id, "slow")
	c.updated(id, func(u update) bool { return strings.Contains(u.text(), "work") })
	if l := c.call("session/prompt", `{"sessionId":%q,"prompt":[{"type":"text","text":"second"}]}`, id); l.Error == nil || l.Error.Code != -32600 {
		t.Errorf("a second prompt: %s", l.raw)
	}
	c.notify("session/cancel", `{"sessionId":%q}`, id)
	if stop := c.stop(first); stop != "cancelled" {
		t.Errorf("stopped by %s", stop)
	}
	if stop := c.turn(id, "hi"); stop != "end_turn" {
		t.Errorf("after a cancel: %s", stop)
	}
}

// Cases 9, 12: one line of many megabytes is one message.
func TestLongLine(t *testing.T) {
	c := connect(t, hello, setup{})
	id := c.open()
	l := c.call("no/such", `{"pad":%q}`, strings.Repeat("x", 12<<20))
	if l.Error == nil || l.Error.Code != -32601 {
		t.Error(short(l.raw))
	}
	if stop := c.turn(id, strings.Repeat("long ", 50_000)); stop != "end_turn" {
		t.Error(stop)
	}
}

// Cases 20, 21, 22: a session isn't spoken of before the answer that names it.
func TestAnswerBeforeUpdates(t *testing.T) {
	c := connect(t, hello, setup{})
	id := c.open()
	c.updated(id, func(u update) bool {
		return u.SessionUpdate == "available_commands_update" && len(u.AvailableCommands) > 5
	})
	named := false
	for _, l := range c.all() {
		named = named || strings.Contains(string(l.Result), id)
		if _, ok := asUpdate(l, id); ok && !named {
			t.Fatal("an update comes before the answer")
		}
	}
	for _, u := range c.updates(id, "available_commands_update") {
		for _, a := range u.AvailableCommands {
			if strings.HasPrefix(a.Name, "/") || a.Description == "" || a.Name == "new" || a.Name == "resume" || a.Name == "quit" {
				t.Errorf("the command %+v", a)
			}
		}
	}
}

// The protocol's own order of things is kept when requests come at once.
func TestPipelined(t *testing.T) {
	c := connect(t, hello, setup{late: true})
	c.send("bash: no job control in this shell") // what some shells say first (case 4)
	c.await("the refusal", func(l line) bool { return string(l.ID) == "null" && l.Error != nil && l.Error.Code == -32700 })
	a := c.request("initialize", `{"protocolVersion":1}`)
	b := c.request("session/new", `{"cwd":%q,"mcpServers":[]}`, c.dir)
	var r sessionResult
	if err := json.Unmarshal(c.answered(b).Result, &r); err != nil || r.SessionID == "" {
		t.Fatal(err)
	}
	if c.answered(a).Error != nil {
		t.Error("initialize failed")
	}
	mode := c.request("session/set_mode", `{"sessionId":%q,"modeId":"full"}`, r.SessionID)
	prompt := c.ask(r.SessionID, "hi")
	if c.stop(prompt) != "end_turn" || c.answered(mode).Error != nil {
		t.Error("a setting beside the first prompt fails")
	}
}

// The page has each method, each code and each requirement.
func TestPage(t *testing.T) {
	data, err := os.ReadFile("PROTOCOL.md")
	if err != nil {
		t.Fatal(err)
	}
	words := []string{
		string(spec.Invalid), string(spec.NotFound), codeModel, codeAuth, codeRateLimited, codeOverloaded, codeUnavailable, codeBadRequest, codeOverflow, codeMCP, codeInternal,
		"session/new", "session/load", "session/resume", "session/list", "session/delete", "session/close", "session/fork", "session/prompt", "session/cancel",
		"session/set_mode", "session/set_config_option", "session/set_title", "session/set_model", "_session/steering", "authenticate", "logout",
	}
	for _, code := range []int{wire.ParseError, wire.InvalidRequest, wire.MethodNotFound, wire.InvalidParams, wire.InternalError, wire.Cancelled, authRequired} {
		words = append(words, strconv.Itoa(code))
	}
	for _, word := range words {
		if !strings.Contains(string(data), word) {
			t.Errorf("PROTOCOL.md doesn't speak of %s", word)
		}
	}
	for i := range 10 {
		if row := fmt.Sprintf("\n| A-%d |", i+1); !strings.Contains(string(data), row) {
			t.Errorf("PROTOCOL.md has no row %s", row)
		}
	}
}
