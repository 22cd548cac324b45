//go:build !windows

package mcp

import (
	"os"
	"path/filepath"
	"strings"
)

// findCommand looks a command up on the PATH that the server will have; people
// set it to reach another version of what runs the server.
func findCommand(name string, env []string) string {
	if strings.Contains(name, "/") {
		return name
	}
	path := ""
	for _, kv := range env {
		if value, ok := strings.CutPrefix(kv, "PATH="); ok {
			path = value
		}
	}
	for _, dir := range filepath.SplitList(path) {
		file := filepath.Join(dir, name)
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 && filepath.IsAbs(file) {
			return file
		}
	}
	return name
}
