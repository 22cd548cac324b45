package terminal_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/hoopoe-agent/hoopoe/tui/terminal"
)

var update = flag.Bool("update", false, "write the golden files anew")

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// columns are the cursor's reports of a terminal that measures by a method,
// but for the samples named.
func columns(m ansi.Method, other map[string]int) string {
	var b strings.Builder
	for _, s := range terminal.Samples() {
		w := m.StringWidth(s.Text)
		if n, ok := other[s.Name]; ok {
			w = n
		}
		fmt.Fprintf(&b, "\x1b[7;%dR", w+1)
	}
	return b.String()
}

// terminals are what terminals answer, with the environment that they make.
var terminals = []struct {
	name    string
	environ []string
	answers string
}{
	{"kitty", []string{"TERM=xterm-kitty", "KITTY_WINDOW_ID=1", "COLORTERM=truecolor"},
		"\x1bP>|kitty(0.40.1)\x1b\\\x1b[?0u\x1b[?1004;2$y\x1b[?1006;2$y\x1b[?2026;2$y\x1b[?2027;0$y\x1b[?2031;2$y\x1b[?2501;0$y" +
			"\x1bP1+r524742=382f382f38\x1b\\\x1bP1+r4D73=5c\x1b\\\x1bP1$r48:2:1:2:3m\x1b\\\x1b_Gi=31;OK\x1b\\" +
			columns(ansi.GraphemeWidth, nil) + "\x1b[?62;52;c"},
	{"xterm", []string{"TERM=xterm-256color", "XTERM_VERSION=XTerm(390)"},
		"\x1bP>|XTerm(390)\x1b\\\x1b[>4;0m\x1b[?1004;2$y\x1b[?1006;2$y\x1b[?2026;0$y\x1b[?2027;0$y\x1b[?2031;0$y\x1b[?2501;0$y" +
			"\x1bP0+r\x1b\\\x1bP0+r\x1b\\\x1bP1$r0;48:5:16m\x1b\\" + columns(ansi.WcWidth, nil) + "\x1b[?64;1;2;4;6;9;15;22c"},
	{"vte", []string{"TERM=xterm-256color", "VTE_VERSION=7800", "COLORTERM=truecolor"},
		"\x1bP>|VTE(7800)\x1b\\\x1b[?1004;2$y\x1b[?1006;2$y\x1b[?2026;2$y\x1b[?2027;0$y\x1b[?2031;0$y\x1b[?2501;2$y" +
			"\x1bP1$r0;48:2:1:2:3m\x1b\\" + columns(ansi.WcWidth, map[string]int{"heart": 2}) + "\x1b[?61;1;21;22c"},
	{"tmux", []string{"TERM=tmux-256color", "TMUX=/tmp/tmux-0/default,1,0", "TERM_PROGRAM=tmux", "TERM_PROGRAM_VERSION=3.5a", "SSH_TTY=/dev/pts/1"},
		"\x1bP>|tmux 3.5a\x1b\\\x1b[?1004;2$y\x1b[?2026;0$y" + columns(ansi.GraphemeWidth, nil) + "\x1b[?1;2;4c"},
	{"zellij", []string{"TERM=xterm-256color", "ZELLIJ=0", "TERM_PROGRAM=WezTerm", "TERM_PROGRAM_VERSION=20240203"}, "\x1b[?6c"},
	{"apple", []string{"TERM=xterm-256color", "TERM_PROGRAM=Apple_Terminal", "TERM_PROGRAM_VERSION=455"},
		columns(ansi.WcWidth, nil) + "\x1b[?1;2c"},
	{"linux", []string{"TERM=linux"}, columns(ansi.WcWidth, nil) + "\x1b[?6c"},
	{"nothing told", nil, "\x1b[?1c"},
}

