package prompt

import (
	"os"
	"path/filepath"
	"slices"
)

// Places are the folders from which the places for skills, templates, agents and
// rules follow. All paths are absolute; "" leaves a place out.
type Places struct {
	Home   string
	Config string // the user's folder for Hoopoe's own files
	Agent  string // the user's folder of pi; "" is .pi/agent in Home
	Cwd    string
	// Root is the repository that Cwd is in, see Repository. A project's
	// folders are looked for from Cwd up to it; "" is Cwd alone.
	Root string
	// Trusted says that the user lets the project have a say. Without it none
	// of the project's folders is listed.
	Trusted bool
}

// Repository returns the folder at or above dir that holds ".git", "" if there
// is none.
func Repository(f Files, dir string) string {
	for {
		if _, err := f.Stat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}

// site is where one program keeps such files: paths below each of a project's
// folders, and below the user's folders of that name.
type site struct{ family, project, home, config, agent string }

// Skills lists the folders for skills, by rank: our own, then those that
// several programs share, then other programs'. Of one program's the project's
// come first, the nearest to Cwd before those above it.
func (p Places) Skills() []Folder {
	return p.folders([]site{
		{family: "hoopoe", project: ".hoopoe/skills", config: "skills"},
		{family: "agents", project: ".agents/skills", home: ".agents/skills"},
		{family: "agents", home: ".config/agents/skills"},
		{family: "claude", project: ".claude/skills", home: ".claude/skills"},
		{family: "pi", project: ".pi/skills", agent: "skills"},
		{family: "opencode", project: ".opencode/skills", home: ".config/opencode/skills"},
		{family: "opencode", project: ".opencode/skill", home: ".config/opencode/skill"},
		{family: "codex", project: ".codex/skills", home: ".codex/skills"},
		{family: "xcsh", project: ".xcsh/skills", home: ".xcsh/agent/skills"},
	})
}

// Templates lists the folders for prompt templates and command files, in the
// order of Skills.
func (p Places) Templates() []Folder {
	return p.folders([]site{
		{family: "hoopoe", project: ".hoopoe/commands", config: "commands"},
		{family: "hoopoe", project: ".hoopoe/prompts", config: "prompts"},
		{family: "claude", project: ".claude/commands", home: ".claude/commands"},
		{family: "codex", project: ".codex/commands", home: ".codex/commands"},
		{family: "codex", project: ".codex/prompts", home: ".codex/prompts"},
		{family: "pi", project: ".pi/prompts", agent: "prompts"},
		{family: "opencode", project: ".opencode/commands", home: ".config/opencode/commands"},
		{family: "opencode", project: ".opencode/command", home: ".config/opencode/command"},
		{family: "xcsh", project: ".xcsh/commands", home: ".xcsh/agent/commands"},
		{family: "xcsh", project: ".xcsh/prompts", home: ".xcsh/agent/prompts"},
	})
}

// Agents lists the folders for definitions of sub-agents, in the order of
// Skills.
func (p Places) Agents() []Folder {
	return p.folders([]site{
		{family: "hoopoe", project: ".hoopoe/agents", config: "agents"},
		{family: "claude", project: ".claude/agents", home: ".claude/agents"},
		{family: "pi", project: ".pi/agents", agent: "agents"},
	})
}

// Rules lists the folders for rules, in the order of Skills. Some programs
// keep a single file in place of a folder.
func (p Places) Rules() []Folder {
	return p.folders([]site{
		{family: "hoopoe", project: ".hoopoe/rules", config: "rules"},
		{family: "xcsh", project: ".xcsh/rules", home: ".xcsh/agent/rules"},
		{family: "claude", project: ".claude/rules", home: ".claude/rules"},
		{family: "cursor", project: ".cursor/rules"},
		{family: "cursor", project: ".cursorrules"},
		{family: "windsurf", project: ".windsurf/rules"},
		{family: "windsurf", project: ".windsurfrules"},
		{family: "cline", project: ".clinerules", home: "Documents/Cline/Rules"},
	})
}

func (p Places) folders(sites []site) []Folder {
	var list []Folder
	user := func(base, path, family string) {
		if base != "" && path != "" {
			list = append(list, Folder{Path: filepath.Join(base, filepath.FromSlash(path)), Source: "user", Family: family})
		}
	}
	agent := p.Agent
	if agent == "" && p.Home != "" {
		agent = filepath.Join(p.Home, ".pi", "agent")
	}
	root, projects := p.projects()
	for _, s := range sites {
		for _, dir := range projects {
			if s.project != "" {
				list = append(list, Folder{
					Path: filepath.Join(dir, filepath.FromSlash(s.project)), Source: "project", Family: s.family, Within: root,
				})
			}
		}
		user(p.Config, s.config, s.family)
		user(p.Home, s.home, s.family)
		user(agent, s.agent, s.family)
	}
	return list
}

// projects are the folders from Cwd up to root, which is Cwd where that isn't
// in the repository. The user's home is none: what is there is the user's.
func (p Places) projects() (root string, dirs []string) {
	if !p.Trusted || p.Cwd == "" {
		return "", nil
	}
	root = p.Root
	if root == "" || !within(root, p.Cwd) {
		root = p.Cwd
	}
	dirs = slices.DeleteFunc(way(root, p.Cwd), func(dir string) bool { return dir == p.Home })
	slices.Reverse(dirs)
	return root, dirs
}

// Project lists what there is of the project's folders, trusted or not: what
// the user is asked about. The paths are relative to Cwd.
func (p Places) Project() []string {
	p.Trusted = true
	var found []string
	for _, f := range slices.Concat(p.Skills(), p.Templates(), p.Agents(), p.Rules()) {
		if f.Source != "project" {
			continue
		}
		if _, err := os.Lstat(f.Path); err != nil {
			continue
		}
		if rel, err := filepath.Rel(p.Cwd, f.Path); err == nil {
			found = append(found, rel)
		}
	}
	slices.Sort(found)
	return found
}
