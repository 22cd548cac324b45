package spec

import (
	"path/filepath"
	"slices"
	"strings"
)

// modules are the endings of scripts that export an agent.
var modules = []string{".ts", ".js", ".mts", ".mjs"}

// IsModule reports whether a path is that of a script, which is read elsewhere:
// it has to run to say what agent it is. A folder is one when it has an agent.ts
// or the like and none of the plain files; script is then that file's path.
func IsModule(given string) (script string, is bool) {
	path, err := filepath.Abs(given)
	if err != nil {
		return "", false
	}
	if slices.Contains(modules, strings.ToLower(filepath.Ext(path))) {
		return path, true
	}
	if _, err := inFolder(path, names); err == nil {
		return "", false
	}
	var scripts []string
	for _, ending := range modules {
		scripts = append(scripts, "agent"+ending)
	}
	script, err = inFolder(path, scripts)
	return script, err == nil
}

// Decode reads the options that the script at path exports, as JSON. Faults have
// no lines.
func Decode(path string, options []byte) (*Agent, error) {
	n, fault := readJSON(string(options))
	if fault != nil {
		fault.Code, fault.Path, fault.Line = Invalid, path, 0
		return nil, fault
	}
	return decode(path, n.withoutLines())
}

// withoutLines is the node with no places, for text that no file has.
func (n node) withoutLines() node {
	n.line = 0
	n.items = slices.Clone(n.items)
	for i := range n.items {
		n.items[i] = n.items[i].withoutLines()
	}
	n.fields = slices.Clone(n.fields)
	for i := range n.fields {
		n.fields[i].line = 0
		n.fields[i].value = n.fields[i].value.withoutLines()
	}
	return n
}
