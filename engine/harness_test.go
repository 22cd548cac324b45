package engine

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/config"
	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/ext"
	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/llm/scripted"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/tool"
)

// guard bounds every wait of a test: it only ends a test that hangs.
const guard = 30 * time.Second

// world is an engine with one scripted model and folders of its own.
type world struct {
	t      testing.TB
	dir    string // the working directory
	engine *Engine
	model  llm.Model
	marks  map[string]func(context.Context)
}

type worldOption func(*Options)

func withHooks(h ...ext.Hooks) worldOption { return func(o *Options) { o.Hooks = h } }

func withSettings(text string) worldOption {
	return func(o *Options) {
		if err := os.MkdirAll(o.Paths.Config, 0o700); err != nil {
			panic(err)
		}
		if err := os.WriteFile(o.Paths.Settings(), []byte(text), 0o600); err != nil {
			panic(err)
		}
	}
}

// newWorld makes an engine whose model plays script. A "mark NAME" step of
// the script calls marks[NAME].
func newWorld(t testing.TB, script string, opts ...worldOption) *world {
	t.Helper()
	parsed, err := scripted.Parse("test.txtar", []byte(script))
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	dir := filepath.Join(root, "project")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, dir: dir, model: parsed.Model(), marks: map[string]func(context.Context){}}
	w.model.Provider, w.model.ID = "test", "model"
	paths, _ := config.FindPaths(config.Places{
		Getenv: func(k string) string { return map[string]string{"HOOPOE_DIR": filepath.Join(root, "home")}[k] },
		Home:   func() (string, error) { return root, nil }, Cwd: dir,
	})
	o := Options{Paths: paths, Environ: os.Environ(), Models: []llm.Model{w.model},
		Adapters: map[string]llm.Adapter{
			w.model.API: func(llm.Model, llm.Connection) (llm.Provider, error) {
				return scripted.New(parsed, scripted.Options{Mark: func(ctx context.Context, name string) {
					if fn := w.marks[name]; fn != nil {
						fn(ctx)
					}
				}}), nil
			},
		}}
	for _, opt := range opts {
		opt(&o)
	}
	w.engine = New(o)
	return w
}

func (w *world) open(o OpenOptions) *client {
	w.t.Helper()
	o.Cwd = w.dir
	if o.Model == "" {
		o.Model = w.model.Ref()
	}
	s, _, err := w.engine.Open(context.Background(), o)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { s.Close(context.Background()) })
	c := &client{t: w.t, s: s}
	c.attach(Client{Name: "test"})
	return c
}

// client is a face that remembers all it was told.
type client struct {
	t    testing.TB
	s    *Session
	view event.View
	sub  *Subscription
	log  []Item
}

func (c *client) attach(face Client) {
	c.t.Helper()
	var err error
	if c.view, c.sub, err = c.s.Attach(context.Background(), face); err != nil {
		c.t.Fatal(err)
	}
}

func (c *client) ctx() context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), guard)
	c.t.Cleanup(cancel)
	return ctx
}

// until reads events until one fits and returns it.
func (c *client) until(what string, fits func(Item) bool) Item {
	c.t.Helper()
	ctx := c.ctx()
	for {
		it, err := c.sub.Next(ctx)
		if err != nil {
			c.t.Fatalf("waiting for %s: %v\nso far:\n%s", what, err, c.story())
		}
		c.log = append(c.log, it)
		if fits(it) {
			return it
		}
	}
}

func on[E event.Event](c *client) E {
	c.t.Helper()
	var zero E
	it := c.until(string(zero.Kind()), func(it Item) bool { _, ok := it.Event.(E); return ok })
	return it.Event.(E)
}

func (c *client) prompt(text string) Accepted {
	c.t.Helper()
	a, err := c.s.Prompt(c.ctx(), Input{Text: text})
	if err != nil {
		c.t.Fatal(err)
	}
	return a
}

