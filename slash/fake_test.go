package slash_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine"
	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/llm/catalog"
	"github.com/hoopoe-agent/hoopoe/engine/mcp"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/prompt"
	"github.com/hoopoe-agent/hoopoe/engine/session"
	"github.com/hoopoe-agent/hoopoe/slash"
)

// now is the time of every test.
var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// fakeSession records what a command did. It answers questions with the
// option that pick returns.
type fakeSession struct {
	view      event.View
	did       []string
	asked     []event.Question
	pick      func(event.Question) (event.Answer, bool)
	cancelled bool
	fail      error
	skills    []prompt.Skill
	agents    []prompt.Agent
	tasks     []engine.Task
	templates []prompt.Template
	servers   []mcp.Status
	prompts   []mcp.Prompt
	extended  []engine.ExtensionCommand
	loading   []engine.ExtensionCommand // known once they were waited for
	plugged   []engine.Extension
	diff      string
	untracked []string
	// The agent's name and what it says of itself.
	agent, about string
}

func (f *fakeSession) Extensions() []engine.Extension               { return f.plugged }
func (f *fakeSession) ExtensionCommands() []engine.ExtensionCommand { return f.extended }
func (f *fakeSession) AwaitExtensions(context.Context) {
	f.extended, f.loading = append(f.extended, f.loading...), nil
}
func (f *fakeSession) ReloadExtensions(context.Context) (int, error) {
	return len(f.plugged), f.do("reload extensions")
}

func (f *fakeSession) do(format string, args ...any) error {
	f.did = append(f.did, fmt.Sprintf(format, args...))
	return f.fail
}

// Offers are two models that can be used and two that can't.
func (f *fakeSession) Offers(search string) []engine.Offer {
	var found []engine.Offer
	for _, o := range []engine.Offer{
		{Model: llm.Model{Provider: "anthropic", ID: "large", ContextWindow: 1_050_000, Cost: llm.Price{Input: 2.5, Output: 10}, Reasoning: true, Levels: []llm.Level{llm.Low}}},
		{Model: llm.Model{Provider: "offline", ID: "guide", ContextWindow: 8192}, Note: "a\x1b[2J note"},
		{Model: llm.Model{Provider: "groq", ID: "larger"}, Err: &catalog.MissingKeyError{KeyEnv: "GROQ_API_KEY"}},
		{Model: llm.Model{Provider: "groq", ID: "lesser"}, Err: &catalog.MissingKeyError{KeyEnv: "GROQ_API_KEY"}},
	} {
		if strings.Contains(o.Ref(), strings.ToLower(search)) {
			found = append(found, o)
		}
	}
	return found
}

func (f *fakeSession) SetModel(_ context.Context, pattern string) (llm.Model, error) {
	for _, o := range f.Offers("") {
		if o.Ref() == pattern && o.Err != nil {
			return llm.Model{}, o.Err
		}
		if o.Ref() == pattern {
			return o.Model, f.do("model %s", pattern)
		}
	}
	return llm.Model{}, fmt.Errorf("unknown model %q", pattern)
}

func (f *fakeSession) SetThinking(_ context.Context, level llm.Level) (llm.Level, error) {
	if level == llm.XHigh {
		level = llm.High
	}
	return level, f.do("thinking %s", level)
}

func (f *fakeSession) SetMode(_ context.Context, mode string) error {
	if mode == "wild" {
		return errors.New("unknown permission mode")
	}
	return f.do("mode %s", mode)
}

func (f *fakeSession) NewDocument(context.Context, engine.NewDocumentOptions) (bool, error) {
	return f.cancelled, f.do("new")
}

func (f *fakeSession) Switch(_ context.Context, path string) (bool, error) {
	return f.cancelled, f.do("switch %s", path)
}

func (f *fakeSession) Rename(_ context.Context, name string) error {
	f.view.Name = name
	return f.do("name %s", name)
}

func (f *fakeSession) Compact(_ context.Context, text string) (event.CompactionResult, error) {
	return event.CompactionResult{TokensBefore: 900}, f.do("compact %q", text)
}

func (f *fakeSession) Export(_ context.Context, path string) (string, error) {
	if path == "" {
		path = "session.html"
	}
	return path, f.do("export %s", path)
}

func (f *fakeSession) View(context.Context) (event.View, error) { return f.view, nil }

func (f *fakeSession) Agent() (string, string) { return f.agent, f.about }

func (f *fakeSession) Tools() []llm.ToolSpec {
	return []llm.ToolSpec{{Name: "read", Description: "Read a file.\nMore."}, {Name: "bash", Description: "Run a command."}}
}

func (f *fakeSession) Skills() []prompt.Skill { return f.skills }
func (f *fakeSession) Agents() []prompt.Agent { return f.agents }
func (f *fakeSession) Tasks() []engine.Task   { return f.tasks }
func (f *fakeSession) StopTask(call string) bool {
	return f.do("stop %s", call) == nil && call != "gone"
}
func (f *fakeSession) Templates() []prompt.Template { return f.templates }
func (f *fakeSession) Reload()                      { _ = f.do("reload") }

func (f *fakeSession) Servers() []mcp.Status       { return f.servers }
func (f *fakeSession) ServerPrompts() []mcp.Prompt { return f.prompts }

func (f *fakeSession) RestartServer(_ context.Context, name string) error {
	return f.do("restart %s", name)
}

func (f *fakeSession) EnableServer(_ context.Context, name string) error {
	return f.do("enable %s", name)
}

