package session

import (
	"encoding/json"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// Type names what an entry holds. The values are the file's.
type Type string

const (
	TypeMessage       Type = "message"
	TypeModelChange   Type = "model_change"
	TypeThinking      Type = "thinking_level_change"
	TypeCompaction    Type = "compaction"
	TypeBranchSummary Type = "branch_summary"
	TypeCustom        Type = "custom"
	TypeCustomMessage Type = "custom_message"
	TypeLabel         Type = "label"
	TypeInfo          Type = "session_info"

	typeHeader      = "session"
	typeTitleLine   = "title"        // a line before the header, of one branch of the family
	typeTitleChange = "title_change" // that branch's session_info
)

// Entry is one line of a session after its header. The field that belongs to
// Type is set, the other payloads are nil; an entry of a type this build does
// not know, or whose payload is damaged, has only Raw.
type Entry struct {
	Type Type
	// ID is unique in the session. ParentID is empty for an entry without a
	// parent.
	ID, ParentID string
	Timestamp    time.Time

	Message       *message.Message // its ID is the entry's
	Model         *ModelChange
	Thinking      *ThinkingChange
	Compaction    *Compaction
	BranchSummary *BranchSummary
	Custom        *Custom
	CustomMessage *CustomMessage
	Label         *Label
	Info          *Info

	// Raw is the whole line as the file has it, for an entry without payload
	// that was read. In an entry for Append it is a JSON object to store under
	// a Type of which this package knows nothing; type, id, parentId and
	// timestamp are set in it.
	Raw json.RawMessage
}

// ModelChange says which model answers from here on.
type ModelChange struct {
	Provider, ModelID string
	// Role is what the model is for; empty means "default".
	Role string
}

// ThinkingChange sets the thinking level. An empty Level means that the model
// does not reason.
type ThinkingChange struct{ Level string }

// Compaction replaces everything before FirstKeptEntryID by a summary.
type Compaction struct {
	Summary          string
	ShortSummary     string
	FirstKeptEntryID string
	TokensBefore     int
	Details          json.RawMessage
	PreserveData     json.RawMessage
	FromExtension    bool
}

// BranchSummary tells the model what happened on a branch that was left.
type BranchSummary struct {
	FromID        string // entry that was the leaf of that branch
	Summary       string
	Details       json.RawMessage
	FromExtension bool
}

// Custom is data of an extension or of the engine; the model never sees it.
type Custom struct {
	CustomType string
	Data       json.RawMessage
}

// CustomMessage is a message of an extension to the model.
type CustomMessage struct {
	CustomType  string
	Content     []message.Block
	Display     bool
	Details     json.RawMessage
	Attribution string
}

// Label names an entry; an empty Text takes the name away.
type Label struct{ TargetID, Text string }

// Info names the session.
type Info struct{ Name string }

// AsMessage returns what the entry says to the model, false if nothing.
func (e Entry) AsMessage() (message.Message, bool) {
	at := e.Timestamp.UnixMilli()
	switch {
	case e.Message != nil:
		return *e.Message, true
	case e.CustomMessage != nil:
		c := e.CustomMessage
		return message.Message{ID: e.ID, Role: message.Custom, Timestamp: at, Content: c.Content,
			CustomType: c.CustomType, Display: c.Display, Details: c.Details, Attribution: c.Attribution}, true
	case e.BranchSummary != nil:
		b := e.BranchSummary
		return message.Message{ID: e.ID, Role: message.BranchSummary, Timestamp: at,
			Summary: b.Summary, FromID: b.FromID}, true
	case e.Compaction != nil:
		c := e.Compaction
		return message.Message{ID: e.ID, Role: message.CompactionSummary, Timestamp: at,
			Summary: c.Summary, ShortSummary: c.ShortSummary, TokensBefore: c.TokensBefore}, true
	}
	return message.Message{}, false
}
