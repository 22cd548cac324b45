package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/tailscale/hujson"

	"github.com/hoopoe-agent/hoopoe/engine/config"
)

// house is an empty home with a project, for running the program in this process.
type house struct {
	t             *testing.T
	home, project string
	environ       []string
}

func newHouse(t *testing.T) house {
	t.Helper()
	h := house{t: t, home: t.TempDir(), project: t.TempDir()}
	h.environ = append(clean(os.Environ()), "HOME="+h.home, "USERPROFILE="+h.home, "HOOPOE_DIR="+filepath.Join(h.home, "hoopoe"), "EDITOR=true")
	return h
}

// enter makes the project the working directory and the home the home.
func (h house) enter() {
	h.t.Helper()
	h.t.Setenv("HOME", h.home)
	h.t.Setenv("USERPROFILE", h.home)
	h.t.Chdir(h.project)
}

// write writes a block where a file of its name belongs: beside the settings, or
// into the project.
func (h house) write(b block) string {
	h.t.Helper()
	root := h.project
	if first, _, _ := strings.Cut(b.mark, "/"); slices.Contains([]string{"settings.json", "models.json", "keybindings.json", "themes"}, first) {
		root = filepath.Join(h.home, "hoopoe")
	}
	name := filepath.Join(root, filepath.FromSlash(b.mark))
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(b.text()), 0o600); err != nil {
		h.t.Fatal(err)
	}
	return name
}

// hoopoe runs a command line and returns what it wrote and its exit code.
func (h house) hoopoe(args ...string) (string, int) {
	h.t.Helper()
	out, err := os.CreateTemp(h.t.TempDir(), "out")
	if err != nil {
		h.t.Fatal(err)
	}
	defer out.Close()
	in, err := os.Open(os.DevNull)
	if err != nil {
		h.t.Fatal(err)
	}
	defer in.Close()
	p := &program{name: "hoopoe", stdin: in, stdout: &output{file: out}, stderr: out, environ: h.environ, now: time.Now}
	status := p.run(h.t.Context(), args)
	written, err := os.ReadFile(out.Name())
	if err != nil {
		h.t.Fatal(err)
	}
	return string(written), status
}

// ownTests are pages whose blocks are read and played by tests of their package.
func ownTests(p page) bool {
	return strings.HasPrefix(p.path, "modes/") && path.Base(p.path) == "PROTOCOL.md"
}

// Requirement C-5: every block of the documentation says what it is and is read by
// what it is for.
func TestDocsBlocks(t *testing.T) {
	checks := map[string]func(*testing.T, block){
		"json": checkFile, "jsonc": checkFile, "yaml": checkFile, "markdown": checkFile, "ts": checkModule, "text": checkScript,
		"go": checkGo, "lua": checkBrackets, "elisp": checkBrackets,
		"sh": func(*testing.T, block) {}, // TestDocsCommands, TestDocsRun
	}
	for _, p := range pages(t) {
		for _, b := range p.blocks {
			drawing := b.kind == "text" && b.mark == "" && p.path != "README.md" && !strings.HasPrefix(p.path, "docs/")
			if check, ok := checks[b.kind]; ok && !drawing && !ownTests(p) {
				t.Run(p.path+"/"+b.kind+" "+b.mark, func(t *testing.T) {
					t.Logf("%s:%d", p.path, b.line)
					check(t, b)
				})
			} else if b.kind == "" || !drawing && !ownTests(p) {
				t.Errorf("%s:%d: no test reads a block of the kind %q", p.path, b.line, b.kind)
			}
		}
	}
}

// checkFile has the program look for mistakes in a file of ours, and a schema where
// there is one.
func checkFile(t *testing.T, b block) {
	switch b.mark {
	case "zed", "jetbrains": // of other programs
		checkEditor(t, b)
		return
	case "":
		t.Fatal("a comment above the block has to say which file it is")
	}
	schema := map[string]string{"settings.json": "settings", "models.json": "models", "keybindings.json": "keybindings", "agent.yaml": "agent"}[b.mark]
	if strings.HasPrefix(b.mark, "themes/") {
		schema = "theme"
	}
	h := newHouse(t)
	name := h.write(b)
	if schema != "" && b.kind != "yaml" {
		checkSchema(t, h, schema, b)
	}
	h.write(block{mark: "prompts/review.md", lines: []string{"Review."}}) // that the agent names
	h.write(block{mark: "skills/x/SKILL.md", lines: []string{"---", "name: x", "description: y", "---", "z"}})
	h.enter()
	args := []string{"config", "check"}
	if b.mark == "agent.yaml" {
		args = append(args, name)
	}
	if out, status := h.hoopoe(args...); status != 0 || out != "no problem found\n" {
		t.Errorf("exit code %d: %s", status, out)
	}
	if strings.Contains(b.mark, "/commands/") { // a template can't be wrong
		command := "/" + strings.TrimSuffix(path.Base(b.mark), ".md") + " "
		if out, status := h.hoopoe("-p", "--approve", "--no-session", "/help"); status != 0 || !strings.Contains(out, command) {
			t.Errorf("exit code %d, no %sin %s", status, command, out)
		}
		return
	}
	// A check that has looked elsewhere finds nothing either.
	broken := b
	broken.lines = []string{"{"}
	if b.kind == "markdown" {
		broken.lines = []string{"---", "condition: '('", "---"}
	}
	h.write(broken)
	if out, status := h.hoopoe(args...); status != 1 {
		t.Errorf("a broken file passes with %d: %s", status, out)
	}
	if b.mark == "settings.json" && strings.Contains(b.text(), "defaultModel") {
		checkDefaults(t, b)
	}
}

