package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/mcp"
	"github.com/hoopoe-agent/hoopoe/engine/prompt"
	"github.com/hoopoe-agent/hoopoe/engine/session"
	"github.com/hoopoe-agent/hoopoe/engine/tool"
)

// serve runs an MCP server with one tool, and as many more as wanted.
func serve(t *testing.T, more int) mcp.Server {
	t.Helper()
	tools := `{"name":"look","description":"Looks","inputSchema":{"type":"object"}}`
	for i := range more {
		tools += fmt.Sprintf(`,{"name":"paint_%d","inputSchema":{"type":"object"}}`, i)
	}
	results := map[string]string{
		"initialize": `{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}`,
		"tools/list": `{"tools":[` + tools + `]}`,
		"tools/call": `{"content":[{"type":"text","text":"seen"}]}`,
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m struct {
			ID     json.RawMessage
			Method string
		}
		if r.Method != http.MethodPost || json.NewDecoder(r.Body).Decode(&m) != nil {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		if m.ID == nil {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, results[m.Method])
	}))
	t.Cleanup(s.Close)
	return mcp.Server{Name: "eyes", URL: s.URL}
}

const looking = `-- turn --
on: look
-- call mcp__eyes__look --
{}
-- turn --
on: look
-- text --
Seen.
-- turn --
on: look
-- call mcp__eyes__look --
{}
-- turn --
times: always
-- text --
Done.
`

