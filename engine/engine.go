package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/auth"
	"github.com/hoopoe-agent/hoopoe/engine/config"
	"github.com/hoopoe-agent/hoopoe/engine/ext"
	"github.com/hoopoe-agent/hoopoe/engine/internal/plainfile"
	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/llm/catalog"
	"github.com/hoopoe-agent/hoopoe/engine/llm/offline"
	"github.com/hoopoe-agent/hoopoe/engine/llm/scripted"
	"github.com/hoopoe-agent/hoopoe/engine/session"
	"github.com/hoopoe-agent/hoopoe/engine/shell"
)

// Options are what an Engine takes from the outside world.
type Options struct {
	Paths config.Paths
	// Environ is the environment of child processes, usually os.Environ().
	Environ []string
	Getenv  func(string) string
	// Hooks are the extensions of every session, in load order.
	Hooks []ext.Hooks
	Now   func() time.Time
	// Adapters speak the APIs of the catalogue's models, by the API's name.
	Adapters map[string]llm.Adapter
	// Models adds rows to the catalogue.
	Models []llm.Model
	// Log gets what is of use in a bug report; nil drops it. It must not write
	// to the terminal or the protocol.
	Log *slog.Logger
	// Secret, if set, is told every key that is handed out, so that the log can
	// mask it.
	Secret func(string)
}

// Engine is what outlives a session: paths, credentials, the catalogue.
type Engine struct {
	options Options
	paths   config.Paths
	keys    *auth.Keys
	catalog *catalog.Catalog
	log     *slog.Logger
	shell   func() (shell.Shell, error)

	mu      sync.Mutex
	scripts map[string]*scripted.Script // by the model's ref
}

// New returns an Engine. It reads no file yet.
func New(o Options) *Engine {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Getenv == nil {
		o.Getenv = func(string) string { return "" }
	}
	e := &Engine{options: o, paths: o.Paths, scripts: map[string]*scripted.Script{}}
	e.log = o.Log
	if e.log == nil {
		e.log = slog.New(slog.DiscardHandler)
	}
	e.keys = auth.New(auth.Options{Path: o.Paths.Auth(), Getenv: o.Getenv, Found: o.Secret})
	e.catalog = catalog.New(catalog.Options{
		Keys:   e.keys.Has,
		Speaks: func(api string) bool { return o.Adapters[api] != nil },
		Extra:  o.Models,
	})
	e.shell = sync.OnceValues(func() (shell.Shell, error) { return shell.FindShell(runtime.GOOS, exec.LookPath) })
	return e
}

func (e *Engine) now() time.Time { return e.options.Now() }

// Models lists the models that can be used, the guide last.
func (e *Engine) Models() []llm.Model { return e.catalog.Available() }

// enabled lists the usable models that fit one of the patterns, in their
// order; without patterns all.
func (e *Engine) enabled(patterns []string) []llm.Model {
	if len(patterns) == 0 {
		return e.Models()
	}
	var models []llm.Model
	for _, p := range patterns {
		if m, _, err := e.findModel(p); err == nil && !slices.ContainsFunc(models, func(o llm.Model) bool { return o.Ref() == m.Ref() }) {
			models = append(models, m)
		}
	}
	return models
}

// scriptPrefix selects a model script: script/FILE.
const scriptPrefix = "script/"

// findModel looks a model up by pattern and says why it can't be used.
func (e *Engine) findModel(pattern string) (llm.Model, llm.Level, error) {
	if path, ok := strings.CutPrefix(pattern, scriptPrefix); ok {
		m, err := e.script(path)
		return m, "", err
	}
	m, level, err := e.catalog.Find(pattern)
	if err != nil {
		return llm.Model{}, "", err
	}
	return m, level, e.catalog.Usable(m)
}

// usable says why a model can't be used now; nil when it can.
func (e *Engine) usable(m llm.Model) error {
	e.mu.Lock()
	script := e.scripts[m.Ref()]
	e.mu.Unlock()
	if script != nil {
		return nil
	}
	return e.catalog.Usable(m)
}

