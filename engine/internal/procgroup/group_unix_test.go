//go:build !windows

package procgroup

import (
	"bufio"
	"os/exec"
	"testing"
	"time"
)

// A group ends with all that its program has started, by a request or, where
// that is ignored, by a kill.
func TestGroup(t *testing.T) {
	for name, c := range map[string]struct {
		script string
		end    func(*Group) bool
	}{
		"terminate": {"sleep 1000 & echo up; wait", (*Group).Terminate},
		"kill":      {"trap '' TERM; sleep 1000 & echo up; wait", func(g *Group) bool { g.Kill(); return true }},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), "sh", "-c", c.script)
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			g, err := Start(cmd)
			if err != nil {
				t.Fatal(err)
			}
			defer g.Close()
			if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
				t.Fatal(err)
			}
			if !g.Alive() || !c.end(g) {
				t.Error("nobody was there to be ended")
			}
			_ = cmd.Wait() // it was ended by a signal
			for until := time.Now().Add(time.Minute); g.Alive(); {
				if time.Now().After(until) {
					t.Fatal("something is left")
				}
				time.Sleep(time.Millisecond)
			}
			if g.Terminate() {
				t.Error("an empty group has heard something")
			}
		})
	}
	if _, err := Start(exec.Command("/nowhere/program")); err == nil {
		t.Error("a program that isn't there was started")
	}
}
