package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine"
	"github.com/hoopoe-agent/hoopoe/engine/config"
	"github.com/hoopoe-agent/hoopoe/engine/ext/command"
	"github.com/hoopoe-agent/hoopoe/engine/llm/catalog"
	"github.com/hoopoe-agent/hoopoe/engine/mcp"
	"github.com/hoopoe-agent/hoopoe/engine/permission"
	guidance "github.com/hoopoe-agent/hoopoe/engine/prompt"
	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
	"github.com/hoopoe-agent/hoopoe/engine/spec"
	"github.com/hoopoe-agent/hoopoe/themes"
	"github.com/hoopoe-agent/hoopoe/tui/keymap"
)

// checker reads the files of the user and of a project to find what is wrong
// with them. Nothing of them is carried out, so trust doesn't matter.
type checker struct {
	p      *program
	engine *engine.Engine
	cwd    string
}

// configCheck tells the problems of the files, all by default.
func (p *program) configCheck(ctx context.Context, c checker, files []string) error {
	var found []config.Problem
	if len(files) == 0 {
		found = c.all(ctx)
	}
	for _, file := range files {
		problems, err := c.file(ctx, file)
		if err != nil {
			return err
		}
		found = append(found, problems...)
	}
	for _, problem := range found {
		fmt.Fprintln(p.stdout, sanitize.Line(problem.Error()))
	}
	if len(found) > 0 {
		return errors.New(count(len(found), "problem"))
	}
	_, err := fmt.Fprintln(p.stdout, "no problem found")
	return err
}

// all is what is wrong with any file of the user's or the project's.
func (c checker) all(ctx context.Context) []config.Problem {
	paths := c.engine.Paths()
	found := c.settings(ctx, c.cwd)
	models, err := modelProblems(paths.Models())
	if err != nil { // the other files can be looked at all the same
		models = []config.Problem{{File: paths.Models(), Text: err.Error()}}
	}
	found = append(append(found, models...), keyProblems(paths.KeyBindings())...)
	for _, path := range serverFiles(paths, c.cwd) {
		found = append(found, c.servers(path)...)
	}
	set := themes.Open(paths.Themes(), filepath.Join(c.cwd, ".hoopoe", "themes"))
	for _, entry := range set.List() {
		if entry.Path != "" {
			found = append(found, themeProblems(entry.Path)...)
		}
	}
	found = append(found, guidanceProblems(paths, c.cwd)...)
	if _, err := c.engine.Keys().Saved(); err != nil {
		found = append(found, config.Problem{File: paths.Auth(), Text: strings.TrimPrefix(err.Error(), paths.Auth()+" ")})
	}
	if w := c.engine.Keys().Warning(); w != "" {
		found = append(found, config.Problem{File: paths.Auth(), Text: w})
	}
	return found
}

// file is what is wrong with one file; its name says what it is.
func (c checker) file(ctx context.Context, given string) ([]config.Problem, error) {
	path, err := filepath.Abs(given)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("check %s: %w", given, errors.Unwrap(err))
	}
	folder, name, ending := filepath.Dir(path), filepath.Base(path), strings.ToLower(filepath.Ext(path))
	switch {
	case name == "settings.json" && filepath.Base(folder) == ".hoopoe":
		return of(path, c.settings(ctx, filepath.Dir(folder))), nil
	case name == "settings.json":
		return of(path, c.settingsOf(ctx, config.Paths{Config: folder}, "")), nil
	case name == "models.json":
		return modelProblems(path)
	case name == "keybindings.json":
		return keyProblems(path), nil
	case name == ".mcp.json" || name == "mcp.json":
		return c.servers(path), nil
	case filepath.Base(folder) == "themes" && ending == ".json":
		return themeProblems(path), nil
	case ending == ".yaml" || ending == ".yml" || name == "agent.json" || name == "agent.jsonc":
		return agentProblems(path), nil
	}
	return nil, usagef("%s: the name doesn't say what it is; there are settings.json, models.json, keybindings.json, .mcp.json, agents (.yaml, agent.json) and the files of a folder \"themes\"", given)
}

// of keeps the problems of one file.
func of(path string, all []config.Problem) []config.Problem {
	return slices.DeleteFunc(all, func(p config.Problem) bool { return p.File != path })
}

// settings is what is wrong with the user's settings and a project's.
func (c checker) settings(ctx context.Context, project string) []config.Problem {
	return c.settingsOf(ctx, c.engine.Paths(), project)
}

