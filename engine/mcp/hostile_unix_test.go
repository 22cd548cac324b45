//go:build !windows

package mcp

import (
	"errors"
	"strings"
	"syscall"
	"testing"
	"time"
)

// What was ready and has died is told once, keeps its tools, and comes back.
func TestDeathIsTold(t *testing.T) {
	m, notices := manage(t, Options{Servers: []Server{helper(t, "good")}})
	m.Start(t.Context())
	if err := syscall.Kill(pid(m), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the death is told", func() bool { return notices.String() != "" })
	if got := notices.String(); got != `warning: MCP server "good" has ended: it exited (signal: killed); it wrote: the good server is up` {
		t.Error(got)
	}
	if s := m.Status()[0]; s.State != Failed || s.Tools != 10 || s.Output != "the good server is up" {
		t.Errorf("%+v", s)
	}
	if _, err := run(t.Context(), t, m, "mcp__good__echo", `{}`, nil); err != nil {
		t.Error(err)
	}
	if s := m.Status()[0]; s.State != Ready || s.Error != "" {
		t.Errorf("%+v", s)
	}
}

// A server that doesn't read what it is sent blocks nobody beyond its deadline.
func TestUnreadInput(t *testing.T) {
	s := helper(t, "good")
	s.Timeout = 200 * time.Millisecond
	m, _ := manage(t, Options{Servers: []Server{s}})
	m.Start(t.Context())
	if err := syscall.Kill(pid(m), syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	big := `{"text":"` + strings.Repeat("x", 1<<20) + `"}`
	for range 3 {
		if _, err := run(t.Context(), t, m, "mcp__good__echo", big, nil); !errors.Is(err, errSilent) {
			t.Errorf("%v", err)
		}
	}
}
