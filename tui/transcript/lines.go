package transcript

import (
	"strings"

	"github.com/hoopoe-agent/hoopoe/tui/flow"
)

// lined makes a Block of an item that has lines alone.
type lined struct {
	Item
	lines func(width int) []string
}

func (l lined) Rows(width int) []flow.Row { return flow.Of(l.lines(width)...) }
func (l lined) Source() string            { return strings.Join(l.lines(80), "\n") }

func block(it Item) Block {
	if b, ok := it.(Block); ok {
		return b
	}
	if l, ok := it.(interface{ Lines(int) []string }); ok {
		return &lined{it, l.Lines}
	}
	return &lined{it, func(int) []string { return nil }}
}

func unblock(b Block) Item {
	if l, ok := b.(*lined); ok {
		return l.Item
	}
	return b
}
