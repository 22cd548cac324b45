package engine

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/llm"
)

func withoutNetwork(o *Options) { o.Offline = true }

// E-3: no network unless the user's own configuration names it.
func TestWebFetchIsAskedFor(t *testing.T) {
	for _, tt := range []struct {
		name     string
		settings string
		agent    string
		tools    []string
		more     []worldOption
		want     bool
	}{
		{name: "by default", settings: `{}`},
		{name: "by the setting", settings: `{"tools": {"webFetch": true}}`, want: true},
		{name: "by a rule of a host", settings: `{"permissions": {"allow": ["web_fetch(go.dev)"]}}`, want: true},
		{name: "by a rule of the kind", settings: `{"permissions": {"allow": ["Fetch"]}}`, want: true},
		{name: "not by any rule", settings: `{"permissions": {"allow": ["*", "bash(curl)"], "ask": ["web_fetch"], "deny": ["web_fetch"]}}`},
		{name: "by the flag", settings: `{}`, tools: []string{"read", "web_fetch"}, want: true},
		{name: "by another spelling", settings: `{}`, tools: []string{"WebFetch"}, want: true},
		{name: "by an agent's file", settings: `{}`, agent: "tools: [read, web_fetch]", want: true},
		{name: "not by one without it", settings: `{}`, agent: "name: x"},
		{name: "nor by its rules", settings: `{}`, agent: "permissions: {allow: [web_fetch]}"},
		{name: "left out by the flag", settings: `{"tools": {"webFetch": true}}`, tools: []string{"read"}},
		{name: "never offline", settings: `{"tools": {"webFetch": true}}`, tools: []string{"read", "web_fetch"}, more: []worldOption{withoutNetwork}},
		{name: "nor for an agent", settings: `{}`, agent: "tools: [web_fetch]", more: []worldOption{withoutNetwork}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, idle, append(tt.more, withSettings(tt.settings))...)
			o := OpenOptions{Cwd: w.dir, Tools: tt.tools, Model: "offline/guide"}
			if tt.agent != "" {
				o.Agent = w.agent(tt.agent)
			}
			s, _, err := w.engine.Open(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close(context.Background())
			got := slices.ContainsFunc(s.Tools(), func(t llm.ToolSpec) bool { return t.Name == "web_fetch" })
			if got != tt.want {
				t.Errorf("tools %v", offeredNames(s))
			}
		})
	}
	w := newWorld(t, idle)
	w.write(map[string]string{"project/.hoopoe/settings.json": `{"tools": {"webFetch": true}}`})
	s, notices, err := w.engine.Open(t.Context(), OpenOptions{Cwd: w.dir, Model: w.model.Ref(), Approve: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(context.Background())
	if slices.Contains(offeredNames(s), "web_fetch") || len(notices) == 0 || !strings.Contains(notices[0], "a project can't set this") {
		t.Errorf("a project brings it in: %v", notices)
	}
}

// Each host is a question, and an always is about that host. What can't be
// reached is no question.
func TestWebFetchAsks(t *testing.T) {
	w := newWorld(t, `
-- turn --
-- call web_fetch --
{"url": "http://127.0.0.1:1/"}
-- turn --
-- call web_fetch --
{"url": "https://GO.dev/doc?x=1"}
-- turn --
-- text --
ok
`, withSettings(`{"tools": {"webFetch": true}}`))
	c := w.open(OpenOptions{})
	c.sub.Close()
	c.attach(Client{Shows: []event.QuestionKind{event.AskPermission}})
	c.prompt("go")
	if e := on[event.ToolEnded](c); !e.IsError || e.Denied != "" || !strings.Contains(e.Content[0].Text, "this machine") {
		t.Errorf("got %+v", e)
	}
	q := on[event.AskOpened](c)
	if p := q.Question.Permission; !slices.Equal(p.Rules, []string{"web_fetch(go.dev)"}) || p.Kind != "fetch" || q.Question.Title != "Fetch https://go.dev/doc?x=1" {
		t.Errorf("the question is %+v, %+v", q.Question, p)
	}
	c.answer(q, event.Answer{Choice: event.Deny})
	if e := on[event.ToolEnded](c); e.Denied != "user" {
		t.Errorf("got %+v", e)
	}
	on[event.RunSettled](c)
}
