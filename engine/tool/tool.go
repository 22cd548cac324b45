// Package tool defines what the model can call: a tool's specification, a
// call, its result, and the registry that a session offers.
//
//	model's JSON ─▶ Registry.Find ─▶ Check (schema) ─▶ Describe / Preview ─▶ Run ─▶ Result
//
// Tools reach files and processes only through Call.Env, so that the same
// tool works on the local disk and through an editor.
package tool

import (
	"context"
	"encoding/json"

	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/workspace"
)

// Kind groups tools by what they do to the world; permission and the faces
// go by it. The values are ACP's.
type Kind string

const (
	Read    Kind = "read"
	Edit    Kind = "edit"
	Search  Kind = "search"
	Execute Kind = "execute"
	Fetch   Kind = "fetch"
	Think   Kind = "think"
	Other   Kind = "other"
)

// Spec describes a tool.
type Spec struct {
	Name        string
	Label       string // for people; defaults to Name
	Aliases     []string
	Description string // for the model
	// Summary is one line for the system prompt's list of tools.
	Summary    string
	Kind       Kind
	Parameters json.RawMessage // JSON Schema, type object
	// Exclusive tools run alone: no other call of the turn runs beside them.
	Exclusive bool
	// Unbounded tools don't count among the calls that may run at once: they wait
	// for work that has a limit of its own.
	Unbounded bool
	// EndsRun makes the run stop after this call (the ask tool of a face that
	// can only speak text).
	EndsRun bool
	// Hidden tools are callable but not shown to the model.
	Hidden bool

	schema *schema // Parameters, compiled: see Compile
}

// AbortedError is returned by a tool that was stopped and has words of its own
// for the result; else the result says what every aborted call says.
type AbortedError struct{ Text string }

func (e *AbortedError) Error() string { return e.Text }

// Tool is one thing that the model can call. Run returns an error for a call
// that failed; its text goes to the model, so it says what to do instead. A
// Result beside the error counts too: its content goes before that text, and
// its details to the faces. Cancelling ctx must end Run.
type Tool interface {
	Spec() Spec
	Run(ctx context.Context, c Call) (Result, error)
}

// Call is one invocation. Arguments have passed the schema.
type Call struct {
	ID        string
	Name      string
	Arguments json.RawMessage
	Env       Env
	// Progress replaces what is shown while the call runs. It may be called
	// from any goroutine until Run returns and never blocks for long; it is
	// never nil.
	Progress func(Result)
}

// Env is the session as its tools may see it.
type Env struct {
	Workspace workspace.Workspace
	// Files remembers what this session has read: see workspace.Ledger.
	Files *workspace.Ledger
	// Withheld reports a file below a path of the call that the user's rules
	// don't give away with it. Tools that read whole trees leave it out and say
	// so; nil withholds nothing.
	Withheld func(abs string) bool
	// Settled are the paths that the call was judged by, absolute; nil as long as
	// it isn't judged. A path that leads elsewhere when the call runs, since a
	// symbolic link has changed meanwhile, must not be touched.
	Settled []string
	// Images reports whether the current model takes images.
	Images bool
	// Asker poses the ask tool's question to the user; nil when nobody can be
	// asked in a dialog.
	Asker Asker
	// Todos is the session's list; nil when the session keeps none.
	Todos TodoList
}

// Asker poses one question and waits for the answer.
type Asker interface {
	// Ask returns the chosen option or typed text. ok is false when the user
	// declined or nobody could be asked.
	Ask(ctx context.Context, callID, question string, options []string) (answer string, ok bool, err error)
}

// TodoList is the session's task list.
type TodoList interface {
	Get() []TodoPhase
	// Set replaces the list and returns it as it was stored.
	Set(ctx context.Context, phases []TodoPhase) ([]TodoPhase, error)
}

// TodoPhase and Todo are the session's tasks.
type (
	TodoPhase = message.TodoPhase
	Todo      = message.Todo
)

// Result is what a call gives back: content for the model and details for the
// faces (a JSON object, or nil).
type Result struct {
	Content []message.Block
	Details json.RawMessage
}

// TextResult returns a result of one text block.
func TextResult(s string) Result { return Result{Content: []message.Block{message.TextOf(s)}} }

// Description is what a call is about to do, for titles and permission.
type Description struct {
	Title string // "Read main.go", "Run go test ./..."
	Kind  Kind
	// Paths the call touches, absolute and with symlinks resolved.
	Paths []Path
	// Command is the shell script of an execute call.
	Command string
	// URL of a fetch call.
	URL string
}

// Path is a file that a call touches.
type Path struct {
	Path  string
	Line  int // 1-based, 0 when none
	Write bool
	// Inside reports whether the path lies in one of the workspace's roots.
	Inside bool
}

// Describer is implemented by tools that can say what a call will do.
type Describer interface {
	Describe(ctx context.Context, c Call) (Description, error)
}

// Previewer is implemented by tools that can show their effect before they
// have it: a unified diff. An error means that the call would fail.
type Previewer interface {
	Preview(ctx context.Context, c Call) (diff string, err error)
}
