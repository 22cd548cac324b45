package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"
)

// Bounds of a settings file: its bytes, and the depth of nesting, for the
// parser is recursive.
const (
	maxSettings = 256 << 10
	maxDepth    = 500
)

// layer is where a settings document comes from.
type layer struct {
	name    string // path of the file or name of the flag
	project bool   // bound by the rules for projects
	bare    bool   // a single value without a place in a file
}

// decoder fills Settings from one document. It walks the syntax tree instead
// of unmarshalling, because every complaint needs the place in the file.
type decoder struct {
	layer
	src      []byte
	origins  map[string]string // dotted key -> layer name
	errs     []error
	warnings []Problem
}

// parse reads JSON with comments. An empty document is an empty object.
func parse(name string, src []byte) (hujson.Value, error) {
	if len(src) > maxSettings {
		return hujson.Value{}, Problem{File: name, Text: fmt.Sprintf("the file has %d bytes, more than the %d that settings may have", len(src), maxSettings)}
	}
	if tooDeep(src) {
		return hujson.Value{}, Problem{File: name, Text: fmt.Sprintf("brackets are nested more than %d deep", maxDepth)}
	}
	if len(bytes.TrimSpace(src)) == 0 {
		src = []byte("{}")
	}
	v, err := hujson.Parse(src)
	if err == nil {
		return v, nil
	}
	p := Problem{File: name, Line: 1, Column: 1, Text: err.Error()}
	var column int // in bytes
	if n, _ := fmt.Sscanf(err.Error(), "hujson: line %d, column %d:", &p.Line, &column); n == 2 {
		lines := bytes.SplitAfter(src, []byte("\n"))
		before := bytes.Join(lines[:p.Line-1], nil)
		_, p.Column = position(src, len(before)+column-1)
		p.Text = errors.Unwrap(err).Error()
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		p.Text = "the file ends inside a value: close the open quote, comment or bracket"
	}
	return v, p
}

// tooDeep counts brackets wherever they stand: no honest string or comment
// opens that many.
func tooDeep(src []byte) bool {
	depth := 0
	for _, c := range src {
		switch c {
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		}
		if depth > maxDepth {
			return true
		}
	}
	return false
}

func (d *decoder) decode(v hujson.Value, into *Settings) {
	obj, ok := v.Value.(*hujson.Object)
	if !ok {
		d.fail(v.StartOffset, "", "settings must be an object { ... }, this is "+kindName(v))
		return
	}
	d.object(obj, reflect.ValueOf(into).Elem(), "")
}

func (d *decoder) object(obj *hujson.Object, into reflect.Value, prefix string) {
	seen := map[string]bool{}
	for i := range obj.Members {
		m := &obj.Members[i]
		name := literalString(m.Name)
		key := prefix + name
		if key == "$schema" { // for editors
			continue
		}
		field, ok := fieldByName(into.Type(), name)
		if !ok {
			d.warn(m.Name.StartOffset, key, "unknown setting"+suggestion(into.Type(), prefix, name))
			continue
		}
		if seen[name] {
			d.warn(m.Name.StartOffset, key, "set twice, the last one counts; remove one")
		}
		seen[name] = true
		d.value(m.Value, into.FieldByIndex(field.Index), field, key)
	}
}

// value decodes one value. null leaves the key as earlier layers set it.
func (d *decoder) value(v hujson.Value, into reflect.Value, field reflect.StructField, key string) {
	if v.Value.Kind() == 'n' {
		return
	}
	if d.project && field.Tag.Get("scope") == "user" {
		d.warn(v.StartOffset, key, "a project can't set this; move it to your own settings file")
		return
	}
	if into.Kind() == reflect.Struct {
		obj, ok := v.Value.(*hujson.Object)
		if !ok {
			d.fail(v.StartOffset, key, "must be an object { ... }, this is "+kindName(v))
			return
		}
		d.object(obj, into, key+".")
		return
	}
	if into.Type() == rawObject {
		d.raw(v, into, key)
		return
	}
	if into.Type() == hookList {
		d.hooks(v, into, key)
		return
	}
	next, complaint := leaf(v, into.Type(), field.Tag)
	if complaint != "" {
		d.fail(v.StartOffset, key, complaint)
		return
	}
	if d.project && !tightens(field.Tag, into, next) {
		d.warn(v.StartOffset, key, "ignored: a project can only make this stricter")
		return
	}
	if field.Tag.Get("merge") == "append" {
		next = reflect.AppendSlice(reflect.ValueOf(slices.Clone(into.Interface().([]string))), next)
	}
	into.Set(next)
	d.origins[key] = d.name
}

