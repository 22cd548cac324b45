package tui

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine"
	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/llm/catalog"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/permission"
	"github.com/hoopoe-agent/hoopoe/engine/session"
	"github.com/hoopoe-agent/hoopoe/slash"
	"github.com/hoopoe-agent/hoopoe/themes"
)

// told is a session for commands that answers from memory.
type told struct {
	slash.Session
	fake   *fakeSession
	offers []engine.Offer
	roots  []*session.TreeNode
	leaf   string
}

func (s *told) Offers(string) []engine.Offer { return s.offers }

func (s *told) Tree(context.Context) ([]*session.TreeNode, string, error) {
	return s.roots, s.leaf, nil
}

func (s *told) View(context.Context) (event.View, error) {
	s.fake.mu.Lock()
	defer s.fake.mu.Unlock()
	return s.fake.view, nil
}

func (s *told) Rename(_ context.Context, name string) error {
	s.fake.note("rename " + name)
	return nil
}

func (s *told) SetThinking(_ context.Context, level llm.Level) (llm.Level, error) {
	s.fake.note("thinking " + string(level))
	return level, nil
}

// shelf is a folder of saved sessions.
type shelf struct {
	saved []session.Summary
	fake  *fakeSession
}

func (s *shelf) List(_ context.Context, all bool) ([]session.Summary, error) {
	if all {
		return s.saved, nil
	}
	return slices.DeleteFunc(slices.Clone(s.saved), func(o session.Summary) bool { return o.Cwd != s.saved[0].Cwd }), nil
}

func (s *shelf) Rename(_ context.Context, path, name string) error {
	s.fake.note("rename " + path + " " + name)
	return nil
}

func (s *shelf) Delete(_ context.Context, path string) error {
	s.fake.note("delete " + path)
	s.saved = slices.DeleteFunc(s.saved, func(o session.Summary) bool { return o.Path == path })
	return nil
}

// palette has the built-in theme under three names.
type palette [2]string

func (p palette) Names() []string { return []string{"hoopoe", p[0], p[1]} }
func (palette) Find(name string) (themes.Theme, error) {
	t, err := themes.Load(themes.Default)
	t.Name = name
	return t, err
}

var testTime = time.Unix(1_800_000_000, 0)

func node(id, parent string, role message.Role, text string, then ...*session.TreeNode) *session.TreeNode {
	m := message.Message{ID: id, Role: role, Content: []message.Block{message.TextOf(text)}}
	if role == message.ToolResult {
		m.ToolName = "read"
	}
	return &session.TreeNode{Entry: session.Entry{Type: session.TypeMessage, ID: id, ParentID: parent, Message: &m, Timestamp: testTime.Add(-time.Hour)}, Children: then}
}

func branchesFixture(w tongue) []*session.TreeNode {
	said := w.said
	labelled := node("e", "b", message.User, said[5], node("f", "e", message.Assistant, said[6]))
	labelled.Label = w.label
	return []*session.TreeNode{node("a", "", message.User, said[0],
		node("b", "a", message.Assistant, said[1],
			node("c", "b", message.User, said[2],
				node("t", "c", message.ToolResult, said[3],
					node("d", "t", message.Assistant, said[4]))),
			labelled,
			node("g", "b", message.User, said[7], node("h", "g", message.Assistant, said[8]),
				node("i", "g", message.Assistant, strings.Repeat(said[6]+" ", 30)))))}
}

func savedFixture(fake *fakeSession, w tongue) *shelf {
	at := func(d time.Duration) time.Time { return testTime.Add(-d) }
	return &shelf{fake: fake, saved: []session.Summary{
		{Path: "/s/x.jsonl", ID: "0199a3c2-test", Cwd: w.folder, Name: w.named, Title: w.titles[0], Messages: 12, Modified: at(time.Minute)},
		{Path: "/s/y.jsonl", ID: "0199a3c2-4b5d-7e6f-8a9b-0c1d2e3f4a5b", Cwd: w.folder, Title: w.titles[1], Messages: 1400, More: true, Modified: at(3 * time.Hour)},
		{Path: "/s/z.jsonl", ID: "0199a3c2-7e6f-7a8b-9c0d-1e2f3a4b5c6d", Cwd: w.other, Title: w.titles[2], Messages: 3, Modified: at(50 * time.Hour)},
		{Path: "/s/w.jsonl", ID: "0199a3c2-bad", Cwd: w.folder, Title: "a\x1b]52;c;aGk=\x07b\u202ec", Messages: 1, Modified: at(400 * time.Hour)},
	}}
}

