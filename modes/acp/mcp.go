package acp

import (
	"encoding/json"
	"errors"

	"github.com/hoopoe-agent/hoopoe/engine/mcp"
)

// mcpServer reads one of the editor's MCP servers. One without a type is a
// program.
func mcpServer(raw json.RawMessage) (mcp.Server, error) {
	type pair struct{ Name, Value string }
	var p struct {
		Type, Name, Command, URL string
		Args                     []string
		Env, Headers             []pair
	}
	if json.Unmarshal(raw, &p) != nil {
		return mcp.Server{}, errors.New("this is no MCP server")
	}
	s := mcp.Server{Type: p.Type, Name: p.Name, Command: p.Command, Args: p.Args, URL: p.URL}
	object := func(list []pair) map[string]string {
		m := map[string]string{}
		for _, e := range list {
			m[e.Name] = e.Value
		}
		return m
	}
	if len(p.Env) > 0 {
		s.Env = object(p.Env)
	}
	if len(p.Headers) > 0 {
		s.Headers = object(p.Headers)
	}
	return s.Check()
}
