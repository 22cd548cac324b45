package js

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/grafana/sobek"

	"github.com/hoopoe-agent/hoopoe/engine/ext"
	"github.com/hoopoe-agent/hoopoe/engine/ext/js/loop"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/tool"
)

// registry is what an extension has registered so far, in that order. A name
// that is registered again replaces the first. instance.mu guards it.
type registry struct {
	tools     []*moduleTool
	commands  []ext.Command
	shortcuts []ext.Shortcut
	flags     []ext.Flag
	renders   []string
}

// registered is what there is at this moment.
func (in *instance) registered() ext.Registrations {
	in.mu.Lock()
	defer in.mu.Unlock()
	r := ext.Registrations{
		Commands: slices.Clone(in.listed.commands), Shortcuts: slices.Clone(in.listed.shortcuts),
		Flags: slices.Clone(in.listed.flags), Renders: slices.Clone(in.listed.renders),
	}
	for _, t := range in.listed.tools {
		r.Tools = append(r.Tools, t)
	}
	return r
}

// put adds an item, in the place of the one that it replaces.
func put[T any](list []T, item T, same func(T) bool) []T {
	if i := slices.IndexFunc(list, same); i >= 0 {
		list[i] = item
		return list
	}
	return append(list, item)
}

// definition is what api.js says of any registration.
type definition struct {
	Name, Label, Description, Summary, Key, Type string
	Parameters                                   json.RawMessage
	NeedsApproval, Hidden, Complete              bool
	Default                                      any
}

// maxRegistrations bounds each list.
const maxRegistrations = 500

func (in *instance) register(c sobek.FunctionCall) (sobek.Value, error) {
	d, err := parse[definition](json.RawMessage(c.Argument(1).String()))
	if err != nil {
		return nil, err
	}
	kind := c.Argument(0).String()
	if err := in.add(kind, d); err != nil {
		return nil, &loop.Error{Name: "TypeError", Message: fmt.Sprintf("%s %s: %v", kind, d.Name+d.Key, err)}
	}
	return nil, nil
}

func (in *instance) add(kind string, d definition) error {
	var t *moduleTool
	if kind == "tool" {
		var err error
		if t, err = in.newTool(d); err != nil {
			return err
		}
	} else if err := d.check(kind); err != nil {
		return err
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	l := &in.listed
	if len(l.tools)+len(l.commands)+len(l.shortcuts)+len(l.flags)+len(l.renders) >= maxRegistrations {
		return fmt.Errorf("an extension may register %d things", maxRegistrations)
	}
	switch kind {
	case "tool":
		l.tools = put(l.tools, t, func(o *moduleTool) bool { return o.spec.Name == d.Name })
	case "command":
		l.commands = put(l.commands, in.command(d), func(o ext.Command) bool { return o.Name == d.Name })
	case "shortcut":
		s := ext.Shortcut{Key: d.Key, Description: d.Description, Run: func(ctx context.Context) error {
			_, err := in.run(&call{ctx: ctx}, "shortcut", d.Key)
			return err
		}}
		l.shortcuts = put(l.shortcuts, s, func(o ext.Shortcut) bool { return o.Key == d.Key })
	case "flag":
		f := ext.Flag{Name: d.Name, Description: d.Description, Type: d.Type, Default: d.Default}
		l.flags = put(l.flags, f, func(o ext.Flag) bool { return o.Name == d.Name })
	case "renderer":
		l.renders = put(l.renders, d.Name, func(o string) bool { return o == d.Name })
	}
	return nil
}

// word is what may stand as a tool's name, which is what models allow.
var word = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// check refuses what no face could use.
func (d definition) check(kind string) error {
	switch kind {
	case "command":
		if d.Name == "" || strings.ContainsAny(d.Name, " \t\r\n/") {
			return errors.New("the name must be one word without a slash")
		}
	case "flag":
		if !word.MatchString(d.Name) {
			return errors.New("the name must be of letters, digits, - and _")
		}
		if d.Type != "boolean" && d.Type != "string" {
			return errors.New("the type is boolean or string")
		}
		_, isBool := d.Default.(bool)
		_, isText := d.Default.(string)
		if d.Default != nil && !(isBool && d.Type == "boolean") && !(isText && d.Type == "string") {
			return fmt.Errorf("the default isn't a %s", d.Type)
		}
	}
	return nil
}

func (in *instance) command(d definition) ext.Command {
	c := ext.Command{Name: d.Name, Description: d.Description, Run: func(ctx context.Context, args string) error {
		_, err := in.run(&call{ctx: ctx}, "command", d.Name, args)
		return err
	}}
	if d.Complete {
		c.Complete = func(ctx context.Context, prefix string) []ext.Completion {
			raw, err := in.run(&call{ctx: ctx}, "complete", d.Name, prefix)
			if err != nil {
				in.failed("complete:"+d.Name, err)
				return nil
			}
			list, err := parse[[]ext.Completion](raw)
			if err != nil {
				in.failed("complete:"+d.Name, err)
			}
			return list
		}
	}
	return c
}

// maxLines bounds what a renderer may draw of one message.
const maxLines = 1000

// render draws a message of one of the extension's own types.
func (in *instance) render(ctx context.Context, r ext.Render) ([]string, error) {
	text, err := json.Marshal(r.Message)
	if err != nil {
		return nil, err
	}
	raw, err := in.run(&call{ctx: ctx}, "render", json.RawMessage(text), r.Width, r.Expanded)
	if err != nil {
		return nil, err
	}
	lines, err := parse[[]string](raw)
	if err != nil {
		return nil, err
	}
	lines = lines[:min(len(lines), maxLines)]
	for i, line := range lines {
		lines[i] = ansi.Truncate(line, r.Width, "")
	}
	return lines, nil
}

// moduleTool is a tool of an extension's.
type moduleTool struct {
	in       *instance
	spec     tool.Spec
	approval bool
}

var _ ext.NeedsApproval = (*moduleTool)(nil)

func (in *instance) newTool(d definition) (*moduleTool, error) {
	if !word.MatchString(d.Name) {
		return nil, errors.New("the name must be of letters, digits, - and _, 64 at most")
	}
	s := tool.Spec{
		Name: d.Name, Label: d.Label, Description: d.Description, Summary: d.Summary, Kind: tool.Other, Hidden: d.Hidden,
		Parameters: d.Parameters,
	}
	if s.Label == "" {
		s.Label = s.Name
	}
	if len(s.Parameters) == 0 {
		s.Parameters = json.RawMessage(`{"type":"object","properties":{}}`)
	}
	s, err := s.Compile()
	if err != nil {
		return nil, fmt.Errorf("parameters: %w", err)
	}
	return &moduleTool{in: in, spec: s, approval: d.NeedsApproval}, nil
}

func (t *moduleTool) Spec() tool.Spec { return t.spec }

// NeedsApproval reports whether each call is put to the user.
func (t *moduleTool) NeedsApproval() bool { return t.approval }

func (t *moduleTool) Run(ctx context.Context, c tool.Call) (tool.Result, error) {
	raw, err := t.in.run(&call{ctx: ctx, tool: c.ID, progress: c.Progress}, "tool", t.spec.Name, c.ID, message.Object(c.Arguments))
	if err != nil {
		if thrown, ok := errors.AsType[*loop.Error](err); ok && thrown.Message != "" {
			err = errors.New(thrown.Message) // the model has no use for the place
		}
		return tool.Result{}, err
	}
	r, failed, err := decodeResult(raw)
	if err == nil && failed {
		err = errors.New(message.Text(r.Content))
		r.Content = nil
	}
	return r, err
}
