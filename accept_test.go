//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/term"
)

// The chat as a terminal sees it: requirements C-3, E-4 and E-5 on the program
// itself. Each test is a family of reports about terminal programs.

// prompt is what the editor holds, all its rows: what is between the last rule
// and the status line.
func (s *screen) prompt() string {
	rows := strings.Split(s.text(), "\n")
	from := len(rows) - 1
	for from > 0 && strings.Trim(rows[from], "─") != "" {
		from--
	}
	var held []string
	for _, row := range rows[from+1 : len(rows)-1] {
		row = strings.TrimSpace(strings.TrimPrefix(row, "›"))
		held = append(held, row)
	}
	return strings.Join(held, "⏎")
}

// holds waits until the editor holds a text.
func (s *screen) holds(what, text string) {
	s.t.Helper()
	s.wait(fmt.Sprintf("%s: the editor to hold %q", what, text), func() bool { return s.prompt() == text })
}

// wait waits until something is so.
func (s *screen) wait(what string, so func() bool) {
	s.t.Helper()
	late := time.After(guard)
	for !so() {
		select {
		case <-s.changed:
		case <-late:
			s.t.Fatalf("waited too long for %s:\n%s", what, s.text())
		}
	}
}

// leave ends the chat by its command.
func (s *screen) leave(c *exec.Cmd) {
	s.t.Helper()
	s.keys("/quit\r")
	killer := time.AfterFunc(guard, func() { c.Process.Kill() })
	defer killer.Stop()
	if err := c.Wait(); err != nil {
		s.t.Errorf("%v:\n%s", err, s.text())
	}
}

// A terminal that answers no question gets its first frame all the same.
func TestAcceptSilentTerminal(t *testing.T) {
	p := newPlace(t)
	for _, silent := range []bool{false, true} {
		t.Run(fmt.Sprintf("silent=%v", silent), func(t *testing.T) {
			s := newTerminal(t, 100, 40)
			s.silent = silent
			c := p.command(p.script("echo", echo))
			s.run(c)
			s.keys("typed at once")
			s.see("› typed at once")
			s.keys("\r")
			s.see("A whole answer")
			s.leave(c)
		})
	}
}

// samples are texts whose width terminals and programs disagree about.
var samples = []string{
	"这是一个没有空格的很长的中文段落用来检查换行是否正确因为每个字都占两个单元格而行宽必须被遵守",
	"شغّل الأمر `go test ./...` ثم أعد المحاولة، واقرأ الملف README.md قبل ذلك.",
	"Emoji 👨‍👩‍👧‍👦 ❤️ ☀️ 1️⃣ स्ते 👍🏽 🇩🇪 in a row that has to be wrapped somewhere",
	strings.Repeat("0123456789", 1000),
	"a\tb\tc\td\te\tf\tg\th\ti\tj\tk\tl\tm\tn\to\tp",
	"one\rtwo\rthree",
	"| name | 数量 | قيمة |\n| --- | ---: | --- |\n| a long name that doesn't fit | 12 | مرحبا بالعالم |\n| 名字 | 3 | b |",
	"- [x] done\n- [ ] open\n  1. nested 深\n     - deeper\n\n> quoted **bold** <br> and <b>tags</b>\n\n```go\nfunc main() { println(\"一二三四五六七八九十一二三四五六七八九十\") }\n```",
}

// No text moves the frame: one rule over the whole width, one prompt, the
// status line below, at every width.
func TestAcceptWidths(t *testing.T) {
	p := newPlace(t)
	model := p.script("samples", "-- turn --\ntimes: always\n-- text --\n"+strings.Join(samples, "\n\n")+"\n\nThe end.\n")
	for _, width := range []int{20, 40, 80, 200} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			s := newTerminal(t, width, 50)
			c := p.command(model, "go")
			s.run(c)
			s.see("The end.")
			s.framed()
			for range 12 { // through the whole answer
				s.keys("\x1b[5~")
				s.framed()
			}
			s.leave(c)
		})
	}
}

// framed waits until the frame is whole: a rule over the whole width, an empty
// prompt and the status line end the screen. In a narrow window the chat is
// inline, where the last column stays free and rows below may be empty.
func (s *screen) framed() {
	s.t.Helper()
	late := time.After(guard)
	for {
		rows, width := strings.Split(s.text(), "\n"), s.width
		if width < 40 {
			rows, width = strings.Split(strings.TrimRight(s.text(), " \n"), "\n"), width-1
		}
		last := rows[max(0, len(rows)-3):]
		if len(last) == 3 && strings.TrimRight(last[0], " ") == strings.Repeat("─", width) && strings.TrimSpace(last[1]) == "›" {
			return
		}
		select {
		case <-s.changed:
		case <-late:
			s.t.Fatalf("no whole frame at width %d:\n%s", s.width, s.text())
		}
	}
}

