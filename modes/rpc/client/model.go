package client

import "context"

// Model is a model that the agent can use. Costs are in US dollars for a
// million tokens.
type Model struct {
	ID            string   `json:"id"`
	Name          string   `json:"name"`
	API           string   `json:"api"`
	Provider      string   `json:"provider"`
	BaseURL       string   `json:"baseUrl"`
	Reasoning     bool     `json:"reasoning"`
	Input         []string `json:"input"` // text, image
	Cost          Price    `json:"cost"`
	ContextWindow int      `json:"contextWindow"` // tokens
	MaxTokens     int      `json:"maxTokens"`     // of one answer
}

// Price of a million tokens, in US dollars.
type Price struct {
	Input      float64 `json:"input"`
	Output     float64 `json:"output"`
	CacheRead  float64 `json:"cacheRead"`
	CacheWrite float64 `json:"cacheWrite"`
}

// SetModel chooses the model of the next request.
func (c *Client) SetModel(ctx context.Context, provider, id string) (Model, error) {
	return ask[Model](ctx, c, "set_model", params{"provider": provider, "modelId": id})
}

// Cycled is the model that CycleModel went to.
type Cycled struct {
	Model         Model  `json:"model"`
	ThinkingLevel string `json:"thinkingLevel"`
	IsScoped      bool   `json:"isScoped"` // among those of --models
}

// CycleModel goes to the next model; nil if there is no other.
func (c *Client) CycleModel(ctx context.Context) (*Cycled, error) {
	return ask[*Cycled](ctx, c, "cycle_model", nil)
}

// AvailableModels lists the models whose provider has credentials.
func (c *Client) AvailableModels(ctx context.Context) ([]Model, error) {
	data, err := ask[struct {
		Models []Model `json:"models"`
	}](ctx, c, "get_available_models", nil)
	return data.Models, err
}

// SetThinkingLevel takes off, minimal, low, medium, high or xhigh; the agent
// keeps to what the model can do.
func (c *Client) SetThinkingLevel(ctx context.Context, level string) error {
	return c.do(ctx, "set_thinking_level", params{"level": level})
}

// CycleThinkingLevel goes to the next level and returns it, "" if the model
// doesn't think.
func (c *Client) CycleThinkingLevel(ctx context.Context) (string, error) {
	data, err := ask[struct {
		Level string `json:"level"`
	}](ctx, c, "cycle_thinking_level", nil)
	return data.Level, err
}

// AvailableThinkingLevels lists the levels of the model, off among them.
func (c *Client) AvailableThinkingLevels(ctx context.Context) ([]string, error) {
	data, err := ask[struct {
		Levels []string `json:"levels"`
	}](ctx, c, "get_available_thinking_levels", nil)
	return data.Levels, err
}
