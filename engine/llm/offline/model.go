package offline

import "github.com/hoopoe-agent/hoopoe/engine/llm"

// API, Provider and ID are the names in the guide's row of the catalogue.
const (
	API      = "hoopoe-offline"
	Provider = "offline"
	ID       = "guide"
)

// Model is the guide's row of the catalogue: offline/guide, free, without
// reasoning.
func Model() llm.Model {
	return llm.Model{
		ID: ID, Name: "Hoopoe guide", API: API, Provider: Provider,
		Input: []string{"text"}, ContextWindow: 200_000, MaxTokens: 32_000,
	}
}
