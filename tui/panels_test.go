package tui

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/hoopoe-agent/hoopoe/engine"
	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/llm/catalog"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/permission"
	"github.com/hoopoe-agent/hoopoe/engine/session"
	"github.com/hoopoe-agent/hoopoe/slash"
	"github.com/hoopoe-agent/hoopoe/themes"
	"github.com/hoopoe-agent/hoopoe/tui/style"
)

// told is a session for commands that answers from memory.
type told struct {
	slash.Session
	fake   *fakeSession
	offers []engine.Offer
	roots  []*session.TreeNode
	leaf   string
}

func (s *told) Offers(string) []engine.Offer { return s.offers }

func (s *told) Tree(context.Context) ([]*session.TreeNode, string, error) {
	return s.roots, s.leaf, nil
}

func (s *told) View(context.Context) (event.View, error) {
	s.fake.mu.Lock()
	defer s.fake.mu.Unlock()
	return s.fake.view, nil
}

func (s *told) Rename(_ context.Context, name string) error {
	s.fake.note("rename " + name)
	return nil
}

func (s *told) SetThinking(_ context.Context, level llm.Level) (llm.Level, error) {
	s.fake.note("thinking " + string(level))
	return level, nil
}

// shelf is a folder of saved sessions.
type shelf struct {
	saved []session.Summary
	fake  *fakeSession
}

func (s *shelf) List(_ context.Context, all bool) ([]session.Summary, error) {
	if all {
		return s.saved, nil
	}
	return slices.DeleteFunc(slices.Clone(s.saved), func(o session.Summary) bool { return o.Cwd != "/code/demo" }), nil
}

func (s *shelf) Rename(_ context.Context, path, name string) error {
	s.fake.note("rename " + path + " " + name)
	return nil
}

func (s *shelf) Delete(_ context.Context, path string) error {
	s.fake.note("delete " + path)
	s.saved = slices.DeleteFunc(s.saved, func(o session.Summary) bool { return o.Path == path })
	return nil
}

// palette has the built-in theme under three names.
type palette struct{}

func (palette) Names() []string { return []string{"hoopoe", "زمردي", "水墨"} }
func (palette) Find(name string) (themes.Theme, error) {
	t, err := themes.Load(themes.Default)
	t.Name = name
	return t, err
}

var testTime = time.Unix(1_800_000_000, 0)

func node(id, parent string, role message.Role, text string, then ...*session.TreeNode) *session.TreeNode {
	m := message.Message{ID: id, Role: role, Content: []message.Block{message.TextOf(text)}}
	if role == message.ToolResult {
		m.ToolName = "read"
	}
	return &session.TreeNode{Entry: session.Entry{Type: session.TypeMessage, ID: id, ParentID: parent, Message: &m, Timestamp: testTime.Add(-time.Hour)}, Children: then}
}

func branchesFixture() []*session.TreeNode {
	labelled := node("e", "b", message.User, "اكتب الاختبارات أولًا ثم نفذها", node("f", "e", message.Assistant, "Tests first, then."))
	labelled.Label = "tests"
	return []*session.TreeNode{node("a", "", message.User, "replace foo with bar everywhere",
		node("b", "a", message.Assistant, "I'll look at the files.\nThen more.",
			node("c", "b", message.User, "改用 baz 吧，不要 bar",
				node("t", "c", message.ToolResult, "package main",
					node("d", "t", message.Assistant, "好的，现在改用 baz。"))),
			labelled,
			node("g", "b", message.User, "stop here", node("h", "g", message.Assistant, "Stopped.\x1b[2J"),
				node("i", "g", message.Assistant, strings.Repeat("A long answer. ", 30)))))}
}

