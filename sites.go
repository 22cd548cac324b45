package main

import (
	"os"
	"path/filepath"

	"github.com/hoopoe-agent/hoopoe/engine/config"
)

// site is a file or folder of ours.
type site struct {
	Name  string `json:"name"`
	Path  string `json:"path"` // "" where there is no home for it
	There bool   `json:"there"`
}

// sitesOf lists where the user's files are, and the project's.
func sitesOf(paths config.Paths, cwd string) []site {
	inConfig := func(name string) string {
		if paths.Config == "" {
			return ""
		}
		return filepath.Join(paths.Config, name)
	}
	all := []site{
		{Name: "settings", Path: paths.Settings()},
		{Name: "models", Path: paths.Models()},
		{Name: "keybindings", Path: paths.KeyBindings()},
		{Name: "notes", Path: inConfig("AGENTS.md")},
		{Name: "themes", Path: paths.Themes()},
		{Name: "commands", Path: paths.Commands()},
		{Name: "skills", Path: inConfig("skills")},
		{Name: "agents", Path: inConfig("agents")},
		{Name: "rules", Path: inConfig("rules")},
		{Name: "extensions", Path: paths.Extensions()},
		{Name: "keys", Path: paths.Auth()},
		{Name: "sessions", Path: paths.Sessions()},
		{Name: "state", Path: paths.State},
		{Name: "logs", Path: paths.Logs()},
		{Name: "cache", Path: paths.Cache},
		{Name: "project", Path: config.ProjectSettings(cwd)},
		{Name: "mcp", Path: filepath.Join(cwd, config.ServerFiles()[0])},
	}
	for i, p := range all {
		_, err := os.Stat(p.Path)
		all[i].There = p.Path != "" && err == nil
	}
	return all
}

// fileNames are the names of all of them.
func fileNames() []string {
	var names []string
	for _, p := range sitesOf(config.Paths{}, "") {
		names = append(names, p.Name)
	}
	return names
}
