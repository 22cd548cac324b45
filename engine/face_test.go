package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/llm/catalog/local"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/session"
)

// A posted value comes behind all that is queued, and nowhere after the end.
func TestPost(t *testing.T) {
	c := newWorld(t, hello).open(OpenOptions{})
	if err := c.s.Rename(c.ctx(), "first"); err != nil {
		t.Fatal(err)
	}
	c.sub.Post("behind")
	if err := c.s.Rename(c.ctx(), "second"); err != nil {
		t.Fatal(err)
	}
	on[event.SessionNamed](c)
	if it := c.until("the value", func(Item) bool { return true }); it.Ack != "behind" || it.Event != nil {
		t.Errorf("got %+v", it)
	}
	on[event.SessionNamed](c)
	c.sub.Close()
	c.sub.Post("late")
	if it, err := c.sub.Next(c.ctx()); err == nil {
		t.Errorf("got %+v after the end", it)
	}
}

// The user's command tells how much it printed and how much of that is kept.
func TestBashResult(t *testing.T) {
	for name, tt := range map[string]struct {
		command string
		want    BashResult
	}{
		"all":       {"printf 'a\\nb\\nc'", BashResult{TotalLines: 3, TotalBytes: 5, OutputLines: 3, OutputBytes: 5}},
		"nothing":   {"true", BashResult{}},
		"it failed": {"echo no; exit 3", BashResult{TotalLines: 1, TotalBytes: 3, OutputLines: 1, OutputBytes: 3}},
	} {
		t.Run(name, func(t *testing.T) {
			c := newWorld(t, hello).open(OpenOptions{})
			got, err := c.s.Bash(c.ctx(), BashInput{Command: tt.command})
			if err != nil {
				t.Fatal(err)
			}
			if got.Message.Role != message.BashExecution || got.Message.Bash.Command != tt.command {
				t.Errorf("message %+v", got.Message)
			}
			got.Message = message.Message{}
			if got.TotalLines != tt.want.TotalLines || got.TotalBytes != tt.want.TotalBytes || got.OutputLines != tt.want.OutputLines || got.OutputBytes != tt.want.OutputBytes || got.TimedOut {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
	t.Run("cut", func(t *testing.T) {
		c := newWorld(t, hello).open(OpenOptions{})
		got, err := c.s.Bash(c.ctx(), BashInput{Command: "seq 100000", ExcludeFromContext: true})
		if err != nil {
			t.Fatal(err)
		}
		b := got.Message.Bash
		if !b.Truncated || !b.ExcludeFromContext || got.TotalLines != 100000 || got.TotalBytes != 588895 || got.OutputBytes != len(b.Output) ||
			got.OutputLines >= got.TotalLines || got.OutputLines != len(strings.Split(strings.TrimSuffix(b.Output, "\n"), "\n")) {
			t.Errorf("got %d of %d lines, %d of %d bytes", got.OutputLines, got.TotalLines, got.OutputBytes, got.TotalBytes)
		}
	})
}

// The picture of a session has what was set for it; nothing of that goes into
// the settings.
func TestSettersAreTheSessions(t *testing.T) {
	w := newWorld(t, hello, withSettings(`{"steeringMode": "all"}`))
	c := w.open(OpenOptions{})
	before, err := os.ReadFile(w.engine.Paths().Settings())
	if err != nil {
		t.Fatal(err)
	}
	v := c.view
	if v.SteeringMode != "all" || v.FollowUpMode != "one-at-a-time" || v.InterruptMode != "wait" || !v.AutoCompaction || !v.AutoRetry {
		t.Errorf("at first: %+v", v)
	}
	ctx := c.ctx()
	for name, err := range map[string]error{
		"steering":   c.s.SetSteeringMode(ctx, "one-at-a-time"),
		"follow-up":  c.s.SetFollowUpMode(ctx, "all"),
		"interrupt":  c.s.SetInterruptMode(ctx, "immediate"),
		"compaction": c.s.SetAutoCompaction(ctx, false),
		"retry":      c.s.SetAutoRetry(ctx, false),
	} {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := c.s.SetModel(ctx, w.model.Ref()+":high"); err != nil {
		t.Error(err)
	}
	if _, err := c.s.SetModelExact(ctx, w.model.Provider, w.model.ID); err != nil {
		t.Error(err)
	}
	if _, err := c.s.SetThinking(ctx, llm.Low); err != nil {
		t.Error(err)
	}
	v, _ = c.s.View(ctx)
	if v.SteeringMode != "one-at-a-time" || v.FollowUpMode != "all" || v.InterruptMode != "immediate" || v.AutoCompaction || v.AutoRetry {
		t.Errorf("afterwards: %+v", v)
	}
	if after, err := os.ReadFile(w.engine.Paths().Settings()); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the settings are now %s, %v", after, err)
	}
	if again := w.open(OpenOptions{}).view; again.SteeringMode != "all" || !again.AutoRetry {
		t.Errorf("the next session: %+v", again)
	}
}

// A task list is kept as it is given, except that tasks are always a list, and
// as a copy.
func TestSetTodos(t *testing.T) {
	c := newWorld(t, hello).open(OpenOptions{})
	given := []message.TodoPhase{
		{Tasks: []message.Todo{{ID: "1", Content: "look", Status: "in_progress", Notes: "n", Details: "d"}}},
		{ID: "p2", Name: "Two"},
	}
	got, err := c.s.SetTodos(c.ctx(), given)
	if err != nil {
		t.Fatal(err)
	}
	given[0].Tasks[0].Content = "changed"
	const want = `[{"id":"","name":"","tasks":[{"id":"1","content":"look","status":"in_progress","notes":"n","details":"d"}]},{"id":"p2","name":"Two","tasks":[]}]`
	for name, phases := range map[string][]message.TodoPhase{"returned": got, "told": on[event.TodosChanged](c).Phases} {
		if data, _ := json.Marshal(phases); string(data) != want {
			t.Errorf("%s: %s", name, data)
		}
	}
	got, err = c.s.SetTodos(c.ctx(), nil)
	if data, _ := json.Marshal(got); err != nil || string(data) != "[]" {
		t.Errorf("none: %s, %v", data, err)
	}
}

// A model by its exact name: no part of a name and no pattern counts, and what
// isn't known yet is looked for on this machine first (omp#6355). The wording is
// what hosts read.
func TestSetModelExact(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/api/tags":
			_, _ = w.Write([]byte(`{"models":[{"name":"tiny:1b"}]}`))
		case "/api/ps":
			_, _ = w.Write([]byte(`{"models":[]}`))
		default:
			_, _ = w.Write([]byte(`{"model_info":{"llama.context_length":32768},"capabilities":["completion","tools"]}`))
		}
	}))
	defer server.Close()
	p := &played{script: hello}
	w := newWorld(t, hello, func(o *Options) {
		o.LocalServers = true
		o.Getenv = func(name string) string { return map[string]string{"OLLAMA_HOST": server.URL}[name] }
		o.Adapters[local.API], o.Adapters["anthropic-messages"] = p.open, p.open
	})
	c := w.open(OpenOptions{})
	for _, tt := range []struct{ provider, id, err string }{
		{"ollama", "tiny:1b", ""}, // nobody has asked the server before
		{"test", "model", ""},
		{"test", "mod", "Model not found: test/mod"},
		{"TEST", "model", "Model not found: TEST/model"},
		{"", "", "Model not found: /"},
		{"ollama", "huge", "Model not found: ollama/huge"},
		{"anthropic", "claude-sonnet-4-6", "No API key for anthropic/claude-sonnet-4-6"},
	} {
		t.Run(tt.provider+"/"+tt.id, func(t *testing.T) {
			m, err := c.s.SetModelExact(c.ctx(), tt.provider, tt.id)
			if tt.err != "" {
				if err == nil || err.Error() != tt.err || (!is[*ModelNotFoundError](err) && !is[*NoKeyError](err)) {
					t.Errorf("error %v, want %s", err, tt.err)
				}
				return
			}
			if err != nil || m.Ref() != tt.provider+"/"+tt.id {
				t.Fatalf("%s, %v", m.Ref(), err)
			}
			if now, _ := c.s.Model(c.ctx()); now.Ref() != m.Ref() {
				t.Errorf("the model is %s", now.Ref())
			}
		})
	}
}

