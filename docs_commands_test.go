package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"github.com/hoopoe-agent/hoopoe/engine/shell"
)

// accepts parses a command line as the program would, and does nothing. It reports
// whether the line opens something that stays: the chat, or a server.
func accepts(args []string) (stays bool, err error) {
	p := &program{}
	line, err := normalise(args, tableOf(allFlags()), refused)
	command, sub := subcommandOf(line.command())
	app := p.chatApp()
	switch {
	case sub:
		app = command.app(p)
	case err != nil:
		return false, err
	case line.rpc():
		app.Flags = append(app.Flags, hostFlags()...)
	}
	if line, err = normalise(args, tableOf(app.Flags), refused); err != nil || slices.Contains(line.flags, "--help") {
		return false, err
	}
	app.Action = func(c *cli.Context) error {
		if sub {
			return command.takes(following(c))
		}
		s, err := readSettings(c)
		if err != nil || s.version {
			return err
		}
		words, literals := arguments(c.Args().Slice())
		f, err := chooseFace(s, words, literals, terminals{true, true, true})
		stays = f == chatFace || f == remoteFace
		return err
	}
	return stays, app.RunContext(context.Background(), line.argv(app.Name))
}

// takes refuses a second word that isn't one of the command's, where all are known.
func (s subcommand) takes(words []string) error {
	_, free := s.args[""]
	if len(words) == 0 || free {
		return nil
	}
	if _, ok := s.args[words[0]]; !ok {
		return usagef("hoopoe %s knows no %q", s.name, words[0])
	}
	return nil
}

// commandText is a command line in the documentation.
type commandText struct {
	at, text string
	block    bool // in a block of its own, not in a sentence
}

// commandTexts are the lines of a page's sh blocks, and what stands in its
// sentences and begins with the program's name.
func commandTexts(p page) []commandText {
	var found []commandText
	for _, b := range p.blocks {
		if b.kind != "sh" {
			continue
		}
		for i, line := range b.lines {
			if strings.TrimSpace(line) != "" {
				found = append(found, commandText{fmt.Sprintf("%s:%d", p.path, b.line+1+i), line, true})
			}
		}
	}
	for i, line := range p.prose {
		for _, span := range code.FindAllString(line, -1) {
			if span = strings.ReplaceAll(strings.Trim(span, "`"), `\|`, "|"); strings.Contains(" "+span, " hoopoe ") {
				found = append(found, commandText{fmt.Sprintf("%s:%d", p.path, i+1), span, false})
			}
		}
		if strings.HasPrefix(line, "    hoopoe ") { // remote/PROTOCOL.md indents its commands
			text, _, _ := strings.Cut(strings.TrimSpace(line), "   ")
			found = append(found, commandText{fmt.Sprintf("%s:%d", p.path, i+1), text, false})
		}
	}
	return found
}

// synopsis is a form of calling the program, not a command.
var synopsis = regexp.MustCompile(`\[|\.\.\.$|…`)

// Requirement C-5: what the documentation tells people to type is accepted.
func TestDocsCommands(t *testing.T) {
	ours := 0
	for _, p := range pages(t) {
		for _, c := range commandTexts(p) {
			if !c.block && synopsis.MatchString(c.text) {
				continue
			}
			analysis := shell.Analyze(c.text)
			if len(analysis.Calls) == 0 {
				t.Errorf("%s: no command: %s", c.at, c.text)
			}
			for _, call := range analysis.Calls {
				var args []string
				for _, w := range call.Words {
					args = append(args, w.Text)
				}
				if args[0] == "hoopoe" {
					ours++
					if !c.block && slices.Contains(args, "-p") {
						args = append(args, "text") // which a sentence may leave out
					}
					if _, err := accepts(args[1:]); err != nil {
						t.Errorf("%s: %s: %v", c.at, c.text, err)
					}
				} else if why := strange(args, filepath.Dir(filepath.FromSlash(p.path))); why != "" {
					t.Errorf("%s: %s: %s", c.at, c.text, why)
				}
			}
		}
	}
	if ours < 100 {
		t.Errorf("only %d command lines were found", ours)
	}
}

// What a stranger types first: .ci/scratch does so in a fresh clone.
func TestReadmeCommands(t *testing.T) {
	var commands []string
	for _, line := range readPage(t, "README.md").blocks[0].lines {
		command, _, _ := strings.Cut(line, "#")
		commands = append(commands, strings.TrimSpace(command))
	}
	if want := []string{`go run . -p "Summarize this repo"`, "go test ./..."}; !slices.Equal(commands, want) {
		t.Errorf("README.md begins with %q, not %q", commands, want)
	}
}

