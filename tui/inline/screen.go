package inline

import (
	"bytes"
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"github.com/hoopoe-agent/hoopoe/tui/style"
)

// Options say where and how to draw.
type Options struct {
	Out io.Writer
	// Size is the terminal's, in cells, now.
	Size func() (width, height int)
	// Cuts says that the terminal cuts rows off that a new width has no room for,
	// instead of wrapping them.
	Cuts bool
}

// Frame is one picture of the live rows.
type Frame struct {
	Rows []string
	// X and Y place the cursor; X is -1 without one.
	X, Y int
	// Shape is the cursor's, as DECSCUSR counts; 0 is the terminal's own.
	Shape int
}

// Screen is the end of the normal screen. It is safe for concurrent use.
type Screen struct {
	o  Options
	mu sync.Mutex

	colors colorprofile.Profile

	on   bool // somebody draws
	alt  bool // the terminal shows its other screen
	held bool // another program has the terminal

	above []string // to be printed, as soon as it can be
	want  Frame
	shape int // that was set

	// What is on the screen: rows drawn for a size, and the cursor's place.
	rows          []string
	width, height int
	x, y          int
	shown         bool // the cursor

	past past
}

// New returns a screen on which nothing is drawn yet.
func New(o Options) *Screen { return &Screen{o: o, colors: colorprofile.TrueColor} }

// SetColors says how many colours the terminal gets from now on: rows with more
// are written with the nearest.
func (s *Screen) SetColors(p colorprofile.Profile) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.colors = p
}

// Start begins to draw with the next Draw. While the terminal shows its other
// screen, that waits.
func (s *Screen) Start() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.on = true
}

// Stop clears the live rows and draws no more.
func (s *Screen) Stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.put(s.erased() + s.shaped(0))
	s.on, s.above, s.want, s.past = false, nil, Frame{X: -1}, past{}
}

// Hold clears the live rows for another program, until Release.
func (s *Screen) Hold() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.put(s.erased() + s.shaped(0))
	s.held, s.past = true, past{}
}

// Release draws again, where the other program has left the cursor.
func (s *Screen) Release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = false
	s.paint()
}

// Draw prints rows that are over, each once, and shows the live ones. None
// is wider than the window less a column.
func (s *Screen) Draw(above []string, f Frame) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.on {
		return
	}
	s.above = append(s.above, above...)
	s.want = f
	s.paint()
}

const (
	enterAlt = "\x1b[?1049h"
	leaveAlt = "\x1b[?1049l"
)

// Write passes the library's bytes on. They find the cursor where the live
// rows begin, and may clear what is below; then those are drawn again.
func (s *Screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(p)
	entered, left := bytes.LastIndex(p, []byte(enterAlt)), bytes.LastIndex(p, []byte(leaveAlt))
	before := s.erased()
	if s.on && !s.alt && !s.held {
		p = bytes.ReplaceAll(p, []byte(ansi.EraseScreenBelow), nil) // all is clear there
	}
	if _, err := io.WriteString(s.o.Out, before+string(p)); err != nil {
		return 0, err
	}
	if entered >= 0 || left >= 0 {
		s.alt = entered > left
	}
	s.paint()
	return n, nil
}

func (s *Screen) put(text string) {
	if text != "" {
		_, _ = io.WriteString(s.o.Out, text) // a terminal that has gone ends the program elsewhere
	}
}

// erase clears the row of the cursor and all below. From the upper left corner
// tmux would take that for clearing the screen, and keep what was on it in its
// scrollback, so it begins one column further.
const erase = "\x1b[2K\x1b[2G\x1b[J\r"

// erased takes the live rows off the screen and leaves the cursor where they
// began.
func (s *Screen) erased() string {
	if len(s.rows) == 0 {
		return ""
	}
	top := s.top()
	s.rows, s.y = nil, 0
	return top + erase
}

// top goes to where the live rows begin, as the terminal shows them now.
func (s *Screen) top() string {
	width, _ := s.size()
	up := s.y
	if !s.o.Cuts && width < s.width {
		up = s.x / width
		for _, row := range s.rows[:s.y] {
			up += max(1, (style.Width(row)+width-1)/width)
		}
	}
	if up == 0 {
		return "\r"
	}
	return "\r" + ansi.CursorUp(up)
}