func offersFixture(w tongue) []engine.Offer {
	return []engine.Offer{
		{Model: llm.Model{Provider: "anthropic", ID: "claude-sonnet-with-a-long-name", Name: "Claude Sonnet", ContextWindow: 200_000, Cost: llm.Price{Input: 3, Output: 15}}},
		{Model: llm.Model{Provider: "anthropic", ID: "claude-haiku", ContextWindow: 1_050_000, Cost: llm.Price{Input: 0.25, Output: 1.25}}},
		{Model: llm.Model{Provider: w.model[0], ID: w.model[1], Name: w.model[2], ContextWindow: 8192}, Note: w.model[3]},
		{Model: llm.Model{Provider: "offline", ID: "guide", Name: "Guide", ContextWindow: 100_000}},
		{Model: llm.Model{Provider: "groq", ID: "llama", ContextWindow: 128_000, Cost: llm.Price{Input: 0.05, Output: 0.08}}, Err: &catalog.MissingKeyError{Model: llm.Model{Provider: "groq", ID: "llama"}, KeyEnv: "GROQ_API_KEY"}},
	}
}

func rulesFixture(w tongue) []permission.Rule {
	return []permission.Rule{
		{Tool: "bash", Pattern: "rm *", Action: permission.Deny, Source: permission.FromSettings},
		{Tool: "bash", Pattern: "git status", Action: permission.Allow, Source: permission.FromSaved},
		{Tool: "edit", Pattern: w.rules[0], Action: permission.Allow, Source: permission.FromSession},
		{Tool: "read", Pattern: w.rules[1], Action: permission.Ask, Source: permission.FromSettings},
	}
}

func filesFixture(w tongue) []Setting {
	return []Setting{
		{Key: "theme", Value: `"hoopoe"`, From: "/home/dev/.config/hoopoe/settings.json"},
		{Key: "retry.enabled", Value: "true", From: w.folder + "/.hoopoe/settings.json"},
		{Key: "todo.enabled", Value: "true", About: "give the model a task list"},
		{Key: "shellPath", Value: `"` + w.shell + `"`, From: "/home/dev/.config/hoopoe/settings.json", About: "the shell of the bash tool"},
	}
}

// panelApp is an app with everything that panels can show. Commands that the
// panels return are run at once.
func panelApp(t testing.TB, width, height int) (*app, *fakeSession) {
	return mixed.panelApp(t, width, height)
}

func (w tongue) panelApp(t testing.TB, width, height int) (*app, *fakeSession) {
	fake := newFake()
	fake.view.Cwd = w.folder
	a := attachedApp(t, width, height, fake.view)
	fake.Session = &told{fake: fake, offers: offersFixture(w), roots: branchesFixture(w), leaf: "d"}
	fake.rules = rulesFixture(w)
	a.session = fake
	a.o.Sessions, a.o.Themes = savedFixture(fake, w), palette(w.themes)
	a.o.Save = func(_ context.Context, key string, value any) error {
		fake.note(fmt.Sprintf("save %s %v", key, value))
		return nil
	}
	a.o.Environ = []string{"HOME=/home/dev"}
	a.o.Settings = func(context.Context) ([]Setting, error) { return filesFixture(w), nil }
	a.view.Model.Levels, a.view.SteeringMode, a.view.FollowUpMode, a.view.InterruptMode = []string{"off", "low", "high"}, "one-at-a-time", "all", "wait"
	return a, fake
}
