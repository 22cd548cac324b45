package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/hoopoe-agent/hoopoe/slash"
	"github.com/hoopoe-agent/hoopoe/tui/editor"
)

// openHelp lists the commands, those that are panels among them.
func (a *app) openHelp() tea.Cmd {
	commands, session := a.o.Commands, slash.Session(nil)
	if a.session != nil {
		session = a.session.Commands()
	}
	return a.later("list the commands", func(ctx context.Context) (func() tea.Cmd, error) {
		catalog := commands.Catalog(Caps)
		if session != nil {
			catalog = commands.For(ctx, session).Catalog(Caps)
		}
		return func() tea.Cmd {
			a.story.notice("info", slash.HelpText(a.withPanels(catalog)))
			return nil
		}, nil
	})
}

// openKeys shows the help on keys.
func (a *app) openKeys() {
	signs := "/  @  !  !!\tcommand, file, shell, shell hidden from the model"
	if a.o.Files == nil {
		signs = "/  !  !!\tcommand, shell, shell hidden from the model"
	}
	text := []string{signs}
	sections := a.o.Keys.Help()
	if _, vim := a.editor.VimMode(); vim {
		sections = append(sections, editor.VimHelp())
	}
	for _, section := range sections {
		text = append(text, "", section.Title)
		for _, row := range section.Rows {
			text = append(text, row.Keys+"\t"+row.Text)
		}
	}
	a.panel = &textPanel{styles: a.look.Styles, keys: a.o.Keys, title: "Keys", text: text}
}
