package themes

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
)

// Parse reads a theme file. Keys that are missing keep the colours of the
// built-in theme. An error names the key and its position as line:column,
// both counted from 1, columns in bytes.
func Parse(data []byte) (Theme, error) {
	base, err := files.ReadFile(Default + ".json")
	if err != nil {
		return Theme{}, fmt.Errorf("read the built-in theme: %w", err)
	}
	var t Theme
	if err := parse(base, &t); err != nil {
		return Theme{}, fmt.Errorf("built-in theme: %w", err)
	}
	t.Name = ""
	if err := parse(data, &t); err != nil {
		return Theme{}, err
	}
	return t, nil
}

// parser walks the tokens of one file.
type parser struct {
	data []byte
	dec  *json.Decoder
}

func parse(data []byte, t *Theme) error {
	p := parser{data: data, dec: json.NewDecoder(bytes.NewReader(data))}
	err := p.object("", func(key string) error {
		switch key {
		case "$schema":
			_, err := p.text(key)
			return err
		case "name":
			name, err := p.text(key)
			t.Name = name
			return err
		case "dark":
			return p.colors(key, &t.Dark)
		case "light":
			return p.colors(key, &t.Light)
		}
		return p.fail(key, "unknown key; there are: name, dark, light")
	})
	if err != nil {
		return err
	}
	if _, err := p.dec.Token(); !errors.Is(err, io.EOF) {
		return p.fail("", "text after the end of the theme")
	}
	return nil
}

// object reads an object and calls member for each key, which reads the value.
func (p *parser) object(key string, member func(key string) error) error {
	if tok, err := p.dec.Token(); err != nil {
		return p.syntax(key, err)
	} else if tok != json.Delim('{') {
		return p.fail(key, "must be an object")
	}
	seen := map[string]bool{}
	for p.dec.More() {
		tok, err := p.dec.Token()
		if err != nil {
			return p.syntax(key, err)
		}
		name, _ := tok.(string)
		if seen[name] {
			return p.fail(join(key, name), "is there twice")
		}
		seen[name] = true
		if err := member(name); err != nil {
			return err
		}
	}
	if _, err := p.dec.Token(); err != nil {
		return p.syntax(key, err)
	}
	return nil
}

func (p *parser) colors(variant string, c *Colors) error {
	fields := fieldsOf(c)
	return p.object(variant, func(name string) error {
		key := join(variant, name)
		field, ok := fields[name]
		if !ok {
			return p.fail(key, "unknown key; schema.json lists them all")
		}
		value, err := p.text(key)
		if err != nil {
			return err
		}
		if !validColor(value) {
			return p.fail(key, fmt.Sprintf(`%q is no colour: use "#rrggbb", "0" to "255", or "" for the terminal's own`, value))
		}
		*field = strings.ToLower(value)
		return nil
	})
}

// fieldsOf maps the JSON names of c to its fields.
func fieldsOf(c *Colors) map[string]*string {
	v := reflect.ValueOf(c).Elem()
	fields := make(map[string]*string, v.NumField())
	for i := range v.NumField() {
		fields[v.Type().Field(i).Tag.Get("json")] = v.Field(i).Addr().Interface().(*string)
	}
	return fields
}

func (p *parser) text(key string) (string, error) {
	tok, err := p.dec.Token()
	if err != nil {
		return "", p.syntax(key, err)
	}
	s, ok := tok.(string)
	if !ok {
		return "", p.fail(key, "must be a string")
	}
	return s, nil
}

func validColor(s string) bool {
	if s == "" {
		return true
	}
	if hex, ok := strings.CutPrefix(s, "#"); ok {
		_, err := strconv.ParseUint(hex, 16, 32)
		return err == nil && len(hex) == 6
	}
	n, err := strconv.ParseUint(s, 10, 8)
	return err == nil && s == strconv.FormatUint(n, 10)
}

func join(parent, key string) string {
	if parent == "" {
		return key
	}
	return parent + "." + key
}

// fail reports the token that was read last.
func (p *parser) fail(key, problem string) error {
	return p.at(key, p.dec.InputOffset(), problem)
}

func (p *parser) syntax(key string, err error) error {
	var se *json.SyntaxError
	switch {
	case errors.As(err, &se):
		return p.at(key, se.Offset, se.Error())
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return p.at(key, int64(len(p.data)), "the file ends too early")
	}
	return p.at(key, p.dec.InputOffset(), err.Error())
}

// at formats an error for the byte before offset, where a token ends.
func (p *parser) at(key string, offset int64, problem string) error {
	before := p.data[:min(max(offset-1, 0), int64(len(p.data)))]
	line := bytes.Count(before, []byte("\n")) + 1
	column := len(before) - bytes.LastIndexByte(before, '\n')
	if key != "" {
		problem = strconv.Quote(key) + ": " + problem
	}
	return fmt.Errorf("theme, %d:%d: %s", line, column, problem)
}
