package engine

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/hoopoe-agent/hoopoe/engine/config"
	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/ext"
	"github.com/hoopoe-agent/hoopoe/engine/permission"
	"github.com/hoopoe-agent/hoopoe/engine/prompt"
	"github.com/hoopoe-agent/hoopoe/engine/shell"
	"github.com/hoopoe-agent/hoopoe/engine/tool"
	"github.com/hoopoe-agent/hoopoe/engine/tool/builtin"
	"github.com/hoopoe-agent/hoopoe/engine/workspace"
)

// equip gives the session its workspace, tools, policy and extensions.
func (s *Session) equip(settings config.Settings) error {
	e, o := s.engine, s.opts
	sh, err := e.shell()
	if err != nil {
		return err
	}
	if settings.ShellPath != "" {
		sh = shell.Shell{Family: shell.Bash, Path: settings.ShellPath, Args: []string{"-c"}}
	}
	processes := shell.Options{Shell: sh, Environ: e.options.Environ, Spool: e.paths.Spill()}
	runner := shell.NewRunner(processes)
	ws, err := workspace.NewLocal(workspace.Options{Cwd: o.Cwd, Roots: o.Roots, Home: e.paths.Home, Runner: runner})
	if err != nil {
		return err
	}
	s.env = &environment{
		engine: e, workspace: ws, runner: runner, programs: shell.NewRunner(shell.Options{Shell: sh, Environ: e.options.Environ, MaxBytes: maxProgramOutput, MaxLines: maxProgramOutput}), settings: settings, files: workspace.NewLedger(),
		told: map[string]bool{}, notify: s.notify, discovered: func() []ext.Discovered { return s.extensions.discovered() },
		mode: func() string { return s.policy.mode() }, tools: s.promptTools,
		trusted: e.trusts(o), without: omitted{o.NoSkills, o.NoTemplates, o.NoRules, o.NoContextFiles},
	}
	if o.Workspace != nil {
		s.env.shared = o.Workspace(ws)
	}
	if s.env.options.Replace, err = prompt.TextOrFile(o.SystemPrompt, prompt.Disk()); err != nil {
		return err
	}
	if s.env.options.Replace == "" && o.Agent != nil {
		s.env.options.Replace = o.Agent.Instructions
	}
	if s.env.options.Append, err = prompt.TextOrFile(o.AppendSystemPrompt, prompt.Disk()); err != nil {
		return err
	}
	own, err := s.offered(o, settings, append(s.task(settings.Task), e.webTools(o, settings)...))
	if err != nil {
		return err
	}
	if e.options.Offline {
		own.Remove(builtin.FetchName)
	}
	s.tools = &toolset{Registry: own}
	if s.policy, err = e.gate(ws, o, settings, approvals(o.Agent, own.Tools())); err != nil {
		return err
	}
	s.host = &ext.Host{Failed: func(name, point string, err error) {
		s.in.do(func() {
			s.publish(event.ExtensionFailed{Extension: name, Path: s.extensions.path(name), Point: point, Error: err.Error()})
		})
	}}
	hooks, err := hookExtensions(o, settings, sh)
	if err != nil {
		return err
	}
	s.opts.With = slices.Concat(o.With, hooks)
	s.extensions = s.newExtensions(e.options.Hooks)
	return nil
}

// offered are the tools of a session; more are those that not every session
// has.
func (s *Session) offered(o OpenOptions, settings config.Settings, more []tool.Tool) (*tool.Registry, error) {
	all, err := tool.NewRegistry(slices.Concat(builtin.Standard(), []tool.Tool{builtin.Ask(o.Dialogs)}, more)...)
	if err != nil {
		return nil, err
	}
	known := all.Tools()
	if !settings.Todo.Enabled {
		all.Remove("todo")
	}
	if o.Hosted {
		all.Remove("ask")
	}
	switch {
	case o.NoTools:
		return tool.NewRegistry()
	case len(o.Tools) > 0:
		chosen, err := all.Select(slices.DeleteFunc(slices.Clone(o.Tools), func(name string) bool {
			if isServed(name) {
				return true
			}
			_, err := all.Find(name)
			return err != nil && s.expects(name)
		}))
		if err != nil {
			return nil, fmt.Errorf("--tools: %w", err)
		}
		return tool.NewRegistry(chosen...)
	case o.Agent != nil && o.Agent.Tools != nil:
		chosen, err := chosenBy(o.Agent, all.Tools(), known, s.expects)
		if err != nil {
			return nil, err
		}
		return tool.NewRegistry(chosen...)
	}
	return all, nil
}

// gate builds the permission policy from the settings, the saved rules and the
// agent's file; approve are the tools that always ask.
func (e *Engine) gate(ws *workspace.Local, o OpenOptions, settings config.Settings, approve []string) (*gate, error) {
	name := cmp.Or(o.Mode, settings.Permissions.Mode, o.DefaultMode, string(permission.ModeAsk))
	mode, err := permission.ParseMode(name)
	if err != nil {
		return nil, err
	}
	p := settings.Permissions
	rules, err := permission.Settings{Allow: p.Allow, Ask: p.Ask, Deny: p.Deny}.Rules(permission.FromSettings)
	saved, err2 := e.paths.Rules(ws.Cwd())
	more, err3 := permission.Settings{Allow: saved.Allow, Ask: saved.Ask, Deny: saved.Deny}.Rules(permission.FromSaved)
	if err3 != nil {
		err3 = fmt.Errorf("the rules saved for %s in the state folder (permissions.json): %w", ws.Cwd(), err3)
	}
	if err := errors.Join(err, err2, err3); err != nil {
		return nil, err
	}
	options := permission.Options{Mode: mode, Root: ws.Cwd(), Home: e.paths.Home, Approve: approve}
	for _, dir := range []string{e.paths.Config, e.paths.Data, e.paths.State} {
		if dir == "" {
			continue
		}
		if real, _, err := ws.Resolve(dir); err == nil {
			dir = real
		}
		options.Own = append(options.Own, dir)
	}
	rules = append(rules, more...)
	return &gate{policy: bounded(permission.New(options, rules...), options, rules, o.Agent, o.Mode != "")}, nil
}
