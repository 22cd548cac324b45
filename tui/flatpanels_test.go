//go:build unix

package tui

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/slash"
)

// flatPanels is a chat in lines on a terminal, with all that the panels list.
func flatPanels(t *testing.T) (*screen, *fakeSession) {
	a, _ := panelApp(t, 80, 24)
	return flatPanelsWith(t, a.o.Settings)
}

func flatPanelsWith(t *testing.T, settings func(context.Context) ([]Setting, error)) (*screen, *fakeSession) {
	s, f := newScreen(t, 100, 60), newFake()
	a, fake := panelApp(t, 80, 24)
	f.Session, f.rules = fake.Session, fake.rules
	f.Session.(*told).fake = f
	f.view.Model.Levels, f.view.Mode = []string{"off", "low", "high"}, "ask"
	shelf := savedFixture(f, mixed)
	noted := func(name string) slash.Command {
		return slash.Command{Name: name, Summary: "A command", Run: func(_ context.Context, c slash.Call) (slash.Result, error) {
			f.note("ran /" + name + " " + c.Args)
			return slash.Result{Handled: true, Reply: "done " + name}, nil
		}}
	}
	s.run(Options{
		Environ: []string{"TERM=dumb", "HOME=/home/dev"}, Theme: a.o.Theme, Themes: palette(mixed.themes), Sessions: shelf, Settings: settings, Now: a.o.Now,
		Commands: slash.New(noted("model"), noted("resume"), noted("permissions"), noted("tree")),
		Save: func(_ context.Context, key string, value any) error {
			f.note(fmt.Sprintf("save %s %v", key, value))
			return nil
		},
		Open: func(context.Context) (Session, []string, error) { return f, nil, nil },
	})
	s.wait("start", f.did("start"))
	return s, f
}

// Every panel of the chat is a numbered list on a terminal that has lines alone:
// answered by a number or text, without an escape sequence.
func TestFlatPanels(t *testing.T) {
	type step struct {
		line string
		sees []string
	}
	for _, c := range []struct {
		name  string
		steps []step
		did   string
	}{
		{"model", []step{{"/model", []string{"? Model (context", "anthropic:", "1. claude-sonnet-with-a-long-name, 200k, 3.00, 15.00, Claude Sonnet", "3. 通义千问, 8k, نموذج محلي"}}, {"通义", []string{"1. 通义千问", "* shows all"}}, {"1", []string{"done model"}}}, "ran /model 本地/通义千问"},
		{"model without a key", []step{{"/models", []string{"groq · no key: GROQ_API_KEY:", "5. llama"}}, {"5", []string{"GROQ_API_KEY"}}, {"0", nil}}, ""},
		{"resume", []step{{"/resume", []string{"? Sessions of this folder", "1. today's work, 1m ago, 12 msg (current)", "2. 请把所有的 foo", "name 3 TEXT names one"}}, {"2", []string{"done resume"}}}, "ran /resume /s/y.jsonl"},
		{"resume of another folder", []step{{"/sessions", []string{"all shows those of all folders"}}, {"all", []string{"? Sessions of all folders", "شغّل الأمر"}}, {"3", []string{"done resume"}}}, "ran /resume /s/z.jsonl"},
		{"name a session", []step{{"/resume", []string{"2. "}}, {"name 2 新的名字", []string{"? Sessions of this folder"}}}, "rename /s/y.jsonl 新的名字"},
		{"name this session", []step{{"/resume", []string{"2. "}}, {"name 1 mine", []string{"? Sessions of this folder"}}}, "rename mine"},
		{"delete a session", []step{{"/resume", []string{"3. abc"}}, {"delete 3", []string{"? Delete abc?", "1. No", "2. Yes"}}, {"2", []string{"? Sessions of this folder"}}}, "delete /s/w.jsonl"},
		{"not this session", []step{{"/resume", []string{"1. "}}, {"delete 1", []string{"/new leaves it first"}}, {"0", nil}}, ""},
		{"tree", []step{{"/tree", []string{"? Go on from: what was said", "1. you: replace foo with bar everywhere", "you: 改用 baz", "model: 好的，现在改用 baz。, 1h ago (current)"}}, {"foo with", []string{"1. you: replace foo"}}, {"1", []string{"as another branch", "1. Yes", "2. Yes, and tell the model in short"}}, {"1", []string{"To send again", "the text of a"}}}, "move a false"},
		{"tree with what matters", []step{{"/tree", []string{"1. you:"}}, {"1", []string{"as another branch"}}, {"3", []string{"Write behind the number"}}, {"3 the names", []string{"To send again", "the text of a"}}}, "move a true the names"},
		{"label", []step{{"/tree", []string{"1. you:"}}, {"label 1 بداية", []string{"? Go on from"}}}, "label a بداية"},
		{"other entries", []step{{"/tree", []string{"show lists your messages"}}, {"show", []string{"? Go on from: your messages", "show lists labels"}}, {"0", nil}}, ""},
		{"settings", []step{{"/settings", []string{"? Settings", "1. Theme, hoopoe", "   The colours", "from ~/.config/hoopoe/settings.json", "3. Vim keys, off"}}, {"vim", []string{"1. Vim keys, off"}}, {"1", []string{"3. Vim keys, on"}}}, "save tui.vim true"},
		{"settings with more values", []step{{"/settings", []string{"? Settings"}}, {"theme", []string{"1. Theme"}}, {"1", []string{"? Theme", "2. زمردي"}}, {"2", []string{"1. Theme, زمردي"}}}, "save theme زمردي"},
		{"settings of the session", []step{{"/settings", []string{"? Settings"}}, {"thinking", []string{"1. Thinking"}}, {"1", []string{"? Thinking", "3. high"}}, {"3", []string{"? Settings"}}}, "thinking high"},
		{"settings of the files", []step{{"/settings", []string{"? Settings"}}, {"shell", []string{"1. shellPath, /opt/外壳/bash"}}, {"1 /bin/my sh", []string{"Saved; it holds from the next start on.", "? Settings"}}}, "save shellPath /bin/my sh"},
		{"theme", []step{{"/theme", []string{"? Theme", "1. hoopoe (current)", "3. 水墨"}}, {"3", nil}}, "save theme 水墨"},
		{"mode", []step{{"/permissions", []string{"Without asking:", "2. ask, reads in the workspace; asks before edits and commands (current)"}}, {"4", []string{"done permissions"}}}, "ran /permissions full"},
		{"rule", []step{{"/permissions", []string{"6. bash(git status), allow", "remove 5 takes a saved rule back"}}, {"remove 6", []string{"? Permissions"}}}, "remove bash(git status)"},
		{"not a rule of the settings", []step{{"/permissions", []string{"7. bash(rm *)"}}, {"remove 7", []string{"Only rules that an answer has made"}}, {"7", []string{"It stands in the settings"}}, {"0", nil}}, ""},
		{"a command leaves the list", []step{{"/model", []string{"? Model"}}, {"/tree x", []string{"done tree"}}}, "ran /tree x"},
		{"help", []step{{"/help", []string{"/settings", "/theme", "/resume"}}}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, f := flatPanels(t)
			for _, step := range c.steps {
				s.typed(step.line + "\n")
				s.see(step.sees...)
			}
			if c.did != "" {
				s.wait(c.did, f.did(c.did))
			}
			s.typed("after\n")
			if len(c.steps) == 0 || c.steps[len(c.steps)-1].line == "0" {
				s.wait("a message", f.did(":after"))
			}
			if out := string(s.written()); strings.ContainsAny(out, "\x1b\a\u202e") {
				t.Errorf("controls in %q", out)
			}
		})
	}
}

