package acp

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine"
)

// buffers is an editor that has files open, unsaved.
type buffers struct {
	mu      sync.Mutex
	text    map[string]string
	reads   []string
	writes  map[string]string
	refuses bool
}

func (b *buffers) answer(l line) string {
	var p struct{ Path, Content string }
	_ = json.Unmarshal(l.Params, &p)
	b.mu.Lock()
	defer b.mu.Unlock()
	switch l.Method {
	case "fs/read_text_file":
		b.reads = append(b.reads, filepath.Base(p.Path))
		text, ok := b.text[p.Path]
		if !ok {
			return `error:{"code":-32002,"message":"Resource not found"}`
		}
		return fmt.Sprintf(`{"content":%q}`, text)
	case "fs/write_text_file":
		if b.refuses {
			return `error:{"code":-32603,"message":"read-only"}`
		}
		b.writes[p.Path], b.text[p.Path] = p.Content, p.Content
		return `null` // as some do
	case "session/request_permission":
		return `{"outcome":{"outcome":"selected","optionId":"allow"}}`
	}
	return ""
}

const readsAndWrites = `{"fs":{"readTextFile":true,"writeTextFile":true}}`

// Cases 64, 68, 69: what is unsaved is read, edits go through the editor, new
// files too, and what it doesn't know comes from the disk.
func TestEditorFiles(t *testing.T) {
	script := once(
		calling("read", `{"path":"open.txt"}`)+"\n"+calling("read", `{"path":"closed.txt"}`)+"\n"+calling("read", `{"path":"pic.bin"}`)+"\n"+calling("read", `{"path":"fresh.txt"}`),
		calling("edit", `{"path":"open.txt","oldText":"unsaved","newText":"edited"}`)+"\n"+calling("write", `{"path":"new.txt","content":"new\n"}`),
		"-- text --\ndone")
	c := connect(t, script, setup{caps: readsAndWrites})
	b := &buffers{text: map[string]string{}, writes: map[string]string{}}
	b.text[c.write("open.txt", "saved\n")] = "unsaved\n"
	b.text[filepath.Join(c.dir, "fresh.txt")] = "never saved\n"
	c.write("closed.txt", "on disk\n")
	c.write("pic.bin", "\x00\x01")
	c.answers(b.answer)
	id := c.open()
	if stop := c.turn(id, "go"); stop != "end_turn" {
		t.Fatal(stop)
	}
	var outputs string
	for _, u := range c.updates(id, "tool_call_update") {
		outputs += string(u.RawOutput)
	}
	for _, want := range []string{"unsaved", "on disk", "never saved"} {
		if !strings.Contains(outputs, want) {
			t.Errorf("no read gave %q: %s", want, outputs)
		}
	}
	open, made := filepath.Join(c.dir, "open.txt"), filepath.Join(c.dir, "new.txt")
	if b.writes[open] != "edited\n" || b.writes[made] != "new\n" {
		t.Errorf("the editor was given %q", b.writes)
	}
	if data, err := os.ReadFile(open); err != nil || string(data) != "saved\n" {
		t.Errorf("the disk has %q, %v: saving is the editor's", data, err)
	}
	shown := c.updated(id, func(u update) bool {
		list := u.contents()
		return u.Status == "completed" && len(list) == 1 && list[0].Type == "diff" && list[0].Path == open
	}).contents()[0]
	if shown.OldText == nil || *shown.OldText != "unsaved\n" || shown.NewText != "edited\n" {
		t.Errorf("the change shown is %+v", shown)
	}
	for _, name := range b.reads {
		if name == "pic.bin" {
			t.Error("a file that is no text was read from the editor")
		}
	}
}

// Without the offer nothing is asked of the editor.
func TestNoEditorFiles(t *testing.T) {
	c := connect(t, once(calling("write", `{"path":"a.txt","content":"x"}`), "-- text --\ndone"), setup{open: engine.OpenOptions{Mode: "full"}})
	id := c.open()
	c.turn(id, "go")
	for _, l := range c.all() {
		if len(l.ID) > 0 && l.Method != "" {
			t.Errorf("asked: %s", l.raw)
		}
	}
	if data, err := os.ReadFile(filepath.Join(c.dir, "a.txt")); err != nil || string(data) != "x" {
		t.Errorf("%q, %v", data, err)
	}
}

// What an editor refuses to write fails, unless the file is a new one.
func TestEditorRefuses(t *testing.T) {
	c := connect(t, once(calling("write", `{"path":"new.txt","content":"new\n"}`)+"\n"+calling("write", `{"path":"old.txt","content":"x\n"}`), "-- text --\ndone"), setup{caps: readsAndWrites})
	b := &buffers{text: map[string]string{}, writes: map[string]string{}, refuses: true}
	c.write("old.txt", "old\n")
	c.answers(b.answer)
	id := c.open()
	c.turn(id, "go")
	u := c.updated(id, func(u update) bool { return u.Status == "failed" })
	if !strings.Contains(string(u.RawOutput), "read-only") {
		t.Errorf("the model is told %s", u.RawOutput)
	}
	if data, err := os.ReadFile(filepath.Join(c.dir, "new.txt")); err != nil || string(data) != "new\n" {
		t.Errorf("the new file: %q, %v", data, err)
	}
}

