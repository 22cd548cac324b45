package slash_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/session"
	"github.com/hoopoe-agent/hoopoe/slash"
)

// talk gives the session two messages of the user's and two answers.
func talk(s *fakeSession) *fakeSession {
	say := func(id string, role message.Role, text string) message.Message {
		return message.Message{ID: id, Role: role, Content: []message.Block{message.TextOf(text)}}
	}
	s.view.Messages = []message.Message{
		say("u1", message.User, "first"), say("a1", message.Assistant, "one"),
		say("u2", message.User, "second\x1b[2J"), say("a2", message.Assistant, "two"), say("a3", message.Assistant, ""),
	}
	return s
}

// What branches are called by number, by entry and by a picker (C-3).
func TestGoingBack(t *testing.T) {
	first := func(q event.Question) (event.Answer, bool) { return event.Answer{Value: q.Options[0]}, true }
	none := func(event.Question) (event.Answer, bool) { return event.Answer{Cancelled: true}, true }
	for _, tt := range []struct {
		name, text string
		caps       slash.Needs
		pick       func(event.Question) (event.Answer, bool)
		cancelled  bool
		did, edit  string
		reply      string
		fails      string
	}{
		{name: "by number", text: "/rewind 2", caps: chat, did: "move u1", edit: "text of u1"},
		{name: "by alias and entry", text: "/undo u2", caps: chat, did: "move u2", edit: "text of u2"},
		{name: "by choice", text: "/rewind", caps: chat, pick: first, did: "move u2", edit: "text of u2"},
		{name: "no choice", text: "/rewind", caps: chat, pick: none},
		{name: "no such number", text: "/rewind 3", caps: chat, fails: "there is no message 3"},
		{name: "without dialogs", text: "/fork", caps: slash.Replaceable, reply: "1  second"},
		{name: "fork", text: "/fork 1", caps: chat, did: "branch u2", edit: "text of u2"},
		{name: "kept by an extension", text: "/branch 1", caps: chat, cancelled: true, did: "branch u2", reply: "An extension kept the session."},
		{name: "clone", text: "/clone", caps: chat, did: "fork"},
		{name: "tree to an entry", text: "/tree e2", caps: chat, did: "move e2", edit: "text of e2"},
		{name: "tree by choice", text: "/tree", caps: chat, pick: first, did: "move e1", edit: "text of e1"},
		{name: "tree to where it is", text: "/tree", caps: chat, fails: "the session is there already", pick: func(q event.Question) (event.Answer, bool) {
			return event.Answer{Value: q.Options[len(q.Options)-1]}, true
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := talk(newFake())
			s.pick, s.cancelled = tt.pick, tt.cancelled
			r, err := dispatch(t, s, tt.caps, tt.text)
			if tt.fails != "" {
				if err == nil || !strings.Contains(err.Error(), tt.fails) {
					t.Fatalf("error %v, want %q", err, tt.fails)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(s.did, ","); got != tt.did || r.Edit != tt.edit || !strings.Contains(r.Reply, tt.reply) || !r.Handled {
				t.Errorf("did %q, result %+v", got, r)
			}
			if strings.Contains(r.Reply, "\x1b") {
				t.Errorf("the reply has control codes: %q", r.Reply)
			}
		})
	}
}

// The same said twice is two choices.
func TestRewindToTheSameWords(t *testing.T) {
	s := talk(newFake())
	s.view.Messages[0].Content = s.view.Messages[2].Content
	s.pick = func(q event.Question) (event.Answer, bool) {
		if len(q.Options) != 2 || q.Options[0] != "second" {
			t.Errorf("options %q", q.Options)
		}
		return event.Answer{Value: q.Options[1]}, true
	}
	if _, err := dispatch(t, s, chat, "/rewind"); err != nil || !slices.Equal(s.did, []string{"move u1"}) {
		t.Errorf("did %q, %v", s.did, err)
	}
}

// A session without a word has nothing to copy.
func TestCloneOfNothing(t *testing.T) {
	s := newFake()
	s.fail = fmt.Errorf("fork session: %w", session.ErrNoEntry)
	if r, err := dispatch(t, s, chat, "/clone"); err != nil || r.Reply != "Nothing has been said yet." {
		t.Errorf("%+v, %v", r, err)
	}
}

// The tree of a session without a dialog: indented where it branches.
func TestTreeAsText(t *testing.T) {
	r, err := dispatch(t, newFake(), slash.Replaceable, "/tree")
	want := "e1  you: do this\n" +
		"├ e2  model: so\n" +
		"│ e5  you: more\n" +
		"├ e3  you: or that  [better]\n" +
		"│ e4  model: done  ← here\n\n" +
		"Go on from an entry with /tree id."
	if err != nil || r.Reply != want {
		t.Errorf("%v\n%s\nwant\n%s", err, r.Reply, want)
	}
}

func TestContextAndUsage(t *testing.T) {
	r, err := dispatch(t, newFake(), pipe, "/context")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"2.4k tokens in the context, 24% of 10k; compaction begins at 8.5k", "tools (12)", "1.5k  ████████████████████\n", "results of read"} {
		if !strings.Contains(r.Reply, want) {
			t.Errorf("%q lacks %q", r.Reply, want)
		}
	}
	r, err = dispatch(t, newFake(), pipe, "/cost")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"This session:", "anthropic/large  7.5k in, 300 out, 1.5k of it cached, $3.00", "2026-03-01", "2026-02-27"} {
		if !strings.Contains(r.Reply, want) {
			t.Errorf("%q lacks %q", r.Reply, want)
		}
	}
	if strings.Contains(r.Reply, "\x1b") || strings.Index(r.Reply, "anthropic/large") > strings.Index(r.Reply, "ollama/tiny") {
		t.Errorf("usage %q", r.Reply)
	}
}

