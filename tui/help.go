package tui

import "github.com/hoopoe-agent/hoopoe/tui/editor"

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
