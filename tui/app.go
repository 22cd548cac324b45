package tui

import (
	"context"
	"errors"
	"os"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/slash"
	"github.com/hoopoe-agent/hoopoe/themes"
	"github.com/hoopoe-agent/hoopoe/tui/editor"
	"github.com/hoopoe-agent/hoopoe/tui/inline"
	"github.com/hoopoe-agent/hoopoe/tui/style"
	"github.com/hoopoe-agent/hoopoe/tui/terminal"
	"github.com/hoopoe-agent/hoopoe/tui/transcript"
)

// app is the Bubble Tea model. Only Update and View touch it.
type app struct {
	o       Options
	ctx     context.Context // ends with the program
	over    <-chan struct{} // the caller wants the end
	gone    <-chan struct{} // the terminal isn't there any more
	program *tea.Program
	pace    pace
	hurry   bool           // the next frame answers a key or the mouse
	normal  *inline.Screen // draws while inline is on
	inline  bool
	recolor bool                 // what inline has printed, since the colours are others now
	profile colorprofile.Profile // of colours; ASCII has none
	dark    bool
	width   int
	height  int
	look    transcript.Look

	story  *story
	editor *editor.Editor
	popup  popup
	panel  panel // what the user has opened in the editor's place; nil: the editor
	// question is the session's open one, which has the keyboard before all.
	question *questionPanel

	session Session
	stream  Stream
	started bool     // Start has been called
	notices []string // of opening
	view    event.View
	guests  guests // what extensions show
	branch  string
	queue   []event.Queued
	waiting []submission // sent before the session was open
	busy    activity
	ticking bool
	// commands of the user's own are at work, so many.
	commands int

	lastBatch time.Time
	drawings  chan drawnMsg   // by extensions
	encoded   chan encodedMsg // pictures

	showTodos bool
	mouseFree bool // the terminal has the mouse, for selecting
	clusters  bool // the terminal measures by grapheme clusters
	mouse     mouse
	blurred   bool      // the window hasn't the focus
	pasteEnd  time.Time // until then keys belong to a paste
	answered  time.Time // the terminal told its background
	quitArmed time.Time // Ctrl+C came once
	hint      string    // beside the activity, until the next key
	files     fileList
	catalog   []slash.Command // as they were when the popup last asked
	listing   bool            // the catalog is being read
	exit      int
	err       error
	last      frame
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

		command *underway
	}
	branchMsg  string
	historyMsg []string
	tickMsg    struct{}
	disarmMsg  struct{}
	signalMsg  struct{ os.Signal }
	clearedMsg struct{ queue []event.Queued }
	themedMsg  themes.Set
	foundMsg   terminal.Profile
)

func newApp(ctx context.Context, o Options) *app {
	a := &app{o: o, ctx: ctx, dark: !o.Light, width: 80, height: 24}
	a.mouseFree = o.MouseFree
	a.catalog = a.withPanels(o.Commands.Catalog(Caps))
	a.view.Cwd = o.Cwd
	a.view.Usage.ContextTokens = -1
	a.story = newStory(&a.look)
	a.story.draw, a.drawings, a.encoded = a.drawGuest, make(chan drawnMsg), make(chan encodedMsg)
	a.editor = editor.New(editor.Options{Prompt: "› ", Now: o.Now, Keys: o.Keys, Vim: o.Vim})
	a.know(o.Terminal)
	return a
}

// restyle builds the styles anew: at the start, and when the terminal tells
// its background.
func (a *app) restyle() {
	a.look.Styles = style.For(a.o.Theme, a.dark, a.profile)
	a.editor.SetStyles(a.look.Styles)
	if a.panel != nil {
		a.panel.setStyles(a.look.Styles)
	}
	if a.question != nil {
		a.question.setStyles(a.look.Styles)
	}
	a.story.restyle()
	a.recolor = true
}

// Init implements tea.Model. The first frame doesn't wait for any of this.
func (a *app) Init() tea.Cmd {
	if a.program != nil {
		a.pace.take(a.program)
	}
	cmds := []tea.Cmd{tea.RequestBackgroundColor, tea.Raw(ansi.SetModeLightDark), a.awaitSignal(), a.awaitTheme(), a.awaitDrawing(), a.awaitPicture(), a.askTmux(), a.tellClusters()}
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
		a.waiting = append(a.waiting, submission{text: a.o.Prompt, delivery: "steer"})
	}
	return tea.Batch(cmds...)
}

