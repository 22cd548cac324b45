package tui

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/hoopoe-agent/hoopoe/engine"
	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/permission"
	"github.com/hoopoe-agent/hoopoe/engine/session"
	"github.com/hoopoe-agent/hoopoe/tui/flow"
	"github.com/hoopoe-agent/hoopoe/tui/style"
)

// FuzzApp throws keys, pastes, sizes and events at the app in any order, also
// in one that no session sends, and looks at each frame: nothing panics, every
// row fits and nothing hostile is in it.
func FuzzApp(f *testing.F) {
	for seed := range uint64(10) {
		f.Add(seed, uint16(120))
	}
	f.Fuzz(func(t *testing.T, seed uint64, steps uint16) {
		m := monkey{rand.New(rand.NewPCG(seed, 1))}
		a, fake := panelApp(t, 80, 24)
		m.crowd(a, fake, pick(m, -1, 0, 1, 2000))
		for range steps % 400 {
			what := m.act(a)
			rows, cursor := a.rows()
			if len(rows) != a.height {
				t.Fatalf("after %s: %d rows at %dx%d", what, len(rows), a.width, a.height)
			}
			for _, row := range rows {
				if w := style.Width(row); w > a.width && a.width > 3 {
					t.Fatalf("after %s: row of %d columns at width %d: %q", what, w, a.width, row)
				}
				if strings.ContainsAny(ansi.Strip(row), "\x1b\a\r\n\t\u009b\u202e") || strings.Contains(row, "\x1b]52") {
					t.Fatalf("after %s: hostile row %q", what, row)
				}
			}
			if cursor != nil && (cursor.X >= a.width || cursor.Y >= a.height || cursor.Y < 0) {
				t.Fatalf("after %s: cursor at %d,%d of %dx%d", what, cursor.X, cursor.Y, a.width, a.height)
			}
		}
	})
}

type monkey struct{ *rand.Rand }

func pick[T any](m monkey, list ...T) T { return list[m.IntN(len(list))] }

// act does one thing and says what.
func (m monkey) act(a *app) string {
	switch m.IntN(8) {
	case 0:
		msg := tea.WindowSizeMsg{Width: 1 + m.IntN(120), Height: 1 + m.IntN(50)}
		a.orders(flow.Bidi{Reorder: m.IntN(2) == 0})
		a.update(msg)
		return fmt.Sprintf("%+v", msg)
	case 1:
		text := m.text()
		a.update(tea.PasteMsg{Content: text})
		return fmt.Sprintf("paste %q", text)
	case 7:
		at := tea.Mouse{X: m.IntN(a.width + 2), Y: m.IntN(a.height + 2), Button: pick(m, tea.MouseLeft, tea.MouseRight, tea.MouseWheelUp, tea.MouseWheelDown)}
		msg := pick[tea.Msg](m, tea.MouseClickMsg(at), tea.MouseWheelMsg(at), tea.MouseMotionMsg(at), tea.MouseReleaseMsg(at))
		a.update(msg)
		return fmt.Sprintf("%T %+v", msg, msg)
	case 6:
		text := pick(m, "/model", "/resume", "/tree", "/settings", "/theme", "/permissions", "/hotkeys")
		if a.front() == nil {
			a.editor.Reset()
			a.sends(text)
		}
		return text
	case 2, 3:
		k := m.key()
		a.update(k)
		return "key " + k.String()
	}
	e := m.event()
	a.happens(e)
	return fmt.Sprintf("event %T %+v", e, e)
}

