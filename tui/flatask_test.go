//go:build unix

package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/event"
)

// E-4: a question with many answers is asked once, in clean lines, and says when
// it goes on.
func TestFlatQuestionOfMany(t *testing.T) {
	s, f := flatPanels(t)
	q := event.Question{ID: "q", Kind: event.AskSelect, Extension: "deploy", Title: "Where\x1b[2J to?", Message: "It\x1b]0;x\a matters.", Timeout: 65 * time.Second}
	for i := range 40 {
		q.Options = append(q.Options, fmt.Sprintf("server %d\x1b[2J", i))
	}
	f.publish(event.AskOpened{Question: q})
	s.see("15. server 14", "1 to 15 of 40", "It matters.", "goes on in 1m05s")
	if got := strings.Count(s.text(), "Where to?"); got != 1 {
		t.Errorf("the question is asked %d times:\n%s", got, s.text())
	}
	s.typed("\n")
	s.see("16. server 15")
	if out := string(s.written()); strings.ContainsAny(out, "\x1b\a") {
		t.Errorf("controls in %q", out)
	}
}
