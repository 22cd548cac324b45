package tui

import (
	"context"
	"encoding/base64"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/slash"
)

// dot is a picture of one pixel.
const dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

// partScenes are the parts of the screen that no panel is, with how each is
// reached: what it shows are rows of its own.
func partScenes() []struct {
	name string
	rows func(a *app, w tongue, width int) []string
} {
	input := func(a *app, width int) []string {
		rows, _, _ := a.input(width, 24)
		return rows
	}
	queued := func(waiting int) func(*app, tongue, int) []string {
		return func(a *app, w tongue, width int) []string {
			a.happens(event.RunStarted{Run: 1}, event.QueueChanged{Queue: []event.Queued{
				{ID: "1", Delivery: "steer", Message: message.NewUser(w.queued)},
				{ID: "2", Delivery: "followUp", Message: message.NewUser(w.later)},
			}})
			for range waiting {
				a.waiting = append(a.waiting, submission{text: w.draft})
			}
			return a.queueRows(width, queueRows)
		}
	}
	tasks := func(limit int) func(*app, tongue, int) []string {
		return func(a *app, w tongue, width int) []string {
			a.happens(event.TodosChanged{Phases: []message.TodoPhase{{Name: w.phases[0], Tasks: w.tasks}, {Name: w.phases[1], Tasks: w.tasks[1:]}}})
			a.presses(ctrl('t'))
			return a.todoRows(width, limit)
		}
	}
	search := func(found bool) func(*app, tongue, int) []string {
		return func(a *app, w tongue, width int) []string {
			a.happens(userMessage("u", w.prompt))
			a.transcriptRows(width, 10)
			a.openSearch()
			a.types(w.needle)
			if !found {
				a.types(w.needle)
			}
			return input(a, width)
		}
	}
	return []struct {
		name string
		rows func(a *app, w tongue, width int) []string
	}{
		{"commands", func(a *app, w tongue, width int) []string {
			a.catalog = []slash.Command{
				{Name: "reload", Summary: "Read skills, templates, rules and notes again"},
				{Name: w.command, Args: w.label, Summary: w.summary},
				{Name: "resume", Args: "[id or words]", Summary: w.titles[1]},
			}
			a.types("/re")
			return input(a, width)
		}},
		{"files", func(a *app, w tongue, width int) []string {
			a.o.Files = func(context.Context) []string { return w.files }
			a.files.loaded(filesMsg{names: w.files, at: time.Now()})
			a.types("@")
			a.presses(code(tea.KeyDown))
			return input(a, width)
		}},
		{"queue", queued(1)},
		{"queue of many", queued(4)},
		{"tasks", tasks(todoRows)},
		{"tasks in a few rows", tasks(4)},
		{"task in hand", func(a *app, w tongue, _ int) []string {
			a.happens(event.RunStarted{Run: 1}, event.TodosChanged{Phases: []message.TodoPhase{{Name: w.phases[0], Tasks: w.tasks}}})
			return []string{a.activityRow(a.width)}
		}},
		{"a hint", func(a *app, w tongue, _ int) []string {
			a.hint = w.path + ": " + w.details[0]
			return []string{a.activityRow(a.width)}
		}},
		{"found", search(true)},
		{"not found", search(false)},
		{"pictures", func(a *app, w tongue, width int) []string {
			m := userMessage("u", w.prompt+" [Image 1]")
			m.Message.Content = append(m.Message.Content, message.ImageOf(dot, "image/png"))
			a.happens(m)
			return a.transcriptRows(width, 8)
		}},
		{"an attached picture", func(a *app, w tongue, width int) []string {
			data, err := base64.StdEncoding.DecodeString(dot)
			if err != nil {
				panic(err)
			}
			a.types(w.needle + " ")
			a.images(imagesMsg{images: []attachedImage{{w.path, data, "image/png"}}})
			a.types(" " + w.needle)
			return input(a, width)
		}},
		{"help", func(a *app, w tongue, width int) []string {
			a.story.notice("info", slash.HelpText([]slash.Command{{Name: "resume", Args: "[id]", Summary: "Go back"}, {Name: w.command, Args: w.label, Summary: w.summary}}))
			return a.transcriptRows(width, 16)
		}},
		{"scrolled up", func(a *app, w tongue, width int) []string {
			for i, text := range w.said {
				a.happens(userMessage(fmt.Sprint(i), text))
			}
			a.transcriptRows(width, 6)
			a.story.list.Scroll(-4)
			return a.transcriptRows(width, 6)
		}},
		{"drawn by an extension", func(a *app, w tongue, width int) []string {
			g := &guestMessage{look: &a.look, lines: append([]string{"\x1b[32m" + w.status + "\x1b[0m"}, w.widget...)}
			var rows []string
			for _, row := range g.Rows(width) {
				rows = append(rows, row.Text)
			}
			return rows
		}},
	}
}

// E-5: every part of the screen at four widths, in each language.
func TestParts(t *testing.T) {
	for _, scene := range partScenes() {
		t.Run(scene.name, func(t *testing.T) {
			var b strings.Builder
			for _, w := range everyTongue() {
				for _, width := range []int{20, 40, 80, 200} {
					a := attachedApp(t, width, 24, newFake().view)
					a.orders(w.bidi)
					rows := scene.rows(a, w.tongue, width)
					inWindow(t, w.name, rows, width)
					fmt.Fprintf(&b, "== %s, %d columns\n%s\n\n", w.name, width, trimmed(rows))
				}
			}
			golden(t, filepath.Join("parts", strings.ReplaceAll(scene.name, " ", "-")+".golden"), b.String())
		})
	}
}
