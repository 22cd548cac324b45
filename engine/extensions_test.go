package engine

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/ext"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/permission"
	"github.com/hoopoe-agent/hoopoe/engine/tool"
)

const always = "-- turn --\ntimes: always\n-- text --\nok\n"

// Extensions are found where the user, the settings, a trusted project and the
// options have them, in this order, each file once; the project's only with
// trust. None is loaded before Start.
func TestExtensionsAreFound(t *testing.T) {
	for _, trusted := range []bool{false, true} {
		m := newModules()
		for _, word := range []string{"user", "set", "own", "pi", "given"} {
			m.hooks(word, ext.Hooks{})
		}
		w := newWorld(t, hello, withModules(m), withSettings(`{"extensions": ["more/set.ts", "extensions/user.ts"]}`))
		w.plant("user.ts", "user")
		w.plant(filepath.Join(w.engine.paths.Config, "more", "set.ts"), "set")
		w.plant(filepath.Join(w.dir, ".hoopoe", "extensions", "own.ts"), "own")
		w.plant(filepath.Join(w.dir, ".pi", "extensions", "pi.ts"), "pi")
		w.plant(filepath.Join(w.dir, "given.ts"), "given")
		c := w.open(OpenOptions{Approve: trusted, Extensions: []string{"given.ts", "none.ts"}})
		if len(m.loaded) > 0 {
			t.Fatalf("loaded %q before the start", m.loaded)
		}
		c.start()
		var names []string
		for _, e := range c.s.Extensions() {
			names = append(names, e.Name)
			if e.Project != (e.Name == "own" || e.Name == "pi") {
				t.Errorf("%s: the project's: %v", e.Name, e.Project)
			}
		}
		want := []string{"user", "set", "given"}
		if trusted {
			want = []string{"user", "set", "own", "pi", "given"}
		}
		if !slices.Equal(names, want) {
			t.Errorf("trusted %v: loaded %q, want %q", trusted, names, want)
		}
		if n := on[event.Notice](c); !strings.Contains(n.Text, "none.ts") {
			t.Errorf("told %q", n.Text)
		}
		none := w.open(OpenOptions{Approve: true, NoExtensions: true})
		none.start()
		if list := none.s.Extensions(); len(list) > 0 {
			t.Errorf("without extensions: %v", list)
		}
	}
}

// The project's extensions are among what trust is asked for.
func TestExtensionsNeedTrust(t *testing.T) {
	w := newWorld(t, hello)
	w.plant(filepath.Join(w.dir, ".pi", "extensions", "pi.ts"), "pi")
	if got := w.engine.Untrusted(w.dir); !slices.Contains(got, filepath.Join(".pi", "extensions")) {
		t.Errorf("untrusted: %q", got)
	}
}

// What an extension wants is asked once; the answer counts for this content.
// Where nobody can be asked it isn't loaded, but for --approve.
func TestCapabilities(t *testing.T) {
	m := newModules()
	granted := make(chan []string, 8)
	m.loads["net"] = func(_ context.Context, _ ext.Session, g []string) (*ext.Instance, error) {
		granted <- g
		return &ext.Instance{}, nil
	}
	w := newWorld(t, hello, withModules(m))
	w.plant("a.ts", "net net exec")
	open := func(o OpenOptions, answer ...event.Answer) (*client, []event.Question) {
		c := w.open(o)
		if len(answer) > 0 {
			c.attach(Client{Shows: []event.QuestionKind{event.AskConfirm}})
		}
		done := make(chan struct{})
		go func() { defer close(done); c.start() }()
		var asked []event.Question
		for _, a := range answer {
			q := on[event.AskOpened](c).Question
			asked = append(asked, q)
			if _, err := c.s.Answer(c.ctx(), q.ID, a); err != nil {
				t.Fatal(err)
			}
		}
		wait(t, done, "the start")
		return c, asked
	}
	c, _ := open(OpenOptions{})
	if n := on[event.Notice](c); len(c.s.Extensions()) > 0 || !strings.Contains(n.Text, "--approve") {
		t.Errorf("nobody to ask: %v, %q", c.s.Extensions(), n.Text)
	}
	hosted := w.open(OpenOptions{Hosted: true})
	hosted.attach(Client{Shows: []event.QuestionKind{event.AskConfirm}})
	hosted.start()
	if len(hosted.s.Extensions()) > 0 || logged(hosted, func(event.AskOpened) bool { return true }) {
		t.Error("a program was asked, or an extension loaded unasked")
	}
	open(OpenOptions{Approve: true})
	if g := <-granted; !slices.Equal(g, []string{"net", "exec"}) {
		t.Errorf("approved: %q", g)
	}
	_, asked := open(OpenOptions{}, event.Answer{Confirmed: false})
	if q := asked[0]; q.Kind != event.AskConfirm || q.Extension != "a" || !strings.Contains(q.Title, "open network connections and run programs") {
		t.Errorf("asked %+v", q)
	}
	if g := <-granted; len(g) > 0 {
		t.Errorf("declined: %q", g)
	}
	open(OpenOptions{}) // it is remembered, also where nobody can be asked
	if g := <-granted; len(g) > 0 {
		t.Errorf("declined before: %q", g)
	}
	w.plant("a.ts", "net net exec ")
	open(OpenOptions{}, event.Answer{Confirmed: true})
	if g := <-granted; !slices.Equal(g, []string{"net", "exec"}) {
		t.Errorf("confirmed: %q", g)
	}
	open(OpenOptions{})
	if g := <-granted; !slices.Equal(g, []string{"net", "exec"}) {
		t.Errorf("confirmed before: %q", g)
	}
	w.plant("a.ts", "net net exec fs")
	c, _ = open(OpenOptions{})
	if len(c.s.Extensions()) > 0 {
		t.Error("changed, and nobody was asked")
	}
}

