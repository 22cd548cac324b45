package image

import (
	"github.com/hoopoe-agent/hoopoe/tui/flow"
	"github.com/hoopoe-agent/hoopoe/tui/style"
)

// Screen shows pictures in frames and knows which ones the terminal has. It
// isn't safe for concurrent use, but the funcs that Pending returns are.
type Screen struct {
	Protocol Protocol
	Cell     Cell // of the terminal, as it reports

	sent    map[uint32]place // by picture
	pending []func() string
}

type place struct{ cols, rows int }

// keptPictures bounds what a terminal is asked to keep.
const keptPictures = 100

// Rows returns the rows of a picture in a frame: placeholders for kitty, else
// its line. A nil screen shows lines.
func (s *Screen) Rows(p *Picture, width int, paint style.Style) []flow.Row {
	if s == nil || s.Protocol != Kitty || !p.Shown() || width < 4 {
		return []flow.Row{{Text: paint.Render(style.Cut(p.Line(), max(width, 1)))}}
	}
	cols, rows := p.Fit(width, s.Cell)
	if s.sent[p.ID] != (place{cols, rows}) {
		if s.sent == nil || len(s.sent) >= keptPictures {
			s.sent = map[uint32]place{}
		}
		s.sent[p.ID] = place{cols, rows}
		cell := s.Cell
		s.pending = append(s.pending, func() string {
			out, err := p.Transmit(cols, rows, cell)
			if err != nil {
				return "" // the cells stay empty; the picture is damaged
			}
			return out
		})
	}
	return p.Placeholders(cols, rows)
}

// Pending returns funcs that encode what the terminal has yet to get, once.
// Encoding takes a while: it is for a goroutine, and what it returns is to be
// written as it is, between frames.
func (s *Screen) Pending() []func() string {
	if s == nil {
		return nil
	}
	out := s.pending
	s.pending = nil
	return out
}

// Forget says that the terminal has lost its pictures: it was reset, or is
// another one.
func (s *Screen) Forget() {
	if s != nil {
		s.sent, s.pending = nil, nil
	}
}
