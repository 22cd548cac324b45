package config

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/internal/atomicfile"
	"github.com/hoopoe-agent/hoopoe/engine/internal/filelock"
	"github.com/tailscale/hujson"
)

// Set writes one key of the user's settings file; a nil value removes it. The
// value passes the same checks as one in the file. Everything else in the
// file stays as it is: comments, order, white space, unknown keys, changes
// that another process made since it was loaded. A file that can't be parsed
// is not touched.
func Set(ctx context.Context, p Paths, key string, value any) error {
	path := p.Settings()
	if path == "" {
		return ErrNoHome
	}
	scratch := Config{Settings: Defaults(), origins: map[string]string{}}
	if _, err := scratch.override(Override{Key: key, Value: value, Flag: "set"}); err != nil {
		return err
	}
	return filelock.With(ctx, p.lock("settings"), func() error {
		src, err := readSettings(path)
		if err != nil {
			return err
		}
		next, err := edit(path, src, key, value)
		if err != nil || bytes.Equal(next, src) {
			return err
		}
		return atomicfile.Write(path, next, atomicfile.Options{Mode: 0o600, DirMode: 0o700})
	})
}

// lock is the lock file for one kind of file. Without a state folder it lies
// with the settings.
func (p Paths) lock(name string) string {
	dir := p.Locks()
	if dir == "" {
		dir = p.Config
	}
	return filepath.Join(dir, name+".lock")
}

// edit returns src with key set to value, or without it for nil.
func edit(name string, src []byte, key string, value any) ([]byte, error) {
	v, err := parse(name, bytes.Clone(src)) // the tree shares its bytes and is changed in place
	if err != nil {
		return nil, err
	}
	at := &v
	parts := strings.Split(key, ".")
	for depth, part := range parts {
		obj, ok := at.Value.(*hujson.Object)
		if !ok {
			line, column := position(src, at.StartOffset)
			return nil, Problem{File: name, Line: line, Column: column, Key: strings.Join(parts[:depth], "."), Text: "must be an object { ... }, this is " + kindName(*at)}
		}
		i := lastMember(obj, part)
		switch {
		case i < 0 && value == nil:
			return src, nil
		case depth == len(parts)-1 && value == nil:
			for ; i >= 0; i = lastMember(obj, part) { // a name can stand twice
				remove(obj, i)
			}
			return v.Pack(), nil
		case i < 0:
			at = insert(obj, part, depth+1)
		default:
			at = &obj.Members[i].Value
		}
	}
	text, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("setting %s: %w", key, err)
	}
	fresh, err := hujson.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("setting %s: %w", key, err)
	}
	at.Value = fresh.Value
	return v.Pack(), nil
}

// lastMember finds the member that counts when a name stands twice.
func lastMember(obj *hujson.Object, name string) int {
	for i := len(obj.Members) - 1; i >= 0; i-- {
		if literalString(obj.Members[i].Name) == name {
			return i
		}
	}
	return -1
}

// insert appends a member on a line of its own and returns its value, an
// empty object. What stood before the closing bracket (comments on the last
// member) stays before the new member.
func insert(obj *hujson.Object, name string, depth int) *hujson.Value {
	indent := strings.Repeat("  ", depth)
	if len(obj.Members) > 0 {
		if first := string(obj.Members[0].Name.BeforeExtra); strings.Contains(first, "\n") {
			indent = first[strings.LastIndexByte(first, '\n')+1:]
			indent = indent[:len(indent)-len(strings.TrimLeft(indent, " \t"))]
		}
	}
	closing := strings.Repeat("  ", depth-1)
	if tail := string(obj.AfterExtra); strings.Contains(tail, "\n") {
		closing = tail[strings.LastIndexByte(tail, '\n')+1:]
		closing = closing[:len(closing)-len(strings.TrimLeft(closing, " \t"))]
	}
	member := hujson.ObjectMember{
		Name:  hujson.Value{Value: hujson.String(name)},
		Value: hujson.Value{BeforeExtra: hujson.Extra(" "), Value: &hujson.Object{}},
	}
	member.Name.BeforeExtra = hujson.Extra(strings.TrimRight(string(obj.AfterExtra), " \t\r\n") + "\n" + indent)
	if n := len(obj.Members); n > 0 && obj.Members[n-1].Value.AfterExtra != nil {
		member.Value.AfterExtra = hujson.Extra{} // keep the trailing comma
	}
	obj.AfterExtra = hujson.Extra("\n" + closing)
	obj.Members = append(obj.Members, member)
	return &obj.Members[len(obj.Members)-1].Value
}

// remove drops member i with its value. Comments around it stay.
func remove(obj *hujson.Object, i int) {
	gone := obj.Members[i]
	comments := keepComments(gone.Name.BeforeExtra, gone.Name.AfterExtra, gone.Value.BeforeExtra, gone.Value.AfterExtra)
	last := i == len(obj.Members)-1
	obj.Members = append(obj.Members[:i], obj.Members[i+1:]...)
	if last {
		obj.AfterExtra = append(comments, obj.AfterExtra...)
		if i > 0 && gone.Value.AfterExtra != nil && obj.Members[i-1].Value.AfterExtra == nil {
			obj.Members[i-1].Value.AfterExtra = hujson.Extra{}
		}
		return
	}
	next := &obj.Members[i].Name
	next.BeforeExtra = append(comments, next.BeforeExtra...)
}

// keepComments joins the extras that hold a comment.
func keepComments(extras ...hujson.Extra) hujson.Extra {
	var kept hujson.Extra
	for _, e := range extras {
		if len(bytes.TrimSpace(e)) > 0 {
			kept = append(kept, bytes.TrimRight(e, " \t\r\n")...)
			if bytes.Contains(e, []byte("//")) {
				kept = append(kept, '\n') // a line comment must end
			}
		}
	}
	return kept
}