// A prompt waits for the extensions, also one that comes before Start.
func TestPromptWaitsForExtensions(t *testing.T) {
	m := newModules()
	m.hooks("a", ext.Hooks{BeforeRun: func(_ context.Context, _ ext.Session, b ext.BeforeRun) (ext.BeforeRunReply, error) {
		return ext.BeforeRunReply{Block: true, Reason: "no " + b.Prompt}, nil
	}})
	w := newWorld(t, hello, withModules(m))
	w.plant("a.ts", "a")
	c := w.open(OpenOptions{})
	if end := c.run("hi"); end.Reason != message.Refusal || end.Error != "no hi" {
		t.Errorf("settled %+v", end)
	}
}

// An extension that can't be loaded is told and left out; the others go on.
func TestBrokenExtension(t *testing.T) {
	m := newModules()
	m.hooks("good", ext.Hooks{})
	m.loads["panics"] = func(context.Context, ext.Session, []string) (*ext.Instance, error) { panic("boom") }
	m.loads["none"] = func(context.Context, ext.Session, []string) (*ext.Instance, error) { return nil, nil }
	w := newWorld(t, hello, withModules(m))
	for name, text := range map[string]string{"a": "good", "b": "panics", "c": "none", "d": "unknown", "e": ""} {
		w.plant(name+".ts", text)
	}
	c := w.open(OpenOptions{})
	c.start()
	failed := map[string]string{}
	for len(failed) < 4 {
		e := on[event.ExtensionFailed](c)
		failed[e.Extension] = e.Error
	}
	if list := c.s.Extensions(); len(list) != 1 || list[0].Name != "a" {
		t.Errorf("loaded %v", list)
	}
	for name, want := range map[string]string{"b": "boom", "c": "instance", "d": "unknown", "e": "parse"} {
		if !strings.Contains(failed[name], want) {
			t.Errorf("%s failed: %q", name, failed[name])
		}
	}
	c.run("hi")
}

// A tool's claim about itself frees it from nothing: what reads may be asked
// about all the same.
func TestExtensionToolIsJudged(t *testing.T) {
	c := newWorld(t, hello).open(OpenOptions{Mode: "ask"})
	spec := tool.Spec{Name: "look", Kind: tool.Read}
	r := c.s.permissionRequest(spec, tool.Description{Title: "look", Kind: tool.Read}, true)
	if d := c.s.policy.judge(r); d.Action != permission.Ask {
		t.Errorf("decided %v", d.Action)
	}
}

// The view has what extensions show, until they take it away.
func TestViewShowsWhatExtensionsShow(t *testing.T) {
	text := "1"
	h := ext.Hooks{Name: "a", SessionStart: func(ctx context.Context, s ext.Session) error {
		s.SetStatus(ctx, "x", &text)
		s.SetStatus(ctx, "y", &text)
		s.SetStatus(ctx, "x", nil)
		s.SetWidget(ctx, "w", []string{"a"}, "")
		s.SetTitle(ctx, "title")
		return nil
	}}
	c := newWorld(t, hello, withHooks(h)).open(OpenOptions{})
	c.start()
	v, err := c.s.View(c.ctx())
	if err != nil {
		t.Fatal(err)
	}
	if len(v.Statuses) != 1 || v.Statuses[0].Key != "y" || len(v.Widgets) != 1 || v.Title != "title" {
		t.Errorf("view %+v", v)
	}
}

