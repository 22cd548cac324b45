// Package image shows pictures where the terminal can.
//
//	base64 ─▶ Open ─▶ Picture ─▶ Line                      (everywhere)
//	                         ├─▶ Transmit + Placeholders   (kitty, in a frame)
//	                         └─▶ Direct                    (kitty, iTerm2, sixel: scrollback)
//
// A frame is made of cells, and its renderer passes text and colours alone: no
// picture survives it. Kitty's placeholders do, since they are text: the
// picture is sent once, beside the frames, and the cells refer to it by their
// colour and their accents. For the other protocols a frame has the line, and
// the picture goes to the scrollback: Direct is for what is printed above the
// live area, and for what is left on the normal screen at the end.
//
// Pictures are foreign: they are decoded only within bounds, and what is sent
// was encoded here, never the bytes that came.
package image

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"hash/fnv"
	"image"
	"image/png"
	"io"
	"strings"

	"golang.org/x/image/draw"

	"github.com/hoopoe-agent/hoopoe/engine/picture"
)

// Protocol is how a terminal takes pictures.
type Protocol int

// Protocols. None: a line stands for a picture.
const (
	None Protocol = iota
	Kitty
	ITerm2
	Sixel
)

// Bounds of a picture that is shown, and of how it is shown.
const (
	maxBytes  = 20 << 20
	maxPixels = 24 << 20
	maxCols   = 100
	maxRows   = 24 // as far as a picture may take the screen
)

// Cell is the size of a cell in pixels. The zero value is a usual one.
type Cell struct{ Width, Height int }

func (c Cell) orUsual() Cell {
	if c.Width <= 0 || c.Height <= 0 {
		return Cell{10, 20}
	}
	return c
}

// Picture is a picture with its size. The zero value is one that can't be read.
type Picture struct {
	// ID is the picture's own, of 24 bits and not 0 for one that can be shown.
	ID            uint32
	Kind          string // png, jpeg, gif, webp; "" for none of them
	Width, Height int    // pixels
	Bytes         int

	data string // base64
}

// Open reads a picture's size. It keeps the base64 text and decodes no pixels.
func Open(data string) *Picture {
	p := &Picture{Bytes: base64.StdEncoding.DecodedLen(len(data)) - strings.Count(data[max(len(data)-2, 0):], "=")}
	if p.Bytes > maxBytes {
		return p
	}
	var head [16]byte
	n, _ := io.ReadFull(reader(data), head[:]) // a short one is none of the kinds
	p.Kind = picture.Kind(head[:n])
	config, _, err := image.DecodeConfig(reader(data))
	if p.Kind == "" || err != nil {
		return p
	}
	p.Width, p.Height, p.data = config.Width, config.Height, data
	h := fnv.New32a()
	io.WriteString(h, data)
	p.ID = h.Sum32()&0xffffff | 1
	return p
}

func reader(data string) io.Reader {
	return base64.NewDecoder(base64.StdEncoding, strings.NewReader(data))
}

// Shown reports whether the picture is within the bounds of what is shown.
func (p *Picture) Shown() bool {
	return p.data != "" && p.Width > 0 && p.Height > 0 && p.Width <= maxPixels/p.Height
}

// Line stands for the picture where it can't be shown.
func (p *Picture) Line() string {
	parts := []string{"image"}
	if p.Kind != "" {
		parts = append(parts, p.Kind)
	}
	text := strings.Join(parts, " ")
	if p.Width > 0 {
		text += fmt.Sprintf(" %dx%d", p.Width, p.Height)
	}
	return "[" + text + ", " + size(p.Bytes) + "]"
}

func size(n int) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d B", n)
	case n < 1<<20:
		return fmt.Sprintf("%d KB", (n+1<<9)>>10)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
}

// Fit returns the cells that the picture takes in a row of width columns. It is
// never made larger.
func (p *Picture) Fit(width int, cell Cell) (cols, rows int) {
	cell = cell.orUsual()
	width = max(min(width, maxCols), 1)
	cols = min(width, max((p.Width+cell.Width-1)/cell.Width, 1))
	rows = p.rowsFor(cols, cell)
	if rows > maxRows {
		rows = maxRows
		cols = max(min(cols, rows*cell.Height*p.Width/(max(p.Height, 1)*cell.Width)), 1)
	}
	return cols, rows
}

func (p *Picture) rowsFor(cols int, cell Cell) int {
	high := cols * cell.Width * p.Height / max(p.Width, 1) // pixels
	return max((high+cell.Height-1)/cell.Height, 1)
}

// decoded returns the pixels, scaled to what the cells can show. A decoder is
// foreign code at work on a foreign picture: a panic in it is an error.
func (p *Picture) decoded(cols, rows int, cell Cell) (scaled image.Image, err error) {
	if !p.Shown() {
		return nil, fmt.Errorf("the picture can't be shown: %s", p.Line())
	}
	defer func() {
		if r := recover(); r != nil {
			scaled, err = nil, fmt.Errorf("decode the picture: %v", r)
		}
	}()
	m, _, err := image.Decode(reader(p.data))
	if err != nil {
		return nil, fmt.Errorf("decode the picture: %w", err)
	}
	cell = cell.orUsual()
	from := m.Bounds()
	share := min(1, float64(cols*cell.Width)/float64(max(from.Dx(), 1)), float64(rows*cell.Height)/float64(max(from.Dy(), 1)))
	w, h := max(int(float64(from.Dx())*share), 1), max(int(float64(from.Dy())*share), 1)
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	draw.ApproxBiLinear.Scale(out, out.Bounds(), m, from, draw.Src, nil)
	return out, nil
}

func encoded(m image.Image) (string, int, error) {
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		return "", 0, fmt.Errorf("encode the picture: %w", err)
	}
	return base64.StdEncoding.EncodeToString(b.Bytes()), b.Len(), nil
}
