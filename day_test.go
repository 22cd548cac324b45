//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// desk is a shell in a tmux of its own.
type desk struct {
	*place
	socket string
}

// sit opens the shell in a window of that size. The server ends with the test.
func (p *place) sit(width, height int) *desk {
	p.t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		p.t.Skip("there is no tmux here")
	}
	d := &desk{p, filepath.Join(p.t.TempDir(), "tmux")}
	c := d.command("-f", "/dev/null", "new-session", "-d", "-x", fmt.Sprint(width), "-y", fmt.Sprint(height), "sh")
	c.Env = append(c.Env, "PS1=shell> ", "ENV=", "SHELL=/bin/sh")
	if out, err := c.CombinedOutput(); err != nil {
		p.t.Fatalf("tmux: %v: %s", err, out)
	}
	p.t.Cleanup(func() { _ = exec.Command("tmux", "-S", d.socket, "kill-server").Run() })
	return d
}

// command is one of tmux.
func (d *desk) command(args ...string) *exec.Cmd {
	c := d.place.command()
	c.Path, c.Args = "", append([]string{"tmux", "-S", d.socket}, args...)
	c.Path, c.Err = exec.LookPath("tmux")
	return c
}

func (d *desk) tmux(args ...string) string {
	d.t.Helper()
	out, err := d.command(args...).CombinedOutput()
	if err != nil {
		d.t.Fatalf("tmux %q: %v: %s", args, err, out)
	}
	return strings.TrimSuffix(string(out), "\n")
}

func (d *desk) screen() string { d.t.Helper(); return d.tmux("capture-pane", "-p") }

// until asks again and again.
func (d *desk) until(what string, ok func(screen string) bool) {
	d.t.Helper()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	late := time.After(guard)
	for {
		shown := d.screen()
		if ok(shown) {
			return
		}
		select {
		case <-again.C:
		case <-late:
			d.t.Fatalf("%s doesn't come:\n%s", what, shown)
		}
	}
}

// sees waits until the screen shows all of the texts.
func (d *desk) sees(texts ...string) {
	d.t.Helper()
	d.until(fmt.Sprintf("%q", texts), func(screen string) bool {
		for _, text := range texts {
			if !strings.Contains(screen, text) {
				return false
			}
		}
		return true
	})
}

// types gives the chat a text, key by key, and then keys by tmux's names.
func (d *desk) types(text string, keys ...string) {
	d.t.Helper()
	if text != "" {
		d.tmux("send-keys", "-l", text)
	}
	if len(keys) > 0 {
		d.tmux(append([]string{"send-keys"}, keys...)...)
	}
}

// decides gives a dialog a key until it is gone: one that has just opened takes
// none, so that nothing typed for the editor answers it.
func (d *desk) decides(title, key string) {
	d.t.Helper()
	asked := time.Now()
	d.types("", key)
	d.until("the end of "+title, func(screen string) bool {
		if !strings.Contains(screen, title) {
			return true
		}
		if time.Since(asked) > 2*time.Second {
			d.types("", key)
			asked = time.Now()
		}
		return false
	})
}

// flags are what the program has switched on in the terminal.
func (d *desk) flags() string {
	d.t.Helper()
	return d.tmux("display-message", "-p", "alternate #{alternate_on} mouse #{mouse_any_flag} cursor #{cursor_flag} keypad #{keypad_cursor_flag}")
}

// modes are the shell's terminal settings.
func (d *desk) modes() string {
	d.t.Helper()
	out, err := exec.Command("stty", "-a", "-F", d.tmux("display-message", "-p", "#{pane_tty}")).Output()
	if err != nil {
		d.t.Fatal(err)
	}
	return string(out)
}

// day is the model of a working day.
const day = `-- turn --
on: say hello
times: always
-- text --
A first answer.
-- turn --
on: approve this
-- call edit --
{"path":"main.go","edits":[{"oldText":"foo","newText":"bar"}]}
-- turn --
on: approve this
-- text --
The edit is made.
-- turn --
on: reject this
-- call edit --
{"path":"main.go","edits":[{"oldText":"bar","newText":"qux"}]}
-- turn --
on: reject this
-- text --
I leave it, then.
-- turn --
on: work long
-- call bash --
{"command":"read line < gate; echo got $line"}
-- turn --
on: steer to the left
-- text --
I steer left.
-- turn --
on: queued for later
-- text --
The queued one came.
-- turn --
on: never end
-- text --
Half an answer
-- delay 1h --
`

