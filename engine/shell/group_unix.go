//go:build !windows

package shell

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// canInterruptRead: closing our end of the pipe ends a blocked Read.
const canInterruptRead = true

// group is the process group of a command. Its id is the command's own pid,
// which the kernel doesn't give to another process while the group has members.
type group struct{ id int }

// startGroup starts cmd as the leader of a new session: a group of its own, and
// no controlling terminal, so that nothing in it can prompt the user.
func startGroup(cmd *exec.Cmd) (*group, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &group{id: cmd.Process.Pid}, nil
}

// terminate asks all members to end. It reports whether there were any.
func (g *group) terminate() bool { return syscall.Kill(-g.id, syscall.SIGTERM) == nil }

func (g *group) kill() { _ = syscall.Kill(-g.id, syscall.SIGKILL) }

// alive reports whether the group has members.
func (g *group) alive() bool { return syscall.Kill(-g.id, 0) == nil }

func (g *group) close() {}

func signalNumber(s *os.ProcessState) int {
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return int(w.Signal())
	}
	return 0
}

func isTooLong(err error) bool { return errors.Is(err, syscall.E2BIG) }
