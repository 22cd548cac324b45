package mcp

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/tool"
)

// E-2, E-4: a server that misbehaves costs its own calls, and the others work.
func TestBadStarts(t *testing.T) {
	for _, c := range []struct{ mode, want string }{
		{"dies", `MCP server "dies" failed to start: it exited (exit status 3); it wrote: no database`},
		{"silent", `MCP server "silent" failed to start: it wasn't ready within 1s`},
		{"deaf", `MCP server "deaf" failed to start: it wasn't ready within 1s`},
		{"unwilling", `MCP server "unwilling" failed to start: it refused: no licence (code -32000)`},
		{"ancient", `MCP server "ancient" failed to start: unsupported protocol version: "1999-01-01"`},
		{"broken list", `MCP server "broken list" failed to start: list its tools: `},
	} {
		t.Run(c.mode, func(t *testing.T) {
			m, notices := manage(t, Options{Servers: []Server{helper(t, c.mode), onWeb(t)}, StartTimeout: time.Second})
			m.Start(t.Context())
			s := m.Status()
			if s[0].State != Failed || s[1].State != Ready {
				t.Fatalf("%+v", s)
			}
			got := notices.String()
			if !strings.HasPrefix(got, "warning: "+c.want) || strings.Contains(got, "\n") || strings.ContainsAny(got, "\x1b\x07") {
				t.Errorf("told %q", got)
			}
			if !strings.HasSuffix(c.want, s[0].Error) && !strings.HasPrefix(s[0].Error, "list its tools: ") {
				t.Errorf("status %q", s[0].Error)
			}
			if _, err := run(t.Context(), t, m, "mcp__good__echo", `{}`, nil); err != nil {
				t.Error(err)
			}
			m.Start(t.Context()) // isn't tried again
			if notices.String() != got {
				t.Errorf("told again: %s", notices)
			}
		})
	}
}

func TestBadTalk(t *testing.T) {
	for _, c := range []struct{ mode, want, err string }{
		{"garbage", "echoed", ""},
		{"floods", "echoed", ""},
		{"wrong ids", "yours", ""},
		{"refuses", "", `the MCP server "refuses" refused: bad argument (code -32602)`},
		{"never answers", "", `the MCP server "never answers" gave no answer and no sign of progress for 300ms: the request was cancelled`},
		{"later", "echoed", ""},
		{"dies in a call", "", `the MCP server "dies in a call" has ended while it was asked: it exited (exit status 7); it wrote: segmentation fault, token [redacted]. The next call starts it anew`},
		{"long line", "", `the MCP server "long line" has ended while it was asked: it sent a message of more than 16 MB. The next call starts it anew`},
		{"wrong result", "", `the MCP server "wrong result": `},
	} {
		t.Run(c.mode, func(t *testing.T) {
			s := helper(t, c.mode)
			s.Env["API_TOKEN"] = "hunter2hunter2"
			if c.mode == "never answers" {
				s.Timeout = 300 * time.Millisecond
			}
			m, _ := manage(t, Options{Servers: []Server{s}})
			m.Start(t.Context())
			for range 2 { // the second call works as the first, with a new process if need be
				res, err := run(t.Context(), t, m, "mcp__"+serverPart(c.mode)+"__echo", `{}`, nil)
				if got := message.Text(res.Content); got != c.want {
					t.Errorf("got %q, error %v; status %+v", got, err, m.Status())
				}
				if got := errorText(err); got != c.err && (!strings.HasSuffix(c.err, ": ") || !strings.HasPrefix(got, c.err)) {
					t.Errorf("error %q, want %q", got, c.err)
				}
			}
		})
	}
}

func TestEndlessAndMany(t *testing.T) {
	for _, c := range []struct {
		mode  string
		tools int
	}{{"endless", maxPages}, {"ten thousand", maxTools}} {
		t.Run(c.mode, func(t *testing.T) {
			m, notices := manage(t, Options{Servers: []Server{helper(t, c.mode)}})
			m.Start(t.Context())
			if s := m.Status()[0]; s.State != Ready || s.Tools != c.tools {
				t.Errorf("%+v", s)
			}
			if !strings.Contains(notices.String(), "has too many tools: the first "+strconv.Itoa(c.tools)+" are used") {
				t.Errorf("told %q", notices)
			}
			if n := len(m.Visible()); n != 1 {
				t.Errorf("%d tools in the context", n)
			}
		})
	}
}

// E-4: whatever a server calls its tools, providers accept them.
func TestOddTools(t *testing.T) {
	m, notices := manage(t, Options{Servers: []Server{helper(t, "odd")}})
	m.Start(t.Context())
	if n := m.Status()[0].Tools; n != 10 {
		t.Errorf("%d tools, notices %s", n, notices)
	}
	schemas := map[string]string{}
	registry, err := tool.NewRegistry(m.Tools()...)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range registry.Tools() {
		s := x.Spec()
		schemas[x.(remoteTool).name] = string(s.Parameters)
		for _, text := range []string{s.Label, s.Description} {
			if strings.ContainsAny(text, "\x1b\x07\u202e\U000e041d") || !utf8.ValidString(text) {
				t.Errorf("%s: %q", s.Name, text)
			}
		}
		if strings.ContainsAny(s.Label, "\n\t") || s.Description == "" || len(s.Description) > maxDescription+100 {
			t.Errorf("%s: label %q, description %q", s.Name, s.Label, s.Description)
		}
		var object map[string]any
		if err := json.Unmarshal(s.Parameters, &object); err != nil || object["type"] != "object" || len(s.Parameters) > maxSchema {
			t.Errorf("%s: schema %.100s, %v", s.Name, s.Parameters, err)
		}
		if _, err := tool.Check(s, json.RawMessage(`{"a":"1"}`)); err != nil {
			t.Errorf("%s: %v", s.Name, err)
		}
	}
	if schemas["text schema"] != anyObject || schemas["any_of"] != `{"properties":{"a":{"type":"string"}},"type":"object"}` || schemas["huge"] != anyObject {
		t.Errorf("%v", schemas)
	}
	if got := notices.String(); got != `warning: MCP server "odd" has the tool "twin" twice: the second one is left out` {
		t.Errorf("told %q", got)
	}
}
