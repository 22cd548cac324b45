package prompt

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxMatter bounds front matter, in bytes.
const maxMatter = 64 << 10

// Fields are the keys of front matter.
type Fields map[string]any

// Text returns a field as one line of text, "" if it isn't there. Lists come
// as people write them: [a, b].
func (f Fields) Text(key string) string {
	switch v := f[key].(type) {
	case nil:
		return ""
	case string:
		return oneLine(v)
	case []any:
		items := make([]string, len(v))
		for i, item := range v {
			items[i] = fmt.Sprint(item)
		}
		return oneLine("[" + strings.Join(items, ", ") + "]")
	default:
		return oneLine(fmt.Sprint(v))
	}
}

// FrontMatter splits a Markdown file into the YAML between two lines "---" at
// its beginning and the body after them. Without a closing line all is body.
//
// Files in the field often hold lines such as "argument-hint: [a] [b]", which
// YAML refuses. Then each "key: text" line counts as text; if there is none,
// the YAML error is returned beside the body.
func FrontMatter(text string) (Fields, string, error) {
	text = strings.TrimPrefix(text, "\uFEFF")
	first, rest, _ := strings.Cut(text, "\n")
	if strings.TrimRight(first, " \t\r") != "---" {
		return nil, text, nil
	}
	end, body := -1, ""
	at := 0
	for line := range strings.Lines(rest) {
		if mark := strings.TrimRight(line, " \t\r\n"); mark == "---" || mark == "..." {
			end, body = at, rest[at+len(line):]
			break
		}
		at += len(line)
	}
	if end < 0 {
		return nil, text, nil
	}
	if end > maxMatter {
		return nil, body, fmt.Errorf("front matter is longer than %d KiB", maxMatter>>10)
	}
	fields := Fields{}
	err := yaml.Unmarshal([]byte(rest[:end]), &fields)
	if err == nil {
		return fields, body, nil
	}
	if plain := plainFields(rest[:end]); len(plain) > 0 {
		return plain, body, nil
	}
	return nil, body, fmt.Errorf("front matter: %w", err)
}

func plainFields(matter string) Fields {
	fields := Fields{}
	for line := range strings.Lines(matter) {
		key, value, ok := strings.Cut(line, ":")
		if ok && key != "" && strings.Trim(key, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-") == "" {
			fields[key] = strings.TrimSpace(value)
		}
	}
	return fields
}
