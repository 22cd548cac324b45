package main

import (
	"context"
	"sync"

	"github.com/hoopoe-agent/hoopoe/engine"
	"github.com/hoopoe-agent/hoopoe/engine/config"
	"github.com/hoopoe-agent/hoopoe/engine/session"
	"github.com/hoopoe-agent/hoopoe/themes"
	"github.com/hoopoe-agent/hoopoe/tui"
	"github.com/hoopoe-agent/hoopoe/tui/clipboard"
	"github.com/hoopoe-agent/hoopoe/tui/terminal"
)

// dress fills in what the chat's screen needs: how it looks, what the user has
// set for it, and what is known of the terminal. Notices tell what is wrong.
func (p *program) dress(ctx context.Context, e *engine.Engine, s settings, cwd string, o *tui.Options) (notices []string, err error) {
	saved, err := e.Settings(ctx, cwd)
	if err != nil {
		return nil, err
	}
	o.Screen, o.Vim, o.MouseFree, o.Notify, o.Progress = saved.TUI.Mode, saved.TUI.Vim, !saved.TUI.Mouse, saved.TUI.Notify, saved.TUI.Progress
	if s.inline {
		o.Screen = tui.Inline
	}
	o.Accessible = s.accessible
	set := themeSet(e, cwd, s.approve)
	theme, notice, err := s.chosenTheme(ctx, e, cwd, set)
	if err != nil {
		return nil, err
	}
	if notice != "" {
		notices = append(notices, notice)
	}
	for _, problem := range set.Problems() {
		notices = append(notices, problem.Error())
	}
	guess := terminal.Guess(p.environ)
	folder := terminalsFolder(e.Paths().State)
	if o.Terminal, err = terminal.Load(folder, guess); err != nil {
		notices = append(notices, err.Error())
	}
	o.Doctored = func(found terminal.Profile) error { return found.Save(folder, guess) }
	watch := &themeWatch{engine: e, themed: make(chan themes.Set)}
	watch.start(ctx, set)
	o.Theme, o.Themes, o.Themed = theme, set, watch.themed
	o.Sessions = shelf{e, cwd, s.sessionDir}
	o.Settings = func(ctx context.Context) ([]tui.Setting, error) {
		list, _, err := settingsOf(ctx, e, cwd, s.approve) // the problems were told at the start
		return list, err
	}
	o.Save = func(ctx context.Context, key string, value any) error { return config.Set(ctx, e.Paths(), key, value) }
	o.Clipboard = clipboard.Clipboard{Getenv: p.getenv}
	if !s.approve {
		o.Untrusted = func() []string { return e.Untrusted(cwd) }
		o.SetTrust = func(yes bool) error {
			err := e.SetTrust(context.WithoutCancel(ctx), cwd, yes)
			if yes && err == nil {
				set := themeSet(e, cwd, true) // the project's own as well
				watch.start(ctx, set)
				watch.tell(ctx, set)
			}
			return err
		}
	}
	return notices, nil
}

// themeWatch delivers the themes whenever their files have changed.
type themeWatch struct {
	engine *engine.Engine
	themed chan themes.Set
	mu     sync.Mutex
	stop   context.CancelFunc
}

// start watches the files of a set, in place of those watched before.
func (w *themeWatch) start(ctx context.Context, set themes.Set) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stop != nil {
		w.stop()
	}
	ctx, w.stop = context.WithCancel(ctx)
	go func() {
		if err := themes.Watch(ctx, set, func(s themes.Set) { w.tell(ctx, s) }); err != nil && ctx.Err() == nil {
			w.engine.Log().Warn("themes are not watched", "error", err)
		}
	}()
}

func (w *themeWatch) tell(ctx context.Context, set themes.Set) {
	go func() {
		select {
		case w.themed <- set:
		case <-ctx.Done():
		}
	}()
}

// shelf is the saved sessions as the chat lists them.
type shelf struct {
	engine   *engine.Engine
	cwd, dir string
}

func (s shelf) List(_ context.Context, all bool) ([]session.Summary, error) {
	return s.engine.Sessions(s.cwd, s.dir, all)
}

func (s shelf) Rename(ctx context.Context, path, name string) error {
	return s.engine.RenameSession(ctx, path, name)
}

func (s shelf) Delete(ctx context.Context, path string) error {
	return s.engine.DeleteSession(ctx, path)
}
