package shim

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "ask the Node on this machine for the golden values")

// Scripts whose value must be Node's. testdata/node.txt has one expression a
// line, node.golden.json what Node made of each.
func TestAsNode(t *testing.T) {
	text, err := os.ReadFile("testdata/node.txt")
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "//") {
			lines = append(lines, line)
		}
	}
	const golden = "testdata/node.golden.json"
	if *update {
		c := exec.CommandContext(t.Context(), "node", "-e", askNode)
		input, err := json.Marshal(lines)
		if err != nil {
			t.Fatal(err)
		}
		c.Stdin, c.Stderr = strings.NewReader(string(input)), os.Stderr
		out, err := c.Output()
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(golden, out, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	var want map[string]string
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	s := open(t, all...)
	for _, line := range lines {
		w, known := want[line]
		if !known {
			t.Errorf("%s has no golden value: run with -update", line)
			continue
		}
		got, err := s.eval(valueOf(line))
		if err != nil {
			t.Errorf("%s: %v", line, err)
		} else if got != w {
			t.Errorf("%s\n\tgot  %s\n\tnode %s", line, got, w)
		}
	}
}

// valueOf is a script that gives an expression's value, or its error, as text.
func valueOf(line string) string {
	return `const path = require("path"), util = require("util"), url = require("url"), EventEmitter = require("events");
	let v; try { v = await (` + line + `) } catch (e) { v = "throws " + e.name + " " + (e.code ?? "") }
	return JSON.stringify(v) ?? "undefined"`
}

const askNode = `
const lines = JSON.parse(require("fs").readFileSync(0, "utf8"));
const AsyncFunction = (async () => {}).constructor;
const awake = setInterval(() => {}, 1000);
(async () => {
  const out = {};
  for (const line of lines) {
    const run = new AsyncFunction("require", 'const path = require("path"), util = require("util"), url = require("url"), EventEmitter = require("events"); let v; try { v = await (' + line + ') } catch (e) { v = "throws " + e.name + " " + (e.code ?? "") }; return JSON.stringify(v) ?? "undefined"');
    out[line] = await run(require);
  }
  console.log(JSON.stringify(out, null, "\t"));
  clearInterval(awake);
})();`
