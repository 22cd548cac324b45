package mcp

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Nothing that a server has started is left, however stubborn it is, also when
// there is no time for an orderly end.
func TestEndsGroup(t *testing.T) {
	for name, end := range map[string]func(*Manager) error{
		"close": func(m *Manager) error {
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			return m.Close(ctx)
		},
		"kill": func(m *Manager) error { m.Kill(); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			m, _ := manage(t, Options{Servers: []Server{helper(t, "grandchild")}})
			m.Start(t.Context())
			var child int
			eventually(t, "the grandchild is there", func() bool {
				child, _ = strconv.Atoi(m.Status()[0].Output)
				return child > 0
			})
			server := pid(m)
			if err := end(m); err != nil {
				t.Fatal(err)
			}
			for _, p := range []int{server, child} {
				eventually(t, "the process has ended", func() bool { return !running(p) })
			}
		})
	}
}

// running reports whether a process is there and not only waits to be reaped.
func running(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, after, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(after, "Z")
}
