package event

import (
	"encoding/json"
	"time"
)

// QuestionKind names a sort of question; a face declares which it can show.
type QuestionKind string

const (
	AskConfirm    QuestionKind = "confirm"
	AskSelect     QuestionKind = "select"
	AskInput      QuestionKind = "input"
	AskEditor     QuestionKind = "editor"
	AskPermission QuestionKind = "permission"
)

// Question is put to the user.
type Question struct {
	ID   string       `json:"id"`
	Kind QuestionKind `json:"kind"`
	// CallID names the tool call that it belongs to, if any.
	CallID string `json:"callId,omitempty"`
	// Agent names the sub-agent that asks, under the call that it works for; the
	// title begins with it.
	Agent string `json:"agent,omitempty"`
	// Extension is who asks; empty for Hoopoe itself.
	Extension string   `json:"extension,omitempty"`
	Title     string   `json:"title"`
	Message   string   `json:"message,omitempty"`
	Options   []string `json:"options,omitempty"`
	// Descriptions say more about the options, one each; there may be fewer.
	Descriptions []string `json:"descriptions,omitempty"`
	Placeholder  string   `json:"placeholder,omitempty"`
	Prefill      string   `json:"prefill,omitempty"`
	// Secret hides what is typed as an answer; only the chat asks so.
	Secret bool `json:"secret,omitempty"`
	// Timeout after which the default holds; 0 waits for ever.
	Timeout time.Duration `json:"timeoutMs,omitempty"`
	// Deadline is when the timeout ends, for a face that attaches later; zero
	// without one. It is known once the question is open.
	Deadline time.Time `json:"-"`
	// Waiting is how many questions stood behind this one when it opened.
	Waiting int `json:"waiting,omitempty"`
	// Permission is set for AskPermission.
	Permission *PermissionRequest `json:"permission,omitempty"`
}

// PermissionRequest says what a tool call wants to do and why it asks.
type PermissionRequest struct {
	Tool string `json:"tool"`
	// Arguments are those that the call will run with. Faces that show them by
	// their protocol have them from here; the canonical JSON has them already.
	Arguments json.RawMessage `json:"-"`
	Kind      string          `json:"kind"`
	Command   string          `json:"command,omitempty"`
	Diff      string          `json:"diff,omitempty"`
	Paths     []string        `json:"paths,omitempty"`
	// Parts need the approval; each says why.
	Parts []PermissionPart `json:"parts,omitempty"`
	// Rules are what an "always" would save.
	Rules []string `json:"rules,omitempty"`
}

// PermissionPart is one piece of a call that isn't allowed by itself.
type PermissionPart struct {
	Text string `json:"text"`
	Why  string `json:"why"`
}

// Choice answers a permission question.
type Choice string

const (
	Deny    Choice = "deny"
	Once    Choice = "once"
	Session Choice = "session" // for this session; only the chat offers it
	Always  Choice = "always"
	Never   Choice = "never" // deny it, and what is like it, from now on
)

// Answer is the user's. Fields other than the kind's own are ignored.
type Answer struct {
	Cancelled bool   `json:"cancelled,omitempty"`
	Confirmed bool   `json:"confirmed,omitempty"`
	Value     string `json:"value,omitempty"` // select, input, editor
	Choice    Choice `json:"choice,omitempty"`
	// Reason tells the model why it was denied.
	Reason string `json:"reason,omitempty"`
}

// AskOpened shows a question. At most one is open in a session.
type AskOpened struct {
	Question Question `json:"question"`
}

// AskWaiting says how many questions wait now behind the open one.
type AskWaiting struct {
	ID    string `json:"id"` // of the open question
	Count int    `json:"count"`
}

// AskClosed takes it away again. Answered is false when the default was used.
type AskClosed struct {
	ID       string `json:"id"`
	Answer   Answer `json:"answer"`
	Answered bool   `json:"answered"`
	// TimedOut says that the default was used because the time was up.
	TimedOut bool `json:"timedOut,omitempty"`
}
