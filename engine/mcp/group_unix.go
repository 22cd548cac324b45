//go:build !windows

package mcp

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

// group is the process group of a server. Its id is the server's own pid,
// which the kernel doesn't give to another process while the group has members.
type group struct{ id int }

// startGroup starts cmd as the leader of a new session: a group of its own, and
// no terminal that it could write to or read from.
func startGroup(cmd *exec.Cmd) (*group, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &group{id: cmd.Process.Pid}, nil
}

func (g *group) terminate() { _ = syscall.Kill(-g.id, syscall.SIGTERM) }
func (g *group) kill()      { _ = syscall.Kill(-g.id, syscall.SIGKILL) }

// alive reports whether the group has members.
func (g *group) alive() bool { return syscall.Kill(-g.id, 0) == nil }

func (g *group) close() {}

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