var rawObject = reflect.TypeFor[json.RawMessage]()

// raw keeps an object of objects for whoever knows what is in it, as plain JSON
// in which every line has its number of the file.
func (d *decoder) raw(v hujson.Value, into reflect.Value, key string) {
	obj, ok := v.Value.(*hujson.Object)
	if !ok {
		d.fail(v.StartOffset, key, "must be an object { ... }, this is "+kindName(v))
		return
	}
	for _, m := range obj.Members {
		if m.Value.Value.Kind() != '{' {
			d.fail(m.Value.StartOffset, key+"."+literalString(m.Name), "must be an object { ... }, this is "+kindName(m.Value))
		}
	}
	line, _ := position(d.src, v.StartOffset)
	v = v.Clone()
	v.BeforeExtra, v.AfterExtra = nil, nil
	v.Standardize()
	into.SetBytes(append(bytes.Repeat([]byte("\n"), line-1), v.Pack()...))
	d.origins[key] = d.name
}

// leaf converts a value that isn't an object; the complaint is "" if it fits.
func leaf(v hujson.Value, want reflect.Type, tag reflect.StructTag) (reflect.Value, string) {
	out := reflect.New(want).Elem()
	switch want.Kind() {
	case reflect.Bool:
		if k := v.Value.Kind(); k != 't' && k != 'f' {
			return out, "must be true or false, this is " + kindName(v)
		}
		out.SetBool(v.Value.Kind() == 't')
	case reflect.String:
		if members := tag.Get("object"); members != "" && v.Value.Kind() == '{' {
			return objectText(v, strings.Fields(members))
		}
		if v.Value.Kind() != '"' {
			return out, "must be a string in double quotes, this is " + kindName(v)
		}
		text := literalString(v)
		if allowed := strings.Fields(tag.Get("oneof")); len(allowed) > 0 && !slices.Contains(allowed, text) {
			return out, fmt.Sprintf("must be one of %s, this is %s", strings.Join(allowed, ", "), short(text))
		}
		out.SetString(text)
	case reflect.Int:
		if v.Value.Kind() != '0' {
			return out, "must be a number, this is " + kindName(v)
		}
		n, err := strconv.ParseInt(string(v.Value.(hujson.Literal)), 10, 0)
		if err != nil {
			return out, "must be a whole number"
		}
		if s := tag.Get("min"); s != "" && n < number(s) {
			return out, "must be at least " + s
		}
		if s := tag.Get("max"); s != "" && n > number(s) {
			return out, "must be at most " + s
		}
		out.SetInt(n)
	case reflect.Float64:
		if v.Value.Kind() != '0' {
			return out, "must be a number, this is " + kindName(v)
		}
		f, err := strconv.ParseFloat(string(v.Value.(hujson.Literal)), 64)
		if err != nil {
			return out, "must be a number that isn't out of range"
		}
		if s := tag.Get("min"); s != "" && f < float64(number(s)) {
			return out, "must be at least " + s
		}
		out.SetFloat(f)
	case reflect.Slice: // of strings
		list, ok := v.Value.(*hujson.Array)
		if !ok {
			return out, "must be a list of strings [ ... ], this is " + kindName(v)
		}
		texts := make([]string, 0, len(list.Elements))
		for i, e := range list.Elements {
			if e.Value.Kind() != '"' {
				return out, fmt.Sprintf("must be a list of strings, item %d is %s", i+1, kindName(e))
			}
			texts = append(texts, literalString(e))
		}
		out.Set(reflect.ValueOf(texts))
	default:
		return out, "can't be set in a file"
	}
	return out, ""
}