// Ten resizes while an answer streams leave one input box and every message.
func TestAcceptResizes(t *testing.T) {
	p := newPlace(t)
	var script strings.Builder
	script.WriteString("-- turn --\n-- text --\n")
	for i := range 40 {
		fmt.Fprintf(&script, "Paragraph %d goes on for a while, 有中文, وعربي.\n\n-- delay 20ms --\n-- text --\n", i)
	}
	script.WriteString("The end.\n")
	s := newTerminal(t, 100, 30)
	c := p.command(p.script("long", script.String()), "go")
	s.run(c)
	s.see("Paragraph 0")
	for i, size := range [][2]int{{80, 30}, {60, 24}, {45, 24}, {60, 30}, {90, 12}, {100, 40}, {200, 50}, {40, 20}, {120, 30}, {80, 24}} {
		s.resize(size[0], size[1])
		s.see(fmt.Sprintf("Paragraph %d", 2*i))
	}
	s.see("The end.")
	s.framed()
	s.leave(c)
	if got := strings.Count(p.read(filepath.Base(p.sessionText())), "Paragraph "); got < 40 {
		t.Errorf("%d paragraphs in the session", got)
	}
}

// The same inline: the terminal's scrollback has every paragraph once, in order,
// and one input box is left below them. A frame on its way while the window gets
// narrower is wrapped by the terminal, and nobody can know: a busy machine can
// leave rests of many. What is wrong is wrong each time.
func TestAcceptInlineResizes(t *testing.T) {
	p := newPlace(t)
	late := time.Now().Add(guard)
	for wrong := p.inlineResizes(); wrong != ""; wrong = p.inlineResizes() {
		if time.Now().After(late) {
			t.Fatal(wrong)
		}
	}
}

// inlineResizes tells what is wrong in the terminal afterwards. Only widths
// change: the emulator drops rows at a lower height, which no terminal does.
func (p *place) inlineResizes() (wrong string) {
	p.t.Helper()
	var script strings.Builder
	script.WriteString("-- turn --\n-- text --\n")
	for i := range 40 {
		fmt.Fprintf(&script, "Paragraph %d.\n\n-- delay 20ms --\n-- text --\n", i)
	}
	script.WriteString("The end.\n")
	s := newTerminal(p.t, 100, 30)
	c := p.command("--inline", p.script("long", script.String()), "go")
	c.Env = append(c.Env, "XTERM_VERSION=XTerm(400)") // which cuts rows, as the emulator does
	s.run(c)
	s.see("Paragraph 0")
	for i, width := range []int{80, 60, 45, 60, 90, 100, 200, 40, 120, 80} {
		s.resize(width, 30)
		s.see(fmt.Sprintf("Paragraph %d.", 2*i), strings.Repeat("─", width-1)) // a frame of this width
	}
	s.see("The end.")
	s.leave(c)
	all := s.history() + s.text()
	at := 0
	for i := range 40 {
		text := fmt.Sprintf("Paragraph %d.", i)
		here := strings.Index(all, text)
		if n := strings.Count(all, text); n != 1 || here < at {
			return fmt.Sprintf("%q is there %d times, or out of order:\n%s", text, n, all)
		}
		at = here
	}
	rests := 0
	for row := range strings.SplitSeq(all, "\n") {
		if strings.Contains(row, "──") {
			rests++
		}
	}
	if rests > 3 { // some may stay, but not one for each resize
		return fmt.Sprintf("%d rests of the input box are left:\n%s", rests, all)
	}
	return ""
}

// What is pasted is what is sent, with one newline a line.
func TestAcceptBigPaste(t *testing.T) {
	p := newPlace(t)
	s, c := p.chat(p.script("echo", echo))
	s.see("›")
	var pasted strings.Builder
	for i := range 12_000 {
		fmt.Fprintf(&pasted, "line %d\r\n", i)
	}
	s.keys("\x1b[200~" + pasted.String() + "\x1b[201~")
	s.see("12,000 lines")
	<-time.After(gap) // what follows a paste at once would belong to it
	s.keys(" explain\r")
	s.see("A whole answer")
	s.leave(c)
	want := strings.ReplaceAll(pasted.String(), "\r\n", "\n")
	for _, line := range p.lines() {
		m, _ := line["message"].(map[string]any)
		if m["role"] != "user" {
			continue
		}
		got := fmt.Sprint(m["content"])
		if !strings.Contains(got, want) || strings.Contains(got, "\r") || !strings.Contains(got, "explain") {
			t.Errorf("the session has %d bytes, %q ... of %d", len(got), got[:min(len(got), 80)], len(want))
		}
		return
	}
	t.Error("the session has no message of the user's")
}

// hostile would write the clipboard, name the window, clear the screen and turn
// text round.
const hostile = "a\x1b]52;c;ZXZpbA==\x07b\x1b]0;evil\x07c\x1b[2Jd\u009b2Je\u202ef"

