package engine

import (
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/config"
	"github.com/hoopoe-agent/hoopoe/engine/ext"
	"github.com/hoopoe-agent/hoopoe/engine/ext/command"
	"github.com/hoopoe-agent/hoopoe/engine/shell"
)

// hookExtensions are the hooks of the settings, then those of the options. A
// fault in one is an error: the session would go on without what guards it.
func hookExtensions(o OpenOptions, settings config.Settings, sh shell.Shell) ([]ext.Extension, error) {
	var hooks []command.Hook
	for _, h := range settings.Hooks {
		hooks = append(hooks, command.Hook{
			Event: h.Event, Matcher: h.Matcher, Command: h.Command, Timeout: time.Duration(h.Seconds) * time.Second, Source: h.Source(),
		})
	}
	hooks = append(hooks, o.Hooks...)
	if len(hooks) == 0 {
		return nil, nil
	}
	return command.Extensions(hooks, append([]string{sh.Path}, sh.Args...))
}
