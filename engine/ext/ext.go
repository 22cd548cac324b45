// Package ext is where extensions take part in a session: the points at which
// they are called, what each may answer, and the rules that protect the
// session from them.
//
//	file, Go func, command ─▶ Extension ─ Load, once a session ─▶ Instance
//	session ─▶ Host.<Point> ─▶ each Instance's hook, in load order ─▶ folded reply
//	Instance ─ Registered ─▶ session: tools, commands, shortcuts, flags, renderers
//	hook, tool, command ─▶ Session: what it may call back
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
	// Event is told what happens, in order and apart from the run: it can change
	// nothing. Deltas of one message that come faster than it returns are merged.
	// What came before a RunEnd is delivered before that.
	Event func(ctx context.Context, s Session, e event.Event) error
	// Context may replace the messages of one request.
	Context func(ctx context.Context, s Session, messages []message.Message) ([]message.Message, error)
	// Request may replace the body that goes to the provider, in the provider's
	// own JSON; nil leaves it.
	Request func(ctx context.Context, s Session, body json.RawMessage) (json.RawMessage, error)
	// ToolCall may change a call's arguments or block it.
	ToolCall func(ctx context.Context, s Session, c ToolCall) (ToolCallReply, error)
	// ToolResult may change what the model sees of a result.
	ToolResult func(ctx context.Context, s Session, r ToolResult) (ToolResult, error)
	// RunEnd comes after the last run of a prompt, before it is settled. A
	// message it sends starts another run.
	RunEnd func(ctx context.Context, s Session, e RunEnd) error
	// BeforeCompact may cancel a compaction or supply its summary.
	BeforeCompact func(ctx context.Context, s Session, b BeforeCompact) (BeforeCompactReply, error)
	// Compacted comes after it.
	Compacted func(ctx context.Context, s Session, c Compacted) error
	// BeforeReplace may veto that the document is replaced.
	BeforeReplace func(ctx context.Context, s Session, r Replace) (veto bool, err error)
	// Replaced comes after it was.
	Replaced func(ctx context.Context, s Session, r Replace) error
	// BeforeMove may veto that the session goes on from another entry, or supply
	// the summary of the branch that it leaves.
	BeforeMove func(ctx context.Context, s Session, m Move) (BeforeMoveReply, error)
	// Moved comes after it did.
	Moved func(ctx context.Context, s Session, m Moved) error
	// UserBash may run the user's own command in place of the session.
	UserBash func(ctx context.Context, s Session, b UserBash) (UserBashReply, error)
	// Discover names further files to read, when the session starts and at each
	// reload.
	Discover func(ctx context.Context, s Session, reason string) (Discovered, error)
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
	Images []message.Block
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
	// Messages are those that the summary would stand for.
	Messages []message.Message
	// FirstKeptID is the entry from which on messages stay; TokensBefore what the
	// context holds now; PreviousSummary that of the compaction before.
	FirstKeptID     string
	TokensBefore    int
	PreviousSummary string
}

// BeforeCompactReply cancels, supplies the summary, or changes how it is asked
// for.
type BeforeCompactReply struct {
	Cancel  bool
	Summary string
	// FirstKeptID moves the cut of a supplied summary; empty keeps it.
	FirstKeptID string
	Details     json.RawMessage
	// Context is added to the request for a summary, Prompt replaces its
	// instructions.
	Context []string
	Prompt  string
	// Preserve is kept with the entry for the extension.
	Preserve json.RawMessage
}

// Compacted names the entry of a compaction.
type Compacted struct {
	EntryID       string
	FromExtension bool
}

// Replace tells which document comes next. Reason is new, resume or fork.
type Replace struct {
	Reason string
	Path   string // of the file to open, when there is one
	// EntryID is the user message before which a branch begins.
	EntryID string
	// Previous is the file that was open, known to Replaced alone.
	Previous string
}

// Move tells from which entry the session shall go on.
type Move struct {
	TargetID, LeafID string
	// Summarize says that the branch that is left shall be summarised, under
	// Instructions.
	Summarize    bool
	Instructions string
	// Left are the messages that would be summarised.
	Left []message.Message
}

// BeforeMoveReply vetoes, or supplies the summary.
type BeforeMoveReply struct {
	Cancel  bool
	Summary string
	Details json.RawMessage
}

// Moved tells where the session goes on.
type Moved struct {
	LeafID, OldLeafID string
	SummaryID         string // the entry of the summary; empty without one
}

// UserBash is a command that the user runs.
type UserBash struct {
	Command            string
	ExcludeFromContext bool
	Cwd                string
}

// UserBashReply stands for the command's output when Handled.
type UserBashReply struct {
	Handled   bool
	Output    string
	ExitCode  *int
	Cancelled bool
	Truncated bool
}

// Discovered are paths of files and folders, absolute.
type Discovered struct{ Skills, Prompts, Themes []string }
