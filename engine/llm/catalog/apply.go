package catalog

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/hoopoe-agent/hoopoe/engine/llm"
)

// apply lays the user's file over the embedded providers. His own providers
// stand among the others by id, behind the well-known ones.
func (f *File) apply(shelves []shelf) []shelf {
	if f == nil {
		return shelves
	}
	const wellKnown = 3
	known := map[string]bool{}
	for i, s := range shelves {
		known[s.ID] = true
		if p := f.providers[s.ID]; p != nil {
			shelves[i] = p.over(s)
		}
	}
	for id, p := range f.providers {
		if !known[id] && len(p.models) > 0 {
			shelves = append(shelves, p.over(shelf{
				Provider: Provider{ID: id, Name: id, API: p.models[0].API, BaseURL: p.baseURL, DefaultModel: p.models[0].ID},
				models:   func() []llm.Model { return nil },
			}))
		}
	}
	if len(shelves) > wellKnown {
		slices.SortStableFunc(shelves[wellKnown:], func(a, b shelf) int { return cmp.Compare(a.ID, b.ID) })
	}
	return shelves
}

// over returns the shelf with what the file says of its provider.
func (p *fileProvider) over(s shelf) shelf {
	below := s.models
	if p.baseURL != "" {
		s.BaseURL = p.baseURL
	}
	s.keyed = p.key != "" || p.keyless || p.signsIn()
	s.mixed = len(p.models) > 0
	s.models = sync.OnceValue(func() []llm.Model {
		models := slices.Clone(below())
		for i, m := range models {
			if p.baseURL != "" {
				m.BaseURL = p.baseURL
			}
			m.Compat = merge(m.Compat, p.compat)
			models[i] = m
		}
		var added []llm.Model
		for _, m := range p.models {
			m.API, m.BaseURL = cmp.Or(m.API, s.API), cmp.Or(m.BaseURL, s.BaseURL)
			m.Compat = merge(p.compat, m.Compat)
			added = append(added, m.Model)
		}
		models = overlay(models, added)
		for i, m := range models {
			if c, ok := p.overrides[m.ID]; ok {
				m = c.apply(m)
			}
			m.Levels = withEfforts(m)
			models[i] = m
		}
		return models
	})
	return s
}

// signsIn reports whether the provider's headers carry the credentials.
func (p *fileProvider) signsIn() bool {
	for name := range p.headers {
		switch strings.ToLower(name) {
		case "authorization", "api-key", "x-api-key", "x-goog-api-key":
			return true
		}
	}
	return false
}

func (c change) apply(m llm.Model) llm.Model {
	if c.name != nil && *c.name != "" {
		m.Name = *c.name
	}
	set(&m.Reasoning, c.reasoning)
	set(&m.ContextWindow, c.contextWindow)
	set(&m.MaxTokens, c.limit)
	set(&m.Cost.Input, c.cost.input)
	set(&m.Cost.Output, c.cost.output)
	set(&m.Cost.CacheRead, c.cost.cacheRead)
	set(&m.Cost.CacheWrite, c.cost.cacheWrite)
	if len(c.input) > 0 {
		m.Input = c.input
	}
	m.Compat = merge(m.Compat, c.compat)
	return m
}

func set[T any](into *T, value *T) {
	if value != nil {
		*into = *value
	}
}

// withEfforts adds the levels that the compatibility map names: a level that
// has a name on the wire is one that the model takes.
func withEfforts(m llm.Model) []llm.Level {
	var c struct {
		ReasoningEffortMap map[llm.Level]string `json:"reasoningEffortMap"`
	}
	if !m.Reasoning || json.Unmarshal(m.Compat, &c) != nil || len(c.ReasoningEffortMap) == 0 {
		return m.Levels
	}
	have := m.Supported()
	var out []llm.Level
	for _, l := range llm.AllLevels()[1:] {
		if slices.Contains(have, l) || c.ReasoningEffortMap[l] != "" {
			out = append(out, l)
		}
	}
	return out
}

// merge returns the compatibility flags of below with those of above over
// them, object by object. nil where there are none.
func merge(below, above json.RawMessage) json.RawMessage {
	switch {
	case len(above) == 0:
		return below
	case len(below) == 0:
		return above
	}
	var a, b map[string]json.RawMessage
	if json.Unmarshal(below, &a) != nil || json.Unmarshal(above, &b) != nil || a == nil || b == nil {
		return above
	}
	for name, value := range b {
		if isObject(a[name]) && isObject(value) {
			value = merge(a[name], value)
		}
		a[name] = value
	}
	merged, err := json.Marshal(a)
	if err != nil {
		return above
	}
	return merged
}

func isObject(raw json.RawMessage) bool {
	return strings.HasPrefix(strings.TrimSpace(string(raw)), "{")
}
