package catalog

import (
	"context"
	"fmt"
	"maps"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/llm"
)

// Resolve turns a text of the user's file into the secret that it stands for:
// a variable, a command's output, or the text itself.
type Resolve func(ctx context.Context, text string) (string, error)

// Access is how the user's file says to enter a model's endpoint. The zero
// value says nothing. Secrets are looked up when they are asked for.
type Access struct {
	provider   string
	key        string
	authHeader bool
	headers    map[string]string
}

// Access returns what the user's file says of m's endpoint.
func (c *Catalog) Access(m llm.Model) Access {
	if c.opts.File == nil {
		return Access{}
	}
	p := c.opts.File.providers[m.Provider]
	if p == nil {
		return Access{}
	}
	a := Access{provider: m.Provider, key: p.key, authHeader: p.authHeader, headers: maps.Clone(p.headers)}
	for _, own := range p.models {
		if own.ID == m.ID {
			maps.Copy(a.headers, own.headers)
		}
	}
	maps.Copy(a.headers, p.overrides[m.ID].headers)
	return a
}

// Key returns the provider's key by the file; ok is false when it names none.
func (a Access) Key(ctx context.Context, resolve Resolve) (key string, ok bool, err error) {
	if a.key == "" {
		return "", false, nil
	}
	key, err = resolve(ctx, a.key)
	if err != nil {
		return "", false, fmt.Errorf("models.json: providers.%s.apiKey: %w", a.provider, err)
	}
	return key, true, nil
}

// Headers returns the headers to send, with the key as a bearer token where the
// file asks for that.
func (a Access) Headers(ctx context.Context, key string, resolve Resolve) (map[string]string, error) {
	out := make(map[string]string, len(a.headers)+1)
	if a.authHeader && key != "" {
		out["Authorization"] = "Bearer " + key
	}
	for name, text := range a.headers {
		value, err := resolve(ctx, text)
		if err == nil && strings.ContainsAny(value, "\r\n\x00") {
			err = fmt.Errorf("the value holds a line break")
		}
		if err != nil {
			return nil, fmt.Errorf("models.json: providers.%s.headers.%s: %w", a.provider, name, err)
		}
		out[name] = value
	}
	return out, nil
}
