package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/hoopoe-agent/hoopoe"

// layers are the core and the faces from the lowest to the highest. A package
// imports none of a higher layer, and of its own layer only itself.
var layers = [][]string{
	{"engine/message"},
	{"engine/event"},
	{"engine/llm"},
	{"engine/tool"},
	{"engine/agent", "engine/session", "engine/compact", "engine/permission", "engine/ask", "engine/ext", "engine/mcp", "engine/shell", "engine/prompt", "engine/rule", "engine/config", "engine/auth"},
	{"engine/spec"},   // an agent's file has settings, rules and levels in it
	{"engine/ext/js"}, // a module may be an agent's file
	{"engine"},
	{"slash"},
	{"tui", "modes/print", "modes/rpc", "modes/acp", "modes/remote"},
}

// sameLayer lists what packages of one layer may have of each other. The
// permission rules judge what the shell parser found; rules are read where all
// that goes into a prompt is read.
var sameLayer = map[string][]string{
	"engine/permission": {"engine/shell"},
	"engine/prompt":     {"engine/rule"},
}

// heavy lists modules that cost size or start-up time, or whose types must not
// spread, with the only packages (and those below) that may import them. Of two
// entries the longer counts.
var heavy = map[string][]string{
	"charm.land/":                              {"tui"},
	"github.com/charmbracelet/":                {"tui"},
	"github.com/charmbracelet/x/term":          {"tui", "."}, // is it a terminal?
	"github.com/alecthomas/chroma":             {"tui"},
	"mvdan.cc/sh":                              {"engine/shell"},
	"github.com/creack/pty":                    {"engine/shell"},
	"github.com/tailscale/hujson":              {"engine/config", "engine/spec"},
	"go.yaml.in/yaml":                          {"engine/config", "engine/prompt", "engine/spec"},
	"github.com/urfave/cli":                    {"."},
	"github.com/anthropics/anthropic-sdk-go":   {"engine/llm/anthropic"},
	"github.com/openai/openai-go":              {"engine/llm/openai"},
	"google.golang.org/genai":                  {"engine/llm/google"},
	"github.com/evanw/esbuild":                 {"engine/ext/js"},
	"github.com/grafana/sobek":                 {"engine/ext/js"},
	"github.com/modelcontextprotocol/go-sdk":   {"engine/mcp"},
	"github.com/coder/websocket":               {"modes/remote"},
	"github.com/google/jsonschema-go":          {"engine/tool", "engine/mcp", "modes/acp/acptest"}, // the last for tests alone
	"golang.org/x/net/html":                    {"engine/internal/page", "engine/internal/web"},    // it comes with the chat's Markdown; charsets cost 0.7 MB
	"golang.org/x/net/http/httpproxy":          {"engine/internal/web"},
	"github.com/gofrs/flock":                   {"engine/internal/filelock", "engine/session"},
	"github.com/santhosh-tekuri/jsonschema/v6": {}, // tests only
}

// textOnly are packages of a heavy module that handle text and nothing else.
var textOnly = []string{"github.com/charmbracelet/x/ansi"}

// goPackage is what go list tells.
type goPackage struct {
	ImportPath string
	Name       string
	Imports    []string // of the product, without tests
	Deps       []string // all the way down
}

// path is the package's folder below the module, "." for main.
func (p goPackage) path() string { return local(p.ImportPath) }

// local turns an import path of this module into a folder; other paths become
// "".
func local(importPath string) string {
	if importPath == module {
		return "."
	}
	rest, ok := strings.CutPrefix(importPath, module+"/")
	if !ok {
		return ""
	}
	return rest
}

// under reports whether path is folder or below it.
func under(path, folder string) bool {
	return path == folder || strings.HasPrefix(path, strings.TrimSuffix(folder, "/")+"/")
}

func listPackages(t *testing.T) []goPackage {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Name,Imports,Deps", "./...").Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Fatalf("go list: %v\n%s", err, exit.Stderr)
		}
		t.Fatal(err)
	}
	var packages []goPackage
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
	if len(packages) < 10 {
		t.Fatalf("go list found only %d packages", len(packages))
	}
	return packages
}

// broken lists every breach of the import rules.
func broken(packages []goPackage) []string {
	var found []string
	for _, p := range packages {
		generator := p.Name == "main" && p.path() != "."
		if generator { // a tool for developers, no part of the product
			continue
		}
		for _, imported := range p.Imports {
			if why := breach(p.path(), imported); why != "" {
				found = append(found, p.path()+" imports "+imported+": "+why)
			}
		}
		for _, dep := range p.Deps {
			if under(p.path(), "engine") && isScreen(dep) {
				found = append(found, p.path()+" depends on "+dep+": the engine knows no screen")
			}
		}
	}
	return found
}

