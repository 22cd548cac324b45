package image

import (
	"fmt"
	"image"
	"image/color/palette"
	"image/draw"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/kitty"

	"github.com/hoopoe-agent/hoopoe/tui/flow"
)

// chunk is the most base64 that kitty takes in one sequence.
const chunk = 4096

// Transmit returns the sequences that give kitty the picture, in cols by rows
// cells, for Placeholders to refer to. They are written once, outside of
// frames; the terminal answers nothing.
func (p *Picture) Transmit(cols, rows int, cell Cell) (string, error) {
	return p.kitty(cols, rows, cell, true)
}

func (p *Picture) kitty(cols, rows int, cell Cell, virtual bool) (string, error) {
	m, err := p.decoded(cols, rows, cell)
	if err != nil {
		return "", err
	}
	data, _, err := encoded(m)
	if err != nil {
		return "", err
	}
	head := fmt.Sprintf("a=T,f=100,q=2,i=%d,c=%d,r=%d,C=1", p.ID, cols, rows)
	if virtual {
		head += ",U=1"
	}
	var b strings.Builder
	for first := true; first || data != ""; first = false {
		n := min(len(data), chunk)
		part := data[:n]
		data = data[n:]
		more := 0
		if data != "" {
			more = 1
		}
		if first {
			fmt.Fprintf(&b, "\x1b_G%s,m=%d;%s\x1b\\", head, more, part)
		} else {
			fmt.Fprintf(&b, "\x1b_Gq=2,m=%d;%s\x1b\\", more, part)
		}
	}
	return b.String(), nil
}

// Placeholders are the cells that kitty fills with the picture: their colour is
// its number, their accents are the row and the column. They need a terminal
// with all colours.
func (p *Picture) Placeholders(cols, rows int) []flow.Row {
	open := fmt.Sprintf("\x1b[38;2;%d;%d;%dm", p.ID>>16&0xff, p.ID>>8&0xff, p.ID&0xff)
	out := make([]flow.Row, rows)
	for y := range rows {
		var b strings.Builder
		b.WriteString(open)
		for x := range cols {
			b.WriteRune(kitty.Placeholder)
			b.WriteRune(kitty.Diacritic(y))
			b.WriteRune(kitty.Diacritic(x))
		}
		b.WriteString("\x1b[m")
		out[y] = flow.Row{Text: b.String(), Rule: true}
	}
	return out
}

// Direct returns lines that show the picture where text is printed and scrolls
// away: rows that stay empty, and one that draws over them and leaves the
// cursor where it was.
func (p *Picture) Direct(to Protocol, cols, rows int, cell Cell) ([]string, error) {
	var picture string
	var err error
	switch to {
	case Kitty:
		picture, err = p.kitty(cols, rows, cell, false)
	case ITerm2:
		picture, err = p.iterm2(cols, rows, cell)
	case Sixel:
		picture, err = p.sixel(cols, rows, cell)
	default:
		return []string{p.Line()}, nil
	}
	if err != nil {
		return nil, err
	}
	lines := make([]string, rows, rows+1)
	return append(lines, ansi.SaveCursor+ansi.CursorUp(rows)+picture+ansi.RestoreCursor), nil
}

func (p *Picture) iterm2(cols, rows int, cell Cell) (string, error) {
	m, err := p.decoded(cols, rows, cell)
	if err != nil {
		return "", err
	}
	data, n, err := encoded(m)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("\x1b]1337;File=inline=1;size=%d;width=%d;height=%d;preserveAspectRatio=1:%s\a", n, cols, rows, data), nil
}

// sixel encodes bands of six rows, each colour of a band apart.
func (p *Picture) sixel(cols, rows int, cell Cell) (string, error) {
	m, err := p.decoded(cols, rows, cell)
	if err != nil {
		return "", err
	}
	size := m.Bounds()
	dots := image.NewPaletted(size, palette.WebSafe)
	draw.FloydSteinberg.Draw(dots, size, m, image.Point{})
	var b strings.Builder
	fmt.Fprintf(&b, "\x1bP0;1;0q\"1;1;%d;%d", size.Dx(), size.Dy())
	for i, c := range palette.WebSafe {
		r, g, bl, _ := c.RGBA()
		fmt.Fprintf(&b, "#%d;2;%d;%d;%d", i, r*100/0xffff, g*100/0xffff, bl*100/0xffff)
	}
	for y := 0; y < size.Dy(); y += 6 {
		band(&b, dots, m, y)
	}
	b.WriteString("\x1b\\")
	return b.String(), nil
}

// band writes six rows. Dots that are mostly transparent are left out.
func band(b *strings.Builder, dots *image.Paletted, m image.Image, y int) {
	size := dots.Bounds()
	var columns [256][]byte // of each colour that the band has
	for x := range size.Dx() {
		for k := range min(6, size.Dy()-y) {
			if _, _, _, alpha := m.At(x, y+k).RGBA(); alpha < 0x8000 {
				continue
			}
			c := dots.ColorIndexAt(x, y+k)
			if columns[c] == nil {
				columns[c] = make([]byte, size.Dx())
			}
			columns[c][x] |= 1 << k
		}
	}
	for c, bits := range columns {
		if bits == nil {
			continue
		}
		fmt.Fprintf(b, "#%d", c)
		for x := 0; x < len(bits); {
			n := 1
			for x+n < len(bits) && bits[x+n] == bits[x] {
				n++
			}
			if sign := bits[x] + '?'; n > 3 {
				fmt.Fprintf(b, "!%d%c", n, sign)
			} else {
				b.WriteString(strings.Repeat(string(sign), n))
			}
			x += n
		}
		b.WriteByte('$')
	}
	b.WriteByte('-')
}
