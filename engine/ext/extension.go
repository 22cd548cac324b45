package ext

import (
	"context"

	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/tool"
)

// Extension is something that takes part in sessions: funcs of the program, a
// module, commands of the user.
type Extension interface {
	// Name is for people and for messages about failures; it stays the same.
	Name() string
	// Load makes the extension's part in one session. It may take long and is
	// called off the session's owner; s may be kept until Close. An error leaves
	// nothing behind.
	Load(ctx context.Context, s Session) (*Instance, error)
}

// Instance is an extension's part in one session. Its funcs are safe for
// concurrent use; Registered, Render and Close may be nil.
type Instance struct {
	Hooks
	// Heeds promises that every hook returns at once when its context ends, so
	// that none needs a goroutine of its own to be left behind in.
	Heeds bool
	// Registered are the registrations of this moment. After a change the
	// extension calls Session.Changed.
	Registered func() Registrations
	// Render draws a message of one of the extension's own types.
	Render func(ctx context.Context, r Render) ([]string, error)
	// Close ends what the instance still does. It comes after SessionShutdown,
	// or after a reload has loaded the next one.
	Close func()
}

// Registrations are what an extension adds to a session.
type Registrations struct {
	Tools     []tool.Tool
	Commands  []Command
	Shortcuts []Shortcut
	Flags     []Flag
	// Renders are the types of the messages that Render draws.
	Renders []string
}

// Command is a slash command. Run is called like a hook, but without a deadline
// and with the right to replace the document.
type Command struct {
	Name, Description string
	Complete          func(ctx context.Context, prefix string) []Completion // nil: none
	Run               func(ctx context.Context, args string) error
}

// Completion is a value of a command's argument.
type Completion struct{ Value, Label, Description string }

// Shortcut is a key of the chat, such as ctrl+shift+k.
type Shortcut struct {
	Key, Description string
	Run              func(ctx context.Context) error
}

// Flag is an argument of the command line: --name. Type is boolean or string.
type Flag struct {
	Name, Description, Type string
	Default                 any // bool, string or nil
}

// Render asks for the lines of one message, none wider than Width cells.
type Render struct {
	Message  message.Message
	Width    int
	Expanded bool
}

// NeedsApproval is implemented by tools each call of which is put to the user,
// whatever allows it.
type NeedsApproval interface{ NeedsApproval() bool }
