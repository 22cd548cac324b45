package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Bounds of a file of servers.
const (
	maxFile    = 1 << 20
	maxServers = 200
	maxTimeout = 24 * time.Hour
)

// entry is one server as .mcp.json and settings write it. Fields of other
// programs are ignored.
type entry struct {
	Type     string            `json:"type"`
	Command  string            `json:"command"`
	Args     []scalar          `json:"args"`
	Env      map[string]scalar `json:"env"`
	Cwd      string            `json:"cwd"`
	URL      string            `json:"url"`
	Headers  map[string]scalar `json:"headers"`
	Disabled bool              `json:"disabled"`
	Timeout  float64           `json:"timeout"`
	Pinned   []string          `json:"pinned"`
}

// scalar is a text that people also write as a number or a boolean.
type scalar string

func (s *scalar) UnmarshalJSON(raw []byte) error {
	var v any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return err
	}
	switch t := v.(type) {
	case string:
		*s = scalar(t)
	case bool, json.Number:
		*s = scalar(fmt.Sprint(t))
	default:
		return errors.New("expected text")
	}
	return nil
}

// ParseFile reads a document with an "mcpServers" object, such as .mcp.json:
// see Parse.
func ParseFile(data []byte, getenv func(string) string) ([]Server, []error) {
	if len(data) > maxFile {
		return nil, []error{fmt.Errorf("the file of MCP servers is larger than %d KB", maxFile>>10)}
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	file, err := members(data)
	if err != nil {
		return nil, []error{fmt.Errorf("the file of MCP servers isn't a JSON object: %w", located(err, data))}
	}
	servers, ok := file["mcpServers"]
	if !ok {
		return nil, []error{errors.New(`the file of MCP servers has no "mcpServers" object`)}
	}
	above := bytes.Repeat([]byte("\n"), servers.begins-1)
	return Parse(append(above, servers.value...), getenv)
}

// ParseError says what is wrong with one server.
type ParseError struct {
	Server string
	Line   int // where its name stands in the text that was parsed, from 1
	Err    error
}

func (e *ParseError) Error() string { return fmt.Sprintf("MCP server %q: %v", label(e.Server), e.Err) }
func (e *ParseError) Unwrap() error { return e.Err }

// member is a value of an object, with the lines where its name ends and where
// it begins.
type member struct {
	value        json.RawMessage
	line, begins int
}

// members takes an object apart; of two with one name the last counts. null is
// an empty object.
func members(data []byte) (map[string]member, error) {
	var plain map[string]json.RawMessage
	if err := json.Unmarshal(data, &plain); err != nil {
		return nil, err
	}
	found := make(map[string]member, len(plain))
	d := json.NewDecoder(bytes.NewReader(data))
	_, err := d.Token()
	line, at := 1, 0
	to := func(next int) int {
		line, at = line+bytes.Count(data[at:next], []byte("\n")), next
		return line
	}
	for err == nil && len(found) < len(plain) && d.More() {
		var name json.Token
		if name, err = d.Token(); err != nil {
			break
		}
		key := name.(string) // a name of an object is nothing else
		m := member{value: plain[key], line: to(int(d.InputOffset()))}
		var value json.RawMessage
		err = d.Decode(&value)
		m.begins = to(max(at, int(d.InputOffset())-len(value)))
		found[key] = m
	}
	return found, err
}

// Parse reads an "mcpServers" object and expands ${NAME} and ${NAME:-default}
// in commands, arguments, values of env and headers, cwd and url; getenv
// returns "" for a variable that isn't set. Servers come sorted by name. A bad
// one is left out and has an error of one line; the rest is returned all the
// same.
//
//	{"files": {"command": "npx", "args": ["-y", "some-server", "${HOME}"]},
//	 "issues": {"type": "http", "url": "https://...", "headers": {"Authorization": "Bearer ${TOKEN}"},
//	            "timeout": 60000, "pinned": ["search"], "disabled": false}}
//
// timeout is in milliseconds; a value below 1000 counts as seconds, as some
// programs have it.
func Parse(object json.RawMessage, getenv func(string) string) ([]Server, []error) {
	if len(object) > maxFile {
		return nil, []error{fmt.Errorf(`"mcpServers" is larger than %d KB`, maxFile>>10)}
	}
	entries, err := members(object)
	if err != nil {
		return nil, []error{fmt.Errorf(`"mcpServers" isn't an object of servers: %w`, located(err, object))}
	}
	var servers []Server
	var errs []error
	for i, name := range slices.Sorted(maps.Keys(entries)) {
		if i == maxServers {
			errs = append(errs, fmt.Errorf("more than %d MCP servers: the others are left out", maxServers))
			break
		}
		s, err := parseServer(name, entries[name].value, getenv)
		if err != nil {
			errs = append(errs, &ParseError{name, entries[name].line, err})
			continue
		}
		servers = append(servers, s)
	}
	return servers, errs
}

func parseServer(name string, raw json.RawMessage, getenv func(string) string) (Server, error) {
	var e entry
	if err := json.Unmarshal(raw, &e); err != nil || string(raw) == "null" {
		return Server{}, fieldError(err)
	}
	s := Server{
		Name: name, Disabled: e.Disabled, Pinned: e.Pinned,
		Timeout: timeout(e.Timeout), Type: strings.ToLower(strings.TrimSpace(e.Type)),
	}
	switch s.Type {
	case "streamable-http", "streamablehttp", "streamable_http":
		s.Type = HTTP
	}
	x := expander{getenv: getenv}
	s.Command, s.Cwd, s.URL = x.text(e.Command), x.text(e.Cwd), strings.TrimSpace(x.text(e.URL))
	for _, a := range e.Args {
		s.Args = append(s.Args, x.text(string(a)))
	}
	s.Env, s.Headers = x.values(e.Env), x.values(e.Headers)
	if len(x.missing) > 0 && !s.Disabled {
		return Server{}, fmt.Errorf("${%s} isn't set: set the variable or give a default, as in ${%[1]s:-value}", x.missing[0])
	}
	return s.check()
}

func timeout(n float64) time.Duration {
	unit := time.Millisecond
	if n < 1000 {
		unit = time.Second
	}
	if !(n > 0) {
		return 0
	}
	return time.Duration(min(n, float64(maxTimeout/unit))) * unit
}

// expander replaces variables and collects the names of those that have
// neither a value nor a default.
type expander struct {
	getenv  func(string) string
	missing []string
}

func (x *expander) values(m map[string]scalar) map[string]string {
	if len(m) == 0 {
		return nil
	}
	out := make(map[string]string, len(m))
	for _, k := range slices.Sorted(maps.Keys(m)) {
		out[k] = x.text(string(m[k]))
	}
	return out
}

// text expands s. What isn't a variable's name in braces stays: it may be
// meant for a shell.
func (x *expander) text(s string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(s, "${")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		inner, after, closed := strings.Cut(rest, "}")
		name, fallback, hasDefault := strings.Cut(strings.TrimPrefix(inner, "env:"), ":-")
		if !closed || !isVariable(name) {
			b.WriteString("${")
			s = rest
			continue
		}
		value := x.getenv(name)
		switch {
		case value == "" && hasDefault:
			value = fallback
		case value == "":
			x.missing = append(x.missing, name)
		}
		b.WriteString(value)
		s = after
	}
}

func isVariable(name string) bool {
	for i, c := range []byte(name) {
		letter := c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
}

// located gives a syntax error its line.
func located(err error, data []byte) error {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		at := min(int(syntax.Offset), len(data))
		return fmt.Errorf("line %d: %w", 1+bytes.Count(data[:at], []byte("\n")), err)
	}
	return fieldError(err)
}

// fieldError says which field has the wrong type, in words.
func fieldError(err error) error {
	var wrong *json.UnmarshalTypeError
	switch {
	case err == nil:
		return errors.New("expected an object")
	case errors.As(err, &wrong) && wrong.Field != "":
		return fmt.Errorf("%q can't be a %s", clip(wrong.Field, 60), wrong.Value)
	case errors.As(err, &wrong):
		return fmt.Errorf("expected an object, got a %s", wrong.Value)
	}
	return err
}
