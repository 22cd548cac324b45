package image

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"regexp"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"github.com/hoopoe-agent/hoopoe/tui/flow"
	"github.com/hoopoe-agent/hoopoe/tui/style"
)

func drawn(t testing.TB, w, h int) string {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, w, h))
	for x := range w {
		for y := range h {
			m.Set(x, y, color.RGBA{uint8(x), uint8(y), 200, 255})
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

func TestLine(t *testing.T) {
	for _, c := range []struct{ name, data, want string }{
		{"png", drawn(t, 64, 48), `^\[image png 64x48, \d+ (B|KB)\]$`},
		{"no base64", "###", `^\[image, 3? ?\d* ?B\]$`},
		{"no picture", base64.StdEncoding.EncodeToString([]byte("hello")), `^\[image, 5 B\]$`},
		{"nothing", "", `^\[image, 0 B\]$`},
		{"cut", drawn(t, 64, 48)[:40], `^\[image png( 64x48)?, \d+ B\]$`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Open(c.data).Line(); !regexp.MustCompile(c.want).MatchString(got) {
				t.Errorf("%q, want %s", got, c.want)
			}
		})
	}
}

// A decoder that fails on a picture takes no more with it.
func TestPanicInDecoder(t *testing.T) {
	size := func(io.Reader) (image.Config, error) { return image.Config{Width: 8, Height: 8}, nil }
	image.RegisterFormat("panics", "RIFF????WEBPboom", func(io.Reader) (image.Image, error) { panic("boom") }, size)
	p := Open(base64.StdEncoding.EncodeToString([]byte("RIFF0000WEBPboom")))
	if !p.Shown() {
		t.Fatal("the picture isn't decoded at all")
	}
	if out, err := p.Transmit(1, 1, Cell{}); err == nil || out != "" {
		t.Errorf("%q, %v", out, err)
	}
}

func TestFit(t *testing.T) {
	for _, c := range []struct{ w, h, width, cols, rows int }{
		{640, 480, 80, 64, 24}, {640, 480, 40, 40, 15}, {10, 20, 80, 1, 1}, {20, 4000, 80, 1, 24}, {4000, 20, 80, 80, 1}, {640, 480, 0, 1, 1},
	} {
		p := &Picture{Width: c.w, Height: c.h}
		if cols, rows := p.Fit(c.width, Cell{}); cols != c.cols || rows != c.rows {
			t.Errorf("%dx%d in %d: %dx%d, want %dx%d", c.w, c.h, c.width, cols, rows, c.cols, c.rows)
		}
	}
}

// What is sent is a picture of the size that was asked for, in pieces that
// kitty takes.
func TestTransmit(t *testing.T) {
	p := Open(drawn(t, 800, 600))
	out, err := p.Transmit(20, 8, Cell{})
	if err != nil {
		t.Fatal(err)
	}
	var data strings.Builder
	for i, part := range strings.SplitAfter(out, "\x1b\\") {
		if part == "" {
			continue
		}
		head, body, ok := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(part, "\x1b_G"), "\x1b\\"), ";")
		if !ok || len(body) > chunk || !strings.Contains(head, "q=2") || (i == 0) != strings.Contains(head, "U=1") {
			t.Fatalf("piece %d begins %q with %d bytes", i, head, len(body))
		}
		data.WriteString(body)
	}
	raw, err := base64.StdEncoding.DecodeString(data.String())
	if err != nil {
		t.Fatal(err)
	}
	config, err := png.DecodeConfig(bytes.NewReader(raw))
	if err != nil || config.Width > 200 || config.Height > 160 {
		t.Errorf("sent %dx%d: %v", config.Width, config.Height, err)
	}
}

func TestDirect(t *testing.T) {
	p := Open(drawn(t, 30, 40))
	for name, c := range map[string]struct {
		to   Protocol
		want string
	}{
		"kitty":  {Kitty, "\x1b_Ga=T,f=100,q=2,"},
		"iTerm2": {ITerm2, "\x1b]1337;File=inline=1;size="},
		"sixel":  {Sixel, "\x1bP0;1;0q\"1;1;30;40#0;2;"},
	} {
		t.Run(name, func(t *testing.T) {
			lines, err := p.Direct(c.to, 3, 2, Cell{})
			if err != nil || len(lines) != 3 || lines[0] != "" || lines[1] != "" {
				t.Fatalf("%q, %v", lines, err)
			}
			if !strings.HasPrefix(lines[2], ansi.SaveCursor+ansi.CursorUp(2)+c.want) || !strings.HasSuffix(lines[2], ansi.RestoreCursor) {
				t.Errorf("%.80q", lines[2])
			}
		})
	}
	if lines, _ := p.Direct(None, 3, 2, Cell{}); len(lines) != 1 || lines[0] != p.Line() {
		t.Errorf("without a protocol: %q", lines)
	}
}

