package editor_test

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/hoopoe-agent/hoopoe/tui/editor"
)

// Goal for all of these: under 16 ms for one key and the view after it.
func BenchmarkKeyAndView(b *testing.B) {
	line := strings.Repeat("all work and no play ", 5)
	for _, c := range []struct {
		name string
		fill func(*editor.Editor)
	}{
		{"short", func(e *editor.Editor) { e.SetValue("hello") }},
		{"12000 lines pasted", func(e *editor.Editor) { e.Paste(strings.Repeat(line+"\r\n", 12000)) }},
		{"100 KB line pasted", func(e *editor.Editor) { e.Paste(strings.Repeat("x", 100<<10)) }},
		{"12000 lines edited", func(e *editor.Editor) { e.Insert(strings.Repeat(line+"\n", 12000)) }},
		{"100 KB line edited", func(e *editor.Editor) { e.Insert(strings.Repeat("word ", 20<<10)) }},
		{"100 KB Chinese line edited", func(e *editor.Editor) { e.Insert(strings.Repeat("天地玄黄", 8<<10)) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			e := editor.New(editor.Options{Prompt: "> "})
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
}