func (c *client) send(in Input) Accepted {
	c.t.Helper()
	a, err := c.s.Prompt(c.ctx(), in)
	if err != nil {
		c.t.Fatal(err)
	}
	return a
}

// run sends a prompt and reads to its settled end.
func (c *client) run(text string) event.RunSettled {
	c.t.Helper()
	c.prompt(text)
	return on[event.RunSettled](c)
}

// story writes the events one a line, without what varies.
func (c *client) story() string {
	var s strings.Builder
	for _, it := range c.log {
		if it.Ack != nil {
			fmt.Fprintf(&s, "ack %v\n", it.Ack)
			continue
		}
		if line := tell(it.Event); line != "" {
			s.WriteString(line + "\n")
		}
	}
	return s.String()
}

// tell writes one event; what doesn't belong to the story is left out.
func tell(ev event.Event) string {
	switch e := ev.(type) {
	case event.MessageDelta, event.UsageChanged, event.EntryAppended, event.MessageStarted, event.ToolProgress, event.SettingsChanged:
		return ""
	case event.MessageEnded:
		return fmt.Sprintf("%s %q %s", e.Message.Role, e.Message.Text(), e.Message.StopReason)
	case event.RunEnded:
		return fmt.Sprintf("run_ended %s will=%s messages=%d", e.Reason, e.Will, len(e.Messages))
	case event.RunSettled:
		return fmt.Sprintf("run_settled %s", e.Reason)
	case event.ToolStarted:
		return "tool_started " + e.Name
	case event.ToolEnded:
		return fmt.Sprintf("tool_ended %s %q error=%v", e.Name, message.Text(e.Content), e.IsError)
	case event.ToolRunning:
		return "tool_running " + e.Name
	case event.QueueChanged:
		var texts []string
		for _, q := range e.Queue {
			texts = append(texts, q.Delivery+":"+q.Message.Text())
		}
		return "queue " + strings.Join(texts, " ")
	case event.RetryScheduled:
		return fmt.Sprintf("retry %d/%d after %dms", e.Attempt, e.MaxAttempts, e.DelayMS)
	case event.RetryEnded:
		return fmt.Sprintf("retry_ended success=%v %d %s", e.Success, e.Attempt, e.Error)
	case event.CompactionStarted:
		return "compaction_started " + e.Reason
	case event.CompactionEnded:
		return fmt.Sprintf("compaction_ended %s ok=%v aborted=%v retry=%v %s", e.Reason, e.Result != nil, e.Aborted, e.WillRetry, e.Error)
	case event.AskOpened:
		return fmt.Sprintf("ask_opened %s %s", e.Question.Kind, e.Question.Title)
	case event.AskClosed:
		return fmt.Sprintf("ask_closed answered=%v", e.Answered)
	case event.Notice:
		return "notice " + e.Text
	}
	return string(ev.Kind())
}

func (c *client) wants(story string) {
	c.t.Helper()
	if got, want := trimLines(c.story()), trimLines(story); got != want {
		c.t.Errorf("story:\n%s\n\nwant:\n%s", got, want)
	}
}

func trimLines(s string) string {
	var lines []string
	for l := range strings.Lines(strings.TrimSpace(s)) {
		lines = append(lines, strings.TrimSpace(l))
	}
	return strings.Join(lines, "\n")
}

// addTool gives a session a tool of the test's.
func (c *client) addTool(name string, kind tool.Kind, run func(context.Context, tool.Call) (tool.Result, error)) {
	c.t.Helper()
	type none struct {
		N int `json:"n,omitempty"`
	}
	t := tool.New(tool.Spec{Name: name, Description: name, Kind: kind}, func(ctx context.Context, call tool.Call, _ none) (tool.Result, error) {
		return run(ctx, call)
	})
	if err := c.s.tools.Add(t); err != nil {
		c.t.Fatal(err)
	}
}

func wait(t *testing.T, ch <-chan struct{}, what string) {
	t.Helper()
	select {
	case <-ch:
	case <-time.After(guard):
		t.Fatalf("waited too long for %s", what)
	}
}
