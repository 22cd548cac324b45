//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/creack/pty"
	"github.com/urfave/cli/v2"
)

// Every flag says what its values are, every second word is told in the help, and
// nothing is offered that there isn't.
func TestOffersComplete(t *testing.T) {
	p := &program{}
	offers := flagOffers()
	used := map[string]bool{}
	for name, app := range apps(p) {
		for _, f := range append(app.Flags, hostFlags()...) {
			flag := f.Names()[0]
			if _, plain := f.(*cli.BoolFlag); plain {
				continue
			}
			used[flag] = true
			if _, ok := offers[flag]; !ok {
				t.Errorf("%s: nobody knows the values of --%s", name, flag)
			}
		}
	}
	for flag := range offers {
		if !used[flag] {
			t.Errorf("there is no flag --%s with a value", flag)
		}
	}
	chat, _ := usagesOf(p.chatApp())
	for _, s := range subcommands() {
		var told []string
		for _, v := range s.verbs(s.app(p)) {
			told = append(told, v.form)
		}
		for verb := range s.args {
			if verb != "" && !slices.Contains(told, verb) {
				t.Errorf("the help of %s doesn't tell of %q", s.name, verb)
			}
		}
		named := slices.ContainsFunc(chat, func(u usage) bool { return strings.HasPrefix(u.form+" ", "hoopoe "+s.name+" ") })
		if !named && !s.hidden && s.name != "logout" {
			t.Errorf("the help of the chat doesn't tell of %s", s.name)
		}
	}
}

func TestComplete(t *testing.T) {
	p := newPlace(t)
	p.file("go.mod", "module x\n")
	if _, stderr, code := p.run("-p", "hi"); code != 0 {
		t.Fatal(stderr)
	}
	if err := os.Mkdir(filepath.Join(p.dir, "src"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		args []string
		want []string // begin the lines, in order
		only bool
	}{
		{"commands", []string{"+s"}, []string{"sessions\tsaved sessions"}, true},
		{"no hidden command", []string{"+man"}, nil, true},
		{"second words", []string{"sessions", "+"}, []string{"list\t", "show\t", "export\t", "delete\t"}, true},
		{"flags", []string{"+--perm"}, []string{"--permissions\twhat runs unasked: MODE is plan"}, true},
		{"flags of a command", []string{"sessions", "+--a"}, []string{"--all\tlist the sessions of every folder"}, true},
		{"flags after a value", []string{"--model", "sessions", "+--cont"}, []string{"--continue\t"}, true},
		{"values", []string{"--permissions", "+"}, []string{"plan\t", "ask\t", "edit\t", "full\t"}, true},
		{"values behind =", []string{"+--permissions=p"}, []string{"--permissions=plan\t"}, true},
		{"short flag's values", []string{"-p", "-r", "+"}, []string{"0"}, false},
		{"a list", []string{"--tools", "+read,gr"}, []string{"read,grep\t"}, true},
		{"optional value", []string{"--resume", "+--c"}, []string{"--cwd\t", "--continue\t"}, true},
		{"a provider", []string{"--model", "+groq"}, []string{"groq/\tGroq"}, true},
		{"a provider's models", []string{"--model", "+anthropic/claude-opus-5"}, []string{"anthropic/claude-opus-5\tClaude Opus 5"}, true},
		{"files", []string{"--session", "+x"}, []string{":files\t"}, true},
		{"folders", []string{"--cwd=", "+--cwd=x"}, []string{":folders\t"}, true},
		{"mentions", []string{"+@g"}, []string{"@go.mod\t"}, true},
		{"mentioned folders", []string{"look at", "+@s"}, []string{"@src/\t"}, true},
		{"themes and files", []string{"theme", "check", "+ember"}, []string{"ember\t", ":files\t"}, true},
		{"settings", []string{"config", "show", "+retry.b"}, []string{"retry.baseDelayMs\t"}, true},
		{"shells", []string{"completion", "+"}, []string{"bash\t", "zsh\t", "fish\t", "powershell\t"}, true},
		{"text", []string{"hello", "+"}, nil, true},
		{"text of print", []string{"-p", "+s"}, nil, true},
		{"literals", []string{"--", "+--perm"}, nil, true},
		{"nonsense", []string{"--bogus", "\x1b[2J", "+--perm"}, []string{"--permissions\t"}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, stderr, code := p.run(append([]string{completing}, c.args...)...)
			if code != 0 || stderr != "" {
				t.Fatalf("exit code %d: %s", code, stderr)
			}
			lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
			if out == "" {
				lines = nil
			}
			if c.only && len(lines) != len(c.want) || len(lines) < len(c.want) {
				t.Fatalf("got %q, want %q", lines, c.want)
			}
			for i, want := range c.want {
				if !strings.HasPrefix(lines[i], want) {
					t.Errorf("got %q, want %q", lines, c.want)
				}
			}
		})
	}
	if _, _, code := p.run(completing); code != exitUsage {
		t.Errorf("without a cursor: exit code %d", code)
	}
}

