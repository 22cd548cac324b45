package shell

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// canInterruptRead: a blocked Read of a pipe can't be ended from our side here.
// It ends when the last process of the job has.
const canInterruptRead = false

// group is the job object of a command; without one only the command itself
// can be stopped.
type group struct {
	process *os.Process
	job     windows.Handle
}

// startGroup starts cmd without a window and puts it in a job of its own. What
// it starts later belongs to the job too.
func startGroup(cmd *exec.Cmd) (*group, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{
		HideWindow:    true,
		CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_NO_WINDOW,
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &group{process: cmd.Process, job: newJob(cmd.Process.Pid)}, nil
}

// newJob returns a job with the process in it, or 0.
func newJob(pid int) windows.Handle {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0
	}
	info := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
	info.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	if err == nil {
		var h windows.Handle
		h, err = windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(pid))
		if err == nil {
			err = windows.AssignProcessToJobObject(job, h)
			windows.CloseHandle(h)
		}
	}
	if err != nil {
		windows.CloseHandle(job)
		return 0
	}
	return job
}

// terminate ends the job at once: there is no request to end that a program
// without a console would hear.
func (g *group) terminate() bool {
	g.kill()
	return false
}

func (g *group) kill() {
	if g.job != 0 {
		_ = windows.TerminateJobObject(g.job, 1)
		return
	}
	_ = g.process.Kill()
}

func (g *group) alive() bool { return false }

func (g *group) close() {
	if g.job != 0 {
		windows.CloseHandle(g.job)
		g.job = 0
	}
}

func signalNumber(*os.ProcessState) int { return 0 }

// isTooLong reports the error of a command line beyond the system's limit.
func isTooLong(err error) bool { return errors.Is(err, windows.ERROR_FILENAME_EXCED_RANGE) }
