// The texts of errors are the protocol's.
//
//lint:file-ignore ST1005 wire literals

package rpc

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/slash"
)

// abilities are what slash commands find here: questions become frames, and
// the session may be replaced.
const abilities = slash.Replaceable | slash.Dialogs

// accepted is the Ack of a prompt: it keeps the place of its response, whose
// content is known when Prompt has returned.
type accepted struct {
	ref     string
	request request
}

// released follows it: how the prompt was taken.
type released struct {
	ref         string
	disposition string
}

// promptFailure is what the session says of a prompt that couldn't start.
type promptFailure struct{ response }

// promptData is what the response to a prompt adds.
type promptData struct {
	Disposition string `json:"disposition"`
}

const handled = "handled"

// input reads what all prompts have: a message and images.
func (s *server) input(r request) (engine.Input, error) {
	text, err := r.text("message")
	if err != nil {
		return engine.Input{}, err
	}
	in := engine.Input{Ref: refOf(r), Text: text, Source: "rpc"}
	if r.has("images") {
		var images []message.Block
		if err := r.into("images", &images, "a list of images"); err != nil {
			return in, err
		}
		for i, b := range images {
			if b.Type != message.ImageBlock || b.Data == "" || b.MimeType == "" {
				return in, fmt.Errorf("%s: the image at index %d needs type \"image\", data (base64) and mimeType", r.Type, i)
			}
		}
		in.Images = images
	}
	return in, nil
}

// refOf names a prompt so that a failure that comes later finds its id.
func refOf(r request) string { return r.Type + " " + string(r.ID) }

func failureOf(ref, text string) response {
	command, id, _ := strings.Cut(ref, " ")
	f := response{Type: "response", Command: command, Error: text}
	if id != "" {
		f.ID = json.RawMessage(id)
	}
	return f
}

// prompt runs a slash command, or gives the session a message. It is
// acknowledged at once; what goes wrong afterwards is told by a second response
// (default dialect), or in place of the first (pi).
func (s *server) prompt(ctx context.Context, r request) {
	in, err := s.input(r)
	if err == nil && r.has("streamingBehavior") {
		var behavior string
		if err = r.into("streamingBehavior", &behavior, `"steer" or "followUp"`); err == nil {
			in.Delivery = engine.Delivery(behavior)
			if in.Delivery != engine.Steer && in.Delivery != engine.FollowUp {
				err = refuse(`unknown streamingBehavior %q: use "steer" or "followUp"`, behavior)
			}
		}
	}
	if err != nil {
		s.sub.Post(s.failure(r, err))
		return
	}
	name, _, ok := slash.Split(in.Text)
	if c, found := s.find(ctx, name); ok && found {
		s.runCommand(ctx, r, in, c)
		return
	}
	if in.Text, err = s.expanded(ctx, in.Text); err != nil {
		s.sub.Post(s.failure(r, err))
		return
	}
	s.send(ctx, r, in)
}

// find looks for a slash command by its whole name. Anything else that begins
// with a slash is a text: programs don't mistype.
func (s *server) find(ctx context.Context, name string) (slash.Command, bool) {
	return s.o.Commands.Named(ctx, s.o.Session, abilities, name)
}

// runCommand carries out a slash command. One that does its work by itself is
// acknowledged first and ends like a prompt; one that makes a text gives it to
// the session.
func (s *server) runCommand(ctx context.Context, r request, in engine.Input, c slash.Command) {
	acts := c.Source == "builtin" || c.Source == "extension"
	if acts {
		s.sub.Post(success(r, promptData{handled}))
	}
	result, err := s.o.Commands.Dispatch(ctx, s.o.Session, abilities, in.Text)
	if err == nil && !result.Handled && !acts {
		in.Text = result.Text
		s.send(ctx, r, in)
		return
	}
	if !acts {
		s.sub.Post(success(r, promptData{handled}))
	}
	if err != nil {
		s.sub.Post(failureOf(in.Ref, err.Error()))
	} else if result.Reply != "" {
		s.sub.Post(commandOutput{"command_output", result.Reply})
	}
	// The end of a run that is going on closes this prompt too.
	if v, err := s.o.Session.View(ctx); err != nil || !v.Busy {
		s.sub.Post(agentSettled{Type: "agent_settled"})
	}
}

type commandOutput struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// send gives the session a message.
func (s *server) send(ctx context.Context, r request, in engine.Input) {
	in.Ack = &engine.Ack{Sub: s.sub, Value: accepted{in.Ref, r}}
	s.taken(r, in)(s.o.Session.Prompt(ctx, in))
}

// taken completes the response to a prompt. One that was refused at once has
// no place in the stream yet.
func (s *server) taken(r request, in engine.Input) func(engine.Accepted, error) {
	return func(a engine.Accepted, err error) {
		switch {
		case err == nil:
			s.sub.Post(released{in.Ref, string(a.Disposition)})
		case s.o.Dialect == Pi:
			s.sub.Post(failureOf(in.Ref, err.Error()))
		default:
			s.sub.Post(success(r, nil))
			s.sub.Post(failureOf(in.Ref, err.Error()))
		}
	}
}

// queued makes the commands steer and follow_up: while nothing runs the message
// waits for the next prompt.
func (s *server) queued(d engine.Delivery) func(context.Context, request) {
	return func(ctx context.Context, r request) {
		in, err := s.input(r)
		if err == nil {
			in.Text, err = s.expanded(ctx, in.Text)
		}
		if err != nil {
			s.sub.Post(s.failure(r, err))
			return
		}
		in.Delivery, in.QueueOnly = d, true
		in.Ack = &engine.Ack{Sub: s.sub, Value: accepted{in.Ref, r}}
		if a, err := s.o.Session.Prompt(ctx, in); err != nil {
			s.sub.Post(s.failure(r, err))
		} else {
			s.sub.Post(released{in.Ref, string(a.Disposition)})
		}
	}
}

// expanded fills in a template or a skill, and takes off what keeps a text from
// being a command. A command of an extension acts at once, so it can't wait.
func (s *server) expanded(ctx context.Context, text string) (string, error) {
	if name, _, ok := slash.Split(text); ok {
		if c, found := s.find(ctx, name); found && c.Source == "extension" {
			return "", fmt.Errorf("Extension command \"/%s\" cannot be queued. Use prompt() or execute the command when not streaming.", name)
		}
	}
	return s.o.Commands.Expand(ctx, s.o.Session, text)
}

func (s *server) abort(_ context.Context, r request) {
	s.cancelJobs("compact")
	if err := s.o.Session.AbortAck(&engine.Ack{Sub: s.sub, Value: success(r, nil)}); err != nil {
		s.sub.Post(s.failure(r, err))
	}
}

// abortAndPrompt stops the run and starts another; its response stands between
// the two.
func (s *server) abortAndPrompt(ctx context.Context, r request) {
	in, err := s.input(r)
	if err == nil {
		in.Text, err = s.expanded(ctx, in.Text)
	}
	if err != nil {
		s.sub.Post(s.failure(r, err))
		return
	}
	s.cancelJobs("compact")
	in.Ack = &engine.Ack{Sub: s.sub, Value: accepted{in.Ref, r}}
	taken := s.o.Session.AbortAndPrompt(ctx, in) // in its turn; the wait is not
	s.spawn(ctx, r, func(context.Context) { s.taken(r, in)(taken()) })
}
