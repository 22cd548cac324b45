package llm

import (
	"fmt"
	"slices"
	"strings"
)

// Level is how much a model is asked to think.
type Level string

const (
	Off     Level = "off"
	Minimal Level = "minimal"
	Low     Level = "low"
	Medium  Level = "medium"
	High    Level = "high"
	XHigh   Level = "xhigh"
)

// AllLevels lists every level, ascending.
func AllLevels() []Level { return []Level{Off, Minimal, Low, Medium, High, XHigh} }

// ParseLevel reads a level's name.
func ParseLevel(s string) (Level, error) {
	l := Level(strings.ToLower(s))
	if slices.Contains(AllLevels(), l) {
		return l, nil
	}
	return "", fmt.Errorf("unknown thinking level %q (use off, minimal, low, medium, high or xhigh)", s)
}

// Clamp returns the nearest level at or below want that the model supports,
// else its lowest; Off for a model that doesn't reason.
func (m Model) Clamp(want Level) Level {
	if !m.Reasoning || want == Off || want == "" {
		return Off
	}
	order := AllLevels()
	best := Off
	for _, l := range order[1:] {
		if !slices.Contains(m.levels(), l) {
			continue
		}
		if best == Off || slices.Index(order, l) <= slices.Index(order, want) {
			best = l
		}
	}
	return best
}

// Supported lists off and the levels the model supports, ascending.
func (m Model) Supported() []Level {
	if !m.Reasoning {
		return []Level{Off}
	}
	return append([]Level{Off}, m.levels()...)
}

func (m Model) levels() []Level {
	if len(m.Levels) > 0 {
		return m.Levels
	}
	return []Level{Minimal, Low, Medium, High}
}