func (c checker) settingsOf(ctx context.Context, paths config.Paths, project string) []config.Problem {
	loaded, found, err := config.Load(ctx, config.LoadOptions{Paths: paths, Project: project, Trusted: true})
	for _, one := range each(err) {
		problem, ok := errors.AsType[config.Problem](one)
		if !ok {
			problem = config.Problem{File: paths.Settings(), Text: one.Error()}
		}
		found = append(found, problem)
	}
	if err != nil {
		return found
	}
	// What the reader of settings leaves to those who know what it means.
	for _, list := range []struct {
		key    string
		rules  []string
		action permission.Action
	}{{"permissions.allow", loaded.Permissions.Allow, permission.Allow}, {"permissions.ask", loaded.Permissions.Ask, permission.Ask}, {"permissions.deny", loaded.Permissions.Deny, permission.Deny}} {
		for _, rule := range list.rules {
			if _, err := permission.ParseRule(rule, list.action, permission.FromAgent); err != nil {
				found = append(found, config.Problem{File: loaded.Origin(list.key), Key: list.key, Text: err.Error()})
			}
		}
	}
	for _, h := range loaded.Hooks {
		hook := command.Hook{Event: h.Event, Matcher: h.Matcher, Command: h.Command, Timeout: time.Duration(h.Seconds) * time.Second, Source: "hooks"}
		if _, err := command.Extensions([]command.Hook{hook}, []string{"sh"}); err != nil {
			found = append(found, config.Problem{File: h.File, Line: h.Line, Column: h.Column, Text: err.Error()})
		}
	}
	if len(loaded.MCPServers) > 0 {
		_, errs := mcp.Parse(loaded.MCPServers, c.p.getenv)
		found = append(found, serverProblems(loaded.Origin("mcpServers"), errs)...)
	}
	if _, err := themes.ParseChoice(loaded.Theme); err != nil {
		found = append(found, config.Problem{File: loaded.Origin("theme"), Key: "theme", Text: err.Error()})
	}
	return found
}

// each takes a joined error apart.
func each(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error })
	switch {
	case err == nil:
		return nil
	case !ok:
		return []error{err}
	}
	var all []error
	for _, one := range joined.Unwrap() {
		all = append(all, each(one)...)
	}
	return all
}

func modelProblems(path string) ([]config.Problem, error) {
	if path == "" {
		return nil, nil
	}
	problems, err := catalog.Check(path)
	var found []config.Problem
	for _, p := range problems {
		found = append(found, config.Problem{File: path, Line: p.Line, Column: p.Column, Key: p.Path, Text: p.Text})
	}
	return found, err
}

func keyProblems(path string) []config.Problem {
	user, found := config.KeyBindingsOf(path)
	_, more := keymap.New(user.Keys)
	for _, p := range more {
		found = append(found, user.Problem(p.Name, p.Text))
	}
	return found
}

// serverFiles are the files that name MCP servers: of the folder, of its
// repository, and of the family's host.
func serverFiles(paths config.Paths, cwd string) []string {
	var files []string
	for _, dir := range slices.Compact([]string{cwd, guidance.Repository(guidance.Disk(), cwd)}) {
		for _, name := range config.ServerFiles() {
			if dir != "" {
				files = append(files, filepath.Join(dir, name))
			}
		}
	}
	switch {
	case paths.Agent != "":
		files = append(files, filepath.Join(paths.Agent, "mcp.json"))
	case paths.Home != "":
		files = append(files, filepath.Join(paths.Home, ".pi", "agent", "mcp.json"))
	}
	return files
}

// servers is what is wrong with a file of MCP servers; one that isn't there is
// right.
func (c checker) servers(path string) []config.Problem {
	_, errs := c.serversOf(path)
	return serverProblems(path, errs)
}

func (c checker) serversOf(path string) ([]mcp.Server, []error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err == nil && !info.Mode().IsRegular():
		err = errors.New("is not a file")
	case err == nil && info.Size() > maxServerFile:
		err = fmt.Errorf("is larger than %d KB", maxServerFile>>10)
	}
	if err != nil {
		return nil, []error{err}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, []error{err}
	}
	return mcp.ParseFile(data, c.p.getenv)
}

// maxServerFile bounds a file of servers, in bytes.
const maxServerFile = 1 << 20

func serverProblems(path string, errs []error) []config.Problem {
	var found []config.Problem
	for _, err := range errs {
		problem := config.Problem{File: path, Text: err.Error()}
		if at, ok := errors.AsType[*mcp.ParseError](err); ok {
			problem.Line, problem.Column = at.Line, 1
		}
		found = append(found, problem)
	}
	return found
}

func themeProblems(path string) []config.Problem {
	_, err := themes.ReadFile(path)
	problems, ok := errors.AsType[*themes.Problems](err)
	switch {
	case err == nil:
		return nil
	case !ok:
		return []config.Problem{{File: path, Text: err.Error()}}
	}
	var found []config.Problem
	for _, p := range problems.List {
		found = append(found, config.Problem{File: path, Line: p.Line, Column: p.Column, Key: p.Key, Text: p.Text})
	}
	return found
}

func agentProblems(path string) []config.Problem {
	_, err := spec.Load(path)
	var found []config.Problem
	for _, one := range each(err) {
		problem := config.Problem{File: path, Text: one.Error()}
		if fault, ok := errors.AsType[*spec.Error](one); ok {
			problem.Line, problem.Key, problem.Text = fault.Line, fault.Field, fault.Text
			problem.Column = min(fault.Line, 1) // the reader knows lines alone
		}
		found = append(found, problem)
	}
	return found
}

// guidanceProblems is what is wrong with skills, templates, sub-agents and rules.
func guidanceProblems(paths config.Paths, cwd string) []config.Problem {
	places := guidance.Places{
		Home: paths.Home, Config: paths.Config, Agent: paths.Agent,
		Cwd: cwd, Root: guidance.Repository(guidance.Disk(), cwd), Trusted: true,
	}
	_, skills := guidance.Skills(places.Skills())
	_, templates := guidance.Templates(places.Templates())
	_, agents := guidance.Agents(places.Agents())
	_, rules := guidance.Rules(places.Rules())
	var found []config.Problem
	for _, n := range slices.Concat(skills, templates, agents, rules) {
		found = append(found, config.Problem{File: n.Path, Text: n.Text})
	}
	return found
}
