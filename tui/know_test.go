//go:build unix

package tui

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/png"
	"regexp"
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// Both modes write as many colours as the terminal has, also of an extension's.
func TestOneDepthForBothModes(t *testing.T) {
	for _, c := range []struct {
		name    string
		environ []string
		writes  string // a colour of the theme
		never   string
	}{
		{"all", []string{"TERM=xterm-256color", "COLORTERM=truecolor"}, `38;2;\d+;\d+;\d+`, ``},
		{"256", []string{"TERM=xterm-256color"}, `38;5;\d+`, `[34]8;2;`},
		{"16", []string{"TERM=xterm"}, `\x1b\[9\dm`, `[34]8;[25];`},
		{"none", []string{"TERM=xterm-256color", "COLORTERM=truecolor", "NO_COLOR=1"}, ``, `[34]8;[25];|\x1b\[[39]\dm`},
	} {
		for _, mode := range []string{Fullscreen, Inline} {
			t.Run(c.name+" "+mode, func(t *testing.T) {
				s, f := start(t, 60, 20, Options{Screen: mode, Environ: c.environ})
				f.say("a1", "# A heading\n\nwith `code`")
				text := "\x1b[38;2;1;200;3mbright\x1b[m"
				f.publish(event.WidgetChanged{Extension: "lint", Key: "w", Lines: []string{text}, Placement: "aboveEditor"})
				s.see("A heading", "code", "bright")
				s.settle()
				out := string(s.written())
				if c.writes != "" && !regexp.MustCompile(c.writes).MatchString(out) {
					t.Errorf("nothing like %s was written", c.writes)
				}
				if c.never != "" {
					if bad := regexp.MustCompile(c.never).FindString(out); bad != "" {
						t.Errorf("%q was written", bad)
					}
				}
			})
		}
	}
}

// Where the terminal knows links a text leads to its address; elsewhere the
// address is written out.
func TestLinksAsTheTerminalKnowsThem(t *testing.T) {
	for term, linked := range map[string]bool{"TERM=xterm-kitty": true, "TERM=xterm-256color": false} {
		s, f := start(t, 80, 16, Options{Environ: []string{term}})
		f.say("a1", "See [the manual](https://example.test/manual).")
		s.see("the manual")
		s.settle()
		if got := strings.Contains(string(s.written()), "\x1b]8;"); got != linked {
			t.Errorf("%s: a link was written: %v, want %v", term, got, linked)
		}
		if got := strings.Contains(s.text(), "https://example.test/manual"); got == linked {
			t.Errorf("%s: the address is on the screen: %v", term, got)
		}
	}
}

// Pictures are scaled by the size of a cell that the terminal tells.
func TestCellSize(t *testing.T) {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 160, 80))); err != nil {
		t.Fatal(err)
	}
	s, f := start(t, 80, 30, Options{Environ: []string{"TERM=xterm-kitty"}})
	s.wait("question for the size of a cell", func() bool { return strings.Contains(string(s.written()), "\x1b[16t") })
	m := message.NewUser("look")
	m.ID, m.Content = "u1", append(m.Content, message.ImageOf(base64.StdEncoding.EncodeToString(b.Bytes()), "image/png"))
	f.publish(event.MessageStarted{ID: "u1", Message: m})
	sent := func(cells string) func() bool {
		return func() bool { return strings.Contains(string(s.written()), cells) }
	}
	s.wait("picture in usual cells", sent("c=16,r=4"))
	s.typed("\x1b[6;40;20t")
	s.wait("picture in larger cells", sent("c=8,r=2"))
	s.typed("\x1b[6;0;0t\x1b[6;9999;9999t")
	s.typed("still here")
	s.see("› still here")
	if n := strings.Count(string(s.written()), "a=T"); n != 2 {
		t.Errorf("the picture was sent %d times", n)
	}
}
