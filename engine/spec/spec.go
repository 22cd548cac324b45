// Package spec reads an agent's file: what somebody has written down as an
// agent of their own, for --agent.
//
//	path ─▶ find (file, or folder with agent.yaml|yml|json)
//	          │
//	          ▼
//	YAML ─▶ node ◀─ JSON with comments      node: a value with its line
//	          │
//	          ▼
//	        decode ─▶ *Agent, or an *Error for each fault
//
// The file is foreign text: it may be somebody else's. It is bounded, anchors
// and aliases are refused, and what it names lies in its own folder. What it
// allows can't be more than what the user allows; that is the engine's part.
package spec

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hoopoe-agent/hoopoe/engine/config"
	"github.com/hoopoe-agent/hoopoe/engine/internal/plainfile"
	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/permission"
)

// Bounds of a spec and of the instructions that it names, in bytes.
const (
	maxSpec         = 256 << 10
	maxInstructions = 1 << 20
)

// Agent is what a spec says. The zero value of a field leaves it to the user's
// settings.
type Agent struct {
	Path   string // of the file, absolute
	Folder string // that it is in

	Name, Description string
	// Instructions stand in for our own at the beginning of the system prompt.
	Instructions string
	// Model is a pattern, as in --model.
	Model    string
	Thinking llm.Level
	// Tools are the only ones; nil are those of any session, none is an empty
	// list.
	Tools []Tool
	// Mode is the loosest permission mode, and Rules are the agent's own.
	Mode   permission.Mode
	Rules  []permission.Rule
	Limits config.Limits
	// MCPServers is an object as in .mcp.json, nil without one.
	MCPServers json.RawMessage
	// Extensions and Skills are absolute paths within Folder.
	Extensions, Skills []string

	lines map[string]int // of the fields, by their names
}

// Tool is a tool that the agent has.
type Tool struct {
	Name string
	// NeedsApproval asks for each call, whatever else allows it.
	NeedsApproval bool
}

// Load reads the spec at path: a file, or a folder with one. Its error joins
// one *Error for each fault.
func Load(path string) (*Agent, error) {
	path, err := find(path)
	if err != nil {
		return nil, err
	}
	data, err := plainfile.Read(path, maxSpec)
	if err != nil {
		return nil, &Error{Code: Invalid, Path: path, Text: strings.TrimPrefix(err.Error(), "read "+path+": ")}
	}
	return parse(path, data)
}

// parse reads a spec's text.
func parse(path string, data []byte) (*Agent, error) {
	text := strings.TrimPrefix(string(data), "\ufeff")
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return nil, &Error{Code: Invalid, Path: path, Text: "the file is not UTF-8 text"}
	}
	read := readYAML
	if ext := filepath.Ext(path); strings.EqualFold(ext, ".json") || strings.EqualFold(ext, ".jsonc") {
		read = readJSON
	}
	n, fault := read(text)
	if fault != nil {
		fault.Code, fault.Path = Invalid, path
		return nil, fault
	}
	return decode(path, n)
}

func decode(path string, n node) (*Agent, error) {
	d := decoder{path: path, folder: filepath.Dir(path), lines: map[string]int{}}
	a := d.agent(n)
	if len(d.faults) > 0 {
		slices.SortStableFunc(d.faults, func(a, b error) int { return a.(*Error).Line - b.(*Error).Line })
		return nil, errors.Join(d.faults...)
	}
	a.Path, a.Folder, a.lines = path, d.folder, d.lines
	return &a, nil
}

// names are the files that make a folder an agent, by rank.
var names = []string{"agent.yaml", "agent.yml", "agent.json"}

// find returns the absolute path of the file that is meant.
func find(given string) (string, error) {
	path, err := filepath.Abs(given)
	if err != nil {
		return "", &Error{Code: NotFound, Path: given, Text: err.Error()}
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", &Error{Code: NotFound, Path: path, Text: "there is no such file or folder"}
	case err != nil:
		return "", &Error{Code: NotFound, Path: path, Text: reason(err)}
	case !info.IsDir():
		return path, readable(path)
	}
	return inFolder(path, names)
}

// inFolder returns the first file of some names that a folder has.
func inFolder(folder string, names []string) (string, error) {
	for _, name := range names {
		file := filepath.Join(folder, name)
		if _, err := os.Stat(file); err == nil {
			return file, nil
		}
	}
	return "", &Error{Code: NotFound, Path: folder, Text: "the folder has no " + strings.Join(names, ", ")}
}

// readable refuses files that can't be specs by their names.
func readable(path string) error {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".yaml", ".yml", ".json", ".jsonc":
		return nil
	}
	return &Error{Code: Invalid, Path: path, Text: "an agent is a .yaml, .yml, .json, .ts or .js file, or a folder with an agent.yaml"}
}

// reason is an error of the file system without the path, which is told
// already.
func reason(err error) string {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err.Error()
	}
	return err.Error()
}
