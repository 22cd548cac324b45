package engine

import (
	"slices"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/config"
	"github.com/hoopoe-agent/hoopoe/engine/internal/web"
	"github.com/hoopoe-agent/hoopoe/engine/permission"
	"github.com/hoopoe-agent/hoopoe/engine/tool"
	"github.com/hoopoe-agent/hoopoe/engine/tool/builtin"
)

// webTools are the tools that reach the network, where the user's own
// configuration asks for them: the setting tools.webFetch, a rule of the
// settings that allows them, the list of --tools or of an agent's file. A
// project can't bring them in.
func (e *Engine) webTools(o OpenOptions, s config.Settings) []tool.Tool {
	fetch := builtin.Fetch(web.New(web.Options{UserAgent: "hoopoe/" + e.options.Version, Getenv: e.options.Getenv}))
	names := slices.Clone(o.Tools)
	if o.Agent != nil {
		for _, t := range o.Agent.Tools {
			names = append(names, t.Name)
		}
	}
	for _, text := range s.Permissions.Allow {
		if r, err := permission.ParseRule(text, permission.Allow, permission.FromSettings); err == nil {
			names = append(names, strings.ToLower(r.Tool))
		}
	}
	asked := s.Tools.WebFetch || slices.Contains(names, string(permission.KindFetch)) || slices.ContainsFunc(names, func(name string) bool {
		_, err := tool.Find([]tool.Tool{fetch}, strings.TrimSpace(name))
		return err == nil
	})
	if !asked {
		return nil
	}
	return []tool.Tool{fetch}
}
