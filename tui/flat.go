package tui

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
	"github.com/hoopoe-agent/hoopoe/tui/card"
)

// flat is the chat for a terminal that can do nothing but lines: no escape
// sequence, no repaint, numbered choices. The terminal stays in its own line
// mode, so Ctrl+C arrives as a signal.
type flat struct {
	o        Options
	ctx      context.Context
	session  Session
	stream   Stream
	running  bool
	question *event.Question
	options  *menu // the question's, where they are many
	menu     *menu // a list that the user has opened
	now      screenNow
	hidden   bool              // what is typed isn't shown
	titles   map[string]string // of calls, by id
	shown    map[string]string // what extensions show, by place
	replies  chan slashMsg
	calls    chan func() // to be done on the loop
	lines    chan string
	batches  chan batchMsg
}

func runFlat(ctx context.Context, o Options) (int, error) {
	f := &flat{o: o, ctx: ctx, titles: map[string]string{}, shown: map[string]string{},
		replies: make(chan slashMsg), calls: make(chan func()),
		now:   screenNow{theme: o.Theme.Name, screen: cmp.Or(o.Screen, Fullscreen), notify: o.Notify, vim: o.Vim, progress: o.Progress, mouse: !o.MouseFree},
		lines: make(chan string), batches: make(chan batchMsg)}
	defer f.hide(false)
	go f.read()
	if code, ok := f.trust(); !ok {
		return code, nil
	}
	if err := f.open(); err != nil {
		return 1, err
	}
	f.print("Say what you want done. /help lists the commands, Ctrl+D leaves.\n")
	if o.Prompt != "" {
		f.send(o.Prompt)
	}
	return f.loop()
}

// read delivers the user's lines; the channel closes at their end.
func (f *flat) read() {
	defer close(f.lines)
	in := bufio.NewReader(f.o.In)
	for {
		line, err := in.ReadString('\n')
		if line != "" {
			select {
			case f.lines <- strings.TrimRight(line, "\r\n"):
			case <-f.ctx.Done():
				return
			}
		}
		if err != nil {
			return
		}
	}
}

func (f *flat) print(text string) { fmt.Fprint(f.o.Out, text) }

func (f *flat) say(mark, text string) {
	f.print(mark + " " + strings.TrimRight(sanitize.Text(text), "\n") + "\n")
}

// trust asks for the project's files before anything reads them.
func (f *flat) trust() (code int, ok bool) {
	if f.o.Untrusted == nil || f.o.SetTrust == nil {
		return 0, true
	}
	files := f.o.Untrusted()
	if len(files) == 0 {
		return 0, true
	}
	f.say("?", trustTitle)
	for _, name := range files {
		f.print("  " + sanitize.Line(name) + "\n")
	}
	f.print("1. yes, use them\n2. no, leave them out\n> ")
	select {
	case line, open := <-f.lines:
		if !open {
			return 0, false
		}
		if err := f.o.SetTrust(strings.TrimSpace(line) == "1"); err != nil {
			f.say("!", err.Error())
		}
		return 0, true
	case s := <-f.o.Signals:
		return signalExit(s), false
	}
}

func (f *flat) open() error {
	s, notices, err := f.o.Open(f.ctx)
	if err != nil {
		return err
	}
	for _, n := range notices {
		f.say("!", n)
	}
	f.session = s
	if err := f.attach(); err != nil {
		return err
	}
	go f.run("start the session", s.Start)
	return nil
}

func (f *flat) attach() error {
	v, stream, err := f.session.Attach(f.ctx)
	if err != nil {
		return err
	}
	f.stream = stream
	f.running = v.State != "" && v.State != "idle"
	for _, m := range v.Messages {
		f.message(m)
	}
	for _, s := range v.Statuses {
		f.guest(s)
	}
	for _, w := range v.Widgets {
		f.guest(w)
	}
	if v.Question != nil {
		f.ask(*v.Question)
	}
	go func() {
		for {
			events, err := stream.Batch(f.ctx)
			select {
			case f.batches <- batchMsg{stream: stream, events: events, err: err}:
			case <-f.ctx.Done():
				return
			}
			if err != nil {
				return
			}
		}
	}()
	return nil
}

// run calls a session method off the loop and reports its error there.
func (f *flat) run(what string, call func(context.Context) error) {
	err := call(f.ctx)
	if err == nil || errors.Is(err, context.Canceled) {
		return
	}
	select {
	case f.replies <- slashMsg{err: fmt.Errorf("%s: %w", what, err)}:
	case <-f.ctx.Done():
	}
}

func (f *flat) loop() (int, error) {
	for {
		select {
		case line, open := <-f.lines:
			switch {
			case !open && !f.running:
				return 0, nil
			case !open:
				f.lines = nil // what runs may end
			default:
				f.line(line)
			}
		case msg := <-f.batches:
			if err := f.batch(msg); err != nil {
				return 1, err
			}
			if f.lines == nil && !f.running {
				return 0, nil
			}
		case call := <-f.calls:
			call()
		case msg := <-f.replies:
			if f.reply(msg) {
				return 0, nil
			}
		case s := <-f.o.Signals:
			if s != os.Interrupt || !f.running {
				return signalExit(s), nil
			}
			go f.run("stop", f.session.Abort)
		case <-f.ctx.Done():
			return 130, nil
		}
	}
}

