package llm

import "context"

// Adapter opens the provider of a model whose API it speaks. Key returns the
// model's API key when a request needs it; it may run a command, and its error
// says how to give a key.
type Adapter func(m Model, key func(context.Context) (string, error)) (Provider, error)
