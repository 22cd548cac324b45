package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain makes the test binary the program itself when it is called as
// hoopoe, or pi: what the tests run is a real process with the code under test.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"hoopoe": main, "pi": main, "mcpserver": serveMCP})
}

// wholeProcesses leaves out what starts the program where -short asks for it:
// under the race detector each start takes ten times as long, and what runs in
// the program has tests of its own.
func wholeProcesses(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("starts the program")
	}
}

// Requirements C-1, E-1, E-2: the program as a shell sees it.
func TestCommandLine(t *testing.T) {
	wholeProcesses(t)
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/cli",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			e.Vars = clean(e.Vars)
			e.Setenv("HOME", filepath.Join(e.WorkDir, "home"))
			return os.MkdirAll(filepath.Join(e.WorkDir, "home"), 0o700)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "events": events, "repository": repository, "session": sessionID,
		},
	})
}

// clean takes out of an environment what would change how hoopoe behaves.
func clean(vars []string) []string {
	var kept []string
	for _, kv := range vars {
		name, _, _ := strings.Cut(kv, "=")
		if !strings.HasPrefix(name, "XDG_") && !strings.HasPrefix(name, "HOOPOE_") && !strings.HasPrefix(name, "PI_") && !strings.HasSuffix(name, "_API_KEY") && !strings.HasSuffix(name, "_API_ENDPOINT") {
			kept = append(kept, kv)
		}
	}
	return append(kept, "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "HOOPOE_OFFLINE=1") // no test asks the servers of its machine
}

// exits CODE PROGRAM ARG... runs a program that must end with that code.
func exits(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: exits code program [arg ...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// events FILE TYPE... checks that every line is an event and that events of
// these types are among them in this order.
func events(ts *testscript.TestScript, _ bool, args []string) {
	want := args[1:]
	lines := bufio.NewReader(strings.NewReader(ts.ReadFile(args[0])))
	last := ""
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			if len(line) > 0 {
				ts.Fatalf("the last line has no end: %q", line)
			}
			break
		}
		var e struct {
			Type, Session, At string
			Seq               *uint64
		}
		if err := json.Unmarshal(line, &e); err != nil || e.Type == "" || e.Session == "" || e.At == "" || e.Seq == nil {
			ts.Fatalf("this is no event (%v): %s", err, line)
		}
		if last == "" && e.Type != "session_opened" {
			ts.Fatalf("the first event is %s", e.Type)
		}
		last = e.Type
		if len(want) > 0 && want[0] == e.Type {
			want = want[1:]
		}
	}
	if len(want) > 0 {
		ts.Fatalf("there is no %s; the last event is %s", want[0], last)
	}
}

// session VAR sets VAR to the id of the only session of the script's home.
func sessionID(ts *testscript.TestScript, _ bool, args []string) {
	files, err := filepath.Glob(filepath.Join(ts.Getenv("HOME"), ".local/share/hoopoe/sessions/*/*.jsonl"))
	ts.Check(err)
	if len(files) != 1 {
		ts.Fatalf("%d sessions, want 1", len(files))
	}
	_, id, _ := strings.Cut(strings.TrimSuffix(filepath.Base(files[0]), ".jsonl"), "_")
	ts.Setenv(args[0], id)
	ts.Setenv(args[0]+"_FILE", files[0])
}

// repository DIR makes a Go project of 200 files with some history.
func repository(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(makeRepository(ts.MkAbs(args[0])))
}

func makeRepository(dir string) error {
	files := map[string]string{
		"go.mod":    "module example.com/shop\n\ngo 1.26\n",
		"README.md": "# Shop\n\nA small shop that sells numbered goods.\n",
		"main.go":   "package main\n\nimport \"fmt\"\n\n// foo is what is sold.\nvar foo = 1\n\nfunc main() { fmt.Println(foo) }\n",
	}
	for i := len(files); i < 200; i++ {
		text := fmt.Sprintf("package goods\n\n// Good%d is number %d.\nconst Good%d = %d\n", i, i, i, i)
		if i%50 == 0 {
			text += fmt.Sprintf("\n// TODO: give number %d a price\n", i)
		}
		files[fmt.Sprintf("goods/g%d/good.go", i)] = text
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
	}
	for _, command := range []string{
		"init -q -b main", "add README.md", "commit -q -m Describe", "add .", "commit -q -m Build", "tag v0",
	} {
		git := exec.Command("git", append([]string{"-c", "user.name=Test", "-c", "user.email=test@example.com"}, strings.Fields(command)...)...)
		git.Dir = dir
		if out, err := git.CombinedOutput(); err != nil {
			return fmt.Errorf("git %s: %w: %s", command, err, bytes.TrimSpace(out))
		}
	}
	return nil
}
