package inline

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
)

// terminal is an emulator that cuts rows at a new width.
type terminal struct {
	*vt.Emulator
	width, height int
	out           strings.Builder
}

func newTerminal(width, height int) *terminal {
	return &terminal{Emulator: vt.NewEmulator(width, height), width: width, height: height}
}

func (t *terminal) Write(p []byte) (int, error) {
	t.out.Write(p)
	return t.Emulator.Write(p)
}

func (t *terminal) WriteString(text string) (int, error) { return t.Write([]byte(text)) }

func (t *terminal) screen() *Screen {
	s := New(Options{Out: t, Size: func() (int, int) { return t.width, t.height }, Cuts: true})
	s.Start()
	return s
}

// all are the rows of the scrollback and of the screen, without empty ones at
// the end.
func (t *terminal) all() []string {
	var rows []string
	for _, line := range t.Scrollback().Lines() {
		rows = append(rows, strings.TrimRight(ansi.Strip(line.Render()), " "))
	}
	for _, row := range strings.Split(ansi.Strip(t.String()), "\n") {
		rows = append(rows, strings.TrimRight(row, " \r"))
	}
	for len(rows) > 0 && rows[len(rows)-1] == "" {
		rows = rows[:len(rows)-1]
	}
	return rows
}

func numbered(name string, from, n int) []string {
	rows := make([]string, n)
	for i := range rows {
		rows[i] = fmt.Sprintf("%s %d", name, from+i)
	}
	return rows
}

// Whatever is drawn, printed rows are in the scrollback once and in order, and
// the live ones below them.
func TestNothingLost(t *testing.T) {
	for seed := range uint64(60) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		term := newTerminal(40, 10)
		s := term.screen()
		printed := 0
		for range 30 {
			above := numbered("over", printed, rnd.IntN(5)*rnd.IntN(6))
			printed += len(above)
			live := numbered(fmt.Sprintf("live %d", rnd.IntN(2)), 0, 1+rnd.IntN(8))
			y := rnd.IntN(len(live))
			s.Draw(above, Frame{Rows: live, X: rnd.IntN(9), Y: y})
			if rnd.IntN(4) == 0 {
				fmt.Fprint(s, "\x1b]2;title\a\r\x1b[J ")
			}
			if want := append(numbered("over", 0, printed), live...); !slices.Equal(term.all(), want) {
				t.Fatalf("seed %d: the terminal holds\n%s\nwant\n%s", seed, strings.Join(term.all(), "\n"), strings.Join(want, "\n"))
			}
			if at := term.CursorPosition(); at.Y != len(term.all())-term.ScrollbackLen()-len(live)+y {
				t.Fatalf("seed %d: cursor in row %d", seed, at.Y)
			}
		}
		for _, bad := range []string{"\x1b[2J", "\x1b[3J", "\x1b[L", "\x1b[M", "\x1b[S", "\x1b[T"} {
			if strings.Contains(term.out.String(), bad) {
				t.Fatalf("%q was written", bad)
			}
		}
	}
}

// A new width leaves one picture of the live rows and every printed row.
func TestNewWidth(t *testing.T) {
	term := newTerminal(100, 24)
	s := term.screen()
	box := func(w int) Frame {
		return Frame{Rows: []string{strings.Repeat("─", w-1), "› text", strings.Repeat("═", w-1)}, X: 3, Y: 1}
	}
	s.Draw(numbered("message", 0, 25), box(100))
	for _, w := range []int{80, 60, 45, 60, 90, 100} {
		term.width = w
		term.Resize(w, 24)
		fmt.Fprint(s, "\r\x1b[J") // the library's own answer to it
		s.Draw(nil, box(w))
		all := term.all()
		if want := append(numbered("message", 0, 25), box(w).Rows...); !slices.Equal(all, want) {
			t.Fatalf("at %d columns the terminal holds\n%s", w, strings.Join(all, "\n"))
		}
	}
}

// In a terminal that wraps rows at a new width, the live ones take more of its
// rows than were drawn.
func TestWrappedByTheTerminal(t *testing.T) {
	term := newTerminal(80, 24)
	s := New(Options{Out: term, Size: func() (int, int) { return term.width, term.height }})
	s.Start()
	s.Draw(nil, Frame{Rows: []string{strings.Repeat("─", 79), "one", "two", strings.Repeat("x", 79)}, X: 45, Y: 3})
	term.width = 40
	term.out.Reset()
	s.Draw(nil, Frame{Rows: []string{"new"}, X: 0, Y: 0})
	if want := "\r\x1b[5A" + erase; !strings.Contains(term.out.String(), want) {
		t.Errorf("wrote %q, want %q in it: two rows for the first, one each, and a wrapped one above the cursor", term.out.String(), want)
	}
}

