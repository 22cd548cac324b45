package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// interopBinary has the built program talk to the servers: in print and over the
// protocol, on standard input and over HTTP.
func interopBinary(t *testing.T, files, everything string) {
	binary := filepath.Join(t.TempDir(), "hoopoe")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", binary, "github.com/hoopoe-agent/hoopoe").CombinedOutput(); err != nil {
		t.Fatalf("build the program: %v\n%s", err, out)
	}
	url := serveEverything(t, everything)
	program := func(t *testing.T, args ...string) *exec.Cmd {
		dir, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		script := filepath.Join(t.TempDir(), "model.script")
		for path, text := range map[string]string{
			script: fmt.Sprintf(interopScript, dir),
			filepath.Join(dir, ".mcp.json"): fmt.Sprintf(`{"mcpServers": {
				"files": {"command": "node", "args": [%q, "${PWD_OF_TEST}"]},
				"all": {"command": "node", "args": [%q, "stdio"]},
				"web": {"type": "http", "url": %q}}}`, files, everything, url),
			filepath.Join(dir, "note.txt"): "remember the milk\n",
		} {
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		c := exec.CommandContext(t.Context(), binary, append([]string{"--approve", "--permissions=full", "--model=script/" + script}, args...)...)
		c.Dir, c.WaitDelay = dir, 10*time.Second
		c.Env = append(os.Environ(), "HOOPOE_DIR="+t.TempDir(), "PWD_OF_TEST="+dir)
		return c
	}
	t.Run("print", func(t *testing.T) {
		c := program(t, "-p", "--mode", "json", "go")
		var errs bytes.Buffer
		c.Stderr = &errs
		out, err := c.Output()
		if err != nil || errs.Len() > 0 {
			t.Errorf("%v, %s", err, &errs)
		}
		checkResults(t, out, `"type":"tool_ended"`)
	})
	t.Run("protocol", func(t *testing.T) {
		c := program(t, "--mode", "rpc")
		in, err := c.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		pipe, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		var all bytes.Buffer
		lines := bufio.NewReader(pipe)
		until := func(what string) string {
			for {
				line, err := lines.ReadString('\n')
				if err != nil {
					t.Fatalf("waiting for %s: %v\n%s", what, err, &all)
				}
				all.WriteString(line)
				if strings.Contains(line, what) {
					return line
				}
			}
		}
		say := func(line string) {
			if _, err := fmt.Fprintln(in, line); err != nil {
				t.Fatal(err)
			}
		}
		until(`"type":"ready"`)
		say(`{"id":"1","type":"prompt","message":"go"}`)
		until(`"type":"agent_settled"`)
		checkResults(t, all.Bytes(), `"type":"tool_execution_end"`)
		say(`{"id":"2","type":"get_commands"}`)
		if commands := until(`"command":"get_commands"`); !strings.Contains(commands, `"mcp__web__simple-prompt"`) || !strings.Contains(commands, `"mcp__all__args-prompt"`) {
			t.Errorf("the prompts are missing in %s", commands)
		}
		say(`{"id":"3","type":"prompt","message":"/mcp__web__args-prompt Lima"}`)
		until("Lima")
		until(`"type":"agent_settled"`)
		in.Close()
		if _, err := all.ReadFrom(lines); err != nil {
			t.Error(err)
		}
		if err := c.Wait(); err != nil {
			t.Error(err)
		}
	})
}

// interopScript calls a tool of each server and then answers whatever comes.
const interopScript = `-- turn --
-- call mcp__files__read_text_file --
{"path": "%s/note.txt"}
-- call mcp__all__get-sum --
{"a": 2, "b": 40}
-- call mcp__web__echo --
{"message": "over the network"}
-- call mcp__all__get-tiny-image --
{}
-- turn --
times: always
-- text --
A whole answer
`

// checkResults looks for what the tools answered in the lines of a kind.
func checkResults(t *testing.T, lines []byte, kind string) {
	t.Helper()
	var results []string
	for line := range bytes.Lines(lines) {
		if !json.Valid(line) {
			t.Errorf("this is no JSON: %s", line)
		}
		if bytes.Contains(line, []byte(kind)) {
			results = append(results, string(line))
		}
	}
	for _, want := range []string{"remember the milk", "The sum of 2 and 40 is 42", "Echo: over the network", `"mimeType":"image/png"`} {
		n := 0
		for _, r := range results {
			if strings.Contains(r, want) && !strings.Contains(r, `"isError":true`) {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%d results have %s:\n%s", n, want, strings.Join(results, ""))
		}
	}
}
