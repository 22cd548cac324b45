package engine

import (
	"context"
	"slices"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/ext"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/workspace"
)

// callback is the session as one extension may call it back.
type callback struct {
	ext.Session // what isn't written below yet
	s           *Session
	name        string
}

var _ ext.Session = callback{}

func (c callback) Send(ctx context.Context, content []message.Block, delivery string) error {
	in := Input{Delivery: Delivery(delivery), Source: FromExtension, sender: c.name}
	for _, b := range content {
		if b.Type == message.ImageBlock {
			in.Images = append(in.Images, b)
		} else {
			in.Text += b.Text
		}
	}
	_, err := c.s.Prompt(ctx, in)
	return err
}

func (c callback) Abort(ctx context.Context) error   { return c.s.Abort(ctx) }
func (c callback) Settled(ctx context.Context) error { return c.s.Settled(ctx) }

// Ask leaves permissions to the session: an extension can't put one to the user.
// What it asks about a call is known to belong to that.
func (c callback) Ask(ctx context.Context, q event.Question) (event.Answer, bool) {
	if q.Kind == event.AskPermission {
		return event.Answer{Cancelled: true}, false
	}
	q.ID, q.Permission, q.CallID = "", nil, ""
	if call, ok := workspace.CallOf(ctx); ok {
		q.CallID = call.ID
	}
	return c.s.Ask(ctx, q)
}

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
	c.publish(event.StatusChanged{Extension: c.name, Key: key, Text: text})
}

func (c callback) SetWidget(_ context.Context, key string, lines []string, placement string) {
	if placement != "aboveEditor" && placement != "belowEditor" {
		placement = ""
	}
	c.publish(event.WidgetChanged{Extension: c.name, Key: key, Lines: slices.Clone(lines), Placement: placement})
}

func (c callback) SetTitle(_ context.Context, title string) {
	c.publish(event.TitleChanged{Title: title})
}

func (c callback) SetEditorText(_ context.Context, text string) {
	c.publish(event.EditorTextSet{Text: text})
}

func (c callback) Compact(ctx context.Context, instructions string) error {
	_, err := c.s.Compact(ctx, instructions)
	return err
}

func (c callback) NewDocument(ctx context.Context, parent string) (bool, error) {
	return c.s.NewDocument(ctx, NewDocumentOptions{Parent: parent})
}

func (c callback) Shutdown(context.Context) { c.s.askedToEnd.Do(func() { close(c.s.shutdown) }) }

// publish tells the faces, in the order of the calls.
func (c callback) publish(ev event.Event) { c.s.in.do(func() { c.s.publish(ev) }) }

// ShutdownRequested is closed when an extension wants the process to end.
func (s *Session) ShutdownRequested() <-chan struct{} { return s.shutdown }
