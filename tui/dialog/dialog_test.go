package dialog_test

import (
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/hoopoe-agent/hoopoe/themes"
	"github.com/hoopoe-agent/hoopoe/tui/dialog"
	"github.com/hoopoe-agent/hoopoe/tui/flow"
	"github.com/hoopoe-agent/hoopoe/tui/keymap"
	"github.com/hoopoe-agent/hoopoe/tui/style"
)

var update = flag.Bool("update", false, "write the golden files")

func styles(t testing.TB, color bool) style.Styles {
	t.Helper()
	theme, err := themes.Load(themes.Default)
	if err != nil {
		t.Fatal(err)
	}
	return style.New(theme, true, color)
}

// approval is the dialog for a tool call.
func approval(body func(int) []string) dialog.Spec {
	return english.approval(body)
}

func (w tongue) approval(body func(int) []string) dialog.Spec {
	return dialog.Spec{
		Title: w.call,
		Why:   "• " + w.part + ": no rule allows it",
		Body:  body,
		Choices: []dialog.Choice{
			{ID: "once", Label: "Yes, once"},
			{ID: "session", Label: "Yes, for this session"},
			{ID: "always", Label: "Yes, always", Detail: "saves the rule: " + w.rule},
			{ID: "no", Label: "No"},
			{ID: "reason", Label: "No, and tell the model why", Reason: "what should be done instead?"},
		},
		Cancel: "no",
	}
}

func keyOf(name string) tea.KeyPressMsg {
	special := map[string]tea.Key{
		"enter": {Code: tea.KeyEnter}, "esc": {Code: tea.KeyEscape}, "up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown},
		"pgdown": {Code: tea.KeyPgDown}, "pgup": {Code: tea.KeyPgUp}, "home": {Code: tea.KeyHome}, "end": {Code: tea.KeyEnd},
		"ctrl+c": {Code: 'c', Mod: tea.ModCtrl}, "ctrl+j": {Code: 'j', Mod: tea.ModCtrl},
	}
	if k, ok := special[name]; ok {
		return tea.KeyPressMsg(k)
	}
	return tea.KeyPressMsg{Code: rune(name[0]), Text: name}
}

func press(d *dialog.Dialog, names ...string) (dialog.Result, bool) {
	var res dialog.Result
	var done bool
	for _, name := range names {
		res, done = d.Update(keyOf(name))
	}
	return res, done
}

func TestAnswers(t *testing.T) {
	field := dialog.Spec{Title: "Name", Field: dialog.Field{Value: "ab"}}
	many := dialog.Spec{Title: "Text", Field: dialog.Field{Multiline: true}}
	for _, c := range []struct {
		name string
		spec dialog.Spec
		keys string
		want dialog.Result
		done bool
	}{
		{"enter takes the selected", approval(nil), "enter", dialog.Result{ID: "once"}, true},
		{"down and enter", approval(nil), "down down enter", dialog.Result{ID: "always"}, true},
		{"up stops at the first", approval(nil), "up enter", dialog.Result{ID: "once"}, true},
		{"number", approval(nil), "2", dialog.Result{ID: "session"}, true},
		{"esc is no", approval(nil), "esc", dialog.Result{ID: "no"}, true},
		{"ctrl+c is no", approval(nil), "ctrl+c", dialog.Result{ID: "no"}, true},
		{"other keys do nothing", approval(nil), "x 9 pgdown", dialog.Result{}, false},
		{"reason", approval(nil), "5 u s e enter", dialog.Result{ID: "reason", Text: "use"}, true},
		{"reason left empty", approval(nil), "5 enter", dialog.Result{ID: "reason"}, true},
		{"back from the reason", approval(nil), "5 x esc 1", dialog.Result{ID: "once"}, true},
		{"letter", dialog.Confirm("Sure?", ""), "y", dialog.Result{ID: "yes"}, true},
		{"letter no", dialog.Confirm("Sure?", ""), "n", dialog.Result{ID: "no"}, true},
		{"selected at first", dialog.Spec{Selected: 1, Choices: []dialog.Choice{{ID: "a"}, {ID: "b"}}}, "enter", dialog.Result{ID: "b"}, true},
		{"cancelled", dialog.Spec{Choices: []dialog.Choice{{ID: "a"}}}, "esc", dialog.Result{Cancelled: true}, true},
		{"input", field, "c enter", dialog.Result{Text: "abc"}, true},
		{"input of one line", field, "ctrl+j c enter", dialog.Result{Text: "ab c"}, true},
		{"input cancelled", field, "esc", dialog.Result{Cancelled: true}, true},
		{"input of many lines", many, "a ctrl+j b enter", dialog.Result{Text: "a\nb"}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := dialog.New(c.spec, styles(t, true))
			d.View(80, 24)
			if got, done := press(d, strings.Fields(c.keys)...); got != c.want || done != c.done {
				t.Errorf("got %+v, %v, want %+v, %v", got, done, c.want, c.done)
			}
		})
	}
}

