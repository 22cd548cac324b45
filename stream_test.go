//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
)

// A long answer as the terminal, the session's file and the processor see it:
// requirements C-3 and E-4.

// essay is an answer of 60 KB with code, tables, lists, Chinese and Arabic. Its
// last line is "The end."
func essay() string {
	var text strings.Builder
	for i := 0; text.Len() < 60_000; i++ {
		fmt.Fprintf(&text, `## Part %d: 第 %[1]d 部分

The function reads the **whole file**, splits it into lines and returns those that match %[2]s.

这是一个没有空格的很长的中文段落用来检查换行是否正确因为每个字都占两个单元格而行宽必须被遵守。

شغّل الأمر %[2]s ثم أعد المحاولة، واقرأ الملف README.md قبل ذلك.

| name | 数量 | قيمة |
| --- | ---: | --- |
| a name that is longer than its column at eighty | %[1]d | مرحبا بالعالم |
| 名字 | 3 | b |

- [x] done
- [ ] open, 还没有
  1. nested

%[3]sgo
func part%[1]d(names []string) (int, error) {
	for i, name := range names { // 一行很长的注释，用来检查代码块在窄窗口里怎样换行，以及宽度是否正确
		fmt.Println(i, name)
	}
	return %[1]d, nil
}
%[3]s

`, i, "`go test ./...`", "```")
	}
	return text.String() + "The end.\n"
}

// streamed is a script that says a text in pieces over a time.
func streamed(text string, over time.Duration) string {
	const pieces = 80
	var script strings.Builder
	script.WriteString("-- turn --\n")
	letters := []rune(text)
	for i := range pieces {
		part := letters[len(letters)*i/pieces : len(letters)*(i+1)/pieces]
		fmt.Fprintf(&script, "-- text piece=40 quoted --\n%q\n-- delay %v --\n", string(part), over/pieces)
	}
	return script.String()
}

// margin draws what a screen gets on one that is wider: what is beyond the
// screen's own width there was too wide.
type margin struct {
	vt   *vt.Emulator
	read int // of what the screen got
}

func newMargin(s *screen) *margin {
	m := &margin{vt: vt.NewEmulator(2*s.width+20, s.height)}
	go io.Copy(io.Discard, m.vt) // its answers
	s.t.Cleanup(func() {
		if pipe, ok := m.vt.InputPipe().(io.Closer); ok {
			pipe.Close()
		}
	})
	return m
}

// check fails the test when a row was wider than the window.
func (m *margin) check(s *screen) {
	s.t.Helper()
	out := s.written()
	m.vt.Write(out[m.read:])
	m.read = len(out)
	for _, row := range strings.Split(ansi.Strip(m.vt.String()), "\n") {
		if width := ansi.StringWidth(strings.TrimRight(row, " ")); width > s.width {
			s.t.Fatalf("a row of %d columns in a window of %d: %q", width, s.width, row)
		}
	}
}

var partNumber = regexp.MustCompile(`part(\d+)\(`)

// part is the number of the last part on the screen.
func (s *screen) part() (n int) {
	for _, m := range partNumber.FindAllStringSubmatch(s.text(), -1) {
		n, _ = strconv.Atoi(m[1])
	}
	return n
}

// boxes counts the prompts on the screen.
func (s *screen) boxes() (n int) {
	for row := range strings.Lines(s.text()) {
		if strings.HasPrefix(row, "›") {
			n++
		}
	}
	return n
}

// answers are the texts of the session's assistant messages.
func (p *place) answers() (texts []string) {
	for _, line := range p.lines() {
		data, err := json.Marshal(line["message"])
		if err != nil {
			p.t.Fatal(err)
		}
		var m struct {
			Role    string
			Content []struct{ Text string }
		}
		if json.Unmarshal(data, &m) == nil && m.Role == "assistant" {
			text := ""
			for _, block := range m.Content {
				text += block.Text
			}
			texts = append(texts, text)
		}
	}
	return texts
}

// A long answer fits the window, is whole in the file, and costs little: the
// goals are six bytes to the terminal for one of text and eight times the
// processor's time of a run without a terminal. Only ten times the latter fails
// the test, for time on a shared machine says little.
func TestStreamLongAnswer(t *testing.T) {
	text := essay()
	bare := newPlace(t)
	reader := bare.command("-p", "--mode", "json", bare.script("essay", streamed(text, 0)), "go")
	if err := reader.Run(); err != nil {
		t.Fatal(err)
	}
	least := used(reader)
	for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 50}} {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			s := newTerminal(t, size[0], size[1])
			c := p.command(p.script("essay", streamed(text, 5600*time.Millisecond)), "go")
			s.run(c)
			m := newMargin(s)
			for !strings.Contains(s.text(), "The end.") {
				m.check(s)
				s.change()
			}
			s.framed()
			m.check(s)
			if n := s.boxes(); n != 1 {
				t.Errorf("%d prompts on the screen:\n%s", n, s.text())
			}
			written := len(s.written())
			s.leave(c)
			if got := p.answers(); len(got) != 1 || strings.TrimSpace(got[0]) != strings.TrimSpace(text) {
				t.Errorf("%d answers in the session, want one of %d bytes", len(got), len(text))
			}
			if written > 6*len(text) {
				t.Errorf("%d bytes to the terminal for %d of text", written, len(text))
			}
			cost := float64(used(c)) / float64(least)
			t.Logf("%.1f bytes to the terminal for one of text; %v of the processor's time, %.1f times the bare run's %v",
				float64(written)/float64(len(text)), used(c), cost, least)
			if cost > 10*8 {
				t.Errorf("%.0f times the processor's time of a run without a terminal", cost)
			}
		})
	}
}

// used is the processor's time of a command that has ended.
func used(c *exec.Cmd) time.Duration {
	return c.ProcessState.UserTime() + c.ProcessState.SystemTime()
}

// change waits until something new is on the screen.
func (s *screen) change() {
	s.t.Helper()
	select {
	case <-s.changed:
	case <-time.After(guard):
		s.t.Fatalf("nothing happens any more:\n%s", s.text())
	}
}

// Ten resizes of a long answer leave one prompt, whole rows and the message.
func TestStreamLongAnswerResized(t *testing.T) {
	text := essay()
	p := newPlace(t)
	s := newTerminal(t, 100, 30)
	c := p.command(p.script("essay", streamed(text, 3*time.Second)), "go")
	s.run(c)
	for i, size := range [][2]int{{80, 24}, {60, 24}, {45, 24}, {60, 30}, {90, 16}, {100, 40}, {200, 50}, {40, 20}, {120, 40}, {80, 24}} {
		for !strings.Contains(s.text(), "The end.") && s.part() < 6*i {
			s.change()
		}
		s.resize(size[0], size[1])
		s.see(strings.Repeat("─", size[0]))
	}
	s.see("The end.")
	s.framed()
	if n := s.boxes(); n != 1 {
		t.Errorf("%d prompts on the screen:\n%s", n, s.text())
	}
	m := newMargin(s)
	m.read = len(s.written())
	s.keys("\x0c") // drawn anew, to see every row's width
	s.keys("x")
	s.see("› x")
	m.check(s)
	s.keys("\x7f")
	s.framed()
	s.leave(c)
	if got := p.answers(); len(got) != 1 || strings.TrimSpace(got[0]) != strings.TrimSpace(text) {
		t.Errorf("%d answers in the session, want one of %d bytes", len(got), len(text))
	}
}
