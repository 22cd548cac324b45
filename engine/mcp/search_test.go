package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// crowd serves n tools whose descriptions have size bytes.
func crowd(t *testing.T, name string, n, size int) Server {
	t.Helper()
	s := sdk.NewServer(&sdk.Implementation{Name: name, Version: "1"}, nil)
	for i := range n {
		s.AddTool(&sdk.Tool{
			Name: fmt.Sprintf("thing_%d", i), Description: strings.Repeat("d", size),
			InputSchema: json.RawMessage(`{"type":"object","properties":{"id":{"type":"string"}}}`),
		}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "done"}}}, nil
		})
	}
	s.AddTool(&sdk.Tool{Name: "createIssue", Description: "Opens a ticket.", InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return &sdk.CallToolResult{Content: []sdk.Content{}}, nil
		})
	h := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, nil))
	t.Cleanup(func() {
		h.CloseClientConnections()
		h.Close()
	})
	return Server{Name: name, URL: h.URL}
}

func visible(m *Manager) []string {
	var names []string
	for _, x := range m.Visible() {
		names = append(names, x.Spec().Name)
	}
	return names
}

func TestFewAreVisible(t *testing.T) {
	for _, c := range []struct {
		name          string
		n, size, want int
	}{
		{"few", 39, 10, 40},
		{"too many", 40, 10, 1},
		{"too long", 20, 2000, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, _ := manage(t, Options{Servers: []Server{crowd(t, "crowd", c.n, c.size)}})
			m.Start(t.Context())
			if got := visible(m); len(got) != c.want || len(got) == 1 && got[0] != SearchTool {
				t.Errorf("visible: %v", got)
			}
		})
	}
}

func TestSearch(t *testing.T) {
	changes := make(chan struct{}, 100)
	var activated []string
	tickets := crowd(t, "tickets", 3, 10)
	tickets.Pinned = []string{"thing_1"}
	m, _ := manage(t, Options{Servers: []Server{crowd(t, "crowd", 60, 10), tickets}, OnChange: func() { changes <- struct{}{} },
		OnActivate: func(names []string) { activated = names }})
	m.Start(t.Context())
	if got := visible(m); !slices.Equal(got, []string{SearchTool, "mcp__tickets__thing_1"}) {
		t.Fatalf("visible: %v", got)
	}
	if d := find(t, m, SearchTool).Spec().Description; !strings.HasSuffix(d, "Servers: crowd (61), tickets (4).") {
		t.Error(d)
	}
	if res, err := run(t.Context(), t, m, "mcp__crowd__thing_7", `{}`, nil); err != nil || message.Text(res.Content) != "done" {
		t.Errorf("a hidden tool can't be called: %v", err)
	}
	for len(changes) > 0 {
		<-changes
	}
	for _, c := range []struct {
		args  string
		first string
		n     int
	}{
		{`{"query":"create an issue"}`, "mcp__crowd__createIssue", 2},
		{`{"query":"issue tickets","limit":1}`, "mcp__tickets__createIssue", 1},
		{`{"query":"ticket"}`, "mcp__tickets__createIssue", 5},
		{`{"query":"mcp__crowd__thing_42"}`, "mcp__crowd__thing_42", 5},
		{`{"query":"thing_33","limit":1}`, "mcp__crowd__thing_33", 1},
	} {
		res, err := run(t.Context(), t, m, SearchTool, c.args, nil)
		text := message.Text(res.Content)
		lines := strings.Split(text, "\n")
		if err != nil || len(lines) < 3 || lines[2] != c.first || strings.Count(text, "\nParameters: {") != c.n {
			t.Errorf("%s: %v\n%s", c.args, err, text)
		}
		if !slices.Contains(visible(m), c.first) {
			t.Errorf("%s: %s isn't in the context", c.args, c.first)
		}
	}
	if len(changes) == 0 {
		t.Error("nobody was told of the new tools")
	}
	if !slices.Equal(activated, m.Active()) || !slices.Contains(activated, "mcp__crowd__thing_33") {
		t.Errorf("activated %v, active %v", activated, m.Active())
	}
	m.SetActive([]string{"mcp__crowd__thing_9", "mcp__gone__x"})
	if got := visible(m); !slices.Equal(got, []string{SearchTool, "mcp__crowd__thing_9", "mcp__tickets__thing_1"}) {
		t.Errorf("visible: %v", got)
	}
	for _, c := range []struct{ args, want string }{
		{`{"query":"zebra"}`, "No tool matches. Servers: crowd (61), tickets (4)."},
		{`{"query":" "}`, "mcp__crowd__createIssue\nmcp__crowd__thing_0\n"},
	} {
		res, err := run(t.Context(), t, m, SearchTool, c.args, nil)
		if text := message.Text(res.Content); err != nil || !strings.HasPrefix(text, c.want) {
			t.Errorf("%s: %q, %v", c.args, text, err)
		}
	}
	for range 5 {
		if _, err := run(t.Context(), t, m, SearchTool, `{"query":"thing","limit":20}`, nil); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(visible(m)); n > maxActive+2 {
		t.Errorf("%d tools in the context", n)
	}
}
