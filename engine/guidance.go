package engine

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/prompt"
	"github.com/hoopoe-agent/hoopoe/engine/rule"
)

// guidance is what the user and the project have written for the agent, beside
// context files.
type guidance struct {
	skills    []prompt.Skill
	templates []prompt.Template
	rules     []rule.Rule
	agents    []prompt.Agent
	// shown are the real paths of what the model is told to read: skills with
	// all that lies beside them, and rules.
	shown []string
}

// guidanceTime is for how long guidance counts as it was read: whoever edits a
// skill and then calls it expects what is written now.
const guidanceTime = time.Second

// guidance reads the files at first need, and again when what is kept is old.
// It is called off the owner.
func (e *environment) guidance() guidance {
	e.reading.Lock()
	defer e.reading.Unlock()
	age := e.engine.now().Sub(e.readAt)
	if !e.reread.Swap(false) && !e.readAt.IsZero() && age >= 0 && age < guidanceTime {
		return e.kept
	}
	e.kept, e.readAt = e.readGuidance(), e.engine.now()
	e.mu.Lock()
	e.listed = e.kept.agents
	e.mu.Unlock()
	return e.kept
}

func (e *environment) readGuidance() guidance {
	var g guidance
	var skills, templates, rules, agents []prompt.Notice
	places := e.engine.places(e.workspace.Cwd(), e.trusted)
	if !e.without.skills {
		extra, missing := e.extraSkills()
		for _, d := range e.discovered() {
			extra = append(extra, placed(d.Skills)...)
		}
		g.skills, skills = prompt.Skills(append(extra, places.Skills()...))
		skills = append(missing, skills...)
		for i := range g.skills {
			g.skills[i].ModelOnly = g.skills[i].ModelOnly || !e.settings.EnableSkillCommands
		}
	}
	if !e.without.templates {
		folders := places.Templates()
		for _, d := range e.discovered() {
			folders = append(folders, placed(d.Prompts)...)
		}
		g.templates, templates = prompt.Templates(folders)
	}
	if !e.without.rules {
		g.rules, rules = prompt.Rules(places.Rules())
	}
	g.agents, agents = e.agents(places)
	e.tell(slices.Concat(skills, templates, rules, agents))
	g.show(e.engine.paths.Home)
	return g
}

// placed are the files and folders that extensions name.
func placed(paths []string) []prompt.Folder {
	var folders []prompt.Folder
	for _, path := range paths {
		if filepath.IsAbs(path) {
			folders = append(folders, prompt.Folder{Path: path, Source: "user", Family: "extension"})
		}
	}
	return folders
}

// extraSkills are the folders of the setting "skills". Unlike the usual ones
// they are missed when they aren't there.
func (e *environment) extraSkills() (folders []prompt.Folder, notices []prompt.Notice) {
	for _, path := range e.settings.Skills {
		dir := path
		if rest, ok := strings.CutPrefix(dir, "~"); ok && (rest == "" || rest[0] == '/' || rest[0] == filepath.Separator) {
			dir = filepath.Join(e.engine.paths.Home, rest)
		}
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(e.engine.paths.Config, dir)
		}
		if _, err := os.Stat(dir); err != nil {
			notices = append(notices, prompt.Notice{Path: dir, Text: fmt.Sprintf("not read: the setting skills names %q, which can't be found", path)})
			continue
		}
		folders = append(folders, prompt.Folder{Path: dir, Source: "user", Family: "hoopoe"})
	}
	return folders, notices
}

// places are where guidance for a working directory lies.
func (e *Engine) places(cwd string, trusted bool) prompt.Places {
	return prompt.Places{
		Home: e.paths.Home, Config: e.paths.Config, Agent: e.paths.Agent,
		Cwd: cwd, Root: prompt.Repository(prompt.Disk(), cwd), Trusted: trusted,
	}
}

// show lists what the model may read of g, wherever it is. A skill that lies in
// the home folder itself doesn't open all of that.
func (g *guidance) show(home string) {
	add := func(path string) {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			g.shown = append(g.shown, real)
		}
	}
	for _, s := range g.skills {
		if dir := filepath.Dir(s.Path); below(dir, home) {
			add(s.Path)
		} else {
			add(dir)
		}
	}
	for _, r := range g.rules {
		add(r.Path)
	}
}

// shows reports whether a file, by its real path, is one that the model was
// told to read.
func (e *environment) shows(file string) bool {
	e.reading.Lock()
	defer e.reading.Unlock()
	return slices.ContainsFunc(e.kept.shown, func(path string) bool { return below(path, file) })
}

// below reports whether path is dir or in it.
func below(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// rules are those that the session keeps to. It may read files: not for the
// owner.
func (e *environment) rules() []rule.Rule { return e.guidance().rules }

// Skills are those of the session's folder, the user's own among them. The
// files are looked at again when that was a second ago.
func (s *Session) Skills() []prompt.Skill { return s.env.guidance().skills }

// Templates are the prompt templates, likewise.
func (s *Session) Templates() []prompt.Template { return s.env.guidance().templates }

// Reload has skills, templates, rules and context files read again: the next
// request has a new system prompt.
func (s *Session) Reload() { s.env.forget() }
