//go:build unix

package main

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Terminals differ in how they measure text: by grapheme clusters, if they are
// asked to (mode 2027), or each character on its own. Requirements C-3 and E-4.

const (
	askClusters = "\x1b[?2027$p"
	setClusters = "\x1b[?2027h"
)

// grants makes the screen one that measures by clusters and says so.
func (s *screen) grants() {
	s.filter = func(out []byte) []byte {
		if bytes.Contains(out, []byte(askClusters)) {
			s.keys("\x1b[?2027;2$y")
		}
		return bytes.ReplaceAll(out, []byte(askClusters), nil)
	}
}

// measuresEach makes the screen one that measures each character on its own and
// knows nothing else. What has no width goes to the character before it, which
// doesn't get wider by that.
func (s *screen) measuresEach() {
	var held, base []byte
	s.filter = func(out []byte) []byte {
		in := append(held, out...)
		var parted []byte
		for len(in) > 0 {
			if in[0] < utf8.RuneSelf {
				n := control(in)
				if n == 0 {
					break // the rest comes later
				}
				if sequence := string(in[:n]); sequence != askClusters && sequence != setClusters {
					parted = append(parted, in[:n]...)
				}
				in, base = in[n:], nil
				continue
			}
			if !utf8.FullRune(in) {
				break
			}
			r, n := utf8.DecodeRune(in)
			char := in[:n:n]
			in = in[n:]
			width := ansi.StringWidthWc(string(char))
			switch {
			case width == 0:
				joint := append(base[:len(base):len(base)], char...)
				if r == '\u200d' || r == '\ufe0f' || base == nil || ansi.StringWidth(string(joint)) != ansi.StringWidthWc(string(joint)) {
					continue
				}
				base = joint
				parted = append(parted, char...)
			case ansi.StringWidth(string(char)) != width: // half a flag: the emulator gives it two columns
				parted, base = append(parted, 0, byte('A'+r-0x1f1e6), 0), nil
			default:
				parted, base = append(append(parted, 0), char...), char // a control parts clusters
			}
		}
		held = bytes.Clone(in)
		return parted
	}
}

// control is the length of the character or control sequence at the start, 0
// when it isn't whole.
func control(in []byte) int {
	if in[0] != '\x1b' {
		return 1
	}
	if m := sequences.Find(in); m != nil {
		return len(m)
	}
	return 0
}

var sequences = regexp.MustCompile(`^\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]P_^X](?s:.*?)(?:\x07|\x1b\\)|[ -/]*[0-OQ-WYZ\\` + "`" + `-~])`)

// disputed are texts that terminals measure differently: first the emoji, then
// letters, of which some get more columns from us than from the emulator. None has
// the byte 9C, at which the emulator ends a window's title.
var disputed = []string{"👨‍👩‍👧‍👦", "❤️", "☀️", "1️⃣", "👍🏽", "🇩🇪", "🏳️‍🌈", "🤷🏽‍♂️", "स्ते", "क्षि", "น้ำ", "é", "שָׁ", "\u1112\u1161\u11ab", "ｶﾞ", "글"}

const emoji = 8

// Whatever a terminal measures by, clusters in the answer, the prompt, the name
// and a list move no border and wrap no row; the cursor stands behind what was
// typed; nothing is left over after Backspace and new sizes.
func TestCaseMeasures(t *testing.T) {
	for _, kind := range []struct {
		name         string
		set          func(*screen)
		typed, table []string
	}{
		{"each character", (*screen).measuresEach, disputed, disputed},
		{"clusters", (*screen).grants, disputed, disputed[:emoji]},
		{"clusters unsaid", func(*screen) {}, disputed[:emoji], disputed[:emoji]},
	} {
		for _, mode := range []string{"fullscreen", "inline"} {
			t.Run(kind.name+" "+mode, func(t *testing.T) {
				s := newTerminal(t, 80, 40)
				kind.set(s)
				measured(t, s, mode, kind.typed, kind.table)
			})
		}
	}
}

