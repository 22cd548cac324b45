package tui

import (
	"context"
	"errors"
	"io"
	"os"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/term"
	"github.com/muesli/cancelreader"

	"github.com/hoopoe-agent/hoopoe/tui/flow"
	"github.com/hoopoe-agent/hoopoe/tui/terminal"
)

// doctorTime bounds how long the terminal's answers are waited for.
const doctorTime = 2 * time.Second

// doctoredMsg brings what the terminal has answered.
type doctoredMsg struct {
	found terminal.Profile
	err   error
}

// doctor asks the terminal what it can do. It needs the normal screen and the
// keys for itself: samples are printed and measured.
func (a *app) doctor() tea.Cmd {
	e := &examination{in: a.o.In, out: a.o.Out, guess: terminal.Guess(a.o.Environ), now: a.o.Now}
	keep, ctx := a.o.Doctored, a.ctx
	e.ctx = ctx
	return a.away(tea.Exec(outside{e}, func(err error) tea.Msg {
		if err == nil && keep != nil {
			err = keep(e.found)
		}
		return doctoredMsg{e.found, err}
	}))
}

type examination struct {
	ctx          context.Context
	in           *os.File
	out          io.Writer
	guess, found terminal.Profile
	now          func() time.Time
}

func (e *examination) Run() (err error) {
	e.found = e.guess
	cooked, err := term.MakeRaw(e.in.Fd())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, term.Restore(e.in.Fd(), cooked)) }()
	in, err := cancelreader.NewReader(e.in)
	if err != nil {
		return err
	}
	defer in.Close()
	ctx, cancel := context.WithTimeout(e.ctx, doctorTime)
	defer cancel()
	e.found, _, err = terminal.Ask(ctx, in, e.out, e.guess, e.now)
	return err
}

// doctored shows the report and goes by the answers from now on.
func (a *app) doctored(msg doctoredMsg) {
	if msg.err != nil {
		a.story.notice("warning", capital(msg.err.Error()))
	}
	a.know(msg.found)
	marks := map[terminal.Answer]string{terminal.Yes: "+", terminal.No: "-", terminal.Unknown: "?"}
	var text []string
	for _, r := range msg.found.Report() {
		text = append(text, marks[r.State]+" "+r.Name+"\t"+r.Text)
		if r.Hint != "" {
			text = append(text, "\t→ "+r.Hint)
		}
	}
	a.panel = &textPanel{styles: a.look.Styles, title: "What this terminal can do", text: text}
}

// know takes what is known of the terminal.
func (a *app) know(p terminal.Profile) {
	a.o.Terminal = p
	a.look.Bidi = flow.Bidi{Reorder: p.Bidi == terminal.No}
	a.look.Images = pictures(p, a.profile)
	a.editor.SetReorder(a.look.Bidi.Reorder)
	a.restyle()
}