func (s *Screen) size() (width, height int) {
	width, height = s.o.Size()
	return max(width, 2), max(height, 2)
}

// paint brings the screen in line with what is wanted.
func (s *Screen) paint() {
	if !s.on || s.alt || s.held {
		return
	}
	width, height := s.size()
	rows, x, y := s.fitted(width, height)
	var b strings.Builder
	if width != s.width || height != s.height {
		s.past = past{} // it may have moved
	}
	s.repaint(&b)
	switch {
	case len(s.rows) == 0, len(s.above) > 0, width != s.width:
		b.WriteString(s.erased())
		b.WriteByte('\r')
		for _, row := range s.above {
			s.writeRow(&b, row)
			b.WriteString("\r\n")
		}
		s.past.add(s.above)
		s.above = nil
		for i, row := range rows {
			if i > 0 {
				b.WriteString("\r\n")
			}
			s.writeRow(&b, row)
		}
		s.y = max(len(rows)-1, 0)
	default:
		s.change(&b, rows)
	}
	s.rows, s.width, s.height = rows, width, height
	s.past.end = max(s.past.end, s.past.count+len(rows))
	if b.Len() == 0 && max(x, 0) == s.x && y == s.y && (x >= 0) == s.shown && s.want.Shape == s.shape {
		return
	}
	b.WriteString(move(s.y, y))
	b.WriteByte('\r')
	if x > 0 {
		b.WriteString(ansi.CursorForward(x))
	}
	s.x, s.y, s.shown = max(x, 0), y, x >= 0
	end := ""
	if x >= 0 {
		end = s.shaped(s.want.Shape) + ansi.SetModeTextCursorEnable
	}
	s.put(ansi.SetModeSynchronizedOutput + ansi.ResetModeTextCursorEnable + b.String() + end + ansi.ResetModeSynchronizedOutput)
}

// change rewrites the rows that are others now.
func (s *Screen) change(b *strings.Builder, rows []string) {
	if len(rows) < len(s.rows) {
		b.WriteString(move(s.y, len(rows)) + "\r" + ansi.EraseScreenBelow)
		s.y = len(rows)
	}
	for i, row := range rows {
		switch {
		case i < len(s.rows) && row == s.rows[i]:
			continue
		case i >= len(s.rows):
			b.WriteString(move(s.y, i-1) + "\r\n")
		default:
			b.WriteString(move(s.y, i) + "\r")
		}
		s.y = i
		s.writeRow(b, row)
	}
}

// fitted cuts the wanted rows to the window: its height less one, of which the
// last remain, and its width less a column.
func (s *Screen) fitted(width, height int) (rows []string, x, y int) {
	rows, x, y = s.want.Rows, s.want.X, s.want.Y
	if cut := len(rows) - (height - 1); cut > 0 {
		rows, y = rows[cut:], y-cut
	}
	for i, row := range rows {
		if style.Width(row) >= width {
			rows = append([]string(nil), rows...)
			for k := i; k < len(rows); k++ {
				rows[k] = style.Cut(rows[k], width-1)
			}
			break
		}
	}
	if x < 0 {
		return rows, -1, max(len(rows)-1, 0)
	}
	return rows, min(x, width-1), min(max(y, 0), max(len(rows)-1, 0))
}

// writeRow writes a row and clears what was behind it.
func (s *Screen) writeRow(b *strings.Builder, row string) {
	w := colorprofile.Writer{Forward: b, Profile: s.colors}
	_, _ = w.WriteString(row)
	if strings.Contains(row, "\x1b") {
		b.WriteString(ansi.ResetStyle)
	}
	b.WriteString(ansi.EraseLineRight)
}

func move(from, to int) string {
	switch {
	case to > from:
		return ansi.CursorDown(to - from)
	case to < from:
		return ansi.CursorUp(from - to)
	}
	return ""
}

func (s *Screen) shaped(shape int) string {
	if shape == s.shape {
		return ""
	}
	s.shape = shape
	return "\x1b[" + strconv.Itoa(shape) + " q"
}
