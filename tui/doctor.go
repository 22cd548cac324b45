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
	e := &examination{in: a.o.In, out: a.o.Out, environ: a.o.Environ, guess: terminal.Guess(a.o.Environ), now: a.o.Now}
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
	environ      []string
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
	e.found = e.found.AskTmux(ctx, e.environ)
	return err
}

// doctored shows the report and goes by the answers from now on.
func (a *app) doctored(msg doctoredMsg) tea.Cmd {
	if msg.err != nil {
		a.story.notice("warning", capital(msg.err.Error()))
	}
	cmd := a.know(msg.found)
	marks := map[terminal.Answer]string{terminal.Yes: "+", terminal.No: "-", terminal.Unknown: "?"}
	var text []string
	for _, r := range msg.found.Report() {
		text = append(text, marks[r.State]+" "+r.Name+"\t"+r.Text)
		if r.Hint != "" {
			text = append(text, "\t→ "+r.Hint)
		}
	}
	a.panel = &textPanel{styles: a.look.Styles, keys: a.o.Keys, title: "What this terminal can do", text: text}
	return cmd
}
