// The names that begin errors are the protocol's.
//
//lint:file-ignore ST1005 wire literals

package remote

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"unicode/utf8"
)

// request is a message of the client's.
type request struct {
	id     string
	input  input
	config requestConfig
	tools  bool // the model may use tools
	stream bool
}

// requestConfig is what a request wants for itself. nil is absent.
type requestConfig struct {
	MaxToolTry    *uint32
	MaxContextNum *uint32
	MaxTokens     *uint32
	Ask           *bool
	Prompt        *string
}

// input is one of the types below.
type input interface{ inputKind() string }

type (
	textInput  string
	imageInput struct{ data, mimeType string }
	fileInput  struct{ filename, contentType, data string }
	multiInput []input

	instruction struct {
		command    string
		parameters json.RawMessage
	}
	toolResponse struct {
		name      string
		arguments json.RawMessage
		approved  bool
		reason    string
	}
	turnResponse struct{ confirmed bool }

	// unit is an input without content: GetCommands, Interrupt, Regenerate or
	// ClearContext.
	unit string
)

const (
	getCommands  unit = "GetCommands"
	interrupt    unit = "Interrupt"
	regenerate   unit = "Regenerate"
	clearContext unit = "ClearContext"
)

func (textInput) inputKind() string    { return "Text" }
func (imageInput) inputKind() string   { return "Image" }
func (fileInput) inputKind() string    { return "File" }
func (multiInput) inputKind() string   { return "Multi" }
func (instruction) inputKind() string  { return "Instruction" }
func (toolResponse) inputKind() string { return "ToolConfirmationResponse" }
func (turnResponse) inputKind() string { return "TurnConfirmationResponse" }
func (u unit) inputKind() string       { return string(u) }

// Bounds of what a request may hold.
const (
	maxDepth = 64   // of its JSON
	maxParts = 1000 // of a Multi, all the way down
)

// object is a JSON object. Its names are compared exactly, case included.
type object map[string]json.RawMessage

// parse reads a message. With an error the request still has its id, if that
// could be found.
func parse(data []byte) (request, error) {
	r := request{id: "parse_error", tools: true}
	if !utf8.Valid(data) {
		return r, errors.New("the message must be valid UTF-8 JSON")
	}
	if tooDeep(data) {
		return r, fmt.Errorf("the JSON is nested more than %d levels deep", maxDepth)
	}
	var o object
	if err := json.Unmarshal(data, &o); err != nil || o == nil {
		return r, shape(err, "a request is a JSON object")
	}
	id, ok, err := field[string](o, "request_id", "a string")
	switch {
	case err != nil:
		return r, err
	case !ok:
		return r, errors.New("missing field `request_id`")
	}
	r.id = id
	if r.config, err = parseConfig(o["config"]); err != nil {
		return r, err
	}
	if tools, ok, err := field[bool](o, "use_tools", "true or false"); err != nil {
		return r, err
	} else if ok {
		r.tools = tools
	}
	if r.stream, err = parseStream(o); err != nil {
		return r, err
	}
	if isNull(o["input"]) {
		return r, errors.New("missing field `input`")
	}
	parts := 0
	r.input, err = parseInput(o["input"], &parts)
	return r, err
}

// shape is the error of a value that is no JSON, or of another kind than said.
func shape(err error, kind string) error {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Errorf("%w (at byte %d)", err, syntax.Offset)
	}
	return errors.New(kind)
}

// parseStream reads how the answer is to come. The empty name is how a widely
// copied document spells the field.
func parseStream(o object) (bool, error) {
	stream, ok, err := field[bool](o, "stream", "true or false")
	if ok || err != nil {
		return stream, err
	}
	stream, _, err = field[bool](o, "", "true or false")
	return stream, err
}

// field reads a member that may be absent or null.
func field[T any](o object, name, kind string) (v T, ok bool, err error) {
	raw := o[name]
	if isNull(raw) {
		return v, false, nil
	}
	if err := json.Unmarshal(raw, &v); err != nil {
		return v, false, fmt.Errorf("the field `%s` must be %s", name, kind)
	}
	return v, true, nil
}

func required[T any](o object, variant, name, kind string) (T, error) {
	v, ok, err := field[T](o, name, kind)
	if err == nil && !ok {
		err = fmt.Errorf("%s: missing field `%s`", variant, name)
	}
	return v, err
}

// present reads a member that may hold any JSON, null too, but has to be there.
func present(o object, variant, name string) (json.RawMessage, error) {
	raw, ok := o[name]
	if !ok {
		return nil, fmt.Errorf("%s: missing field `%s`", variant, name)
	}
	return raw, nil
}

func isNull(raw json.RawMessage) bool { return len(raw) == 0 || bytes.Equal(raw, []byte("null")) }

