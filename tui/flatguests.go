package tui

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/event"
)

// guest tells what an extension shows, once for each change.
func (f *flat) guest(e event.Event) {
	switch e := e.(type) {
	case event.StatusChanged:
		text := ""
		if e.Text != nil {
			text = *e.Text
		}
		f.tell("status "+e.Extension+" "+e.Key, e.Extension, text)
	case event.WidgetChanged:
		lines := slices.Clone(e.Lines[:min(len(e.Lines), guestRows)])
		if more := len(e.Lines) - len(lines); more > 0 {
			lines = append(lines, fmt.Sprintf("… %d more", more))
		}
		f.tell("widget "+e.Extension+" "+e.Key, e.Extension, strings.Join(lines, "\n"))
	case event.EditorTextSet:
		f.say("·", "An extension suggests to send:\n"+e.Text)
	case event.ExtensionFailed:
		f.say("!", fmt.Sprintf("The extension %s failed in %s: %s", e.Extension, e.Point, e.Error))
	}
}

// tell says a text unless that is what stands there already. An empty one takes
// it away without a word.
func (f *flat) tell(place, who, text string) {
	if f.shown[place] == text {
		return
	}
	if len(f.shown) >= 2*guestKeys {
		clear(f.shown) // an extension that never uses a key twice
	}
	f.shown[place] = text
	if text != "" {
		f.say("·", who+": "+text)
	}
}

// noticeMark goes before a notice, by its level.
func noticeMark(level string) string {
	if level == "warning" || level == "error" {
		return "!"
	}
	return "·"
}