func savedFixture(fake *fakeSession) *shelf {
	at := func(d time.Duration) time.Time { return testTime.Add(-d) }
	return &shelf{fake: fake, saved: []session.Summary{
		{Path: "/s/x.jsonl", ID: "0199a3c2-test", Cwd: "/code/demo", Name: "today's work", Title: "replace foo with bar", Messages: 12, Modified: at(time.Minute)},
		{Path: "/s/y.jsonl", ID: "0199a3c2-zh", Cwd: "/code/demo", Title: "请把所有的 foo 换成 bar，然后运行测试并报告结果", Messages: 1400, More: true, Modified: at(3 * time.Hour)},
		{Path: "/s/z.jsonl", ID: "0199a3c2-ar", Cwd: "/code/مشروع", Title: "شغّل الأمر go test ./... ثم أعد المحاولة", Messages: 3, Modified: at(50 * time.Hour)},
		{Path: "/s/w.jsonl", ID: "0199a3c2-bad", Cwd: "/code/demo", Title: "a\x1b]52;c;aGk=\x07b\u202ec", Messages: 1, Modified: at(400 * time.Hour)},
	}}
}

func offersFixture() []engine.Offer {
	return []engine.Offer{
		{Model: llm.Model{Provider: "anthropic", ID: "claude-sonnet-with-a-long-name", Name: "Claude Sonnet", ContextWindow: 200_000, Cost: llm.Price{Input: 3, Output: 15}}},
		{Model: llm.Model{Provider: "anthropic", ID: "claude-haiku", ContextWindow: 1_050_000, Cost: llm.Price{Input: 0.25, Output: 1.25}}},
		{Model: llm.Model{Provider: "本地", ID: "通义千问", Name: "نموذج محلي", ContextWindow: 8192}, Note: "The server cuts the context at 4096 tokens."},
		{Model: llm.Model{Provider: "offline", ID: "guide", Name: "Guide", ContextWindow: 100_000}},
		{Model: llm.Model{Provider: "groq", ID: "llama", ContextWindow: 128_000, Cost: llm.Price{Input: 0.05, Output: 0.08}}, Err: &catalog.MissingKeyError{Model: llm.Model{Provider: "groq", ID: "llama"}, KeyEnv: "GROQ_API_KEY"}},
	}
}

// panelApp is an app with everything that panels can show. Commands that the
// panels return are run at once.
func panelApp(t testing.TB, width, height int) (*app, *fakeSession) {
	a := attachedApp(t, width, height, newFake().view)
	fake := newFake()
	fake.Session = &told{fake: fake, offers: offersFixture(), roots: branchesFixture(), leaf: "d"}
	fake.rules = []permission.Rule{
		{Tool: "bash", Pattern: "rm *", Action: permission.Deny, Source: permission.FromProject},
		{Tool: "bash", Pattern: "git status", Action: permission.Allow, Source: permission.FromSaved},
		{Tool: "edit", Pattern: "文档/**", Action: permission.Allow, Source: permission.FromSession},
		{Tool: "read", Pattern: "سري.txt", Action: permission.Ask, Source: permission.FromUser},
	}
	a.session = fake
	a.o.Sessions, a.o.Themes = savedFixture(fake), palette{}
	a.o.Save = func(_ context.Context, key string, value any) error {
		fake.note(fmt.Sprintf("save %s %v", key, value))
		return nil
	}
	a.view.Model.Levels, a.view.SteeringMode, a.view.FollowUpMode, a.view.InterruptMode = []string{"off", "low", "high"}, "one-at-a-time", "all", "wait"
	return a, fake
}

// sends types a line, runs what comes of it, and hands on what that brings.
func (a *app) sends(text string) {
	a.types(text)
	a.presses(tea.KeyPressMsg{Code: tea.KeyEnter})
}

func (a *app) presses(keys ...tea.KeyPressMsg) {
	for _, k := range keys {
		a.follow(a.update(k))
	}
}

func (a *app) follow(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case nil:
	case tea.BatchMsg:
		for _, c := range msg {
			a.follow(c)
		}
	default:
		a.follow(a.update(msg))
	}
}

