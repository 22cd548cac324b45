package acp

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/modes/internal/wire"
	"github.com/hoopoe-agent/hoopoe/slash"
)

// abilities are what slash commands find here: a session is what it is, and
// nobody sits at a terminal.
const abilities = slash.Needs(0)

// prompt takes the session's turn, on the reader: what comes behind it, such as
// its cancel, finds it.
func (s *server) prompt(r *wire.Request) {
	l, fault := s.named(r)
	if fault != nil {
		r.Fail(fault)
		return
	}
	in, fault := input(r)
	if fault != nil {
		r.Fail(fault)
		return
	}
	t, ok := l.reserve(r, in.Text)
	if !ok {
		r.Fail(busy())
		return
	}
	stop := context.AfterFunc(r.Context(), func() {
		if errors.Is(context.Cause(r.Context()), wire.ErrTakenBack) {
			l.cancelTurn(t)
		}
	})
	go func() {
		defer stop()
		defer func() {
			if p := recover(); p != nil {
				l.sub.Post(ending{turn: t, err: failure(wire.InternalError, codeInternal, fmt.Errorf("internal error: %v", p))})
			}
		}()
		l.begin(t, in)
		<-t.done
	}()
}

// input reads a prompt. What the blocks hold becomes one text, and pictures
// beside it.
func input(r *wire.Request) (engine.Input, *wire.Error) {
	var p struct{ Prompt []contentBlock }
	if err := decode(r, &p); err != nil {
		return engine.Input{}, err
	}
	in := engine.Input{Ref: string(r.ID), Source: engine.FromRPC}
	var texts []string
	for _, b := range p.Prompt {
		switch b.Type {
		case "text":
			if b.Text != nil {
				texts = append(texts, *b.Text)
			}
		case "image":
			if b.Data == "" || b.MimeType == "" {
				return in, invalid("%s: a picture needs data and mimeType", r.Method)
			}
			in.Images = append(in.Images, message.ImageOf(b.Data, b.MimeType))
		case "audio":
			return in, invalid("%s: sound isn't supported", r.Method)
		case "resource_link":
			texts = append(texts, link(b))
		case "resource":
			text, image := embedded(b.Resource)
			if image != nil {
				in.Images = append(in.Images, *image)
			}
			texts = append(texts, text)
		default:
			return in, invalid("%s: there are no blocks of type %q", r.Method, b.Type)
		}
	}
	in.Text = joined(texts)
	if strings.TrimSpace(in.Text) == "" && len(in.Images) == 0 {
		return in, invalid("%s: the prompt is empty", r.Method)
	}
	return in, nil
}

// joined puts the texts of blocks together. Editors cut a line with mentions
// into blocks, so nothing comes between them but for a resource, which begins a
// line of its own.
func joined(texts []string) string {
	var b strings.Builder
	for _, t := range texts {
		if strings.HasPrefix(t, "<resource ") && b.Len() > 0 && !strings.HasSuffix(b.String(), "\n") {
			b.WriteString("\n\n")
		}
		b.WriteString(t)
	}
	return b.String()
}

// link writes a mention as a Markdown link.
func link(b contentBlock) string {
	label := b.Name
	if label == "" {
		label = b.URI
	}
	target := b.URI
	if strings.ContainsAny(target, " ()<>\n") {
		target = "<" + strings.NewReplacer("<", "%3C", ">", "%3E", "\n", "%0A").Replace(target) + ">"
	}
	return "[" + strings.NewReplacer("[", "\\[", "]", "\\]", "\n", " ").Replace(label) + "](" + target + ")"
}

// embedded writes a resource that came with the prompt. A picture goes beside
// the text; of other data only the name is told.
func embedded(r *resource) (text string, image *message.Block) {
	if r == nil {
		return "", nil
	}
	switch {
	case r.Text != nil:
		return "<resource uri=\"" + attribute(r.URI) + "\">\n" + strings.TrimSuffix(*r.Text, "\n") + "\n</resource>\n", nil
	case r.Blob != nil && strings.HasPrefix(r.MimeType, "image/"):
		b := message.ImageOf(*r.Blob, r.MimeType)
		return link(contentBlock{URI: r.URI, Name: lastPart(r.URI)}), &b
	}
	return link(contentBlock{URI: r.URI, Name: lastPart(r.URI)}), nil
}

func attribute(s string) string {
	return strings.NewReplacer("\"", "%22", "<", "%3C", ">", "%3E", "\n", "%0A").Replace(s)
}

func lastPart(uri string) string {
	if u, err := url.Parse(uri); err == nil && u.Path != "" {
		uri = u.Path
	}
	return uri[strings.LastIndexByte(uri, '/')+1:]
}

// begin runs a slash command, or gives the session the prompt.
func (l *live) begin(t *turn, in engine.Input) {
	commands := l.server.agent.Commands
	name, _, ok := slash.Split(in.Text)
	c, found := l.command(t.ctx, name)
	switch {
	case !ok || !found:
		text, err := commands.Expand(t.ctx, l.session, in.Text)
		l.send(t, in, text, err)
	case c.Source == "builtin" || c.Source == "extension":
		result, err := commands.Dispatch(t.ctx, l.session, abilities, in.Text)
		if err == nil && !result.Handled {
			l.send(t, in, result.Text, nil)
			return
		}
		// What a command has to say is for the user, its failure too.
		end := ending{turn: t, reply: result.Reply}
		if err != nil {
			end.reply = err.Error()
		}
		l.sub.Post(end)
	default:
		text, err := commands.Expand(t.ctx, l.session, in.Text)
		l.send(t, in, text, err)
	}
}

// command looks for a slash command by its whole name.
func (l *live) command(ctx context.Context, name string) (slash.Command, bool) {
	return l.server.agent.Commands.Named(ctx, l.session, abilities, name)
}

// send gives the session a message. The turn ends with its run.
func (l *live) send(t *turn, in engine.Input, text string, err error) {
	in.Text = text
	switch {
	case err != nil:
		l.sub.Post(ending{turn: t, err: invalid("%v", err)})
		return
	case t.wasCancelled():
		l.sub.Post(ending{turn: t})
		return
	}
	in.Ack = &engine.Ack{Sub: l.sub, Value: beginning{t}}
	if _, err := l.session.Prompt(l.ctx, in); err != nil {
		end := ending{turn: t, err: failure(wire.InternalError, codeInternal, err)}
		if errors.Is(err, engine.ErrBusy) {
			end.err = busy()
		}
		l.sub.Post(end)
		return
	}
	if t.wasCancelled() { // before the session had the prompt
		_ = l.session.AbortAck(nil)
	}
}

// steer gives the run in progress a message.
func steer(ctx context.Context, l *live, r *wire.Request) (any, error) {
	in, fault := input(r)
	if fault != nil {
		return nil, fault
	}
	idle := map[string]string{"outcome": "promptRequired", "reason": "noRunningTurn"}
	t := l.current()
	if t == nil || t.wasCancelled() {
		return idle, nil
	}
	text, err := l.server.agent.Commands.Expand(ctx, l.session, in.Text)
	if err != nil {
		return nil, invalid("%v", err)
	}
	in.Text, in.Delivery = text, engine.Steer
	if v, err := l.session.View(ctx); err != nil || !v.Busy {
		return idle, err
	}
	if _, err := l.session.Prompt(ctx, in); err != nil {
		return nil, err
	}
	return map[string]string{"outcome": "injected"}, nil
}
