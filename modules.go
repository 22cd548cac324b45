package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/hoopoe-agent/hoopoe/engine/config"
	"github.com/hoopoe-agent/hoopoe/engine/ext"
	"github.com/hoopoe-agent/hoopoe/engine/ext/command"
	"github.com/hoopoe-agent/hoopoe/engine/ext/js"
	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
	"github.com/hoopoe-agent/hoopoe/engine/spec"
)

// texts is the value of a flag that may be given several times.
type texts struct{ list []string }

func (t *texts) Set(s string) error {
	if strings.TrimSpace(s) == "" { // also what the parser copies between a flag's names
		return errors.New("it needs a value")
	}
	t.list = append(t.list, s)
	return nil
}

func (t *texts) String() string { return "" }

func textsOf(c *cli.Context, name string) []string {
	if t, ok := c.Generic(name).(*texts); ok {
		return t.list
	}
	return nil
}

// setHooks reads the values of --hook. Hosts of the family give a module there.
func (s *settings) setHooks(values []string) error {
	for _, v := range values {
		if _, is := spec.IsModule(v); is && !strings.Contains(v, "=") {
			s.extensions = append(s.extensions, v)
			continue
		}
		h, err := command.ParseFlag(v)
		if err != nil {
			return usageError{err.Error()}
		}
		s.hooks = append(s.hooks, h)
	}
	return nil
}

// strays says what becomes of flags that nobody here knows: they are mistakes
// where there are no extensions.
func (p *program) strays(line commandLine) stray {
	switch {
	case line.rpc():
		return withValue
	case line.command() != "" && line.command() != "acp" || slices.Contains(line.flags, "--no-extensions"):
	case slices.ContainsFunc(line.flags, func(f string) bool { return strings.HasPrefix(f, "--extension=") }):
		return alone
	default:
		paths, _ := config.FindPaths(config.Places{Getenv: p.getenv, Home: os.UserHomeDir})
		for _, dir := range []string{paths.Extensions(), filepath.Join(".hoopoe", "extensions")} {
			if list, err := os.ReadDir(dir); err == nil && len(list) > 0 {
				return alone
			}
		}
	}
	return refused
}

// newModules makes what loads extensions. What they print goes to the log in the
// chat, which has the screen, and to stderr else.
func (p *program) newModules(paths config.Paths, log *slog.Logger, offline bool) *js.Modules {
	cache := ""
	if paths.Cache != "" {
		cache = filepath.Join(paths.Cache, "extensions")
	}
	return js.New(js.Options{
		Cache: cache, Version: version(), Offline: offline, Environ: p.environ, Home: paths.Home, AgentDir: paths.Config, Now: p.now,
		Log: func(extension, level, line string) {
			switch {
			case p.screen || level == "debug":
				log.Info("extension", "extension", extension, "level", level, "line", line)
			default:
				fmt.Fprintln(p.stderr, sanitize.Text(extension+": "+line))
			}
		},
	})
}

// withAgent reads the agent that the settings name. The file of one that is a
// module was named by the user, who thereby lets it do what it states.
func (p *program) withAgent(ctx context.Context, s settings) (settings, error) {
	if s.agent == "" || s.spec != nil {
		return s, nil
	}
	script, is := spec.IsModule(s.agent)
	if !is {
		var err error
		s.spec, err = spec.Load(s.agent)
		return s, err
	}
	var granted []string
	if module, err := p.modules.Inspect(ctx, script); err == nil { // else Agent says why not
		granted = module.Capabilities
	}
	agent, extension, err := p.modules.Agent(ctx, script, granted)
	if err != nil {
		return s, err
	}
	s.spec, s.with = agent, []ext.Extension{extension}
	return s, nil
}