func measured(t *testing.T, s *screen, mode string, typed, table []string) {
	p := newPlace(t)
	p.file("signs.script", signs(table))
	args := []string{"--model=script/signs.script", strings.Join(disputed, " ")}
	if mode == "inline" {
		args = append([]string{"--inline"}, args...)
	}
	c := p.command(args...)
	c.Env = append(c.Env, "XTERM_VERSION=XTerm(400)") // which cuts rows, as the emulator does
	s.run(c)
	s.see("The end.", "ask · Script")
	s.straight()
	for _, sign := range typed {
		s.keys(sign + "y")
		s.wait(fmt.Sprintf("the cursor behind %q", sign), func() bool { return s.beforeCursor() == "y" })
		s.keys("\x7f\x7f")
		s.straight()
	}
	s.keys("/name " + strings.Repeat(strings.Join(disputed, ""), 3) + "\r")
	s.see("has its name")
	s.straight()
	s.oneBox()
	again := s.straight
	if mode == "inline" { // of a frame on its way to another window rows may be left above
		again = s.upright
	}
	for _, width := range []int{61, 100, 45, 80} {
		s.resize(width, 40)
		again()
	}
	s.keys("/resume\r")
	s.wait("a list with the name", func() bool {
		_, list, found := strings.Cut(s.text(), "── Sessions")
		return found && strings.Contains(list, "น้ำ") && strings.Contains(list, "type to filter") && s.wrapped() == "" // all of it
	})
	s.keys("\x1b")
	again()
	if mode != "inline" {
		s.oneBox()
	}
	s.leave(c)
}

// oneBox tests that nothing was drawn twice.
func (s *screen) oneBox() {
	s.t.Helper()
	all := s.history() + s.text()
	if boxes, rules := emptyPrompt.FindAllString(all, -1), wholeRule.FindAllString(all, -1); len(boxes) != 1 || len(rules) != 1 {
		s.t.Errorf("%d prompts and %d rules:\n%s", len(boxes), len(rules), all)
	}
}

var wholeRule = regexp.MustCompile(`(?m)^─{20,} *$`)

var emptyPrompt = regexp.MustCompile(`(?m)^› *$`)

// signs is a script that says the disputed texts as prose and as code, and some in a table.
func signs(table []string) string {
	var answer strings.Builder
	answer.WriteString("-- turn --\n-- text --\n" + strings.Repeat(strings.Join(disputed, " ")+" ", 8) + "\n\n| sign | end |\n|---|---|\n")
	for _, sign := range table {
		fmt.Fprintf(&answer, "| %s | x |\n", sign)
	}
	answer.WriteString("\n```\n" + strings.Repeat(strings.Join(disputed, ""), 4) + "\n```\n\nThe end.\n")
	return answer.String()
}

// upright waits until the frame stands: a rule over the width, an empty prompt
// below it and the status line end the screen, and the line in the table is
// straight.
func (s *screen) upright() {
	s.t.Helper()
	s.wait("an upright frame", s.stands)
}

// straight is upright when also no row has wrapped.
func (s *screen) straight() {
	s.t.Helper()
	s.wait("a straight frame", func() bool { return s.stands() && s.wrapped() == "" })
}

func (s *screen) stands() bool {
	rows := strings.Split(strings.TrimRight(s.text(), " \n"), "\n")
	last := rows[max(0, len(rows)-3):]
	rule := strings.TrimRight(last[0], " ")
	return len(last) == 3 && strings.Trim(rule, "─") == "" && s.width-utf8.RuneCountInString(rule) <= 1 &&
		emptyPrompt.MatchString(last[1]) && strings.HasPrefix(last[2], "ask · Script") && len(s.lines()) <= 1
}

// wrapped is a row that begins as none of ours does.
func (s *screen) wrapped() string {
	for row := range strings.SplitSeq(s.text(), "\n") {
		if row != "" && !strings.HasPrefix(row, "ask · ") && !strings.ContainsAny(row[:1], " ") && !strings.ContainsAny(row, "›·─") {
			return row
		}
	}
	return ""
}

// lines are the columns of the table's line.
func (s *screen) lines() map[int]bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	columns := map[int]bool{}
	for y := range s.height {
		for x := range s.width {
			if c := s.vt.CellAt(x, y); c != nil && c.Content == "│" {
				columns[x] = true
			}
		}
	}
	return columns
}

// beforeCursor is the character on whose right the cursor stands.
func (s *screen) beforeCursor() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := s.vt.CursorPosition()
	if c := s.vt.CellAt(at.X-1, at.Y); at.X > 0 && c != nil {
		return c.Content
	}
	return ""
}
