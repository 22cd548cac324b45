package acp

import (
	"encoding/json"
)

// The protocol's values, as far as they are used here. A field that may be
// absent is left out and never null; lists are never null.

type implementation struct {
	Name    string `json:"name"`
	Title   string `json:"title,omitempty"`
	Version string `json:"version"`
}

// clientCapabilities are what the editor offers.
type clientCapabilities struct {
	FS struct {
		ReadTextFile  bool `json:"readTextFile"`
		WriteTextFile bool `json:"writeTextFile"`
	} `json:"fs"`
	Terminal bool `json:"terminal"`
	Auth     struct {
		Terminal bool `json:"terminal"`
	} `json:"auth"`
	Session struct {
		Notices    offered `json:"notices"`
		Compaction offered `json:"compaction"`
	} `json:"session"`
	Elicitation struct {
		Form offered `json:"form"`
	} `json:"elicitation"`
	Meta struct {
		TerminalOutput offered `json:"terminal_output"`
		TerminalAuth   offered `json:"terminal-auth"`
	} `json:"_meta"`
}

// offered is a capability: an object in the protocol, true in what clients have
// besides it.
type offered bool

// UnmarshalJSON takes anything but null and false for an offer.
func (o *offered) UnmarshalJSON(raw []byte) error {
	*o = string(raw) != "null" && string(raw) != "false"
	return nil
}

type (
	marker            struct{}
	agentCapabilities struct {
		LoadSession         bool                `json:"loadSession"`
		PromptCapabilities  promptCapabilities  `json:"promptCapabilities"`
		MCPCapabilities     mcpCapabilities     `json:"mcpCapabilities"`
		SessionCapabilities sessionCapabilities `json:"sessionCapabilities"`
		Auth                authCapabilities    `json:"auth"`
		Meta                map[string]any      `json:"_meta,omitempty"`
	}
	promptCapabilities struct {
		Image           bool `json:"image"`
		Audio           bool `json:"audio"`
		EmbeddedContext bool `json:"embeddedContext"`
	}
	mcpCapabilities struct {
		HTTP bool `json:"http"`
		SSE  bool `json:"sse"`
	}
	sessionCapabilities struct {
		List                  marker `json:"list"`
		Delete                marker `json:"delete"`
		AdditionalDirectories marker `json:"additionalDirectories"`
		Resume                marker `json:"resume"`
		Close                 marker `json:"close"`
	}
	authCapabilities struct {
		Logout marker `json:"logout"`
	}
	initializeResult struct {
		ProtocolVersion   int               `json:"protocolVersion"`
		AgentCapabilities agentCapabilities `json:"agentCapabilities"`
		AuthMethods       []authMethod      `json:"authMethods"`
		AgentInfo         implementation    `json:"agentInfo"`
		Meta              map[string]any    `json:"_meta,omitempty"`
	}
	authMethod struct {
		Type        string         `json:"type,omitempty"`
		ID          string         `json:"id"`
		Name        string         `json:"name"`
		Description string         `json:"description,omitempty"`
		Args        []string       `json:"args,omitempty"`
		Meta        map[string]any `json:"_meta,omitempty"`
	}
)

// sessionParams are those of session/new, load, resume and fork.
type sessionParams struct {
	SessionID             string            `json:"sessionId"`
	Cwd                   *string           `json:"cwd"`
	AdditionalDirectories []string          `json:"additionalDirectories"`
	MCPServers            []json.RawMessage `json:"mcpServers"`

	notices []string // about what was left out
}

type sessionResult struct {
	SessionID     string         `json:"sessionId,omitempty"`
	Modes         modeState      `json:"modes"`
	ConfigOptions []configOption `json:"configOptions"`
}

type modeState struct {
	CurrentModeID  string        `json:"currentModeId"`
	AvailableModes []sessionMode `json:"availableModes"`
}

type sessionMode struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
}

type configOption struct {
	Type         string        `json:"type"`
	ID           string        `json:"id"`
	Name         string        `json:"name"`
	Description  string        `json:"description,omitempty"`
	Category     string        `json:"category,omitempty"`
	CurrentValue string        `json:"currentValue"`
	Options      []configValue `json:"options"`
}

type configValue struct {
	Value       string `json:"value"`
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
}

type sessionInfo struct {
	SessionID string `json:"sessionId"`
	Cwd       string `json:"cwd"`
	Title     string `json:"title,omitempty"`
	UpdatedAt string `json:"updatedAt,omitempty"`
}

// contentBlock is a piece of a prompt, a message or a result.
type contentBlock struct {
	Type     string    `json:"type"`
	Text     *string   `json:"text,omitempty"`
	Data     string    `json:"data,omitempty"`
	MimeType string    `json:"mimeType,omitempty"`
	URI      string    `json:"uri,omitempty"`
	Name     string    `json:"name,omitempty"`
	Title    string    `json:"title,omitempty"`
	Resource *resource `json:"resource,omitempty"`
}

type resource struct {
	URI      string  `json:"uri"`
	MimeType string  `json:"mimeType,omitempty"`
	Text     *string `json:"text,omitempty"`
	Blob     *string `json:"blob,omitempty"`
}

