package main

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/hoopoe-agent/hoopoe/engine/llm/llmtest/mockserver"
)

// Requirement C-3: offline the program opens no socket to anywhere. The kernel
// ends it if it tries.
func TestOfflineOpensNoSocket(t *testing.T) {
	p := newPlace(t)
	if err := makeRepository(p.dir); err != nil {
		t.Fatal(err)
	}
	p.connect(func(mockserver.Request) mockserver.Answer { return mockserver.Answer{Text: []string{"Hello."}} })
	for name, args := range map[string][]string{
		"a task":        {"--offline", "-p", "summarize this repo"},
		"the model":     {"--offline", "--model", "offline/guide", "-p", "hello"},
		"the catalogue": {"models", "--offline"},
		"a search":      {"models", "--offline", "claude"},
	} {
		t.Run(name, func(t *testing.T) {
			out, errs, code := result(t, p.socketless(args...))
			if len(out) < 20 || errs != "" || code != 0 {
				t.Errorf("%q, stderr %q, exit code %d", out, errs, code)
			}
		})
	}
}

// The chat looks for local servers when it starts; not so offline.
func TestOfflineChatOpensNoSocket(t *testing.T) {
	p := newPlace(t)
	c := p.socketless("--offline")
	s := show(t, c)
	s.see("Say what you want done")
	s.keys("hello\r")
	s.see("Hoopoe guide: built in")
	s.keys("/model\r")
	s.see("── Model ", "type to filter")
	s.answer("\r", "── Model ")
	s.keys("/quit\r")
	if code := exitOf(t, c.Wait()); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// The same with a connection allowed: this is what the test above would see.
func TestSocketsAreSeen(t *testing.T) {
	p := newPlace(t)
	server := p.connect(func(mockserver.Request) mockserver.Answer { return mockserver.Answer{Text: []string{"Hello."}} })
	for name, args := range map[string][]string{
		"a request":         {"-p", "--model", "lab-" + string(mockserver.Anthropic) + "/m", "hello"},
		"the local servers": {"models"},
	} {
		t.Run(name, func(t *testing.T) {
			err := p.socketless(args...).Run()
			exit, ok := errors.AsType[*exec.ExitError](err)
			if !ok || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGSYS {
				t.Errorf("ended by %v", err)
			}
		})
	}
	if n := len(server.Requests()); n != 0 {
		t.Errorf("%d requests got through", n)
	}
}

// socketlessArgs holds the arguments for the helper, separated by NUL's
// printable picture.
const socketlessArgs, separator = "TEST_SOCKETLESS_ARGS", "␀"

// socketless is hoopoe in a process that the kernel kills at its first socket,
// although its environment allows connections.
func (p *place) socketless(args ...string) *exec.Cmd {
	p.t.Helper()
	if auditArch() == 0 {
		p.t.Skip("no filter for " + runtime.GOARCH)
	}
	c := p.command(args...)
	self, err := os.Executable()
	if err != nil {
		p.t.Fatal(err)
	}
	c.Env = append(c.Env, "HOOPOE_OFFLINE=", "LAB_KEY="+labKey, socketlessArgs+"="+strings.Join(append([]string{c.Path}, args...), separator))
	c.Path, c.Args = self, []string{self, "-test.run=^TestHelperSocketless$"}
	return c
}

// TestHelperSocketless is no test: it becomes hoopoe for the tests above.
func TestHelperSocketless(t *testing.T) {
	args := os.Getenv(socketlessArgs)
	if args == "" {
		t.Skip("not called by another test")
	}
	runtime.LockOSThread() // the filter is the thread's, and so of what it becomes
	if err := forbidSockets(); err != nil {
		t.Fatal(err)
	}
	argv := strings.Split(args, separator)
	t.Fatal(syscall.Exec(argv[0], append([]string{"hoopoe"}, argv[1:]...), os.Environ()))
}

func auditArch() uint32 {
	switch runtime.GOARCH {
	case "amd64":
		return unix.AUDIT_ARCH_X86_64
	case "arm64":
		return unix.AUDIT_ARCH_AARCH64
	}
	return 0
}

// forbidSockets has the kernel kill the process, and those that it starts, at
// socket(2) or at a system call of another architecture. A Unix socket, with
// which a C library looks for its name service, is only refused.
func forbidSockets() error {
	const number, architecture, domain = 0, 4, 16 // offsets in struct seccomp_data
	load := func(at uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: at}
	}
	equals := func(k uint32, skip uint8) unix.SockFilter { // skip what follows if not
		return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: k, Jf: skip}
	}
	end := func(k uint32) unix.SockFilter { return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: k} }
	filter := []unix.SockFilter{
		load(architecture), equals(auditArch(), 5),
		load(number), equals(unix.SYS_SOCKET, 4),
		load(domain), equals(unix.AF_UNIX, 1),
		end(unix.SECCOMP_RET_ERRNO | uint32(unix.EACCES)),
		end(unix.SECCOMP_RET_KILL_PROCESS),
		end(unix.SECCOMP_RET_ALLOW),
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	return unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&program)), 0, 0)
}
