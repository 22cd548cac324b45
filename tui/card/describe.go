package card

import (
	"encoding/json"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
)

// action is how a call is told to people: what it does, and the argument that
// names its target.
type action struct {
	verb string
	args []string // the first that is set is the target
	kind string
}

var actions = map[string]action{
	"read":       {"Read", []string{"path"}, "read"},
	"write":      {"Write", []string{"path"}, "edit"},
	"edit":       {"Edit", []string{"path"}, "edit"},
	"bash":       {"Run", []string{"command"}, "execute"},
	"grep":       {"Search for", []string{"pattern"}, "search"},
	"find":       {"Find files", []string{"pattern"}, "search"},
	"ls":         {"List", []string{"path"}, "read"},
	"todo":       {"Update the tasks", nil, "think"},
	"todo_write": {"Update the tasks", nil, "think"},
	"task":       {"Give a task", []string{"description"}, "think"},
	"ask":        {"Ask", []string{"question"}, "other"},
	"web_fetch":  {"Fetch", []string{"url"}, "fetch"},
	"webfetch":   {"Fetch", []string{"url"}, "fetch"},
}

// common are the arguments that name a target in tools of other origin.
var common = []string{"path", "file_path", "command", "pattern", "query", "url", "question", "name"}

// Describe tells a call in words from its name and arguments, which may be an
// incomplete JSON object: they are shown while they stream. The result is one
// clean line; kind groups tools as the engine does.
func Describe(name string, arguments string) (title, kind string) {
	if agent := field(arguments, "agent"); name == taskTool && agent != "" {
		return sanitize.Line(strings.TrimSpace(agent + ": " + field(arguments, "description"))), "think"
	}
	a, known := actions[name]
	if !known {
		a = action{verb: toolName(name), args: common, kind: "other"}
	}
	target := ""
	for _, key := range a.args {
		if target = field(arguments, key); target != "" {
			break
		}
	}
	switch {
	case target != "":
	case a.verb == "List":
		target = "."
	case !known:
		target = summarised(arguments)
	}
	return sanitize.Line(strings.TrimSpace(a.verb + " " + target)), a.kind
}

// field returns a string member of a JSON object, also of one that is cut
// off in the middle of that member's value.
func field(object, key string) string {
	var whole map[string]any
	if json.Unmarshal([]byte(object), &whole) == nil {
		s, _ := whole[key].(string)
		return s
	}
	dec := json.NewDecoder(strings.NewReader(object))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return ""
	}
	for {
		t, err := dec.Token()
		name, ok := t.(string)
		if err != nil || !ok {
			return ""
		}
		at := dec.InputOffset()
		var v any
		if err := dec.Decode(&v); err != nil {
			if name != key {
				return ""
			}
			return openString(object[at:])
		}
		if s, ok := v.(string); ok && name == key {
			return s
		}
	}
}

// openString decodes a JSON string without its end.
func openString(s string) string {
	_, s, ok := strings.Cut(s, `"`)
	if !ok {
		return ""
	}
	// An escape may be cut as well: shorten until it decodes.
	for cut := len(s); cut >= max(0, len(s)-6); cut-- {
		var out string
		if json.Unmarshal([]byte(`"`+s[:cut]+`"`), &out) == nil {
			return out
		}
	}
	return ""
}
