package config

import (
	"errors"
	"path/filepath"
	"strings"
)

// ErrNoHome is returned by writes when no folder for them is known. The
// program then works in memory.
var ErrNoHome = errors.New("no home folder: set HOME or HOOPOE_DIR to keep settings and sessions")

// Places is the outside world that FindPaths looks at.
type Places struct {
	// Getenv looks up an environment variable, "" if it isn't set.
	Getenv func(string) string
	// Home returns the user's home folder, as os.UserHomeDir does.
	Home func() (string, error)
	// Cwd makes a relative HOOPOE_DIR or PI_CODING_AGENT_DIR absolute.
	Cwd string
}

// Paths are the folders for Hoopoe's files. A folder is "" when the machine
// has no place for it; everything that would be stored there lives in memory.
type Paths struct {
	Home   string // the user's home folder
	Config string // settings, models, key bindings, themes, commands, skills, AGENTS.md
	Data   string // sessions and credentials
	State  string // logs, locks, trust, saved permission rules, history
	Cache  string // what may be deleted at any time
	Agent  string // PI_CODING_AGENT_DIR: sessions and models.json of a host
}

// FindPaths applies the XDG base folders on every system, macOS and Windows
// too. HOOPOE_DIR puts everything under one folder. The problems say which
// variables were ignored and that nothing will be kept where no home is known.
func FindPaths(p Places) (Paths, []Problem) {
	var (
		found    Paths
		problems []Problem
	)
	if p.Home != nil {
		if home, err := p.Home(); err == nil && filepath.IsAbs(home) {
			found.Home = filepath.Clean(home)
		}
	}
	absolute := func(dir string) string {
		if rest, ok := strings.CutPrefix(dir, "~"); ok && found.Home != "" && (rest == "" || rest[0] == '/' || rest[0] == filepath.Separator) {
			return filepath.Join(found.Home, rest)
		}
		if filepath.IsAbs(dir) {
			return filepath.Clean(dir)
		}
		return filepath.Join(p.Cwd, dir)
	}
	if dir := p.Getenv("PI_CODING_AGENT_DIR"); dir != "" {
		found.Agent = absolute(dir)
	}
	if dir := p.Getenv("HOOPOE_DIR"); dir != "" {
		dir = absolute(dir)
		found.Config, found.Data = dir, dir
		found.State, found.Cache = filepath.Join(dir, "state"), filepath.Join(dir, "cache")
		return found, nil
	}
	base := func(variable string, fallback ...string) string {
		dir := p.Getenv(variable)
		if filepath.IsAbs(dir) {
			return filepath.Join(dir, "hoopoe")
		}
		if dir != "" { // the XDG rules: a relative path is to be ignored
			problems = append(problems, Problem{File: variable, Text: "is not an absolute path and was ignored"})
		}
		if found.Home == "" {
			return ""
		}
		return filepath.Join(append(append([]string{found.Home}, fallback...), "hoopoe")...)
	}
	found.Config = base("XDG_CONFIG_HOME", ".config")
	found.Data = base("XDG_DATA_HOME", ".local", "share")
	found.State = base("XDG_STATE_HOME", ".local", "state")
	found.Cache = base("XDG_CACHE_HOME", ".cache")
	if found.Config == "" || found.Data == "" || found.State == "" {
		problems = append(problems, Problem{File: "HOME", Text: "there is no home folder, so settings and sessions are not kept; set HOME or HOOPOE_DIR"})
	}
	return found, problems
}

// under joins names to dir, or returns "" when there is no dir.
func under(dir string, names ...string) string {
	if dir == "" {
		return ""
	}
	return filepath.Join(append([]string{dir}, names...)...)
}

// Settings is the user's settings file.
func (p Paths) Settings() string { return under(p.Config, "settings.json") }

// Models is the file with the user's own models and servers.
func (p Paths) Models() string {
	if p.Agent != "" {
		return under(p.Agent, "models.json")
	}
	return under(p.Config, "models.json")
}

// Sessions is the folder of the session folders.
func (p Paths) Sessions() string {
	if p.Agent != "" {
		return under(p.Agent, "sessions")
	}
	return under(p.Data, "sessions")
}

// Auth is the credentials file.
func (p Paths) Auth() string { return under(p.Data, "auth.json") }

// KeyBindings is the file with the user's key bindings.
func (p Paths) KeyBindings() string { return under(p.Config, "keybindings.json") }

// Themes is the folder of the user's themes.
func (p Paths) Themes() string { return under(p.Config, "themes") }

// Commands is the folder of the user's prompt templates.
func (p Paths) Commands() string { return under(p.Config, "commands") }

// Extensions is the folder of the user's extensions.
func (p Paths) Extensions() string { return under(p.Config, "extensions") }

// Logs is the folder for log files.
func (p Paths) Logs() string { return under(p.State, "logs") }

// Locks is the folder for lock files.
func (p Paths) Locks() string { return under(p.State, "locks") }

// Spill is the folder for tool output too long to show.
func (p Paths) Spill() string { return under(p.Cache, "spill") }

// ProjectSettings is the settings file of a project folder.
func ProjectSettings(project string) string {
	return filepath.Join(project, ".hoopoe", "settings.json")
}
