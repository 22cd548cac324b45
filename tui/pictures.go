package tui

import (
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"

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

// askCell asks for the size of a cell (XTWINOPS), which another font changes,
// where pictures are scaled by it.
func (a *app) askCell() tea.Cmd {
	if a.look.Images == nil {
		return nil
	}
	return tea.Raw("\x1b[16t")
}

// maxCell bounds what a terminal may say of its cells, in pixels.
const maxCell = 200

// setCell takes the answer: pictures are scaled anew.
func (a *app) setCell(size uv.CellSizeEvent) {
	cell := image.Cell{Width: size.Width, Height: size.Height}
	if a.look.Images == nil || cell == a.look.Images.Cell || min(cell.Width, cell.Height) < 1 || max(cell.Width, cell.Height) > maxCell {
		return
	}
	a.look.Images.Cell = cell
	a.resend()
}

// encodedMsg is a picture as the terminal gets it, beside the frames.
type encodedMsg string

// encodePictures encodes those that a frame has shown for the first time, off
// the loop.
func (a *app) encodePictures() {
	for _, encode := range a.look.Images.Pending() {
		go func() {
			select {
			case a.encoded <- encodedMsg(encode()):
			case <-a.ctx.Done():
			}
		}()
	}
}

// sendPicture gives the terminal one, and waits for the next.
func (a *app) sendPicture(e encodedMsg) tea.Cmd {
	return tea.Batch(tea.Raw(string(e)), a.awaitPicture())
}

func (a *app) awaitPicture() tea.Cmd {
	return func() tea.Msg {
		select {
		case e := <-a.encoded:
			return e
		case <-a.ctx.Done():
			return nil
		}
	}
}

// resend says that the terminal may have lost its pictures.
func (a *app) resend() {
	if a.look.Images != nil {
		a.look.Images.Forget()
		a.story.list.Invalidate()
	}
}