// All branches are listed, in the order of the file, and nothing is read on the
// owner.
func TestEntriesAndTree(t *testing.T) {
	w := newWorld(t, "-- turn --\ntimes: always\n-- text --\nok\n")
	c := w.open(OpenOptions{})
	if entries, leaf, err := c.s.Entries(c.ctx()); err != nil || leaf != "" || len(entries) != 0 {
		t.Errorf("at first: %d entries, leaf %q, %v", len(entries), leaf, err)
	}
	c.run("one")
	c.run("two")
	prompts, _ := c.s.Prompts(c.ctx())
	if _, err := c.s.MoveTo(c.ctx(), prompts[1].EntryID); err != nil {
		t.Fatal(err)
	}
	c.run("other")
	check := func(c *client) {
		t.Helper()
		entries, leaf, err := c.s.Entries(c.ctx())
		if err != nil {
			t.Fatal(err)
		}
		var texts []string
		for _, e := range entries {
			if e.Message != nil {
				texts = append(texts, e.Message.Text())
			}
		}
		if got := strings.Join(texts, " "); got != "one ok two ok other ok" || leaf != entries[len(entries)-1].ID {
			t.Errorf("entries %q, leaf %q", got, leaf)
		}
		roots, leaf2, err := c.s.Tree(c.ctx())
		if err != nil || leaf2 != leaf || len(roots) != 1 {
			t.Fatalf("%d roots, leaf %q, %v", len(roots), leaf2, err)
		}
		n, forks := 0, 0
		var walk func([]*session.TreeNode)
		walk = func(nodes []*session.TreeNode) {
			n += len(nodes)
			if len(nodes) > 1 {
				forks++
			}
			for _, node := range nodes {
				walk(node.Children)
			}
		}
		walk(roots)
		if n != len(entries) || forks != 1 {
			t.Errorf("%d nodes of %d entries, %d forks", n, len(entries), forks)
		}
	}
	check(c)
	file := c.s.doc.File()
	if err := c.s.Close(c.ctx()); err != nil {
		t.Fatal(err)
	}
	check(w.open(OpenOptions{Path: file})) // now from the file
}

