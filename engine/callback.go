package engine

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/ext"
	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/session"
	"github.com/hoopoe-agent/hoopoe/engine/tool"
	"github.com/hoopoe-agent/hoopoe/engine/workspace"
)

// callback is the session as one extension may call it back.
type callback struct {
	s    *Session
	name string
}

var _ ext.Session = callback{}

func (c callback) SessionKey() string { return strconv.FormatUint(c.s.number, 10) }

// Send is a message of the user's that the extension writes.
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

func (c callback) AppendEntry(ctx context.Context, customType string, data json.RawMessage) (string, error) {
	switch {
	case customType == "":
		return "", errors.New("the entry has no type: give it a name of your own")
	case data != nil && !json.Valid(data):
		return "", errors.New("the entry's data isn't JSON")
	}
	return do(ctx, c.s, func() (string, error) {
		id := c.s.ids.next()
		c.s.append(session.Entry{ID: id, Custom: &session.Custom{CustomType: customType, Data: slices.Clone(data)}})
		c.s.publish(event.EntryAppended{ID: id, Type: string(session.TypeCustom)})
		return id, nil
	})
}

func (c callback) SetLabel(ctx context.Context, entryID string, label *string) error {
	text := ""
	if label != nil {
		text = *label
	}
	return c.s.SetLabel(ctx, entryID, text)
}

func (c callback) SetModel(ctx context.Context, provider, id string) (bool, error) {
	_, err := c.s.SetModelExact(ctx, provider, id)
	if _, keyless := errors.AsType[*NoKeyError](err); keyless {
		return false, nil
	}
	return err == nil, err
}

func (c callback) SetThinking(ctx context.Context, level string) error {
	l, err := llm.ParseLevel(level)
	if err != nil {
		return err
	}
	_, err = c.s.SetThinking(ctx, l)
	return err
}

func (c callback) Rename(ctx context.Context, name string) error { return c.s.Rename(ctx, name) }

func (c callback) SetActiveTools(ctx context.Context, names []string) error {
	return c.s.setActiveTools(ctx, names)
}

func (c callback) View(ctx context.Context) (event.View, error) { return c.s.View(ctx) }

func (c callback) Entries(ctx context.Context) (entries []json.RawMessage, leaf string, err error) {
	list, leaf, err := c.s.Entries(ctx)
	if err != nil {
		return nil, "", err
	}
	for _, e := range list {
		raw, err := json.Marshal(e)
		if err != nil {
			return nil, "", err
		}
		entries = append(entries, raw)
	}
	return entries, leaf, nil
}

func (c callback) Document(ctx context.Context) (ext.Document, error) { return c.s.document(ctx) }

func (c callback) SystemPrompt() string { return c.s.SystemPrompt() }

func (c callback) AllTools() []tool.Spec {
	var specs []tool.Spec
	for _, t := range c.s.tools.all() {
		if spec := t.Spec(); !spec.Hidden {
			specs = append(specs, spec)
		}
	}
	return specs
}

func (c callback) ActiveTools() []string {
	names := []string{}
	for _, spec := range c.s.tools.visible() {
		names = append(names, spec.Name)
	}
	return names
}

func (c callback) Commands(context.Context) []ext.CommandInfo { return c.s.listCommands() }

func (c callback) Models() []event.Model {
	var models []event.Model
	for _, m := range c.s.engine.Models() {
		models = append(models, modelEvent(m))
	}
	return models
}

func (c callback) Abort(ctx context.Context) error { return c.s.Abort(ctx) }

func (c callback) Settled(ctx context.Context) error { return c.s.Settled(ctx) }

func (c callback) Compact(ctx context.Context, instructions string) error {
	_, err := c.s.Compact(ctx, instructions)
	return err
}

func (c callback) NewDocument(ctx context.Context, parent string) (bool, error) {
	return c.s.NewDocument(ctx, NewDocumentOptions{Parent: parent})
}

// Switch looks at nothing that waits for the run: see Session.replace.
func (c callback) Switch(ctx context.Context, path string) (bool, error) {
	return c.s.Switch(ctx, path)
}

func (c callback) Branch(ctx context.Context, entryID string) (bool, error) {
	_, cancelled, err := c.s.Branch(ctx, entryID)
	return cancelled, err
}

func (c callback) MoveTo(ctx context.Context, entryID string, summarize bool, instructions string) (bool, error) {
	_, cancelled, err := c.s.MoveToWith(ctx, entryID, MoveOptions{Summarize: summarize, Instructions: instructions})
	return cancelled, err
}

func (c callback) Reload(ctx context.Context) error {
	c.s.Reload()
	_, err := c.s.ReloadExtensions(ctx)
	return err
}

func (c callback) Shutdown(context.Context) { c.s.askedToEnd.Do(func() { close(c.s.shutdown) }) }

func (c callback) Exec(ctx context.Context, e ext.Exec) (ext.ExecResult, error) {
	return c.s.exec(ctx, e)
}

func (c callback) Flag(name string) any {
	e := c.s.extensions.named(c.name)
	if e == nil { // it is being loaded: what it has just registered isn't known yet
		return flagValue(c.s.opts.ExtensionArgs, ext.Flag{Name: name, Type: "string"})
	}
	for _, f := range registered(e.part.Instance).Flags {
		if f.Name == name {
			return flagValue(c.s.opts.ExtensionArgs, f)
		}
	}
	return nil
}

func (c callback) Changed() {
	if c.s.extensions != nil {
		c.s.extensions.changed(c.name)
	}
}

func (c callback) Failed(point string, err error) { c.s.host.Failed(c.name, point, err) }

// ShutdownRequested is closed when an extension wants the process to end.
func (s *Session) ShutdownRequested() <-chan struct{} { return s.shutdown }

// HasUI implements ext.Screen. Who only confirms calls shows no questions.
func (c callback) HasUI() bool {
	yes, _ := do(c.s.ctx, c.s, func() (bool, error) { return c.s.shown(event.AskSelect), nil })
	return yes
}

// Ask leaves permissions to the session: an extension can't put one to the user.
// What it asks about a call is known to belong to that.
func (c callback) Ask(ctx context.Context, q event.Question) (event.Answer, bool) {
	if q.Kind == event.AskPermission {
		return event.Answer{Cancelled: true}, false
	}
	q.ID, q.Permission, q.CallID, q.Extension = "", nil, "", c.name
	if call, ok := workspace.CallOf(ctx); ok {
		q.CallID = call.ID
	}
	return c.s.Ask(ctx, q)
}
