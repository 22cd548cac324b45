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
	"sync"
	"sync/atomic"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/auth"
	"github.com/hoopoe-agent/hoopoe/engine/config"
	"github.com/hoopoe-agent/hoopoe/engine/ext"
	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/llm/catalog"
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
	// Modules makes extensions of the files that the user, the settings and
	// trusted projects have; nil leaves them all out.
	Modules ext.Modules
	Now     func() time.Time
	// Adapters speak the APIs of the catalogue's models, by the API's name.
	Adapters map[string]llm.Adapter
	// Models adds rows to the catalogue.
	Models []llm.Model
	// Version of the program, for those that it talks to.
	Version string
	// Log gets what is of use in a bug report; nil drops it. It must not write
	// to the terminal or the protocol.
	Log *slog.Logger
	// Keys are API keys from the command line, by provider.
	Keys map[string]string
	// Offline opens no connection: no adapter is offered and no local server
	// looked for.
	Offline bool
	// LocalServers looks for model servers of this machine when no other model
	// decides, and for lists.
	LocalServers bool
	// Secret, if set, is told every key that is handed out, so that the log can
	// mask it.
	Secret func(string)
}

// Engine is what outlives a session: paths, credentials, the catalogue.
type Engine struct {
	options Options
	paths   config.Paths
	keys    *auth.Keys
	catalog func() (*catalog.Catalog, error)
	log     *slog.Logger
	shell   func() (shell.Shell, error)

	sessions atomic.Uint64 // that were opened

	probing sync.Mutex // held while local servers are asked

	mu      sync.Mutex
	scripts map[string]*scripted.Script // by the model's ref
	looked  time.Time                   // when local servers were last asked
	notes   map[string]string           // about local models, by ref
}

// New returns an Engine. It reads no file yet.
func New(o Options) *Engine {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Getenv == nil {
		o.Getenv = func(string) string { return "" }
	}
	e := &Engine{options: o, paths: o.Paths, scripts: map[string]*scripted.Script{}, notes: map[string]string{}}
	e.log = o.Log
	if e.log == nil {
		e.log = slog.New(slog.DiscardHandler)
	}
	e.keys = auth.New(auth.Options{Path: o.Paths.Auth(), Getenv: o.Getenv, Run: e.output, Found: o.Secret, Explicit: o.Keys})
	e.catalog = sync.OnceValues(e.openCatalog)
	e.shell = sync.OnceValues(func() (shell.Shell, error) { return shell.FindShell(runtime.GOOS, exec.LookPath) })
	return e
}

func (e *Engine) now() time.Time { return e.options.Now() }

// Untrusted lists the project's files that are read only after a decision:
// nil when there are none or the user has decided.
func (e *Engine) Untrusted(cwd string) []string {
	if t, err := e.paths.Trust(cwd); err != nil || t != config.TrustUnknown {
		return nil
	}
	files := config.NeedsTrust(cwd)
	for _, path := range e.places(cwd, false).Project() {
		if !slices.ContainsFunc(files, func(folder string) bool { return below(folder, path) }) {
			files = append(files, path)
		}
	}
	var more []string
	for _, dir := range projectExtensions {
		more = append(more, filepath.Join(cwd, filepath.FromSlash(dir)))
	}
	for _, path := range append(serverFiles(cwd), more...) {
		rel, err := filepath.Rel(cwd, path)
		if err != nil || slices.ContainsFunc(files, func(known string) bool { return below(known, rel) }) {
			continue
		}
		if _, err := os.Lstat(path); err == nil {
			files = append(files, rel)
		}
	}
	return files
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

// Log is where the engine writes what is of use in a bug report.
func (e *Engine) Log() *slog.Logger { return e.log }

// Paths are the engine's folders.
func (e *Engine) Paths() config.Paths { return e.paths }

func absolute(path string) (string, error) {
	if path == "" {
		return os.Getwd()
	}
	return filepath.Abs(path)
}
