//go:build !windows

package procgroup

import (
	"os/exec"
	"syscall"
)

// Group is a process group. Its id is the program's own pid, which the kernel
// doesn't give to another process while the group has members.
type Group struct{ id int }

// Start starts cmd as the leader of a new session: a group of its own, and no
// terminal, so that nothing in it can prompt the user.
func Start(cmd *exec.Cmd) (*Group, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &Group{id: cmd.Process.Pid}, nil
}

// Terminate asks all members to end. It reports whether there was one that
// could hear it: on Windows there is none.
func (g *Group) Terminate() bool { return syscall.Kill(-g.id, syscall.SIGTERM) == nil }

// Kill ends all members.
func (g *Group) Kill() { _ = syscall.Kill(-g.id, syscall.SIGKILL) }

// Alive reports whether the group has members beside a program that has exited;
// on Windows it doesn't: Close ends them.
func (g *Group) Alive() bool { return syscall.Kill(-g.id, 0) == nil }

// Close lets go of the group, once the program has exited.
func (g *Group) Close() {}