// C-4: the user's keys hold in dialogs, and are named in the last row.
func TestUserKeys(t *testing.T) {
	keys, problems := keymap.New(map[string][]string{
		"selectDown": {"f5"}, "selectUp": {"f6"}, "selectConfirm": {"ctrl+y"}, "selectCancel": {"ctrl+g"}, "selectPageDown": {"f7"},
		"submit": {"ctrl+s"}, "deleteCharBackward": {"f8"},
	})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	f := func(n rune) tea.KeyPressMsg { return tea.KeyPressMsg{Code: tea.KeyF1 + n - 1} }
	ctrl := func(r rune) tea.KeyPressMsg { return tea.KeyPressMsg{Code: r, Mod: tea.ModCtrl} }
	field := dialog.Spec{Title: "Name", Field: dialog.Field{Value: "ab"}}
	secret := dialog.Spec{Title: "Key", Field: dialog.Field{Value: "ab", Secret: true}}
	for _, c := range []struct {
		name string
		spec dialog.Spec
		keys []tea.KeyPressMsg
		want dialog.Result
		done bool
	}{
		{"down, down, up", approval(nil), []tea.KeyPressMsg{f(5), f(5), f(6), ctrl('y')}, dialog.Result{ID: "session"}, true},
		{"the old keys", approval(nil), []tea.KeyPressMsg{keyOf("down"), keyOf("enter"), keyOf("esc")}, dialog.Result{}, false},
		{"j and k", approval(nil), []tea.KeyPressMsg{keyOf("j"), keyOf("j"), keyOf("k"), ctrl('y')}, dialog.Result{ID: "session"}, true},
		{"cancel", approval(nil), []tea.KeyPressMsg{ctrl('g')}, dialog.Result{ID: "no"}, true},
		{"always", approval(nil), []tea.KeyPressMsg{ctrl('c')}, dialog.Result{ID: "no"}, true},
		{"field", field, []tea.KeyPressMsg{f(8), keyOf("enter"), ctrl('s')}, dialog.Result{Text: "a"}, true},
		{"secret", secret, []tea.KeyPressMsg{f(8), ctrl('s')}, dialog.Result{Text: "a"}, true},
		{"not the old keys for a secret", secret, []tea.KeyPressMsg{keyOf("enter"), keyOf("esc")}, dialog.Result{}, false},
		{"secret cancelled", secret, []tea.KeyPressMsg{ctrl('g')}, dialog.Result{Cancelled: true}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.spec.Keys = keys
			d := dialog.New(c.spec, styles(t, false))
			d.View(80, 24)
			var got dialog.Result
			var done bool
			for _, k := range c.keys {
				if got, done = d.Update(k); done {
					break
				}
			}
			if got != c.want || done != c.done {
				t.Errorf("got %+v, %v, want %+v, %v", got, done, c.want, c.done)
			}
		})
	}
	spec := approval(nil)
	spec.Keys = keys
	if view := dialog.New(spec, styles(t, false)).View(80, 24); !strings.Contains(view, "F6/F5 and Ctrl+Y, or a number · Ctrl+G: No") {
		t.Errorf("the last row has other keys:\n%s", view)
	}
}

