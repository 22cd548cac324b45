package spec

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sort"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"
	"go.yaml.in/yaml/v3"
)

// maxDepth bounds nesting: readers recurse.
const maxDepth = 100

// kind is what a node is, in words for messages.
type kind string

const (
	null    kind = "nothing"
	text    kind = "a text"
	number  kind = "a number"
	boolean kind = "true or false"
	list    kind = "a list"
	object  kind = "an object"
)

// node is a value of either format, with its line.
type node struct {
	kind   kind
	line   int
	text   string // of a scalar
	items  []node
	fields []field // no two of one name
}

type field struct {
	name  string
	line  int
	value node
}

// add appends a field; a name may be used once.
func (n *node) add(f field) *Error {
	for _, old := range n.fields {
		if old.name == f.name {
			return &Error{Line: f.line, Field: short(f.name), Text: fmt.Sprintf("set twice, first in line %d; remove one", old.line)}
		}
	}
	if len(n.fields) == maxFields {
		return &Error{Line: f.line, Text: fmt.Sprintf("an object has more than %d fields", maxFields)}
	}
	n.fields = append(n.fields, f)
	return nil
}

// maxFields bounds the fields of one object.
const maxFields = 500

// readYAML reads one YAML document. What makes YAML large or surprising is
// refused: anchors, aliases and tags.
func readYAML(src string) (node, *Error) {
	d := yaml.NewDecoder(strings.NewReader(src))
	var root, second yaml.Node
	switch err := d.Decode(&root); {
	case errors.Is(err, io.EOF):
		return node{kind: null, line: 1}, nil
	case err != nil:
		return node{}, yamlError(err)
	}
	switch err := d.Decode(&second); {
	case err == nil:
		return node{}, &Error{Line: second.Line, Text: "a second document begins here; a file is one agent"}
	case !errors.Is(err, io.EOF):
		return node{}, yamlError(err)
	}
	if len(root.Content) == 0 {
		return node{kind: null, line: 1}, nil
	}
	return fromYAML(root.Content[0], 0)
}

// yamlError finds the line in an error's text, where the parser puts it.
func yamlError(err error) *Error {
	msg := strings.TrimPrefix(err.Error(), "yaml: ")
	e := &Error{Text: msg}
	if rest, ok := strings.CutPrefix(msg, "line "); ok {
		if digits, says, ok := strings.Cut(rest, ": "); ok {
			if n, err := strconv.Atoi(digits); err == nil {
				e.Line, e.Text = n, says
			}
		}
	}
	e.Text = "this is no YAML: " + e.Text
	return e
}

func fromYAML(y *yaml.Node, depth int) (node, *Error) {
	n := node{line: y.Line, text: y.Value}
	switch {
	case depth > maxDepth:
		return n, &Error{Line: y.Line, Text: fmt.Sprintf("nested more than %d deep", maxDepth)}
	case y.Kind == yaml.AliasNode || y.Anchor != "":
		return n, &Error{Line: y.Line, Text: "anchors and aliases aren't taken; write the value out"}
	case y.Style&yaml.TaggedStyle != 0:
		return n, &Error{Line: y.Line, Text: fmt.Sprintf("tags such as %s aren't taken; write the plain value", short(y.Tag))}
	}
	switch y.Kind {
	case yaml.MappingNode:
		n.kind = object
		for i := 0; i+1 < len(y.Content); i += 2 {
			key := y.Content[i]
			if k, fault := fromYAML(key, depth+1); fault != nil {
				return n, fault
			} else if k.kind == list || k.kind == object {
				return n, &Error{Line: key.Line, Text: "a field's name is a text"}
			}
			value, fault := fromYAML(y.Content[i+1], depth+1)
			if fault == nil {
				fault = n.add(field{key.Value, key.Line, value})
			}
			if fault != nil {
				return n, fault
			}
		}
	case yaml.SequenceNode:
		n.kind = list
		for _, c := range y.Content {
			item, fault := fromYAML(c, depth+1)
			if fault != nil {
				return n, fault
			}
			n.items = append(n.items, item)
		}
	default:
		n.kind = scalars[y.ShortTag()]
		if n.kind == "" {
			n.kind = text
		}
		if i, err := strconv.ParseInt(n.text, 0, 64); n.kind == number && err == nil {
			n.text = strconv.FormatInt(i, 10) // 0x10 and 1_000 too
		}
	}
	return n, nil
}

