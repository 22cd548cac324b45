package keymap_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/hoopoe-agent/hoopoe/tui/keymap"
)

var update = flag.Bool("update", false, "write the golden files anew")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(name, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not what the table says; run go test ./tui/keymap -update and read the diff", name)
	}
}

// entries are the rows of the map without a user's keys.
func entries(t *testing.T) []keymap.Entry {
	t.Helper()
	m := keymap.Default()
	var rows []keymap.Entry
	for _, name := range keymap.Names() {
		e, ok := m.Entry(name)
		if !ok {
			t.Fatalf("no row for %s", name)
		}
		rows = append(rows, e)
	}
	return rows
}

// C-4: the table holds together: every key is canonical, means one thing, and
// has a twin if it needs Alt.
func TestTable(t *testing.T) {
	names := map[string]keymap.Action{}
	holders := map[string][]keymap.Entry{}
	for _, e := range entries(t) {
		for _, n := range append(e.Aliases, string(e.Action)) {
			n = strings.ToLower(n)
			if other, twice := names[n]; twice {
				t.Errorf("%s is a name of %s and %s", n, other, e.Action)
			}
			names[n] = e.Action
		}
		if e.Text == "" || e.Section == "" {
			t.Errorf("%s says nothing in the help", e.Action)
		}
		if n := len(e.Text) + len(e.When); n > 50 || len(e.Section) > 20 {
			t.Errorf("%s: %q has %d characters and is cut in the help at 80 columns", e.Action, e.Text, n)
		}
		alt, twin := false, false
		for _, k := range e.Keys {
			if got, err := keymap.Parse(k); err != nil || got != k {
				t.Errorf("%s: %q is not canonical: %q, %v", e.Action, k, got, err)
			}
			for _, other := range holders[k] {
				prompt := func(c keymap.Context) bool {
					return c == keymap.Global || c == keymap.Chat || c == keymap.Editor
				}
				if other.When == "" && e.When == "" && (other.In == e.In || prompt(other.In) && prompt(e.In)) {
					t.Errorf("%s means %s and %s", k, other.Action, e.Action)
				}
			}
			holders[k] = append(holders[k], e)
			isAlt := strings.Contains(k, "alt+")
			alt, twin = alt || isAlt, twin || !isAlt
		}
		if alt && !twin {
			t.Errorf("%s has keys with Alt only: %v", e.Action, e.Keys)
		}
	}
}

func TestParse(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"ctrl+p", "ctrl+p"}, {"Ctrl+P", "ctrl+p"}, {"shift+CTRL+p", "ctrl+shift+p"}, {"alt+ctrl+]", "ctrl+alt+]"},
		{"escape", "esc"}, {"Return", "enter"}, {"pageUp", "pgup"}, {"PageDown", "pgdown"}, {"Del", "delete"},
		{"option+left", "alt+left"}, {"cmd+k", "super+k"}, {"control+a", "ctrl+a"}, {"F12", "f12"}, {"space", "space"},
		{"ctrl+shift+-", "ctrl+_"}, {"ctrl+_", "ctrl+_"}, {"shift+/", "?"}, {"shift+?", "?"}, {"alt+shift+,", "alt+<"},
		{"ctrl++", "ctrl++"}, {"+", "+"}, {"ctrl+plus", "ctrl++"}, {"ctrl+minus", "ctrl+-"}, {"ctrl+я", "ctrl+я"},
		{"super+shift+enter", "shift+super+enter"}, {"?", "?"}, {"shift+a", "shift+a"},
	} {
		if got, err := keymap.Parse(c.in); err != nil || got != c.want {
			t.Errorf("Parse(%q) = %q, %v, want %q", c.in, got, err, c.want)
		}
	}
	for _, in := range []string{"", " ", "ctrl+", "hyperspace+x", "f0", "f99", "f1x", "ctrl+\x1b", "ctrl+ab", "ctrl+\u202e"} {
		if got, err := keymap.Parse(in); err == nil {
			t.Errorf("Parse(%q) = %q, want an error", in, got)
		}
	}
}

