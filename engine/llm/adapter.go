package llm

import (
	"context"
	"time"
)

// Adapter opens the provider of a model whose API it speaks.
type Adapter func(m Model, c Connection) (Provider, error)

// Connection is what an adapter needs besides the model.
type Connection struct {
	// Key returns the model's API key when a request needs it; it may run a
	// command, and its error says how to give a key.
	Key func(context.Context) (string, error)
	// IdleTimeout is how long the service may send nothing at all; 0 leaves it
	// to the adapter.
	IdleTimeout time.Duration
}
