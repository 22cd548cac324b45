package tui

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/tui/flow"
	"github.com/hoopoe-agent/hoopoe/tui/style"
)

// play fills a screen: a turn, a card, the queue, the tasks and a draft.
func (c tongue) play(a *app) {
	args, err := json.Marshal(map[string]string{"path": c.path})
	if err != nil {
		panic(err)
	}
	a.branch = c.branch
	a.happens(event.RunStarted{Run: 1}, userMessage("u1", c.prompt),
		event.MessageStarted{ID: "a1", Message: message.Message{ID: "a1", Role: message.Assistant}},
		event.MessageDelta{ID: "a1", Index: 0, Block: message.TextBlock, Text: c.answer, Done: true},
		event.MessageDelta{ID: "a1", Index: 1, Block: message.ToolCallBlock, CallID: "c1", Name: "read", Text: string(args), Done: true},
		event.MessageEnded{ID: "a1", Message: message.Message{ID: "a1", Role: message.Assistant, StopReason: message.ToolUse, Content: []message.Block{
			{Type: message.ToolCallBlock, ID: "c1", Name: "read"}}}},
		event.ToolRunning{CallID: "c1", Name: "read", ToolKind: "read"},
		event.QueueChanged{Queue: []event.Queued{{ID: "q", Delivery: "steer", Message: message.NewUser(c.queued)}}},
		event.TodosChanged{Phases: []message.TodoPhase{{Name: c.phases[0], Tasks: c.tasks}, {Name: c.phases[1], Tasks: c.tasks[2:]}}},
	)
	a.update(tea.KeyPressMsg{Code: 't', Mod: tea.ModCtrl})
	a.types(c.draft)
}

// E-5: whole screens in scripts of two columns a letter and from right to left,
// the latter as each kind of terminal gets it.
func TestScreensOfTongues(t *testing.T) {
	for _, c := range everyTongue() {
		for _, size := range [][2]int{{20, 16}, {40, 24}, {80, 30}, {200, 30}} {
			name := fmt.Sprintf("%s-%d", c.name, size[0])
			t.Run(name, func(t *testing.T) {
				v := newFake().view
				v.Cwd = c.folder
				a := attachedApp(t, size[0], size[1], v)
				a.orders(c.bidi)
				c.play(a)
				rows, cursor := a.rows()
				if len(rows) != size[1] || cursor == nil || cursor.X >= size[0] {
					t.Errorf("%d rows, cursor %v", len(rows), cursor)
				}
				inWindow(t, c.name, rows, size[0])
				for _, row := range rows {
					if plain := ansi.Strip(row); !c.bidi.Reorder && flow.HasRTL(plain) && strings.Contains(plain, "│") {
						t.Errorf("a line that would jump: %q", plain)
					}
				}
				golden(t, "tongues/"+name+".golden", trimmed(rows)+"\n")
			})
		}
	}
}

// inWindow fails for a row that is wider than the window or has a control character.
func inWindow(t *testing.T, what string, rows []string, width int) {
	t.Helper()
	for _, row := range rows {
		plain := ansi.Strip(row)
		if w := style.Width(row); w > width {
			t.Errorf("%s at %d: a row of %d columns: %q", what, width, w, plain)
		}
		if strings.ContainsAny(plain, "\x1b\a\t\n\r\u202e\u2066\u2069") {
			t.Errorf("%s at %d: a control in %q", what, width, plain)
		}
	}
}
