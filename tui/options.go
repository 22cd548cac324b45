package tui

import (
	"context"
	"io"
	"os"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine"
	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/permission"
	"github.com/hoopoe-agent/hoopoe/slash"
	"github.com/hoopoe-agent/hoopoe/themes"
	"github.com/hoopoe-agent/hoopoe/tui/keymap"
	"github.com/hoopoe-agent/hoopoe/tui/terminal"
)

// Options are what the chat needs of its surroundings. Open is required.
type Options struct {
	// Open makes the session. It is called once, after the first frame and
	// after the trust question. Notices are shown to the user.
	Open func(ctx context.Context) (s Session, notices []string, err error)
	// Commands is the registry behind the slash.
	Commands *slash.Registry
	// Prompt is sent as soon as the session is open; it may be empty.
	Prompt string

	// Untrusted lists the project's files that wait for the user's decision;
	// SetTrust keeps the decision. Either may be nil: nothing is asked.
	Untrusted func() []string
	SetTrust  func(yes bool) error

	// History holds earlier prompts, oldest first; Remember keeps one more.
	History  func() []string
	Remember func(text string)
	// Files lists the project's files for "@", relative to Cwd, bounded and
	// without what is ignored. nil: no completion.
	Files func(ctx context.Context) []string

	// Sessions are the saved ones, for /resume; nil: the command asks by itself.
	Sessions Sessions
	// Save keeps a setting in the user's settings, by its key there; nil keeps
	// none.
	Save func(ctx context.Context, key string, value any) error

	// Settings lists the keys of the settings files; nil: only what can be
	// changed here is shown.
	Settings func(ctx context.Context) ([]Setting, error)

	// Screen is Fullscreen, Inline or Auto; "" is Fullscreen.
	Screen string

	// Accessible keeps to lines: no repaint, no spinner, numbered choices.
	// MouseFree leaves the mouse to the terminal at the start.
	Accessible bool
	MouseFree  bool

	// Notify is how the user is told that something happened while the window
	// hasn't the focus: NotifyAuto, NotifyBell or "off"; "" is NotifyAuto.
	// Progress shows in the terminal's tab or taskbar that work is going on.
	Notify   string
	Progress bool

	// Keys says what keys do; nil is keymap.Default(). Vim turns vim's keys on
	// in the prompt.
	Keys *keymap.Map
	Vim  bool

	Theme themes.Theme
	// Themes are those to choose from; nil: there is no choice.
	Themes Themes
	// Themed delivers the themes anew when their files have changed; it may be
	// nil.
	Themed <-chan themes.Set
	// Light picks the theme's variant where the terminal doesn't answer.
	Light bool
	// Cwd is shown in the status line, with the branch that Branch returns.
	Cwd    string
	Branch func() string
	// Resume makes the command line that opens the session again; "" prints
	// no hint at the end.
	Resume func(event.View) string

	// Clipboard is the desktop's; nil: the terminal's alone.
	Clipboard Clipboard

	// Terminal is what is known of the terminal; without a name of its kind in
	// it, the environment tells.
	Terminal terminal.Profile

	// Doctored keeps what the terminal has answered; nil keeps nothing.
	Doctored func(terminal.Profile) error

	// In and Out are the terminal; nil means the process's own.
	In  *os.File
	Out *os.File
	// Err takes what is said outside the fullscreen; nil means stderr.
	Err io.Writer
	// Environ is the environment, as of os.Environ.
	Environ []string
	Now     func() time.Time
	// Signals delivers SIGTERM, SIGHUP and SIGINT; nil listens to the
	// process's own.
	Signals <-chan os.Signal
}

// Session is what the chat needs of a session. Methods are called from many
// goroutines and may block.
type Session interface {
	// Commands is the session as slash commands see it.
	Commands() slash.Session
	Start(ctx context.Context) error
	Attach(ctx context.Context) (event.View, Stream, error)
	// Prompt sends a message. While a run is going it is queued, as delivery
	// says: "steer" or "followUp"; without one it is refused then with
	// engine.ErrBusy. The labels of images in the text stand for the images.
	Prompt(ctx context.Context, text, delivery string, images []message.Block) error
	Abort(ctx context.Context) error
	// Bash runs a command of the user's own; hidden ones stay out of the
	// model's context. It returns when the command has ended.
	Bash(ctx context.Context, command string, hidden bool) error
	AbortBash(ctx context.Context) error
	ClearQueue(ctx context.Context) ([]event.Queued, error)
	Answer(ctx context.Context, id string, a event.Answer) error
	SetMode(ctx context.Context, mode string) error
	// Shortcuts are the keys of extensions; RunShortcut carries one out.
	Shortcuts() []engine.Shortcut
	RunShortcut(ctx context.Context, key string) error
	// Renders reports whether an extension draws messages of a type, and
	// RenderMessage has it do so; the lines are as the extension made them.
	Renders(customType string) bool
	RenderMessage(ctx context.Context, m message.Message, width int, expanded bool) (lines []string, ok bool)
	CycleModel(ctx context.Context) error
	// MoveToWith goes on from another entry of the session's tree. For a message
	// of the user's that is the place before it, and its text comes back.
	MoveToWith(ctx context.Context, entryID string, o engine.MoveOptions) (text string, cancelled bool, err error)
	// SetLabel names an entry of the tree; "" takes its name away.
	SetLabel(ctx context.Context, entryID, text string) error
	// Rules are the permission rules that hold. RemoveRule takes back one that
	// an answer has made, for this session or saved.
	Rules() []permission.Rule
	RemoveRule(ctx context.Context, r permission.Rule) (removed bool, err error)
	SetAutoCompaction(ctx context.Context, on bool) error
	SetAutoRetry(ctx context.Context, on bool) error
	SetSteeringMode(ctx context.Context, mode string) error
	SetFollowUpMode(ctx context.Context, mode string) error
	SetInterruptMode(ctx context.Context, mode string) error
	Close(ctx context.Context) error
}

// Stream is the session's events from a picture on, without gap.
type Stream interface {
	// Batch returns all that waits, at least one event. After io.EOF there is
	// nothing more; after any other error the reader may attach again.
	Batch(ctx context.Context) ([]event.Envelope, error)
	Close()
}

// Caps are the abilities that slash commands may count on here.
const Caps = slash.Terminal | slash.Replaceable | slash.Dialogs

func (o Options) withDefaults() Options {
	if o.In == nil {
		o.In = os.Stdin
	}
	if o.Out == nil {
		o.Out = os.Stdout
	}
	if o.Err == nil {
		o.Err = os.Stderr
	}
	if o.Environ == nil {
		o.Environ = os.Environ()
	}
	if o.Terminal.Term == "" {
		o.Terminal = terminal.Guess(o.Environ)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Keys == nil {
		o.Keys = keymap.Default()
	}
	if o.Notify == "" {
		o.Notify = NotifyAuto
	}
	if o.Commands == nil {
		o.Commands = slash.New()
	}
	return o
}

// getenv looks a variable up in Environ.
func (o Options) getenv(name string) string {
	value := ""
	for _, kv := range o.Environ {
		if len(kv) > len(name) && kv[len(name)] == '=' && kv[:len(name)] == name {
			value = kv[len(name)+1:]
		}
	}
	return value
}
