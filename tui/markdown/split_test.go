package markdown

import (
	"slices"
	"strings"
	"testing"
)

func blocks(text string) []string {
	var out []string
	start := 0
	for _, end := range append(cut(text).ends, len(text)) {
		out = append(out, text[start:end])
		start = end
	}
	return out
}

func TestCut(t *testing.T) {
	for _, c := range []struct {
		name, in string
		want     []string
	}{
		{"paragraphs", "a\n\nb\n\nc", []string{"a\n\n", "b\n\n", "c"}},
		{"undecided blank", "a\n\n", []string{"a\n\n"}},
		{"fence keeps blanks", "```\na\n\nb\n```\nc", []string{"```\na\n\nb\n```\n", "c"}},
		{"fence after text", "a\n```\nb\n```\n", []string{"a\n", "```\nb\n```\n", ""}},
		{"longer fence", "````\n```\n\n```\n````\nx", []string{"````\n```\n\n```\n````\n", "x"}},
		{"tilde fence", "~~~\n```\n\n~~~\nx", []string{"~~~\n```\n\n~~~\n", "x"}},
		{"no fence with ticks behind", "```a`\n\nb", []string{"```a`\n\n", "b"}},
		{"loose list", "- a\n\n- b\n\nc", []string{"- a\n\n", "- b\n\n", "c"}},
		{"item with paragraph", "1. a\n\n   b\n\n2. c\n\nd", []string{"1. a\n\n   b\n\n", "2. c\n\n", "d"}},
		{"fence in an item", "- a\n  ```\n\n  x\n  ```\n\nb", []string{"- a\n  ```\n\n  x\n  ```\n\n", "b"}},
		{"fence behind a marker", "- ```go\n  x\n\n  y\n  ```\n\nb", []string{"- ```go\n  x\n\n  y\n  ```\n\n", "b"}},
		{"quote with a fence", "> ```\n> x\n\nb", []string{"> ```\n> x\n\n", "b"}},
		{"indented code", "a\n\n    b\n\nc", []string{"a\n\n    b\n\n", "c"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := blocks(c.in); !slices.Equal(got, c.want) {
				t.Errorf("cut %q into %q, want %q", c.in, got, c.want)
			}
		})
	}
}

func FuzzSplit(f *testing.F) {
	f.Add("a\n\nb\n```go\nx\n\ny\n```\n- a\n\n- b\n\nc", 10)
	f.Add("> ```\n> x\n\n1. ```\n   y\n\n~~~~\n", 7)
	f.Fuzz(func(t *testing.T, text string, at int) {
		all := blocks(text)
		if strings.Join(all, "") != text {
			t.Fatalf("the blocks %q are not the text %q", all, text)
		}
		if at < 0 || at > len(text) {
			return
		}
		before := cut(text[:at]).ends
		after := cut(text).ends
		if len(before) > len(after) || !slices.Equal(before, after[:len(before)]) {
			t.Fatalf("block ends of %q: %v, of %q: %v", text[:at], before, text, after)
		}
	})
}
