package spec

import (
	"fmt"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
)

// Code tells programs what is wrong.
type Code string

// The codes of errors about agents.
const (
	Invalid      Code = "HOOPOE_CONFIG_INVALID"
	NotFound     Code = "HOOPOE_AGENT_NOT_FOUND"
	UnknownModel Code = "HOOPOE_MODEL_UNKNOWN"
	NoKey        Code = "HOOPOE_PROVIDER_AUTH"
	Unavailable  Code = "HOOPOE_PROVIDER_UNAVAILABLE"
)

// Error is a fault of an agent's file.
type Error struct {
	Code  Code
	Path  string // of the file
	Line  int    // from 1; 0 when the fault has no place
	Field string // such as limits.turns or tools[2].name; "" for the whole file
	Text  string // what is wrong and how to mend it
	Err   error  // behind Text, or nil
}

// Error reads "CODE: path:line: field: text", in one line.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(string(e.Code) + ": " + e.Path)
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d", e.Line)
	}
	if e.Field != "" {
		b.WriteString(": " + e.Field)
	}
	return sanitize.Line(b.String() + ": " + e.Text)
}

// Unwrap returns what is behind it.
func (e *Error) Unwrap() error { return e.Err }

// Fault returns an error about one of the agent's fields, at its line.
func (a *Agent) Fault(code Code, field string, err error) *Error {
	return &Error{Code: code, Path: a.Path, Line: a.Line(field), Field: field, Text: err.Error(), Err: err}
}

// Line returns where a field stands in the file, 0 when it isn't there.
func (a *Agent) Line(field string) int { return a.lines[field] }
