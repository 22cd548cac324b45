package slash_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/mcp"
	"github.com/hoopoe-agent/hoopoe/slash"
)

func serving() *fakeSession {
	s := newFake()
	s.servers = []mcp.Status{
		{Name: "files", Type: mcp.Stdio, State: mcp.Ready, Tools: 12, Prompts: 1, Title: "Files", Version: "2", Output: "up\nand running"},
		{Name: "issues", Type: mcp.HTTP, State: mcp.Failed, Error: "it refused: no licence (code 1)"},
		{Name: "off", Type: mcp.Stdio, State: mcp.Disabled},
	}
	return s
}

func TestServers(t *testing.T) {
	for _, c := range []struct {
		text  string
		caps  slash.Needs
		picks []string
		did   []string
		reply string
		fails string
	}{
		{text: "/mcp", reply: "files   ready, 12 tools, 1 prompt\nissues  failed: it refused: no licence (code 1)\noff     disabled"},
		{text: "/mcp restart FILES", did: []string{"restart files"}, reply: "files: ready, 12 tools, 1 prompt"},
		{text: "/mcp disable files", did: []string{"disable files"}, reply: "files: ready, 12 tools, 1 prompt"},
		{text: "/mcp enable off", did: []string{"enable off"}, reply: "off: disabled"},
		{text: "/mcp restart", fails: `/mcp: there is no MCP server ""; there are: files, issues, off`},
		{text: "/mcp restart x\x1b[2J", fails: `/mcp: there is no MCP server "x"; there are: files, issues, off`},
		{text: "/mcp stop files", fails: "/mcp: write /mcp, or /mcp restart|enable|disable and a server's name"},
		{text: "/mcp", caps: chat, picks: []string{""}, reply: ""},
		{text: "/mcp", caps: chat, picks: []string{"files (ready, 12 tools, 1 prompt)", "show"},
			reply: "server     files\nstate      ready, 12 tools, 1 prompt\ntransport  stdio\nprogram    Files 2\nwrote      up and running"},
		{text: "/mcp", caps: chat, picks: []string{"issues (failed: it refused: no licence (code 1))", "restart"}, did: []string{"restart issues"},
			reply: "issues: failed: it refused: no licence (code 1)"},
		{text: "/mcp", caps: chat, picks: []string{"off (disabled)", "enable"}, did: []string{"enable off"}, reply: "off: disabled"},
		{text: "/mcp", caps: chat, picks: []string{"off (disabled)", ""}, reply: ""},
	} {
		t.Run(c.text+strings.Join(c.picks, ","), func(t *testing.T) {
			s := serving()
			s.pick = func(event.Question) (event.Answer, bool) {
				next := c.picks[0]
				c.picks = c.picks[1:]
				return event.Answer{Value: next, Cancelled: next == ""}, true
			}
			r, err := dispatch(t, s, c.caps, c.text)
			fails := ""
			if err != nil {
				fails = err.Error()
			}
			if r.Reply != c.reply || fails != c.fails || !reflect.DeepEqual(s.did, c.did) || len(c.picks) > 0 {
				t.Errorf("reply %q, error %q, did %q, left %q", r.Reply, fails, s.did, c.picks)
			}
		})
	}
	t.Run("none", func(t *testing.T) {
		if r, err := dispatch(t, newFake(), chat, "/mcp"); err != nil || !strings.HasPrefix(r.Reply, "There are no MCP servers.") {
			t.Errorf("%+v, %v", r, err)
		}
	})
	t.Run("a restart that fails", func(t *testing.T) {
		s := serving()
		s.fail = errors.New("it exited")
		if _, err := dispatch(t, s, 0, "/mcp restart files"); err == nil || err.Error() != "/mcp: restart files: it exited" {
			t.Error(err)
		}
	})
	t.Run("completion", func(t *testing.T) {
		for text, want := range map[string][]string{
			"/mcp re":        {"/mcp restart"},
			"/mcp enable o":  {"/mcp enable off"},
			"/mcp restart z": nil,
		} {
			if got := builtins().Complete(t.Context(), serving(), chat, text); !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %q", text, got)
			}
		}
	})
}

// Prompts of servers are commands that become a text, under both names.
func TestServerPrompts(t *testing.T) {
	s := newFake()
	s.prompts = []mcp.Prompt{
		{Server: "git", Name: "review", Command: "mcp__git__review", Description: "Review a branch",
			Arguments: []mcp.PromptArgument{{Name: "branch", Required: true}, {Name: "depth"}}},
		{Server: "odd server", Name: "a b", Command: "mcp__odd_server__a_b", Title: "Odd"},
	}
	r := slash.Builtins(slash.Options{More: slash.Added})
	for text, want := range map[string]string{
		"/mcp__git__review main 2": "git review main 2",
		"/git:review  main":        "git review main",
		"/mcp__odd_server__a_b":    "odd server a b ",
	} {
		got, err := r.Dispatch(t.Context(), s, pipe, text)
		if err != nil || got.Handled || got.Text != want {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
		if queued, err := r.Expand(t.Context(), s, text); err != nil || queued != want {
			t.Errorf("queued %s: %q, %v", text, queued, err)
		}
	}
	var rows []string
	for _, c := range r.For(context.Background(), s).Catalog(pipe) {
		if c.Source == "mcp" {
			rows = append(rows, c.Name+"|"+strings.Join(c.Aliases, " ")+"|"+c.Args+"|"+c.Summary)
		}
	}
	want := []string{"mcp__git__review|git:review|branch [depth]|Review a branch", "mcp__odd_server__a_b|||Odd"}
	if !reflect.DeepEqual(rows, want) {
		t.Errorf("%q", rows)
	}
}
