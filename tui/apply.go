package tui

import (
	"fmt"
	"strings"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// apply brings the screen's state in line with one event.
func (a *app) apply(e event.Event) {
	switch e := e.(type) {
	case event.MessageStarted:
		a.messageStarted(e)
	case event.MessageDelta:
		a.story.delta(e)
	case event.MessageEnded:
		if e.Message.Role == message.Assistant {
			a.story.end(e.Message)
		}
	case event.MessageRemoved:
		a.story.remove(e.ID)
	case event.ToolStarted:
		a.story.started(e)
	case event.ToolRunning:
		a.story.running(e)
	case event.ToolProgress:
		if c, ok := a.story.cards[e.CallID]; ok {
			c.Progress(message.Text(e.Content))
		}
	case event.ToolEnded:
		a.story.ended(e)
	case event.SubagentEvent:
		a.story.agent(e, a.o.Now())
	case event.BashStarted:
		a.story.bashStarted(e)
		a.busy.bash++
	case event.BashProgress:
		if c, ok := a.story.cards[e.ID]; ok {
			c.Progress(e.Output)
		}
	case event.BashEnded:
		a.story.bashEnded(e)
		a.busy.bash = max(0, a.busy.bash-1)
	case event.AskOpened:
		a.openQuestion(e.Question)
	case event.AskWaiting:
		a.questionsWait(e)
	case event.AskClosed:
		a.questionClosed(e)
	default:
		a.applyRun(e)
	}
}

// messageStarted adds what is complete at its start; an answer streams.
func (a *app) messageStarted(e event.MessageStarted) {
	if e.Message.Role == message.Assistant {
		a.story.begin(e.ID, e.Message)
		return
	}
	a.story.message(e.Message)
}

// applyRun handles the life of runs, queues and compactions.
func (a *app) applyRun(e event.Event) {
	now := a.o.Now()
	switch e := e.(type) {
	case event.RunStarted:
		a.busy.run(now)
	case event.RunEnded:
		a.busy.retry = nil
	case event.RunSettled:
		a.settled(e)
	case event.PromptFailed:
		a.story.notice("error", "The prompt could not start: "+e.Error)
	case event.RetryScheduled:
		a.busy.retry, a.busy.retryAt = &e, now.Add(time.Duration(e.DelayMS)*time.Millisecond)
		a.story.notice("warning", e.Error)
	case event.RetryEnded:
		a.busy.retry = nil
		if !e.Success && e.Error != "" {
			a.story.notice("error", fmt.Sprintf("Gave up after %s: %s", count(e.Attempt, "retry", "retries"), e.Error))
			a.busy.told = e.Error
		}
	case event.RuleTriggered:
		names := make([]string, len(e.Rules))
		for i, r := range e.Rules {
			names[i] = r.Name
		}
		a.story.notice("warning", fmt.Sprintf("Against your rules: %s. The model is told.", strings.Join(names, ", ")))
	case event.TodoReminder:
		a.story.notice("info", fmt.Sprintf("It stopped with %s open and is reminded (%d of %d).", count(len(e.Todos), "task", "tasks"), e.Attempt, e.MaxAttempts))
	case event.QueueChanged:
		a.queue = e.Queue
	case event.CompactionStarted:
		a.busy.compact(e.Reason, now)
	case event.CompactionEnded:
		a.compacted(e)
	default:
		a.applySession(e)
	}
}

func (a *app) settled(e event.RunSettled) {
	told := a.busy.told
	a.busy.settle()
	switch {
	case e.Aborted:
		a.story.notice("info", "Stopped.")
	case e.Reason == message.StepLimit || e.Reason == message.Budget:
		text := e.Error
		if text == "" {
			text = "a limit of this prompt is reached"
		}
		a.story.notice("warning", capital(strings.TrimRight(text, "."))+". Say \"go on\" to continue.")
	case e.Error != "" && e.Error != told:
		a.story.notice("error", e.Error)
	}
}

func (a *app) compacted(e event.CompactionEnded) {
	a.busy.compacting = ""
	switch {
	case e.Result != nil:
		a.story.message(message.Message{Role: message.CompactionSummary, Summary: e.Result.Summary, TokensBefore: e.Result.TokensBefore})
	case e.Aborted:
		a.story.notice("info", "The compaction was stopped.")
	case e.Error != "" && e.Reason != "manual": // the command reports its own
		a.story.notice("error", "The context could not be compacted: "+e.Error)
	}
}

// applySession handles the session's settings and what is said to people.
func (a *app) applySession(e event.Event) {
	switch e := e.(type) {
	case event.LeafMoved:
		a.replace(e.View)
	case event.SessionReplaced:
		a.replace(e.View)
		if e.Reason == "new" {
			a.story.notice("info", "A fresh session. The old one is kept: /resume goes back to it.")
		}
	case event.SessionNamed:
		a.view.Name = e.Name
	case event.ModelChanged:
		a.view.Model = e.Model
	case event.ThinkingChanged:
		a.view.Thinking = e.Level
	case event.ModeChanged:
		a.view.Mode = e.Mode
	case event.SettingsChanged:
		a.view.AutoCompaction, a.view.AutoRetry = e.AutoCompaction, e.AutoRetry
		a.view.SteeringMode, a.view.FollowUpMode, a.view.InterruptMode = e.SteeringMode, e.FollowUpMode, e.InterruptMode
	case event.UsageChanged:
		a.view.Usage = e
	case event.TodosChanged:
		a.view.Todos = e.Phases
	case event.Notice:
		a.story.notice(e.Level, noticeText(e))
	case event.StatusChanged:
		a.guests.status(e)
	case event.WidgetChanged:
		a.guests.widget(e)
	case event.TitleChanged:
		a.guests.title = e.Title
	case event.EditorTextSet:
		a.setDraft(e.Text)
	case event.ExtensionFailed:
		a.story.notice("warning", fmt.Sprintf("The extension %s failed in %s: %s", e.Extension, e.Point, e.Error))
	}
}

// noticeText tells who speaks, if it isn't Hoopoe itself.
func noticeText(e event.Notice) string {
	if e.Source == "" {
		return e.Text
	}
	return e.Source + ": " + e.Text
}
