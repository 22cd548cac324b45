package catalog

import (
	"fmt"

	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/llm/offline"
)

// Wishes are the places that may name the model to start with, as patterns for
// Find; empty where a place is silent.
type Wishes struct {
	Flag    string // --model
	Agent   string // the agent's spec
	Session string // the session's last model
	Setting string // defaultModel
	// Local finds models of local servers. It is called only when nothing
	// before it decides; nil when there is nothing to look for.
	Local func() []llm.Model
}

// Choice is the model to start with.
type Choice struct {
	Model llm.Model
	Level llm.Level // empty when none was named
	// Notices tell of wishes that couldn't be met, each a sentence for the user.
	Notices []string
}

// Start chooses the model: the flag, the agent's spec, the session's last, the
// setting; else the default of the first provider that can be used; else the
// first local model; else the guide. The flag and the spec are orders: what
// they name must be there and usable. The session and the setting are
// memories: when theirs is gone the choice goes on, with a notice.
func (c *Catalog) Start(w Wishes) (Choice, error) {
	for _, order := range []string{w.Flag, w.Agent} {
		if order != "" {
			m, level, err := c.use(order)
			return Choice{Model: m, Level: level}, err
		}
	}
	var choice Choice
	for _, memory := range []string{w.Session, w.Setting} {
		if memory == "" {
			continue
		}
		m, level, err := c.use(memory)
		if err == nil {
			choice.Model, choice.Level = m, level
			return choice, nil
		}
		choice.Notices = append(choice.Notices, fmt.Sprintf("starting with another model: %v", err))
	}
	choice.Model = c.first(w.Local)
	return choice, nil
}

func (c *Catalog) use(pattern string) (llm.Model, llm.Level, error) {
	m, level, err := c.Find(pattern)
	if err != nil {
		return llm.Model{}, "", err
	}
	if err := c.Usable(m); err != nil {
		return llm.Model{}, "", err
	}
	return m, level, nil
}

func (c *Catalog) first(local func() []llm.Model) llm.Model {
	for _, s := range c.index() {
		if s.extra || c.hopeless(s) {
			continue
		}
		if m, ok := c.Default(s.ID); ok && c.Usable(m) == nil {
			return m
		}
	}
	if local != nil {
		if found := local(); len(found) > 0 {
			return found[0]
		}
	}
	return offline.Model()
}
