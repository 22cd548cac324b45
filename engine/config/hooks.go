package config

import (
	"fmt"
	"reflect"

	"github.com/tailscale/hujson"
)

// Hook is a shell command that runs at an event. Layers add to the list. Which
// events there are is for the reader of the settings to know.
type Hook struct {
	Event   string
	Matcher string // which tools, for example; "" is all
	Command string
	Seconds int  // until it is stopped; 0 is the default
	Project bool // from the project's settings
	// File, Line and Column are where it stands, as in Problem.
	File         string
	Line, Column int
}

// Source reads "file:line:column".
func (h Hook) Source() string {
	if h.Line == 0 {
		return h.File
	}
	return fmt.Sprintf("%s:%d:%d", h.File, h.Line, h.Column)
}

var hookList = reflect.TypeFor[[]Hook]()

// hooks reads an object of lists: event -> [{matcher, command, timeout}]. An
// item may also hold several commands for one matcher, as other agents have it:
// {matcher, hooks: [{type: "command", command, timeout}]}.
func (d *decoder) hooks(v hujson.Value, into reflect.Value, key string) {
	events, ok := d.members(v, key)
	if !ok {
		return
	}
	list := into.Interface().([]Hook)
	for _, m := range events {
		event := literalString(m.Name)
		items, ok := d.elements(m.Value, key+"."+event)
		if !ok {
			continue
		}
		for i, item := range items {
			list = append(list, d.hook(item, Hook{Event: event}, fmt.Sprintf("%s.%s.%d", key, event, i))...)
		}
	}
	into.Set(reflect.ValueOf(list))
	d.origins[key] = d.name
}

// hook reads one item; outer holds what the item around it says.
func (d *decoder) hook(v hujson.Value, outer Hook, key string) []Hook {
	members, ok := d.members(v, key)
	if !ok {
		return nil
	}
	h, nested := outer, false
	h.File, h.Project = d.name, d.project
	if !d.bare {
		h.Line, h.Column = position(d.src, v.StartOffset)
	}
	var inner []hujson.Value
	for _, m := range members {
		name := literalString(m.Name)
		at := key + "." + name
		switch name {
		case "matcher":
			h.Matcher, _ = d.text(m.Value, at)
		case "command":
			h.Command, _ = d.text(m.Value, at)
		case "type":
			if kind, ok := d.text(m.Value, at); ok && kind != "command" {
				d.fail(m.Value.StartOffset, at, "only hooks of the type command are known, this is "+short(kind))
			}
		case "timeout":
			n, complaint := leaf(m.Value, reflect.TypeFor[int](), `min:"1" max:"600"`)
			if complaint != "" {
				d.fail(m.Value.StartOffset, at, complaint)
				continue
			}
			h.Seconds = int(n.Int())
		case "hooks":
			nested = true
			inner, _ = d.elements(m.Value, at)
		default:
			d.warn(m.Name.StartOffset, at, "unknown setting"+didYouMean(nearest(name, []string{"matcher", "command", "timeout"})))
		}
	}
	switch {
	case nested && outer.File != "": // an item of an item
		d.fail(v.StartOffset, key, "hooks can't stand inside of hooks")
	case nested && h.Command != "":
		d.fail(v.StartOffset, key, "has a command and a list of hooks; move the command into the list")
	case nested:
		var all []Hook
		for i, item := range inner {
			all = append(all, d.hook(item, h, fmt.Sprintf("%s.hooks.%d", key, i))...)
		}
		return all
	case h.Command == "":
		d.fail(v.StartOffset, key, "has no command; give one or remove it")
	default:
		return []Hook{h}
	}
	return nil
}

func (d *decoder) members(v hujson.Value, key string) ([]hujson.ObjectMember, bool) {
	obj, ok := v.Value.(*hujson.Object)
	if !ok {
		d.fail(v.StartOffset, key, "must be an object { ... }, this is "+kindName(v))
		return nil, false
	}
	return obj.Members, true
}

func (d *decoder) elements(v hujson.Value, key string) ([]hujson.Value, bool) {
	list, ok := v.Value.(*hujson.Array)
	if !ok {
		d.fail(v.StartOffset, key, "must be a list of objects [ { ... } ], this is "+kindName(v))
		return nil, false
	}
	return list.Elements, true
}

func (d *decoder) text(v hujson.Value, key string) (string, bool) {
	text, complaint := leaf(v, reflect.TypeFor[string](), "")
	if complaint != "" {
		d.fail(v.StartOffset, key, complaint)
		return "", false
	}
	return text.String(), true
}