// What old and new keyboard protocols send for one key is one stroke, also
// with the keyboards of other scripts.
func TestStroke(t *testing.T) {
	for _, c := range []struct {
		name string
		key  tea.Key
		want string
	}{
		{"letter", tea.Key{Code: 'a', Text: "a"}, "a"},
		{"ctrl", tea.Key{Code: 'p', Mod: tea.ModCtrl}, "ctrl+p"},
		{"caps lock is no matter", tea.Key{Code: 'p', Mod: tea.ModCtrl | tea.ModCapsLock}, "ctrl+p"},
		{"undo, old protocol", tea.Key{Code: '_', Mod: tea.ModCtrl}, "ctrl+_"},
		{"undo, new protocol", tea.Key{Code: '-', ShiftedCode: '_', Mod: tea.ModCtrl | tea.ModShift}, "ctrl+_"},
		{"undo, no shifted code", tea.Key{Code: '-', Mod: tea.ModCtrl | tea.ModShift}, "ctrl+_"},
		{"a German slash", tea.Key{Code: '7', ShiftedCode: '/', Mod: tea.ModCtrl | tea.ModShift}, "ctrl+/"},
		{"alt <, old", tea.Key{Code: '<', Mod: tea.ModAlt}, "alt+<"},
		{"alt <, new", tea.Key{Code: ',', Mod: tea.ModAlt | tea.ModShift}, "alt+<"},
		{"capital, old", tea.Key{Code: 'P', Mod: tea.ModAlt}, "alt+shift+p"},
		{"capital, new", tea.Key{Code: 'p', ShiftedCode: 'P', Mod: tea.ModAlt | tea.ModShift}, "alt+shift+p"},
		{"Cyrillic", tea.Key{Code: 'с', BaseCode: 'c', Mod: tea.ModCtrl}, "ctrl+c"},
		{"Arabic", tea.Key{Code: 'ق', BaseCode: 'r', Mod: tea.ModCtrl}, "ctrl+r"},
		{"French a is where q is", tea.Key{Code: 'a', BaseCode: 'q', Mod: tea.ModCtrl}, "ctrl+a"},
		{"keypad", tea.Key{Code: tea.KeyKpEnter}, "enter"},
		{"arrow", tea.Key{Code: tea.KeyUp, Mod: tea.ModShift}, "shift+up"},
		{"page", tea.Key{Code: tea.KeyPgDown}, "pgdown"},
		{"escape", tea.Key{Code: tea.KeyEscape}, "esc"},
		{"question mark", tea.Key{Code: '?', Text: "?"}, "?"},
		{"question mark, new", tea.Key{Code: '/', ShiftedCode: '?', Text: "?", Mod: tea.ModShift}, "?"},
		{"several characters", tea.Key{Code: tea.KeyExtended, Text: "你好"}, "你好"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := keymap.Stroke(tea.KeyPressMsg(c.key))
			if got != c.want {
				t.Errorf("Stroke = %q, want %q", got, c.want)
			}
			if again, err := keymap.Parse(got); len(got) < 20 && c.key.Code != tea.KeyExtended && (err != nil || again != got) {
				t.Errorf("Parse(%q) = %q, %v", got, again, err)
			}
		})
	}
}