// amount is a number of either kind.
func amount(v reflect.Value) float64 {
	if v.CanInt() {
		return float64(v.Int())
	}
	return v.Float()
}

// tightens reports whether a project may replace the value old by next.
func tightens(tag reflect.StructTag, old, next reflect.Value) bool {
	switch tag.Get("tighten") {
	case "rank":
		ranks := strings.Fields(tag.Get("oneof"))
		bound := old.String()
		if bound == "" {
			bound = strictestUnset
		}
		return slices.Index(ranks, next.String()) <= slices.Index(ranks, bound)
	case "less":
		old, next := amount(old), amount(next)
		return next > 0 && (old == 0 || next <= old)
	}
	return true
}

func (d *decoder) fail(offset int, key, text string) {
	d.errs = append(d.errs, d.problem(offset, key, text))
}

func (d *decoder) warn(offset int, key, text string) {
	d.warnings = append(d.warnings, d.problem(offset, key, text))
}

func (d *decoder) problem(offset int, key, text string) Problem {
	p := Problem{File: d.name, Key: key, Text: text}
	if !isPlain(key) { // an unknown key can be any text
		p.Key = short(key)
	}
	if !d.bare {
		p.Line, p.Column = position(d.src, offset)
	}
	return p
}

// fieldByName finds the field of a settings struct with a wire name.
func fieldByName(t reflect.Type, name string) (reflect.StructField, bool) {
	for _, f := range reflect.VisibleFields(t) {
		if f.Tag.Get("json") == name {
			return f, true
		}
	}
	return reflect.StructField{}, false
}

// suggestion names the key that was probably meant: a neighbour, or a key of
// that name elsewhere.
func suggestion(t reflect.Type, prefix, name string) string {
	var here []string
	for _, f := range reflect.VisibleFields(t) {
		here = append(here, f.Tag.Get("json"))
	}
	if near := nearest(name, here); near != "" {
		return didYouMean(prefix + near)
	}
	for _, key := range Keys() {
		if strings.HasSuffix("."+key, "."+name) {
			return didYouMean(key)
		}
	}
	return ""
}

func didYouMean(key string) string {
	if key == "" {
		return ""
	}
	return "; did you mean " + key + "?"
}

// Keys lists every setting by its dotted name, in the order of the struct.
func Keys() []string { return keysOf(reflect.TypeFor[Settings](), "") }

func keysOf(t reflect.Type, prefix string) []string {
	var keys []string
	for _, f := range reflect.VisibleFields(t) {
		key := prefix + f.Tag.Get("json")
		if f.Type.Kind() == reflect.Struct {
			keys = append(keys, keysOf(f.Type, key+".")...)
		} else {
			keys = append(keys, key)
		}
	}
	return keys
}

func literalString(v hujson.Value) string {
	if l, ok := v.Value.(hujson.Literal); ok && l.Kind() == '"' {
		return l.String()
	}
	return ""
}

func kindName(v hujson.Value) string {
	switch v.Value.Kind() {
	case '"':
		return "a string"
	case '0':
		return "a number"
	case 't', 'f':
		return "true or false"
	case '{':
		return "an object"
	case '[':
		return "a list"
	}
	return "null"
}

// short quotes text from a file for a message: one line, no control
// characters, bounded.
func short(text string) string {
	const limit = 60
	if r := []rune(text); len(r) > limit {
		text = string(r[:limit]) + "…"
	}
	return strconv.QuoteToGraphic(text)
}

func isPlain(key string) bool {
	return len(key) <= 60 && strings.IndexFunc(key, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("._-", r))
	}) < 0
}

// number reads a bound from a struct tag; TestTags checks that all parse.
func number(s string) int64 {
	n, _ := strconv.ParseInt(s, 10, 64)
	return n
}