// strange says what is wrong with another program's command line. Only programs of
// this list are named in the documentation.
func strange(args []string, folder string) string {
	there := func(name string) bool { _, err := os.Stat(filepath.FromSlash(name)); return err == nil }
	switch args[0] {
	case "brew", "scoop", "npm", "git", "ssh", "echo", "source", "Out-String", "Invoke-Expression":
		return ""
	case "node":
		if !there(filepath.Join(folder, args[1])) {
			return "there is no " + args[1]
		}
		return ""
	case "go":
		if !slices.Contains([]string{"build", "doc", "install", "run", "test"}, args[1]) {
			return "go " + args[1]
		}
		for _, a := range args[2:] {
			if strings.HasPrefix(a, "./") && !there(strings.TrimSuffix(a, "/...")) {
				return "there is no " + a
			}
		}
		return ""
	case "make":
		makefile, err := os.ReadFile("Makefile")
		if err != nil || !regexp.MustCompile(`(?m)^`+regexp.QuoteMeta(args[1])+":").Match(makefile) {
			return "there is no such target"
		}
		return ""
	case ".ci/run":
		script, err := os.ReadFile(".ci/run")
		for _, step := range args[1:] {
			if err != nil || !regexp.MustCompile(`(?m)^`+regexp.QuoteMeta(step)+`\(\)`).Match(script) {
				return "there is no step " + step
			}
		}
		return ""
	}
	return "no test knows " + args[0]
}

// The parser that the documentation is held to refuses what the program refuses.
func TestDocsRefuses(t *testing.T) {
	for text, want := range map[string]bool{
		"": true, "-p hi": true, "--remote": true, "config check": true, "acp --help": true, "models sonnet": true, "completion fish": true,
		"--frobnicate": false, "--permissions bold": false, "sessions frob": false, "models --frob": false, "config frob": false, "--remote hi": false, "--mode x": false,
		"-p --max-turns 0 hi": false, "doctor frob": false,
	} {
		if _, err := accepts(strings.Fields(text)); (err == nil) != want {
			t.Errorf("hoopoe %s: %v", text, err)
		}
	}
	for text, stays := range map[string]bool{"": true, "hi": true, "-p hi": false, "--remote": true, "sessions": false, "--mode rpc": false} {
		if got, err := accepts(strings.Fields(text)); err != nil || got != stays {
			t.Errorf("hoopoe %s: %v, %v", text, got, err)
		}
	}
	if strange([]string{"curl", "x"}, ".") == "" || strange([]string{"make", "nothing"}, ".") == "" || strange([]string{".ci/run", "x"}, ".") == "" {
		t.Error("what nobody knows passes")
	}
}

// runs reports whether a line can be run here and now.
func runs(text string) bool {
	called := false
	for _, call := range shell.Analyze(text).Calls {
		var args []string
		for _, w := range call.Words {
			args = append(args, w.Text)
		}
		if args[0] == "echo" || args[0] == "git" {
			continue
		}
		stays, err := accepts(args[1:])
		if args[0] != "hoopoe" || stays || err != nil || slices.Contains(args, "--model") || slices.Contains(args, "--agent") || args[len(args)-1] == "agent.yaml" {
			return false
		}
		called = true
	}
	return called
}

// furnish puts into the project what the manual's commands speak of.
func furnish(t *testing.T, h house) {
	t.Helper()
	for name, text := range map[string]string{
		"main.go":     "package main\n\nimport \"fmt\"\n\n// TODO: more\nfunc main() { fmt.Println(foo) }\n\nvar foo = parseConfig()\n\nfunc parseConfig() int { return 1 }\n",
		"go.mod":      "module example.com/shop\n\ngo 1.26\n",
		"build.log":   "main.go:3: undefined: foo\n",
		"change.diff": "--- a/main.go\n+++ b/main.go\n",
	} {
		if err := os.WriteFile(filepath.Join(h.project, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(h.home, "hoopoe"), 0o700); err != nil {
		t.Fatal(err)
	}
	git := exec.CommandContext(t.Context(), "git", "init", "-q")
	git.Dir, git.Env = h.project, h.environ
	if out, err := git.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	first := exec.CommandContext(t.Context(), "hoopoe", "-p", "list files")
	first.Dir, first.Env = h.project, h.environ
	if out, err := first.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// session is the id of the only session, or of one of them.
func (h house) session() string {
	h.t.Helper()
	files, err := filepath.Glob(filepath.Join(h.home, "hoopoe", "sessions", "*", "*.jsonl"))
	if err = errors.Join(err, os.ErrNotExist); len(files) == 0 {
		h.t.Fatal(err)
	}
	_, id, _ := strings.Cut(strings.TrimSuffix(filepath.Base(files[0]), ".jsonl"), "_")
	return id
}
