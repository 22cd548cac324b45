package acp

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/llm/offline"
	"github.com/hoopoe-agent/hoopoe/modes/internal/wire"
)

// protocolVersion is the protocol's. Who asks for a later one gets this.
const protocolVersion = 1

func (s *server) initialize(_ context.Context, r *wire.Request) (any, error) {
	var p struct {
		ProtocolVersion    json.RawMessage
		ClientCapabilities clientCapabilities
	}
	if err := decode(r, &p); err != nil {
		return nil, err
	}
	var version int
	if json.Unmarshal(p.ProtocolVersion, &version) != nil {
		return nil, invalid("initialize: protocolVersion is a whole number, such as 1")
	}
	s.mu.Lock()
	s.client = p.ClientCapabilities
	s.mu.Unlock()
	result := initializeResult{
		ProtocolVersion: protocolVersion,
		AgentCapabilities: agentCapabilities{
			LoadSession:        true,
			PromptCapabilities: promptCapabilities{Image: true, EmbeddedContext: true},
			MCPCapabilities:    mcpCapabilities{HTTP: true},
			Meta:               map[string]any{"hoopoe": map[string]any{"fork": marker{}, "setTitle": marker{}}},
		},
		AuthMethods: s.authMethods(p.ClientCapabilities),
		AgentInfo:   implementation{"hoopoe", "Hoopoe", s.options.Version},
		Meta:        map[string]any{"steering": map[string]any{"supported": true}},
	}
	return result, nil
}

// The ids of the ways to authenticate.
const (
	offlineAuth = "offline"
	loginAuth   = "login"
)

// authMethods are offered only while no model has a key: some editors ask for a
// login as soon as there is one to ask for, and others use the first at each
// start.
func (s *server) authMethods(c clientCapabilities) []authMethod {
	methods := []authMethod{}
	if s.agent.Open.Model != "" || slices.ContainsFunc(s.agent.Engine.Known(), func(m llm.Model) bool { return m.API != offline.API }) {
		return methods
	}
	methods = append(methods, authMethod{
		ID: offlineAuth, Name: "Go on without a model",
		Description: "Hoopoe's built-in guide needs no key and no network; it understands simple requests",
	})
	if len(s.options.Login) == 0 {
		return methods
	}
	login := authMethod{ID: loginAuth, Name: "Save a key", Description: "Asks in a terminal for the key of a provider"}
	switch {
	case c.Auth.Terminal:
		login.Type, login.Args = "terminal", s.options.Login
	case bool(c.Meta.TerminalAuth):
		login.Meta = map[string]any{"terminal-auth": map[string]any{
			"label": login.Name, "command": s.options.Program, "args": s.options.Login, "env": marker{},
		}}
	default:
		return methods
	}
	return append(methods, login)
}

// authenticate succeeds where nothing is to be done: the guide needs no key, and
// a login is the terminal's.
func (s *server) authenticate(_ context.Context, r *wire.Request) (any, error) {
	var p struct{ MethodID string }
	if err := decode(r, &p); err != nil {
		return nil, err
	}
	offered := s.authMethods(s.capabilities())
	i := slices.IndexFunc(offered, func(m authMethod) bool { return m.ID == p.MethodID })
	switch {
	case p.MethodID == offlineAuth:
		return nil, nil
	case i < 0 || offered[i].Type == "terminal":
		return nil, invalid("authenticate: there is no method %q to call", p.MethodID)
	}
	return nil, nil
}

// logout forgets the saved keys.
func (s *server) logout(ctx context.Context, _ *wire.Request) (any, error) {
	keys := s.agent.Engine.Keys()
	saved, err := keys.Saved()
	if err != nil {
		return nil, err
	}
	for _, provider := range saved {
		if err := keys.Remove(ctx, provider); err != nil {
			return nil, err
		}
	}
	return nil, nil
}
