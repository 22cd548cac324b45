package engine

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/tool"
)

// errNoTool says that the session has no tool of that name.
var errNoTool = errors.New("the session has no such tool")

// Describe says what a stored call did, in the words that its ToolRunning had.
// It carries nothing out.
func (s *Session) Describe(ctx context.Context, name string, arguments json.RawMessage) (event.ToolRunning, error) {
	t, ok := s.findTool(name)
	if !ok {
		return event.ToolRunning{}, errNoTool
	}
	spec := t.Spec()
	args, err := tool.Check(spec, arguments)
	if err != nil {
		return event.ToolRunning{}, err
	}
	desc := tool.Description{Title: spec.Name, Kind: spec.Kind}
	if d, ok := t.(tool.Describer); ok {
		c := tool.Call{Name: spec.Name, Arguments: args, Env: tool.Env{Workspace: s.env.workspace, Files: s.env.ledger()}, Progress: func(tool.Result) {}}
		if desc, err = d.Describe(ctx, c); err != nil {
			return event.ToolRunning{}, err
		}
	}
	running := event.ToolRunning{Name: spec.Name, Arguments: args, Title: desc.Title, ToolKind: string(desc.Kind)}
	for _, p := range desc.Paths {
		running.Locations = append(running.Locations, event.Location{Path: p.Path, Line: p.Line})
	}
	return running, nil
}

// Known lists the models that can be used as far as is known without looking
// for local servers, the guide last.
func (e *Engine) Known() []llm.Model { return e.models().Available() }
