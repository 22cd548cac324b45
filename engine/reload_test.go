package engine

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/ext"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/tool"
)

// diary is a list that several goroutines write.
type diary struct {
	mu    sync.Mutex
	lines []string
}

func (d *diary) add(line string) {
	d.mu.Lock()
	d.lines = append(d.lines, line)
	d.mu.Unlock()
}

func (d *diary) all() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.lines)
}

// living writes down the life of an instance.
func (m *modules) living(word string, d *diary) {
	m.loads[word] = func(context.Context, ext.Session, []string) (*ext.Instance, error) {
		d.add("load " + word)
		return &ext.Instance{
			Hooks: ext.Hooks{
				SessionStart: func(ctx context.Context, s ext.Session) error {
					d.add("start " + word)
					s.SetStatus(ctx, "k", &word)
					return nil
				},
				SessionShutdown: func(context.Context, ext.Session) error { d.add("stop " + word); return nil },
			},
			Registered: func() ext.Registrations {
				return ext.Registrations{Tools: []tool.Tool{simpleTool{name: word}}, Commands: []ext.Command{{Name: word, Run: func(context.Context, string) error { return nil }}}}
			},
			Close: func() { d.add("close " + word) },
		}, nil
	}
}

// A reload ends each extension and begins it anew; a broken version leaves the
// one before; what is gone ends.
func TestReloadExtensions(t *testing.T) {
	m, d := newModules(), &diary{}
	m.living("one", d)
	m.living("two", d)
	w := newWorld(t, hello, withModules(m))
	path := w.plant("a.ts", "one")
	c := w.open(OpenOptions{})
	c.start()
	step := func(count int, fails bool, want ...string) {
		t.Helper()
		d.mu.Lock()
		d.lines = nil
		d.mu.Unlock()
		n, err := c.s.ReloadExtensions(c.ctx())
		if n != count || (err != nil) != fails {
			t.Errorf("%d, %v", n, err)
		}
		if got := d.all(); !slices.Equal(got, want) {
			t.Errorf("life %q, want %q", got, want)
		}
	}
	step(1, false, "load one", "stop one", "close one", "start one")
	w.plant("a.ts", "two")
	step(1, false, "load two", "stop one", "close one", "start two")
	if v, _ := c.s.View(c.ctx()); len(v.Statuses) != 1 || *v.Statuses[0].Text != "two" {
		t.Errorf("shown %v", v.Statuses)
	}
	if _, ok := c.s.findTool("two"); !ok || c.s.ExtensionCommands()[0].Name != "two" {
		t.Error("the new version isn't there")
	}
	w.plant("a.ts", "broken")
	step(0, true, []string(nil)...)
	w.plant("a.ts", "")
	step(0, true, []string(nil)...)
	if _, ok := c.s.findTool("two"); !ok {
		t.Error("the old version is gone")
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	step(0, false, "stop two", "close two")
	if v, _ := c.s.View(c.ctx()); len(v.Statuses)+len(c.s.Extensions()) > 0 {
		t.Errorf("left %v, %v", v.Statuses, c.s.Extensions())
	}
	if err := c.s.Close(c.ctx()); err != nil {
		t.Fatal(err)
	}
}

// A file that changes is loaded by itself; its neighbours go on.
func TestExtensionsAreWatched(t *testing.T) {
	m, d := newModules(), &diary{}
	for _, word := range []string{"one", "two", "three"} {
		m.living(word, d)
	}
	w := newWorld(t, hello, withModules(m))
	w.plant("a.ts", "one")
	w.plant("b.ts", "two")
	c := w.open(OpenOptions{})
	c.start()
	w.plant("a.ts", "three")
	c.until("the reload", func(it Item) bool {
		n, ok := it.Event.(event.Notice)
		return ok && strings.Contains(n.Text, "loaded anew")
	})
	if got, want := d.all()[4:], []string{"load three", "stop one", "close one", "start three"}; !slices.Equal(got, want) {
		t.Errorf("life %q, want %q", got, want)
	}
}

// While a hook, a tool or a command of the old version is at work it isn't
// closed, and the session goes on with both.
func TestReloadWhileRunning(t *testing.T) {
	m, d := newModules(), &diary{}
	m.living("two", d)
	began, goOn := make(chan struct{}), make(chan struct{})
	m.loads["one"] = func(context.Context, ext.Session, []string) (*ext.Instance, error) {
		return &ext.Instance{
			Registered: func() ext.Registrations {
				return ext.Registrations{Tools: []tool.Tool{simpleTool{name: "look", answer: "seen", run: func(context.Context) error {
					close(began)
					<-goOn
					return nil
				}}}}
			},
			Close: func() { d.add("close one") },
		}, nil
	}
	w := newWorld(t, "-- turn --\n-- call look --\n{}\n-- turn --\n-- text --\nok\n", withModules(m))
	w.plant("a.ts", "one")
	c := w.open(OpenOptions{Mode: "full"})
	c.start()
	c.prompt("go")
	wait(t, began, "the tool")
	w.plant("a.ts", "two")
	if _, err := c.s.ReloadExtensions(c.ctx()); err != nil {
		t.Fatal(err)
	}
	if slices.Contains(d.all(), "close one") {
		t.Error("closed while its tool ran")
	}
	close(goOn)
	on[event.RunSettled](c)
	wants(t, c.story(), logged(c, func(e event.ToolEnded) bool { return message.Text(e.Content) == "seen" }))
	wants(t, "it isn't closed", slices.Contains(d.all(), "close one"))
}

// Extensions hear of everything in order, before the hook at the run's end; a
// slow one gets news of one message merged and slows nobody.
func TestExtensionHears(t *testing.T) {
	d := &diary{}
	goOn := make(chan struct{})
	text := ""
	h := ext.Hooks{
		Name: "a",
		Event: func(_ context.Context, _ ext.Session, e event.Event) error {
			switch e := e.(type) {
			case event.RunStarted:
				<-goOn // until the whole answer is there
			case event.MessageDelta:
				text += e.Delta()
				d.add("delta")
			case event.MessageEnded:
				d.add(string(e.Message.Role))
			case event.RunEnded, event.RunSettled:
				d.add(string(e.Kind()))
			}
			return nil
		},
		RunEnd: func(context.Context, ext.Session, ext.RunEnd) error { d.add("run end"); return nil },
	}
	c := newWorld(t, "-- turn --\n-- text piece=1 --\nhello\n", withHooks(h)).open(OpenOptions{})
	c.prompt("hi")
	c.until("the answer", func(it Item) bool {
		e, ok := it.Event.(event.RunEnded)
		return ok && e.Will == event.WillSettle
	})
	close(goOn)
	on[event.RunSettled](c)
	if err := c.s.Close(c.ctx()); err != nil {
		t.Fatal(err)
	}
	if got, want := d.all(), []string{"user", "delta", "assistant", "run_ended", "run end", "run_settled"}; !slices.Equal(got, want) || text != "hello" {
		t.Errorf("heard %q with %q, want %q", got, text, want)
	}
}

// What fails, panics or hangs is told, and the session goes on; where calls are
// guarded it fails closed.
func TestExtensionFails(t *testing.T) {
	for name, with := range map[string]func(ctx context.Context, over chan struct{}) error{
		"error": func(context.Context, chan struct{}) error { return errors.New("no") },
		"panic": func(context.Context, chan struct{}) error { panic("no") },
		"hangs": func(ctx context.Context, _ chan struct{}) error { <-ctx.Done(); return ctx.Err() },
		"stuck": func(_ context.Context, over chan struct{}) error { <-over; return nil },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				over := make(chan struct{})
				defer close(over)
				fail := func(ctx context.Context) error { return with(ctx, over) }
				h := ext.Hooks{
					Name: "bad",
					Input: func(ctx context.Context, _ ext.Session, _ ext.Input) (ext.InputReply, error) {
						return ext.InputReply{}, fail(ctx)
					},
					Event: func(ctx context.Context, _ ext.Session, e event.Event) error {
						if _, ok := e.(event.TurnStarted); ok {
							return fail(ctx)
						}
						return nil
					},
					ToolCall: func(ctx context.Context, _ ext.Session, _ ext.ToolCall) (ext.ToolCallReply, error) {
						return ext.ToolCallReply{}, fail(ctx)
					},
					RunEnd:          func(ctx context.Context, _ ext.Session, _ ext.RunEnd) error { return fail(ctx) },
					SessionShutdown: func(ctx context.Context, _ ext.Session) error { return fail(ctx) },
				}
				w := newWorld(t, "-- turn --\n-- call look --\n{}\n-- turn --\n-- text --\nok\n", withHooks(h))
				s, _, err := w.engine.Open(t.Context(), OpenOptions{Cwd: w.dir, Model: w.model.Ref(), InMemory: true, Mode: "full"})
				if err != nil {
					t.Fatal(err)
				}
				c := &client{t: t, s: s}
				c.attach(Client{})
				c.addTool("look", tool.Think, func(context.Context, tool.Call) (tool.Result, error) { return tool.TextResult("seen"), nil })
				if _, err := s.Prompt(t.Context(), Input{Text: "go"}); err != nil {
					t.Fatal(err)
				}
				for {
					it, err := c.sub.Next(t.Context())
					if err != nil {
						t.Fatal(err)
					}
					c.log = append(c.log, it)
					if _, ok := it.Event.(event.RunSettled); ok {
						break
					}
				}
				for _, point := range []string{"input", "tool_call", "turn_started", "run_end"} {
					wants(t, "nobody was told of "+point+"\n"+c.story(), logged(c, func(e event.ExtensionFailed) bool { return e.Point == point && e.Extension == "bad" }))
				}
				wants(t, "the call wasn't blocked", logged(c, func(e event.ToolEnded) bool { return e.Denied == "extension" }))
				if err := s.Close(t.Context()); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// Two extensions may ask at once: the second question waits for the first.
func TestTwoExtensionsAsk(t *testing.T) {
	answers := make(chan string, 2)
	h := func(name string) ext.Hooks {
		return ext.Hooks{Name: name, Event: func(ctx context.Context, s ext.Session, e event.Event) error {
			if _, ok := e.(event.RunStarted); ok {
				a, _ := s.Ask(ctx, event.Question{Kind: event.AskInput, Title: "from " + name})
				answers <- name + " " + a.Value
			}
			return nil
		}}
	}
	c := newWorld(t, always, withHooks(h("a"), h("b"))).open(OpenOptions{})
	c.attach(Client{Shows: []event.QuestionKind{event.AskInput}})
	c.prompt("hi")
	for range 2 {
		q := on[event.AskOpened](c).Question
		if q.Title != "from "+q.Extension {
			t.Errorf("asked %+v", q)
		}
		if won, err := c.s.Answer(c.ctx(), q.ID, event.Answer{Value: q.Extension}); !won || err != nil {
			t.Fatal(won, err)
		}
		if got, want := <-answers, q.Extension+" "+q.Extension; got != want {
			t.Errorf("answered %q, want %q", got, want)
		}
	}
}