func (m monkey) key() tea.KeyPressMsg {
	if m.IntN(2) == 0 {
		r := pick(m, 'a', '/', '@', '!', '?', ' ', 'y', '1', '你', 'م')
		return tea.KeyPressMsg{Code: r, Text: string(r)}
	}
	return pick(m,
		tea.KeyPressMsg{Code: tea.KeyEnter}, tea.KeyPressMsg{Code: tea.KeyTab}, tea.KeyPressMsg{Code: tea.KeyEscape},
		tea.KeyPressMsg{Code: tea.KeyEscape, Mod: tea.ModAlt}, tea.KeyPressMsg{Code: tea.KeyUp}, tea.KeyPressMsg{Code: tea.KeyDown},
		tea.KeyPressMsg{Code: tea.KeyPgUp}, tea.KeyPressMsg{Code: tea.KeyPgDown}, tea.KeyPressMsg{Code: tea.KeyHome, Mod: tea.ModCtrl},
		tea.KeyPressMsg{Code: tea.KeyEnd, Mod: tea.ModCtrl}, tea.KeyPressMsg{Code: tea.KeyBackspace}, tea.KeyPressMsg{Code: 'c', Mod: tea.ModCtrl},
		tea.KeyPressMsg{Code: 'o', Mod: tea.ModCtrl}, tea.KeyPressMsg{Code: 'r', Mod: tea.ModCtrl}, tea.KeyPressMsg{Code: 't', Mod: tea.ModCtrl},
		tea.KeyPressMsg{Code: tea.KeyTab, Mod: tea.ModShift}, ctrl('a'), ctrl('b'), ctrl('e'), ctrl('f'), ctrl('x'), code(tea.KeyLeft), code(tea.KeyRight),
		tea.KeyPressMsg{Code: tea.KeyUp, Mod: tea.ModShift}, tea.KeyPressMsg{Code: tea.KeyDown, Mod: tea.ModShift}, tea.KeyPressMsg{Code: 'j', Mod: tea.ModCtrl}, tea.KeyPressMsg{Code: 'd', Mod: tea.ModCtrl},
	)
}

// crowd fills the panels' lists with so many entries; -1 leaves them.
func (m monkey) crowd(a *app, fake *fakeSession, n int) {
	if n < 0 {
		return
	}
	told := fake.Session.(*told)
	shelf := savedFixture(fake, mixed)
	told.offers, told.roots, fake.rules, shelf.saved = nil, nil, nil, nil
	var at *session.TreeNode
	for i := range n {
		id, name := fmt.Sprint(i), m.text()
		told.offers = append(told.offers, engine.Offer{Model: llm.Model{Provider: pick(m, "p", name), ID: id + name, Name: m.text(), ContextWindow: m.IntN(2_000_000)}, Note: m.text()})
		shelf.saved = append(shelf.saved, session.Summary{Path: "/s/" + id, ID: id, Cwd: pick(m, "/code/demo", name), Name: m.text(), Title: m.text(), Messages: i})
		fake.rules = append(fake.rules, permission.Rule{Tool: "bash", Pattern: name, Action: permission.Allow, Source: pick(m, permission.FromSaved, permission.FromSettings)})
		next := node(id, "", pick(m, message.User, message.Assistant), name)
		next.Label = pick(m, "", "", m.text())
		if at == nil {
			told.roots = append(told.roots, next)
		} else {
			next.Entry.ParentID = at.Entry.ID
			at.Children = append(at.Children, next)
		}
		if at == nil || m.IntN(3) > 0 {
			at = next
		}
		told.leaf = id
	}
	a.o.Sessions = shelf
	files := []Setting{{Key: "x.y", Value: m.text(), From: m.text(), About: m.text()}}
	a.o.Settings = func(context.Context) ([]Setting, error) { return files, nil }
}

func (m monkey) text() string {
	return pick(m, "", "a", "two words", "line\nline\nline", strings.Repeat("long ", 200), strings.Repeat("x", 300),
		"\x1b]52;c;aGk=\x07\x1b[2J\u009b2J\u202e", "天地玄黄宇宙洪荒", "مرحبا `code`", "👨‍👩‍👧‍👦❤️", "a\tb\r50%\r100%", "# h\n\n```go\nx\n```\n- a\n- b",
		strings.Repeat("row\n", 40), "{\"path\":\"a.go\"}", "/he", "\n\n\n")
}

func (m monkey) id() string { return pick(m, "a", "b", "c") }

func (m monkey) blocks() []message.Block {
	return []message.Block{message.TextOf(m.text()), {Type: message.ThinkingBlock, Text: m.text()},
		{Type: message.ToolCallBlock, ID: m.id(), Name: pick(m, "edit", "bash", "read", "other"), Arguments: []byte(m.text())}}[:m.IntN(4)]
}

func (m monkey) message() message.Message {
	code := m.IntN(3)
	return message.Message{
		ID: m.id(), Role: pick(m, message.User, message.Assistant, message.ToolResult, message.BashExecution, message.Custom, message.CompactionSummary),
		Content: m.blocks(), ToolCallID: m.id(), IsError: m.IntN(2) == 0, Display: true, Summary: m.text(),
		StopReason: pick(m, message.Stop, message.Error, message.Aborted, message.Length, message.Refusal), ErrorMessage: m.text(),
		Bash: &message.Bash{Command: m.text(), Output: m.text(), ExitCode: pick(m, nil, &code)},
	}
}