func checkSchema(t *testing.T, h house, name string, b block) {
	t.Helper()
	text, status := h.hoopoe("config", "schema", name)
	if status != 0 {
		t.Fatal(text)
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal([]byte(text), &schema); err != nil {
		t.Fatal(err)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := hujson.Standardize([]byte(b.text()))
	if err != nil {
		t.Fatal(err)
	}
	var value any
	if err := json.Unmarshal(plain, &value); err != nil {
		t.Fatal(err)
	}
	if err := resolved.Validate(value); err != nil {
		t.Error(err)
	}
}

// checkDefaults holds the block of all settings to what it says it is.
func checkDefaults(t *testing.T, b block) {
	t.Helper()
	h := newHouse(t)
	h.write(b)
	got, _, err := config.Load(t.Context(), config.LoadOptions{Paths: config.Paths{Config: filepath.Join(h.home, "hoopoe")}})
	if err != nil {
		t.Fatal(err)
	}
	had, err1 := flat(got.Settings)
	want, err2 := flat(config.Defaults())
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	if !reflect.DeepEqual(had, want) {
		t.Errorf("not the defaults:\n%v\n%v", had, want)
	}
	plain, err := hujson.Standardize([]byte(b.text()))
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range config.Keys() {
		at := plain
		for part := range strings.SplitSeq(key, ".") {
			var inside map[string]json.RawMessage
			if err := json.Unmarshal(at, &inside); err != nil || inside[part] == nil {
				t.Errorf("%s is missing", key)
				break
			}
			at = inside[part]
		}
	}
}

// checkEditor reads an editor's settings: they have to start us.
func checkEditor(t *testing.T, b block) {
	var settings struct {
		Servers map[string]struct {
			Command string
			Args    []string
		} `json:"agent_servers"`
	}
	d := json.NewDecoder(strings.NewReader(b.text()))
	if err := d.Decode(&settings); err != nil || settings.Servers["Hoopoe"].Command != "hoopoe" {
		t.Fatalf("%v: %+v", err, settings)
	}
	if _, err := accepts(settings.Servers["Hoopoe"].Args); err != nil {
		t.Error(err)
	}
}

// checkModule loads an extension, or an agent with tools of its own.
func checkModule(t *testing.T, b block) {
	h := newHouse(t)
	name := h.write(b)
	h.enter()
	if b.mark == "agent.ts" {
		if out, status := h.hoopoe("-p", "--no-session", "--agent", name, "help"); status != 0 {
			t.Errorf("exit code %d: %s", status, out)
		}
		return
	}
	out, status := h.hoopoe("extension", "check", name)
	if status != 0 || strings.Contains(out, "note:") {
		t.Errorf("exit code %d: %s", status, out)
	}
}

// checkScript plays a scripted model.
func checkScript(t *testing.T, b block) {
	if !strings.HasSuffix(b.mark, ".script") {
		t.Fatal("a comment above the block has to say which file it is")
	}
	h := newHouse(t)
	name := h.write(b)
	h.write(block{mark: "notes.txt", lines: []string{"buy seeds"}})
	h.enter()
	out, status := h.hoopoe("-p", "--no-session", "--model", "script/"+name, "What is there to do?")
	if status != 0 || !strings.Contains(out, b.lines[len(b.lines)-1]) {
		t.Errorf("exit code %d: %s", status, out)
	}
}

// checkGo finds the code in a file that is compiled.
func checkGo(t *testing.T, b block) {
	source, err := os.ReadFile(filepath.FromSlash(b.mark))
	if err != nil {
		t.Fatalf("a comment above the block has to name a file with this code: %v", err)
	}
	flush := func(text []byte) []byte {
		lines := bytes.Split(text, []byte("\n"))
		for i := range lines {
			lines[i] = bytes.TrimSpace(lines[i])
		}
		return bytes.Join(lines, []byte("\n"))
	}
	if !bytes.Contains(flush(source), flush([]byte(b.text()))) {
		t.Errorf("%s has other code", b.mark)
	}
}

// checkBrackets is for languages of editors: what was cut off by mistake shows.
func checkBrackets(t *testing.T, b block) {
	var open []rune
	pairs := map[rune]rune{')': '(', ']': '[', '}': '{'}
	for _, r := range code.ReplaceAllString(b.text(), "") {
		switch r {
		case '(', '[', '{':
			open = append(open, r)
		case ')', ']', '}':
			if len(open) == 0 || open[len(open)-1] != pairs[r] {
				t.Fatalf("%q closes nothing", r)
			}
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 || !strings.Contains(b.text(), `"acp"`) {
		t.Errorf("open: %q", open)
	}
}
