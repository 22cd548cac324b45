package js

import (
	"context"
	"encoding/json"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/ext"
)

// model is a model as the family's extensions know it.
type model struct {
	event.Model
	Input []string `json:"input"`
}

func modelOf(m event.Model) *model {
	if m.ID == "" {
		return nil
	}
	input := []string{"text"}
	if m.Images {
		input = append(input, "image")
	}
	return &model{m, input}
}

type usage struct {
	Tokens        *int     `json:"tokens"` // null while unknown
	ContextWindow int      `json:"contextWindow"`
	Percent       *float64 `json:"percent"`
}

func usageOf(u event.UsageChanged) *usage {
	if u.ContextWindow <= 0 {
		return nil
	}
	out := &usage{ContextWindow: u.ContextWindow}
	if u.ContextTokens >= 0 {
		percent := 100 * float64(u.ContextTokens) / float64(u.ContextWindow)
		out.Tokens, out.Percent = &u.ContextTokens, &percent
	}
	return out
}

func state(s ext.Session, ctx context.Context) (any, error) {
	v, err := s.View(ctx)
	if err != nil {
		return nil, err
	}
	return struct {
		Model    *model `json:"model,omitempty"`
		Thinking string `json:"thinking"`
		Busy     bool   `json:"busy"`
		Queued   int    `json:"queued"`
		Usage    *usage `json:"usage,omitempty"`
	}{modelOf(v.Model), v.Thinking, v.Busy, len(v.Queue), usageOf(v.Usage)}, nil
}

func modelContext(s ext.Session, ctx context.Context) (any, error) {
	v, err := s.View(ctx)
	if err != nil {
		return nil, err
	}
	return map[string]any{
		"messages": listed(v.Messages), "thinkingLevel": v.Thinking,
		"model": map[string]string{"provider": v.Model.Provider, "modelId": v.Model.ID},
	}, nil
}

func document(s ext.Session, ctx context.Context) (any, error) {
	d, err := s.Document(ctx)
	if err != nil {
		return nil, err
	}
	return struct {
		ID     string            `json:"id"`
		File   string            `json:"file,omitempty"`
		Dir    string            `json:"dir,omitempty"`
		Cwd    string            `json:"cwd"`
		Name   string            `json:"name,omitempty"`
		Header json.RawMessage   `json:"header,omitempty"`
		Labels map[string]string `json:"labels,omitempty"`
	}{d.ID, d.File, d.Dir, d.Cwd, d.Name, d.Header, d.Labels}, nil
}

func entries(s ext.Session, ctx context.Context) (any, error) {
	list, leaf, err := s.Entries(ctx)
	if err != nil {
		return nil, err
	}
	return map[string]any{"entries": listed(list), "leaf": leaf}, nil
}

func models(s ext.Session, _ context.Context) (any, error) {
	list := []*model{}
	for _, m := range s.Models() {
		list = append(list, modelOf(m))
	}
	return list, nil
}

func allTools(s ext.Session, _ context.Context) (any, error) {
	type info struct {
		Name        string          `json:"name"`
		Label       string          `json:"label,omitempty"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters,omitempty"`
	}
	list := []info{}
	for _, t := range s.AllTools() {
		list = append(list, info{t.Name, t.Label, t.Description, t.Parameters})
	}
	return list, nil
}

// commands leaves out the program's own, which can't be sent as a message.
func commands(s ext.Session, ctx context.Context) (any, error) {
	type info struct {
		Name        string `json:"name"`
		Description string `json:"description,omitempty"`
		Source      string `json:"source"`
		Path        string `json:"path,omitempty"`
	}
	list := []info{}
	for _, c := range s.Commands(ctx) {
		if c.Source != "builtin" {
			list = append(list, info{c.Name, c.Description, c.Source, c.Path})
		}
	}
	return list, nil
}
