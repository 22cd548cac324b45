package mcp

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/hoopoe-agent/hoopoe/engine/tool"
)

// Names of the Manager's own tools.
const (
	SearchTool   = "mcp_search"
	ResourceTool = "mcp_read_resource"
)

const (
	defaultHits = 5
	maxHits     = 20
	maxQuery    = 16 // words
	maxListed   = 200
)

type searchArgs struct {
	Query string `json:"query" jsonschema:"What the tool should do, in a few words, or its name. Empty: list the names of all tools."`
	Limit int    `json:"limit,omitempty" jsonschema:"How many tools at most (default 5)."`
}

// searchTool finds tools among all and shows them to the model from then on.
func (m *Manager) searchTool(all []remoteTool) tool.Tool {
	spec := tool.Spec{
		Name: SearchTool, Label: "Search MCP tools", Kind: tool.Think,
		Description: "Finds tools of the MCP servers, which are too many to be listed. " +
			"Returns the best matches with their descriptions and parameters; they can be called from then on. " +
			"Servers: " + census(all) + ".",
		Summary: "Find tools of the MCP servers",
	}
	tune := func(s *jsonschema.Schema) {
		least, most := 1.0, float64(maxHits)
		s.Properties["limit"].Minimum, s.Properties["limit"].Maximum = &least, &most
	}
	return tool.New(spec, m.search, tool.Tuned[searchArgs](tune), tool.Described(
		func(_ context.Context, _ tool.Call, a searchArgs) (tool.Description, error) {
			return tool.Description{Title: "Search MCP tools: " + field(a.Query), Kind: tool.Think}, nil
		}))
}

// census counts the tools of each server.
func census(all []remoteTool) string {
	var parts []string
	count := map[*remote]int{}
	for _, t := range all {
		count[t.server]++
	}
	for i, t := range all {
		if i == 0 || all[i-1].server != t.server {
			parts = append(parts, fmt.Sprintf("%s (%d)", label(t.server.conf.Name), count[t.server]))
		}
	}
	return clip(strings.Join(parts, ", "), 1000)
}

func (m *Manager) search(ctx context.Context, _ tool.Call, a searchArgs) (tool.Result, error) {
	m.Start(ctx) // servers that are about to come belong to the answer
	if err := ctx.Err(); err != nil {
		return tool.Result{}, err
	}
	all := m.selection().tools
	query := words(a.Query)
	if len(query) == 0 {
		return tool.TextResult(names(all)), nil
	}
	hits := rank(all, strings.TrimSpace(a.Query), query[:min(len(query), maxQuery)])
	if len(hits) == 0 {
		return tool.TextResult(fmt.Sprintf("No tool matches. Servers: %s. Try other words, or an empty query for all names.", census(all))), nil
	}
	hits = hits[:min(len(hits), cmp.Or(a.Limit, defaultHits))]
	var b strings.Builder
	var found []string
	b.WriteString("These tools can be called from now on:\n")
	for _, t := range hits {
		found = append(found, t.spec.Name)
		fmt.Fprintf(&b, "\n%s\n%s\nParameters: %s\n", t.spec.Name, t.spec.Description, t.spec.Parameters)
	}
	m.activate(found)
	return tool.TextResult(tool.Capped(b.String(), "Search for fewer tools.")), nil
}

func names(all []remoteTool) string {
	var b strings.Builder
	for i, t := range all {
		if i == maxListed {
			fmt.Fprintf(&b, "and %d more: search for them.\n", len(all)-i)
			break
		}
		b.WriteString(t.spec.Name + "\n")
	}
	return cmp.Or(b.String(), "The MCP servers have no tools.")
}

// rank orders the tools that match by how well they do.
func rank(all []remoteTool, query string, words []string) []remoteTool {
	type hit struct {
		tool  remoteTool
		score int
	}
	var hits []hit
	for _, t := range all {
		if s := score(t, query, words); s > 0 {
			hits = append(hits, hit{t, s})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(b.score, a.score) })
	out := make([]remoteTool, len(hits))
	for i, h := range hits {
		out[i] = h.tool
	}
	return out
}

// score weighs where the words of a query are found: best in the tool's name,
// then its server's, then its description, then its parameters.
func score(t remoteTool, query string, terms []string) int {
	if query == t.spec.Name || query == t.name {
		return 1 << 20
	}
	name := words(t.name + " " + t.spec.Label)
	server := words(t.server.conf.Name)
	about := strings.ToLower(t.spec.Description)
	parameters := strings.ToLower(string(t.spec.Parameters))
	total := 0
	for _, w := range terms {
		contains := func(s string) bool { return len(w) > 2 && strings.Contains(s, w) }
		switch {
		case slices.Contains(name, w):
			total += 12
		case slices.ContainsFunc(name, contains):
			total += 6
		case slices.ContainsFunc(server, contains):
			total += 4
		case contains(about):
			total += 3
		case contains(parameters):
			total++
		}
	}
	return total
}

// words splits text at everything but letters and digits, and at the capitals
// within a word.
func words(s string) []string {
	var b strings.Builder
	before := ' '
	for _, r := range s {
		if unicode.IsUpper(r) && unicode.IsLower(before) {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
		before = r
	}
	return strings.FieldsFunc(b.String(), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}
