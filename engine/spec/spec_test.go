package spec

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/config"
	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/permission"
)

// write puts files into a new folder and returns it.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const whole = `# Everything that a spec can say.
name: Reviewer
description: reads changes and says what is wrong
instructions: prompts/review.md
model: anthropic/claude-sonnet-4-6:high
thinking: low
tools:
  - read
  - name: bash
    needsApproval: true
  - {name: mcp__files__read}
permissions:
  mode: ask
  allow: ["bash(go test)"]
  deny:
    - read(.env)
  ask: [bash(git push)]
limits: {turns: 20, output_tokens: 1000, total_tokens: 0x10000, cost_usd: 1.5, seconds: 600}
mcpServers:
  files:
    command: npx
    args: [-y, server, 8080, true]
    timeout: 1_000
extensions: [ext/one.ts]
skills:
  - skills
`

const wholeJSON = `{
  // Everything that a spec can say.
  "name": "Reviewer", "description": "reads changes and says what is wrong",
  "instructions": "prompts/review.md",
  "model": "anthropic/claude-sonnet-4-6:high", "thinking": "low",
  "tools": ["read", {"name": "bash", "needsApproval": true}, {"name": "mcp__files__read"}],
  "permissions": {"mode": "ask", "allow": ["bash(go test)"], "deny": ["read(.env)"], "ask": ["bash(git push)"]},
  "limits": {"turns": 20, "output_tokens": 1000, "total_tokens": 65536, "cost_usd": 1.5, "seconds": 600},
  "mcpServers": {"files": {"command": "npx", "args": ["-y", "server", 8080, true], "timeout": 1000}},
  "extensions": ["ext/one.ts"], "skills": ["skills"],
}`

// both formats say the same.
func TestLoad(t *testing.T) {
	files := map[string]string{
		"prompts/review.md": "\ufeffReview with care.\n", "ext/one.ts": "", "skills/x/SKILL.md": "",
		"agent.yaml": whole, "other.json": wholeJSON,
	}
	dir := write(t, files)
	want := Agent{
		Folder: dir, Name: "Reviewer", Description: "reads changes and says what is wrong", Instructions: "Review with care.",
		Model: "anthropic/claude-sonnet-4-6:high", Thinking: llm.Low,
		Tools: []Tool{{"read", false}, {"bash", true}, {"mcp__files__read", false}},
		Mode:  permission.ModeAsk,
		Rules: []permission.Rule{
			{Tool: "bash", Pattern: "go test", Action: permission.Allow, Source: permission.FromAgent},
			{Tool: "read", Pattern: ".env", Action: permission.Deny, Source: permission.FromAgent},
			{Tool: "bash", Pattern: "git push", Action: permission.Ask, Source: permission.FromAgent},
		},
		MCPServers: []byte(`{"files":{"args":["-y","server",8080,true],"command":"npx","timeout":1000}}`),
		Extensions: []string{filepath.Join(dir, "ext", "one.ts")}, Skills: []string{filepath.Join(dir, "skills")},
		Limits: config.Limits{Turns: 20, OutputTokens: 1000, TotalTokens: 65536, CostUSD: 1.5, Seconds: 600},
	}
	for _, c := range []struct {
		path, file string
		tools      int // the line
	}{{dir, "agent.yaml", 7}, {filepath.Join(dir, "other.json"), "other.json", 6}} {
		t.Run(c.file, func(t *testing.T) {
			got, err := Load(c.path)
			if err != nil {
				t.Fatal(err)
			}
			if line := got.Line("tools[0]"); line < c.tools || line > c.tools+1 {
				t.Errorf("tools[0] is in line %d", line)
			}
			if got.Path != filepath.Join(dir, c.file) {
				t.Errorf("path %s", got.Path)
			}
			fault := got.Fault(UnknownModel, "model", errors.New("nobody knows it"))
			if !strings.Contains(fault.Error(), "HOOPOE_MODEL_UNKNOWN: "+got.Path+":5: model: nobody knows it") {
				t.Errorf("fault %v", fault)
			}
			got.Path, got.lines = "", nil
			if !reflect.DeepEqual(*got, want) {
				t.Errorf("got  %+v\nwant %+v", *got, want)
			}
		})
	}
}

// The difference between tools that aren't named and none.
func TestTools(t *testing.T) {
	for src, want := range map[string][]Tool{
		"name: x": nil, "tools:": nil, "tools: []": {}, "tools: [read]": {{"read", false}},
		"tools: [{name: read, needsApproval: false}]": {{"read", false}},
	} {
		got, err := parse("/x/agent.yaml", []byte(src))
		if err != nil {
			t.Fatalf("%s: %v", src, err)
		}
		if !reflect.DeepEqual(got.Tools, want) {
			t.Errorf("%s: %#v", src, got.Tools)
		}
	}
}

// E-2: each fault has file, line and field.
func TestFaults(t *testing.T) {
	dir := write(t, map[string]string{
		"in/empty.md": " \n", "in/bytes.md": "a\xff", "in/folder.md/x": "", "in/big.md": strings.Repeat("x", maxInstructions+1), "out.md": "secret",
	})
	if err := os.Symlink("../out.md", filepath.Join(dir, "in", "link.md")); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	folder := filepath.Join(dir, "in")
	deep := strings.Repeat("[", maxDepth+10)
	for _, c := range []struct{ name, src, want string }{
		{"empty", "", ":1: the file is empty"},
		{"only a comment", "# nothing\n", ":1: the file is empty"},
		{"null", "null", ":1: the file is empty"},
		{"a list", "- a", ":1: must be an object with fields, this is a list"},
		{"a text", "hello", ":1: must be an object with fields, this is a text"},
		{"no YAML", "name: x\n  bad: [", ":2: this is no YAML: "},
		{"tabs", "name: x\nlimits:\n\tturns: 1", ":3: this is no YAML: "},
		{"not UTF-8", "name: \xff", ": the file is not UTF-8 text"},
		{"a NUL", "name: \x00", ": the file is not UTF-8 text"},
		{"misspelt", "name: x\ninstrutions: y", ":2: instrutions: unknown field; did you mean instructions?"},
		{"other case", "MCPServers: {}", ":1: MCPServers: unknown field; did you mean mcpServers?"},
		{"misspelt below", "limits:\n  turns: 1\n  outputTokens: 2", ":3: limits.outputTokens: unknown field; did you mean output_tokens?"},
		{"nothing like it", "zzzzzzzzzz: 1", ":1: zzzzzzzzzz: unknown field; there are name, description, instructions,"},
		{"hostile field", "\"a\\e[2J\": 1", `:1: "a\x1b[2J": unknown field`},
		{"twice", "name: a\nmodel: b\nname: c", `:3: "name": set twice, first in line 1`},
		{"number for a text", "name: 7", ":1: name: must be a text, this is a number; put it into quotes"},
		{"list for a text", "name:\n  - a", ":2: name: must be a text, this is a list"},
		{"blank", "name: x\nmodel: '  '", ":2: model: is empty; give a text or leave it out"},
		{"two lines", "name: |\n  a\n  b", ":1: name: must be one line"},
		{"too long", "name: " + strings.Repeat("x", maxText+1), ":1: name: is longer than 4096 bytes"},
		{"thinking", "thinking: lots", `:1: thinking: unknown thinking level "lots"`},
		{"tools are a text", "tools: read", ":1: tools: must be a list, this is a text"},
		{"a tool is a number", "tools:\n - read\n - 7", ":3: tools[1]: must be a text, this is a number"},
		{"a tool is a list", "tools: [[read]]", ":1: tools[0]: must be a text, this is a list"},
		{"a tool without a name", "tools:\n  - needsApproval: true", ":2: tools[0]: has no name"},
		{"a tool's field", "tools:\n  - name: x\n    needApproval: true", ":3: tools[0].needApproval: unknown field; did you mean needsApproval?"},
		{"approval is a text", "tools: [{name: x, needsApproval: yes}]", ":1: tools[0].needsApproval: must be true or false, this is a text"},
		{"mode", "permissions:\n  mode: yolo", `:2: permissions.mode: unknown permission mode "yolo"`},
		{"rule", "permissions:\n  allow:\n    - bash(ls)\n    - bash(", `:4: permissions.allow[1]: permission rule "bash("`},
		{"rules are an object", "permissions: {deny: {a: b}}", ":1: permissions.deny: must be a list, this is an object"},
		{"limits are a number", "limits: 7", ":1: limits: must be an object with fields, this is a number"},
		{"a negative limit", "limits: {turns: -1}", `:1: limits.turns: must be a whole number from 1 on, this is "-1"`},
		{"a fraction", "limits: {turns: 1.5}", `:1: limits.turns: must be a whole number from 1 on, this is "1.5"`},
		{"too large a limit", "limits: {seconds: 99999999999}", ":1: limits.seconds: must be a whole number"},
		{"no cost", "limits: {cost_usd: 0}", ":1: limits.cost_usd: must be an amount of dollars above 0"},
		{"cost without end", "limits: {cost_usd: .inf}", ":1: limits.cost_usd: must be an amount of dollars above 0"},
		{"servers are a list", "mcpServers: [a]", ":1: mcpServers: must be an object of servers"},
		{"a server is a text", "mcpServers:\n  a: npx", ":2: mcpServers.a: must be an object with a command or a url"},
		{"out of the folder", "instructions: ../out.md", `:1: instructions: "../out.md" is not a path within the agent's folder`},
		{"absolute", "skills: [" + folder + "]", ":1: skills[0]: "},
		{"from home", "skills: [~/skills]", ":1: skills[0]: ~/skills: no such file"},
		{"out by a link", "instructions: link.md", `:1: instructions: "link.md" leads out of the agent's folder`},
		{"instructions that aren't there", "name: x\ninstructions: gone.md", ":2: instructions: gone.md: no such file"},
		{"empty instructions", "instructions: empty.md", ":1: instructions: empty.md: the file is empty"},
		{"instructions in bytes", "instructions: bytes.md", ":1: instructions: bytes.md: the file is not UTF-8 text"},
		{"instructions in a folder", "instructions: folder.md", ":1: instructions: folder.md: "},
		{"endless instructions", "instructions: big.md", ":1: instructions: big.md: "},
		{"anchor (a bomb)", "a: &a [x, x]\nb: &b [*a, *a]", ":1: anchors and aliases aren't taken"},
		{"alias", "name: x\nmodel: *x", ": this is no YAML: unknown anchor"},
		{"a cycle", "tools: &a [*a]", ":1: anchors and aliases aren't taken"},
		{"merge", "name: x\n<<: {model: y}", `:2: "<<": unknown field`},
		{"tag", "name: !!binary aGk=", `:1: tags such as "!!binary" aren't taken`},
		{"own tag", "name: !go/x y", `:1: tags such as "!go/x" aren't taken`},
		{"two documents", "name: x\n---\nname: y", ":2: a second document begins here"},
		{"a list as a key", "[a]: b", ":1: a field's name is a text"},
		{"deep", "name: " + deep + strings.Repeat("]", maxDepth+10), ":1: nested more than 100 deep"},
		{"too many fields", manyFields(), ":501: an object has more than 500 fields"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, err := parse(filepath.Join(folder, "agent.yaml"), []byte(c.src))
			if err == nil {
				t.Fatalf("taken as %+v", a)
			}
			if !strings.HasPrefix(err.Error(), "HOOPOE_CONFIG_INVALID: "+filepath.Join(folder, "agent.yaml")+c.want) {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
			var e *Error
			if !errors.As(err, &e) || e.Code != Invalid || e.Path == "" {
				t.Errorf("%#v is no *Error with a code and a path", err)
			}
			if strings.ContainsAny(err.Error(), "\x1b\x00") {
				t.Errorf("control characters in %q", err)
			}
		})
	}
}

