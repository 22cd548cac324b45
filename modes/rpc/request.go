package rpc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// request is a line of the host: a command, or an answer to one of our own
// requests.
type request struct {
	ID   json.RawMessage // as the host wrote it; nil when absent or null
	Type string
	// typed is false when there is no type that is a string.
	typed  bool
	fields map[string]json.RawMessage
	size   int // bytes of the line
}

// parse reads a line. Its error is for people, without any prefix.
func parse(line []byte) (request, error) {
	var r request
	if !utf8.Valid(line) { // else an id would come back other than it was read
		line = bytes.ToValidUTF8(line, []byte("\uFFFD"))
	}
	if err := json.Unmarshal(line, &r.fields); err != nil {
		var kind *json.UnmarshalTypeError
		if errors.As(err, &kind) {
			return r, errors.New("a command is a JSON object")
		}
		return r, err
	}
	if r.fields == nil { // null
		return r, errors.New("a command is a JSON object")
	}
	r.ID = r.fields["id"]
	if bytes.Equal(r.ID, []byte("null")) {
		r.ID = nil
	}
	r.typed = json.Unmarshal(r.fields["type"], &r.Type) == nil && !isNull(r.fields["type"])
	return r, nil
}

func isNull(raw json.RawMessage) bool { return len(raw) == 0 || bytes.Equal(raw, []byte("null")) }

// has reports whether a field is there and not null.
func (r request) has(name string) bool { return !isNull(r.fields[name]) }

// into decodes a field that has to be there.
func (r request) into(name string, v any, kind string) error {
	if !r.has(name) {
		return fmt.Errorf("%s: the field %q (%s) is missing", r.Type, name, kind)
	}
	if err := json.Unmarshal(r.fields[name], v); err != nil {
		return fmt.Errorf("%s: the field %q must be %s", r.Type, name, kind)
	}
	return nil
}

func (r request) text(name string) (s string, err error) {
	err = r.into(name, &s, "a string")
	return s, err
}

// optionalText is empty when the field is absent.
func (r request) optionalText(name string) (string, error) {
	if !r.has(name) {
		return "", nil
	}
	return r.text(name)
}

func (r request) flag(name string) (b bool, err error) {
	err = r.into(name, &b, "true or false")
	return b, err
}

// refusal is an error that we found by looking: it always carries the
// command's id. Other errors of a handler are the protocol's "exceptions".
type refusal struct{ text string }

func (r refusal) Error() string { return r.text }

func refuse(format string, args ...any) error { return refusal{fmt.Sprintf(format, args...)} }

// response answers a command.
type response struct {
	ID      json.RawMessage `json:"id,omitempty"`
	Type    string          `json:"type"`
	Command string          `json:"command,omitempty"`
	Success bool            `json:"success"`
	Data    any             `json:"data,omitempty"`
	Error   string          `json:"error,omitempty"`
}

// null is data that is there and null.
var null = json.RawMessage("null")

func success(r request, data any) response {
	return response{ID: r.ID, Type: "response", Command: r.Type, Success: true, Data: data}
}

// parseFailure is how the protocol tells of a line that can't be read.
func parseFailure(err error) response {
	return response{Type: "response", Command: "parse", Error: "Failed to parse command: " + err.Error()}
}

// failure answers with an error, in the words and with the id that the dialect
// has for it.
func (s *server) failure(r request, err error) response {
	var deliberate refusal
	if s.o.Dialect != Pi && !errors.As(err, &deliberate) {
		return parseFailure(err)
	}
	return response{ID: r.ID, Type: "response", Command: r.Type, Error: err.Error()}
}

// unknown answers a command that we don't have. The default dialect drops the
// id, as its family does.
func (s *server) unknown(r request) response {
	f := response{Type: "response", Command: r.Type, Error: "Unknown command: " + r.Type}
	if !r.typed {
		f.Command, f.Error = "", "Unknown command: undefined"
		if raw := r.fields["type"]; !isNull(raw) && len(raw) < 100 {
			f.Error = "Unknown command: " + strings.TrimSpace(string(raw))
		}
	}
	if s.o.Dialect == Pi {
		f.ID = r.ID
	}
	return f
}