func TestLabel(t *testing.T) {
	for in, want := range map[string]string{
		"ctrl+p": "Ctrl+P", "ctrl+shift+home": "Ctrl+Shift+Home", "pgdown": "PgDn", "f2": "F2", "?": "?", "ctrl+_": "Ctrl+_", "esc": "Esc",
	} {
		if got := keymap.Label(in); got != want {
			t.Errorf("Label(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestActions(t *testing.T) {
	m := keymap.Default()
	for _, c := range []struct {
		stroke string
		in     []keymap.Context
		want   []keymap.Action
	}{
		{"ctrl+d", []keymap.Context{keymap.Chat, keymap.Editor}, []keymap.Action{keymap.Exit, keymap.DeleteCharForward}},
		{"up", []keymap.Context{keymap.Popup, keymap.List, keymap.Chat, keymap.Editor}, []keymap.Action{keymap.SelectUp, keymap.CursorUp}},
		{"tab", []keymap.Context{keymap.Chat}, []keymap.Action{keymap.FollowUp}},
		{"tab", []keymap.Context{keymap.Popup, keymap.Chat}, []keymap.Action{keymap.Complete, keymap.FollowUp}},
		{"ctrl+o", []keymap.Context{keymap.Editor}, nil},
	} {
		if got := m.Actions(c.stroke, c.in...); !slices.Equal(got, c.want) {
			t.Errorf("%s in %v: %v, want %v", c.stroke, c.in, got, c.want)
		}
	}
	if got := m.Action("ctrl+r", keymap.Global, keymap.Chat); got != keymap.HistorySearch {
		t.Errorf("ctrl+r: %q", got)
	}
	if got := m.Key(keymap.ExpandTools); got != "Ctrl+O" {
		t.Errorf("Key: %q", got)
	}
	if got := m.Key("tree"); got != "" {
		t.Errorf("the tree has a key: %q", got)
	}
	if got := m.Command("selectModel"); got != "/model" {
		t.Errorf("Command: %q", got)
	}
}

func TestUserKeys(t *testing.T) {
	keys := func(k ...string) []string { return k }
	for _, c := range []struct {
		name     string
		user     map[string][]string
		want     map[keymap.Action][]string // what these actions have then
		problems []string                   // each is in one problem
	}{
		{name: "several keys", user: map[string][]string{"cursorLeft": keys("left", "Ctrl+S")},
			want: map[keymap.Action][]string{keymap.CursorLeft: keys("left", "ctrl+s")}},
		{name: "unbind", user: map[string][]string{"suspend": nil},
			want: map[keymap.Action][]string{keymap.Suspend: {}}},
		{name: "pi's new names", user: map[string][]string{"tui.editor.deleteWordBackward": keys("ctrl+w"), "app.interrupt": keys("escape")},
			want: map[keymap.Action][]string{keymap.DeleteWordBackward: keys("ctrl+w"), keymap.Interrupt: keys("esc")},
			// Ctrl+W had a meaning of its own.
			problems: []string{"deleteBlankWordBackward: it has no key any more, since Ctrl+W now means deleteWordBackward"}},
		{name: "any case", user: map[string][]string{"CURSORUP": keys("up", "ctrl+s")},
			want: map[keymap.Action][]string{keymap.CursorUp: keys("up", "ctrl+s")}},
		{name: "a default gives way", user: map[string][]string{"cursorUp": keys("up", "ctrl+p"), "cycleModelForward": keys("f5")},
			want: map[keymap.Action][]string{keymap.CursorUp: keys("up", "ctrl+p"), keymap.CycleModel: keys("f5"), keymap.SelectUp: keys("up", "ctrl+p", "shift+tab")}},
		{name: "enter begins a line", user: map[string][]string{"newLine": keys("enter"), "submit": keys("ctrl+enter")},
			want: map[keymap.Action][]string{keymap.NewLine: keys("enter"), keymap.Submit: keys("ctrl+enter")}},
		{name: "nothing sends any more", user: map[string][]string{"newLine": keys("enter")},
			want:     map[keymap.Action][]string{keymap.NewLine: keys("enter"), keymap.Submit: {}},
			problems: []string{"submit: it has no key any more, since Enter now means newLine"}},
		{name: "a condition shares", user: map[string][]string{"deleteCharForward": keys("delete", "ctrl+d")},
			want: map[keymap.Action][]string{keymap.DeleteCharForward: keys("delete", "ctrl+d"), keymap.Exit: keys("ctrl+d")}},
		{name: "lists share", user: map[string][]string{"selectCancel": keys("escape", "ctrl+c")},
			want: map[keymap.Action][]string{keymap.SelectCancel: keys("esc", "ctrl+c"), keymap.Clear: keys("ctrl+c"), keymap.Interrupt: keys("esc")}},
		{name: "a list's own key gives way", user: map[string][]string{"selectUp": keys("ctrl+e"), "app.session.delete": keys("ctrl+k")},
			want:     map[keymap.Action][]string{keymap.SelectUp: keys("ctrl+e"), keymap.RenameSession: {}, keymap.DeleteSession: keys("ctrl+k"), keymap.RemoveRule: keys("ctrl+x")},
			problems: []string{"renameSession: it has no key any more, since Ctrl+E now means selectUp"}},
		{name: "two lists, one key", user: map[string][]string{"foldBranch": keys("f9"), "previousValue": keys("f9")},
			want: map[keymap.Action][]string{keymap.FoldBranch: keys("f9"), keymap.PreviousValue: keys("f9")}},
		{name: "unknown action", user: map[string][]string{"cursrUp": keys("up"), "frobnicate": keys("f8")},
			problems: []string{"cursrUp: there is no such action; did you mean cursorUp?", "frobnicate: there is no such action"}},
		{name: "only in pi", user: map[string][]string{"app.tree.filter.noTools": keys("shift+l"), "$schema": keys("x")}},
		{name: "bad key", user: map[string][]string{"undo": keys("ctrl+nope", "f8"), "redo": keys("strg+z")},
			want:     map[keymap.Action][]string{keymap.Undo: keys("f8"), keymap.Redo: keys("alt+-", "ctrl+^", "ctrl+shift+z", "shift+super+z")},
			problems: []string{`undo: "ctrl+nope"`, `redo: "strg+z": "strg" is no modifier`}},
		{name: "a letter types itself", user: map[string][]string{"undo": keys("u"), "hotkeys": keys("h")},
			want:     map[keymap.Action][]string{keymap.Undo: keys("ctrl+_", "ctrl+-", "ctrl+/", "super+z"), keymap.Hotkeys: keys("h")},
			problems: []string{`undo: "u" types a character`}},
		{name: "conflict", user: map[string][]string{"cursorUp": keys("ctrl+p"), "cycleModelForward": keys("ctrl+p")},
			want:     map[keymap.Action][]string{keymap.CursorUp: keys("ctrl+p"), keymap.CycleModel: {}},
			problems: []string{"cycleModelForward: Ctrl+P is bound to cursorUp too, which keeps it"}},
		{name: "two names", user: map[string][]string{"cursorUp": keys("up"), "tui.editor.cursorUp": keys("f8")},
			want:     map[keymap.Action][]string{keymap.CursorUp: keys("up")},
			problems: []string{"tui.editor.cursorUp: this is another name of cursorUp"}},
		{name: "a command", user: map[string][]string{"/review src": keys("f9")},
			want: map[keymap.Action][]string{"/review src": keys("f9")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, problems := keymap.New(c.user)
			for a, want := range c.want {
				if e, ok := m.Entry(a); !ok || !slices.Equal(e.Keys, want) {
					t.Errorf("%s has %v, want %v", a, e.Keys, want)
				}
			}
			if len(problems) != len(c.problems) {
				t.Errorf("problems: %v", problems)
			}
			for _, want := range c.problems {
				if !slices.ContainsFunc(problems, func(p keymap.Problem) bool { return strings.HasPrefix(p.Error(), want) }) {
					t.Errorf("no problem %q in %v", want, problems)
				}
			}
		})
	}
	m, _ := keymap.New(map[string][]string{"/review src": keys("f9")})
	if a := m.Action("f9", keymap.Chat); m.Command(a) != "/review src" {
		t.Errorf("F9 means %q", a)
	}
}

// Files that were made for pi, of either age, have no name that isn't known.
func TestPiNames(t *testing.T) {
	user := map[string][]string{}
	for _, name := range strings.Fields(`
		cursorUp cursorDown cursorLeft cursorRight cursorWordLeft cursorWordRight cursorLineStart cursorLineEnd jumpForward
		jumpBackward pageUp pageDown deleteCharBackward deleteCharForward deleteWordBackward deleteWordForward
		deleteToLineStart deleteToLineEnd newLine submit tab yank yankPop undo copy pasteImage interrupt clear exit suspend
		externalEditor newSession tree fork resume selectModel cycleModelForward cycleModelBackward cycleThinkingLevel
		expandTools toggleThinking followUp dequeue selectUp selectDown selectPageUp selectPageDown selectConfirm selectCancel
		toggleSessionPath toggleSessionSort toggleSessionNamedFilter renameSession deleteSession deleteSessionNoninvasive`) {
		user[name] = nil
	}
	for _, names := range []map[string][]string{user, {
		"tui.editor.cursorUp": nil, "tui.editor.cursorWordLeft": nil, "tui.editor.jumpBackward": nil, "tui.editor.pageUp": nil,
		"tui.editor.deleteToLineEnd": nil, "tui.editor.yankPop": nil, "tui.editor.undo": nil, "tui.input.newLine": nil,
		"tui.input.submit": nil, "tui.input.tab": nil, "tui.input.copy": nil, "tui.select.confirm": nil, "tui.select.cancel": nil,
		"app.interrupt": nil, "app.clear": nil, "app.exit": nil, "app.suspend": nil, "app.thinking.cycle": nil,
		"app.thinking.toggle": nil, "app.model.cycleForward": nil, "app.model.cycleBackward": nil, "app.model.select": nil,
		"app.tools.expand": nil, "app.editor.external": nil, "app.message.copy": nil, "app.message.followUp": nil,
		"app.message.dequeue": nil, "app.clipboard.pasteImage": nil, "app.session.new": nil, "app.session.tree": nil,
		"app.session.fork": nil, "app.session.resume": nil, "app.session.rename": nil, "app.tree.foldOrUp": nil, "app.models.save": nil,
	}} {
		if _, problems := keymap.New(names); len(problems) > 0 {
			t.Errorf("%v", problems)
		}
	}
}

func TestPair(t *testing.T) {
	m, _ := keymap.New(map[string][]string{"selectDown": {"f5"}, "foldBranch": {}, "selectPageUp": {"ctrl+/"}})
	for _, c := range []struct {
		m        *keymap.Map
		one, two keymap.Action
		want     string
	}{
		{keymap.Default(), keymap.SelectUp, keymap.SelectDown, "↑/↓"},
		{keymap.Default(), keymap.SelectPageUp, keymap.SelectPageDown, "PgUp/PgDn"},
		{keymap.Default(), keymap.TextUp, keymap.TextDown, "Shift+↑/↓"},
		{keymap.Default(), keymap.FoldBranch, keymap.UnfoldBranch, "←/→"},
		{m, keymap.SelectUp, keymap.SelectDown, "↑/F5"},
		{m, keymap.FoldBranch, keymap.UnfoldBranch, "→"},
		{m, keymap.SelectPageUp, keymap.SelectPageDown, "Ctrl+//PgDn"},
	} {
		if got := c.m.Pair(c.one, c.two); got != c.want {
			t.Errorf("%s and %s are %q, want %q", c.one, c.two, got, c.want)
		}
	}
}

// The defaults are never changed by what another map was given.
func TestMapsAreApart(t *testing.T) {
	keymap.New(map[string][]string{"newLine": {"enter"}, "cursorUp": {"ctrl+p"}})
	if got := keymap.Default().Action("enter", keymap.Editor); got != keymap.Submit {
		t.Errorf("enter means %q", got)
	}
}

func TestHelp(t *testing.T) {
	m, _ := keymap.New(map[string][]string{"suspend": {}, "/review": {"f9"}})
	var b strings.Builder
	for _, s := range m.Help() {
		b.WriteString(s.Title + "\n")
		for _, r := range s.Rows {
			b.WriteString("\t" + r.Keys + "\t" + r.Text + "\n")
		}
	}
	if strings.Contains(b.String(), "Ctrl+Z\t") {
		t.Error("an action without keys is in the help")
	}
	golden(t, "testdata/help.golden", []byte(b.String()))
}

// The schema follows the table.
func TestSchema(t *testing.T) {
	type object = map[string]any
	properties := object{"$schema": object{"type": "string"}}
	for _, e := range entries(t) {
		text := e.Text + " (" + string(e.In) + ")"
		properties[string(e.Action)] = object{
			"$ref": "#/$defs/keys", "description": text, "default": append([]string{}, e.Keys...),
		}
		for _, alias := range e.Aliases {
			properties[alias] = object{"$ref": "#/$defs/keys", "description": "another name of " + string(e.Action)}
		}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(object{
		"$schema":     "https://json-schema.org/draft/2020-12/schema",
		"title":       "Hoopoe key bindings",
		"description": "Keys for actions of the chat. An action that is left out keeps its default keys; [] leaves it without any.",
		"type":        "object", "additionalProperties": false, "properties": properties,
		"patternProperties": object{"^/.": object{"$ref": "#/$defs/keys", "description": "runs this slash command"}},
		"$defs": object{
			"key":  object{"type": "string", "minLength": 1, "description": "modifiers ctrl, alt, shift, super and a key, joined by +", "examples": []string{"ctrl+p", "alt+left", "f5", "shift+enter"}},
			"keys": object{"anyOf": []object{{"$ref": "#/$defs/key"}, {"type": "array", "items": object{"$ref": "#/$defs/key"}}}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "schema.json", b.Bytes())
	if !*update && !bytes.Equal(keymap.Schema(), b.Bytes()) {
		t.Error("the embedded schema is another")
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"ctrl+p", "ctrl++", "shift+-", "F12", "cmd+ü", "alt+shift+<", "+++", "shift+_"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		key, err := keymap.Parse(s)
		if err != nil {
			return
		}
		if again, err := keymap.Parse(key); err != nil || again != key {
			t.Errorf("Parse(%q) = %q, and of that %q, %v", s, key, again, err)
		}
		if keymap.Label(key) == "" {
			t.Errorf("no label for %q", key)
		}
	})
}
