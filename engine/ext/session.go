package ext

import (
	"context"
	"encoding/json"
	"io"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/tool"
)

// Session is what an extension may call back. Sends and setters return when the
// session has taken them, without waiting for a run. From inside a hook, Abort,
// Compact and what replaces or moves the document are carried out when the
// hook's step is over, and their results are lost; Settled from inside a hook is
// an error, because the run may be waiting for the hook. What an extension shows
// bears its name. Every method is safe for concurrent use.
type Session interface {
	Talk
	Screen
	Settings
	Reader
	Control
	// Exec runs a program in the session's workspace; its process group ends with
	// the session.
	Exec(ctx context.Context, c Exec) (ExecResult, error)
	// Flag is the value of an argument that Registrations.Flags claims: a bool or
	// a string, nil when it wasn't given and has no default.
	Flag(name string) any
	// Changed tells that the extension's Registrations have changed.
	Changed()
	// Failed reports an error of the extension that no call returned.
	Failed(point string, err error)
	// SessionKey is the same for all extensions of one session, whatever its
	// document, and another one for every other session of the process.
	SessionKey() string
}

// Talk is what an extension says to the model.
type Talk interface {
	// Send is a user message, as if typed; with a run going it waits in the queue.
	// Delivery is "", steer or followUp.
	Send(ctx context.Context, content []message.Block, delivery string) error
	// SendMessage adds a message of the extension's own.
	SendMessage(ctx context.Context, m CustomMessage) error
	// AppendEntry keeps data in the session's file that the model doesn't see.
	AppendEntry(ctx context.Context, customType string, data json.RawMessage) (id string, err error)
	// SetLabel names an entry; nil takes the name away.
	SetLabel(ctx context.Context, entryID string, label *string) error
}

// CustomMessage is a message of an extension's own to the model.
type CustomMessage struct {
	Type    string
	Content []message.Block
	Display bool
	Details json.RawMessage
	// Trigger starts a run when none is going.
	Trigger bool
	// Delivery of a message that comes while a run is going: steer (also ""),
	// followUp, or nextTurn, which waits for the user's next prompt.
	Delivery string
}

// Screen is what an extension shows.
type Screen interface {
	// HasUI reports whether a face that is attached shows questions.
	HasUI() bool
	// Ask puts a question to the user; answered is false when nobody answered
	// and the default holds.
	Ask(ctx context.Context, q event.Question) (a event.Answer, answered bool)
	// Notify shows a text. Level is info, warning or error.
	Notify(ctx context.Context, level, text string)
	// SetStatus shows a text in the status line under a key of the extension's
	// own; nil takes it away.
	SetStatus(ctx context.Context, key string, text *string)
	// SetWidget shows lines near the editor; nil takes them away. Placement is
	// aboveEditor, belowEditor or empty.
	SetWidget(ctx context.Context, key string, lines []string, placement string)
	// SetTitle sets the terminal's title.
	SetTitle(ctx context.Context, title string)
	// SetEditorText replaces the text that the user is writing.
	SetEditorText(ctx context.Context, text string)
}

// Settings are what an extension may set for the session.
type Settings interface {
	// SetModel reports false when there is no key for it.
	SetModel(ctx context.Context, provider, id string) (ok bool, err error)
	SetThinking(ctx context.Context, level string) error
	Rename(ctx context.Context, name string) error
	// SetActiveTools leaves the model these of AllTools alone.
	SetActiveTools(ctx context.Context, names []string) error
}

// Reader is the session as it is now.
type Reader interface {
	// View holds the context's messages, the model, the state and the queue.
	View(ctx context.Context) (event.View, error)
	// Entries are those of the session's file, in its JSON, and the id of the last.
	Entries(ctx context.Context) (entries []json.RawMessage, leaf string, err error)
	// Document tells about the session's file.
	Document(ctx context.Context) (Document, error)
	SystemPrompt() string
	// AllTools are all that the session has; ActiveTools are the names of those
	// that the model is offered.
	AllTools() []tool.Spec
	ActiveTools() []string
	Commands(ctx context.Context) []CommandInfo
	// Models are those with a key, in the JSON of the catalogue's rows.
	Models() []event.Model
}

// Document tells about a session's file.
type Document struct {
	ID, File, Dir, Cwd, Name string
	Header                   json.RawMessage
	// Label of each entry that has one.
	Labels map[string]string
}

// CommandInfo is one slash command. Source is builtin, prompt, skill, extension
// or mcp.
type CommandInfo struct{ Name, Description, Source, Path string }

// Control changes what the session does.
type Control interface {
	Abort(ctx context.Context) error
	Settled(ctx context.Context) error
	Compact(ctx context.Context, instructions string) error
	// NewDocument starts a fresh session; cancelled when an extension vetoed.
	NewDocument(ctx context.Context, parent string) (cancelled bool, err error)
	Switch(ctx context.Context, path string) (cancelled bool, err error)
	// Branch starts a new file that ends before a user message.
	Branch(ctx context.Context, entryID string) (cancelled bool, err error)
	// MoveTo goes on from another entry of the tree.
	MoveTo(ctx context.Context, entryID string, summarize bool, instructions string) (cancelled bool, err error)
	// Reload reads the extensions, skills, templates and rules again.
	Reload(ctx context.Context) error
	// Shutdown notes that the process should end when it has nothing to do.
	Shutdown(ctx context.Context)
}

// Exec is a program to run. Name is looked up on PATH; nothing is expanded.
type Exec struct {
	Name    string
	Args    []string
	Dir     string   // empty: the session's working directory
	Env     []string // in addition to the session's; "KEY=value"
	Stdin   io.Reader
	Timeout time.Duration // 0: none
}

// ExecResult is how it ended. A program that couldn't be started is an error.
type ExecResult struct {
	Stdout, Stderr string // bounded: the tail
	Code           int
	Killed         bool
}