// Flags are taken from the arguments that only extensions know.
func TestExtensionFlags(t *testing.T) {
	m := newModules()
	got := map[string]any{}
	m.loads["a"] = func(_ context.Context, s ext.Session, _ []string) (*ext.Instance, error) {
		flags := []ext.Flag{
			{Name: "plan", Type: "boolean"}, {Name: "deep", Type: "boolean", Default: true}, {Name: "to", Type: "string"}, {Name: "by", Type: "string"}, {Name: "from", Type: "string", Default: "here"},
		}
		return &ext.Instance{
			Hooks: ext.Hooks{SessionStart: func(context.Context, ext.Session) error {
				for _, f := range flags {
					got[f.Name] = s.Flag(f.Name)
				}
				got["none"] = s.Flag("none")
				return nil
			}},
			Registered: func() ext.Registrations { return ext.Registrations{Flags: flags} },
		}, nil
	}
	w := newWorld(t, hello, withModules(m))
	w.plant("a.ts", "a")
	c := w.open(OpenOptions{ExtensionArgs: []string{"--plan", "--to", "there", "--by=air", "--odd"}})
	c.start()
	want := map[string]any{"plan": true, "deep": true, "to": "there", "by": "air", "from": "here", "none": nil}
	for name, value := range want {
		if got[name] != value {
			t.Errorf("%s is %v, want %v", name, got[name], value)
		}
	}
	if n := on[event.Notice](c); !strings.Contains(n.Text, "--odd") {
		t.Errorf("told %q", n.Text)
	}
}

// Extensions name skills, templates and themes.
func TestDiscover(t *testing.T) {
	w := newWorld(t, hello)
	dir := filepath.Join(w.dir, "more")
	w.plant(filepath.Join(dir, "skills", "look", "SKILL.md"), "---\nname: look\ndescription: Looks.\n---\nLook.\n")
	w.plant(filepath.Join(dir, "prompts", "ask.md"), "Ask it.\n")
	h := ext.Hooks{Name: "a", Discover: func(_ context.Context, _ ext.Session, reason string) (ext.Discovered, error) {
		return ext.Discovered{
			Skills: []string{filepath.Join(dir, "skills")}, Prompts: []string{filepath.Join(dir, "prompts")}, Themes: []string{filepath.Join(dir, reason)},
		}, nil
	}}
	w.engine.options.Hooks = []ext.Hooks{h}
	c := w.open(OpenOptions{})
	c.start()
	var names []string
	for _, s := range c.s.Skills() {
		names = append(names, s.Name)
	}
	for _, s := range c.s.Templates() {
		names = append(names, s.Name)
	}
	if !slices.Contains(names, "look") || !slices.Contains(names, "ask") {
		t.Errorf("found %q", names)
	}
	if got := c.s.ThemePaths(); !slices.Equal(got, []string{filepath.Join(dir, "startup")}) {
		t.Errorf("themes %q", got)
	}
}

// A body of a request passes the extensions, also a sub-agent's.
func TestRequestIsRewritten(t *testing.T) {
	h := func(name string) ext.Hooks {
		return ext.Hooks{Name: name, Request: func(_ context.Context, _ ext.Session, body json.RawMessage) (json.RawMessage, error) {
			if name == "bad" {
				return json.RawMessage("{"), nil
			}
			return json.RawMessage(strings.Replace(string(body), "}", `,"`+name+`":1}`, 1)), nil
		}}
	}
	c := newWorld(t, hello, withHooks(h("a"), h("bad"), h("b"))).open(OpenOptions{})
	_, r, err := c.s.request(c.ctx(), nil, "s")
	if err != nil {
		t.Fatal(err)
	}
	if got := string(r.Rewrite([]byte(`{"x":1}`))); got != `{"x":1,"a":1,"b":1}` {
		t.Errorf("sent %s", got)
	}
	if e := on[event.ExtensionFailed](c); e.Extension != "bad" || e.Point != "request" {
		t.Errorf("failed %+v", e)
	}
}
