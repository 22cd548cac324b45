package engine

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/ext"
	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/session"
)

// caught returns hooks that hand the session out at the start.
func caught(into *ext.Session) ext.Hooks {
	return ext.Hooks{Name: "a", SessionStart: func(_ context.Context, s ext.Session) error { *into = s; return nil }}
}

func words(text string) []message.Block { return []message.Block{message.TextOf(text)} }

// roles tells who speaks in the context, with custom messages' texts.
func roles(c *client) string {
	v, err := c.s.View(c.ctx())
	if err != nil {
		c.t.Fatal(err)
	}
	var out []string
	for _, m := range v.Messages {
		word := string(m.Role)
		if m.Role == message.Custom {
			word = m.Text()
		}
		out = append(out, word)
	}
	return strings.Join(out, " ")
}

// A message of an extension's own goes where its delivery says, and is stored as
// what it is.
func TestSendMessage(t *testing.T) {
	var s ext.Session
	c := newWorld(t, always, withHooks(caught(&s))).open(OpenOptions{})
	c.start()
	send := func(m ext.CustomMessage) {
		t.Helper()
		m.Type = "note"
		if err := s.SendMessage(c.ctx(), m); err != nil {
			t.Fatal(err)
		}
	}
	send(ext.CustomMessage{Content: words("idle"), Display: true, Details: json.RawMessage(`{"n":1}`)})
	if e := on[event.MessageEnded](c); e.Message.CustomType != "note" || !e.Message.Display || string(e.Message.Details) != `{"n":1}` {
		t.Errorf("added %+v", e.Message)
	}
	send(ext.CustomMessage{Content: words("with the next"), Delivery: "nextTurn"})
	c.run("hi")
	if got, want := roles(c), "idle user with the next assistant"; got != want {
		t.Errorf("context %q, want %q", got, want)
	}
	send(ext.CustomMessage{Content: words("go"), Trigger: true})
	on[event.RunSettled](c)
	if got, want := roles(c), "idle user with the next assistant go assistant"; got != want {
		t.Errorf("context %q, want %q", got, want)
	}
	entries, _, err := s.Entries(c.ctx())
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, e := range entries {
		if strings.Contains(string(e), `"type":"custom_message"`) && strings.Contains(string(e), `"customType":"note"`) {
			n++
		}
	}
	if n != 3 {
		t.Errorf("%d entries: %s", n, entries)
	}
	for name, m := range map[string]ext.CustomMessage{
		"no type": {Content: words("x")}, "empty": {Type: "t"}, "odd delivery": {Type: "t", Content: words("x"), Delivery: "soon"},
	} {
		if err := s.SendMessage(c.ctx(), m); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}

// While a run is going a message of an extension steers it or follows it; from
// the hook at its end it starts another.
func TestSendMessageDuringARun(t *testing.T) {
	var s ext.Session
	sent := false
	h := caught(&s)
	h.RunEnd = func(ctx context.Context, s ext.Session, _ ext.RunEnd) error {
		if sent {
			return nil
		}
		sent = true
		return errors.Join(
			s.SendMessage(ctx, ext.CustomMessage{Type: "t", Content: words("beside")}),
			s.SendMessage(ctx, ext.CustomMessage{Type: "t", Content: words("again"), Trigger: true}))
	}
	w := newWorld(t, "-- turn --\n-- mark now --\n-- text --\none\n-- turn --\ntimes: always\n-- text --\nok\n", withHooks(h))
	w.marks["now"] = func(ctx context.Context) {
		if err := errors.Join(
			s.SendMessage(ctx, ext.CustomMessage{Type: "t", Content: words("after"), Delivery: "followUp"}),
			s.SendMessage(ctx, ext.CustomMessage{Type: "t", Content: words("steer")})); err != nil {
			t.Error(err)
		}
	}
	c := w.open(OpenOptions{})
	c.start()
	c.run("hi")
	if got, want := roles(c), "user assistant steer assistant after assistant beside again assistant"; got != want {
		t.Errorf("context %q, want %q", got, want)
	}
	if v, _ := c.s.View(c.ctx()); len(v.Queue) > 0 {
		t.Errorf("left in the queue: %v", v.Queue)
	}
}

// What an extension sets and keeps is the session's.
func TestExtensionKeepsAndSets(t *testing.T) {
	var s ext.Session
	c := newWorld(t, always, withHooks(caught(&s))).open(OpenOptions{})
	c.start()
	c.run("hi")
	id, err := s.AppendEntry(c.ctx(), "mine", json.RawMessage(`{"a":[1]}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.AppendEntry(c.ctx(), "mine", json.RawMessage(`{`)); err == nil {
		t.Error("broken data is taken")
	}
	label := "here\x1b[2J"
	if err := s.SetLabel(c.ctx(), id, &label); err != nil {
		t.Fatal(err)
	}
	if err := s.SetLabel(c.ctx(), "none", &label); err == nil {
		t.Error("an entry that isn't there has a label")
	}
	d, err := s.Document(c.ctx())
	if err != nil || d.Labels[id] != "here" || d.ID == "" || d.File == "" || !strings.Contains(string(d.Header), d.ID) {
		t.Errorf("%+v, %v", d, err)
	}
	if err := s.SetLabel(c.ctx(), id, nil); err != nil {
		t.Fatal(err)
	}
	if d, _ := s.Document(c.ctx()); len(d.Labels) > 0 {
		t.Errorf("labels %v", d.Labels)
	}
	entries, leaf, err := s.Entries(c.ctx())
	if err != nil || leaf == "" || !slices.ContainsFunc(entries, func(e json.RawMessage) bool {
		return strings.Contains(string(e), `"data":{"a":[1]}`) && strings.Contains(string(e), `"customType":"mine"`)
	}) {
		t.Errorf("%s, %q, %v", entries, leaf, err)
	}
	if err := s.Rename(c.ctx(), "name"); err != nil {
		t.Error(err)
	}
	if ok, err := s.SetModel(c.ctx(), "test", "model"); !ok || err != nil {
		t.Error(ok, err)
	}
	if ok, err := s.SetModel(c.ctx(), "test", "none"); ok || err == nil {
		t.Error(ok, err)
	}
	if err := s.SetThinking(c.ctx(), string(llm.Off)); err != nil {
		t.Error(err)
	}
	if err := s.SetThinking(c.ctx(), "lots"); err == nil {
		t.Error("there is no such level")
	}
	if s.SystemPrompt() == "" || len(s.Models()) == 0 || s.HasUI() {
		t.Error("the session tells nothing of itself")
	}
	c.attach(Client{Shows: []event.QuestionKind{event.AskSelect}})
	if !s.HasUI() {
		t.Error("a face shows questions")
	}
	other := newWorld(t, always, withHooks(caught(&s)))
	key := s.SessionKey()
	first, second := other.open(OpenOptions{}), other.open(OpenOptions{})
	first.start()
	one := s.SessionKey()
	second.start()
	if one == s.SessionKey() || key == "" {
		t.Errorf("keys %q, %q", one, s.SessionKey())
	}
}

// A compaction takes the extension's cut, details and words, and is told.
func TestExtensionCompacts(t *testing.T) {
	var before ext.BeforeCompact
	var after ext.Compacted
	h := ext.Hooks{
		Name: "a",
		BeforeCompact: func(_ context.Context, _ ext.Session, b ext.BeforeCompact) (ext.BeforeCompactReply, error) {
			before = b
			return ext.BeforeCompactReply{Summary: "mine", FirstKeptID: b.Messages[len(b.Messages)-1].ID, Details: json.RawMessage(`{"d":1}`), Preserve: json.RawMessage(`{"p":1}`)}, nil
		},
		Compacted: func(_ context.Context, _ ext.Session, c ext.Compacted) error { after = c; return nil },
	}
	c := newWorld(t, always, withHooks(h)).open(OpenOptions{})
	for range 3 {
		c.run("hi")
	}
	r, err := c.s.Compact(c.ctx(), "")
	if err != nil {
		t.Fatal(err)
	}
	if before.Reason != "manual" || before.FirstKeptID == "" || r.Summary != "mine" || r.FirstKeptEntryID == before.FirstKeptID || string(r.Details) != `{"d":1}` {
		t.Errorf("before %+v, result %+v", before, r)
	}
	e, ok := c.s.doc.Entry(after.EntryID)
	if !ok || !after.FromExtension || e.Compaction == nil || string(e.Compaction.PreserveData) != `{"p":1}` {
		t.Errorf("after %+v, entry %+v", after, e)
	}
	c.run("hi")
}

// What an extension adds to the request for a summary, and its instructions,
// reach the model.
func TestExtensionWordsTheSummary(t *testing.T) {
	h := func(name string, reply ext.BeforeCompactReply) ext.Hooks {
		return ext.Hooks{Name: name, BeforeCompact: func(context.Context, ext.Session, ext.BeforeCompact) (ext.BeforeCompactReply, error) {
			return reply, nil
		}}
	}
	c := newWorld(t, "-- turn --\nsystem: hand-over\non: the blue house\n-- text --\nSummary.\n"+always,
		withHooks(h("a", ext.BeforeCompactReply{Context: []string{"the blue house"}}), h("b", ext.BeforeCompactReply{Prompt: "short"}))).open(OpenOptions{})
	c.run("hi")
	c.run("hi")
	if r, err := c.s.Compact(c.ctx(), ""); err != nil || !strings.HasPrefix(r.Summary, "Summary.") {
		t.Errorf("%+v, %v", r, err)
	}
}

// A move in the tree may sum up what it leaves; extensions may veto it or write
// the summary.
func TestMoveWithSummary(t *testing.T) {
	const script = "-- turn --\nsystem: hand-over\n-- text --\nLeft that.\n" + always
	for name, tt := range map[string]struct {
		reply     ext.BeforeMoveReply
		options   MoveOptions
		cancelled bool
		context   string
		summary   string
	}{
		"plain":   {context: "user assistant"},
		"model's": {options: MoveOptions{Summarize: true}, context: "user assistant branchSummary", summary: "Left that."},
		"ours":    {reply: ext.BeforeMoveReply{Summary: "mine"}, context: "user assistant branchSummary", summary: "mine"},
		"vetoed":  {reply: ext.BeforeMoveReply{Cancel: true}, cancelled: true, context: "user assistant user assistant"},
	} {
		t.Run(name, func(t *testing.T) {
			var before ext.Move
			var after []ext.Moved
			h := ext.Hooks{
				Name: "a",
				BeforeMove: func(_ context.Context, _ ext.Session, m ext.Move) (ext.BeforeMoveReply, error) {
					before = m
					return tt.reply, nil
				},
				Moved: func(_ context.Context, _ ext.Session, m ext.Moved) error { after = append(after, m); return nil },
			}
			c := newWorld(t, script, withHooks(h)).open(OpenOptions{})
			c.run("one")
			c.run("two")
			v, _ := c.s.View(c.ctx())
			text, cancelled, err := c.s.MoveToWith(c.ctx(), v.Messages[2].ID, tt.options)
			if err != nil || cancelled != tt.cancelled {
				t.Fatal(cancelled, err)
			}
			if got := roles(c); got != tt.context {
				t.Errorf("context %q, want %q", got, tt.context)
			}
			if before.TargetID != v.Messages[2].ID || len(before.Left) != 2 {
				t.Errorf("before %+v", before)
			}
			if tt.cancelled {
				return
			}
			on[event.LeafMoved](c)
			if text != "two" || len(after) != 1 || (after[0].SummaryID != "") != (tt.summary != "") {
				t.Errorf("text %q, after %+v", text, after)
			}
			if tt.summary != "" {
				e, _ := c.s.doc.Entry(after[0].SummaryID)
				if e.BranchSummary == nil || !strings.HasPrefix(e.BranchSummary.Summary, tt.summary) || e.BranchSummary.FromID != before.LeafID {
					t.Errorf("entry %+v", e.BranchSummary)
				}
			}
			c.run("three")
		})
	}
}

// An abort stops the summary of a move; nothing has changed then.
func TestAbortOfAMove(t *testing.T) {
	w := newWorld(t, "-- turn --\nsystem: hand-over\n-- mark now --\n-- delay 1h --\n-- text --\nno\n"+always)
	reached := make(chan struct{})
	w.marks["now"] = func(context.Context) { close(reached) }
	c := w.open(OpenOptions{})
	c.run("one")
	c.run("two")
	v, _ := c.s.View(c.ctx())
	type result struct {
		cancelled bool
		err       error
	}
	done := make(chan result, 1)
	go func() {
		_, cancelled, err := c.s.MoveToWith(c.ctx(), v.Messages[0].ID, MoveOptions{Summarize: true})
		done <- result{cancelled, err}
	}()
	wait(t, reached, "the summary")
	if err := c.s.Abort(c.ctx()); err != nil {
		t.Fatal(err)
	}
	if r := <-done; !r.cancelled || r.err != nil {
		t.Errorf("%+v", r)
	}
	if got := roles(c); got != "user assistant user assistant" {
		t.Errorf("context %q", got)
	}
	c.run("three")
}

// An extension may run the user's command.
func TestUserBashHook(t *testing.T) {
	code := 4
	h := ext.Hooks{Name: "a", UserBash: func(_ context.Context, _ ext.Session, b ext.UserBash) (ext.UserBashReply, error) {
		return ext.UserBashReply{Handled: strings.HasPrefix(b.Command, "remote"), Output: b.Command + " in " + b.Cwd, ExitCode: &code}, nil
	}}
	w := newWorld(t, always, withHooks(h))
	c := w.open(OpenOptions{})
	r, err := c.s.Bash(c.ctx(), BashInput{Command: "remote ls"})
	if err != nil || !strings.HasPrefix(r.Message.Bash.Output, "remote ls in /") || *r.Message.Bash.ExitCode != 4 {
		t.Errorf("%+v, %v", r.Message.Bash, err)
	}
	if r, err = c.s.Bash(c.ctx(), BashInput{Command: "echo here"}); err != nil || r.Message.Bash.Output != "here\n" {
		t.Errorf("%+v, %v", r.Message.Bash, err)
	}
}

// Leaving is the branch that a move would leave.
func TestLeaving(t *testing.T) {
	c := newWorld(t, always).open(OpenOptions{})
	c.run("one")
	c.run("two")
	ids := func(list []session.Entry) (n int) {
		for _, e := range list {
			if e.Message != nil {
				n++
			}
		}
		return n
	}
	v, _ := c.s.View(c.ctx())
	for to, want := range map[string]int{"": 4, v.Messages[0].ID: 3, v.Messages[3].ID: 0} {
		if got := ids(c.s.doc.Leaving(to)); got != want {
			t.Errorf("to %q: leaves %d, want %d", to, got, want)
		}
	}
}
