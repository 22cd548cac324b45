package tui

import (
	"context"
	"errors"
	"io"
	"os"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/slash"
	"github.com/hoopoe-agent/hoopoe/tui/editor"
	"github.com/hoopoe-agent/hoopoe/tui/style"
	"github.com/hoopoe-agent/hoopoe/tui/transcript"
)

// app is the Bubble Tea model. Only Update and View touch it.
type app struct {
	o      Options
	ctx    context.Context // ends with the program
	over   <-chan struct{} // the caller wants the end
	gone   <-chan struct{} // the terminal isn't there any more
	color  bool
	dark   bool
	width  int
	height int
	look   transcript.Look

	story  *story
	editor *editor.Editor
	popup  popup
	panel  panel // what has the keyboard in the editor's place; nil: the editor

	session Session
	stream  Stream
	started bool     // Start has been called
	notices []string // of opening
	view    event.View
	branch  string
	queue   []event.Queued
	waiting []submission // sent before the session was open
	busy    activity
	ticking bool

	lastBatch time.Time

	showTodos bool
	mouseFree bool      // the terminal has the mouse, for selecting
	pasteEnd  time.Time // until then keys belong to a paste
	quitArmed time.Time // Ctrl+C came once
	hint      string    // beside the activity, until the next key
	files     fileList
	exit      int
	err       error
	paint     frame
}

// Messages to Update from its own commands.
type (
	trustMsg  struct{ files []string }
	openedMsg struct {
		session Session
		notices []string
		err     error
	}
	attachedMsg struct {
		view   event.View
		stream Stream
		err    error
	}
	batchMsg struct {
		stream Stream
		events []event.Envelope
		err    error
	}
	// failedMsg reports a command's error under what was tried.
	failedMsg struct {
		what string
		err  error
	}
	slashMsg struct {
		sent   submission
		result slash.Result
		err    error
	}
	branchMsg  string
	historyMsg []string
	tickMsg    struct{}
	disarmMsg  struct{}
	signalMsg  struct{ os.Signal }
	clearedMsg struct{ queue []event.Queued }
)

func newApp(ctx context.Context, o Options) *app {
	a := &app{o: o, ctx: ctx, dark: !o.Light, color: o.getenv("NO_COLOR") == "", width: 80, height: 24}
	a.view.Cwd = o.Cwd
	a.view.Usage.ContextTokens = -1
	a.story = newStory(&a.look)
	a.editor = editor.New(editor.Options{Prompt: "› ", Now: o.Now})
	a.restyle()
	return a
}

// restyle builds the styles anew: at the start, and when the terminal tells
// its background.
func (a *app) restyle() {
	a.look.Styles = style.New(a.o.Theme, a.dark, a.color)
	a.editor.SetStyles(a.look.Styles)
	if a.panel != nil {
		a.panel.setStyles(a.look.Styles)
	}
	a.story.restyle()
}

// Init implements tea.Model. The first frame doesn't wait for any of this.
func (a *app) Init() tea.Cmd {
	cmds := []tea.Cmd{tea.RequestBackgroundColor, a.awaitSignal()}
	if a.o.History != nil {
		cmds = append(cmds, func() tea.Msg { return historyMsg(a.o.History()) })
	}
	if a.o.Branch != nil {
		cmds = append(cmds, a.readBranch())
	}
	cmds = append(cmds, func() tea.Msg {
		if a.o.Untrusted == nil || a.o.SetTrust == nil {
			return trustMsg{}
		}
		return trustMsg{a.o.Untrusted()}
	})
	if a.o.Prompt != "" {
		a.waiting = append(a.waiting, submission{text: a.o.Prompt})
	}
	return tea.Batch(cmds...)
}

// Update implements tea.Model.
func (a *app) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	cmd := a.update(msg)
	if !a.ticking && a.busy.ticks() {
		a.ticking = true
		cmd = tea.Batch(cmd, tick())
	}
	return a, cmd
}

func (a *app) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		a.width, a.height = msg.Width, msg.Height
	case tea.BackgroundColorMsg:
		if dark := msg.IsDark(); dark != a.dark {
			a.dark = dark
			a.restyle()
		}
	case tea.KeyPressMsg:
		return a.key(msg)
	case tea.PasteMsg:
		return a.paste(msg.Content)
	case tea.MouseWheelMsg:
		a.wheel(msg.Mouse())
	case tea.ResumeMsg:
		return tea.ClearScreen
	case signalMsg:
		return a.leave(signalExit(msg.Signal))
	case tickMsg:
		a.ticking = false
	case disarmMsg:
		if a.armed() {
			return disarm() // a later Ctrl+C armed again
		}
		a.hint = ""
	case branchMsg:
		a.branch = string(msg)
	case historyMsg:
		a.editor.SetHistory(append(msg, a.editor.History()...))
	default:
		return a.sessionMsg(msg)
	}
	return nil
}

