package slash_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine"
	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/llm/catalog"
	"github.com/hoopoe-agent/hoopoe/slash"
)

// Requirements E-4, E-5: rows are aligned by what is seen, and hold no control.
func TestModelRows(t *testing.T) {
	offer := func(id string, window int, in, out float64) engine.Offer {
		return engine.Offer{Model: llm.Model{Provider: "p", ID: id, ContextWindow: window, Cost: llm.Price{Input: in, Output: out}}}
	}
	long := strings.Repeat("l", 60)
	lacking := offer("模型", 1_000_000, 0.00005, 12)
	lacking.Err = &catalog.MissingAddressError{}
	hostile := offer("a\x1b[31m\nb", 999, 0, 0.3)
	hostile.Note = "two\nlines"
	for _, c := range []struct {
		name   string
		offers []engine.Offer
		want   []string
	}{
		{"none", nil, []string{}},
		{"windows", []engine.Offer{offer("a", 0, 1, 2), offer("b", 8191, 1, 2), offer("c", 1_047_576, 1, 2)},
			[]string{"p/a      ?  $1 in, $2 out", "p/b     8k  $1 in, $2 out", "p/c  1.04M  $1 in, $2 out"}},
		{"wide letters", []engine.Offer{lacking, offer("abc", 200_000, 0, 0)},
			[]string{"p/模型     1M  $0.0001 in, $12 out  no address", "p/abc    200k  no price"}},
		{"hostile", []engine.Offer{hostile}, []string{"p/a b    999  $0 in, $0.3 out  two lines"}},
		{"a long one moves its row alone", []engine.Offer{offer(long, 1000, 1, 2), offer("a", 1000, 1, 2)},
			[]string{"p/" + long + "     1k  $1 in, $2 out", "p/a" + strings.Repeat(" ", 45) + "     1k  $1 in, $2 out"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := slash.ModelRows(c.offers); !slices.Equal(got, c.want) {
				t.Errorf("got\n%q, want\n%q", got, c.want)
			}
		})
	}
}