// A sixel picture decodes to the colours that went in.
func TestSixelDots(t *testing.T) {
	m := image.NewRGBA(image.Rect(0, 0, 8, 7))
	for x := range 8 {
		for y := range 7 {
			m.Set(x, y, color.RGBA{255, 0, 0, 255})
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	out, err := Open(base64.StdEncoding.EncodeToString(b.Bytes())).sixel(10, 10, Cell{})
	if err != nil {
		t.Fatal(err)
	}
	// Eight columns of six dots, then eight of one.
	if !regexp.MustCompile(`#180!8~\$-#180!8@\$-\x1b\\$`).MatchString(out) {
		t.Errorf("ends with %q", out[max(0, len(out)-60):])
	}
}

func TestBounds(t *testing.T) {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, 10, 10)), nil); err != nil {
		t.Fatal(err)
	}
	huge := Open(base64.StdEncoding.EncodeToString(b.Bytes()))
	huge.Width, huge.Height = 60000, 60000
	if huge.Shown() {
		t.Error("a picture of 3600 megapixels would be decoded")
	}
	if _, err := huge.Transmit(10, 10, Cell{}); err == nil {
		t.Error("it was decoded")
	}
	s := &Screen{Protocol: Kitty}
	if rows := s.Rows(huge, 40, style.Style{}); len(rows) != 1 || len(s.Pending()) != 0 {
		t.Errorf("%d rows", len(rows))
	}
}

func TestScreenSendsOnce(t *testing.T) {
	p := Open(drawn(t, 100, 100))
	s := &Screen{Protocol: Kitty}
	for range 3 {
		if rows := s.Rows(p, 40, style.Style{}); len(rows) != 5 || style.Width(rows[0].Text) != 10 {
			t.Fatalf("%d rows of %d columns", len(rows), style.Width(rows[0].Text))
		}
	}
	pending := s.Pending()
	if len(pending) != 1 || !strings.HasPrefix(pending[0](), "\x1b_G") || len(s.Pending()) != 0 {
		t.Errorf("%d pictures to send", len(pending))
	}
	s.Rows(p, 4, style.Style{}) // another size
	if len(s.Pending()) != 1 {
		t.Error("another size isn't sent")
	}
}

type still struct{ view string }

func (s still) Init() tea.Cmd { return nil }
func (s still) Update(m tea.Msg) (tea.Model, tea.Cmd) {
	if _, ok := m.(tea.WindowSizeMsg); ok {
		return s, tea.Sequence(tea.Raw("\x1b_Gq=2;raw\x1b\\"), tea.Quit)
	}
	return s, nil
}
func (s still) View() tea.View { return tea.NewView(s.view) }

// Placeholders come through the renderer of frames as they are, and what is
// raw goes beside them.
func TestPlaceholdersSurviveTheRenderer(t *testing.T) {
	p := Open(drawn(t, 40, 40))
	view := strings.Join(flow.Texts(p.Placeholders(4, 2)), "\n")
	var out bytes.Buffer
	program := tea.NewProgram(still{view}, tea.WithInput(nil), tea.WithOutput(&out), tea.WithWindowSize(40, 10),
		tea.WithEnvironment([]string{"TERM=xterm-kitty", "COLORTERM=truecolor"}), tea.WithoutSignals(), tea.WithColorProfile(colorprofile.TrueColor))
	if _, err := program.Run(); err != nil {
		t.Fatal(err)
	}
	for _, row := range p.Placeholders(4, 2) {
		if !strings.Contains(out.String(), ansi.Strip(row.Text)) {
			t.Errorf("the cells %q are not in %q", ansi.Strip(row.Text), out.String())
		}
	}
	if number, _, _ := strings.Cut(p.Placeholders(1, 1)[0].Text, "m"); !strings.Contains(out.String(), number) {
		t.Errorf("the number %q is not in %q", number, out.String())
	}
	if !strings.Contains(out.String(), "\x1b_Gq=2;raw\x1b\\") {
		t.Error("what is raw isn't written")
	}
}

func FuzzOpen(f *testing.F) {
	f.Add([]byte("\x89PNG\r\n\x1a\n"), 10)
	f.Add([]byte("GIF89a\x01\x00\x01\x00"), 200)
	f.Fuzz(func(t *testing.T, raw []byte, width int) {
		p := Open(base64.StdEncoding.EncodeToString(raw))
		if line := p.Line(); strings.ContainsAny(line, "\x1b\n") {
			t.Errorf("line %q", line)
		}
		if !p.Shown() || p.Width > 1000 || p.Height > 1000 {
			return
		}
		cols, rows := p.Fit(width, Cell{})
		if out, err := p.Transmit(cols, rows, Cell{}); err == nil && !strings.HasPrefix(out, "\x1b_G") {
			t.Errorf("%.40q", out)
		}
	})
}