func textContent(s string) contentBlock { return contentBlock{Type: "text", Text: &s} }

type sessionUpdate struct {
	SessionID string `json:"sessionId"`
	Update    any    `json:"update"`
}

type chunk struct {
	SessionUpdate string       `json:"sessionUpdate"`
	Content       contentBlock `json:"content"`
	MessageID     string       `json:"messageId,omitempty"`
}

// toolCall is a tool_call, a tool_call_update and the call of a permission
// request, which has no SessionUpdate.
type toolCall struct {
	SessionUpdate string          `json:"sessionUpdate,omitempty"`
	ToolCallID    string          `json:"toolCallId"`
	Title         string          `json:"title,omitempty"`
	Name          string          `json:"name,omitempty"`
	Kind          string          `json:"kind,omitempty"`
	Status        string          `json:"status,omitempty"`
	Content       []toolContent   `json:"content,omitempty"`
	Locations     []location      `json:"locations,omitempty"`
	RawInput      json.RawMessage `json:"rawInput,omitempty"`
	RawOutput     any             `json:"rawOutput,omitempty"`
	Meta          map[string]any  `json:"_meta,omitempty"`
}

// toolContent is one of its three types.
type toolContent struct {
	Type       string        `json:"type"`
	Content    *contentBlock `json:"content,omitempty"`    // content
	TerminalID string        `json:"terminalId,omitempty"` // terminal
	*fileDiff                // diff
}

type fileDiff struct {
	Path    string  `json:"path"`
	OldText *string `json:"oldText"` // null: a new file
	NewText string  `json:"newText"`
}

type location struct {
	Path string `json:"path"`
	Line int    `json:"line,omitempty"`
}

type plan struct {
	SessionUpdate string      `json:"sessionUpdate"`
	Entries       []planEntry `json:"entries"`
}

type planEntry struct {
	Content  string `json:"content"`
	Priority string `json:"priority"`
	Status   string `json:"status"`
}

type commandsUpdate struct {
	SessionUpdate     string             `json:"sessionUpdate"`
	AvailableCommands []availableCommand `json:"availableCommands"`
}

type availableCommand struct {
	Name        string        `json:"name"`
	Description string        `json:"description"`
	Input       *commandInput `json:"input,omitempty"`
}

type commandInput struct {
	Hint string `json:"hint"`
}

type modeUpdate struct {
	SessionUpdate string `json:"sessionUpdate"`
	CurrentModeID string `json:"currentModeId"`
}

type configUpdate struct {
	SessionUpdate string         `json:"sessionUpdate"`
	ConfigOptions []configOption `json:"configOptions"`
}

type infoUpdate struct {
	SessionUpdate string `json:"sessionUpdate"`
	Title         string `json:"title,omitempty"`
	UpdatedAt     string `json:"updatedAt,omitempty"`
}

type usageUpdate struct {
	SessionUpdate string `json:"sessionUpdate"`
	Used          int    `json:"used"`
	Size          int    `json:"size"`
	Cost          *cost  `json:"cost,omitempty"`
}

type cost struct {
	Amount   float64 `json:"amount"`
	Currency string  `json:"currency"`
}

type noticeUpdate struct {
	SessionUpdate string `json:"sessionUpdate"`
	Severity      string `json:"severity"`
	Title         string `json:"title"`
	Description   string `json:"description,omitempty"`
}

type compactionUpdate struct {
	SessionUpdate string         `json:"sessionUpdate"`
	CompactionID  string         `json:"compactionId"`
	Status        string         `json:"status"`
	Summary       []contentBlock `json:"summary,omitempty"`
	Error         string         `json:"error,omitempty"`
}

type promptResult struct {
	StopReason string `json:"stopReason"`
}

type permissionParams struct {
	SessionID string             `json:"sessionId"`
	ToolCall  toolCall           `json:"toolCall"`
	Options   []permissionOption `json:"options"`
}

type permissionOption struct {
	OptionID string `json:"optionId"`
	Name     string `json:"name"`
	Kind     string `json:"kind"`
}

type permissionResult struct {
	Outcome struct {
		Outcome  string `json:"outcome"`
		OptionID string `json:"optionId"`
	} `json:"outcome"`
}

type elicitationParams struct {
	SessionID       string      `json:"sessionId"`
	ToolCallID      string      `json:"toolCallId,omitempty"`
	Mode            string      `json:"mode"`
	Message         string      `json:"message"`
	RequestedSchema askedSchema `json:"requestedSchema"`
}

type askedSchema struct {
	Type       string                   `json:"type"`
	Properties map[string]askedProperty `json:"properties"`
	Required   []string                 `json:"required,omitempty"`
}

type askedProperty struct {
	Type        string         `json:"type"`
	Title       string         `json:"title,omitempty"`
	Description string         `json:"description,omitempty"`
	Default     any            `json:"default,omitempty"`
	OneOf       []askedChoice  `json:"oneOf,omitempty"`
	Meta        map[string]any `json:"_meta,omitempty"`
}

type askedChoice struct {
	Const string `json:"const"`
	Title string `json:"title"`
}

type elicitationResult struct {
	Action  string                     `json:"action"`
	Content map[string]json.RawMessage `json:"content"`
}
