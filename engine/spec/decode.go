package spec

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hoopoe-agent/hoopoe/engine/config"
	"github.com/hoopoe-agent/hoopoe/engine/internal/plainfile"
	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/permission"
	"github.com/hoopoe-agent/hoopoe/engine/tool"
)

// maxText bounds a text of one line, in bytes.
const maxText = 4096

// decoder turns nodes into an agent and collects every fault on the way.
type decoder struct {
	path, folder string
	lines        map[string]int
	faults       []error
}

func (d *decoder) fail(line int, name, format string, args ...any) {
	d.faults = append(d.faults, &Error{Code: Invalid, Path: d.path, Line: line, Field: name, Text: fmt.Sprintf(format, args...)})
}

// reader reads one field of an object.
type reader struct {
	name string
	read func(name string, n node)
}

// object gives each field to its reader. A field that none is for is a fault;
// one without a value counts as left out.
func (d *decoder) object(prefix string, n node, readers ...reader) {
	if n.kind != object {
		d.fail(n.line, prefix, "must be an object with fields, this is %s", n.kind)
		return
	}
	if prefix != "" {
		prefix += "."
	}
	var names []string
	for _, r := range readers {
		names = append(names, r.name)
	}
next:
	for _, f := range n.fields {
		for _, r := range readers {
			if r.name == f.name {
				d.lines[prefix+f.name] = f.value.line
				if f.value.kind != null {
					r.read(prefix+f.name, f.value)
				}
				continue next
			}
		}
		hint := "; there are " + strings.Join(names, ", ")
		if near := tool.Nearest(f.name, names, 1); len(near) > 0 {
			hint = "; did you mean " + near[0] + "?"
		}
		d.fail(f.line, prefix+plain(f.name), "unknown field%s", hint)
	}
}

// plain is a name that needs no quotes, else in quotes.
func plain(name string) string {
	odd := func(r rune) bool {
		return r != '_' && r != '-' && r != '.' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}
	if name == "" || len(name) > 60 || strings.ContainsFunc(name, odd) {
		return short(name)
	}
	return name
}

func (d *decoder) agent(n node) Agent {
	var a Agent
	if n.kind == null {
		d.fail(n.line, "", "the file is empty: an agent has at least instructions")
		return a
	}
	d.object("", n,
		reader{"name", d.line(&a.Name)},
		reader{"description", d.line(&a.Description)},
		reader{"instructions", func(name string, n node) { a.Instructions = d.instructions(name, n) }},
		reader{"model", d.line(&a.Model)},
		reader{"thinking", func(name string, n node) {
			var err error
			if level := ""; d.text(name, n, &level) {
				if a.Thinking, err = llm.ParseLevel(level); err != nil {
					d.fail(n.line, name, "%v", err)
				}
			}
		}},
		reader{"tools", func(name string, n node) { a.Tools = d.tools(name, n) }},
		reader{"permissions", func(name string, n node) { d.permissions(name, n, &a) }},
		reader{"limits", func(name string, n node) { d.limits(name, n, &a.Limits) }},
		reader{"mcpServers", func(name string, n node) { a.MCPServers = d.servers(name, n) }},
		reader{"extensions", d.paths(&a.Extensions)},
		reader{"skills", d.paths(&a.Skills)},
	)
	return a
}

// text reads a text that isn't blank.
func (d *decoder) text(name string, n node, into *string) bool {
	switch {
	case n.kind != text && n.kind != null:
		hint := ""
		if n.kind == number || n.kind == boolean {
			hint = "; put it into quotes"
		}
		d.fail(n.line, name, "must be a text, this is %s%s", n.kind, hint)
	case strings.TrimSpace(n.text) == "":
		d.fail(n.line, name, "is empty; give a text or leave it out")
	default:
		*into = strings.TrimSpace(n.text)
		return true
	}
	return false
}

// line reads a text of one line.
func (d *decoder) line(into *string) func(string, node) {
	return func(name string, n node) {
		var s string
		switch {
		case !d.text(name, n, &s):
		case len(s) > maxText:
			d.fail(n.line, name, "is longer than %d bytes", maxText)
		case strings.ContainsFunc(s, unicode.IsControl):
			d.fail(n.line, name, "must be one line without control characters")
		default:
			*into = s
		}
	}
}

// instructions are the text itself, or that of the file that a single word
// with the ending of one names.
func (d *decoder) instructions(name string, n node) string {
	var s string
	if !d.text(name, n, &s) {
		return ""
	}
	ext := strings.ToLower(filepath.Ext(s))
	if ext != ".md" && ext != ".txt" || strings.ContainsFunc(s, unicode.IsSpace) {
		return s
	}
	path, ok := d.within(name, n.line, s)
	if !ok {
		return ""
	}
	content, err := readText(path)
	if err != nil {
		d.fail(n.line, name, "%s: %v", s, err)
	}
	return content
}