// Nothing that a model, a file or its name says reaches the terminal as it is.
func TestAcceptHostileText(t *testing.T) {
	p := newPlace(t)
	name := strings.ReplaceAll(hostile, "/", "")
	p.file(name, hostile+"\n")
	s, c := p.chat(p.script("evil", "-- turn --\n-- thinking --\n"+hostile+"\n-- text --\n"+hostile+"\n\n```\n"+hostile+"\n```\n-- call ls --\n{\"path\":\".\"}\n-- turn --\n-- text --\nThe end.\n"), hostile)
	s.see("The end.")
	s.keys("\x0f@a")
	s.keys("\x7f\x7f/name x\x1b[200~" + hostile + "\x1b[201~")
	s.see("/name xabcd") // what follows a paste at once would belong to it
	<-time.After(gap)
	s.keys(" named")
	s.see("named")
	s.keys("\r")
	s.see("has its name")
	s.keys("/session\r")
	s.see("permissions")
	s.leave(c)
	for _, evil := range []string{"\x1b]52", "evil\x07", "\u009b", "\u202e"} {
		if bytes.Contains(s.written(), []byte(evil)) {
			t.Errorf("%q reached the terminal", evil)
		}
	}
}

// However the chat ends, the terminal is as it was.
func TestAcceptRestored(t *testing.T) {
	for _, tt := range []struct {
		name string
		end  func(s *screen, c *exec.Cmd)
		code int
	}{
		{"quit", func(s *screen, _ *exec.Cmd) { s.keys("/quit\r") }, 0},
		{"term", func(_ *screen, c *exec.Cmd) { _ = c.Process.Signal(syscall.SIGTERM) }, 143},
		{"hup", func(_ *screen, c *exec.Cmd) { _ = c.Process.Signal(syscall.SIGHUP) }, 129},
		{"ctrl+c twice", func(s *screen, _ *exec.Cmd) { s.keys("\x03"); s.see("again leaves"); s.keys("\x03") }, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newPlace(t)
			s := newTerminal(t, 80, 24)
			c := p.command(p.script("endless", endless), "go")
			before, err := term.GetState(s.tty.Fd())
			if err != nil {
				t.Fatal(err)
			}
			s.run(c)
			s.see("Half an answer")
			tt.end(s, c)
			if code := exitOf(t, c.Wait()); code != tt.code {
				t.Errorf("exit code %d, want %d", code, tt.code)
			}
			if after, err := term.GetState(s.tty.Fd()); err != nil || *after != *before {
				t.Errorf("the terminal's modes were %v and are %v, %v", before, after, err)
			}
			out := string(s.written())
			for _, off := range []string{"\x1b[?1049l", "\x1b[?2004l", "\x1b[?25h"} {
				on := strings.NewReplacer("l", "h", "h", "l").Replace(off[len(off)-1:])
				if strings.LastIndex(out, off) < strings.LastIndex(out, off[:len(off)-1]+on) {
					t.Errorf("%q isn't the last word", off)
				}
			}
		})
	}
}

// Terminals that are none, or hardly.
func TestAcceptPoorTerminals(t *testing.T) {
	p := newPlace(t)
	model := p.script("echo", echo)
	t.Run("dumb", func(t *testing.T) {
		s := newTerminal(t, 80, 24)
		c := p.command(model, "hello")
		s.name = "dumb"
		s.run(c)
		s.see("A whole answer")
		s.leave(c)
		if out := s.written(); bytes.ContainsRune(out, '\x1b') {
			t.Errorf("escape codes on a dumb terminal: %q", out)
		}
	})
	t.Run("no colour", func(t *testing.T) {
		s := newTerminal(t, 80, 24)
		c := p.command(model, "hello")
		c.Env = append(c.Env, "NO_COLOR=1")
		s.run(c)
		s.see("A whole answer")
		s.leave(c)
		for _, code := range []string{"[38;", "[48;", ";38;", "[31m", "[32m"} {
			if bytes.Contains(s.written(), []byte(code)) {
				t.Errorf("colour %q in spite of NO_COLOR", code)
			}
		}
	})
	t.Run("output to a file", func(t *testing.T) {
		out, errs, code := p.run(model, "hello")
		if code != 0 && code != 2 || strings.ContainsRune(out+errs, '\x1b') {
			t.Errorf("exit code %d, %q, %q", code, out, errs)
		}
	})
	t.Run("input from a pipe", func(t *testing.T) {
		c := p.command("-p", model)
		c.Stdin = strings.NewReader("hello")
		out, err := c.Output()
		if err != nil || string(out) != "A whole answer\n" {
			t.Errorf("%q, %v", out, err)
		}
	})
	t.Run("no controlling terminal", func(t *testing.T) {
		c := p.command("-p", model, "hello")
		c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		out, err := c.Output()
		if err != nil || string(out) != "A whole answer\n" {
			t.Errorf("%q, %v", out, err)
		}
	})
}

// sessionText copies the session's file to where read finds it.
func (p *place) sessionText() string {
	p.t.Helper()
	data, err := os.ReadFile(p.sessionFile())
	if err != nil {
		p.t.Fatal(err)
	}
	return p.file("session.jsonl", string(data))
}