// A file that a command has changed is read from the disk.
func TestAfterCommand(t *testing.T) {
	script := once(calling("read", `{"path":"a.txt"}`), calling("bash", `{"command":"echo changed > a.txt"}`), calling("read", `{"path":"a.txt"}`), "-- text --\ndone")
	c := connect(t, script, setup{caps: readsAndWrites})
	b := &buffers{text: map[string]string{}, writes: map[string]string{}}
	b.text[c.write("a.txt", "old\n")] = "stale\n"
	c.answers(b.answer)
	id := c.open()
	c.turn(id, "go")
	c.updated(id, func(u update) bool { return strings.Contains(string(u.RawOutput), "stale") })
	c.updated(id, func(u update) bool { return strings.Contains(string(u.RawOutput), "changed") })
}

// Commands run in the editor's terminals where it has some, which are released
// in the end.
func TestEditorTerminal(t *testing.T) {
	script := once(calling("bash", `{"command":"make it"}`), "-- text --\ndone")
	for _, p := range []struct{ name, exit, status string }{{"succeeds", "0", "completed"}, {"fails", "2", "failed"}} {
		t.Run(p.name, func(t *testing.T) {
			c := connect(t, script, setup{open: engine.OpenOptions{Mode: "full"}, caps: `{"terminal":true}`})
			var mu sync.Mutex
			var asked []string
			c.answers(func(l line) string {
				mu.Lock()
				asked = append(asked, l.Method)
				mu.Unlock()
				switch l.Method {
				case "terminal/create":
					return `{"terminalId":"t1"}`
				case "terminal/wait_for_exit":
					return `{"exitCode":` + p.exit + `,"signal":null}`
				case "terminal/output":
					return `{"output":"made it\n","truncated":false,"exitStatus":{"exitCode":` + p.exit + `}}`
				}
				return "{}"
			})
			id := c.open()
			if stop := c.turn(id, "go"); stop != "end_turn" {
				t.Fatal(stop)
			}
			u := c.updated(id, func(u update) bool { return u.Status == p.status })
			if list := u.contents(); len(list) != 1 || list[0].TerminalID != "t1" || !strings.Contains(string(u.RawOutput), "made it") {
				t.Errorf("the end %+v, %s", list, u.RawOutput)
			}
			mu.Lock()
			defer mu.Unlock()
			if got := strings.Join(asked, " "); got != "terminal/create terminal/wait_for_exit terminal/output terminal/release" {
				t.Errorf("asked %s", got)
			}
		})
	}
	t.Run("cancelled", func(t *testing.T) {
		c := connect(t, script, setup{open: engine.OpenOptions{Mode: "full"}, caps: `{"terminal":true}`})
		c.answers(func(l line) string {
			switch l.Method {
			case "terminal/create":
				return `{"terminalId":"t1"}`
			case "terminal/wait_for_exit":
				return ""
			case "terminal/output":
				return `{"output":"half","truncated":false}`
			}
			return "{}"
		})
		id := c.open()
		prompt := c.ask(id, "go")
		c.asked("terminal/wait_for_exit")
		c.notify("session/cancel", `{"sessionId":%q}`, id)
		if stop := c.stop(prompt); stop != "cancelled" {
			t.Error(stop)
		}
		c.asked("terminal/kill")
		c.asked("terminal/release")
	})
	t.Run("none to be had", func(t *testing.T) {
		c := connect(t, once(calling("bash", `{"command":"echo by ourselves"}`), "-- text --\ndone"), setup{open: engine.OpenOptions{Mode: "full"}, caps: `{"terminal":true}`})
		c.answers(func(line) string { return `error:{"code":-32603,"message":"no"}` })
		id := c.open()
		c.turn(id, "go")
		c.updated(id, func(u update) bool { return strings.Contains(string(u.RawOutput), "by ourselves") })
	})
}

// Unified diffs give the whole texts back, from before and from after.
func TestWhole(t *testing.T) {
	const diff = "--- a\n+++ a\n@@ -1,3 +1,3 @@\n one\n-two\n+three\n four\n@@ -6,1 +6,2 @@\n six\n+seven\n\\ No newline at end of file\n"
	const before, after = "one\ntwo\nfour\nx\ny\nsix\n", "one\nthree\nfour\nx\ny\nsix\nseven"
	for _, text := range []string{before, after} {
		b, a, ok := whole(diff, text)
		if !ok || b != before || a != after {
			t.Errorf("from %q: %q, %q, %v", text, b, a, ok)
		}
	}
	if _, _, ok := whole(diff, "something else\n"); ok {
		t.Error("a text that the change isn't of fits")
	}
	if list := diffs("/a", diff, func(string) (string, bool) { return "", false }); len(list) != 2 || *list[0].OldText != "one\ntwo\nfour\n" {
		t.Errorf("the pieces %+v", list)
	}
}

func FuzzWhole(f *testing.F) {
	f.Add("@@ -1 +1 @@\n-a\n+b\n", "a\n")
	f.Add("@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file\n", "")
	f.Add("@@ -9,-1 +x @@\n", "a")
	f.Fuzz(func(_ *testing.T, diff, text string) {
		whole(diff, text)
		diffs("/a", diff, func(string) (string, bool) { return text, true })
	})
}
