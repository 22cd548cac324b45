package main

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/hoopoe-agent/hoopoe/engine/tool"
	"github.com/hoopoe-agent/hoopoe/engine/tool/builtin"
)

// hostFlags are those of --mode rpc that only programs give. What of them has
// no meaning here is known for its value's sake. Flags that aren't known may be
// an extension's.
func hostFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "provider", Hidden: true},
		&cli.StringFlag{Name: "models", Hidden: true},
		&cli.StringFlag{Name: "session-id", Hidden: true},
		&cli.StringFlag{Name: "name", Aliases: []string{"n"}, Hidden: true},
		&cli.StringFlag{Name: "provider-session-id", Hidden: true},
	}
}

// setHost reads the flags as the hosts of --mode rpc mean them: a provider
// apart from its model, a session by file or id under either name, and a
// harmless mistake is a warning.
func (s *settings) setHost(c *cli.Context) {
	s.provider, s.name, s.sessionID = c.String("provider"), c.String("name"), c.String("session-id")
	for _, pattern := range strings.Split(c.String("models"), ",") {
		if pattern = strings.TrimSpace(pattern); pattern != "" {
			s.models = append(s.models, pattern)
		}
	}
	if s.provider != "" && !strings.HasPrefix(s.model, s.provider+"/") {
		s.model = strings.TrimSuffix(s.provider+"/"+s.model, "/")
	}
	if named := cmp.Or(s.sessionFile, s.resumeQuery); named != "" {
		s.sessionFile, s.resume, s.resumeQuery = "", false, ""
		if filepath.Base(named) != named || strings.HasSuffix(named, ".jsonl") {
			s.sessionFile = named
		} else {
			s.resume, s.resumeQuery = true, named
		}
	}
	known := append(builtin.Standard(), builtin.Fetch(nil))
	s.tools = slices.DeleteFunc(s.tools, func(name string) bool {
		_, err := tool.Find(known, name)
		if strings.HasPrefix(name, "mcp_") {
			err = nil // whose servers aren't there yet
		}
		if err != nil {
			s.warnings = append(s.warnings, "--tools: "+err.Error())
		}
		return err != nil
	})
	// A list of which nothing is known must not become every tool.
	s.noTools = len(s.tools) == 0 && (s.noTools || c.IsSet("tools"))
}
