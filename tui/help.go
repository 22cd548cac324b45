package tui

// openKeys shows the help on keys.
func (a *app) openKeys() {
	signs := "/  @  !  !!\tcommand, file, shell, shell hidden from the model"
	if a.o.Files == nil {
		signs = "/  !  !!\tcommand, shell, shell hidden from the model"
	}
	a.panel = &textPanel{styles: a.look.Styles, title: "Keys", text: []string{
		"Enter\tsend; while the agent works: steer it",
		"Tab\tcomplete; while the agent works: send after this",
		"Ctrl+J, \\ Enter\tnew line (Shift+Enter where the terminal can)",
		"Esc\tclose, else stop what runs",
		"Ctrl+C\tclear the prompt; twice: leave",
		"Ctrl+D\tleave, when the prompt is empty",
		signs,
		"PgUp, PgDn, wheel\tscroll the conversation",
		"Ctrl+Home, Ctrl+End\tits start, its end",
		"Ctrl+O\tshow or fold long outputs and thinking",
		"Ctrl+T\tshow or hide the tasks",
		"Shift+Tab\tnext permission mode: ask, edit, full, plan",
		"Ctrl+P\tnext model",
		"Up, Down\tearlier prompts; Ctrl+R searches them",
		"Ctrl+G\tedit the prompt in EDITOR",
		"F2, Alt+M\tleave the mouse to the terminal, to select text",
		"Ctrl+L, Ctrl+Z\tredraw, suspend",
	}}
}