// sessionMsg handles what comes from the session and from work in progress.
func (a *app) sessionMsg(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case trustMsg:
		return a.askTrust(msg.files)
	case openedMsg:
		return a.opened(msg)
	case attachedMsg:
		return a.attached(msg)
	case batchMsg:
		return a.batch(msg)
	case slashMsg:
		return a.commandDone(msg)
	case failedMsg:
		if msg.err != nil && !errors.Is(msg.err, context.Canceled) {
			a.story.notice("error", capital(msg.what)+": "+msg.err.Error())
		}
	case unsentMsg:
		a.unsent(msg)
	case clearedMsg:
		a.takeBack(msg.queue)
	case filesMsg:
		a.files.loaded(msg)
		return a.complete()
	case completionMsg:
		a.offer(msg)
	case editedMsg:
		a.edited(msg)
	}
	return nil
}

// do runs a session method off the loop; its error becomes a notice.
func (a *app) do(what string, f func(ctx context.Context) error) tea.Cmd {
	return func() tea.Msg { return failedMsg{what, f(a.ctx)} }
}

func (a *app) open() tea.Cmd {
	return func() tea.Msg {
		s, notices, err := a.o.Open(a.ctx)
		return openedMsg{s, notices, err}
	}
}

func (a *app) opened(msg openedMsg) tea.Cmd {
	if msg.err != nil {
		// Without a session the chat can do nothing: say so where it stays.
		a.err = msg.err
		return a.leave(1)
	}
	a.session, a.notices = msg.session, msg.notices
	return a.attach()
}

func (a *app) attach() tea.Cmd {
	s := a.session
	return func() tea.Msg {
		view, stream, err := s.Attach(a.ctx)
		return attachedMsg{view, stream, err}
	}
}

func (a *app) attached(msg attachedMsg) tea.Cmd {
	if msg.err != nil {
		a.err = msg.err
		return a.leave(1)
	}
	a.stream = msg.stream
	a.replace(msg.view)
	if a.started {
		return a.next()
	}
	a.started = true
	for _, n := range a.notices {
		a.story.notice("warning", n)
	}
	first := []tea.Cmd{a.do("start the session", a.session.Start)}
	for _, s := range a.waiting {
		first = append(first, a.send(s))
	}
	a.waiting = nil
	return tea.Batch(a.next(), tea.Sequence(first...))
}

// replace shows another picture of the session.
func (a *app) replace(v event.View) {
	a.view = v
	a.queue = v.Queue
	a.story.show(v)
	a.busy.from(v, a.o.Now())
	a.closeQuestion()
	if v.Question != nil {
		a.openQuestion(*v.Question)
	}
	a.view.Messages, a.view.InFlight = nil, nil // the list has them
}

// frameTime is the least time between two batches: more would not be seen.
const frameTime = 16 * time.Millisecond

// next takes the stream's next batch. It waits out the frame of the last one
// first, so that what comes meanwhile merges.
func (a *app) next() tea.Cmd {
	// A frame that is dear to draw, of one huge block, comes less often, so
	// that keys are answered between two of them.
	pause := min(max(frameTime, 3*a.paint.cost), time.Second)
	stream, ctx, ready := a.stream, a.ctx, a.lastBatch.Add(pause)
	return func() tea.Msg {
		if wait := time.Until(ready); wait > 0 {
			select {
			case <-time.After(wait):
			case <-ctx.Done():
			}
		}
		events, err := stream.Batch(ctx)
		return batchMsg{stream, events, err}
	}
}

func (a *app) batch(msg batchMsg) tea.Cmd {
	if msg.stream != a.stream {
		msg.stream.Close()
		return nil
	}
	a.lastBatch = time.Now()
	// A merged delta stands where its first part was and has the number of its
	// last: numbers don't order a batch, the batch does.
	settled := false
	for _, e := range msg.events {
		a.apply(e.Event)
		if _, ok := e.Event.(event.RunSettled); ok {
			settled = true
		}
	}
	switch {
	case msg.err == nil && settled && a.o.Branch != nil:
		return tea.Batch(a.next(), a.readBranch()) // the run may have changed it
	case msg.err == nil:
		return a.next()
	case errors.Is(msg.err, io.EOF) || a.ctx.Err() != nil:
		return nil
	}
	// We fell too far behind: a new picture has it all.
	return a.attach()
}

func tick() tea.Cmd {
	return tea.Tick(100*time.Millisecond, func(time.Time) tea.Msg { return tickMsg{} })
}

// leave ends the program with an exit code.
func (a *app) leave(code int) tea.Cmd {
	a.exit = code
	return tea.Quit
}

func signalExit(s os.Signal) int {
	switch s {
	case syscall.SIGTERM:
		return 143
	case syscall.SIGHUP:
		return 129
	}
	return 130
}

func (a *app) awaitSignal() tea.Cmd {
	return func() tea.Msg {
		select {
		case s := <-a.o.Signals:
			return signalMsg{s}
		case <-a.gone:
			return signalMsg{syscall.SIGHUP}
		case <-a.over:
			return signalMsg{os.Interrupt}
		case <-a.ctx.Done():
			return nil
		}
	}
}

func (a *app) readBranch() tea.Cmd {
	return func() tea.Msg { return branchMsg(a.o.Branch()) }
}