func ctrl(r rune) tea.KeyPressMsg   { return tea.KeyPressMsg{Code: r, Mod: tea.ModCtrl} }
func code(r rune) tea.KeyPressMsg   { return tea.KeyPressMsg{Code: r} }
func letter(r rune) tea.KeyPressMsg { return tea.KeyPressMsg{Code: r, Text: string(r)} }

// E-5: every panel at four widths, in three scripts.
func TestPanels(t *testing.T) {
	down, enter := code(tea.KeyDown), code(tea.KeyEnter)
	for _, c := range []struct {
		name string
		open string
		keys []tea.KeyPressMsg
	}{
		{"models", "/model", nil},
		{"models-unavailable", "/models", []tea.KeyPressMsg{code(tea.KeyEnd), enter}},
		{"sessions", "/resume", []tea.KeyPressMsg{down}},
		{"sessions-all", "/resume", []tea.KeyPressMsg{ctrl('a'), down, down}},
		{"sessions-rename", "/resume", []tea.KeyPressMsg{down, ctrl('e'), letter('新')}},
		{"sessions-delete", "/resume", []tea.KeyPressMsg{down, ctrl('x')}},
		{"tree", "/tree", nil},
		{"tree-folded", "/tree", []tea.KeyPressMsg{code(tea.KeyUp), code(tea.KeyLeft)}},
		{"tree-all", "/tree", []tea.KeyPressMsg{ctrl('f'), ctrl('f'), ctrl('f')}},
		{"tree-label", "/tree", []tea.KeyPressMsg{ctrl('b'), letter('م')}},
		{"settings", "/settings", []tea.KeyPressMsg{down, down, down}},
		{"themes", "/theme", []tea.KeyPressMsg{down}},
		{"permissions", "/permissions", []tea.KeyPressMsg{down, down, down, down}},
	} {
		for _, width := range []int{20, 40, 80, 200} {
			t.Run(fmt.Sprintf("%s-%d", c.name, width), func(t *testing.T) {
				a, _ := panelApp(t, width, 20)
				a.sends(c.open)
				a.presses(c.keys...)
				if a.panel == nil {
					t.Fatal("no panel")
				}
				rows, cx, cy := a.panel.view(width, 18)
				if len(rows) > 18 || cx >= width || cy >= len(rows) {
					t.Errorf("%d rows, cursor at %d,%d", len(rows), cx, cy)
				}
				for _, row := range rows {
					if w := style.Width(row); w > width {
						t.Errorf("row of %d columns: %q", w, row)
					}
				}
				golden(t, filepath.Join("panels", fmt.Sprintf("%s-%d.txt", c.name, width)), ansi.Strip(strings.Join(rows, "\n"))+"\n")
			})
		}
	}
}

