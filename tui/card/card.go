// Package card draws one tool call: what it does in words and its target, the
// last lines of its output while it runs, and how it ended.
//
//	ToolStarted ─▶ Card ─▶ ToolRunning ─▶ ToolProgress* ─▶ ToolEnded
//	(arguments may stream before that)     └─ Rows(width), at any of these
//	Rows ─▶ head: mark, words, note
//	     └▶ body: by tool; a diff, the tail of a command, matches by file,
//	        a tree, a checklist, a sub-agent's steps, or the text
package card

import (
	"encoding/json"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
	"github.com/hoopoe-agent/hoopoe/tui/image"
	"github.com/hoopoe-agent/hoopoe/tui/transcript"
)

// State is where a call stands.
type State int

// States in the order of a call's life.
const (
	Queued  State = iota // announced: its arguments stream, or others go first
	Asking               // waits for the user's permission
	Running              //
	Done                 //
	Failed               //
	Denied               // the user or a rule said no
	Stopped              // the run was aborted, or a message cut it off
)

// Card is one tool call, or one command of the user's own. It is a
// transcript item.
type Card struct {
	transcript.Fold
	look *transcript.Look

	name, title, kind string
	arguments         string
	patch             string // unified diff
	output            string
	details           json.RawMessage // of the result
	pictures          []*image.Picture
	state             State
	began             time.Time // that it runs; zero: unknown
	elapsed           time.Duration
	note              string // beside the title once it has ended
	hidden            bool   // a user's command that the model doesn't see
	placed, tight     bool
	agent             *agent // of a task call
	questioned        bool   // its sub-agent asks the user
	version           int
}

// New makes a card for a call that has just been announced.
func New(look *transcript.Look, name, arguments string) *Card {
	c := &Card{look: look}
	c.SetArguments(name, arguments)
	return c
}

// NewBash makes a card for a command that the user runs. Hidden ones are not
// shown to the model.
func NewBash(look *transcript.Look, command string, hidden bool) *Card {
	return &Card{look: look, name: "!", title: "$ " + sanitize.Line(command), kind: "execute", state: Running, hidden: hidden}
}

// Title is the call in words, clean and on one line.
func (c *Card) Title() string { return c.title }

// State returns where the call stands.
func (c *Card) State() State { return c.state }

// Ended reports whether the call is over.
func (c *Card) Ended() bool { return c.state >= Done }

// Place notes that the card is in the list. After another card it closes up:
// no empty row parts them.
func (c *Card) Place(afterCard bool) { c.placed, c.tight = true, afterCard }

// Placed reports whether Place was called.
func (c *Card) Placed() bool { return c.placed }

// SetArguments replaces the name and the arguments, complete or not.
func (c *Card) SetArguments(name, arguments string) {
	if c.version > 0 && c.name == name && c.arguments == arguments {
		return
	}
	c.name, c.arguments = name, arguments
	c.title, c.kind = Describe(name, arguments)
	c.version++
}

// SetAsking marks that the call waits for permission, or no longer does.
func (c *Card) SetAsking(asking bool) {
	switch {
	case asking && c.state == Queued:
		c.state = Asking
	case !asking && c.state == Asking:
		c.state = Queued
	case c.state == Running:
		c.questioned = asking
	}
	c.version++
}

// Asking reports whether the call, or its sub-agent, waits for permission.
func (c *Card) Asking() bool { return c.state == Asking || c.questioned }

// Run marks that the call runs. An empty title keeps the one there is.
func (c *Card) Run(title, kind, patch string) {
	c.state = Running
	if title = sanitize.Line(title); title != "" {
		c.title = title
	}
	if kind != "" {
		c.kind = kind
	}
	c.patch = patch
	c.version++
}

// Tick lets the time of a running call and of its sub-agent go on. The first
// one begins it.
func (c *Card) Tick(now time.Time) {
	if c.state != Running {
		return
	}
	if c.began.IsZero() {
		c.began = now
	}
	if d := now.Sub(c.began).Truncate(time.Second); d != c.elapsed {
		c.elapsed = d
		c.version++
	}
}

// Progress replaces the output so far.
func (c *Card) Progress(output string) {
	c.output = output
	c.version++
}

// Version implements transcript.Item.
func (c *Card) Version() int { return c.version + c.Turns() }

// Source implements transcript.Item: the call in words, then its diff or its
// output.
func (c *Card) Source() string {
	switch {
	case c.patch != "":
		return c.title + "\n" + c.patch
	case c.output != "":
		return c.title + "\n" + c.output
	}
	return c.title
}

// Shown returns the pictures of the result.
func (c *Card) Shown() []*image.Picture { return c.pictures }

// expanded reports whether all is to be shown.
func (c *Card) expanded() bool { return c.look.Expanded || c.Unfolded() }
