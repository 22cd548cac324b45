package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine"
	"github.com/hoopoe-agent/hoopoe/engine/auth"
	"github.com/hoopoe-agent/hoopoe/engine/config"
	servers "github.com/hoopoe-agent/hoopoe/engine/llm/catalog/local"
	"github.com/hoopoe-agent/hoopoe/engine/llm/offline"
	"github.com/hoopoe-agent/hoopoe/engine/mcp"
	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
	"github.com/hoopoe-agent/hoopoe/tui/terminal"
)

// examination is what the doctor found. Its JSON is for programs: fields are
// added, never renamed.
type examination struct {
	Version  string             `json:"version"`
	Go       string             `json:"go"`
	System   string             `json:"system"` // such as linux/amd64
	Terminal []terminalFinding  `json:"terminal"`
	Files    []site             `json:"files"`
	Problems []string           `json:"problems"` // of files, with their places
	Keys     []keyFinding       `json:"keys"`
	Models   []modelFinding     `json:"modelServers"` // of this machine
	Asked    bool               `json:"modelServersAsked"`
	Servers  []mcpServerFinding `json:"mcpServers"`
}

type terminalFinding struct {
	Name  string `json:"name"`
	State string `json:"state"` // yes: as it should be, no, or unknown
	Text  string `json:"text"`
	Hint  string `json:"hint,omitempty"` // what helps
}

// keyFinding tells that there is a key and where, never which.
type keyFinding struct {
	Provider string `json:"provider"`
	From     string `json:"from"`
}

type modelFinding struct {
	Provider string `json:"provider"`
	Models   int    `json:"models"`
}

type mcpServerFinding struct {
	Name string `json:"name"`
	Type string `json:"type"`
	File string `json:"file"`
	// Waits says that the folder must be trusted first.
	Waits bool `json:"waitsForTrust,omitempty"`
}

// examine looks at everything but the terminal, of which it is told.
func (p *program) examine(ctx context.Context, e *engine.Engine, cwd string, rows []terminal.Row) examination {
	found := examination{
		Version: version(), Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH,
		Files: sitesOf(e.Paths(), cwd), Problems: []string{}, Keys: keysFound(e, p.getenv), Models: []modelFinding{}, Asked: !e.Offline(), Servers: []mcpServerFinding{},
	}
	for _, r := range rows {
		found.Terminal = append(found.Terminal, terminalFinding{r.Name, cmp.Or(string(r.State), "unknown"), r.Text, r.Hint})
	}
	c := checker{p, e, cwd}
	for _, problem := range c.all(ctx) {
		found.Problems = append(found.Problems, problem.Error())
	}
	for _, s := range servers.Servers() {
		n := 0
		for _, o := range e.Offers(string(s.Kind) + "/") {
			if o.Provider == string(s.Kind) {
				n++
			}
		}
		if n > 0 {
			found.Models = append(found.Models, modelFinding{string(s.Kind), n})
		}
	}
	found.Servers = append(found.Servers, c.mcpServers(ctx)...)
	return found
}

// keysFound are the providers with a key.
func keysFound(e *engine.Engine, getenv func(string) string) []keyFinding {
	found := []keyFinding{}
	saved, _ := e.Keys().Saved() // what is wrong with the file is a problem of its own
	usable := map[string]bool{}
	for _, o := range e.Offers("") {
		usable[o.Provider] = usable[o.Provider] || o.Err == nil
	}
	isLocal := func(id string) bool {
		return slices.ContainsFunc(servers.Servers(), func(s servers.Server) bool { return string(s.Kind) == id })
	}
	for _, provider := range e.Providers() {
		from := ""
		for _, name := range auth.Variables(provider.ID) {
			if from == "" && strings.TrimSpace(getenv(name)) != "" {
				from = "$" + name
			}
		}
		switch {
		case slices.Contains(saved, provider.ID):
			from = "saved by \"hoopoe login\""
		case from == "" && usable[provider.ID] && provider.ID != offline.Provider && !isLocal(provider.ID):
			from = "models.json"
		}
		if from != "" {
			found = append(found, keyFinding{provider.ID, from})
		}
	}
	return found
}

// mcpServers are those that sessions of the folder would start.
func (c checker) mcpServers(ctx context.Context) []mcpServerFinding {
	var found []mcpServerFinding
	paths := c.engine.Paths()
	trust, _ := paths.Trust(c.cwd)
	add := func(file string, waits bool, list []mcp.Server) {
		for _, s := range list {
			if !s.Disabled {
				found = append(found, mcpServerFinding{s.Name, s.Type, file, waits})
			}
		}
	}
	files := serverFiles(paths, c.cwd)
	for i, file := range files {
		list, _ := c.serversOf(file)
		add(file, i < len(files)-1 && trust != config.Trusted, list)
	}
	if s, err := c.engine.Settings(ctx, c.cwd); err == nil && len(s.MCPServers) > 0 {
		list, _ := mcp.Parse(json.RawMessage(s.MCPServers), c.p.getenv)
		add(paths.Settings(), false, list)
	}
	return found
}

// text is the examination for people: a mark, what it is about and what was found,
// and below it what helps.
func (x examination) text() string {
	var b strings.Builder
	row := func(mark, name, text string) {
		line := fmt.Sprintf("%s %-14s  %s", mark, sanitize.Line(name), sanitize.Line(text))
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	fmt.Fprintf(&b, "Hoopoe %s, %s, %s\n\nTerminal\n", x.Version, x.Go, x.System)
	for _, t := range x.Terminal {
		row(map[string]string{"yes": "+", "no": "-", "unknown": "?"}[t.State], t.Name, t.Text)
		if t.Hint != "" {
			row(" ", "", "→ "+t.Hint)
		}
	}
	b.WriteString("\nFiles\n")
	for _, f := range x.Files {
		row(sign(f.There), f.Name, cmp.Or(f.Path, "no home folder: nothing is kept"))
	}
	for _, p := range x.Problems {
		b.WriteString("! " + sanitize.Line(p) + "\n")
	}
	b.WriteString("\nKeys\n")
	for _, k := range x.Keys {
		row("+", k.Provider, k.From)
	}
	if len(x.Keys) == 0 {
		row("-", "none", "→ \"hoopoe login\" saves one; until then the built-in guide answers")
	}
	b.WriteString("\nModel servers of this machine\n")
	for _, m := range x.Models {
		row("+", m.Provider, count(m.Models, "model"))
	}
	switch {
	case !x.Asked:
		row("?", "not asked", "offline")
	case len(x.Models) == 0:
		row("-", "none", "neither Ollama nor LM Studio, llama.cpp or vLLM answers at its usual address")
	}
	b.WriteString("\nMCP servers\n")
	for _, s := range x.Servers {
		text := s.Type + ", " + s.File
		if s.Waits {
			text += " (waits until you trust the folder)"
		}
		row("+", s.Name, text)
	}
	if len(x.Servers) == 0 {
		row("-", "none", "")
	}
	return b.String()
}