// A working day in a terminal, from the first start in a repository to the shell
// afterwards: requirements C-1, C-3 and E-5.
func TestDay(t *testing.T) {
	p := newPlace(t)
	if err := makeRepository(p.dir); err != nil {
		t.Fatal(err)
	}
	p.file("main.go", "package main\n\nvar foo = 1\n")
	if err := os.MkdirAll(filepath.Join(p.dir, ".hoopoe"), 0o755); err != nil {
		t.Fatal(err)
	}
	p.file(".hoopoe/settings.json", "{}\n")
	if out, err := exec.Command("mkfifo", filepath.Join(p.dir, "gate")).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	model := p.script("day", day)
	d := p.sit(80, 24)
	d.sees("shell>")
	flags, modes := d.flags(), d.modes()

	d.types("hoopoe "+model, "Enter")
	d.sees("Trust this folder?", ".hoopoe")
	d.decides("Trust this folder?", "y")
	d.sees("›", "ask · ")

	d.types("say hello", "Enter")
	d.sees("› say hello", "A first answer.")

	d.morning()
	d.noon()
	d.evening()

	d.types("/quit", "Enter")
	d.sees("shell>", "hoopoe --resume", "say hello", "A first answer.")
	if got := d.flags(); got != flags {
		t.Errorf("the terminal has %s, had %s", got, flags)
	}
	if got := strings.ReplaceAll(d.modes(), "rows 45; columns 160", "rows 24; columns 80"); got != modes {
		t.Errorf("the terminal's modes are\n%s\nand were\n%s", got, modes)
	}
}

// morning: an approval, a rejection, and what comes while the model works.
func (d *desk) morning() {
	d.t.Helper()
	d.types("approve this", "Enter")
	d.sees("Allow? Edit main.go", "- var foo = 1", "+ var bar = 1")
	d.decides("Allow?", "y")
	d.sees("The edit is made.")
	if got := d.read("main.go"); !strings.Contains(got, "var bar = 1") {
		d.t.Errorf("after the approval main.go is %q", got)
	}
	d.secondThoughts()

	d.types("reject this", "Enter")
	d.sees("Allow? Edit main.go", "+ var qux = 1")
	d.until("the field for the reason", func(screen string) bool {
		if strings.Contains(screen, "› 5. No, and say why") {
			return true
		}
		d.types("", "Down")
		return false
	})
	d.decides("4. No (n)", "Enter")
	d.sees("What should it do instead?")
	d.types("bar is the right name", "Enter")
	d.sees("I leave it, then.")
	if !strings.Contains(d.read("main.go"), "var bar = 1") {
		d.t.Error("the rejected edit was made")
	}
	if told := d.results(); !strings.Contains(told, "bar is the right name") {
		d.t.Errorf("the model wasn't told the reason: %s", told)
	}

	d.types("work long", "Enter")
	d.sees("Allow this command?", "read line < gate")
	d.decides("Allow this command?", "y")
	d.sees("Esc")
	d.types("steer to the left", "Enter")
	d.sees("steer to the left", "1 queued")
	d.types("queued for later", "Tab")
	d.sees("queued for later", "2 queued")
	if err := os.WriteFile(filepath.Join(d.dir, "gate"), []byte("through\n"), 0); err != nil {
		d.t.Fatal(err)
	}
	d.sees("I steer left.", "The queued one came.")

	d.types("never end", "Enter")
	d.sees("Half an answer")
	d.types("", "Escape")
	d.sees("topped")
}

// secondThoughts: back to before an edit, which leaves the files and what came
// since as they are; another way from there; and back to where it was.
func (d *desk) secondThoughts() {
	d.t.Helper()
	d.types("/rewind", "Enter")
	d.sees("Go back to before", "1. approve this", "2. say hello")
	d.decides("Go back to before", "1")
	d.until("the conversation before the edit, and its message in the prompt", func(screen string) bool {
		return strings.Contains(screen, "A first answer.") && !strings.Contains(screen, "The edit is made.") &&
			strings.Contains(lastPrompt(screen), "approve this")
	})
	if got := d.read("main.go"); !strings.Contains(got, "var bar = 1") {
		d.t.Errorf("going back in the conversation changed main.go: %q", got)
	}
	d.types("", "C-u")
	d.types("say hello otherwise", "Enter")
	d.until("another answer", func(screen string) bool { return strings.Count(screen, "A first answer.") == 2 })

	d.types("/tree", "Enter")
	d.sees("Go on from", "you: approve this", "you: say hello otherwise")
	d.types("edit is")
	d.sees("model: The edit is made.", "1 of 6")
	d.types("", "Enter")
	d.sees("Go on from here?", "as another branch")
	d.decides("Go on from here?", "y")
	d.until("the first branch", func(screen string) bool {
		return strings.Contains(screen, "The edit is made.") && !strings.Contains(screen, "say hello otherwise")
	})
	if told := d.said(); !strings.Contains(told, "approve this") || !strings.Contains(told, "say hello otherwise") {
		d.t.Errorf("the session has lost a branch: %s", told)
	}
}

