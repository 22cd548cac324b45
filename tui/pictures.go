package tui

import (
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/hoopoe-agent/hoopoe/tui/image"
	"github.com/hoopoe-agent/hoopoe/tui/terminal"
)

// pictures is how the terminal shows images; nil: a line stands for each.
func pictures(p terminal.Profile, colors colorprofile.Profile) *image.Screen {
	protocol := image.None
	switch p.Images {
	case terminal.Kitty:
		if colors == colorprofile.TrueColor { // a placeholder's colour names its picture
			protocol = image.Kitty
		}
	case terminal.ITerm2:
		protocol = image.ITerm2
	case terminal.Sixel:
		protocol = image.Sixel
	}
	if protocol == image.None || colors == colorprofile.ASCII {
		return nil
	}
	return &image.Screen{Protocol: protocol}
}

// sendPictures gives the terminal the pictures that a frame has shown for the
// first time. They are encoded off the loop.
func (a *app) sendPictures() tea.Cmd {
	var cmds []tea.Cmd
	for _, encode := range a.look.Images.Pending() {
		cmds = append(cmds, func() tea.Msg {
			if text := encode(); text != "" {
				return tea.RawMsg{Msg: text}
			}
			return nil
		})
	}
	return tea.Batch(cmds...)
}

// resend says that the terminal may have lost its pictures.
func (a *app) resend() {
	if a.look.Images != nil {
		a.look.Images.Forget()
		a.story.list.Invalidate()
	}
}