func TestPlanDiffCopyAside(t *testing.T) {
	s := talk(newFake())
	if r, err := dispatch(t, s, pipe, "/plan add a flag"); err != nil || r.Text != "add a flag" || r.Handled || s.did[0] != "mode plan" {
		t.Errorf("plan: %+v, %v, did %q", r, err, s.did)
	}
	s.view.Mode = "plan"
	if _, err := dispatch(t, s, pipe, "/plan"); err != nil || s.did[1] != "mode ask" {
		t.Errorf("plan again: %v, did %q", err, s.did)
	}
	for text, want := range map[string]string{"/copy": "two", "/copy 2": "one", "/copy 3": ""} {
		if r, err := dispatch(t, s, chat, text); err != nil || r.Copy != want {
			t.Errorf("%s: %+v, %v", text, r, err)
		}
	}
	if _, err := dispatch(t, s, chat, "/copy x"); err == nil {
		t.Error("/copy x is accepted")
	}
	if r, err := dispatch(t, s, pipe, "/diff"); err != nil || r.Diff || r.Reply != "Nothing has changed since the last commit." {
		t.Errorf("diff of nothing: %+v, %v", r, err)
	}
	s.diff, s.untracked = "diff --git a/x b/x\n", slices.Repeat([]string{"n\x1b[2Jew"}, 60)
	if r, err := dispatch(t, s, pipe, "/diff"); err != nil || !r.Diff || !strings.Contains(r.Reply, "New files:\nnew\n") || !strings.HasSuffix(r.Reply, "and 10 more") {
		t.Errorf("diff: %+v, %v", r, err)
	}
	if r, err := dispatch(t, s, pipe, "/btw why?"); err != nil || r.Reply != "**Aside:** why?" || !r.Markdown {
		t.Errorf("btw: %+v, %v", r, err)
	}
	for _, text := range []string{"/review the parser", "/init we use bazel"} {
		if r, err := dispatch(t, s, pipe, text); err != nil || r.Handled || !strings.Contains(r.Text, strings.Fields(text)[2]) {
			t.Errorf("%s: %+v, %v", text, r, err)
		}
	}
}

// A key is typed into a dialog that hides it (C-3).
func TestLogin(t *testing.T) {
	keys := fakeKeys{map[string]string{}}
	registry := slash.Builtins(slash.Options{Library: fakeLibrary{}, Keys: keys})
	run := func(text string, answers ...string) (slash.Result, *fakeSession, error) {
		s := newFake()
		s.pick = func(q event.Question) (event.Answer, bool) {
			a := answers[0]
			answers = answers[1:]
			return event.Answer{Value: a, Cancelled: a == ""}, true
		}
		r, err := registry.Dispatch(t.Context(), s, chat, text)
		return r, s, err
	}
	if _, s, err := run("/login groq", " k1 "); err != nil || keys.saved["groq"] != "k1" || !s.asked[0].Secret {
		t.Errorf("login: %v, %v, asked %+v", err, keys.saved, s.asked)
	}
	if _, _, err := run("/login", "Anthropic", "bad"); err == nil || keys.saved["anthropic"] != "" {
		t.Errorf("a refused key: %v, %v", err, keys.saved)
	}
	if _, _, err := run("/login", ""); err != nil {
		t.Errorf("no choice: %v", err)
	}
	if _, _, err := run("/login nobody"); err == nil {
		t.Error("an unknown provider is accepted")
	}
	if r, _, err := run("/logout", "Groq"); err != nil || keys.saved["groq"] != "" || r.Reply != "The key for Groq is forgotten." {
		t.Errorf("logout: %+v, %v", r, err)
	}
	if r, _, err := run("/logout"); err != nil || r.Reply != "There is no saved key." {
		t.Errorf("logout of nothing: %+v, %v", r, err)
	}
	if _, err := registry.Dispatch(t.Context(), newFake(), pipe, "/login"); err == nil {
		t.Error("login is offered where nobody can type unseen")
	}
}
