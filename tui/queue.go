package tui

import (
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/tui/editor"
)

// stop is Esc: what runs is aborted, and queued messages come back into the
// editor first, so that they don't start by themselves.
func (a *app) stop() tea.Cmd {
	if u := a.busy.slow(); u != nil {
		u.cancel()
		a.hint = u.name + " is stopped"
		return nil
	}
	s := a.session
	if s == nil || !a.busy.works() {
		return nil
	}
	bash := a.busy.bash > 0
	abort := a.do("stop", func(ctx context.Context) error {
		if bash {
			if err := s.AbortBash(ctx); err != nil {
				return err
			}
		}
		return s.Abort(ctx)
	})
	if len(a.queue) == 0 {
		return abort
	}
	return tea.Sequence(a.clearQueue(), abort)
}

// clearQueue takes the queued messages back.
func (a *app) clearQueue() tea.Cmd {
	s := a.session
	return func() tea.Msg {
		queue, err := s.ClearQueue(a.ctx)
		if err != nil {
			return failedMsg{"take the queue back", err}
		}
		return clearedMsg{queue}
	}
}

// dequeue takes the queued messages back into the editor, while the work goes
// on.
func (a *app) dequeue() (tea.Cmd, bool) {
	if a.session == nil || len(a.queue) == 0 {
		return nil, false
	}
	return a.clearQueue(), true
}

// takeBack puts queued messages before what is in the editor.
func (a *app) takeBack(queue []event.Queued) {
	held := a.editor.Submission()
	whole := editor.Submission{Attachments: held.Attachments}
	var texts []string
	for _, q := range queue {
		text, files := labelled(q.Message, whole.Attachments)
		if text != "" {
			texts = append(texts, text)
		}
		whole.Attachments = append(whole.Attachments, files...)
	}
	if len(texts) == 0 {
		return
	}
	if !a.editor.Empty() {
		texts = append(texts, held.Text)
	}
	whole.Text = strings.Join(texts, "\n\n")
	a.editor.Restore(whole)
}

// cycleThinking goes to the model's next level.
func (a *app) cycleThinking() tea.Cmd {
	levels := a.view.Model.Levels
	if a.session == nil || len(levels) < 2 {
		a.hint = "This model has no levels of thinking"
		return nil
	}
	to := levels[(slices.Index(levels, a.view.Thinking)+1)%len(levels)]
	a.hint = "Thinking: " + to
	s := a.session.Commands()
	return a.do("change the thinking level", func(ctx context.Context) error {
		_, err := s.SetThinking(ctx, llm.Level(to))
		return err
	})
}
