package config

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"

	"github.com/tailscale/hujson"
)

// Kind is what the value of a setting is.
type Kind int

// Kinds of values.
const (
	Switch   Kind = iota + 1 // true or false
	Choice                   // one of a few strings
	Number                   // whole or not
	Text                     // any string
	Compound                 // a list or an object, which people change in the file
)

// Form is what a setting takes.
type Form struct {
	Kind    Kind
	Values  []string // of a Choice
	Default string   // as JSON
}

// FormOf tells what a dotted key takes; the zero value for an unknown one.
func FormOf(key string) Form {
	v, t := reflect.ValueOf(Defaults()), reflect.TypeFor[Settings]()
	var field reflect.StructField
	for part := range strings.SplitSeq(key, ".") {
		if t.Kind() != reflect.Struct {
			return Form{}
		}
		f, ok := fieldByName(t, part)
		if !ok {
			return Form{}
		}
		v, t, field = v.FieldByIndex(f.Index), f.Type, f
	}
	form := Form{Kind: Compound}
	switch t.Kind() {
	case reflect.Struct: // a group of keys
		return Form{}
	case reflect.Bool:
		form.Kind = Switch
	case reflect.Int, reflect.Float64:
		form.Kind = Number
	case reflect.String:
		form.Kind = Text
		if form.Values = strings.Fields(field.Tag.Get("oneof")); len(form.Values) > 0 {
			form.Kind = Choice
		}
	}
	if form.Kind != Compound { // those begin empty, and only files have them
		text, err := json.Marshal(v.Interface())
		if err != nil {
			return Form{}
		}
		form.Default = string(text)
	}
	return form
}

// Written turns what a person wrote for a key into the value for Set. It passes
// the same checks as one in a file; the error says what the key takes.
func Written(key, text string) (any, error) {
	var value any = text
	switch FormOf(key).Kind {
	case Number:
		if text = strings.TrimSpace(text); !isNumber(text) {
			return nil, errors.New(key + " must be a number")
		}
		value = json.Number(text)
	case Switch:
		value = text == "true"
	}
	scratch := Config{Settings: Defaults(), origins: map[string]string{}}
	_, err := scratch.override(Override{Key: key, Value: value, Flag: key})
	if p, ok := errors.AsType[Problem](err); ok {
		return nil, errors.New(key + " " + p.Text)
	}
	return value, err
}

// isNumber holds for a number as JSON has them.
func isNumber(text string) bool {
	var n json.Number
	return !strings.HasPrefix(text, `"`) && json.Unmarshal([]byte(text), &n) == nil && n != ""
}

// Line finds where a key stands in a settings file, from 1: the key itself, else
// the line that Starter has for it, else the group that it belongs to. It is 1
// where nothing is found.
func Line(path, key string) (int, error) {
	src, err := readSettings(path)
	if err != nil {
		return 0, err
	}
	v, err := parse(path, src)
	if err != nil {
		return 0, err
	}
	at, line := &v, 1
	parts := strings.Split(key, ".")
	for _, part := range parts {
		obj, ok := at.Value.(*hujson.Object)
		if !ok {
			return line, nil
		}
		i := lastMember(obj, part)
		if i < 0 {
			return line + commented(src[:min(at.EndOffset, len(src))], line, part), nil
		}
		line, _ = position(src, obj.Members[i].Name.StartOffset)
		at = &obj.Members[i].Value
	}
	return line, nil
}

// commented counts the lines from one to the next that has a name behind slashes;
// 0 where there is none.
func commented(src []byte, from int, name string) int {
	lines := strings.Split(string(src), "\n")
	for n, text := range lines[min(from-1, len(lines)):] {
		if strings.HasPrefix(strings.TrimLeft(text, " \t/"), `"`+name+`":`) {
			return n
		}
	}
	return 0
}