// Update implements tea.Model.
func (a *app) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg.(type) {
	case tea.KeyPressMsg, tea.PasteMsg, tea.MouseMsg:
		a.hurry = true
	}
	cmd := a.update(msg)
	switch {
	case a.ticking:
	case a.busy.ticks():
		a.ticking = true
		cmd = tea.Batch(cmd, tick(100*time.Millisecond))
	case a.counting():
		a.ticking = true
		cmd = tea.Batch(cmd, tick(time.Second))
	}
	return a, cmd
}

func (a *app) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		a.width, a.height = msg.Width, msg.Height
		return a.askCell()
	case tea.BackgroundColorMsg:
		painted := !a.answered.IsZero() && a.paints()
		a.answered = a.o.Now()
		if !painted { // else that is our own colour
			a.setDark(msg.IsDark())
		}
	case uv.DarkColorSchemeEvent:
		a.setDark(true)
	case uv.LightColorSchemeEvent:
		a.setDark(false)
	case encodedMsg:
		return a.sendPicture(msg)
	case uv.CellSizeEvent:
		a.setCell(msg)
	case tea.ModeReportMsg:
		a.clusters = a.clusters || msg.Mode == ansi.ModeUnicodeCore && granted(msg.Value)
	case foundMsg:
		return a.know(terminal.Profile(msg))
	case tea.KeyPressMsg:
		if a.endsAnswer(msg) {
			return nil
		}
		return a.key(msg)
	case tea.PasteMsg:
		return a.paste(msg.Content)
	case tea.MouseWheelMsg:
		a.wheel(msg.Mouse())
	case tea.MouseClickMsg:
		return a.press(a.meant(msg.Mouse()))
	case tea.MouseMotionMsg:
		return a.drag(a.meant(msg.Mouse()))
	case tea.MouseReleaseMsg:
		return a.release(a.meant(msg.Mouse()))
	case tea.FocusMsg:
		a.blurred = false
	case tea.BlurMsg:
		a.blurred = true
	case dragMsg:
		return a.dragsOn(msg)
	case tea.ResumeMsg:
		a.back()
		a.resend()
		return tea.ClearScreen
	case doctoredMsg:
		a.back()
		return a.doctored(msg)
	case dumpedMsg:
		a.back()
		if msg.err != nil {
			a.story.notice("error", "The conversation could not be written: "+msg.err.Error())
		}
	case signalMsg:
		return a.leave(signalExit(msg.Signal))
	case tickMsg:
		a.ticking = false
		a.story.tick(a.o.Now())
	case disarmMsg:
		if a.armed() {
			return disarm() // a later Ctrl+C armed again
		}
		a.hint = ""
	case themedMsg:
		a.themed(themes.Set(msg))
		return a.awaitTheme()
	case branchMsg:
		a.branch = string(msg)
	case imagesMsg:
		return a.images(msg)
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
	case laterMsg:
		return msg()
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
	case catalogMsg:
		a.listed(msg)
	case editedMsg:
		a.back()
		a.edited(msg)
	case drawnMsg:
		return a.drawn(msg)
	}
	return nil
}

// do runs a session method off the loop; its error becomes a notice.
func (a *app) do(what string, f func(ctx context.Context) error) tea.Cmd {
	return func() tea.Msg { return failedMsg{what, f(a.ctx)} }
}

func tick(pace time.Duration) tea.Cmd {
	return tea.Tick(pace, func(time.Time) tea.Msg { return tickMsg{} })
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

// awaitTheme waits for the theme's file to change.
func (a *app) awaitTheme() tea.Cmd {
	if a.o.Themed == nil {
		return nil
	}
	return func() tea.Msg {
		select {
		case t, ok := <-a.o.Themed:
			if !ok {
				return nil
			}
			return themedMsg(t)
		case <-a.ctx.Done():
			return nil
		}
	}
}

func (a *app) readBranch() tea.Cmd {
	return func() tea.Msg { return branchMsg(a.o.Branch()) }
}