// A click selects, a second one takes; before the guard is over it does not.
func TestClick(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	spec := approval(dialog.Command("git push", styles(t, false), flow.Bidi{}))
	spec.Guard, spec.Now = time.Second, func() time.Time { return now }
	d := dialog.New(spec, styles(t, false))
	at := func(text string) int {
		t.Helper()
		for y, row := range strings.Split(d.View(60, 24), "\n") {
			if strings.Contains(row, text) {
				return y
			}
		}
		t.Fatalf("%q isn't shown", text)
		return 0
	}
	for _, text := range []string{"Run a command", "git push", "or a number", "saves the rule", "saves the rule"} {
		if res, done := d.Click(at(text)); done {
			t.Errorf("a click on %q gives %+v", text, res)
		}
	}
	at("› 3. Yes, always")
	now = now.Add(time.Hour)
	if res, done := d.Click(at("3. Yes, always")); !done || res.ID != "always" {
		t.Errorf("a click gives %+v, %v", res, done)
	}
	for _, row := range []int{-1, 1000} {
		if _, done := d.Click(row); done {
			t.Errorf("a click in row %d answers", row)
		}
	}
}

// A secret answers like any text and is never on the screen.
func TestSecret(t *testing.T) {
	d := dialog.New(dialog.Spec{Title: "Key", Field: dialog.Field{Secret: true, Placeholder: "sk-…"}}, styles(t, false))
	press(d, "a", "b", "c")
	d.Update(tea.KeyPressMsg{Code: tea.KeyBackspace})
	d.Paste("你\nx ")
	view := d.View(40, 10)
	if !strings.Contains(view, "› •••••\n") || strings.ContainsAny(view, "你") {
		t.Errorf("the screen shows\n%s", view)
	}
	if x, y := d.Cursor(); x != 7 || y != 1 {
		t.Errorf("cursor at %d,%d", x, y)
	}
	if got, done := press(d, "enter"); !done || got.Text != "ab你 x" {
		t.Errorf("got %+v, %v", got, done)
	}
}

// The time that is left is shown, to the second and never below none.
func TestCountdown(t *testing.T) {
	for left, want := range map[time.Duration]string{
		75 * time.Second: "1m15s left", 59 * time.Second: "59s left", 1: "1s left", 0: "0s left", -time.Hour: "0s left",
	} {
		now := time.Unix(1_000_000, 0)
		spec := dialog.Confirm("Go?", "")
		spec.Deadline, spec.Now = now.Add(left), func() time.Time { return now }
		if view := dialog.New(spec, styles(t, false)).View(60, 10); !strings.Contains(view, want) {
			t.Errorf("%v: no %q in\n%s", left, want, view)
		}
	}
}

// Keys typed ahead for the prompt do not approve anything.
func TestGuard(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	spec := approval(nil)
	spec.Guard, spec.Now = 300*time.Millisecond, func() time.Time { return now }
	d := dialog.New(spec, styles(t, true))
	if res, done := press(d, "1"); done {
		t.Fatalf("a number typed ahead gave %+v", res)
	}
	if res, done := press(d, "enter"); done {
		t.Fatalf("Enter typed ahead gave %+v", res)
	}
	now = now.Add(300 * time.Millisecond)
	if _, done := press(d, "enter"); !done {
		t.Error("Enter does nothing after the guard")
	}
}

// trimmed is a view without colours and without blanks at the ends of rows.
func trimmed(view string) string {
	rows := strings.Split(ansi.Strip(view), "\n")
	for i := range rows {
		rows[i] = strings.TrimRight(rows[i], " ")
	}
	return strings.Join(rows, "\n")
}

func inside(t *testing.T, d *dialog.Dialog, view string, width, height int) {
	t.Helper()
	rows := strings.Split(view, "\n")
	if len(rows) > height {
		t.Errorf("%d rows of %d:\n%s", len(rows), height, view)
	}
	for _, row := range rows {
		if w := style.Width(row); w > width {
			t.Errorf("row %q has %d columns of %d", row, w, width)
		}
	}
	if x, y := d.Cursor(); x >= width || y >= len(rows) {
		t.Errorf("cursor at %d,%d of %dx%d", x, y, width, len(rows))
	}
}