// model finds a model by its exact name; a script that was loaded counts.
func (e *Engine) model(provider, id string) (llm.Model, bool) {
	e.mu.Lock()
	s := e.scripts[provider+"/"+id]
	e.mu.Unlock()
	if s != nil {
		return s.Model(), true
	}
	for _, m := range e.catalog.Models(provider) {
		if m.ID == id {
			return m, e.catalog.Usable(m) == nil
		}
	}
	return llm.Model{}, false
}

// maxScript bounds a model script, in bytes.
const maxScript = 64 << 20

// script loads a model script.
func (e *Engine) script(path string) (llm.Model, error) {
	data, err := plainfile.Read(path, maxScript)
	if err != nil {
		return llm.Model{}, fmt.Errorf("read model script: %w", err)
	}
	s, err := scripted.Parse(path, data)
	if err != nil {
		return llm.Model{}, fmt.Errorf("read model script: %w", err)
	}
	e.mu.Lock()
	e.scripts[s.Model().Ref()] = s
	e.mu.Unlock()
	return s.Model(), nil
}

// provider makes a session's own adapter for a model.
func (e *Engine) provider(m llm.Model) (llm.Provider, error) {
	if open := e.options.Adapters[m.API]; open != nil {
		return open(m, func(ctx context.Context) (string, error) { return e.key(ctx, m) })
	}
	e.mu.Lock()
	s := e.scripts[m.Ref()]
	e.mu.Unlock()
	switch {
	case s != nil:
		return scripted.New(s, scripted.Options{}), nil
	case m.API == offline.API:
		return offline.New(offline.Options{}), nil
	}
	return nil, fmt.Errorf("no adapter speaks %s, which %s needs", m.API, m.Ref())
}

// Untrusted lists the project's files that are read only after a decision:
// nil when there are none or the user has decided.
func (e *Engine) Untrusted(cwd string) []string {
	if t, err := e.paths.Trust(cwd); err != nil || t != config.TrustUnknown {
		return nil
	}
	return config.NeedsTrust(cwd)
}

// SetTrust remembers the user's decision about a project folder.
func (e *Engine) SetTrust(ctx context.Context, cwd string, trusted bool) error {
	t := config.Distrusted
	if trusted {
		t = config.Trusted
	}
	return e.paths.SetTrust(ctx, cwd, t)
}

// SessionFolders are the folders that hold the sessions of cwd; the first is
// where new ones go. all lists those of every working directory. An empty
// sessionDir means the settings'.
func (e *Engine) SessionFolders(cwd, sessionDir string, all bool) ([]string, error) {
	if sessionDir == "" {
		s, err := e.Settings(context.Background(), cwd)
		if err != nil {
			return nil, err
		}
		sessionDir = s.SessionDir
	}
	if sessionDir != "" {
		return []string{sessionDir}, nil
	}
	root := e.paths.Sessions()
	if root == "" {
		return nil, config.ErrNoHome
	}
	if all {
		return session.AllFolders(root)
	}
	return session.Folders(root, cwd, e.paths.Home, os.TempDir()), nil
}

// FindSession returns the path of the session that query names: a path, the
// beginning of an id, or a piece of its name; empty means the latest.
func (e *Engine) FindSession(cwd, sessionDir, query string) (string, error) {
	folders, err := e.SessionFolders(cwd, sessionDir, false)
	if err != nil {
		return "", err
	}
	if query == "" {
		s, ok, err := session.Latest(folders...)
		if err == nil && !ok {
			err = fmt.Errorf("no session in this folder yet: %w", session.ErrNotFound)
		}
		return s.Path, err
	}
	s, err := session.Find(query, folders...)
	if errors.Is(err, session.ErrNotFound) && sessionDir == "" {
		if every, e2 := e.SessionFolders(cwd, "", true); e2 == nil {
			if found, e3 := session.Find(query, every...); e3 == nil {
				return found.Path, nil
			}
		}
	}
	return s.Path, err
}

// Paths are the engine's folders.
func (e *Engine) Paths() config.Paths { return e.paths }

// key is the API key of a model's provider.
func (e *Engine) key(ctx context.Context, m llm.Model) (string, error) {
	k, ok, err := e.keys.Key(ctx, m.Provider)
	if err == nil && !ok {
		err = e.catalog.Usable(m)
	}
	return k.Value, err
}

func absolute(path string) (string, error) {
	if path == "" {
		return os.Getwd()
	}
	return filepath.Abs(path)
}