func TestOtherScreenAndPrograms(t *testing.T) {
	term := newTerminal(40, 10)
	s := term.screen()
	s.Draw([]string{"over"}, Frame{Rows: []string{"live"}, X: 0})
	fmt.Fprint(s, "\x1b[?1049h\x1b[2Jfull")
	s.Draw([]string{"later"}, Frame{Rows: []string{"live again"}, X: 0})
	if got := term.all(); !slices.Equal(got, []string{"full"}) {
		t.Errorf("the other screen shows %q", got)
	}
	fmt.Fprint(s, "\x1b[?1049l")
	if got := term.all(); !slices.Equal(got, []string{"over", "later", "live again"}) {
		t.Errorf("back on the normal one: %q", got)
	}
	s.Hold()
	fmt.Fprint(term, "$ ls\r\n")
	s.Draw(nil, Frame{Rows: []string{"third"}, X: 0})
	s.Release()
	if got := term.all(); !slices.Equal(got, []string{"over", "later", "$ ls", "third"}) {
		t.Errorf("after another program: %q", got)
	}
	s.Stop()
	s.Draw([]string{"no"}, Frame{Rows: []string{"more"}})
	if got := term.all(); !slices.Equal(got, []string{"over", "later", "$ ls"}) {
		t.Errorf("at the end: %q", got)
	}
}

// More rows than the window has, and wider ones, are cut.
func TestFits(t *testing.T) {
	term := newTerminal(10, 4)
	s := term.screen()
	s.Draw(nil, Frame{Rows: []string{"1", "2", "3", "4", "5 long long row"}, X: 30, Y: 4})
	if got := term.all(); !slices.Equal(got, []string{"3", "4", "5 long l…"}) {
		t.Errorf("the screen shows %q", got)
	}
}

// colored are numbered rows in a colour of the palette.
func colored(name string, from, n, color int) []string {
	rows := numbered(name, from, n)
	for i, row := range rows {
		rows[i] = fmt.Sprintf("\x1b[3%dm%s\x1b[m", color, row)
	}
	return rows
}

// What was printed and is on the screen takes other colours, what is in the
// scrollback keeps its own; nothing else changes, whatever was drawn before.
func TestRepaint(t *testing.T) {
	for seed := range uint64(25) {
		rnd := rand.New(rand.NewPCG(seed, 2))
		term := newTerminal(40, 12)
		before := rnd.IntN(12)
		for i := range before {
			fmt.Fprintf(term, "\x1b[31mshell %d\x1b[m\r\n", i)
		}
		s := term.screen()
		printed := 0
		var live []string
		for range 12 {
			above := colored("over", printed, rnd.IntN(6), 1)
			printed += len(above)
			live = numbered("live", 0, 1+rnd.IntN(11))
			s.Draw(above, Frame{Rows: live, X: 1, Y: rnd.IntN(len(live))})
			if rnd.IntN(6) == 0 {
				fmt.Fprint(s, "\x1b[?1049h\x1b[2Jelsewhere\x1b[?1049l")
			}
		}
		wants := append(append(numbered("shell", 0, before), numbered("over", 0, printed)...), live...)
		s.Repaint(colored("over", 0, printed, 2))
		s.Draw(nil, Frame{Rows: live, X: 1})
		if got := term.all(); !slices.Equal(got, wants) {
			t.Fatalf("seed %d: the terminal holds\n%s\nwant\n%s", seed, strings.Join(got, "\n"), strings.Join(wants, "\n"))
		}
		for _, row := range strings.Split(term.Render(), "\n") {
			if strings.Contains(row, "over") != strings.Contains(row, "\x1b[32m") {
				t.Fatalf("seed %d: the screen shows %q", seed, row)
			}
		}
		for _, line := range term.Scrollback().Lines() {
			if strings.Contains(line.Render(), "\x1b[32m") {
				t.Fatalf("seed %d: the scrollback has %q", seed, line.Render())
			}
		}
	}
}

// Rows that read otherwise now, and those of before another size, are left
// alone.
func TestRepaintLeavesAlone(t *testing.T) {
	term := newTerminal(40, 12)
	s := term.screen()
	s.Draw(colored("over", 0, 3, 1), Frame{Rows: []string{"live"}})
	s.Repaint(colored("other", 0, 3, 2))
	s.Draw(nil, Frame{Rows: []string{"live"}})
	term.height = 10
	term.Resize(40, 10)
	s.Repaint(colored("over", 0, 3, 2))
	s.Draw(nil, Frame{Rows: []string{"live"}})
	s.Repaint(colored("over", 0, 3, 2))
	s.Draw(nil, Frame{Rows: []string{"live"}})
	if strings.Contains(term.out.String(), "\x1b[32m") {
		t.Errorf("wrote %q", term.out.String())
	}
}
