//go:build unix

package tui

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine"
	"github.com/hoopoe-agent/hoopoe/engine/config"
	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/slash"
)

// door is an engine's session as the chat wants it.
type door struct{ *engine.Session }

func (d door) Commands() slash.Session { return d.Session }

func (d door) Attach(ctx context.Context) (event.View, Stream, error) {
	v, sub, err := d.Session.Attach(ctx, engine.Client{Name: "chat", Shows: []event.QuestionKind{
		event.AskConfirm, event.AskSelect, event.AskInput, event.AskEditor, event.AskPermission}})
	return v, envelopes{sub}, err
}

func (d door) Prompt(ctx context.Context, text, delivery string, images []message.Block) error {
	_, err := d.Session.Prompt(ctx, engine.Input{Text: text, Images: images, Delivery: engine.Delivery(delivery)})
	return err
}

func (d door) Bash(ctx context.Context, command string, hidden bool) error {
	_, err := d.Session.Bash(ctx, engine.BashInput{Command: command, ExcludeFromContext: hidden})
	return err
}

func (d door) Answer(ctx context.Context, id string, a event.Answer) error {
	_, err := d.Session.Answer(ctx, id, a)
	return err
}

func (d door) CycleModel(ctx context.Context) error {
	_, _, err := d.Session.CycleModel(ctx)
	return err
}

type envelopes struct{ *engine.Subscription }

func (e envelopes) Batch(ctx context.Context) ([]event.Envelope, error) {
	items, err := e.Subscription.Batch(ctx)
	batch := make([]event.Envelope, len(items))
	for i, it := range items {
		batch[i] = it.Envelope
	}
	return batch, err
}

// onEngine runs the chat on a real engine in a folder of its own. The script
// is a model's; without one the guide answers.
func onEngine(t *testing.T, script string) (s *screen, folder string, clock *clock) {
	t.Helper()
	home, folder := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "main.go"), []byte("package main\n\nvar x = \"foo\"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"HOOPOE_DIR": home, "HOME": home}
	model := ""
	if script != "" {
		model = filepath.Join(home, "model.script")
		// Without a name of its own it would be called by its path, which may fill the status line.
		if err := os.WriteFile(model, []byte("-- model --\nname: Test model\n"+script), 0o644); err != nil {
			t.Fatal(err)
		}
		model = "script/" + model
	}
	paths, problems := config.FindPaths(config.Places{Getenv: func(name string) string { return env[name] }, Home: func() (string, error) { return home, nil }})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	e := engine.New(engine.Options{
		Paths: paths, Environ: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home},
		Getenv: func(name string) string { return env[name] },
	})
	clock = newClock()
	s = newScreen(t, 90, 36)
	s.run(Options{
		Cwd: folder, Now: clock.now, Commands: slash.Builtins(slash.Options{Now: time.Now}),
		Open: func(ctx context.Context) (Session, []string, error) {
			session, notices, err := e.Open(ctx, engine.OpenOptions{Cwd: folder, Model: model, Dialogs: true})
			if err != nil {
				return nil, notices, err
			}
			return door{session}, notices, nil
		},
	})
	s.see("context 0%") // the session is open; before raw mode Enter would be a line feed
	return s, folder, clock
}

// The whole road: a prompt, the guide's calls, an approval, the file.
func TestGuideEditsAfterApproval(t *testing.T) {
	for _, c := range []struct{ name, key, file, end string }{
		{"allowed", "y", `var x = "bar"`, "✓ Edit main.go  +1 -1"},
		{"denied", "n", `var x = "foo"`, "⊘ Edit main.go  denied"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, folder, clock := onEngine(t, "")
			s.typed("replace foo with bar in main.go\r")
			s.see("› replace foo with bar in main.go", "✓ Read main.go", "Allow? Edit main.go", "needs your approval")
			clock.add(time.Second)
			s.typed(c.key)
			s.see(c.end)
			s.gone("Working")
			got, err := os.ReadFile(filepath.Join(folder, "main.go"))
			if err != nil || !strings.Contains(string(got), c.file) {
				t.Errorf("main.go holds %q (%v)", got, err)
			}
			s.typed("\x04")
			if code := s.ended(); code != 0 {
				t.Errorf("exit %d", code)
			}
		})
	}
}

const longAnswer = `
-- turn --
on: talk
-- thinking piece=10 --
I think about it.
-- text piece=20 repeat=3000 delay=5ms --
Words without end. 
-- turn --
times: always
-- text --
Back to *work*.
`

// A message sent while an answer streams steers; Esc stops the answer and
// brings what waits back into the editor.
func TestSteerAndStopOnEngine(t *testing.T) {
	s, _, _ := onEngine(t, longAnswer)
	s.typed("talk\r")
	s.see("Words without end. Words", "Thought")
	s.typed("one more thing\r")
	s.see("next: one more thing")
	s.typed("\x1b")
	s.see("Stopped.", "› one more thing")
	s.gone("next: one more thing")
	s.typed("\r")
	s.see("Back to work.")
}

// Commands through the registry: each of these changes what is on the screen.
func TestCommandsOnEngine(t *testing.T) {
	s, folder, _ := onEngine(t, longAnswer)
	s.typed("first\r")
	s.see("Back to work.")
	s.typed("/name demo run\r")
	s.titled("hoopoe · demo run")
	s.typed("/permissions edit\r")
	s.see("edit · ")
	s.typed("/export out.md\r")
	s.wait("export", func() bool { _, err := os.Stat(filepath.Join(folder, "out.md")); return err == nil })
	s.typed("/tools\r")
	s.see("grep", "todo")
	s.typed("!echo from the shell\r")
	s.see("✓ $ echo from the shell", "│ from the shell")
	s.typed("/new\r")
	s.see("A fresh session")
	s.gone("Back to work.")
	s.typed("/model\r")
	s.see("── Model ")
	s.typed("\x1b")
	s.gone("── Model ")
	s.typed("/help\r")
	s.see("/compact")
}