func (m monkey) view() event.View {
	v := newFake().view
	for range m.IntN(5) {
		v.Messages = append(v.Messages, m.message())
	}
	in := m.message()
	v.Name, v.Cwd, v.InFlight, v.State = m.text(), m.text(), pick(m, nil, &in), pick(m, "idle", "running", "compacting")
	return v
}

func (m monkey) question() event.Question {
	return event.Question{
		ID: m.id(), CallID: m.id(), Extension: pick(m, "", m.text()), Descriptions: []string{m.text()}, Secret: m.IntN(4) == 0, Waiting: m.IntN(3),
		Timeout: pick(m, 0, time.Minute), Title: m.text(), Message: m.text(), Options: []string{m.text(), m.text(), "x"}[:m.IntN(4)], Prefill: m.text(),
		Kind:       pick(m, event.AskConfirm, event.AskSelect, event.AskInput, event.AskEditor, event.AskPermission),
		Permission: &event.PermissionRequest{Command: pick(m, "", m.text()), Diff: m.text(), Rules: []string{m.text()}[:m.IntN(2)], Parts: []event.PermissionPart{{Text: m.text(), Why: m.text()}}},
	}
}

func (m monkey) event() event.Event {
	msg := m.message()
	return pick[event.Event](m,
		event.RunStarted{Run: 1}, event.RunEnded{Error: m.text()}, event.RunSettled{Aborted: m.IntN(2) == 0, Error: m.text()},
		event.MessageStarted{ID: msg.ID, Message: msg}, event.MessageEnded{ID: msg.ID, Message: msg}, event.MessageRemoved{ID: m.id()},
		event.MessageDelta{ID: m.id(), Index: m.IntN(3), Block: pick(m, message.TextBlock, message.ThinkingBlock, message.ToolCallBlock), CallID: m.id(), Name: "edit", Text: m.text()},
		event.ToolStarted{CallID: m.id(), Name: pick(m, "bash", m.text()), Arguments: []byte(m.text())},
		event.ToolRunning{CallID: m.id(), Name: "edit", Title: m.text(), ToolKind: pick(m, "edit", "execute", "read", ""), Diff: m.text()},
		event.ToolProgress{CallID: m.id(), Content: m.blocks()}, event.ToolEnded{CallID: m.id(), Content: m.blocks(), IsError: m.IntN(2) == 0, Denied: pick(m, "", "user")},
		event.BashStarted{ID: m.id(), Command: m.text()}, event.BashProgress{ID: m.id(), Output: m.text()}, event.BashEnded{ID: m.id(), Message: msg},
		event.QueueChanged{Queue: []event.Queued{{ID: m.id(), Message: msg}, {ID: m.id(), Message: msg}}[:m.IntN(3)]},
		event.TodosChanged{Phases: []message.TodoPhase{{Name: m.text(), Tasks: []message.Todo{{Content: m.text(), Status: "in_progress"}}}}},
		event.RuleTriggered{Rules: []event.Rule{{Name: m.text()}, {Name: "style"}}}, event.TodoReminder{Todos: []message.Todo{{Content: m.text()}}, Attempt: 1, MaxAttempts: 3},
		event.RetryScheduled{Attempt: 1, MaxAttempts: 2, DelayMS: 100, Error: m.text()}, event.RetryEnded{Error: m.text()},
		event.CompactionStarted{Reason: "manual"}, event.CompactionEnded{Error: m.text()},
		event.StatusChanged{Extension: m.text(), Key: m.id(), Text: pick(m, nil, textOf(m.text()))}, event.TitleChanged{Title: m.text()}, event.EditorTextSet{Text: m.text()},
		event.WidgetChanged{Extension: m.text(), Key: m.id(), Lines: [][]string{nil, {m.text(), "\x1b[31m" + m.text()}, {m.text(), "", m.text(), m.text()}}[m.IntN(3)], Placement: pick(m, "aboveEditor", "belowEditor", "")},
		event.Notice{Level: pick(m, "info", "error"), Text: m.text(), Source: pick(m, "", m.text())}, event.SessionNamed{Name: m.text()},
		event.AskOpened{Question: m.question()}, event.AskClosed{ID: m.id()},
		event.SessionReplaced{Reason: pick(m, "new", "resume"), View: m.view()}, event.LeafMoved{View: m.view()},
		event.UsageChanged{ContextTokens: m.IntN(1000), ContextWindow: m.IntN(1000)}, event.ModeChanged{Mode: m.text()},
	)
}
