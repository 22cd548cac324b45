package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/hoopoe-agent/hoopoe/themes"
	"github.com/hoopoe-agent/hoopoe/tui/keymap"
	"github.com/hoopoe-agent/hoopoe/tui/picker"
	"github.com/hoopoe-agent/hoopoe/tui/style"
)

// Themes are the themes to choose from.
type Themes interface {
	Names() []string
	Find(name string) (themes.Theme, error)
}

// openThemes lets the user choose the colours. The one that is selected is
// tried on at once.
func (a *app) openThemes() tea.Cmd { return a.chooseTheme(nil) }

// themesFromSettings goes back to the settings afterwards.
func (a *app) themesFromSettings() tea.Cmd { return a.chooseTheme(a.panel) }

func (a *app) chooseTheme(back panel) tea.Cmd {
	before := a.o.Theme
	names := a.o.Themes.Names()
	items := make([]picker.Item, len(names))
	for i, name := range names {
		items[i] = picker.Item{ID: name, Title: name, Current: name == before.Name}
	}
	p := &listPanel{}
	p.picker = picker.New(picker.Options{
		Title: "Theme", Styles: a.look.Styles, Keys: a.o.Keys, Sample: sampleRows,
		Hint: keysFor(a.o.Keys, hint{keymap.SelectConfirm, "keeps it"}, hint{keymap.SelectCancel, "goes back to " + before.Name}),
	}, items)
	p.picker.Select(before.Name)
	p.moved = func(it picker.Item) { a.tryOn(it.ID) }
	p.done = func(r picker.Result) (tea.Cmd, bool) {
		a.panel = back
		if r.Cancelled {
			a.wear(before)
			return nil, true
		}
		a.tryOn(r.Item.ID)
		if a.o.Save == nil {
			return nil, true
		}
		return a.do("save the theme", func(ctx context.Context) error { return a.o.Save(ctx, "theme", r.Item.ID) }), true
	}
	a.panel = p
	return nil
}

// tryOn shows a theme; one that can't be read leaves what there is.
func (a *app) tryOn(name string) {
	t, err := a.o.Themes.Find(name)
	if err != nil {
		a.hint = err.Error()
		return
	}
	a.wear(t)
}

func (a *app) wear(t themes.Theme) {
	a.o.Theme = t
	a.restyle()
}

// sampleRows show what a theme's colours are for.
func sampleRows(s style.Styles, width int) []string {
	rows := []string{
		s.User.With(s.Bold).Render("›") + " " + s.Bold.Render("A prompt") + "   " + s.Text.Render("an answer, ") + s.Code.Render("code") + s.Text.Render(", ") + s.Link.Render("a link"),
		s.Tool.Render("● Edit main.go") + "  " + s.Muted.Render("12 lines") + "  " + s.Success.Render("✓ done") + "  " + s.Warning.Render("! careful") + "  " + s.Error.Render("✗ failed"),
		s.Removed.Render("- what was ") + " " + s.Added.Render("+ what is "),
		s.Selected.Render("› selected") + "  " + s.Accent.Render("accent") + "  " + s.Thinking.Render("thinking") + "  " + s.ModeAsk.Render("ask") + " " + s.ModeEdit.Render("edit") + " " + s.ModeFull.Render("full") + " " + s.ModePlan.Render("plan"),
	}
	for i := range rows {
		rows[i] = style.Cut(rows[i], width)
	}
	return rows
}

// setDark follows the terminal's background.
func (a *app) setDark(dark bool) {
	if dark != a.dark {
		a.dark = dark
		a.restyle()
	}
}

// paints reports whether the theme has a background of its own, which the
// window takes in fullscreen.
func (a *app) paints() bool {
	_, background := a.look.Window()
	return background != nil && (!a.inline || a.covered())
}

// themed takes the themes as their files are now, with the one that is worn.
func (a *app) themed(set themes.Set) {
	a.o.Themes = set
	if t, err := set.Find(a.o.Theme.Name); err == nil && t != a.o.Theme {
		a.wear(t)
	}
	for _, err := range set.Problems() {
		a.story.notice("warning", err.Error())
	}
}