// What panels do when something is chosen.
func TestPanelActions(t *testing.T) {
	down, up, enter := code(tea.KeyDown), code(tea.KeyUp), code(tea.KeyEnter)
	for _, c := range []struct {
		name string
		open string
		keys []tea.KeyPressMsg
		did  string // what the session, the shelf or the settings were told
		gone bool   // the panel closes
	}{
		{"model", "/model", []tea.KeyPressMsg{letter('h'), letter('a'), letter('i'), enter}, "ran /model anthropic/claude-haiku", true},
		{"model by the beginning of the name", "/mod", []tea.KeyPressMsg{up, enter}, "ran /model 本地/通义千问", true},
		{"resume", "/sessions", []tea.KeyPressMsg{down, enter}, "ran /resume /s/y.jsonl", true},
		{"resume of another folder", "/resume", []tea.KeyPressMsg{ctrl('a'), letter('g'), letter('o'), enter}, "ran /resume /s/z.jsonl", true},
		{"rename", "/resume", []tea.KeyPressMsg{down, ctrl('e'), letter('n'), enter}, "rename /s/y.jsonl n", false},
		{"rename the open one", "/resume", []tea.KeyPressMsg{ctrl('e'), letter('n'), enter}, "rename today's workn", false},
		{"delete", "/resume", []tea.KeyPressMsg{down, ctrl('x'), letter('y')}, "delete /s/y.jsonl", false},
		{"go back", "/tree", []tea.KeyPressMsg{up, enter, letter('y')}, "move c false", true},
		{"go back with a summary", "/tree", []tea.KeyPressMsg{up, enter, letter('s')}, "move c true", true},
		{"go back with what matters", "/tree", []tea.KeyPressMsg{up, enter, letter('3'), letter('a'), enter}, "move c true a", true},
		{"label", "/tree", []tea.KeyPressMsg{ctrl('b'), letter('x'), enter}, "label d x", false},
		{"retry off, and kept", "/settings", []tea.KeyPressMsg{letter('r'), letter('e'), letter('t'), enter}, "save retry.enabled true", false},
		{"steering", "/settings", []tea.KeyPressMsg{letter('w'), letter('h'), letter('i'), letter('l'), enter}, "steering all", false},
		{"thinking, backwards", "/settings", []tea.KeyPressMsg{letter('t'), letter('h'), letter('i'), letter('n'), letter('k'), letter('i'), letter('n'), letter('g'), code(tea.KeyLeft)}, "thinking high", false},
		{"theme", "/theme", []tea.KeyPressMsg{down, enter}, "save theme زمردي", true},
		{"theme by way of the settings", "/settings", []tea.KeyPressMsg{enter, down, down, enter}, "save theme 水墨", false},
		{"rule", "/permissions", []tea.KeyPressMsg{letter('g'), letter('i'), letter('t'), ctrl('x')}, "remove bash(git status)", false},
		{"mode", "/permissions", []tea.KeyPressMsg{down, enter}, "ran /permissions edit", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, fake := panelApp(t, 80, 24)
			var ran slash.Command
			for _, name := range []string{"model", "resume", "tree", "permissions"} {
				ran = slash.Command{Name: name, Run: func(_ context.Context, c slash.Call) (slash.Result, error) {
					fake.note("ran /" + name + " " + c.Args)
					return slash.Result{Handled: true}, nil
				}}
				a.o.Commands = slash.New(append(a.o.Commands.Catalog(Caps)[:0:0], append(kept(a.o.Commands, name), ran)...)...)
			}
			a.sends(c.open)
			a.presses(c.keys...)
			if !fake.did(c.did)() {
				t.Errorf("no %q in %q", c.did, fake.calls)
			}
			if (a.panel == nil) != c.gone {
				t.Errorf("panel closed: %v", a.panel == nil)
			}
		})
	}
}

// A panel's name isn't taken for the command that has it as an alias, and is
// completed.
func TestPanelNames(t *testing.T) {
	a, _ := panelApp(t, 80, 24)
	run := func(context.Context, slash.Call) (slash.Result, error) { return slash.Result{Handled: true}, nil }
	a.catalog = a.withPanels([]slash.Command{
		{Name: "config", Aliases: []string{"settings"}, Run: run}, {Name: "model", Run: run}, {Name: "modest", Run: run},
	})
	options := a.slashOptions("/sett")
	if len(options) != 1 || options[0].text != "/settings" {
		t.Errorf("offers %+v", options)
	}
	for text, want := range map[string]bool{
		"/settings": true, "/SETT": true, "/model ": true, "/mod": false, "/model x": false, "/config": false, "/nothing": false, "//model": false, "model": false,
	} {
		if _, ok := a.panelFor(text); ok != want {
			t.Errorf("%s is a panel: %v", text, ok)
		}
	}
}

// kept are a registry's commands but one.
func kept(r *slash.Registry, but string) []slash.Command {
	return slices.DeleteFunc(r.Catalog(Caps), func(c slash.Command) bool { return c.Name == but })
}

