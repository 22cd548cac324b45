package tui

import (
	"strings"
	"testing"
)

// Case 21: a paste that holds an end of its own stays one paste.
func TestPasteStaysWhole(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"keys", "ab\x1b[C", "ab\x1b[C"},
		{"a paste", "x<a>y", "x<a>y"},
		{"an end inside", "<a>rm -rf /\r>", "<arm -rf /\r>"},
		{"two ends inside", "<a>b>c>d", "<abc>d"},
		{"two ends side by side", "<a>>\r", "<a>\r"},
		{"two pastes", "<a><b>\r", "<a><b>\r"},
		{"two pastes, an end in each", "<a>b><c>d>e", "<ab><cd>e"},
		{"the rest of a paste", "a>b>c", "ab>c"},
		{"a start inside", "<a<b>c", "<a<b>c"},
		{"half an end", "<a>b\x1b[201", "<a>b\x1b[201"},
		{"nothing", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			marks := strings.NewReplacer("<", pasteStart, ">", pasteStop)
			read := []byte(marks.Replace(c.in))
			if got, want := string(read[:whole(read)]), marks.Replace(c.want); got != want {
				t.Errorf("%q, want %q", got, want)
			}
		})
	}
}
