package event

import "github.com/hoopoe-agent/hoopoe/engine/message"

// RuleTriggered says that an answer is cut off because it met the condition of
// rules. It ends as aborted, and the model begins it again in another run, told
// of the rules, unless the user has stopped it too.
type RuleTriggered struct {
	Rules []Rule `json:"rules"`
}

// Rule is a text that the model gets when its condition is met. The JSON is
// the RPC dialects'.
type Rule struct {
	Name        string   `json:"name"`
	Path        string   `json:"path"`
	Content     string   `json:"content"`
	Globs       []string `json:"globs,omitempty"` // of the files it is about
	AlwaysApply bool     `json:"alwaysApply,omitempty"`
	Description string   `json:"description,omitempty"`
	// Condition are patterns of what the model says, Scope where they count.
	Condition     []string   `json:"condition,omitempty"`
	Scope         []string   `json:"scope,omitempty"`
	InterruptMode string     `json:"interruptMode,omitempty"`
	Source        RuleSource `json:"_source"`
}

// RuleSource tells where a rule was found. Level is user or project.
type RuleSource struct {
	Provider     string `json:"provider"`
	ProviderName string `json:"providerName"`
	Path         string `json:"path"`
	Level        string `json:"level"`
}

// TodoReminder says, between two runs, that the model is reminded of open tasks.
// Attempt counts from 1.
type TodoReminder struct {
	Todos       []message.Todo `json:"todos"`
	Attempt     int            `json:"attempt"`
	MaxAttempts int            `json:"maxAttempts"`
}

// TodoCleared says that finished tasks have left the list, which TodosChanged
// has told before.
type TodoCleared struct{}