func (f *fakeSession) DisableServer(name string) error { return f.do("disable %s", name) }

func (f *fakeSession) ServerPrompt(_ context.Context, p mcp.Prompt, arguments string) (string, error) {
	return p.Server + " " + p.Name + " " + arguments, f.do("prompt %s", p.Command)
}

func (f *fakeSession) Ask(_ context.Context, q event.Question) (event.Answer, bool) {
	f.asked = append(f.asked, q)
	if f.pick == nil {
		return event.Answer{}, false
	}
	return f.pick(q)
}

type fakeLibrary []session.Summary

func (l fakeLibrary) Sessions(context.Context, string) ([]session.Summary, error) {
	return l, nil
}

func (l fakeLibrary) FindSession(_ context.Context, _, query string) (string, error) {
	for _, s := range l {
		if s.ID == query {
			return s.Path, nil
		}
	}
	return "", fmt.Errorf("find session %q: %w", query, session.ErrNotFound)
}

func builtins() *slash.Registry {
	return slash.Builtins(slash.Options{
		Library: fakeLibrary{
			{ID: "0001", Path: "/s/one.jsonl", Title: "first", Messages: 3, Modified: now.Add(-2 * time.Hour)},
			{ID: "0002", Path: "/s/two.jsonl", Name: "second\x1b[2J", Messages: 9, More: true, Modified: now.Add(-50 * time.Hour)},
			{ID: "0003", Path: "/s/open.jsonl", Title: "this one", Modified: now},
		},
		Now: func() time.Time { return now },
	})
}

func newFake() *fakeSession {
	return &fakeSession{view: event.View{
		SessionID: "0003", File: "/s/open.jsonl", Cwd: "/w", Mode: "ask", Thinking: "off",
		Model: event.Model{Provider: "anthropic", ID: "large", Name: "Large", Levels: []string{"off", "low", "high"}},
		Usage: event.UsageChanged{ContextTokens: 10, ContextWindow: 100},
	}}
}

// chat is what the chat can do, pipe what print can.
const (
	chat = slash.Terminal | slash.Replaceable | slash.Dialogs
	pipe = slash.Needs(0)
)

func dispatch(t *testing.T, s *fakeSession, caps slash.Needs, text string) (slash.Result, error) {
	t.Helper()
	return builtins().Dispatch(t.Context(), s, caps, text)
}

func (f *fakeSession) Tree(context.Context) ([]*session.TreeNode, string, error) {
	say := func(id string, role message.Role, text string, below ...*session.TreeNode) *session.TreeNode {
		m := message.Message{Role: role, Content: []message.Block{message.TextOf(text)}}
		return &session.TreeNode{Entry: session.Entry{ID: id, Message: &m}, Children: below}
	}
	second := say("e3", message.User, "or that\x1b[2J", say("e4", message.Assistant, "done"))
	second.Label = "better"
	return []*session.TreeNode{say("e1", message.User, "do this",
		say("e2", message.Assistant, "so", say("e5", message.User, "more")), second)}, "e4", f.fail
}

func (f *fakeSession) MoveTo(_ context.Context, id string) (string, error) {
	return "text of " + id, f.do("move %s", id)
}

func (f *fakeSession) Branch(_ context.Context, id string) (string, bool, error) {
	return "text of " + id, f.cancelled, f.do("branch %s", id)
}

func (f *fakeSession) Fork(context.Context) (bool, error) { return f.cancelled, f.do("fork") }

func (f *fakeSession) Fill(context.Context) (engine.Fill, error) {
	return engine.Fill{Used: -1, Window: 10_000, Limit: 8500, Parts: []engine.FillPart{
		{Name: "instructions", Tokens: 900, Count: 1}, {Name: "tools", Tokens: 1500, Count: 12}, {Name: "results of read\x1b[2J", Tokens: 40, Count: 2},
	}}, f.fail
}

func (f *fakeSession) Aside(_ context.Context, question string) (string, error) {
	return "**Aside:** " + question, f.fail
}

func (f *fakeSession) Changes(context.Context) (string, []string, error) {
	return f.diff, f.untracked, f.fail
}

func (l fakeLibrary) Spending(_ context.Context, since time.Time, each func(session.Spending)) error {
	for i, s := range l {
		cost := message.Usage{Input: 1000 * (i + 1), Output: 100, CacheRead: 500 * i, Cost: message.Cost{Total: float64(i)}}
		each(session.Spending{At: s.Modified, Provider: "anthropic", Model: "large", Usage: cost})
		each(session.Spending{At: s.Modified, Provider: "ollama", Model: "tiny\x1b[2J", Usage: message.Usage{Input: 10, Output: 1}})
	}
	return nil
}

// fakeKeys holds one key.
type fakeKeys struct{ saved map[string]string }

func (k fakeKeys) Providers() []slash.Provider {
	return []slash.Provider{{ID: "anthropic", Name: "Anthropic", Saved: k.saved["anthropic"] != ""}, {ID: "groq", Name: "Groq\x1b[2J", Saved: k.saved["groq"] != ""}}
}

func (k fakeKeys) Save(_ context.Context, provider, key string) (string, error) {
	if key == "bad" {
		return "", errors.New("the provider refuses it")
	}
	k.saved[provider] = key
	return "The key is saved.", nil
}

func (k fakeKeys) Forget(_ context.Context, provider string) error {
	delete(k.saved, provider)
	return nil
}
