package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/hoopoe-agent/hoopoe/engine"
	"github.com/hoopoe-agent/hoopoe/engine/config"
	"github.com/hoopoe-agent/hoopoe/engine/redact"
	"github.com/hoopoe-agent/hoopoe/engine/session"
	"github.com/hoopoe-agent/hoopoe/slash"
)

// closeWait bounds how long a session may take to end.
const closeWait = 10 * time.Second

func (p *program) getenv(name string) string {
	value := ""
	for _, kv := range p.environ {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			value = v
		}
	}
	return value
}

// newEngine makes the engine and says what is odd about the surroundings.
func (p *program) newEngine(cwd string, s settings) (*engine.Engine, []string) {
	paths, problems := config.FindPaths(config.Places{Getenv: p.getenv, Home: os.UserHomeDir, Cwd: cwd})
	var notices []string
	for _, problem := range problems {
		notices = append(notices, problem.Error())
	}
	secrets := redact.New()
	log := newLog(paths.Logs(), secrets)
	offline := s.offline || p.getenv("HOOPOE_OFFLINE") == "1"
	p.modules = p.newModules(paths, log, offline)
	return engine.New(engine.Options{
		Paths: paths, Environ: p.environ, Getenv: p.getenv, Now: p.now, Version: version(),
		Log: log, Secret: func(key string) { secrets.Add(key) },
		Adapters: adapters(), LocalServers: !s.quiet, Keys: s.keys(),
		Offline: offline, Modules: p.modules,
	}), notices
}

// subcommand is what most sub-commands begin with: the words behind their own,
// the folder that they are about, which the flag cwd names where there is one,
// and an engine. What was odd about the user's files is told.
func (p *program) subcommand(c *cli.Context, s settings) (args []string, cwd string, e *engine.Engine, err error) {
	if cwd, err = workFolder(c.String("cwd")); err != nil {
		return nil, "", nil, err
	}
	e, notices := p.newEngine(cwd, s)
	for _, n := range notices {
		p.warn(n)
	}
	return following(c), cwd, e, nil
}

// workFolder is the folder to work in.
func workFolder(flag string) (string, error) {
	if flag == "" {
		dir, err := os.Getwd()
		if err != nil {
			return "", fmt.Errorf("find the current folder: %w; give one with --cwd", err)
		}
		return dir, nil
	}
	dir, err := filepath.Abs(flag)
	if err != nil {
		return "", fmt.Errorf("--cwd %s: %w", flag, err)
	}
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return "", fmt.Errorf("--cwd %s: there is no such folder", flag)
	case err != nil:
		return "", fmt.Errorf("--cwd %s: %w", flag, err)
	case !info.IsDir():
		return "", fmt.Errorf("--cwd %s: this is no folder", flag)
	}
	return dir, nil
}

// keys is the key of --api-key for its provider.
func (s settings) keys() map[string]string {
	if s.apiKey == "" {
		return nil
	}
	return map[string]string{s.keyOwner(): s.apiKey}
}

// openOptions turn the flags into the engine's.
func (s settings) openOptions(e *engine.Engine, cwd string) (engine.OpenOptions, error) {
	o := engine.OpenOptions{
		Cwd: cwd, InMemory: s.noSession, SessionDir: s.sessionDir, Path: s.sessionFile, Fork: s.fork != "",
		Model: s.model, Thinking: s.thinking, Mode: s.permissions,
		SystemPrompt: s.systemPrompt, AppendSystemPrompt: s.appendSystemPrompt,
		NoSkills: s.noSkills, NoTemplates: s.noTemplates, NoRules: s.noRules, NoContextFiles: s.noContextFiles, NoMCP: s.noMCP,
		Tools: s.tools, NoTools: s.noTools, Limits: config.Limits{Turns: s.maxTurns, CostUSD: s.maxCost}, Approve: s.approve, Hosted: s.rpc,
		Agent: s.spec, With: s.with, Hooks: s.hooks, Extensions: s.extensions, NoExtensions: s.noExtensions, ExtensionArgs: s.extensionArgs,
	}
	if s.rpc {
		if err := s.hosted(e, &o); err != nil {
			return o, err
		}
	}
	query, find := s.resumeQuery, s.resume || s.resumeLatest
	if s.fork != "" {
		query, find = s.fork, true
	}
	if !find {
		return o, nil
	}
	path, err := e.FindSession(cwd, s.sessionDir, query)
	if s.rpc && query == "" && errors.Is(err, session.ErrNotFound) {
		return o, nil // a host goes on with what there is
	}
	if err != nil {
		return o, err
	}
	o.Path = path
	return o, nil
}

// candidates adds to an error about a session which there are, or how to see
// them.
func candidates(err error, now time.Time) error {
	many, ok := errors.AsType[*session.AmbiguousError](err)
	switch {
	case !ok && errors.Is(err, session.ErrNotFound):
		return fmt.Errorf("%w (\"hoopoe sessions --all\" lists them)", err)
	case !ok:
		return err
	}
	const most = 10
	var b strings.Builder
	for i, s := range many.Matches {
		if i == most {
			fmt.Fprintf(&b, "\n  and %d more", len(many.Matches)-most)
			break
		}
		b.WriteString("\n  " + slash.Row(s, now))
	}
	return fmt.Errorf("%w%s", err, b.String())
}

// library is the engine's sessions as slash commands see them.
type library struct {
	engine     *engine.Engine
	sessionDir string
}

func (l library) Sessions(_ context.Context, cwd string) ([]session.Summary, error) {
	folders, err := l.engine.SessionFolders(cwd, l.sessionDir, false)
	if err != nil {
		return nil, err
	}
	return session.List(folders...)
}

// maxSpending bounds how many session files /usage reads, the latest first.
const maxSpending = 2000

// Spending reads what was used since then, in every folder's sessions.
func (l library) Spending(ctx context.Context, since time.Time, each func(session.Spending)) error {
	folders, err := l.engine.SessionFolders("", l.sessionDir, true)
	if errors.Is(err, config.ErrNoHome) {
		return nil
	}
	if err != nil {
		return err
	}
	saved, err := session.List(folders...)
	if err != nil {
		return err
	}
	for i, s := range saved {
		if i == maxSpending || s.Modified.Before(since) {
			break
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		err := session.ReadSpending(s.Path, func(s session.Spending) {
			if !s.At.Before(since) {
				each(s)
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (l library) FindSession(_ context.Context, cwd, query string) (string, error) {
	return l.engine.FindSession(cwd, l.sessionDir, query)
}

func (p *program) commands(e *engine.Engine, sessionDir string) *slash.Registry {
	return slash.Builtins(p.commandOptions(e, sessionDir))
}

// chatCommands are those of the chat, which can be shared.
func (p *program) chatCommands(e *engine.Engine, sessionDir string, share *sharing) *slash.Registry {
	o := p.commandOptions(e, sessionDir)
	o.Remote = share.run
	o.Keys = savedKeys{p, e}
	return slash.Builtins(o)
}

func (p *program) commandOptions(e *engine.Engine, sessionDir string) slash.Options {
	return slash.Options{Library: library{e, sessionDir}, Now: p.now, More: slash.Added}
}
