package tui

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
	"github.com/hoopoe-agent/hoopoe/tui/card"
	"github.com/hoopoe-agent/hoopoe/tui/dialog"
	"github.com/hoopoe-agent/hoopoe/tui/diff"
	"github.com/hoopoe-agent/hoopoe/tui/picker"
)

// guard keeps keys that were meant for the prompt from answering a question
// that has just opened.
const guard = 300 * time.Millisecond

// dialogRows is how many options are shown as numbered choices; more of them
// get a list with a filter.
const dialogRows = 9

// lowScreen is the height below which the rules stand beside the choices, to
// leave rows for what is asked about.
const lowScreen = 20

// questionPanel is a panel that belongs to a question of the session's. It
// closes when the question does, whoever answered. What the user had opened is
// there again then.
type questionPanel struct {
	panel
	question event.Question
	deadline time.Time // when the session answers itself; zero: never
}

// openQuestion shows a question of the session's.
func (a *app) openQuestion(q event.Question) {
	if c, ok := a.story.cards[q.CallID]; ok {
		c.SetAsking(true)
	}
	a.busy.asking = true
	a.popup.close()
	p := &questionPanel{question: q, deadline: q.Deadline}
	if q.Timeout > 0 && p.deadline.IsZero() {
		p.deadline = a.o.Now().Add(q.Timeout)
	}
	p.panel = a.questionFor(p)
	a.question = p
}

func (a *app) questionFor(p *questionPanel) panel {
	q := p.question
	answer := func(to event.Answer) tea.Cmd {
		session := a.session
		return a.do("answer", func(ctx context.Context) error { return session.Answer(ctx, q.ID, to) })
	}
	wait := time.Duration(0)
	// The first question of the user's own command is expected.
	if a.busy.running || a.commands == 0 || a.o.Now().Sub(a.busy.closed) < guard {
		wait = guard
	}
	if q.Kind == event.AskSelect && len(q.Options) > dialogRows {
		return a.listFor(p, wait, answer)
	}
	spec := a.specFor(q)
	spec.From, spec.Now, spec.Deadline, spec.Guard, spec.Keys = asker(q), a.o.Now, p.deadline, wait, a.o.Keys
	return &dialogPanel{dialog: dialog.New(spec, a.look.Styles), done: func(r dialog.Result) tea.Cmd {
		return answer(answerOf(q, r))
	}}
}

// listFor shows many options as a list that can be filtered.
func (a *app) listFor(p *questionPanel, wait time.Duration, answer func(event.Answer) tea.Cmd) panel {
	q := p.question
	items := make([]picker.Item, len(q.Options))
	for i, o := range q.Options {
		items[i] = picker.Item{ID: o, Title: o, Detail: description(q, i)}
	}
	open := a.o.Now().Add(wait)
	list := picker.New(picker.Options{Title: q.Title, Intro: q.Message, Styles: a.look.Styles, Keys: a.o.Keys}, items)
	return &listPanel{
		picker:  list,
		guarded: func() bool { return a.o.Now().Before(open) },
		note: func() string {
			from := asker(p.question)
			if p.deadline.IsZero() {
				return from
			}
			return strings.TrimPrefix(from+" · ", " · ") + dialog.Countdown(p.deadline.Sub(a.o.Now())) + " left"
		},
		done: func(r picker.Result) (tea.Cmd, bool) {
			return answer(event.Answer{Cancelled: r.Cancelled, Value: r.Item.ID}), true
		},
	}
}

// asker says who asks, and how many questions stand behind this one.
func asker(q event.Question) string {
	text := q.Extension
	if q.Waiting > 0 {
		text = strings.TrimPrefix(fmt.Sprintf("%s · 1 of %d", text, q.Waiting+1), " · ")
	}
	return text
}

// description is what there is to say of an option.
func description(q event.Question, option int) string {
	if option < len(q.Descriptions) {
		return q.Descriptions[option]
	}
	return ""
}

// specFor puts a question into a dialog's words.
func (a *app) specFor(q event.Question) dialog.Spec {
	spec := dialog.Spec{Title: q.Title, Why: q.Message}
	switch q.Kind {
	case event.AskPermission:
		return a.permission(q)
	case event.AskConfirm:
		return dialog.Confirm(q.Title, q.Message)
	case event.AskSelect:
		for i, o := range q.Options {
			spec.Choices = append(spec.Choices, dialog.Choice{ID: o, Label: o, Detail: description(q, i)})
		}
	default:
		spec.Field = dialog.Field{Placeholder: q.Placeholder, Value: q.Prefill, Multiline: q.Kind == event.AskEditor, Secret: q.Secret}
	}
	return spec
}

const denyWithReason = "reason"

