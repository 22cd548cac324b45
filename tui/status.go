package tui

import (
	"strings"

	"github.com/hoopoe-agent/hoopoe/tui/footer"
)

// statusLine draws the last row of the screen.
func (a *app) statusLine(width int) string {
	v := a.view
	st := footer.Status{
		Mode: v.Mode, Model: v.Model.Name, Folder: folderName(v.Cwd), Branch: a.branch,
		Queued: len(a.queue) + len(a.waiting), Cost: v.Usage.Total.Cost.Total,
		Items: a.guests.items(),
	}
	if st.Model == "" {
		st.Model = v.Model.ID
	}
	if v.Thinking != "off" {
		st.Thinking = v.Thinking
	}
	if window := v.Usage.ContextWindow; window > 0 && v.Usage.ContextTokens >= 0 {
		st.Window = window
		st.Context = float64(v.Usage.ContextTokens) / float64(window)
	}
	if mode, vim := a.editor.VimMode(); vim {
		st.Keys = strings.TrimSpace(mode.String() + " " + a.editor.VimPending())
	}
	if a.editor.Empty() && a.front() == nil && !a.busy.any() {
		st.Hint = "? keys"
	}
	return footer.Render(st, a.look.Styles, a.look.Bidi, width)
}
