package catalog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// object is one JSON object of the user's file, with its path for complaints.
// What has the wrong type is complained of and counts as absent; null is
// absent; unknown fields are left alone, since other programs read the file.
type object struct {
	path     string
	steps    []string // the path taken apart; an item of a list by its index
	fields   map[string]json.RawMessage
	problems *[]Problem
}

func parseRoot(data []byte, problems *[]Problem) (object, error) {
	o := object{problems: problems}
	err := json.Unmarshal(data, &o.fields)
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		line, column := position(data, int(syntax.Offset)-1)
		return o, &damage{line, column}
	case err != nil:
		return o, errors.New("want a JSON object with providers in it")
	}
	return o, nil
}

func (o object) complain(text string) {
	*o.problems = append(*o.problems, Problem{Path: o.path, Text: text, steps: o.steps})
}

func (o object) complainOf(field, text string) { o.in(field).complain(text) }

// in is a field's object, without its fields.
func (o object) in(field string) object {
	return object{path: o.at(field), steps: append(slices.Clip(o.steps), field), problems: o.problems}
}

// at is a field's path. Odd names are quoted: they end up on a terminal.
func (o object) at(field string) string {
	if field == "" || strings.IndexFunc(field, func(r rune) bool { return r <= ' ' || !unicode.IsPrint(r) }) >= 0 {
		field = strconv.Quote(field)
	}
	return strings.TrimPrefix(o.path+"."+field, ".")
}

// raw returns a field that must be an object, as it is.
func (o object) raw(field string) json.RawMessage {
	raw := o.fields[field]
	if absent(raw) {
		return nil
	}
	if bytes.TrimSpace(raw)[0] != '{' {
		o.complainOf(field, "want an object")
		return nil
	}
	return raw
}

func absent(raw json.RawMessage) bool {
	raw = bytes.TrimSpace(raw)
	return len(raw) == 0 || string(raw) == "null"
}

// object returns a field that is an object, an empty one if it isn't.
func (o object) object(field string) object {
	inner := o.in(field)
	if raw := o.raw(field); raw != nil {
		_ = json.Unmarshal(raw, &inner.fields) // valid, and an object
	}
	return inner
}

// list returns the objects of a list.
func (o object) list(field string) []object {
	var items []json.RawMessage
	o.get(field, &items)
	var out []object
	for i, raw := range items {
		item := o.in(field)
		item.path, item.steps = fmt.Sprintf("%s[%d]", item.path, i), append(item.steps, strconv.Itoa(i))
		if absent(raw) || json.Unmarshal(raw, &item.fields) != nil {
			item.complain("want an object")
			continue
		}
		out = append(out, item)
	}
	return out
}

// get reads a field into a pointer; an absent one leaves it as it is.
func (o object) get(field string, into any) {
	raw := o.fields[field]
	if absent(raw) || json.Unmarshal(raw, into) == nil {
		return
	}
	want := "a value of another type"
	switch into.(type) {
	case *string, **string:
		want = "a text"
	case *bool, **bool:
		want = "true or false"
	case **float64:
		want = "a number"
	case *[]string:
		want = "a list of texts"
	case *[]json.RawMessage:
		want = "a list"
	}
	o.complainOf(field, "want "+want)
}

func (o object) price(field string, into **float64) {
	o.get(field, into)
	if *into != nil && **into < 0 {
		*into = nil
		o.complainOf(field, "want a price of 0 or more")
	}
}

// countLimit bounds windows and limits, in tokens.
const countLimit = 1_000_000_000

func (o object) count(field string, into **int) {
	var number *float64
	o.get(field, &number)
	if number == nil {
		return
	}
	if *number < 1 || *number > countLimit || *number != math.Trunc(*number) {
		o.complainOf(field, "want a whole number of tokens above 0")
		return
	}
	n := int(*number)
	*into = &n
}

// headers reads the field of that name. Values are texts to resolve.
func (o object) headers() map[string]string {
	fields := o.object("headers")
	out := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(fields.fields)) {
		var value *string
		fields.get(name, &value)
		switch {
		case !isToken(name):
			fields.complainOf(name, "this can't be the name of a header")
		case value != nil:
			out[name] = *value
		}
	}
	return out
}

// isToken reports whether s can name a header.
func isToken(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool {
		return r <= ' ' || r > '~' || strings.ContainsRune(`()<>@,;:\"/[]?={}`, r)
	}) < 0
}
