package client

import (
	"bytes"
	"context"
	"encoding/json"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/message"
)

type cancelled struct {
	Cancelled bool `json:"cancelled"`
}

// NewSession starts an empty session; parent, if any, is noted as the path of
// the one it came from. cancelled tells that an extension forbade it.
func (c *Client) NewSession(ctx context.Context, parent string) (cancelled bool, err error) {
	p := params{}
	if parent != "" {
		p["parentSession"] = parent
	}
	return c.replace(ctx, "new_session", p)
}

// SwitchSession opens the session in a file; one that doesn't exist is made
// there.
func (c *Client) SwitchSession(ctx context.Context, path string) (cancelled bool, err error) {
	return c.replace(ctx, "switch_session", params{"sessionPath": path})
}

// Clone goes on in a copy of the active branch.
func (c *Client) Clone(ctx context.Context) (cancelled bool, err error) {
	return c.replace(ctx, "clone", nil)
}

func (c *Client) replace(ctx context.Context, command string, p any) (bool, error) {
	data, err := ask[cancelled](ctx, c, command, p)
	return data.Cancelled, err
}

// Branched is what Branch and Fork return.
type Branched struct {
	Text      string `json:"text"` // of the user message, to be edited
	Cancelled bool   `json:"cancelled"`
}

// Branch goes on in a new session which has what came before a user message,
// chosen from BranchMessages.
func (c *Client) Branch(ctx context.Context, entryID string) (Branched, error) {
	return ask[Branched](ctx, c, "branch", params{"entryId": entryID})
}

// Fork is Branch by its other name.
func (c *Client) Fork(ctx context.Context, entryID string) (Branched, error) {
	return ask[Branched](ctx, c, "fork", params{"entryId": entryID})
}

// BranchMessage is a user message to branch from.
type BranchMessage struct {
	EntryID string `json:"entryId"`
	Text    string `json:"text"`
}

type branchMessages struct {
	Messages []BranchMessage `json:"messages"`
}

// BranchMessages lists the user messages of all branches, in the file's order.
func (c *Client) BranchMessages(ctx context.Context) ([]BranchMessage, error) {
	data, err := ask[branchMessages](ctx, c, "get_branch_messages", nil)
	return data.Messages, err
}

// ForkMessages is BranchMessages by its other name.
func (c *Client) ForkMessages(ctx context.Context) ([]BranchMessage, error) {
	data, err := ask[branchMessages](ctx, c, "get_fork_messages", nil)
	return data.Messages, err
}

// SetSessionName refuses an empty name.
func (c *Client) SetSessionName(ctx context.Context, name string) error {
	return c.do(ctx, "set_session_name", params{"name": name})
}

// ExportHTML writes the session as a page and returns its path; an empty path
// lets the agent choose.
func (c *Client) ExportHTML(ctx context.Context, path string) (string, error) {
	p := params{}
	if path != "" {
		p["outputPath"] = path
	}
	data, err := ask[struct {
		Path string `json:"path"`
	}](ctx, c, "export_html", p)
	return data.Path, err
}

// Stats counts what is in the current context.
type Stats struct {
	SessionFile       string        `json:"sessionFile"`
	SessionID         string        `json:"sessionId"`
	UserMessages      int           `json:"userMessages"`
	AssistantMessages int           `json:"assistantMessages"`
	ToolCalls         int           `json:"toolCalls"`
	ToolResults       int           `json:"toolResults"`
	TotalMessages     int           `json:"totalMessages"`
	Tokens            Tokens        `json:"tokens"`
	Cost              float64       `json:"cost"` // US dollars
	PremiumRequests   float64       `json:"premiumRequests"`
	ContextUsage      *ContextUsage `json:"contextUsage"`
}

// Tokens that answers took.
type Tokens struct {
	Input      int `json:"input"`
	Output     int `json:"output"`
	CacheRead  int `json:"cacheRead"`
	CacheWrite int `json:"cacheWrite"`
	Total      int `json:"total"`
}

func (c *Client) SessionStats(ctx context.Context) (Stats, error) {
	return ask[Stats](ctx, c, "get_session_stats", nil)
}

// Entry is one line of the session file.
type Entry struct {
	Type      string    `json:"type"`
	ID        string    `json:"id"`
	ParentID  string    `json:"parentId"` // empty at the root
	Timestamp time.Time `json:"timestamp"`
	// Message of an entry of type message.
	Message *message.Message `json:"message"`
	// Raw is the whole entry, with the fields of its type.
	Raw json.RawMessage `json:"-"`
}

// UnmarshalJSON keeps the entry's own JSON. Fields of a type that this build
// doesn't know may have any shape.
func (e *Entry) UnmarshalJSON(data []byte) error {
	type plain Entry
	var p plain
	if err := json.Unmarshal(data, &p); err != nil {
		p = plain{}
		if err := json.Unmarshal(data, &struct {
			Type *string `json:"type"`
			ID   *string `json:"id"`
		}{&p.Type, &p.ID}); err != nil {
			return err
		}
	}
	*e = Entry(p)
	e.Raw = bytes.Clone(data)
	return nil
}

// Entries are a session's entries in the order of the file.
type Entries struct {
	Entries []Entry `json:"entries"`
	LeafID  string  `json:"leafId"` // where the conversation goes on, empty if nowhere
}

// Entries returns the entries after one whose id is since, or all.
func (c *Client) Entries(ctx context.Context, since string) (Entries, error) {
	p := params{}
	if since != "" {
		p["since"] = since
	}
	return ask[Entries](ctx, c, "get_entries", p)
}

// Tree is a session's entries as a tree.
type Tree struct {
	Roots  []*Node `json:"tree"` // normally one
	LeafID string  `json:"leafId"`
}

// Node is an entry with all that follows it.
type Node struct {
	Entry    Entry     `json:"entry"`
	Children []*Node   `json:"children"`
	Label    string    `json:"label"`
	LabelAt  time.Time `json:"labelTimestamp"`
}

func (c *Client) Tree(ctx context.Context) (Tree, error) { return ask[Tree](ctx, c, "get_tree", nil) }