// The choices are always on the screen, and the whole diff can be reached.
func TestScrolling(t *testing.T) {
	s := styles(t, false)
	body := func(int) []string {
		var rows []string
		for i := range 100 {
			rows = append(rows, fmt.Sprintf("row %d", i))
		}
		return rows
	}
	d := dialog.New(approval(body), s)
	seen := map[string]bool{}
	for range 100 {
		view := d.View(60, 16)
		for _, label := range []string{"Yes, once", "Yes, for this session", "Yes, always", "5. No, and tell"} {
			if !strings.Contains(view, label) {
				t.Fatalf("%q is not on the screen:\n%s", label, view)
			}
		}
		for row := range strings.SplitSeq(view, "\n") {
			seen[row] = true
		}
		press(d, "pgdown")
	}
	for i := range 100 {
		if !seen[fmt.Sprintf("row %d", i)] {
			t.Errorf("row %d cannot be reached", i)
		}
	}
	press(d, "home")
	if view := d.View(60, 16); !strings.Contains(view, "no rule allows it") {
		t.Errorf("not at the start:\n%s", view)
	}
	d.Scroll(1000)
	if view := d.View(60, 16); !strings.Contains(view, "row 99") {
		t.Errorf("not at the end:\n%s", view)
	}
}

func TestSmallScreens(t *testing.T) {
	s := styles(t, true)
	for _, width := range []int{1, 2, 3, 7, 10} {
		for height := 1; height < 12; height++ {
			d := dialog.New(approval(dialog.Command("git push origin main", s, flow.Bidi{})), s)
			for range 5 {
				view := d.View(width, height)
				inside(t, d, view, width, height)
				if width > 3 && height >= 3 && !strings.Contains(ansi.Strip(view), "›") {
					t.Errorf("no selected choice at %dx%d:\n%s", width, height, view)
				}
				press(d, "down")
			}
			press(d, "enter")
			inside(t, d, d.View(width, height), width, height)
		}
	}
}

// What is asked about counts for more than details of answers that aren't
// selected.
func TestDetailsGiveWay(t *testing.T) {
	s := styles(t, true)
	d := dialog.New(approval(dialog.Command(strings.Repeat("a line\n", 20), s, flow.Bidi{})), s)
	press(d, "up", "up", "up")
	view := ansi.Strip(d.View(40, 11))
	if strings.Contains(view, "saves the rule") || strings.Count(view, "a line") == 0 {
		t.Errorf("details of others, or nothing of the text, in\n%s", view)
	}
	press(d, "down", "down")
	if view := ansi.Strip(d.View(40, 11)); !strings.Contains(view, "saves the rule") {
		t.Errorf("no details of the selected answer in\n%s", view)
	}
}

// E-5: no field of a dialog reaches the terminal unfiltered.
func TestHostile(t *testing.T) {
	const bad = "a\x1b]52;c;aGk=\x07b\u009b2J\u202ec\rd"
	d := dialog.New(dialog.Spec{
		Title: bad, Why: bad, Body: dialog.Command(bad, styles(t, false), flow.Bidi{}),
		Choices: []dialog.Choice{{ID: "x", Label: bad, Detail: bad, Reason: bad}},
	}, styles(t, false))
	for _, key := range []string{"down", "enter"} {
		view := d.View(80, 30)
		if strings.ContainsAny(view, "\a\r\u202e\u009b") || strings.Contains(view, "\x1b]") || strings.Contains(view, "\x1b[2J") {
			t.Errorf("controls in %q", view)
		}
		press(d, key)
	}
	rows := dialog.Command("rm\x1b[2K \u202e x", styles(t, false), flow.Bidi{})(80)
	if got := strings.Join(rows, "\n"); got != `rm␛[2K \u202e x` {
		t.Errorf("command shown as %q", got)
	}
}
