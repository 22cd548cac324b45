package engine

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/hoopoe-agent/hoopoe/engine/config"
	"github.com/hoopoe-agent/hoopoe/engine/internal/plainfile"
	"github.com/hoopoe-agent/hoopoe/engine/mcp"
	"github.com/hoopoe-agent/hoopoe/engine/prompt"
	"github.com/hoopoe-agent/hoopoe/engine/spec"
)

// maxServerFile bounds a file of servers, in bytes.
const maxServerFile = 1 << 20

// agentServers are those of an agent's file.
func (e *Engine) agentServers(a *spec.Agent) ([]mcp.Server, error) {
	if a == nil || a.MCPServers == nil {
		return nil, nil
	}
	const field = "mcpServers"
	list, errs := mcp.Parse(a.MCPServers, e.options.Getenv)
	for i, err := range errs {
		if one, ok := errors.AsType[*mcp.ParseError](err); ok {
			errs[i] = a.Fault(spec.Invalid, field+"."+one.Server, one.Err)
		} else {
			errs[i] = a.Fault(spec.Invalid, field, err)
		}
	}
	return list, errors.Join(errs...)
}

// servers lists the MCP servers of a session: those given, then of the project,
// if it is trusted, then of the user's settings and of the family's file. Of two
// with one name the first counts. Notices tell what is wrong.
func (e *Engine) servers(cwd string, list []mcp.Server, settings json.RawMessage, trusted bool) ([]mcp.Server, []string) {
	var notices []string
	add := func(path string, found []mcp.Server, errs []error) {
		for _, s := range found {
			if !slices.ContainsFunc(list, func(have mcp.Server) bool { return have.Name == s.Name }) {
				list = append(list, s)
			}
		}
		for _, err := range errs {
			where := path
			if at, ok := errors.AsType[*mcp.ParseError](err); ok {
				where = fmt.Sprintf("%s:%d", path, at.Line)
			}
			notices = append(notices, where+": "+err.Error())
		}
	}
	file := func(path string) {
		data, err := plainfile.Read(path, maxServerFile)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			add(path, nil, []error{err})
		default:
			found, errs := mcp.ParseFile(data, e.options.Getenv)
			add(path, found, errs)
		}
	}
	if trusted {
		for _, path := range serverFiles(cwd) {
			file(path)
		}
	}
	if len(settings) > 0 {
		found, errs := mcp.Parse(settings, e.options.Getenv)
		add(e.paths.Settings(), found, errs)
	}
	if agent := cmp.Or(e.paths.Agent, under(e.paths.Home, ".pi", "agent")); agent != "" {
		file(filepath.Join(agent, "mcp.json"))
	}
	return list, notices
}

// serverFiles are where a project names MCP servers, the nearest first.
func serverFiles(cwd string) []string {
	var files []string
	folders := []string{cwd}
	if root := prompt.Repository(prompt.Disk(), cwd); root != "" && root != cwd {
		folders = append(folders, root)
	}
	for _, dir := range folders {
		for _, name := range config.ServerFiles() {
			files = append(files, filepath.Join(dir, name))
		}
	}
	return files
}

// under joins a path below a folder that may be missing: "" then.
func under(folder string, names ...string) string {
	if folder == "" {
		return ""
	}
	return filepath.Join(folder, filepath.Join(names...))
}