// onLoop has something done on the loop.
func (f *flat) onLoop(call func()) {
	select {
	case f.calls <- call:
	case <-f.ctx.Done():
	}
}

// line takes a line of the user's: for the question that is open, for the list,
// or as a message. A command leaves the list.
func (f *flat) line(text string) {
	command := strings.HasPrefix(text, "/")
	switch {
	case f.question != nil:
		f.answer(text)
	case f.menu != nil && !command:
		f.answerMenu(text)
	case command && f.panel(text):
	case strings.TrimSpace(text) != "":
		f.menu = nil
		f.send(text)
	}
}

// answerMenu gives a line to the list that is open.
func (f *flat) answerMenu(text string) {
	m := f.menu
	say, done := m.answer(text)
	f.print(say)
	if done && f.menu == m { // else it has opened another
		f.menu = nil
	}
}

func (f *flat) send(text string) {
	if f.o.Remember != nil {
		go f.o.Remember(text)
	}
	trimmed := strings.TrimLeft(text, " \t")
	switch {
	case strings.HasPrefix(text, "!"):
		command, hidden := strings.CutPrefix(text[1:], "!")
		go f.run("run the command", func(ctx context.Context) error { return f.session.Bash(ctx, command, hidden) })
	case strings.HasPrefix(trimmed, "/"):
		go func() {
			result, err := f.o.Commands.Dispatch(f.ctx, f.session.Commands(), Caps, text)
			select {
			case f.replies <- slashMsg{sent: submission{text: text}, result: result, err: err}:
			case <-f.ctx.Done():
			}
		}()
	default:
		go f.run("send the message", func(ctx context.Context) error {
			return deliver(ctx, f.session, submission{text: text, delivery: "steer"})
		})
	}
}

// reply shows what a command said; true when it asked to leave.
func (f *flat) reply(msg slashMsg) (leave bool) {
	switch {
	case msg.err != nil:
		f.say("!", capital(msg.err.Error()))
	case !msg.result.Handled && msg.result.Text != "":
		go f.run("send the message", func(ctx context.Context) error {
			return deliver(ctx, f.session, submission{text: msg.result.Text, delivery: "steer"})
		})
	case msg.result.Reply != "":
		f.say("·", msg.result.Reply)
	}
	if msg.result.Edit != "" {
		f.say("·", "To send again, changed or not:\n"+msg.result.Edit)
	}
	if msg.result.Copy != "" {
		f.say("·", msg.result.Copy)
	}
	return msg.result.Quit
}

func (f *flat) batch(msg batchMsg) error {
	for _, e := range msg.events {
		if msg.stream == f.stream {
			f.event(e.Event)
		}
	}
	switch {
	case msg.err == nil, msg.stream != f.stream, f.ctx.Err() != nil:
		return nil
	case errors.Is(msg.err, io.EOF):
		return nil
	}
	return f.attach()
}

func (f *flat) event(e event.Event) {
	switch e := e.(type) {
	case event.RunStarted:
		f.running = true
	case event.RunSettled:
		f.running = false
		if e.Error != "" {
			f.say("!", e.Error)
		}
		if e.Aborted {
			f.say("·", "Stopped.")
		}
	case event.MessageEnded:
		f.message(e.Message)
	case event.ToolStarted:
		f.titles[e.CallID], _ = card.Describe(e.Name, string(e.Arguments))
	case event.ToolRunning:
		f.say("*", e.Title)
	case event.ToolEnded:
		f.ended(e)
	case event.BashEnded:
		f.message(e.Message)
	case event.AskOpened:
		f.ask(e.Question)
	case event.AskClosed:
		f.closed()
		if e.TimedOut {
			f.say("·", "Nobody answered in time.")
		}
	case event.Notice:
		f.say(noticeMark(e.Level), noticeText(e))
	case event.StatusChanged, event.WidgetChanged, event.EditorTextSet, event.ExtensionFailed:
		f.guest(e)
	case event.PromptFailed:
		f.say("!", e.Error)
	case event.RetryScheduled:
		f.say("!", fmt.Sprintf("%s. Trying again (%d of %d); Ctrl+C stops.", e.Error, e.Attempt, e.MaxAttempts))
	case event.CompactionStarted:
		f.say("·", "Summarising older messages.")
	case event.SessionReplaced:
		f.say("·", "This is another session now: "+e.View.SessionID)
	}
}

func (f *flat) message(m message.Message) {
	switch m.Role {
	case message.Assistant:
		if text := strings.TrimSpace(m.Text()); text != "" {
			f.print(sanitize.Text(text) + "\n")
		}
	case message.BashExecution:
		if m.Bash != nil {
			f.say("$", m.Bash.Command+"\n"+m.Bash.Output)
		}
	}
}

func (f *flat) ended(e event.ToolEnded) {
	title := f.titles[e.CallID]
	delete(f.titles, e.CallID)
	if e.IsError {
		f.say("x", title+": "+message.Text(e.Content))
	}
}
