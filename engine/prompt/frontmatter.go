package prompt

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
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

// Strings returns a field's texts as they are: one, or those of a list.
func (f Fields) Strings(key string) []string {
	values, ok := f[key].([]any)
	if !ok {
		values = []any{f[key]}
	}
	var list []string
	for _, v := range values {
		if v == nil {
			continue
		}
		if text := strings.TrimSpace(fmt.Sprint(v)); text != "" {
			list = append(list, text)
		}
	}
	return list
}

// Patterns is Strings for file patterns and the like, several of which people
// write into one text, with commas. Commas in brackets divide nothing.
func (f Fields) Patterns(key string) []string {
	var list []string
	for _, text := range f.Strings(key) {
		depth, from := 0, 0
		for i, r := range text + "," {
			switch {
			case strings.ContainsRune("({[", r):
				depth++
			case strings.ContainsRune(")}]", r):
				depth--
			case r == ',' && (depth <= 0 || i == len(text)):
				if part := strings.TrimSpace(text[from:i]); part != "" {
					list = append(list, part)
				}
				from = i + 1
			}
		}
	}
	return list
}

// Words is Strings for names with blanks between them. Brackets hold a name
// together.
func (f Fields) Words(key string) []string {
	var list []string
	for _, text := range f.Strings(key) {
		depth := 0
		list = append(list, strings.FieldsFunc(text, func(r rune) bool {
			switch r {
			case '(':
				depth++
			case ')':
				depth--
			}
			return depth <= 0 && (r == ' ' || r == ',')
		})...)
	}
	return list
}

// Bool returns a field that is true or false, without it the given value.
func (f Fields) Bool(key string, without bool) bool {
	switch strings.ToLower(f.Text(key)) {
	case "true", "yes", "on":
		return true
	case "false", "no", "off":
		return false
	}
	return without
}

// Count returns a field that is a number from 1 on, 0 without it. sound is false
// when it is anything else.
func (f Fields) Count(key string) (n int, sound bool) {
	text := f.Text(key)
	if text == "" {
		return 0, true
	}
	n, err := strconv.Atoi(text)
	return n, err == nil && n > 0
}

// Map returns the texts of a field that has keys of its own.
func (f Fields) Map(key string) map[string]string {
	fields, ok := f[key].(Fields)
	if !ok {
		return nil
	}
	texts := map[string]string{}
	for k := range fields {
		texts[k] = fields.Text(k)
	}
	return texts
}

// FrontMatter splits a Markdown file into the YAML between two lines "---" at
// its beginning and the body after them. Without a closing line all is body.
//
// Files in the field often hold lines such as "argument-hint: [a] [b]" or
// "globs: *.go", which YAML refuses. The values at fault are then taken as
// text. What still isn't YAML comes back as an error beside the body.
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
	mended := Fields{}
	if yaml.Unmarshal([]byte(mend(rest[:end])), &mended) == nil && len(mended) > 0 {
		return mended, body, nil
	}
	return nil, body, fmt.Errorf("front matter: %s", why(err))
}

// place is where the YAML library says that it is. It counts from 0 or from 1,
// and within the front matter: no help to anybody.
var place = regexp.MustCompile(`^(yaml: )?(line \d+: )?| at line \d+$`)

// why makes an error of the YAML library one for people.
func why(err error) string {
	text := err.Error()
	if wrong, ok := errors.AsType[*yaml.TypeError](err); ok && len(wrong.Errors) > 0 {
		text = wrong.Errors[0]
	}
	text = place.ReplaceAllString(text, "")
	if strings.HasPrefix(text, "cannot unmarshal") {
		return "it has to be lines of the form \"key: value\""
	}
	return oneLine(text)
}

// mend puts quotes around the values that are no YAML by themselves, of
// "key: value" lines and of items in lists.
func mend(matter string) string {
	var b strings.Builder
	for line := range strings.Lines(matter) {
		line = strings.TrimRight(line, "\r\n")
		at := valueAt(line)
		value := strings.TrimSpace(line[at:])
		var node yaml.Node
		if at > 0 && value != "" && yaml.Unmarshal([]byte("x: "+value), &node) != nil {
			if inner, ok := strings.CutPrefix(value, `"`); ok && strings.HasSuffix(inner, `"`) {
				value = inner[:len(inner)-1] // "\d" is an escape that YAML doesn't know
			}
			line = line[:at] + " '" + strings.ReplaceAll(value, "'", "''") + "'"
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

// valueAt is where the value of a "key: value" or "- value" line begins, 0 if
// the line has no such form.
func valueAt(line string) int {
	indent := len(line) - len(strings.TrimLeft(line, " "))
	if strings.HasPrefix(line[indent:], "- ") {
		return indent + 1
	}
	key, _, ok := strings.Cut(line[indent:], ":")
	if !ok || key == "" || strings.Trim(key, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-") != "" {
		return 0
	}
	return indent + len(key) + 1
}
