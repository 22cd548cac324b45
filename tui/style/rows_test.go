package style_test

import (
	"testing"

	"github.com/hoopoe-agent/hoopoe/tui/style"
)

// The end of a path tells more than its start.
func TestCutPath(t *testing.T) {
	for _, c := range []struct {
		path  string
		width int
		want  string
	}{
		{"a/b.go", 6, "a/b.go"},
		{"engine/session/store.go", 18, "…/session/store.go"},
		{"engine/session/store.go", 17, "…/store.go"},
		{"engine/session/store.go", 9, "store.go"},
		{"engine/session/store.go", 6, "store…"},
		{"engine/session/", 10, "…/session/"},
		{"engine/session/", 5, "sess…"},
		{"文档/会话/存储.go", 11, "…/存储.go"},
		{"文档/会话/存储.go", 6, "存储.…"},
		{"/", 0, ""},
		{"no folder at all", 5, "no f…"},
	} {
		if got := style.CutPath(c.path, c.width); got != c.want {
			t.Errorf("CutPath(%q, %d) = %q, want %q", c.path, c.width, got, c.want)
		}
	}
}