// breach says why package from must not import imported, "" if it may.
func breach(from, imported string) string {
	if importers, ok := importersOf(imported); ok && !slices.Contains(textOnly, imported) {
		if !slices.ContainsFunc(importers, func(allowed string) bool { return under(from, allowed) }) {
			return "only " + strings.Join(importers, ", ") + " may"
		}
	}
	to := local(imported)
	if to == "" {
		return ""
	}
	switch {
	case under(from, "engine") && !under(to, "engine"):
		return "the engine knows nothing of commands, themes and faces"
	case under(from, "themes"):
		return "themes are data and import nothing of ours"
	case under(to, "themes") && !under(from, "tui") && from != ".":
		return "themes belong to the chat"
	case under(to, "modes/internal") && !under(from, "modes"):
		return "the wire is the modes' own"
	case face(from) != "" && face(to) != "" && face(from) != face(to):
		return "faces don't know each other; main hands them funcs"
	}
	fromLayer, fromName := layer(from)
	toLayer, toName := layer(to)
	switch {
	case fromLayer < 0 || toLayer < 0 || fromName == toName:
		return ""
	case toLayer > fromLayer:
		return "it is a higher layer"
	case toLayer == fromLayer && !slices.Contains(sameLayer[fromName], toName):
		return "it is the same layer"
	}
	return ""
}

// importersOf looks up the most exact entry of the table.
func importersOf(imported string) (importers []string, ok bool) {
	best := ""
	for prefix := range heavy {
		if strings.HasPrefix(imported, prefix) && len(prefix) > len(best) {
			best = prefix
		}
	}
	importers, ok = heavy[best]
	return importers, ok
}

// layer returns the number of a package's layer and the name it has there, -1
// for a package outside of the order (leaves and what main composes).
func layer(path string) (int, string) {
	for i, names := range slices.Backward(layers) {
		for _, name := range names {
			if path == name || name != "engine" && under(path, name) {
				return i, name
			}
		}
	}
	return -1, ""
}

func face(path string) string {
	if under(path, "tui") {
		return "tui"
	}
	if rest, ok := strings.CutPrefix(path, "modes/"); ok && !under(path, "modes/internal") {
		name, _, _ := strings.Cut(rest, "/")
		return name
	}
	return ""
}

func isScreen(importPath string) bool {
	return (strings.HasPrefix(importPath, "charm.land/") || strings.HasPrefix(importPath, "github.com/charmbracelet/")) &&
		!slices.ContainsFunc(textOnly, func(text string) bool { return under(importPath, text) })
}

// C-2, C-3: the engine is one thing under all faces.
func TestImportRules(t *testing.T) {
	for _, b := range broken(listPackages(t)) {
		t.Error(b)
	}
}

// The rules themselves bite.
func TestImportRulesRefuse(t *testing.T) {
	ours := func(path string) string { return module + "/" + path }
	for _, c := range []struct {
		from, imported string
		allowed        bool
	}{
		{"engine/agent", ours("engine/llm"), true},
		{"engine/agent", ours("engine/session"), false},
		{"engine/llm", ours("engine/agent"), false},
		{"engine/llm/scripted", ours("engine/llm"), true},
		{"engine/message", ours("engine/event"), false},
		{"engine/session", ours("engine"), false},
		{"engine/permission", ours("engine/shell"), true},
		{"engine/shell", ours("engine/permission"), false},
		{"engine", ours("engine/agent"), true},
		{"engine/tool/builtin", ours("engine/workspace"), true},
		{"engine", ours("slash"), false},
		{"engine/sanitize", ours("themes"), false},
		{"engine/sanitize", "github.com/charmbracelet/x/ansi", true},
		{"engine/sanitize", "charm.land/lipgloss/v2", false},
		{"slash", ours("engine"), true},
		{"slash", ours("tui"), false},
		{"tui", ours("slash"), true},
		{"tui/markdown", "charm.land/glamour/v2", true},
		{"tui", ours("modes/print"), false},
		{"modes/rpc", ours("modes/acp"), false},
		{"modes/rpc", ours("modes/internal/wire"), true},
		{"modes/rpc/client", ours("modes/rpc"), true},
		{"modes/print", ours("themes"), false},
		{"modes/print", "charm.land/bubbletea/v2", false},
		{"engine/permission", "mvdan.cc/sh/v3/syntax", false},
		{"engine/prompt", "go.yaml.in/yaml/v3", true},
		{"engine/auth", "go.yaml.in/yaml/v3", false},
		{"engine/spec", "github.com/tailscale/hujson", true},
		{"engine/spec", ours("engine/permission"), true},
		{"engine/config", ours("engine/spec"), false},
		{"engine", ours("engine/spec"), true},
		{"modes/print", "github.com/urfave/cli/v2", false},
		{".", "github.com/urfave/cli/v2", true},
		{".", ours("modes/print"), true},
		{".", "charm.land/bubbletea/v2", false},
		{".", "github.com/charmbracelet/x/term", true},
		{"modes/print", "github.com/charmbracelet/x/term", false},
	} {
		if why := breach(c.from, c.imported); (why == "") != c.allowed {
			t.Errorf("%s imports %s: %q, want allowed %v", c.from, c.imported, why, c.allowed)
		}
	}
}