// Reading goes on while the document is exchanged again and again.
func TestEntriesWhileTheDocumentIsReplaced(t *testing.T) {
	c := newWorld(t, "-- turn --\ntimes: always\n-- text --\nok\n").open(OpenOptions{})
	go func() { // nobody reads the events otherwise
		for {
			if _, err := c.sub.Batch(context.Background()); err != nil {
				return
			}
		}
	}()
	for range 3 {
		c.prompt("hi")
		if err := c.s.Settled(c.ctx()); err != nil {
			t.Fatal(err)
		}
	}
	v, _ := c.s.View(c.ctx())
	stop, done := make(chan struct{}), make(chan error, 1)
	go func() {
		for {
			select {
			case <-stop:
				done <- nil
				return
			default:
			}
			entries, _, err := c.s.Entries(context.Background())
			if err != nil || (len(entries) > 0 && entries[len(entries)-1].Raw != nil) {
				done <- err
				return
			}
		}
	}()
	for range 50 {
		if _, err := c.s.NewDocument(c.ctx(), NewDocumentOptions{}); err != nil {
			t.Fatal(err)
		}
		if _, err := c.s.Switch(c.ctx(), v.File); err != nil {
			t.Fatal(err)
		}
	}
	close(stop)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// A page for a host: where it wants it, in the place of what is there.
func TestExportHTML(t *testing.T) {
	w := newWorld(t, hello)
	c := w.open(OpenOptions{})
	c.run("hi")
	for given, want := range map[string]string{
		"":                                "hoopoe-session-" + strings.TrimSuffix(filepath.Base(c.s.doc.File()), ".jsonl") + ".html",
		"page.htm":                        "page.htm",
		filepath.Join(w.dir, "a", "page"): filepath.Join(w.dir, "a", "page"),
	} {
		for range 2 {
			got, err := c.s.ExportHTML(c.ctx(), given)
			if err != nil || got != want {
				t.Fatalf("%q: %q, %v; want %q", given, got, err, want)
			}
		}
		if !filepath.IsAbs(want) {
			want = filepath.Join(w.dir, want)
		}
		if data, err := os.ReadFile(want); err != nil || !bytes.Contains(data, []byte("<html")) {
			t.Errorf("%q: %v", given, err)
		}
	}
	m := w.open(OpenOptions{InMemory: true})
	if _, err := m.s.ExportHTML(m.ctx(), ""); err != errInMemory {
		t.Errorf("in memory: %v", err)
	}
}

// A compaction that its caller gives up, also before it has begun, and one that
// is aborted leave the session as it was.
func TestCompactionIsCancelled(t *testing.T) {
	for name, stop := range map[string]func(c *client, cancel context.CancelFunc){
		"by its caller": func(_ *client, cancel context.CancelFunc) { cancel() },
		"by an abort":   func(c *client, _ context.CancelFunc) { _ = c.s.Abort(c.ctx()) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, "-- turn --\nsystem: hand-over\n-- mark compacting --\n-- delay 1h --\n-- turn --\ntimes: always\n-- text --\nok\n")
			c := w.open(OpenOptions{})
			c.run("one")
			c.run("two")
			before, leaf, _ := c.s.Entries(c.ctx())
			ctx, cancel := context.WithCancel(c.ctx())
			defer cancel()
			w.marks["compacting"] = func(context.Context) { go stop(c, cancel) }
			got := <-c.s.StartCompact(ctx, "")
			if got.Err == nil || got.Err.Error() != "Compaction cancelled" {
				t.Errorf("error %v", got.Err)
			}
			if end := on[event.CompactionEnded](c); !end.Aborted || end.Result != nil {
				t.Errorf("ended %+v", end)
			}
			after, leaf2, _ := c.s.Entries(c.ctx())
			if len(after) != len(before) || leaf2 != leaf {
				t.Errorf("%d entries, leaf %s; before %d, %s", len(after), leaf2, len(before), leaf)
			}
			if err := c.s.Settled(c.ctx()); err != nil {
				t.Fatal(err)
			}
			c.run("three")
		})
	}
	t.Run("in its place", func(t *testing.T) {
		w := newWorld(t, "-- turn --\nsystem: hand-over\n-- mark compacting --\n-- delay 1h --\n-- turn --\ntimes: always\n-- text --\nok\n")
		c := w.open(OpenOptions{})
		c.run("one")
		c.run("two")
		reached := make(chan struct{})
		w.marks["compacting"] = func(context.Context) { close(reached) }
		c.log = nil
		c.s.CompactAck(c.ctx(), "", c.sub, func(got Compacted) any { return got.Err.Error() })
		wait(t, reached, "the compaction")
		c.prompt("three")
		if err := c.s.AbortAck(&Ack{c.sub, "aborted"}); err != nil {
			t.Fatal(err)
		}
		on[event.RunSettled](c)
		c.wants(`
			compaction_started manual
			queue prompt:three
			compaction_ended manual ok=false aborted=true retry=false
			ack Compaction cancelled
			ack aborted
			run_started
			turn_started
			user "three"
			queue
			assistant "ok" stop
			turn_ended
			run_ended stop will= messages=2
			run_settled stop`)
	})
	t.Run("before it has begun", func(t *testing.T) {
		c := newWorld(t, "-- turn --\ntimes: always\n-- text --\nok\n").open(OpenOptions{})
		c.run("one")
		c.run("two")
		ctx, cancel := context.WithCancel(c.ctx())
		cancel()
		if got := <-c.s.StartCompact(ctx, ""); got.Err == nil || got.Err.Error() != "Compaction cancelled" {
			t.Errorf("error %v", got.Err)
		}
	})
	t.Run("by the session's end", func(t *testing.T) {
		c := newWorld(t, hello).open(OpenOptions{})
		if err := c.s.Close(c.ctx()); err != nil {
			t.Fatal(err)
		}
		select {
		case got := <-c.s.StartCompact(c.ctx(), ""):
			if got.Err != ErrClosed {
				t.Errorf("error %v", got.Err)
			}
		case <-time.After(guard):
			t.Fatal("no end")
		}
	})
}
