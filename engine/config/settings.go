package config

import "encoding/json"

// Settings are all keys of settings.json. Names are the wire names in the json
// tags. Further tags are rules for the parser:
//
//	oneof:"a b"    the allowed values of a string
//	min:"0"        the smallest number
//	max:"100"      the largest number
//	scope:"user"   a project can't set it
//	merge:"append" layers add to the list instead of replacing it
//	tighten:"..."  a project can only make it stricter: "rank" by the order in
//	               oneof (strictest first), "less" by a smaller number (0: none)
type Settings struct {
	DefaultProvider      string   `json:"defaultProvider"`                                                 // "" chooses by the keys that are there
	DefaultModel         string   `json:"defaultModel"`                                                    // an id or provider/id
	DefaultThinkingLevel string   `json:"defaultThinkingLevel"  oneof:"off minimal low medium high xhigh"` // "" is the model's own
	EnabledModels        []string `json:"enabledModels"`                                                   // patterns to cycle through; empty means all

	SteeringMode  string `json:"steeringMode"  oneof:"one-at-a-time all"` // steering messages taken at one boundary
	FollowUpMode  string `json:"followUpMode"  oneof:"one-at-a-time all"` // follow-up messages taken at the end of a run
	InterruptMode string `json:"interruptMode" oneof:"wait immediate"`    // when steering takes effect

	// Blank lines before the object stand for what is above it in the file, so
	// that mcp.Parse tells the right line.

	MCPServers json.RawMessage `json:"mcpServers" scope:"user"` // MCP servers by name, as in .mcp.json

	Skills              []string `json:"skills" scope:"user"` // more folders with skills; "~/" and relative to the settings' folder
	EnableSkillCommands bool     `json:"enableSkillCommands"` // offer each skill as /skill:name

	Extensions []string `json:"extensions" merge:"append"` // more extensions: files, folders; "~/" and relative to the settings' folder

	Compaction  Compaction  `json:"compaction"`
	Retry       Retry       `json:"retry"`
	Todo        Todo        `json:"todo"`
	Task        Task        `json:"task"`
	TTSR        TTSR        `json:"ttsr"`
	Tools       Tools       `json:"tools"`
	Permissions Permissions `json:"permissions"`
	Limits      Limits      `json:"limits"`

	TUI TUI `json:"tui"`

	Hooks []Hook `json:"hooks" merge:"append"` // shell commands that run at events; a project's run in trusted folders alone

	Theme      string `json:"theme" object:"dark light"` // a theme's name, "auto", "DARK, LIGHT", or one for each background
	ShellPath  string `json:"shellPath"  scope:"user"`   // the shell of the bash tool; "" finds bash, else sh
	SessionDir string `json:"sessionDir" scope:"user"`   // where new sessions are written; "" is the data folder
}

// TUI is about the chat's screen and prompt.
type TUI struct {
	Mode     string `json:"mode"   scope:"user" oneof:"auto fullscreen inline"` // inline keeps to the normal screen and its scrollback
	Vim      bool   `json:"vim"    scope:"user"`                                // the prompt has vim's keys
	Mouse    bool   `json:"mouse"  scope:"user"`                                // the chat has the mouse, not the terminal
	Notify   string `json:"notify" scope:"user" oneof:"auto bell off"`          // how it tells what happened while the window hasn't the focus
	Progress bool   `json:"progress" scope:"user"`                              // the terminal's tab or taskbar shows that it works
}

// Compaction says when a long conversation is summarised. Sizes are tokens.
type Compaction struct {
	Enabled          bool `json:"enabled"`                            // summarise older messages when the context is nearly full
	ReserveTokens    int  `json:"reserveTokens"    min:"0"`           // room kept for the answer
	KeepRecentTokens int  `json:"keepRecentTokens" min:"0"`           // newest part that stays as it is
	ThresholdPercent int  `json:"thresholdPercent" min:"0" max:"100"` // of the window; 0: not used
	ThresholdTokens  int  `json:"thresholdTokens"  min:"0"`           // wins over the percentage; 0: not used
	AutoContinue     bool `json:"autoContinue"`                       // go on with the work after a compaction
}