func report(p terminal.Profile) string {
	var b strings.Builder
	for _, r := range p.Report() {
		fmt.Fprintf(&b, "%-15s %-4s %s", r.Name, r.State, r.Text)
		if r.Hint != "" {
			fmt.Fprintf(&b, " → %s", r.Hint)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// What is told of each terminal, before it was asked and after.
func TestReport(t *testing.T) {
	var b strings.Builder
	for _, c := range terminals {
		guess := terminal.Guess(c.environ)
		var replies terminal.Replies
		io.WriteString(&replies, c.answers)
		if !replies.Done() {
			t.Errorf("%s: the answers have no end", c.name)
		}
		if keys := replies.Keys(); len(keys) > 0 {
			t.Errorf("%s: answers are taken for keys: %q", c.name, keys)
		}
		fmt.Fprintf(&b, "== %s, guessed\n%s== %s, asked\n%s", c.name, report(guess), c.name, report(replies.Profile(guess, noon)))
	}
	path := filepath.Join("testdata", "report.golden")
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("%s differs (-update writes it anew); got:\n%s", path, b.String())
	}
}

// What the chat does by the answers.
func TestFeatures(t *testing.T) {
	type features struct {
		inline, shiftEnter, reorders, clusters bool
		method                                 ansi.Method
		images                                 string
		trueColor                              terminal.Answer
	}
	want := map[string]features{
		"kitty":        {false, true, false, true, ansi.GraphemeWidth, terminal.Kitty, terminal.Yes},
		"xterm":        {false, true, false, false, ansi.WcWidth, terminal.Sixel, terminal.No},
		"vte":          {false, false, true, false, ansi.WcWidth, "", terminal.Yes},
		"tmux":         {false, false, false, true, ansi.GraphemeWidth, terminal.Sixel, terminal.Unknown},
		"zellij":       {true, false, false, false, ansi.GraphemeWidth, "", terminal.Yes},
		"apple":        {false, false, true, false, ansi.WcWidth, "", terminal.Unknown},
		"linux":        {false, false, false, false, ansi.WcWidth, "", terminal.Unknown},
		"nothing told": {false, false, false, false, ansi.GraphemeWidth, "", terminal.Unknown},
	}
	for _, c := range terminals {
		var replies terminal.Replies
		io.WriteString(&replies, c.answers)
		p := replies.Profile(terminal.Guess(c.environ), noon)
		got := features{p.Inline(), p.ShiftEnter(), p.Bidi == terminal.Yes, p.Clusters(), p.Method(), p.Images, p.TrueColor}
		if got != want[c.name] {
			t.Errorf("%s: %+v, want %+v", c.name, got, want[c.name])
		}
	}
}

// C-3: a key that is typed during the exchange is not lost, and pieces of any
// size make the same profile.
func TestKeysAmongAnswers(t *testing.T) {
	answers := "h" + strings.Replace(terminals[0].answers, "\x1b[?2026;2$y", "\x1b[A\x1b[?2026;2$yé\x1bx", 1) + "later\x1b[?5c\x1b"
	guess := terminal.Guess(terminals[0].environ)
	var whole, pieces terminal.Replies
	io.WriteString(&whole, answers)
	for i := range len(answers) {
		io.WriteString(&pieces, answers[i:i+1])
	}
	for name, r := range map[string]*terminal.Replies{"whole": &whole, "pieces": &pieces} {
		if got, want := string(r.Keys()), "h\x1b[Aé\x1bxlater\x1b[?5c\x1b"; got != want {
			t.Errorf("%s: keys %q, want %q", name, got, want)
		}
		if got, want := report(r.Profile(guess, noon)), report(whole.Profile(guess, noon)); got != want {
			t.Errorf("%s: report\n%swant\n%s", name, got, want)
		}
	}
}

func TestQueries(t *testing.T) {
	if q := terminal.Guess([]string{"TERM=dumb"}).Queries(); q != nil {
		t.Errorf("a dumb terminal is asked %q", q)
	}
	for _, environ := range [][]string{{"TERM=linux"}, {"TERM=screen", "STY=1.pts"}} {
		q := string(terminal.Guess(environ).Queries())
		if strings.Contains(q, "\x1bP") || strings.Contains(q, "\x1b_") {
			t.Errorf("%v is sent a string that it prints: %q", environ, q)
		}
	}
	q := string(terminal.Guess([]string{"TERM=xterm"}).Queries())
	if !strings.HasSuffix(q, "\x1b[c") {
		t.Errorf("the last query is no fence: %q", q)
	}
	if got, want := ansi.Strip(strings.ReplaceAll(q, "\r", "")), ""; strings.Count(q, "\x1b[6n") != len(terminal.Samples()) || got == want {
		t.Errorf("not every sample is measured: %q", q)
	}
}

func TestWrap(t *testing.T) {
	for term, want := range map[string]string{
		"xterm":         "\x1b]52;c;aA==\a",
		"tmux-256color": "\x1bPtmux;\x1b\x1b]52;c;aA==\a\x1b\\",
		"screen":        "\x1bP\x1b]52;c;aA==\a\x1b\\",
	} {
		if got := terminal.Guess([]string{"TERM=" + term}).Wrap("\x1b]52;c;aA==\a"); got != want {
			t.Errorf("%s: %q, want %q", term, got, want)
		}
	}
}

func TestSaveAndLoad(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "terminals")
	guess := terminal.Guess(terminals[0].environ)
	if p, err := terminal.Load(dir, guess); err != nil || report(p) != report(guess) {
		t.Errorf("nothing saved gives %v\n%s", err, report(p))
	}
	var replies terminal.Replies
	io.WriteString(&replies, terminals[0].answers)
	asked := replies.Profile(guess, noon)
	if err := asked.Save(dir, guess); err != nil {
		t.Fatal(err)
	}
	p, err := terminal.Load(dir, guess)
	if err != nil || report(p) != report(asked) || p.Method() != asked.Method() || !p.Asked.Equal(noon) {
		t.Errorf("saved and loaded: %v\n%swant\n%s", err, report(p), report(asked))
	}
	// Another terminal knows nothing of it; the same inside of tmux neither.
	for _, environ := range [][]string{terminals[1].environ, append(terminals[0].environ, "TMUX=x")} {
		other := terminal.Guess(environ)
		if p, err := terminal.Load(dir, other); err != nil || !p.Asked.IsZero() {
			t.Errorf("%v: answers of another terminal, %v", environ, err)
		}
	}
	// What is behind ssh is told by the environment of this start.
	far := terminal.Guess(append(terminals[0].environ, "SSH_TTY=x"))
	if p, err := terminal.Load(dir, far); err != nil || !p.Remote || p.Asked.IsZero() {
		t.Errorf("over ssh: %+v, %v", p, err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("files %v, %v", files, err)
	}
	if err := os.WriteFile(files[0], []byte(`{"terminal": 1}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if p, err := terminal.Load(dir, guess); err == nil || !strings.Contains(err.Error(), "delete it") || report(p) != report(guess) {
		t.Errorf("a damaged file gives %v\n%s", err, report(p))
	}
}

// E-1: names out of the environment make no path and no escape sequence.
func TestHostileEnvironment(t *testing.T) {
	dir := t.TempDir()
	guess := terminal.Guess([]string{"TERM_PROGRAM=../../x\x1b[2J\u202e", "TERM_PROGRAM_VERSION=" + strings.Repeat("../", 200), "TERM=/etc/passwd"})
	if err := guess.Save(filepath.Join(dir, "a", "b"), guess); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "a", "b", "*.json"))
	if err != nil || len(files) != 1 {
		t.Errorf("files %v, %v", files, err)
	}
	if text := report(guess); strings.ContainsAny(text, "\x1b\u202e") || len(text) > 2000 {
		t.Errorf("report %q", text)
	}
}

// tty plays a terminal.
type tty struct {
	io.Reader
	close func() error
}

func (t tty) Cancel() bool { return t.close() == nil }

func TestAsk(t *testing.T) {
	guess := terminal.Guess(terminals[0].environ)
	now := func() time.Time { return noon }
	answered, out := io.Pipe()
	go func() {
		for _, part := range strings.SplitAfter(terminals[0].answers+"x", "\x1b\\") {
			io.WriteString(out, part)
		}
	}()
	var asked strings.Builder
	p, keys, err := terminal.Ask(t.Context(), tty{answered, answered.Close}, &asked, guess, now)
	if err != nil || p.Terminal != "kitty" || p.Version != "0.40.1" || string(keys) != "x" {
		t.Errorf("%+v, keys %q, %v", p, keys, err)
	}
	if asked.String() != string(guess.Queries()) {
		t.Errorf("asked %q", asked.String())
	}

	// One that is silent, but for a key, leaves the guess when the time is over.
	ctx, cancel := context.WithCancel(t.Context())
	silent, typed := io.Pipe()
	go func() {
		io.WriteString(typed, "k")
		cancel()
	}()
	p, keys, err = terminal.Ask(ctx, tty{silent, silent.Close}, io.Discard, guess, now)
	if !errors.Is(err, terminal.ErrSilent) || report(p) != report(guess) || string(keys) != "k" {
		t.Errorf("silent: %+v, keys %q, %v", p, keys, err)
	}
}

func FuzzReplies(f *testing.F) {
	for _, c := range terminals {
		f.Add([]byte(c.answers), 3)
	}
	f.Add([]byte("0P0$r typed\x1b[?c"), 3)
	f.Add([]byte("\x1bP>|\x1b]0;x\a\x1b\\\x1b[?c"), 1)
	f.Add([]byte("\x1b_G"+strings.Repeat("x", 5000)), 4096)
	f.Fuzz(func(t *testing.T, data []byte, size int) {
		guess := terminal.Guess([]string{"TERM=xterm"})
		var whole, pieces terminal.Replies
		whole.Write(data)
		for rest := data; len(rest) > 0; {
			n := min(max(size, 1), len(rest))
			pieces.Write(rest[:n])
			rest = rest[n:]
		}
		text := report(whole.Profile(guess, noon))
		if len(data) < 4096 {
			if other := report(pieces.Profile(guess, noon)); other != text || string(whole.Keys()) != string(pieces.Keys()) {
				t.Errorf("%q in pieces of %d: keys %q and %q, reports\n%s\n%s", data, size, whole.Keys(), pieces.Keys(), text, other)
			}
		}
		if len(whole.Keys()) > len(data) {
			t.Errorf("%q: more keys than came: %q", data, whole.Keys())
		}
		for _, r := range text {
			if r < ' ' && r != '\n' || r == 0x7f || r >= 0x80 && r < 0xa0 || r == 0x202e {
				t.Fatalf("%q: the report has %q in it", data, r)
			}
		}
	})
}