// within returns the absolute path of what a spec names in its own folder.
// Symbolic links don't lead out of it.
func (d *decoder) within(name string, line int, rel string) (string, bool) {
	if !filepath.IsLocal(filepath.FromSlash(rel)) {
		d.fail(line, name, "%s is not a path within the agent's folder", short(rel))
		return "", false
	}
	path := filepath.Join(d.folder, filepath.FromSlash(rel))
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		d.fail(line, name, "%s: %s", rel, reason(err))
		return "", false
	}
	home, err := filepath.EvalSymlinks(d.folder)
	if err != nil {
		d.fail(line, name, "%s: %s", rel, reason(err))
		return "", false
	}
	if inside, err := filepath.Rel(home, real); err != nil || !filepath.IsLocal(inside) {
		d.fail(line, name, "%s leads out of the agent's folder", short(rel))
		return "", false
	}
	return real, true
}

// each reads the items of a list.
func (d *decoder) each(name string, n node, read func(name string, n node)) {
	if n.kind != list {
		d.fail(n.line, name, "must be a list, this is %s", n.kind)
		return
	}
	for i, item := range n.items {
		read(fmt.Sprintf("%s[%d]", name, i), item)
	}
}

func (d *decoder) paths(into *[]string) func(string, node) {
	return func(name string, n node) {
		d.each(name, n, func(name string, n node) {
			var rel string
			if !d.text(name, n, &rel) {
				return
			}
			if path, ok := d.within(name, n.line, rel); ok {
				*into = append(*into, path)
			}
		})
	}
}

func (d *decoder) tools(name string, n node) []Tool {
	tools := []Tool{}
	d.each(name, n, func(name string, n node) {
		var t Tool
		d.lines[name] = n.line
		if n.kind != object {
			d.line(&t.Name)(name, n)
		} else {
			faults := len(d.faults)
			d.object(name, n,
				reader{"name", d.line(&t.Name)},
				reader{"needsApproval", func(name string, n node) { t.NeedsApproval = d.boolean(name, n) }},
			)
			if t.Name == "" && len(d.faults) == faults {
				d.fail(n.line, name, "has no name")
			}
		}
		if t.Name != "" {
			tools = append(tools, t)
		}
	})
	return tools
}

func (d *decoder) boolean(name string, n node) bool {
	if n.kind != boolean {
		d.fail(n.line, name, "must be true or false, this is %s", n.kind)
	}
	return n.kind == boolean && strings.EqualFold(n.text, "true")
}

func (d *decoder) permissions(name string, n node, a *Agent) {
	rules := func(action permission.Action) func(string, node) {
		return func(name string, n node) {
			d.each(name, n, func(name string, n node) {
				var s string
				if !d.text(name, n, &s) {
					return
				}
				r, err := permission.ParseRule(s, action, permission.FromAgent)
				if err != nil {
					d.fail(n.line, name, "%v", err)
					return
				}
				a.Rules = append(a.Rules, r)
			})
		}
	}
	d.object(name, n,
		reader{"mode", func(name string, n node) {
			var s string
			var err error
			if !d.text(name, n, &s) {
				return
			}
			if a.Mode, err = permission.ParseMode(s); err != nil {
				d.fail(n.line, name, "%v", err)
			}
		}},
		reader{"allow", rules(permission.Allow)},
		reader{"ask", rules(permission.Ask)},
		reader{"deny", rules(permission.Deny)},
	)
}

func (d *decoder) limits(name string, n node, l *config.Limits) {
	whole := func(into *int) func(string, node) {
		return func(name string, n node) {
			v, err := strconv.ParseInt(n.text, 10, 32)
			if n.kind != number || err != nil || v < 1 {
				d.fail(n.line, name, "must be a whole number from 1 on, this is %s", n.shown())
				return
			}
			*into = int(v)
		}
	}
	d.object(name, n,
		reader{"turns", whole(&l.Turns)},
		reader{"output_tokens", whole(&l.OutputTokens)},
		reader{"total_tokens", whole(&l.TotalTokens)},
		reader{"cost_usd", func(name string, n node) {
			v, err := strconv.ParseFloat(n.text, 64)
			if n.kind != number || err != nil || !(v > 0 && v < 1e9) {
				d.fail(n.line, name, "must be an amount of dollars above 0, this is %s", n.shown())
				return
			}
			l.CostUSD = v
		}},
		reader{"seconds", whole(&l.Seconds)},
	)
}

// shown is a value in a message.
func (n node) shown() string {
	if n.kind == number || n.kind == text {
		return short(n.text)
	}
	return string(n.kind)
}

// servers keeps the MCP servers as JSON, which is how those who start them
// read it.
func (d *decoder) servers(name string, n node) json.RawMessage {
	if n.kind != object {
		d.fail(n.line, name, "must be an object of servers, as in .mcp.json; this is %s", n.kind)
		return nil
	}
	for _, f := range n.fields {
		d.lines[name+"."+f.name] = f.line
		if f.value.kind != object {
			d.fail(f.line, name+"."+plain(f.name), "must be an object with a command or a url, this is %s", f.value.kind)
		}
	}
	raw, err := json.Marshal(n.raw())
	if err != nil {
		d.fail(n.line, name, "%v", err)
	}
	return raw
}

// readText reads a file of instructions.
func readText(path string) (string, error) {
	data, err := plainfile.Read(path, maxInstructions)
	if err != nil {
		return "", err
	}
	content := strings.TrimSpace(strings.TrimPrefix(string(data), "\ufeff"))
	switch {
	case !utf8.ValidString(content) || strings.ContainsRune(content, 0):
		return "", errors.New("the file is not UTF-8 text")
	case content == "":
		return "", errors.New("the file is empty")
	}
	return content, nil
}