// scalars are the tags of values that aren't texts.
var scalars = map[string]kind{"!!null": null, "!!bool": boolean, "!!int": number, "!!float": number}

// readJSON reads JSON with comments and trailing commas.
func readJSON(src string) (node, *Error) {
	if strings.TrimSpace(src) == "" {
		return node{kind: null, line: 1}, nil
	}
	depth := 0
	for i := range len(src) { // brackets wherever they stand: no honest text holds that many
		switch src[i] {
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		}
		if depth > maxDepth {
			return node{}, &Error{Line: 1 + strings.Count(src[:i], "\n"), Text: fmt.Sprintf("nested more than %d deep", maxDepth)}
		}
	}
	v, err := hujson.Parse([]byte(src))
	if err != nil {
		e := &Error{Text: "this is no JSON: " + strings.TrimPrefix(err.Error(), "hujson: ")}
		var column int
		if n, _ := fmt.Sscanf(err.Error(), "hujson: line %d, column %d:", &e.Line, &column); n == 2 && errors.Unwrap(err) != nil {
			e.Text = "this is no JSON: " + errors.Unwrap(err).Error()
		}
		if errors.Is(err, io.ErrUnexpectedEOF) {
			e.Text = "the file ends inside a value: close the open quote, comment or bracket"
		}
		return node{}, e
	}
	j := jsonLines{}
	for i := range len(src) {
		if src[i] == '\n' {
			j = append(j, i)
		}
	}
	return j.node(v)
}

// jsonLines are the offsets of line breaks.
type jsonLines []int

func (j jsonLines) at(offset int) int { return 1 + sort.SearchInts(j, offset) }

func (j jsonLines) node(v hujson.Value) (node, *Error) {
	n := node{line: j.at(v.StartOffset)}
	switch value := v.Value.(type) {
	case *hujson.Object:
		n.kind = object
		for _, m := range value.Members {
			child, fault := j.node(m.Value)
			if fault == nil {
				fault = n.add(field{m.Name.Value.(hujson.Literal).String(), j.at(m.Name.StartOffset), child})
			}
			if fault != nil {
				return n, fault
			}
		}
	case *hujson.Array:
		n.kind = list
		for _, e := range value.Elements {
			child, fault := j.node(e)
			if fault != nil {
				return n, fault
			}
			n.items = append(n.items, child)
		}
	case hujson.Literal:
		n.text = value.String()
		switch value.Kind() {
		case '"':
			n.kind = text
		case '0':
			n.kind = number
		case 't', 'f':
			n.kind = boolean
		default:
			n.kind = null
		}
	}
	return n, nil
}

// raw is the node as encoding/json would have it.
func (n node) raw() any {
	switch n.kind {
	case null:
		return nil
	case boolean:
		return strings.EqualFold(n.text, "true")
	case number:
		if json.Valid([]byte(n.text)) {
			return json.Number(n.text)
		}
	case list:
		items := make([]any, len(n.items))
		for i, item := range n.items {
			items[i] = item.raw()
		}
		return items
	case object:
		fields := map[string]any{}
		for _, f := range n.fields {
			fields[f.name] = f.value.raw()
		}
		return fields
	}
	return n.text
}

// short quotes what a file has for a message, bounded.
func short(s string) string {
	const most = 60
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "…"
	}
	return strconv.QuoteToGraphic(s)
}