// The scripts work in the shells themselves, at a terminal.
func TestShellCompletion(t *testing.T) {
	shells := map[string]struct {
		args, setup []string
	}{
		"bash": {[]string{"--norc", "--noprofile", "-i"}, []string{"source <(hoopoe completion bash)"}},
		"zsh":  {[]string{"-f", "-i"}, []string{"autoload -U compinit", "compinit -u -D", "source <(hoopoe completion zsh)"}},
		"fish": {[]string{"--no-config", "-i"}, []string{"hoopoe completion fish | source"}},
	}
	for shell, how := range shells {
		t.Run(shell, func(t *testing.T) {
			if _, err := exec.LookPath(shell); err != nil {
				t.Skipf("there is no %s here", shell)
			}
			p := newPlace(t)
			p.file("notes.txt", "")
			path, err := exec.LookPath("hoopoe")
			if err != nil {
				t.Fatal(err)
			}
			for typed, want := range map[string]string{
				"hoopoe sess\t":                          "sessions",
				"~/hoopoe sess\t":                        "sessions",
				"hoopoe sessions exp\t":                  "sessions export",
				"hoopoe --permis\tpl\t":                  "--permissions plan",
				"hoopoe --permissions=pl\t":              "--permissions=plan",
				"hoopoe --model anthropic/claude-opus-5": "", // no tab: as typed
				"hoopoe --model fireworks/a\t":           "--model fireworks/accounts/fireworks/models/",
				"hoopoe --session not\t":                 "--session notes.txt",
				"hoopoe @no\t":                           "@notes.txt",
				"hoopoe theme check emb\t":               "theme check ember",
			} {
				if want == "" {
					want = strings.TrimPrefix(typed, "hoopoe ")
				}
				got := completedBy(t, p, shell, how.args, how.setup, filepath.Dir(path), typed)
				if !strings.HasPrefix(got, want) {
					t.Errorf("%q became %q, want %q", typed, got, want)
				}
			}
		})
	}
}

// completedBy types into a shell and returns the arguments that hoopoe is run
// with in the end.
func completedBy(t *testing.T, p *place, shell string, args, setup []string, bin, typed string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "arguments")
	// The program is asked by its name; to run it is to note its arguments.
	wrapped := t.TempDir()
	_ = os.Remove(filepath.Join(p.home, "hoopoe"))
	script := "#!/bin/sh\ncase \"$1\" in __complete|completion) exec \"" + filepath.Join(bin, "hoopoe") + "\" \"$@\";; esac\nprintf '%s ' \"$@\" > '" + out + ".new' && mv '" + out + ".new' '" + out + "'\n"
	if err := os.WriteFile(filepath.Join(wrapped, "hoopoe"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(wrapped, "hoopoe"), filepath.Join(p.home, "hoopoe")); err != nil {
		t.Fatal(err)
	}
	c := p.command()
	c.Path, c.Args = lookPath(t, shell), append([]string{shell}, args...)
	c.Env = append(c.Env, "PATH="+wrapped+":"+os.Getenv("PATH"), "TERM=dumb", "PS1=ready> ", "HISTFILE=/dev/null", "fish_greeting=")
	f, err := pty.StartWithSize(c, &pty.Winsize{Rows: 40, Cols: 200})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	seen := make(chan string, 1)
	go func() {
		var b bytes.Buffer
		_, _ = b.ReadFrom(f) // until the shell ends
		seen <- b.String()
	}()
	input := strings.Join(setup, "\n") + "\n" + typed + "\nexit\n"
	if _, err := f.WriteString(input); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait() // its exit code is the last command's
	text := <-seen
	got, err := os.ReadFile(out)
	if err != nil {
		t.Fatalf("hoopoe wasn't run: %v\n%s", err, text)
	}
	return strings.TrimSpace(string(got))
}

func lookPath(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// Whatever stands before the cursor, it is read to its end.
func FuzzCursor(f *testing.F) {
	f.Add("--model\x00x\x00sessions\x00--", "+")
	f.Add("-\x00=\x00--=\x00-p\x00--resume", "--permissions=p")
	f.Fuzz(func(t *testing.T, before, at string) {
		p := &program{}
		c := p.cursorAt(strings.Split(before, "\x00"), at)
		if c.at != at || c.app == nil {
			t.Errorf("%+v", c)
		}
		for _, found := range c.flags() {
			if !strings.HasPrefix(found.text, at) {
				t.Errorf("%q is offered for %q", found.text, at)
			}
		}
	})
}