// A question comes before the list, which is there again afterwards.
func TestFlatQuestionBeforeList(t *testing.T) {
	s, f := flatPanels(t)
	s.typed("/theme\n")
	s.see("3. 水墨")
	f.publish(edit("q1")...)
	s.see("4. No")
	s.typed("yes\n")
	s.wait("answer", func() bool { a, _ := f.answered("q1"); return a.Choice == event.Once })
	s.wait("the list again", func() bool { return strings.Count(s.text(), "3. 水墨") == 2 })
	s.typed("3\n")
	s.wait("theme", f.did("save theme 水墨"))
}

// Answers in words, and from a long list.
func TestFlatAnswers(t *testing.T) {
	var many []string
	for i := range 40 {
		many = append(many, fmt.Sprintf("服务器 %d", i))
	}
	for _, c := range []struct {
		name  string
		q     event.Question
		lines []string
		want  event.Answer
	}{
		{"yes", event.Question{Kind: event.AskConfirm, Title: "Sure?"}, []string{"YES"}, event.Answer{Confirmed: true}},
		{"n", event.Question{Kind: event.AskConfirm, Title: "Sure?"}, []string{"perhaps", "n"}, event.Answer{}},
		{"the text of an option", event.Question{Kind: event.AskSelect, Title: "Where?", Options: []string{"here", "هناك"}}, []string{"هناك"}, event.Answer{Value: "هناك"}},
		{"from the second page", event.Question{Kind: event.AskSelect, Title: "Where?", Options: many}, []string{"", "17"}, event.Answer{Value: "服务器 16"}},
		{"filtered", event.Question{Kind: event.AskSelect, Title: "Where?", Options: many}, []string{"39", "0x", "器 38", "1"}, event.Answer{Value: "服务器 38"}},
		{"none of many", event.Question{Kind: event.AskSelect, Title: "Where?", Options: many}, []string{"0"}, event.Answer{Cancelled: true}},
		{"text", event.Question{Kind: event.AskInput, Title: "Name?", Prefill: "旧名"}, []string{"12"}, event.Answer{Value: "12"}},
		{"deny in a word", event.Question{Kind: event.AskPermission, Title: "Edit", Permission: &event.PermissionRequest{Rules: []string{"edit(x)"}}}, []string{"no"}, event.Answer{Choice: event.Deny}},
		{"deny with a reason", event.Question{Kind: event.AskPermission, Title: "Edit"}, []string{"not there"}, event.Answer{Choice: event.Deny, Reason: "not there"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, f := flatPanels(t)
			c.q.ID = "q"
			f.publish(event.AskOpened{Question: c.q})
			s.see("? " + c.q.Title)
			for _, line := range c.lines {
				s.typed(line + "\n")
			}
			s.wait("answer", func() bool { a, ok := f.answered("q"); return ok && a == c.want })
		})
	}
}

// A secret isn't shown while it is typed; afterwards what is typed is.
func TestFlatSecret(t *testing.T) {
	s, f := flatPanels(t)
	f.publish(event.AskOpened{Question: event.Question{ID: "q", Kind: event.AskInput, Title: "Key?", Secret: true}})
	s.see("? Key?")
	s.settle()
	s.typed("sk-secret\n")
	s.wait("answer", func() bool { a, _ := f.answered("q"); return a.Value == "sk-secret" })
	s.typed("seen again\n")
	s.see("seen again")
	if strings.Contains(string(s.written()), "sk-secret") {
		t.Error("the secret was shown")
	}
}