// permission shows what a call wants to do, whole, with the part that needs
// the approval and why.
func (a *app) permission(q event.Question) dialog.Spec {
	p := q.Permission
	if p == nil {
		p = &event.PermissionRequest{}
	}
	spec := dialog.Spec{Title: "Allow? " + q.Title, Why: why(q, a.view.Cwd, a.o.home()), Cancel: string(event.Deny)}
	switch {
	case p.Command != "":
		spec.Title = "Allow this command?"
		if q.Agent != "" {
			spec.Title = "Allow this command of " + q.Agent + "?"
		}
		spec.Body = dialog.Command(p.Command, a.look.Styles, a.look.Bidi)
	case p.Diff != "":
		spec.Body = dialog.Diff(card.Hunks(p.Diff), diff.Options{
			Styles: a.look.Styles, Bidi: a.look.Bidi, Syntax: a.look.Markdown.Syntax(), Name: diff.NameOf(p.Diff),
		})
	case len(p.Arguments) > 0:
		spec.Body = dialog.Command(indented(p.Arguments), a.look.Styles, a.look.Bidi)
	}
	spec.Choices = []dialog.Choice{{ID: string(event.Once), Label: "Yes, this once", Key: "y"}}
	if len(p.Rules) > 0 {
		rules := strings.Join(p.Rules, ", ")
		session := dialog.Choice{ID: string(event.Session), Label: "Yes, for this session", Detail: "allows " + rules, Key: "s"}
		always := dialog.Choice{ID: string(event.Always), Label: "Always in this folder", Detail: "saves the rule " + rules, Key: "a"}
		if a.height < lowScreen {
			session.Label, session.Detail = "This session: "+rules, ""
			always.Label, always.Detail = "Always here: "+rules, ""
		}
		spec.Choices = append(spec.Choices, session, always)
	}
	spec.Choices = append(spec.Choices,
		dialog.Choice{ID: string(event.Deny), Label: "No", Key: "n"},
		dialog.Choice{ID: denyWithReason, Label: "No, and say why", Reason: "What should it do instead?"})
	return spec
}

// indented lays JSON out for people; what is none stays as it is.
func indented(raw json.RawMessage) string {
	var out bytes.Buffer
	if json.Indent(&out, raw, "", "  ") != nil {
		return string(raw)
	}
	return out.String()
}

// why tells which parts need the approval. A path is shown from the working
// folder or the home folder on; what else they hold, as it is.
func why(q event.Question, cwd, home string) string {
	var lines []string
	if p := q.Permission; p != nil {
		for _, part := range p.Parts {
			text := sanitize.Visible(part.Text)
			if slices.Contains(p.Paths, part.Text) {
				text = shortPath(part.Text, cwd, home)
			}
			if part.Why != "" {
				text += ": " + part.Why
			}
			lines = append(lines, "• "+text)
		}
		if len(lines) == 0 && p.Command == "" {
			for _, path := range p.Paths {
				lines = append(lines, "• "+shortPath(path, cwd, home))
			}
		}
	}
	if len(lines) == 0 {
		return q.Message
	}
	return strings.Join(lines, "\n")
}

// answerOf reads a dialog's result as the answer to the question.
func answerOf(q event.Question, r dialog.Result) event.Answer {
	if r.Cancelled {
		return event.Answer{Cancelled: true}
	}
	switch q.Kind {
	case event.AskPermission:
		if r.ID == denyWithReason {
			return event.Answer{Choice: event.Deny, Reason: r.Text}
		}
		return event.Answer{Choice: event.Choice(r.ID)}
	case event.AskConfirm:
		return event.Answer{Confirmed: r.ID == "yes"}
	case event.AskSelect:
		return event.Answer{Value: r.ID}
	}
	return event.Answer{Value: r.Text}
}

// asking reports whether a question of the session's has the keyboard.
func (a *app) asking() bool { return a.question != nil }

// waits reports whether nothing goes on before the user has answered: a question
// of the session's, or whether the folder is to be trusted.
func (a *app) waits() bool {
	_, trust := a.panel.(*dialogPanel)
	return a.asking() || a.session == nil && trust
}

// counting reports whether a question on the screen counts down.
func (a *app) counting() bool { return a.question != nil && !a.question.deadline.IsZero() }

func (a *app) questionClosed(e event.AskClosed) {
	if a.question != nil && a.question.question.ID == e.ID {
		a.question = nil
	}
	a.busy.asking, a.busy.closed = false, a.o.Now()
	for _, c := range a.story.cards {
		if c.Asking() {
			c.SetAsking(false)
		}
	}
	if e.TimedOut {
		a.story.notice("info", "Nobody answered in time.")
	}
}

// questionsWait tells the open question how many stand behind it.
func (a *app) questionsWait(e event.AskWaiting) {
	p := a.question
	if p == nil || p.question.ID != e.ID {
		return
	}
	p.question.Waiting = e.Count
	if d, ok := p.panel.(*dialogPanel); ok {
		d.dialog.SetFrom(asker(p.question))
	}
}

// askTrust asks for the project's own files before anything reads them, then
// opens the session.
func (a *app) askTrust(files []string) tea.Cmd {
	if len(files) == 0 {
		return a.open()
	}
	names := make([]string, len(files))
	for i, f := range files {
		names[i] = "• " + sanitize.Visible(f)
	}
	spec := dialog.Confirm("Trust this folder?", trustTitle+"\n"+strings.Join(names, "\n"))
	spec.Selected = 1
	spec.Guard, spec.Now, spec.Keys = guard, a.o.Now, a.o.Keys
	a.panel = &dialogPanel{dialog: dialog.New(spec, a.look.Styles), done: func(r dialog.Result) tea.Cmd {
		keep := a.do("keep the decision", func(context.Context) error { return a.o.SetTrust(r.ID == "yes") })
		return tea.Sequence(keep, a.open())
	}}
	return nil
}
