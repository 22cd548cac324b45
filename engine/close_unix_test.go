//go:build unix

package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/ext"
	"github.com/hoopoe-agent/hoopoe/engine/shell"
)

// stubborn is a shell script that ignores TERM, with a child that does too and
// one in the background. Each writes its process id.
func stubborn(dir, name string) string {
	pid := filepath.Join(dir, name)
	loop := "trap '' TERM INT HUP; echo $$ >> " + pid + ".part; while :; do sleep 1; done"
	return fmt.Sprintf(`trap '' TERM INT HUP
sh -c "%[1]s" &
sh -c "%[1]s" &
echo $$ >> %[2]s.part
while [ "$(wc -l < %[2]s.part)" -lt 3 ]; do sleep 0.01; done
mv %[2]s.part %[2]s
while :; do sleep 1; done`, strings.ReplaceAll(loop, "$", `\$`), pid)
}

// processes waits until the script runs and returns its processes.
func processes(t *testing.T, dir, name string) []int {
	t.Helper()
	for deadline := time.Now().Add(guard); time.Now().Before(deadline); {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if errors.Is(err, os.ErrNotExist) {
			time.Sleep(5 * time.Millisecond)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		var pids []int
		for _, field := range strings.Fields(string(data)) {
			pid, err := strconv.Atoi(field)
			if err != nil {
				t.Fatal(err)
			}
			pids = append(pids, pid)
		}
		return pids
	}
	t.Fatal("the script never ran")
	return nil
}

// gone fails for processes that live on. One that has ended and waits for its
// parent to notice has ended.
func gone(t *testing.T, pids []int) {
	t.Helper()
	if len(pids) != 3 {
		t.Errorf("%d processes, want 3", len(pids))
	}
	for _, pid := range pids {
		alive := true
		for deadline := time.Now().Add(guard); alive && time.Now().Before(deadline); {
			if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
				alive = false
			} else if stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err == nil && bytes.Contains(stat, []byte(") Z ")) {
				alive = false
			} else {
				time.Sleep(time.Millisecond)
			}
		}
		if alive {
			t.Errorf("process %d lives on", pid)
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

// The end of a session in the middle of anything comes fast and leaves no
// process behind. On an idle machine it takes 0.6 s; what is tested is that commands
// don't get the time they have in a session that goes on. E-2
func TestTheEndIsFast(t *testing.T) {
	type scene struct {
		script string
		hooks  ext.Hooks
		begin  func(t *testing.T, c *client) (pids []int)
	}
	for name, tt := range map[string]scene{
		"a tool's stubborn command": {script: "-- turn --\n-- call bash --\n{\"command\":COMMAND}\n", begin: func(t *testing.T, c *client) []int {
			c.prompt("go")
			return processes(t, c.view.Cwd, "pids")
		}},
		"a sub-agent's stubborn command": {
			script: "-- turn --\non: go\n-- call task --\n{\"agent\":\"general\",\"description\":\"d\",\"prompt\":\"job-a\"}\n" +
				"-- turn --\non: job-a\n-- call task --\n{\"agent\":\"general\",\"description\":\"d\",\"prompt\":\"job-b\"}\n" +
				"-- turn --\non: job-b\n-- call bash --\n{\"command\":COMMAND}\n",
			begin: func(t *testing.T, c *client) []int {
				c.prompt("go")
				return processes(t, c.view.Cwd, "pids")
			},
		},
		"the user's stubborn command": {begin: func(t *testing.T, c *client) []int {
			go func() { _, _ = c.s.Bash(context.Background(), BashInput{Command: stubborn(c.view.Cwd, "pids")}) }()
			return processes(t, c.view.Cwd, "pids")
		}},
		"a dialog": {hooks: ext.Hooks{Name: "asker", BeforeRun: func(ctx context.Context, s ext.Session, _ ext.BeforeRun) (ext.BeforeRunReply, error) {
			s.Ask(ctx, event.Question{Kind: event.AskConfirm, Title: "Really?"})
			return ext.BeforeRunReply{}, nil
		}}, begin: func(_ *testing.T, c *client) []int {
			c.prompt("go")
			on[event.AskOpened](c)
			return nil
		}},
		"a dialog about a queued message": {script: "-- turn --\n-- delay 1h --\n", hooks: ext.Hooks{Name: "asker", Input: func(ctx context.Context, s ext.Session, in ext.Input) (ext.InputReply, error) {
			if in.Text == "more" {
				s.Ask(ctx, event.Question{Kind: event.AskConfirm, Title: "Really?"})
			}
			return ext.InputReply{}, nil
		}}, begin: func(_ *testing.T, c *client) []int {
			c.prompt("go")
			on[event.TurnStarted](c)
			c.send(Input{Text: "more", Delivery: Steer})
			on[event.AskOpened](c)
			return nil
		}},
		"a compaction": {script: "-- turn --\nsystem: hand-over\n-- mark compacting --\n-- delay 1h --\n-- turn --\ntimes: always\n-- text --\nok\n", begin: func(_ *testing.T, c *client) []int {
			c.run("one")
			c.run("two")
			c.s.StartCompact(context.Background(), "")
			on[event.CompactionStarted](c)
			return nil
		}},
		"a retry's wait": {script: "-- turn --\n-- error kind=rate_limit retry-after=1h --\nslow down\n", begin: func(_ *testing.T, c *client) []int {
			c.prompt("go")
			on[event.RetryScheduled](c)
			return nil
		}},
	} {
		for way, stop := range map[string]func(c *client) error{
			"close": func(c *client) error { return c.s.Close(context.Background()) },
			"halt, then close": func(c *client) error {
				return errors.Join(c.s.Halt(context.Background()), c.s.Close(context.Background()))
			},
			"close during an abort": func(c *client) error {
				go func() { _ = c.s.Abort(context.Background()) }()
				return c.s.Close(context.Background())
			},
		} {
			t.Run(name+"/"+way, func(t *testing.T) {
				t.Parallel()
				script := tt.script
				if script == "" {
					script = hello
				}
				w := newWorld(t, hello) // for its folder
				script = strings.ReplaceAll(script, "COMMAND", strconv.Quote(stubborn(w.dir, "pids")))
				dir := w.dir
				w = newWorld(t, script, withHooks(tt.hooks))
				w.dir = dir
				c := w.open(OpenOptions{Mode: "full"})
				c.attach(Client{Shows: []event.QuestionKind{event.AskConfirm}})
				pids := tt.begin(t, c)
				began := time.Now()
				if err := stop(c); err != nil {
					t.Error(err)
				}
				if took := time.Since(began); took > shell.DefaultGrace {
					t.Errorf("it took %v", took)
				}
				if pids != nil {
					gone(t, pids)
				}
			})
		}
	}
}
