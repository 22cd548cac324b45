package markdown_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/vt"

	"github.com/hoopoe-agent/hoopoe/tui/markdown"
)

// E-5: on a terminal, not by counting: no row wraps, so each begins where the
// layout thinks it does.
func TestOnATerminal(t *testing.T) {
	for _, width := range []int{20, 40, 80, 200} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			rows := markdown.New(styles(t, true, true)).Render(sample, width)
			screen := vt.NewEmulator(width, len(rows)+10)
			for y, row := range rows {
				if _, err := screen.WriteString(row); err != nil {
					t.Fatal(err)
				}
				if got := screen.CursorPosition().Y; got != y {
					t.Fatalf("row %d wrapped: %q", y, row)
				}
				screen.WriteString("\r\n")
			}
			if text := screen.String(); !strings.Contains(text, "func main() {") {
				t.Errorf("the screen shows\n%s", text)
			}
		})
	}
}