// lastPrompt is the last row of a screen that begins like a prompt.
func lastPrompt(screen string) string {
	rows := strings.Split(screen, "\n")
	for i := len(rows) - 1; i >= 0; i-- {
		if strings.HasPrefix(rows[i], "›") {
			return rows[i]
		}
	}
	return ""
}

// noon: another branch, the first one again, another look and another model.
func (d *desk) noon() {
	d.t.Helper()
	d.types("/fork", "Enter")
	d.sees("Begin a new session before", "say hello")
	d.decides("Begin a new session before", "Escape")
	d.types("/fork 7", "Enter") // before the first message, which comes into the prompt
	d.until("the first message in the prompt", func(screen string) bool {
		return strings.Contains(screen, "› say hello") && !strings.Contains(screen, "A first answer.")
	})
	d.types(" again", "Enter")
	d.sees("› say hello again", "A first answer.")

	d.types("/resume", "Enter")
	d.sees("Sessions of this folder", "say hello again")
	d.types("", "Down")
	d.decides("Sessions of this folder", "Enter")
	d.sees("Half an answer")

	d.types("/theme", "Enter")
	d.sees("Theme", "Enter keeps it")
	before := d.tmux("capture-pane", "-e", "-p")
	d.types("", "Down", "Down")
	d.until("another look", func(string) bool {
		now := d.tmux("capture-pane", "-e", "-p")
		return colours(now) != colours(before)
	})
	d.decides("Enter keeps it", "Enter")
	d.until("the theme in the settings", func(string) bool {
		files, err := filepath.Glob(filepath.Join(d.home, ".config/hoopoe/*"))
		if err != nil {
			d.t.Fatal(err)
		}
		for _, file := range files {
			if text, _ := os.ReadFile(file); strings.Contains(string(text), `"theme"`) {
				return true
			}
		}
		return false
	})

	d.types("/model", "Enter")
	d.sees("── Model ", "type to filter", "dollars per million tokens")
	d.types("guide")
	d.sees("› guide", "1 of ")
	d.decides("dollars per million tokens", "Enter")
	d.sees("ask · Hoopoe guide")

	d.types("/export day.md", "Enter")
	d.sees("day.md")
	d.until("the exported file", func(string) bool {
		text, err := os.ReadFile(filepath.Join(d.dir, "day.md"))
		return err == nil && strings.Contains(string(text), "I steer left.")
	})
}

// colours are the distinct colour codes of a screen, in their order.
func colours(screen string) string {
	var codes []string
	for part := range strings.SplitSeq(screen, "\x1b[") {
		code, _, ok := strings.Cut(part, "m")
		if ok && !strings.Contains(strings.Join(codes, " "), code) {
			codes = append(codes, code)
		}
	}
	return strings.Join(codes, " ")
}

// evening: the shell in between, and other windows.
func (d *desk) evening() {
	d.t.Helper()
	d.types("half a prompt", "C-z")
	d.sees("shell>")
	d.types("echo between $((6*7))", "Enter")
	d.sees("between 42")
	d.types("fg", "Enter")
	d.sees("› half a prompt")
	d.types("", "C-u")
	for _, size := range [][2]int{{40, 12}, {160, 45}} {
		d.tmux("resize-window", "-x", fmt.Sprint(size[0]), "-y", fmt.Sprint(size[1]))
		d.until("one prompt at the new size", func(screen string) bool {
			rows := strings.Split(screen, "\n")
			return len(rows) == size[1] && strings.Count(screen, "\n›") == 1+strings.Count(screen, "\n› ") && strings.HasPrefix(rows[size[1]-2], "›")
		})
	}
}

// results are the texts that tools gave the model.
func (p *place) results() string { p.t.Helper(); return p.told("toolResult") }

// said is what the user has said, on every branch.
func (p *place) said() string { p.t.Helper(); return p.told("user") }

func (p *place) told(role string) string {
	p.t.Helper()
	var texts []string
	for _, line := range p.lines() {
		if m, ok := line["message"].(map[string]any); ok && m["role"] == role {
			texts = append(texts, fmt.Sprint(m["content"]))
		}
	}
	return strings.Join(texts, "\n")
}
