package tui

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/session"
	"github.com/hoopoe-agent/hoopoe/tui/style"
)

func textOf(s string) *string { return &s }

// extensionScenes are what extensions show and ask.
func extensionScenes(w tongue) []struct {
	name string
	play func(a *app)
} {
	around := func(a *app) {
		a.happens(
			event.StatusChanged{Extension: "git", Key: "branch", Text: textOf("▲ 3 ahead")},
			event.StatusChanged{Extension: "tests", Key: "state", Text: textOf(w.status)},
			event.WidgetChanged{Extension: "todo", Key: "list", Lines: w.widget},
			event.WidgetChanged{Extension: "tips", Key: "tip", Placement: "belowEditor", Lines: []string{w.tip}},
		)
	}
	ask := func(q event.Question) func(a *app) {
		return func(a *app) {
			around(a)
			a.happens(event.RunStarted{Run: 1})
			a.happens(event.AskOpened{Question: q})
		}
	}
	options := make([]string, 60)
	for i := range options {
		options[i] = fmt.Sprintf("%d %s", i+1, w.options[i%3])
	}
	few := event.Question{ID: "q", Kind: event.AskSelect, Extension: w.extension, Waiting: 1, Title: w.question,
		Options: w.options, Descriptions: w.details, Timeout: 75 * time.Second}
	many := event.Question{ID: "q", Kind: event.AskSelect, Extension: w.extension, Title: w.question, Message: w.why, Options: options, Descriptions: w.details, Timeout: 5 * time.Second}
	confirm := event.Question{ID: "q", Kind: event.AskConfirm, Extension: w.extension, Title: w.question, Message: strings.Repeat(w.why, 12)}
	return []struct {
		name string
		play func(a *app)
	}{
		{"around", around},
		{"tall widget", func(a *app) {
			around(a)
			lines := make([]string, 40)
			for i := range lines {
				lines[i] = fmt.Sprintf("%s %d", w.options[0], i+1)
			}
			a.happens(event.WidgetChanged{Extension: "todo", Key: "list", Lines: lines})
		}},
		{"select", ask(few)},
		{"select of many", ask(many)},
		{"select of the found", func(a *app) { ask(many)(a); a.types(w.filter) }},
		{"confirm", ask(confirm)},
		{"input", ask(event.Question{ID: "q", Kind: event.AskInput, Extension: w.extension, Title: w.number, Placeholder: "ABC-123"})},
		{"editor", ask(event.Question{ID: "q", Kind: event.AskEditor, Extension: w.extension, Title: w.number, Prefill: w.notes})},
		{"secret", ask(event.Question{ID: "q", Kind: event.AskInput, Title: w.number, Prefill: "sk-1", Secret: true})},
		{"while it streams", func(a *app) {
			ask(few)(a)
			a.happens(event.MessageStarted{ID: "m"}, event.Notice{Level: "warning", Source: "lint", Text: w.details[0]})
		}},
	}
}

// E-5: what extensions show and ask, at four sizes in each language.
func TestExtensionScreens(t *testing.T) {
	for _, size := range [][2]int{{20, 16}, {40, 20}, {80, 24}, {200, 30}} {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			var b strings.Builder
			for _, w := range everyTongue(mixed) {
				for _, scene := range extensionScenes(w.tongue) {
					a := attachedApp(t, size[0], size[1], newFake().view)
					a.orders(w.bidi)
					scene.play(a)
					rows, _ := a.rows()
					inWindow(t, scene.name+", "+w.name, rows, size[0])
					fmt.Fprintf(&b, "== %s, %s\n%s\n", scene.name, w.name, trimmed(rows))
				}
			}
			golden(t, filepath.Join("extensions", fmt.Sprintf("screen-%dx%d.golden", size[0], size[1])), b.String())
		})
	}
}

