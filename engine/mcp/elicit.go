package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
)

// Elicitation is a server's question to the user: a message and the fields of
// a form, none for a plain yes or no. Its texts are clean.
type Elicitation struct {
	Server  string
	Message string
	Fields  []Field
}

// Field is one value that a server asks for.
type Field struct {
	Name        string // key of Reply.Values
	Title       string
	Description string
	// Type is "string", "number", "integer", "boolean", or "array" for several
	// of Options.
	Type     string
	Options  []Option
	Required bool
	Default  string // as Value reads it; "" for none
}

// Option is a value to choose, with its name for people.
type Option struct{ Value, Title string }

// Action is what the user does with a question.
type Action string

const (
	Accept  Action = "accept"
	Decline Action = "decline"
	Cancel  Action = "cancel" // neither
)

// Reply is the user's. Values count only with Accept.
type Reply struct {
	Action Action
	Values map[string]any
}

// Bounds of a form.
const (
	maxFields  = 20
	maxOptions = 100
	maxAsked   = 2 << 10 // bytes of the message
)

// Value reads what the user typed or chose, by an option's value or title;
// several, for an array, are separated by commas. Empty text is nil for a field
// that isn't required.
func (f Field) Value(text string) (any, error) {
	text = strings.TrimSpace(text)
	switch {
	case text == "" && f.Required:
		return nil, fmt.Errorf("%s is needed", f.Title)
	case text == "":
		return nil, nil
	}
	switch f.Type {
	case "number":
		n, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
			return nil, fmt.Errorf("%s: %q is no number", f.Title, text)
		}
		return n, nil
	case "integer":
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%s: %q is no whole number", f.Title, text)
		}
		return n, nil
	case "boolean":
		switch strings.ToLower(text) {
		case "yes", "y", "true":
			return true, nil
		case "no", "n", "false":
			return false, nil
		}
		return nil, fmt.Errorf("%s: answer yes or no", f.Title)
	case "array":
		values := []any{}
		for _, part := range strings.Split(text, ",") {
			v, err := f.choose(strings.TrimSpace(part))
			if err != nil {
				return nil, err
			}
			values = append(values, v)
		}
		return values, nil
	}
	return f.choose(text)
}

func (f Field) choose(text string) (any, error) {
	if len(f.Options) == 0 {
		return text, nil
	}
	for _, o := range f.Options {
		if text == o.Value || text == o.Title {
			return o.Value, nil
		}
	}
	return nil, fmt.Errorf("%s: %q isn't one of the choices", f.Title, text)
}

// property is a field in a server's schema.
type property struct {
	Type        string   `json:"type"`
	Title       string   `json:"title"`
	Description string   `json:"description"`
	Enum        []string `json:"enum"`
	EnumNames   []string `json:"enumNames"`
	OneOf       []titled `json:"oneOf"`
	AnyOf       []titled `json:"anyOf"`
	Default     any      `json:"default"`
	Items       *property
}

type titled struct {
	Const string `json:"const"`
	Title string `json:"title"`
}

// elicit puts a server's question to the user. What can't be asked is declined.
func (r *remote) elicit(ctx context.Context, l *link, q *sdk.ElicitParams) (*sdk.ElicitResult, error) {
	declined := &sdk.ElicitResult{Action: string(Decline)}
	if q == nil || q.Mode != "" && q.Mode != "form" {
		return declined, nil
	}
	e := Elicitation{Server: label(r.conf.Name), Message: clip(clean(q.Message), maxAsked)}
	var err error
	if e.Fields, err = fields(q.RequestedSchema); err != nil {
		r.m.opts.Log.Warn("a question can't be asked", "mcp", r.conf.Name, "error", err)
		return declined, nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(l.ctx, cancel)()
	l.asking.Add(1)
	defer l.asking.Add(-1)
	reply, err := r.m.opts.Elicit(ctx, e)
	switch {
	case err != nil || reply.Action == Cancel:
		return &sdk.ElicitResult{Action: string(Cancel)}, nil
	case reply.Action != Accept:
		return declined, nil
	}
	values := maps.Clone(reply.Values)
	maps.DeleteFunc(values, func(_ string, v any) bool { return v == nil })
	if values == nil {
		values = map[string]any{}
	}
	return &sdk.ElicitResult{Action: string(Accept), Content: values}, nil
}

// fields reads the schema of a form: what is required comes first.
func fields(schema any) ([]Field, error) {
	if schema == nil {
		return nil, nil
	}
	raw, err := json.Marshal(schema)
	if err != nil {
		return nil, err
	}
	var form struct {
		Properties map[string]property `json:"properties"`
		Required   []string            `json:"required"`
	}
	if err := json.Unmarshal(raw, &form); err != nil {
		return nil, err
	}
	if len(form.Properties) > maxFields {
		return nil, errors.New("the form has too many fields")
	}
	var list []Field
	for _, name := range slices.Sorted(maps.Keys(form.Properties)) {
		f, err := newField(name, form.Properties[name])
		if err != nil {
			return nil, err
		}
		f.Required = slices.Contains(form.Required, name)
		list = append(list, f)
	}
	slices.SortStableFunc(list, func(a, b Field) int {
		switch {
		case a.Required == b.Required:
			return 0
		case a.Required:
			return -1
		}
		return 1
	})
	return list, nil
}

func newField(name string, p property) (Field, error) {
	f := Field{Name: name, Title: field(p.Title), Description: clip(sanitize.Line(p.Description), 300), Type: p.Type}
	if f.Title == "" {
		f.Title = field(name)
	}
	choices := p
	if p.Type == "array" && p.Items != nil {
		choices = *p.Items
	}
	for i, v := range choices.Enum {
		o := Option{Value: v, Title: field(v)}
		if i < len(p.EnumNames) {
			o.Title = field(p.EnumNames[i])
		}
		f.Options = append(f.Options, o)
	}
	for _, t := range slices.Concat(choices.OneOf, choices.AnyOf) {
		f.Options = append(f.Options, Option{Value: t.Const, Title: field(t.Title)})
	}
	switch {
	case len(f.Options) > maxOptions:
		return f, errors.New("the form has too many choices")
	case !slices.Contains([]string{"string", "number", "integer", "boolean", "array"}, f.Type):
		return f, fmt.Errorf("the form has a field of the unknown type %q", field(f.Type))
	}
	switch d := p.Default.(type) {
	case string, bool, float64:
		f.Default = sanitize.Line(fmt.Sprint(d))
	case []any:
		for i, v := range d {
			if i > 0 {
				f.Default += ","
			}
			f.Default += sanitize.Line(fmt.Sprint(v))
		}
	}
	return f, nil
}