// The first prompt has the tools; they stay when the document is replaced; a
// host's tool of that name stands before them; a sub-agent has them too.
func TestServerTools(t *testing.T) {
	w := newWorld(t, looking)
	c := w.open(OpenOptions{Mode: "full", MCPServers: []mcp.Server{serve(t, 0)}})
	if slices.Contains(toolNames(c.s), "mcp__eyes__look") || c.s.Servers()[0].State != mcp.Idle {
		t.Fatal("the server has started by itself")
	}
	c.run("look")
	if !strings.Contains(c.story(), `tool_ended mcp__eyes__look "seen" error=false`) {
		t.Error(c.story())
	}
	if !strings.Contains(c.s.SystemPrompt(), "mcp__eyes__look") {
		t.Error("the system prompt doesn't list it")
	}
	if _, err := c.s.NewDocument(c.ctx(), NewDocumentOptions{}); err != nil {
		t.Fatal(err)
	}
	on[event.SessionReplaced](c)
	before := len(c.log)
	c.run("look")
	if c.log = c.log[before:]; !strings.Contains(c.story(), `tool_ended mcp__eyes__look "seen" error=false`) {
		t.Error(c.story())
	}
	if err := c.s.SetHostTools(c.ctx(), []tool.Tool{lent("mcp__eyes__look")}); err != nil {
		t.Fatal(err)
	}
	if one, _ := c.s.findTool("mcp__eyes__look"); one.Spec().Summary != "look at the mcp__eyes__look" {
		t.Errorf("found %+v", one.Spec())
	}
	registry, err := c.s.toolsFor(prompt.Agent{Name: "helper"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if one, err := registry.Find("mcp__eyes__look"); err != nil || one.Spec().Summary != "" {
		t.Errorf("a sub-agent finds %+v, %v", one, err)
	}
	if err := c.s.DisableServer("eyes"); err != nil {
		t.Fatal(err)
	}
	c.until("the state", func(it Item) bool {
		s, ok := it.Event.(event.ServerStatus)
		return ok && s == event.ServerStatus{Name: "eyes", State: "disabled"}
	})
}

// What searches have shown follows the branch.
func TestServerSelection(t *testing.T) {
	c := newWorld(t, looking).open(OpenOptions{Mode: "full", MCPServers: []mcp.Server{serve(t, 60)}})
	c.run("hello")
	shown := func() bool { return slices.Contains(toolNames(c.s), "mcp__eyes__paint_7") }
	if shown() || !slices.Contains(toolNames(c.s), mcp.SearchTool) {
		t.Fatalf("%q", toolNames(c.s))
	}
	search, ok := c.s.findTool(mcp.SearchTool)
	if !ok {
		t.Fatal("there is no search")
	}
	if _, err := search.Run(c.ctx(), tool.Call{Arguments: json.RawMessage(`{"query": "paint_7", "limit": 1}`)}); err != nil {
		t.Fatal(err)
	}
	changed := on[event.ToolsChanged](c)
	if !slices.Contains(changed.Names, "mcp__eyes__paint_7") || !shown() {
		t.Errorf("%q", changed.Names)
	}
	entries, leaf, err := c.s.Entries(c.ctx())
	if err != nil || entries[len(entries)-1].ID != leaf || entries[len(entries)-1].Type != selectionType {
		t.Fatalf("%+v, %v", entries, err)
	}
	for _, c2 := range []struct {
		to   string
		want bool
	}{{entries[0].ID, false}, {leaf, true}} {
		if _, err := c.s.MoveTo(c.ctx(), c2.to); err != nil {
			t.Fatal(err)
		}
		on[event.ToolsChanged](c)
		if shown() != c2.want {
			t.Errorf("at %s it is shown: %v", c2.to, shown())
		}
	}
	if _, err := c.s.servers.Prompt(c.ctx(), "none", "x", nil, false); err == nil {
		t.Error("a prompt of no server")
	}
	// Entries that make no sense are no selection.
	if err := c.s.set(c.ctx(), func() error {
		c.s.append(session.Entry{Type: selectionType, Raw: json.RawMessage(`{"selectedToolNames": 7}`)})
		c.s.servers.recall()
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	on[event.ToolsChanged](c)
	if shown() {
		t.Error("a damaged selection shows something")
	}
}

// A session without servers answers for none, and nothing waits.
func TestNoServers(t *testing.T) {
	for _, o := range []OpenOptions{{}, {NoMCP: true, MCPServers: []mcp.Server{{Name: "x", Command: "none"}}}} {
		c := newWorld(t, hello).open(o)
		if c.s.servers != nil || c.s.Servers() != nil || c.s.ServerPrompts() != nil {
			t.Error("there are servers")
		}
		c.s.AwaitServers(c.ctx())
		for _, err := range []error{
			c.s.RestartServer(c.ctx(), "x"), c.s.EnableServer(c.ctx(), "x"), c.s.DisableServer("x"),
			second(c.s.ServerPrompt(c.ctx(), mcp.Prompt{}, "")),
		} {
			if err != errNoServers {
				t.Error(err)
			}
		}
	}
}

func second(_ string, err error) error { return err }

// Two servers with one name, and one that can't be used, are told when the
// session is opened.
func TestServersToldEarly(t *testing.T) {
	w := newWorld(t, hello, withSettings(`{"mcpServers": {"a": {"command": "x"}, "b": {"type": "sse", "url": "http://h"}}}`))
	s, notices, err := w.engine.Open(t.Context(), OpenOptions{
		Cwd: w.dir, Model: w.model.Ref(), MCPServers: []mcp.Server{{Name: "a", Command: "mine"}, {Name: "c"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(context.Background())
	want := []string{
		w.engine.paths.Settings() + `:1: MCP server "b": the old "sse" transport isn't supported: use the server's "http" address`,
		`MCP server "c": "command" is missing, or "url" for a server on the network`,
	}
	if !reflect.DeepEqual(notices, want) {
		t.Errorf("%q", notices)
	}
	if list := s.Servers(); len(list) != 1 || list[0].Name != "a" {
		t.Errorf("%+v", list)
	}
}

// A server's form becomes questions of each kind; what doesn't fit is asked
// again, and whoever leaves one leaves all.
func TestElicit(t *testing.T) {
	form := mcp.Elicitation{Server: "eyes", Message: "Who?", Fields: []mcp.Field{
		{Name: "n", Title: "Number", Type: "integer", Required: true, Default: "3"},
		{Name: "c", Title: "Colour", Type: "string", Options: []mcp.Option{{Value: "r", Title: "Red"}, {Value: "g"}}},
		{Name: "b", Title: "Sure", Type: "boolean"},
		{Name: "l", Title: "Many", Description: "as you like", Type: "array", Options: []mcp.Option{{Value: "x"}, {Value: "y"}}},
	}}
	cancelled := event.Answer{Cancelled: true}
	value := func(s string) event.Answer { return event.Answer{Value: s} }
	for _, tt := range []struct {
		name    string
		form    mcp.Elicitation
		answers []event.Answer
		want    mcp.Reply
		asked   string
	}{
		{"all", form, []event.Answer{value("seven"), value("7"), value("Red"), {Confirmed: true}, value("x, y")},
			mcp.Reply{Action: mcp.Accept, Values: map[string]any{"n": int64(7), "c": "r", "b": true, "l": []any{"x", "y"}}},
			"input Number [3]|input Number [seven]|select Colour Red,g,(leave empty)|confirm Sure|input Many []"},
		{"left empty", form, []event.Answer{value("1"), value(skip), {Confirmed: false}, value("")},
			mcp.Reply{Action: mcp.Accept, Values: map[string]any{"n": int64(1), "c": nil, "b": false, "l": nil}}, ""},
		{"left", form, []event.Answer{value("1"), cancelled}, mcp.Reply{Action: mcp.Cancel}, ""},
		{"never fits", form, []event.Answer{value("a"), value("b"), value("")}, mcp.Reply{Action: mcp.Cancel}, ""},
		{"a plain yes", mcp.Elicitation{Server: "eyes", Message: "Go on?"}, []event.Answer{{Confirmed: true}}, mcp.Reply{Action: mcp.Accept}, ""},
		{"a plain no", mcp.Elicitation{Server: "eyes"}, []event.Answer{{}}, mcp.Reply{Action: mcp.Decline}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newWorld(t, hello).open(OpenOptions{MCPServers: []mcp.Server{serve(t, 0)}})
			c.attach(Client{Shows: []event.QuestionKind{event.AskConfirm, event.AskSelect, event.AskInput}})
			got := make(chan mcp.Reply, 1)
			go func() {
				r, _ := c.s.servers.elicit(c.ctx(), tt.form)
				got <- r
			}()
			var asked []string
			for _, a := range tt.answers {
				q := on[event.AskOpened](c).Question
				line := string(q.Kind) + strings.TrimPrefix(q.Title, "MCP server eyes asks for")
				if q.Kind == event.AskInput {
					line += " [" + q.Prefill + "]"
				}
				asked = append(asked, strings.TrimSpace(line+" "+strings.Join(q.Options, ",")))
				if _, err := c.s.Answer(c.ctx(), q.ID, a); err != nil {
					t.Fatal(err)
				}
			}
			if r := <-got; !reflect.DeepEqual(r, tt.want) {
				t.Errorf("got %+v, want %+v", r, tt.want)
			}
			if line := strings.Join(asked, "|"); tt.asked != "" && line != tt.asked {
				t.Errorf("asked %s", line)
			}
		})
	}
	t.Run("nobody is there", func(t *testing.T) {
		c := newWorld(t, hello).open(OpenOptions{MCPServers: []mcp.Server{serve(t, 0)}})
		if r, err := c.s.servers.elicit(c.ctx(), form); err != nil || r.Action != mcp.Decline {
			t.Errorf("%+v, %v", r, err)
		}
	})
}

// An agent's file brings servers of its own. Its list of tools is about theirs
// only where it names some; what is wrong with one is a fault of the file.
func TestServersOfAgent(t *testing.T) {
	eyes, other := serve(t, 0), serve(t, 1)
	other.Name = "other"
	for _, tt := range []struct{ tools, want string }{
		{"", "mcp__other__look mcp__other__paint_0 mcp__eyes__look"},
		{"tools: [read]\n", "mcp__eyes__look"},
		{"tools: [read, mcp__other__p*]\n", "mcp__other__paint_0"},
		{"tools: []\n", "mcp__eyes__look"},
	} {
		t.Run(tt.tools, func(t *testing.T) {
			w := newWorld(t, looking, withSettings(`{"mcpServers": {"other": {"url": "`+other.URL+`"}}}`))
			a := w.agent(tt.tools + "mcpServers:\n  eyes:\n    url: " + eyes.URL + "\n")
			c := w.open(OpenOptions{Agent: a})
			c.run("hello")
			var got []string
			for _, name := range toolNames(c.s) {
				if mcp.Owns(name) {
					got = append(got, name)
				}
			}
			want := strings.Fields(tt.want)
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("tools %q", got)
			}
		})
	}
	w := newWorld(t, looking)
	a := w.agent("name: x\nmcpServers:\n  eyes:\n    url: ftp://h\n")
	_, _, err := w.engine.Open(t.Context(), OpenOptions{Cwd: w.dir, Model: w.model.Ref(), Agent: a})
	if err == nil || !strings.HasSuffix(err.Error(), `agent.yaml:3: mcpServers.eyes: "url" isn't an http or https address`) {
		t.Error(err)
	}
}