// approvalScenes are calls that wait for the user.
func approvalScenes(w tongue) []struct {
	name string
	q    event.Question
} {
	var patch strings.Builder
	fmt.Fprintf(&patch, "--- %s\n+++ %s\n@@ -1,40 +1,40 @@\n", w.path, w.path)
	for i := range 20 {
		fmt.Fprintf(&patch, "-\t"+w.before+"\n+\t"+w.after+"\n", 100+i, 100+i)
	}
	path := "/code/demo/" + w.path
	return []struct {
		name string
		q    event.Question
	}{
		{"command", event.Question{Title: "Run a command", Permission: &event.PermissionRequest{
			Tool: "bash", Kind: "execute", Command: w.run, Rules: []string{w.rule},
			Parts: []event.PermissionPart{{Text: w.part, Why: "no rule allows it"}}}}},
		{"long diff", event.Question{Title: "Edit " + w.path, Permission: &event.PermissionRequest{
			Tool: "edit", Kind: "edit", Diff: patch.String(), Rules: []string{"edit(./" + w.path + ")"}, Paths: []string{path},
			Parts: []event.PermissionPart{{Text: path, Why: "it changes a file"}}}}},
		{"arguments", event.Question{Title: "github create_issue", Agent: "explore", Permission: &event.PermissionRequest{
			Tool: "mcp__github__create_issue", Kind: "other", Arguments: []byte(w.call)}}},
	}
}

// Approvals at four sizes in each language: what is asked about can be scrolled,
// the choices are always there.
func TestApprovalScreens(t *testing.T) {
	for _, size := range [][2]int{{20, 20}, {40, 20}, {80, 24}, {200, 30}} {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			var b strings.Builder
			for _, w := range everyTongue(mixed) {
				for _, scene := range approvalScenes(w.tongue) {
					a := attachedApp(t, size[0], size[1], newFake().view)
					a.orders(w.bidi)
					a.happens(event.RunStarted{Run: 1})
					scene.q.ID, scene.q.Kind = "q", event.AskPermission
					a.happens(event.AskOpened{Question: scene.q})
					rows, _ := a.rows()
					inWindow(t, scene.name+", "+w.name, rows, size[0])
					fmt.Fprintf(&b, "== %s, %s\n%s\n", scene.name, w.name, trimmed(rows))
					a.update(tea.KeyPressMsg{Code: tea.KeyEnd})
					last := screenText(a)
					for _, choice := range []string{"Yes, this once", "No (n)"} {
						if size[0] > 20 && !strings.Contains(last, choice) {
							t.Errorf("%s, %s: no %q at the end of\n%s", scene.name, w.name, choice, last)
						}
					}
					if scene.name == "long diff" && size[0] > 20 && !strings.Contains(last, "119") {
						t.Errorf("%s: the end of the diff can't be reached:\n%s", w.name, last)
					}
				}
			}
			golden(t, filepath.Join("approvals", fmt.Sprintf("screen-%dx%d.golden", size[0], size[1])), b.String())
		})
	}
}

// While a dialog is open the answer goes on above it; keys go to the dialog,
// and what was typed before stays in the prompt.
func TestDialogWhileItStreams(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	a := attachedApp(t, 60, 24, newFake().view)
	a.o.Now = func() time.Time { return now }
	a.types("draft")
	a.happens(event.RunStarted{Run: 1}, event.MessageStarted{ID: "m", Message: message.Message{ID: "m", Role: message.Assistant}},
		event.AskOpened{Question: event.Question{ID: "q", Kind: event.AskInput, Extension: "x", Title: "Which name?"}})
	text := ""
	for i := range 30 {
		text += fmt.Sprintf("Paragraph %d.\n\n", i)
		a.happens(event.MessageDelta{ID: "m", Block: message.TextBlock, Text: text})
		a.types("n")
		if rows := screenText(a); !strings.Contains(rows, fmt.Sprintf("Paragraph %d.", i)) || !strings.Contains(rows, "› "+strings.Repeat("n", i+1)) {
			t.Fatalf("the screen shows\n%s", rows)
		}
	}
	a.happens(event.AskClosed{ID: "q", Answered: true}, event.AskOpened{Question: event.Question{ID: "r", Kind: event.AskConfirm, Extension: "y", Title: "Second?"}})
	if rows := screenText(a); !strings.Contains(rows, "Second?") || strings.Contains(rows, "Which name?") {
		t.Errorf("the screen shows\n%s", rows)
	}
	if a.update(tea.KeyPressMsg{Code: tea.KeyEnter}); a.question == nil {
		t.Error("a key that was meant for the first question answered the second")
	}
	a.happens(event.AskClosed{ID: "r", Answered: true})
	if rows := screenText(a); !strings.Contains(rows, "› draft") {
		t.Errorf("the screen shows\n%s", rows)
	}
}

