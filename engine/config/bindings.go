package config

import (
	"errors"

	"github.com/tailscale/hujson"
)

// Bindings are the user's keys: for each action the keys that are to mean it,
// none to leave it without. What the names and keys mean is the chat's affair.
type Bindings struct {
	Keys   map[string][]string
	path   string
	places map[string]Problem
}

// Problem returns a problem with an action, with its place in the file if it
// is there.
func (b Bindings) Problem(action, text string) Problem {
	p := b.places[action]
	p.File, p.Key, p.Text = b.path, action, text
	return p
}

// KeyBindingsOf reads a file of key bindings: JSON with comments, an object
// of actions, each with one key, a list of keys or null. A missing file is an
// empty one. What can't be read is left out and told.
func KeyBindingsOf(path string) (Bindings, []Problem) {
	b := Bindings{Keys: map[string][]string{}, path: path, places: map[string]Problem{}}
	src, err := readSettings(path)
	var v hujson.Value
	if err == nil {
		v, err = parse(path, src)
	}
	if err != nil {
		var p Problem
		if !errors.As(err, &p) {
			p = Problem{File: path, Text: err.Error()}
		}
		return b, []Problem{p}
	}
	obj, ok := v.Value.(*hujson.Object)
	if !ok {
		return b, []Problem{{File: path, Line: 1, Column: 1, Text: "key bindings must be an object { ... }, this is " + kindName(v)}}
	}
	var problems []Problem
	for i := range obj.Members {
		m := &obj.Members[i]
		name := literalString(m.Name)
		if name == "$schema" { // for editors
			continue
		}
		line, column := position(src, m.Name.StartOffset)
		_, twice := b.Keys[name]
		b.places[name] = Problem{Line: line, Column: column}
		keys, ok := keysOfBinding(m.Value)
		switch {
		case !ok:
			problems = append(problems, b.Problem(name, "must be a key, a list of keys, or [] for none; this is "+kindName(m.Value)))
			continue
		case twice:
			problems = append(problems, b.Problem(name, "stands here twice; this one counts"))
		}
		b.Keys[name] = keys
	}
	return b, problems
}

func keysOfBinding(v hujson.Value) ([]string, bool) {
	switch v.Value.Kind() {
	case '"':
		return []string{literalString(v)}, true
	case 'n':
		return []string{}, true
	case '[':
		keys := []string{}
		for _, e := range v.Value.(*hujson.Array).Elements {
			if e.Value.Kind() != '"' {
				return nil, false
			}
			keys = append(keys, literalString(e))
		}
		return keys, true
	}
	return nil, false
}
