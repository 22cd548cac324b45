package themes

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Starter is the text of a new theme file: all keys with what they are for,
// and the built-in theme's colours. The error is for names that can't be a
// file's.
func Starter(name string) ([]byte, error) {
	if !validName(name) || strings.HasPrefix(name, ".") {
		return nil, fmt.Errorf("%q is no name for a theme: use letters, digits, \"-\" and \"_\"", name)
	}
	t, err := Load(Default)
	if err != nil {
		return nil, err
	}
	about, err := descriptions()
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	fmt.Fprintf(&b, `// A theme of Hoopoe. A colour is "#rrggbb", "0" to "255", the name of a colour
// of the terminal's palette ("red", "brightBlue" ...), a name out of "vars", or
// "" for the terminal's own. What is left out is taken from the theme %q.
//
//     hoopoe theme check %s      tells mistakes, and what is hard to read
//
// Choose it with /theme; what is saved here shows at once.
{
  "name": %q,

  // Uncomment it for a theme that looks the same on every background.
  // "appearance": "dark",

  "vars": {
    // "brand": "#e8a35c"
  },
`, Default, name, name)
	variant(&b, "dark", "For a dark background.", t.Dark, about)
	b.WriteString(",\n")
	variant(&b, "light", "For a light background.", t.Light, about)
	b.WriteString("\n}\n")
	return []byte(b.String()), nil
}

func variant(b *strings.Builder, name, comment string, c Colors, about map[string]string) {
	fields := fieldsOf(&c)
	fmt.Fprintf(b, "\n  // %s\n  %q: {\n", comment, name)
	for _, key := range keys() {
		fmt.Fprintf(b, "    %-33s// %s\n", fmt.Sprintf("%q: %q,", key, *fields[key]), about[key])
	}
	b.WriteString("  }")
}

// descriptions are what the schema says of the colours.
func descriptions() (map[string]string, error) {
	data, err := files.ReadFile("schema.json")
	if err != nil {
		return nil, fmt.Errorf("read the themes' schema: %w", err)
	}
	var schema struct {
		Defs struct {
			Colors struct {
				Properties map[string]struct {
					Description string `json:"description"`
				} `json:"properties"`
			} `json:"colors"`
		} `json:"$defs"`
	}
	if err := json.Unmarshal(data, &schema); err != nil {
		return nil, fmt.Errorf("read the themes' schema: %w", err)
	}
	about := map[string]string{}
	for key, p := range schema.Defs.Colors.Properties {
		about[key] = p.Description
	}
	return about, nil
}