// A key pressed twice answers one question, also of the user's own command.
func TestSecondQuestionIsGuarded(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	a := attachedApp(t, 80, 24, newFake().view)
	a.o.Now = func() time.Time { return now }
	a.commands = 1
	ask := func(id string) {
		a.happens(event.AskOpened{Question: event.Question{ID: id, Kind: event.AskConfirm, Title: "Go?"}})
	}
	answers := func() bool {
		cmd := a.update(tea.KeyPressMsg{Code: 'y', Text: "y"})
		return cmd != nil
	}
	ask("q")
	if !answers() {
		t.Error("the first question doesn't take its answer")
	}
	a.happens(event.AskClosed{ID: "q", Answered: true})
	ask("r")
	if answers() {
		t.Error("the second question took the key at once")
	}
	now = now.Add(time.Second)
	if !answers() {
		t.Error("the second question doesn't take its answer")
	}
}

// The dialog tells how many questions wait behind it, also those that come
// while it is open.
func TestQuestionsWait(t *testing.T) {
	for name, n := range map[string]int{"dialog": 2, "list": 20} {
		t.Run(name, func(t *testing.T) {
			a := attachedApp(t, 80, 24, newFake().view)
			q := event.Question{ID: "q", Kind: event.AskSelect, Extension: "x", Title: "Which?"}
			for i := range n {
				q.Options = append(q.Options, fmt.Sprint("option ", i))
			}
			a.happens(event.AskOpened{Question: q}, event.AskWaiting{ID: "other", Count: 7})
			if rows := screenText(a); strings.Contains(rows, " of 8") {
				t.Errorf("the screen shows\n%s", rows)
			}
			a.happens(event.AskWaiting{ID: "q", Count: 2})
			if rows := screenText(a); !strings.Contains(rows, "x · 1 of 3") {
				t.Errorf("the screen shows\n%s", rows)
			}
			a.happens(event.AskWaiting{ID: "q"})
			if rows := screenText(a); strings.Contains(rows, "1 of 3") {
				t.Errorf("the screen shows\n%s", rows)
			}
		})
	}
}

// Branches within branches stay readable: from some depth on they are drawn no
// deeper.
func TestDeepBranches(t *testing.T) {
	root := node("0", "", message.User, "the first")
	at := root
	for i := 1; i < 200; i++ {
		next := node(fmt.Sprint(i), at.Entry.ID, message.User, "on")
		at.Children = append(at.Children, next, node(fmt.Sprint("x", i), at.Entry.ID, message.User, "other"))
		at = next
	}
	b := branches{folded: map[string]bool{}}
	b.set([]*session.TreeNode{root}, at.Entry.ID)
	for _, it := range b.items(testTime) {
		if w := style.Width(it.Lead); w > 3*(deepest+1) {
			t.Fatalf("%d columns of lines before %q", w, it.Title)
		}
	}
	if b.here != "199" {
		t.Errorf("the conversation is at %s", b.here)
	}
}

// What another face has set shows in the settings.
func TestSettingsChanged(t *testing.T) {
	a, _ := panelApp(t, 80, 40)
	a.sends("/settings")
	a.happens(event.SettingsChanged{SteeringMode: "all", FollowUpMode: "all", InterruptMode: "immediate", AutoRetry: true})
	if rows := screenText(a); !strings.Contains(rows, "Retry automatically      on") || !strings.Contains(rows, "immediate") {
		t.Errorf("the screen shows\n%s", rows)
	}
}

