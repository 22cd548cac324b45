package engine

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/ext"
	"github.com/hoopoe-agent/hoopoe/engine/tool"
)

// modules are extensions of Go funcs behind files: a file's text names the func
// that loads it and, behind it, capabilities.
type modules struct {
	mu     sync.Mutex
	loads  map[string]func(ctx context.Context, s ext.Session, granted []string) (*ext.Instance, error)
	loaded []string // texts of the files, in the order of their loading
}

func newModules() *modules {
	return &modules{loads: map[string]func(context.Context, ext.Session, []string) (*ext.Instance, error){}}
}

func withModules(m *modules) worldOption { return func(o *Options) { o.Modules = m } }

func (m *modules) Entries(path string) ([]string, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, nil
	case !info.IsDir():
		return []string{path}, nil
	}
	return filepath.Glob(filepath.Join(path, "*.ts"))
}

func (m *modules) Inspect(_ context.Context, path string) (ext.Module, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return ext.Module{}, err
	}
	words := strings.Fields(string(text))
	if len(words) == 0 {
		return ext.Module{}, errors.New("it doesn't parse")
	}
	return ext.Module{
		Name: strings.TrimSuffix(filepath.Base(path), ".ts"), Path: path, Hash: string(text), Capabilities: words[1:], Files: []string{path},
	}, nil
}

func (m *modules) Extension(of ext.Module, granted []string) ext.Extension {
	return goExtension{m, of, granted}
}

type goExtension struct {
	m       *modules
	module  ext.Module
	granted []string
}

func (e goExtension) Name() string { return e.module.Name }

func (e goExtension) Load(ctx context.Context, s ext.Session) (*ext.Instance, error) {
	word := strings.Fields(e.module.Hash)[0]
	e.m.mu.Lock()
	e.m.loaded = append(e.m.loaded, word)
	load := e.m.loads[word]
	e.m.mu.Unlock()
	if load == nil {
		return nil, errors.New("there is no " + word)
	}
	return load(ctx, s, e.granted)
}

// hooks makes an instance of hooks alone.
func (m *modules) hooks(word string, h ext.Hooks) {
	m.loads[word] = func(context.Context, ext.Session, []string) (*ext.Instance, error) {
		return &ext.Instance{Hooks: h}, nil
	}
}

// plant writes a file of the user's extensions, or below another folder.
func (w *world) plant(name, text string) string {
	w.t.Helper()
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(w.engine.paths.Extensions(), name)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
	return path
}

// start runs Start to its end.
func (c *client) start() {
	c.t.Helper()
	if err := c.s.Start(c.ctx()); err != nil {
		c.t.Fatal(err)
	}
}

// seen waits until something has happened that a test looks for in c.log.
func logged[E event.Event](c *client, fits func(E) bool) bool {
	for _, it := range c.log {
		if e, ok := it.Event.(E); ok && fits(e) {
			return true
		}
	}
	return false
}

// noArgs are the parameters of a tool without any.
var noArgs = json.RawMessage(`{"type":"object","properties":{}}`)

// simpleTool answers with a text.
type simpleTool struct {
	name, answer string
	approve      bool
	run          func(ctx context.Context) error
}

func (t simpleTool) Spec() tool.Spec {
	return tool.Spec{Name: t.name, Description: t.answer, Parameters: noArgs}
}

func (t simpleTool) NeedsApproval() bool { return t.approve }

func (t simpleTool) Run(ctx context.Context, _ tool.Call) (tool.Result, error) {
	if t.run != nil {
		if err := t.run(ctx); err != nil {
			return tool.Result{}, err
		}
	}
	return tool.TextResult(t.answer), nil
}

func wants(t *testing.T, what string, ok bool) {
	t.Helper()
	if !ok {
		t.Error(what)
	}
}