// Retry says how failed model requests are repeated. Times are milliseconds.
type Retry struct {
	Enabled       bool `json:"enabled"`                       // try again when a provider is overloaded or a connection fails
	MaxRetries    int  `json:"maxRetries"  min:"0" max:"100"` // how often, for one request
	BaseDelayMs   int  `json:"baseDelayMs" min:"0"`           // doubles with each attempt
	MaxDelayMs    int  `json:"maxDelayMs"  min:"0"`           // the longest single wait
	IdleTimeoutMs int  `json:"idleTimeoutMs" min:"0"`         // a model that sends nothing for so long has failed; 0: no limit of ours
}

// Todo is about the task list that the model keeps.
type Todo struct {
	Enabled           bool `json:"enabled"`                        // give the model a task list
	Reminders         bool `json:"reminders"`                      // tell the model of unfinished tasks when it stops
	MaxReminders      int  `json:"maxReminders" min:"0" max:"100"` // between two prompts of the user
	ClearDelaySeconds int  `json:"clearDelaySeconds" min:"-1"`     // a finished task leaves the list; -1 keeps it
}

// Task is about sub-agents.
type Task struct {
	MaxConcurrency    int      `json:"maxConcurrency"    min:"1" max:"100" tighten:"less"` // at once in a session
	MaxRecursionDepth int      `json:"maxRecursionDepth" min:"0" max:"10"  tighten:"less"` // 0: no sub-agents
	DisabledAgents    []string `json:"disabledAgents"    merge:"append"`                   // names of agents that aren't offered
}

// Tools are about tools that a session has only when the user says so.
type Tools struct {
	WebFetch bool `json:"webFetch" scope:"user"` // offer web_fetch, which reaches the network and asks for each host
}

// TTSR ("time travelling stream rules") is about the rules that watch an answer
// while it streams.
type TTSR struct {
	Enabled       bool   `json:"enabled"`                                                 // watch for the rules that stop an answer
	InterruptMode string `json:"interruptMode" oneof:"always prose-only tool-only never"` // when a match stops the answer
	ContextMode   string `json:"contextMode"   oneof:"discard keep"`                      // what becomes of the stopped answer
	RepeatMode    string `json:"repeatMode"    oneof:"once after-gap"`                    // a rule stops an answer once in a session, or again after a gap
	RepeatGap     int    `json:"repeatGap"     min:"1"`                                   // turns
}

// Permissions decide which tool calls run unasked. A rule is "tool" or
// "tool(pattern)". Deny wins over ask, ask over allow.
type Permissions struct {
	Mode  string   `json:"mode" oneof:"plan ask edit full" tighten:"rank"` // "" is the face's default
	Allow []string `json:"allow" scope:"user" merge:"append"`
	Ask   []string `json:"ask"   merge:"append"` // rules of what is asked for, whatever the mode
	Deny  []string `json:"deny"  merge:"append"` // rules of what never runs
}

// Limits stop a prompt that goes on for too long; 0 is no limit. Where the user
// can be asked, going on is a question.
type Limits struct {
	Turns        int     `json:"turns"        min:"0" tighten:"less"` // model calls of one prompt
	OutputTokens int     `json:"outputTokens" min:"0" tighten:"less"` // of one prompt
	TotalTokens  int     `json:"totalTokens"  min:"0" tighten:"less"` // of one prompt, cache reads included
	Seconds      int     `json:"seconds"      min:"0" tighten:"less"` // of one prompt
	CostUSD      float64 `json:"costUsd"      min:"0" tighten:"less"` // since the session was opened
}

// strictestUnset stands in for a mode the user didn't set when a project asks
// for one: no face is stricter by default.
const strictestUnset = "ask"

// Defaults are the settings of a fresh installation.
func Defaults() Settings {
	return Settings{
		SteeringMode:  "one-at-a-time",
		FollowUpMode:  "one-at-a-time",
		InterruptMode: "wait",

		EnableSkillCommands: true,

		Compaction: Compaction{Enabled: true, ReserveTokens: 16384, KeepRecentTokens: 20000, AutoContinue: true},
		Retry:      Retry{Enabled: true, MaxRetries: 3, BaseDelayMs: 2000, MaxDelayMs: 60000, IdleTimeoutMs: 300_000},
		Todo:       Todo{Enabled: true, Reminders: true, MaxReminders: 3, ClearDelaySeconds: 60},
		Task:       Task{MaxConcurrency: 32, MaxRecursionDepth: 2},
		TUI:        TUI{Mode: "auto", Mouse: true, Notify: "auto"},
		TTSR:       TTSR{Enabled: true, InterruptMode: "always", ContextMode: "discard", RepeatMode: "once", RepeatGap: 10},
	}
}
