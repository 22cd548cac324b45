package engine

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/compact"
	"github.com/hoopoe-agent/hoopoe/engine/config"
	"github.com/hoopoe-agent/hoopoe/engine/ext"
	"github.com/hoopoe-agent/hoopoe/engine/permission"
	"github.com/hoopoe-agent/hoopoe/engine/prompt"
	"github.com/hoopoe-agent/hoopoe/engine/shell"
	"github.com/hoopoe-agent/hoopoe/engine/workspace"
)

// environment is what a session has of its working directory: settings,
// files, processes, and the system prompt made from them. It is used from the
// run's goroutines, off the owner.
type environment struct {
	engine    *Engine
	workspace *workspace.Local
	shared    workspace.Workspace // what tools work on instead; nil: workspace
	runner    *shell.Runner
	programs  *shell.Runner // of extensions: they may run some when the session ends
	lent      bool          // the runner is another session's, and ends with that
	settings  config.Settings
	options   prompt.Options // what doesn't change: replaced and appended texts
	tools     func() []prompt.Tool
	mode      func() string
	notify    func(level, text string)
	// discovered is what extensions name to be read.
	discovered func() []ext.Discovered
	trusted    bool // the project's own skills, templates and rules count
	without    omitted

	building sync.Mutex // held while the system prompt is made, which may take its time
	cached   string
	stale    atomic.Bool // cached is out of date

	reading sync.Mutex // held while guidance is read
	kept    guidance
	readAt  time.Time
	reread  atomic.Bool // kept is out of date

	mu    sync.Mutex
	files *workspace.Ledger
	told  map[string]bool // notices that are out
	// listed are the agents of kept, for those who can't wait for files.
	listed []prompt.Agent
}

// omitted is what the user wants a session to do without.
type omitted struct{ skills, templates, rules, contextFiles bool }

// gitTime bounds the one git call behind a system prompt.
const gitTime = 2 * time.Second

// system is the system prompt. It is built at first need and kept, so that
// providers can cache it; forget makes the next one anew.
func (e *environment) system() string {
	e.building.Lock()
	defer e.building.Unlock()
	if !e.stale.Swap(false) && e.cached != "" {
		return e.cached
	}
	o := e.options
	o.Tools, o.Mode = e.tools(), e.mode()
	g := e.guidance()
	o.Skills, o.Rules = g.skills, g.rules
	if !e.without.contextFiles {
		var notices []prompt.Notice
		o.Files, notices = prompt.ContextFiles(prompt.Search{
			Files: prompt.Disk(),
			Home:  e.engine.paths.Home, Cwd: e.workspace.Cwd(), User: e.engine.paths.Config,
		})
		e.tell(notices)
	}
	ctx, cancel := context.WithTimeout(context.Background(), gitTime)
	defer cancel()
	o.Environment = prompt.Gather(ctx, prompt.Facts{
		OS: runtime.GOOS, Arch: runtime.GOARCH, Shell: filepath.Base(e.runner.Shell().Path),
		Cwd: e.workspace.Cwd(), Now: e.engine.now(), Git: e.git,
	})
	e.cached = prompt.System(o)
	return e.cached
}

// tell notifies the user of what was odd, once.
func (e *environment) tell(notices []prompt.Notice) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, n := range notices {
		if text := n.String(); !e.told[text] {
			e.told[text] = true
			e.notify("warning", text)
		}
	}
}

// say notifies the user of texts, each once.
func (e *environment) say(texts []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, text := range texts {
		if !e.told[text] {
			e.told[text] = true
			e.notify("warning", text)
		}
	}
}

// forget drops the system prompt and what it is made from: the sources may have
// changed. It doesn't wait for those that are being read.
func (e *environment) forget() {
	e.reread.Store(true)
	e.stale.Store(true)
}

// fresh forgets what belonged to the document before.
func (e *environment) fresh() {
	e.forget()
	e.mu.Lock()
	e.files = workspace.NewLedger()
	e.mu.Unlock()
}

// forTools is the workspace that tools work on.
func (e *environment) forTools() workspace.Workspace {
	if e.shared != nil {
		return e.shared
	}
	return e.workspace
}

func (e *environment) ledger() *workspace.Ledger {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.files
}

func (e *environment) git(ctx context.Context, args ...string) (string, error) {
	r, err := e.runner.Run(ctx, shell.Command{Argv: append([]string{"git"}, args...), Dir: e.workspace.Cwd()})
	switch {
	case err != nil:
		return "", err
	case r.ExitCode == nil || *r.ExitCode != 0:
		return "", fmt.Errorf("git %s failed", args[0])
	}
	return r.Output, nil
}

// analyze reads a command for the permission rules.
func (e *environment) analyze(script string) shell.Analysis { return e.runner.Shell().Analyze(script) }

// saveRule keeps an "always" or a "never" in the user's state for this folder.
func (e *environment) saveRule(ctx context.Context, effect config.Effect, r permission.Rule) error {
	return e.engine.paths.AddRule(ctx, e.workspace.Cwd(), effect, r.String())
}

func (e *environment) compaction() compact.Settings {
	c := e.settings.Compaction
	return compact.Settings{
		ReserveTokens: c.ReserveTokens, KeepRecentTokens: c.KeepRecentTokens,
		ThresholdPercent: c.ThresholdPercent, ThresholdTokens: c.ThresholdTokens,
	}
}

// close ends the session's processes.
func (e *environment) close() {
	if !e.lent {
		e.runner.Close(endGrace)
	}
}

// closePrograms ends what extensions have started.
func (e *environment) closePrograms() {
	if !e.lent {
		e.programs.Close(endGrace)
	}
}

// endGrace is how long processes have between TERM and KILL when the session
// itself is ending.
const endGrace = 300 * time.Millisecond