// Nothing happens to what can't be chosen, to the session that is open, or
// after Esc.
func TestPanelRefusals(t *testing.T) {
	down, enter, esc := code(tea.KeyDown), code(tea.KeyEnter), code(tea.KeyEscape)
	for _, c := range []struct {
		name string
		open string
		keys []tea.KeyPressMsg
	}{
		{"a model without a key", "/model", []tea.KeyPressMsg{code(tea.KeyEnd), enter}},
		{"cancelled", "/model", []tea.KeyPressMsg{down, esc}},
		{"this session", "/resume", []tea.KeyPressMsg{enter}},
		{"delete this session", "/resume", []tea.KeyPressMsg{ctrl('x'), letter('y')}},
		{"delete, no", "/resume", []tea.KeyPressMsg{down, ctrl('x'), enter}},
		{"where the session is", "/tree", []tea.KeyPressMsg{enter}},
		{"a rule of the settings", "/permissions", []tea.KeyPressMsg{letter('r'), letter('e'), letter('a'), letter('d'), letter('('), ctrl('x')}},
		{"a rule", "/permissions", []tea.KeyPressMsg{code(tea.KeyEnd), enter}},
		{"not back after all", "/tree", []tea.KeyPressMsg{code(tea.KeyUp), enter, esc, esc}},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, fake := panelApp(t, 80, 24)
			a.sends(c.open)
			a.presses(c.keys...)
			if len(fake.calls) > 0 {
				t.Errorf("did %q", fake.calls)
			}
		})
	}
}

// A theme is tried on while it is selected, and taken off by Esc.
func TestThemePreview(t *testing.T) {
	a, _ := panelApp(t, 80, 24)
	a.sends("/theme")
	a.presses(code(tea.KeyDown))
	if a.o.Theme.Name != "زمردي" {
		t.Errorf("wears %q", a.o.Theme.Name)
	}
	a.presses(code(tea.KeyEscape))
	if a.o.Theme.Name != "hoopoe" || a.panel != nil {
		t.Errorf("wears %q", a.o.Theme.Name)
	}
}

// A question stands before what the user has opened, which is there again
// afterwards.
func TestQuestionBeforePanel(t *testing.T) {
	a, _ := panelApp(t, 80, 24)
	a.sends("/model")
	a.types("hai")
	a.happens(event.AskOpened{Question: event.Question{ID: "q", Kind: event.AskConfirm, Title: "Really?"}})
	a.types("zzz")
	if rows := screenText(a); !strings.Contains(rows, "Really?") || strings.Contains(rows, "Model:") {
		t.Errorf("the screen shows\n%s", rows)
	}
	a.happens(event.AskClosed{ID: "q", Answered: true})
	if rows := screenText(a); !strings.Contains(rows, "Model: hai") || strings.Contains(rows, "zzz") {
		t.Errorf("the screen shows\n%s", rows)
	}
}

func screenText(a *app) string {
	rows, _ := a.rows()
	return ansi.Strip(strings.Join(rows, "\n"))
}

// A tree of 10,000 entries: opened, drawn, and folded once.
func BenchmarkTreeOf10000(b *testing.B) {
	root := node("0", "", message.User, "the first message")
	at := root
	for i := 1; i < 10_000; i++ {
		next := node(fmt.Sprint(i), at.Entry.ID, message.Assistant, "a message of some length that fills a row")
		at.Children = append(at.Children, next)
		if i%7 > 0 {
			at = next
		}
	}
	a, fake := panelApp(b, 100, 40)
	fake.Session.(*told).roots = []*session.TreeNode{root}
	fake.Session.(*told).leaf = at.Entry.ID
	for b.Loop() {
		a.sends("/tree")
		a.View()
		a.presses(code(tea.KeyUp), code(tea.KeyLeft))
		a.View()
		a.presses(code(tea.KeyEscape))
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (run with -update if it should); got\n%s", path, got)
	}
}
