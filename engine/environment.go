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
	runner    *shell.Runner
	settings  config.Settings
	options   prompt.Options // what doesn't change: replaced and appended texts
	tools     func() []prompt.Tool
	mode      func() string
	notify    func(level, text string)

	building sync.Mutex // held while the system prompt is made, which may take its time
	cached   string
	told     map[string]bool // notices about context files that are out
	stale    atomic.Bool     // cached is out of date

	mu    sync.Mutex
	files *workspace.Ledger
}

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
	files, notices := prompt.ContextFiles(prompt.Search{
		Files: prompt.Disk(),
		Home:  e.engine.paths.Home, Cwd: e.workspace.Cwd(), User: e.engine.paths.Config,
	})
	for _, n := range notices {
		if text := n.String(); !e.told[text] {
			e.told[text] = true
			e.notify("warning", text)
		}
	}
	o.Files = files
	ctx, cancel := context.WithTimeout(context.Background(), gitTime)
	defer cancel()
	o.Environment = prompt.Gather(ctx, prompt.Facts{
		OS: runtime.GOOS, Arch: runtime.GOARCH, Shell: filepath.Base(e.runner.Shell().Path),
		Cwd: e.workspace.Cwd(), Now: e.engine.now(), Git: e.git,
	})
	e.cached = prompt.System(o)
	return e.cached
}

// forget drops the system prompt: its sources may have changed. It doesn't wait
// for one that is being made.
func (e *environment) forget() { e.stale.Store(true) }

// fresh forgets what belonged to the document before.
func (e *environment) fresh() {
	e.forget()
	e.mu.Lock()
	e.files = workspace.NewLedger()
	e.mu.Unlock()
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

// saveRule keeps an "always" in the user's state for this folder.
func (e *environment) saveRule(ctx context.Context, r permission.Rule) error {
	return e.engine.paths.AddRule(ctx, e.workspace.Cwd(), config.Allow, r.String())
}

func (e *environment) compaction() compact.Settings {
	c := e.settings.Compaction
	return compact.Settings{
		ReserveTokens: c.ReserveTokens, KeepRecentTokens: c.KeepRecentTokens,
		ThresholdPercent: c.ThresholdPercent, ThresholdTokens: c.ThresholdTokens,
	}
}

// close ends the session's processes.
func (e *environment) close() { e.runner.Close(endGrace) }

// endGrace is how long processes have between TERM and KILL when the session
// itself is ending.
const endGrace = 300 * time.Millisecond
