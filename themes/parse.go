package themes

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Parse reads a theme file. Keys that are missing keep the colours of the
// built-in theme. The error is a *Problems with all that is wrong.
func Parse(data []byte) (Theme, error) {
	var t Theme
	base, err := files.ReadFile(Default + ".json")
	if err != nil {
		return Theme{}, fmt.Errorf("read the built-in theme: %w", err)
	}
	if err := parse(base, &t); err != nil {
		return Theme{}, fmt.Errorf("built-in theme: %w", err)
	}
	t.Name = ""
	if err := parse(data, &t); err != nil {
		return Theme{}, err
	}
	return t, nil
}

// parser applies one file to a theme.
type parser struct {
	reader
	vars map[string]*variable
}

// variable is a colour that a file names for itself.
type variable struct {
	value   node
	used    bool
	looking bool // for its meaning: found again it has none
}

func parse(data []byte, t *Theme) error {
	p := parser{reader: reader{data: plain(data)}, vars: map[string]*variable{}}
	if top, ok := p.read(); ok {
		p.theme(top, t)
	}
	return p.err()
}

func (p *parser) theme(top node, t *Theme) {
	if top.kind != '{' {
		p.fail(top.at, "", "a theme must be an object { ... }")
		return
	}
	parts := map[string]node{}
	p.each("", top, func(key string, m member) { parts[key] = m.value })
	p.variables(parts["vars"])
	_, foreign := parts["colors"]
	for _, m := range top.members {
		switch m.key {
		case "$schema", "vars":
		case "name":
			t.Name = p.text(m.key, m.value)
		case "appearance":
			if t.Appearance = p.text(m.key, m.value); t.Appearance != "dark" && t.Appearance != "light" {
				p.fail(m.value.at, m.key, `must be "dark" or "light"`)
			}
		case "dark":
			p.colors(m.key, m.value, &t.Dark)
		case "light":
			p.colors(m.key, m.value, &t.Light)
		case "colors":
			p.foreign(m.value, t)
		default:
			if !foreign {
				p.fail(m.at, m.key, "unknown key%s", instead(m.key, []string{"name", "appearance", "vars", "dark", "light"}))
			}
		}
	}
	if !foreign {
		p.unused()
	}
}

// each calls member for the members of an object.
func (p *parser) each(parent string, n node, visit func(key string, m member)) {
	if n.kind != '{' {
		p.fail(n.at, parent, "must be an object { ... }")
		return
	}
	seen := map[string]bool{}
	for _, m := range n.members {
		if seen[m.key] {
			p.fail(m.at, join(parent, m.key), "is there twice; remove one")
			continue
		}
		seen[m.key] = true
		visit(m.key, m)
	}
}

func (p *parser) colors(variant string, n node, c *Colors) {
	fields := fieldsOf(c)
	p.each(variant, n, func(name string, m member) {
		key := join(variant, name)
		if field, ok := fields[name]; !ok {
			p.fail(m.at, key, "unknown key%s", instead(name, keys()))
		} else if color, ok := p.color(key, m.value); ok {
			*field = color
		}
	})
}

// color resolves a value to the form of Colors.
func (p *parser) color(key string, n node) (string, bool) {
	if n.kind != '"' && n.kind != '0' {
		p.fail(n.at, key, "must be a colour in double quotes")
		return "", false
	}
	if v, ok := p.vars[n.text]; ok && n.kind == '"' {
		if v.looking {
			p.fail(n.at, key, "%q is defined by itself", short(n.text))
			return "", false
		}
		v.used, v.looking = true, true
		defer func() { v.looking = false }()
		return p.color(key, v.value)
	}
	color, ok := normal(n.text)
	if !ok {
		p.fail(n.at, key, "%q is no colour%s", short(n.text), p.colorHint(n.text))
	}
	return color, ok
}

// colorHint says what a value could be instead.
func (p *parser) colorHint(value string) string {
	if strings.HasPrefix(value, "#") {
		return `: it takes six digits, "#rrggbb"`
	}
	names := slices.Concat(slices.Sorted(maps.Keys(p.vars)), paletteNames(), []string{ownColor})
	if near := nearest(value, names); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return `: use "#rrggbb", "0" to "255", a name such as "red" or "brightBlue", one of "vars", or "" for the terminal's own`
}

func (p *parser) variables(n node) {
	if n.kind == 0 {
		return
	}
	p.each("vars", n, func(name string, m member) {
		if _, taken := normal(name); taken {
			p.fail(m.at, join("vars", name), "this name is a colour already; choose another")
			return
		}
		p.vars[name] = &variable{value: m.value}
	})
}

// unused judges the variables that no colour asked for: those that one did
// are judged there.
func (p *parser) unused() {
	for _, name := range slices.Sorted(maps.Keys(p.vars)) {
		if v := p.vars[name]; !v.used {
			p.color(join("vars", name), v.value)
		}
	}
}

func (p *parser) text(key string, n node) string {
	if n.kind != '"' {
		p.fail(n.at, key, "must be a string in double quotes")
	}
	return n.text
}

// fieldsOf maps the JSON names of c to its fields.
func fieldsOf(c *Colors) map[string]*string {
	v := reflect.ValueOf(c).Elem()
	fields := make(map[string]*string, v.NumField())
	for i := range v.NumField() {
		fields[v.Type().Field(i).Tag.Get("json")] = v.Field(i).Addr().Interface().(*string)
	}
	return fields
}

// keys lists the JSON names of Colors.
func keys() []string {
	t := reflect.TypeFor[Colors]()
	names := make([]string, t.NumField())
	for i := range names {
		names[i] = t.Field(i).Tag.Get("json")
	}
	return names
}

// instead proposes the nearest key.
func instead(key string, candidates []string) string {
	if near := nearest(key, candidates); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	if len(candidates) > 10 {
		return "; \"hoopoe theme init\" writes a file with all of them"
	}
	return "; there are: " + strings.Join(candidates, ", ")
}

func join(parent, key string) string {
	if parent == "" {
		return key
	}
	return parent + "." + key
}
