package tui

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/session"
	"github.com/hoopoe-agent/hoopoe/slash"
	"github.com/hoopoe-agent/hoopoe/tui/terminal"
)

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

// panelScenes are the panels as they are opened, and what is done in them.
func panelScenes() []struct {
	name string
	play func(a *app, w tongue)
} {
	down, up, enter, end := code(tea.KeyDown), code(tea.KeyUp), code(tea.KeyEnter), code(tea.KeyEnd)
	opened := func(command string, keys ...tea.KeyPressMsg) func(*app, tongue) {
		return func(a *app, _ tongue) { a.sends(command); a.presses(keys...) }
	}
	typed := func(command string, text func(w tongue) string, keys ...tea.KeyPressMsg) func(*app, tongue) {
		return func(a *app, w tongue) { opened(command, keys...)(a, w); a.types(text(w)) }
	}
	return []struct {
		name string
		play func(a *app, w tongue)
	}{
		{"models", opened("/model", up)},
		{"models-unavailable", opened("/models", end, enter)},
		{"sessions", opened("/resume", down)},
		{"sessions-all", opened("/resume", ctrl('a'), down, down)},
		{"sessions-found", typed("/resume", func(w tongue) string { return w.found })},
		{"sessions-rename", typed("/resume", func(w tongue) string { return w.named }, down, ctrl('e'))},
		{"sessions-delete", opened("/resume", down, ctrl('x'))},
		{"tree", opened("/tree")},
		{"tree-folded", opened("/tree", up, code(tea.KeyLeft))},
		{"tree-all", opened("/tree", ctrl('f'), ctrl('f'), ctrl('f'))},
		{"tree-label", typed("/tree", func(w tongue) string { return w.label }, ctrl('b'))},
		{"tree-go-on", opened("/tree", up, enter)},
		{"tree-focus", typed("/tree", func(w tongue) string { return w.queued }, up, enter, letter('3'))},
		{"settings", opened("/settings", down, down, down)},
		{"settings-files", opened("/settings", end)},
		{"themes", opened("/theme", down)},
		{"permissions", opened("/permissions", down, down, down, down)},
		{"history", func(a *app, w tongue) {
			a.editor.SetHistory(w.said[:])
			a.presses(ctrl('r'))
		}},
		{"trust", func(a *app, w tongue) { a.askTrust([]string{".hoopoe/settings.json", w.path, ".mcp.json"}) }},
		{"keys", opened("/hotkeys", code(tea.KeyPgDown))},
		{"doctor", func(a *app, _ tongue) {
			a.doctored(doctoredMsg{found: terminal.Guess([]string{"TERM=tmux-256color", "TMUX=/tmp/tmux/default,1,0"})})
		}},
	}
}

// E-5: every panel at four widths, in each language.
func TestPanels(t *testing.T) {
	for _, scene := range panelScenes() {
		t.Run(scene.name, func(t *testing.T) {
			var b strings.Builder
			for _, w := range everyTongue(mixed) {
				if own := []string{"settings", "keys", "doctor"}; w.name != "english" && slices.Contains(own, scene.name) {
					continue // nothing in them is the user's
				}
				for _, width := range []int{20, 40, 80, 200} {
					a, _ := w.panelApp(t, width, 20)
					a.orders(w.bidi)
					scene.play(a, w.tongue)
					if a.panel == nil {
						t.Fatal("no panel")
					}
					rows, cx, cy := a.panel.view(width, 18, a.look.Bidi)
					if len(rows) > 18 || cx >= width || cy >= len(rows) {
						t.Errorf("%s at %d: %d rows, cursor at %d,%d", w.name, width, len(rows), cx, cy)
					}
					inWindow(t, w.name, rows, width)
					fmt.Fprintf(&b, "== %s, %d columns\n%s\n\n", w.name, width, trimmed(rows))
				}
			}
			golden(t, filepath.Join("panels", scene.name+".golden"), b.String())
		})
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
		{"a switch of the files", "/settings", []tea.KeyPressMsg{letter('t'), letter('o'), letter('d'), letter('o'), code(tea.KeyRight)}, "save todo.enabled false", false},
		{"the mouse", "/settings", []tea.KeyPressMsg{letter('m'), letter('o'), letter('u'), enter}, "save tui.mouse false", false},
		{"vim", "/settings", []tea.KeyPressMsg{letter('v'), letter('i'), letter('m'), code(tea.KeyLeft)}, "save tui.vim true", false},
		{"steering", "/settings", []tea.KeyPressMsg{letter('w'), letter('h'), letter('i'), letter('l'), enter, down, enter}, "steering all", false},
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
		{"a setting that only the file has", "/settings", []tea.KeyPressMsg{code(tea.KeyEnd), enter}},
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

// Case 31: what the terminal tells of itself holds for what is open, too.
func TestOpenPanelsTakeTheOrder(t *testing.T) {
	arabic := everyTongue()[2].tongue
	for name, open := range map[string]func(a *app){
		"list":   func(a *app) { a.sends("/resume") },
		"dialog": func(a *app) { a.sends("/resume"); a.presses(code(tea.KeyDown), ctrl('x')) },
		"field":  func(a *app) { a.sends("/resume"); a.presses(ctrl('e')) },
		"search": func(a *app) { a.openSearch(); a.types(arabic.named) },
	} {
		t.Run(name, func(t *testing.T) {
			a, _ := arabic.panelApp(t, 80, 24)
			open(a)
			a.know(terminal.Profile{Bidi: terminal.Yes})
			before := screenText(a)
			a.know(terminal.Profile{Bidi: terminal.No})
			if after := screenText(a); after == before || !strings.Contains(after, "ةديدجلا ءامسألا") && !strings.Contains(after, "رابتخالا") {
				t.Errorf("the screen shows\n%s\nand showed\n%s", after, before)
			}
			a.know(terminal.Profile{Bidi: terminal.Yes})
			if after := screenText(a); after != before {
				t.Errorf("the screen shows\n%s\nand showed\n%s", after, before)
			}
		})
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
	if rows := screenText(a); !strings.Contains(rows, "Really?") || strings.Contains(rows, "── Model ") {
		t.Errorf("the screen shows\n%s", rows)
	}
	a.happens(event.AskClosed{ID: "q", Answered: true})
	if rows := screenText(a); !strings.Contains(rows, "── Model ") || !strings.Contains(rows, "› hai") || strings.Contains(rows, "zzz") {
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

// trimmed are rows without colours and without blanks at their ends.
func trimmed(rows []string) string {
	out := make([]string, len(rows))
	for i, row := range rows {
		out[i] = strings.TrimRight(ansi.Strip(row), " ")
	}
	return strings.Join(out, "\n")
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
