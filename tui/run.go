package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"

	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
)

// closeTime bounds how long the end waits for the session: tools get their
// signals, the file its last bytes.
const closeTime = 10 * time.Second

// ErrNoTerminal is returned when there is no terminal to draw on.
var ErrNoTerminal = errors.New(`the chat needs a terminal; use -p "text" without one`)

// Run shows the chat until the user leaves. exit is the process's exit code:
// 0 after leaving, 143 and 129 after SIGTERM and SIGHUP, 130 after SIGINT, 2
// without a terminal, else 1 with the error. The terminal is as it was before,
// whatever happened.
func Run(ctx context.Context, o Options) (exit int, err error) {
	o = o.withDefaults()
	if !term.IsTerminal(o.In.Fd()) || !term.IsTerminal(o.Out.Fd()) {
		return 2, ErrNoTerminal
	}
	if o.Signals == nil {
		signals := make(chan os.Signal, 4)
		signal.Notify(signals, syscall.SIGTERM, syscall.SIGHUP, os.Interrupt)
		defer signal.Stop(signals)
		o.Signals = signals
	}
	over := ctx.Done()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	opened := newOnce(o.Open)
	o.Open = opened.open
	if o.Accessible || o.getenv("TERM") == "dumb" {
		exit, err = runFlat(ctx, o)
		return exit, errors.Join(err, opened.close())
	}
	a := newApp(ctx, o)
	out := newOutput(o, &a.pace)
	a.normal = out.Screen
	a.normal.SetColors(a.profile)
	width, height, err := term.GetSize(o.Out.Fd())
	if err == nil {
		a.setInline(fit(o, width, height))
	}
	keys := &keyboard{File: o.In, gone: make(chan struct{})}
	a.over, a.gone = over, keys.gone
	_, _ = io.WriteString(o.Out, keepTitle)
	a.program = tea.NewProgram(a,
		tea.WithInput(keys), tea.WithOutput(out), tea.WithEnvironment(o.Environ),
		tea.WithColorProfile(a.profile), tea.WithoutSignalHandler(),
	)
	_, err = a.program.Run()
	a.pace.stop()
	cancel()
	out.Stop()
	_, _ = io.WriteString(o.Out, ansi.ResetModeLightDark+giveTitleBack)
	exit, err = a.outcome(err)
	if exit != hangUp {
		a.farewell()
	}
	return exit, errors.Join(err, opened.close())
}

const hangUp = 129

// The terminal keeps the window's title, and has it again (XTWINOPS).
const (
	keepTitle     = "\x1b[22;2t"
	giveTitleBack = "\x1b[23;2t"
)

// outcome decides the exit code.
func (a *app) outcome(err error) (int, error) {
	switch {
	case a.err != nil:
		return 1, a.err
	case a.exit != 0 || err == nil:
		return a.exit, nil
	}
	select {
	case s := <-a.o.Signals:
		return signalExit(s), nil
	case <-a.gone:
		return hangUp, nil
	default:
	}
	return 1, fmt.Errorf("the chat ended: %w", err)
}

// farewell leaves the conversation on the normal screen, as far as it isn't
// there already, and how to come back to it.
func (a *app) farewell() {
	out := &colorprofile.Writer{Forward: a.o.Out, Profile: a.profile}
	list := &a.story.list
	list.SetSize(max(1, a.width-1), a.height)
	for _, row := range a.measured(append(list.TakeSettled(), list.Live(math.MaxInt)...), nil) {
		if _, err := fmt.Fprintln(out, row); err != nil {
			return
		}
	}
	if a.o.Resume == nil || a.view.File == "" || a.story.list.Len() == 0 {
		return
	}
	if line := a.o.Resume(a.view); line != "" {
		fmt.Fprintln(out, "\n"+a.look.Muted.Render("To go on: "+sanitize.Line(line)))
	}
}

type opener = func(ctx context.Context) (Session, []string, error)

// once opens the session at most once and closes it again, also when the
// program ends while it is being opened.
type once struct {
	make   opener
	mu     sync.Mutex // held while opening
	opened Session
	closed bool
}

func newOnce(open opener) *once { return &once{make: open} }

func (o *once) open(ctx context.Context) (Session, []string, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return nil, nil, context.Canceled
	}
	s, notices, err := o.make(ctx)
	if err == nil {
		o.opened = s
	}
	return s, notices, err
}

func (o *once) close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	if o.opened == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	if err := o.opened.Close(ctx); err != nil {
		return fmt.Errorf("close the session: %w", err)
	}
	return nil
}
