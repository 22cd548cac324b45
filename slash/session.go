package slash

import (
	"context"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine"
	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/mcp"
	"github.com/hoopoe-agent/hoopoe/engine/prompt"
	"github.com/hoopoe-agent/hoopoe/engine/session"
)

// Session is what commands need of a session. The engine's satisfies it.
type Session interface {
	Models
	Documents
	Branches
	Insight
	Guidance
	Agents
	Servers
	Extensions
	// View is a picture of the session now.
	View(ctx context.Context) (event.View, error)
	// Ask puts a question to the user; answered is false when nobody could.
	Ask(ctx context.Context, q event.Question) (a event.Answer, answered bool)
	SetMode(ctx context.Context, mode string) error
	Tools() []llm.ToolSpec
	// Agent is what the session's agent calls itself and says of itself.
	Agent() (name, description string)
}

// Models selects the model and how much it thinks.
type Models interface {
	// Offers lists the models that search finds, those that can be used first.
	Offers(search string) []engine.Offer
	// SetModel takes provider/id or a part of it, with ":level" for the thinking.
	SetModel(ctx context.Context, pattern string) (llm.Model, error)
	// SetThinking returns the level that the model supports.
	SetThinking(ctx context.Context, level llm.Level) (llm.Level, error)
}

// Documents works on the conversation's file.
type Documents interface {
	NewDocument(ctx context.Context, o engine.NewDocumentOptions) (cancelled bool, err error)
	Switch(ctx context.Context, path string) (cancelled bool, err error)
	Rename(ctx context.Context, name string) error
	Compact(ctx context.Context, instructions string) (event.CompactionResult, error)
	Export(ctx context.Context, path string) (written string, err error)
}

// Branches moves about in the conversation's tree.
type Branches interface {
	Tree(ctx context.Context) (roots []*session.TreeNode, leaf string, err error)
	// MoveTo goes on from an entry; for a user message, from before it, and its
	// text comes back for the editor.
	MoveTo(ctx context.Context, entryID string) (text string, err error)
	// Branch does the same in a new file.
	Branch(ctx context.Context, entryID string) (text string, cancelled bool, err error)
	// Fork copies the branch into a new file.
	Fork(ctx context.Context) (cancelled bool, err error)
}

// Insight tells about the conversation without touching it.
type Insight interface {
	// Fill is what the next request would put into the context window.
	Fill(ctx context.Context) (engine.Fill, error)
	// Aside asks the model beside the conversation.
	Aside(ctx context.Context, question string) (answer string, err error)
	// Changes is what the last commit hasn't.
	Changes(ctx context.Context) (diff string, untracked []string, err error)
}

// Guidance is what the user and the project have written for the agent.
type Guidance interface {
	Skills() []prompt.Skill
	Templates() []prompt.Template
	// Reload has it read again.
	Reload()
}

// Extensions are those of the session.
type Extensions interface {
	Extensions() []engine.Extension
	// ExtensionCommands are those that they add. AwaitExtensions waits until the
	// first load is over.
	ExtensionCommands() []engine.ExtensionCommand
	AwaitExtensions(ctx context.Context)
	// ReloadExtensions loads them anew and says how many.
	ReloadExtensions(ctx context.Context) (int, error)
}

// Agents are the sub-agents that the model can give tasks to.
type Agents interface {
	Agents() []prompt.Agent
	// Tasks are those at work. StopTask reports false for one that isn't.
	Tasks() []engine.Task
	StopTask(callID string) bool
}

// Servers are the session's MCP servers.
type Servers interface {
	Servers() []mcp.Status
	// RestartServer and EnableServer wait for the outcome.
	RestartServer(ctx context.Context, name string) error
	EnableServer(ctx context.Context, name string) error
	DisableServer(name string) error
	// ServerPrompts lists the prompts of the servers that were reached, and
	// ServerPrompt gets the text of one.
	ServerPrompts() []mcp.Prompt
	ServerPrompt(ctx context.Context, p mcp.Prompt, arguments string) (string, error)
}

// Library finds saved sessions.
type Library interface {
	// Sessions lists those of a working directory, latest first.
	Sessions(ctx context.Context, cwd string) ([]session.Summary, error)
	// Spending calls each with what every answer since then has used, in the
	// sessions of all folders.
	Spending(ctx context.Context, since time.Time, each func(session.Spending)) error
	// FindSession resolves a path, the beginning of an id or words.
	FindSession(ctx context.Context, cwd, query string) (path string, err error)
}
