// Package ext is where extensions take part in a session: the points at which
// they are called, what each may answer, and the rules that protect the
// session from them.
//
//	session ─▶ Host.<Point> ─▶ each extension in load order ─▶ folded reply
//
// A hook runs off the session's owner, under a deadline that stands still
// while a question of the hook's is on screen. A hook that fails, panics or
// takes too long is reported through Host.Failed and skipped; only at ToolCall
// does a failure block, because permission fails closed.
package ext

import (
	"context"
	"encoding/json"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// Hooks is one extension's part in a session. Every func is optional; nil
// means that the extension doesn't care. A func must return when ctx ends.
type Hooks struct {
	Name string

	SessionStart    func(ctx context.Context, s Session) error
	SessionShutdown func(ctx context.Context, s Session) error
	// Input may change a prompt or a queued message, or take it away.
	Input func(ctx context.Context, s Session, in Input) (InputReply, error)
	// BeforeRun may add messages after the prompt and replace the system prompt.
	BeforeRun func(ctx context.Context, s Session, b BeforeRun) (BeforeRunReply, error)
	// Context may replace the messages of one request.
	Context func(ctx context.Context, s Session, messages []message.Message) ([]message.Message, error)
	// ToolCall may change a call's arguments or block it.
	ToolCall func(ctx context.Context, s Session, c ToolCall) (ToolCallReply, error)
	// ToolResult may change what the model sees of a result.
	ToolResult func(ctx context.Context, s Session, r ToolResult) (ToolResult, error)
	// RunEnd comes after the last run of a prompt, before it is settled. A
	// message it sends starts another run.
	RunEnd func(ctx context.Context, s Session, e RunEnd) error
	// BeforeCompact may cancel a compaction or supply its summary.
	BeforeCompact func(ctx context.Context, s Session, b BeforeCompact) (BeforeCompactReply, error)
	// BeforeReplace may veto that the document is replaced.
	BeforeReplace func(ctx context.Context, s Session, r Replace) (veto bool, err error)
	// Replaced comes after it was.
	Replaced func(ctx context.Context, s Session, r Replace) error
}

// Session is what a hook may call back. Sends and setters return when the
// session has taken them, without waiting for a run. Abort, Compact and
// NewDocument called from inside a hook are carried out when the hook's step
// is over, and their results are lost; Settled from inside a hook is an error,
// because the run may be waiting for the hook. What an extension shows bears
// its name.
type Session interface {
	Send(ctx context.Context, text string) error
	Abort(ctx context.Context) error
	Settled(ctx context.Context) error
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
	Compact(ctx context.Context, instructions string) error
	// NewDocument starts a fresh session; cancelled when an extension vetoed.
	NewDocument(ctx context.Context) (cancelled bool, err error)
	// Shutdown notes that the process should end when it has nothing to do.
	Shutdown(ctx context.Context)
}

// Input is a prompt, or a message for a run that is going, on its way in.
type Input struct {
	Text   string
	Images []message.Block
	// Source is interactive, rpc or extension.
	Source string
	// Sender is the extension that sent it, which isn't asked about it.
	Sender string
}

// InputReply changes a prompt. Handled means that nothing is left to run;
// Block refuses it with Reason as the run's answer.
type InputReply struct {
	Handled bool
	Block   bool
	Reason  string
	// Text and Images replace the prompt's when not nil.
	Text   *string
	Images []message.Block
}

// BeforeRun tells what is about to run.
type BeforeRun struct {
	Prompt string
	System string
}

// BeforeRunReply adds to it.
type BeforeRunReply struct {
	Messages []message.Message
	System   string // replaces the system prompt of this prompt's runs; empty keeps it
	Block    bool
	Reason   string
}

// ToolCall is a call that passed validation and hasn't been judged yet.
type ToolCall struct {
	ID, Name  string
	Arguments json.RawMessage
}

// ToolCallReply may replace arguments (they are validated again) or block.
type ToolCallReply struct {
	Arguments json.RawMessage
	Block     bool
	Reason    string
}

// ToolResult is a call's result.
type ToolResult struct {
	Call    ToolCall
	Content []message.Block
	Details json.RawMessage
	IsError bool
}

// RunEnd tells how a prompt ended.
type RunEnd struct {
	Reason   message.StopReason
	Messages []message.Message
}

// BeforeCompact tells what would be summarised.
type BeforeCompact struct {
	Reason       string
	Instructions string
	Messages     []message.Message
}

// BeforeCompactReply cancels, or supplies the summary.
type BeforeCompactReply struct {
	Cancel  bool
	Summary string
}

// Replace tells which document comes next. Reason is new, resume or fork.
type Replace struct {
	Reason string
	Path   string // of the file to open, when there is one
}
