package engine

import (
	"context"
	"slices"

	"github.com/hoopoe-agent/hoopoe/engine/event"
)

// shows is what the extensions show, for faces that attach later. It is the
// owner's.
type shows struct {
	statuses []event.StatusChanged
	widgets  []event.WidgetChanged
	title    event.TitleChanged
	titled   string // the extension that set it
}

// What extensions may show at once: more is theirs to choose from.
const (
	maxStatuses = 100
	maxWidgets  = 50
)

func (c callback) Notify(_ context.Context, level, text string) {
	if level != "warning" && level != "error" {
		level = "info"
	}
	c.publish(event.Notice{Level: level, Text: text, Source: c.name})
}

func (c callback) SetStatus(_ context.Context, key string, text *string) {
	if text != nil {
		own := *text
		text = &own
	}
	c.s.in.do(func() { c.s.showStatus(event.StatusChanged{Extension: c.name, Key: key, Text: text}) })
}

func (c callback) SetWidget(_ context.Context, key string, lines []string, placement string) {
	if placement != "aboveEditor" && placement != "belowEditor" {
		placement = ""
	}
	w := event.WidgetChanged{Extension: c.name, Key: key, Lines: slices.Clone(lines), Placement: placement}
	c.s.in.do(func() { c.s.showWidget(w) })
}

func (c callback) SetTitle(_ context.Context, title string) {
	c.s.in.do(func() {
		c.s.shows.title, c.s.shows.titled = event.TitleChanged{Title: title}, c.name
		c.s.publish(event.TitleChanged{Title: title})
	})
}

func (c callback) SetEditorText(_ context.Context, text string) {
	c.publish(event.EditorTextSet{Text: text})
}

// publish tells the faces, in the order of the calls.
func (c callback) publish(ev event.Event) { c.s.in.do(func() { c.s.publish(ev) }) }

func (s *Session) showStatus(e event.StatusChanged) {
	i := slices.IndexFunc(s.shows.statuses, func(o event.StatusChanged) bool { return o.Extension == e.Extension && o.Key == e.Key })
	s.shows.statuses = shownNow(s.shows.statuses, i, e, e.Text != nil, maxStatuses)
	s.publish(e)
}

func (s *Session) showWidget(e event.WidgetChanged) {
	i := slices.IndexFunc(s.shows.widgets, func(o event.WidgetChanged) bool { return o.Extension == e.Extension && o.Key == e.Key })
	s.shows.widgets = shownNow(s.shows.widgets, i, e, e.Lines != nil, maxWidgets)
	s.publish(e)
}

// shownNow is a list, which others may still read, with an element set or taken
// away; at is its place, -1 for none yet.
func shownNow[E any](list []E, at int, e E, set bool, most int) []E {
	list = slices.Clone(list)
	switch {
	case at >= 0 && set:
		list[at] = e
	case at >= 0:
		list = slices.Delete(list, at, at+1)
	case set && len(list) < most:
		list = append(list, e)
	}
	return list
}

// unshow takes away what extensions show that are gone.
func (s *Session) unshow(gone []*extension) {
	s.in.do(func() {
		for _, e := range gone {
			for _, st := range s.shows.statuses {
				if st.Extension == e.name() {
					s.showStatus(event.StatusChanged{Extension: st.Extension, Key: st.Key})
				}
			}
			for _, w := range s.shows.widgets {
				if w.Extension == e.name() {
					s.showWidget(event.WidgetChanged{Extension: w.Extension, Key: w.Key})
				}
			}
			if s.shows.titled == e.name() {
				s.shows.title, s.shows.titled = event.TitleChanged{}, ""
				s.publish(event.TitleChanged{})
			}
		}
	})
}
