package editor_test

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hoopoe-agent/hoopoe/tui/editor"
)

// frame is what one key and the view after it may take.
const frame = 16 * time.Millisecond

// reportFrames reports how many of these steps fit into a frame.
func reportFrames(b *testing.B) {
	b.ReportMetric(float64(frame)*float64(b.N)/float64(b.Elapsed()), "steps/frame")
}

// Goal for all of these: at least one step in a frame of 16 ms.
func BenchmarkKeyAndView(b *testing.B) {
	line := strings.Repeat("all work and no play ", 5)
	for _, c := range []struct {
		name    string
		reorder bool
		fill    func(*editor.Editor)
	}{
		{"short", false, func(e *editor.Editor) { e.SetValue("hello") }},
		{"12000 lines pasted", false, func(e *editor.Editor) { e.Paste(strings.Repeat(line+"\r\n", 12000)) }},
		{"100 KB line pasted", false, func(e *editor.Editor) { e.Paste(strings.Repeat("x", 100<<10)) }},
		{"12000 lines edited", false, func(e *editor.Editor) { e.Insert(strings.Repeat(line+"\n", 12000)) }},
		{"100 KB line edited", false, func(e *editor.Editor) { e.Insert(strings.Repeat("word ", 20<<10)) }},
		{"100 KB Chinese line edited", false, func(e *editor.Editor) { e.Insert(strings.Repeat("天地玄黄", 8<<10)) }},
		{"100 KB Arabic line edited", false, func(e *editor.Editor) { e.Insert(strings.Repeat("مرحبا ", 9<<10)) }},
		{"100 KB Arabic line reordered", true, func(e *editor.Editor) { e.Insert(strings.Repeat("مرحبا ", 9<<10)) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			e := editor.New(editor.Options{Prompt: "> ", Reorder: c.reorder})
			c.fill(e)
			e.View(80, 10)
			press(e, "home")
			for i := 0; b.Loop(); i++ {
				if i%2 == 0 {
					e.Update(tea.KeyPressMsg{Code: 'x', Text: "x"})
				} else {
					e.Update(tea.KeyPressMsg{Code: tea.KeyBackspace})
				}
				e.View(80, 10)
			}
			reportFrames(b)
		})
	}
}

// Moving, also by vim's keys, through 12,000 lines.
func BenchmarkMoveAndView(b *testing.B) {
	for _, c := range []struct {
		name     string
		there    string
		back     string
		vim      bool
		lineEnds bool
	}{
		{"up and down", "up", "down", false, true},
		{"start and end", "alt+<", "alt+>", false, true},
		{"vim words", "w", "b", true, true},
		{"100 KB line", "left", "right", false, false},
	} {
		b.Run(c.name, func(b *testing.B) {
			e := editor.New(editor.Options{Prompt: "> "})
			end := " "
			if c.lineEnds {
				end = "\n"
			}
			e.Insert(strings.Repeat("all work and no play"+end, 12000))
			if c.vim {
				e.SetVim(true)
				press(e, "esc", "k")
			}
			for i := 0; b.Loop(); i++ {
				if i%2 == 0 {
					press(e, c.there)
				} else {
					press(e, c.back)
				}
				e.View(80, 10)
			}
			reportFrames(b)
		})
	}
}

func BenchmarkPaste12000Lines(b *testing.B) {
	text := strings.Repeat(strings.Repeat("all work and no play ", 5)+"\r\n", 12000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		e := editor.New(editor.Options{})
		e.Paste(text)
		e.View(80, 10)
	}
	reportFrames(b)
}