func parseConfig(raw json.RawMessage) (c requestConfig, err error) {
	if isNull(raw) {
		return c, nil
	}
	var o object
	if json.Unmarshal(raw, &o) != nil {
		return c, errors.New("the field `config` must be an object")
	}
	for _, n := range []struct {
		name string
		to   **uint32
	}{{"max_tool_try", &c.MaxToolTry}, {"max_context_num", &c.MaxContextNum}, {"max_tokens", &c.MaxTokens}} {
		v, ok, err := field[uint64](o, n.name, "a whole number from 0")
		if err != nil {
			return c, err
		}
		if v > math.MaxUint32 {
			return c, fmt.Errorf("the field `%s` must be at most %d", n.name, uint32(math.MaxUint32))
		}
		if ok {
			small := uint32(v)
			*n.to = &small
		}
	}
	if ask, ok, err := field[bool](o, "ask_before_tool_execution", "true or false"); err != nil {
		return c, err
	} else if ok {
		c.Ask = &ask
	}
	if prompt, ok, err := field[string](o, "prompt", "a string"); err != nil {
		return c, err
	} else if ok {
		c.Prompt = &prompt
	}
	return c, nil
}

// parseInput reads an input: a name alone, or an object with one name.
func parseInput(raw json.RawMessage, parts *int) (input, error) {
	if *parts++; *parts > maxParts {
		return nil, fmt.Errorf("Multi holds more than %d inputs", maxParts)
	}
	var name string
	if json.Unmarshal(raw, &name) == nil {
		if !isUnit(name) {
			return nil, fmt.Errorf("unknown input `%s`, or one that needs a value", name)
		}
		return unit(name), nil
	}
	var o object
	if json.Unmarshal(raw, &o) != nil || len(o) != 1 {
		return nil, errors.New("the field `input` must be an object with one name, or a name")
	}
	for name, raw := range o {
		if isUnit(name) {
			if !isNull(raw) && !isEmpty(raw) {
				return nil, fmt.Errorf("%s takes no value but null", name)
			}
			return unit(name), nil
		}
		return parseVariant(name, raw, parts)
	}
	return nil, nil // not reached: there is one name
}

func isUnit(name string) bool {
	switch unit(name) {
	case getCommands, interrupt, regenerate, clearContext:
		return true
	}
	return false
}

// isEmpty holds for {}, which some clients write for null.
func isEmpty(raw json.RawMessage) bool {
	var o object
	return json.Unmarshal(raw, &o) == nil && len(o) == 0
}

func parseVariant(name string, raw json.RawMessage, parts *int) (in input, err error) {
	switch name {
	case "Text":
		var text string
		if isNull(raw) || json.Unmarshal(raw, &text) != nil {
			return nil, errors.New("Text must be a string")
		}
		return textInput(text), nil
	case "Multi":
		var list []json.RawMessage
		if isNull(raw) || json.Unmarshal(raw, &list) != nil {
			return nil, errors.New("Multi must be a list of inputs")
		}
		multi := make(multiInput, 0, min(len(list), maxParts))
		for _, one := range list {
			part, err := parseInput(one, parts)
			if err != nil {
				return nil, err
			}
			multi = append(multi, part)
		}
		return multi, nil
	}
	var o object
	known := name == "Image" || name == "File" || name == "Instruction" || name == "ToolConfirmationResponse" || name == "TurnConfirmationResponse"
	switch {
	case !known:
		return nil, fmt.Errorf("unknown input `%s`", name)
	case isNull(raw) || json.Unmarshal(raw, &o) != nil:
		return nil, fmt.Errorf("%s must be an object", name)
	}
	return parseObject(name, o)
}

func parseObject(name string, o object) (input, error) {
	var failed error
	text := func(field string) string {
		v, err := required[string](o, name, field, "a string")
		failed = first(failed, err)
		return v
	}
	optional := func(key string) string {
		v, _, err := field[string](o, key, "a string")
		failed = first(failed, err)
		return v
	}
	yes := func(key string) bool {
		v, err := required[bool](o, name, key, "true or false")
		failed = first(failed, err)
		return v
	}
	value := func(key string) json.RawMessage {
		v, err := present(o, name, key)
		failed = first(failed, err)
		return v
	}
	var in input
	switch name {
	case "Image":
		in = imageInput{text("data"), optional("mime_type")}
	case "File":
		in = fileInput{text("filename"), text("content_type"), text("data")}
	case "Instruction":
		in = instruction{text("command"), value("parameters")}
	case "ToolConfirmationResponse":
		in = toolResponse{text("name"), value("arguments"), yes("approved"), optional("reason")}
	case "TurnConfirmationResponse":
		optional("reason")
		in = turnResponse{yes("confirmed")}
	}
	return in, failed
}

func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// tooDeep looks for JSON that is nested deeper than we follow.
func tooDeep(data []byte) bool {
	depth, quoted := 0, false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > maxDepth {
				return true
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return false
}