func manyFields() string {
	var b strings.Builder
	for i := range maxFields + 1 {
		b.WriteString(strings.Repeat("k", i+1) + ": 1\n")
	}
	return b.String()
}

func TestFaultsOfJSON(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"empty", " ", ":1: the file is empty"},
		{"no JSON", "{\n \"name\" \"x\"}", ":2: this is no JSON: invalid character"},
		{"cut off", "{\"name\":\n \"x", ":2: the file ends inside a value"},
		{"YAML", "name: x", ":1: this is no JSON"},
		{"misspelt", "{\n // c\n \"modle\": \"x\"}", ":3: modle: unknown field; did you mean model?"},
		{"twice", "{\"name\": \"a\",\n\"name\": \"b\"}", `:2: "name": set twice`},
		{"type", "{\"limits\": {\n\"turns\": \"7\"}}", `:2: limits.turns: must be a whole number from 1 on, this is "7"`},
		{"deep", strings.Repeat("[", 100_000), ":1: nested more than 100 deep"},
		{"two values", "{} {}", ":1: this is no JSON"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := parse("/x/agent.json", []byte(c.src)); err == nil || !strings.Contains(err.Error(), "/x/agent.json"+c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

// All faults at once, in the file's order.
func TestFaultsTogether(t *testing.T) {
	_, err := parse("/x/agent.yaml", []byte("limits: {turns: x}\nname: 3\nwhat: 1"))
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != 3 || !strings.Contains(lines[0], ":1: limits.turns") || !strings.Contains(lines[1], ":2: name") || !strings.Contains(lines[2], ":3: what") {
		t.Errorf("got %v", err)
	}
}

func TestFind(t *testing.T) {
	dir := write(t, map[string]string{
		"yml/agent.yml": "name: a", "both/agent.yaml": "name: a", "both/agent.json": "{", "json/agent.json": `{"name": "a"}`,
		"none/readme.md": "", "module/agent.ts": "", "agent.ts": "", "notes.md": "", "huge.yaml": "name: " + strings.Repeat("x", maxSpec),
		"sub.yaml/agent.yaml": "name: a", "odd/agent.yaml/x": "",
	})
	for path, want := range map[string]string{
		"yml": "", "both": "", "json": "", "yml/agent.yml": "", "sub.yaml": "",
		"gone":      "HOOPOE_AGENT_NOT_FOUND: " + filepath.Join(dir, "gone") + ": there is no such file or folder",
		"none":      "HOOPOE_AGENT_NOT_FOUND: " + filepath.Join(dir, "none") + ": the folder has no agent.yaml, agent.yml, agent.json",
		"module":    "the folder has no agent.yaml",
		"agent.ts":  "HOOPOE_CONFIG_INVALID: " + filepath.Join(dir, "agent.ts") + ": an agent is a .yaml",
		"notes.md":  "an agent is a .yaml, .yml, .json, .ts or .js file",
		"huge.yaml": "the file has 262150 bytes, the limit is 262144",
		"odd":       "HOOPOE_CONFIG_INVALID",
	} {
		t.Run(path, func(t *testing.T) {
			a, err := Load(filepath.Join(dir, path))
			switch {
			case want == "" && (err != nil || a.Name != "a"):
				t.Errorf("%+v, %v", a, err)
			case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
				t.Errorf("got %v, want %q", err, want)
			}
		})
	}
}

// A script is known by its name, or as what alone makes a folder an agent.
func TestScripts(t *testing.T) {
	dir := write(t, map[string]string{"a/agent.ts": "", "both/agent.json": "{}", "both/agent.js": "", "b.mjs": "", "c.yaml": ""})
	for path, want := range map[string]string{"a": "a/agent.ts", "a/agent.ts": "a/agent.ts", "b.mjs": "b.mjs", "gone.TS": "gone.TS", "both": "", "c.yaml": "", "gone": ""} {
		script, is := IsModule(filepath.Join(dir, path))
		if is != (want != "") || is && script != filepath.Join(dir, want) {
			t.Errorf("%s: %s, %v", path, script, is)
		}
	}
}

// What a script exports is decoded like a file, without lines.
func TestDecode(t *testing.T) {
	dir := write(t, map[string]string{"agent.ts": "", "help.md": "help"})
	path := filepath.Join(dir, "agent.ts")
	a, err := Decode(path, []byte(`{"name":"a","instructions":"help.md","tools":["read",{"name":"x","needsApproval":true}],"limits":{"turns":3}}`))
	if err != nil || a.Instructions != "help" || len(a.Tools) != 2 || !a.Tools[1].NeedsApproval || a.Limits.Turns != 3 || a.Folder != dir {
		t.Errorf("%+v, %v", a, err)
	}
	for options, want := range map[string]string{
		`{"modle":"x"}`:          "HOOPOE_CONFIG_INVALID: " + path + ": modle: unknown field; did you mean model?",
		`{"limits":{"turns":0}}`: "HOOPOE_CONFIG_INVALID: " + path + ": limits.turns: must be a whole number",
		`[]`:                     "must be an object",
		`{`:                      "the file ends inside a value",
	} {
		if _, err := Decode(path, []byte(options)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", options, err, want)
		}
	}
}

// What loads is within bounds, and what doesn't says why in a line.
func FuzzSpec(f *testing.F) {
	for _, seed := range []string{whole, "tools: [a, {name: b}]", "a: &a [*a]", "limits: {turns: 0x7}", "mcpServers: {a: {b: [1e999, ~, .nan]}}", "? a\n: b", "--- !x\n...", "\"\\ud83d\": 1"} {
		f.Add([]byte(seed), false)
	}
	for _, seed := range []string{wholeJSON, `{"tools": [1, {}]}`, `{"mcpServers": {"a": {"b": [1, null, true]}}}`, "{} // c", `{"a":1,"a":2}`} {
		f.Add([]byte(seed), true)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, src []byte, json bool) {
		name := "agent.yaml"
		if json {
			name = "agent.json"
		}
		a, err := parse(filepath.Join(dir, name), src)
		if err == nil {
			if a.Limits.Turns < 0 || a.Limits.CostUSD < 0 || len(a.Extensions)+len(a.Skills) > 0 && dir == "" {
				t.Errorf("taken: %+v", a)
			}
			for _, tool := range a.Tools {
				if tool.Name == "" {
					t.Error("a tool without a name")
				}
			}
			return
		}
		for _, line := range strings.Split(err.Error(), "\n") {
			if !strings.HasPrefix(line, string(Invalid)+": "+dir) {
				t.Errorf("an error of more than a line, or without its code: %q", line)
			}
		}
	})
}