// What extensions show is keyed, in the order in which it was first set, and
// taken away by nil.
func TestGuests(t *testing.T) {
	a := attachedApp(t, 100, 30, newFake().view)
	status := func(key, text string) event.Event { return event.StatusChanged{Extension: "x", Key: key, Text: &text} }
	a.happens(status("one", "first"), status("two", "second"), status("one", "FIRST"), event.StatusChanged{Extension: "y", Key: "one", Text: textOf("other")})
	if rows := screenText(a); !strings.Contains(rows, "FIRST · second · other") {
		t.Errorf("the screen shows\n%s", rows)
	}
	a.happens(event.StatusChanged{Extension: "x", Key: "one"}, event.StatusChanged{Extension: "x", Key: "never set"})
	if rows := screenText(a); strings.Contains(rows, "FIRST") || !strings.Contains(rows, "second · other") {
		t.Errorf("the screen shows\n%s", rows)
	}
	a.happens(event.WidgetChanged{Extension: "x", Key: "w", Lines: []string{"a widget"}})
	if rows := screenText(a); !strings.Contains(rows, "a widget") {
		t.Errorf("the screen shows\n%s", rows)
	}
	a.happens(event.WidgetChanged{Extension: "x", Key: "w"}, event.TitleChanged{Title: "mine\x07"})
	if rows := screenText(a); strings.Contains(rows, "a widget") || a.title() != "mine" {
		t.Errorf("title %q; the screen shows\n%s", a.title(), rows)
	}
	for i := range 500 {
		a.happens(status(fmt.Sprint(i), "s"), event.WidgetChanged{Extension: "x", Key: fmt.Sprint(i), Lines: []string{"w"}})
	}
	if len(a.guests.statuses) > guestKeys || len(a.guests.widgets) > guestKeys {
		t.Errorf("%d items, %d widgets are kept", len(a.guests.statuses), len(a.guests.widgets))
	}
}

// A face that attaches late shows what there is; the picture stays as it was.
func TestGuestsOfThePicture(t *testing.T) {
	v := newFake().view
	v.Statuses = []event.StatusChanged{{Extension: "x", Key: "k", Text: textOf("from before")}}
	v.Widgets = []event.WidgetChanged{{Extension: "x", Key: "k", Lines: []string{"an old widget"}}}
	v.Title = "an old title"
	a := attachedApp(t, 80, 24, v)
	if rows := screenText(a); !strings.Contains(rows, "from before") || !strings.Contains(rows, "an old widget") || a.title() != "an old title" {
		t.Errorf("title %q; the screen shows\n%s", a.title(), rows)
	}
	a.happens(event.StatusChanged{Extension: "x", Key: "k", Text: textOf("new")})
	if *v.Statuses[0].Text != "from before" {
		t.Error("the picture was changed")
	}
}

// An extension's text for the editor can be undone.
func TestEditorTextSet(t *testing.T) {
	a := attachedApp(t, 80, 24, newFake().view)
	a.types("mine")
	a.happens(event.EditorTextSet{Text: "theirs\x1b[2J"})
	if got := a.editor.Value(); got != "theirs" {
		t.Errorf("the editor holds %q", got)
	}
	a.update(tea.KeyPressMsg{Code: '_', Mod: tea.ModCtrl})
	if got := a.editor.Value(); got != "mine" {
		t.Errorf("undone, the editor holds %q", got)
	}
}

// The countdown goes on while nothing else happens, and not without one.
func TestCountdownTicks(t *testing.T) {
	a := attachedApp(t, 80, 24, newFake().view)
	q := event.Question{ID: "q", Kind: event.AskConfirm, Title: "Go?"}
	a.happens(event.AskOpened{Question: q})
	if a.counting() {
		t.Error("counts down without a timeout")
	}
	q.Timeout = time.Minute
	a.happens(event.AskClosed{ID: "q"}, event.AskOpened{Question: q})
	if rows := screenText(a); !a.counting() || !strings.Contains(rows, "1m00s left") {
		t.Errorf("the screen shows\n%s", rows)
	}
	a.happens(event.AskClosed{ID: "q", TimedOut: true})
	if rows := screenText(a); a.counting() || !strings.Contains(rows, "Nobody answered in time.") {
		t.Errorf("the screen shows\n%s", rows)
	}
}

// A key for a panel that comes before the session is open waits for it.
func TestPanelBeforeTheSession(t *testing.T) {
	a := newApp(t.Context(), Options{Commands: fewCommands(), Environ: []string{}}.withDefaults())
	a.update(tea.KeyPressMsg{Code: 'p', Mod: tea.ModAlt})
	if a.panel != nil || len(a.waiting) != 1 || a.waiting[0].text != "/model" {
		t.Errorf("panel %v, waiting %+v", a.panel, a.waiting)
	}
}
