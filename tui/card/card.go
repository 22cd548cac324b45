// Package card draws one tool call: what it does in words and its target, the
// last lines of its output while it runs, the diff of an edit, and how it
// ended.
//
//	ToolStarted ─▶ Card ─▶ ToolRunning ─▶ ToolProgress* ─▶ ToolEnded
//	(arguments may stream before that)     └─ Lines(width), at any of these
package card

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
	"github.com/hoopoe-agent/hoopoe/tui/diff"
	"github.com/hoopoe-agent/hoopoe/tui/style"
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

// Limits in rows of a folded card.
const (
	liveRows     = 5
	diffRows     = 16
	failureRows  = 4
	expandedRows = 2000
)

// Card is one tool call, or one command of the user's own. It is a
// transcript item.
type Card struct {
	look *transcript.Look

	name, title, kind string
	arguments         string
	patch             string // unified diff
	output            string
	state             State
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

// Progress replaces the output so far.
func (c *Card) Progress(output string) {
	c.output = output
	c.version++
}

// Result is how a call ended.
type Result struct {
	Content []message.Block
	Details json.RawMessage
	Failed  bool
	// Denied says who refused the call, as the engine tells it; empty when
	// nobody did, or when that isn't known.
	Denied   string
	Duration time.Duration // 0: unknown
}

// End closes the card with the call's result.
func (c *Card) End(r Result) {
	c.version++
	c.output, c.questioned = message.Text(r.Content), false
	ran := c.state == Running
	switch {
	case !r.Failed:
		c.state = Done
	case r.Denied != "" || refused(c.output):
		c.state = Denied
	case stopped(c.output):
		c.state = Stopped
		c.output = dropNotice(c.output)
	case c.name == taskTool && taskOf(r.Details).Status == "aborted": // it alone
		c.state = Stopped
		c.output, _, _ = strings.Cut(c.output, "The user stopped this agent.")
	default:
		c.state = Failed
	}
	var details struct {
		Diff string `json:"diff"`
	}
	if json.Unmarshal(r.Details, &details) == nil && details.Diff != "" {
		c.patch = details.Diff
	}
	if r.Failed && !ran {
		c.patch = ""
	}
	c.note = c.summary(r)
}

// EndBash closes the card of a user's command.
func (c *Card) EndBash(b message.Bash) {
	c.version++
	c.output, c.hidden = b.Output, b.ExcludeFromContext
	switch {
	case b.Cancelled:
		c.state = Stopped
	case b.ExitCode == nil || *b.ExitCode != 0:
		c.state = Failed
	default:
		c.state = Done
	}
	if b.ExitCode != nil && *b.ExitCode != 0 {
		c.note = fmt.Sprintf("exit %d", *b.ExitCode)
	}
}

// Words that the engine closes a call with when it did not fail by itself.
func refused(text string) bool {
	return strings.HasPrefix(text, "Permission denied") || strings.HasPrefix(text, "Not allowed:")
}

func stopped(text string) bool {
	return strings.Contains(text, "Tool execution was aborted") || strings.HasPrefix(text, "Skipped due to")
}

// dropNotice leaves what the call had written: the mark tells the rest.
func dropNotice(text string) string {
	if at := strings.Index(text, "Tool execution was aborted"); at >= 0 {
		return text[:at]
	}
	return ""
}

// summary is the line beside the title: what came of it.
func (c *Card) summary(r Result) string {
	var parts []string
	if c.name == taskTool {
		parts = outcome(r.Details)
	}
	switch c.kind {
	case "edit":
		if c.patch != "" && !r.Failed {
			added, removed := diff.Stat(c.patch)
			parts = append(parts, fmt.Sprintf("+%d -%d", added, removed))
		}
	case "read", "search":
		if n := lineCount(c.output); !r.Failed && n > 0 {
			parts = append(parts, lines(n))
		}
	}
	for _, b := range r.Content {
		if b.Type == message.ImageBlock {
			parts = append(parts, "picture "+sanitize.Line(b.MimeType))
		}
	}
	if r.Duration >= time.Second {
		parts = append(parts, r.Duration.Round(100*time.Millisecond).String())
	}
	return strings.Join(parts, " · ")
}

func lineCount(s string) int {
	s = strings.TrimRight(s, "\n")
	if s == "" {
		return 0
	}
	return strings.Count(s, "\n") + 1
}

func lines(n int) string {
	if n == 1 {
		return "1 line"
	}
	return fmt.Sprintf("%d lines", n)
}

func moreLines(n int) string {
	if n == 1 {
		return "1 more line"
	}
	return fmt.Sprintf("%d more lines", n)
}

// Version implements transcript.Item.
func (c *Card) Version() int { return c.version }

// Lines implements transcript.Item.
func (c *Card) Lines(width int) []string {
	var out []string
	if !c.tight {
		out = append(out, "")
	}
	out = append(out, c.head(width))
	bar := c.look.Border.Render("│") + " "
	inner := width - 4
	lead := "  " + bar
	if inner < 16 {
		inner, lead = width, ""
	}
	for _, row := range c.body(max(1, inner)) {
		out = append(out, lead+row)
	}
	return out
}

// head is the card's first row: mark, title, note.
func (c *Card) head(width int) string {
	mark, paint, word := c.mark()
	var notes []string
	note := c.note
	if c.agent != nil && !c.Ended() {
		note = c.agent.work()
	}
	for _, s := range []string{word, note} {
		if s != "" && !(s == "failed" && strings.HasPrefix(c.note, "exit")) {
			notes = append(notes, s)
		}
	}
	if c.hidden {
		notes = append(notes, "not shown to the model")
	}
	note = strings.Join(notes, " · ")
	room := width - 2
	if note != "" && room-style.Width(note)-3 < 12 {
		note = style.Cut(note, max(0, room/2))
	}
	title := style.Cut(c.title, max(1, room-style.Width(note)-2))
	verb, rest, _ := strings.Cut(title, " ")
	row := paint.Render(mark) + " " + c.look.Tool.With(c.look.Bold).Render(verb)
	if rest != "" {
		row += " " + rest
	}
	if note != "" {
		row += "  " + paintNote(c, paint).Render(note)
	}
	return style.Cut(row, width)
}

func paintNote(c *Card, paint style.Style) style.Style {
	if c.state == Done || c.state == Running {
		return c.look.Muted
	}
	return paint
}

func (c *Card) mark() (mark string, paint style.Style, word string) {
	if c.questioned {
		return "?", c.look.Warning, "needs your approval"
	}
	switch c.state {
	case Asking:
		return "?", c.look.Warning, "needs your approval"
	case Running:
		return "●", c.look.Accent, ""
	case Done:
		return "✓", c.look.Success, ""
	case Failed:
		return "✗", c.look.Error, "failed"
	case Denied:
		return "⊘", c.look.Warning, "denied"
	case Stopped:
		return "■", c.look.Warning, "stopped"
	}
	return "○", c.look.Muted, ""
}

// body is what is under the head.
func (c *Card) body(width int) []string {
	if c.look.Expanded {
		return c.whole(width)
	}
	switch {
	case c.state == Failed && c.kind != "execute":
		return c.text(c.look.Error, transcript.Head, width, failureRows)
	case c.state == Denied:
		return c.text(c.look.Muted, transcript.Head, width, 2)
	case c.name == taskTool:
		return c.taskBody(width)
	case c.patch != "":
		return c.fold(c.changes(width), diffRows, width)
	case c.kind == "execute":
		return c.text(c.look.Muted, transcript.Tail, width, liveRows)
	case c.kind == "think" || c.kind == "other":
		return c.text(c.look.Muted, transcript.Head, width, liveRows)
	case c.state == Running:
		return c.text(c.look.Muted, transcript.Tail, width, liveRows)
	}
	return nil
}

// whole is the expanded body: arguments where the title can't hold them, the
// diff, and all output.
func (c *Card) whole(width int) []string {
	var out []string
	if c.agent != nil {
		out = c.agent.live(c.look, width)
	}
	switch {
	case len(out) > 0 && !c.Ended():
		return out
	case len(out) > 0:
		out = append(out, "")
	}
	if c.kind == "execute" || c.kind == "other" {
		if command := field(c.arguments, "command"); strings.Contains(command, "\n") {
			rows, _ := transcript.Head(command, width, expandedRows)
			out = append(out, rows...)
		}
	}
	if c.patch != "" {
		out = append(out, c.fold(c.changes(width), expandedRows, width)...)
		if c.state == Done {
			return out
		}
	}
	return append(out, c.text(c.look.Muted, transcript.Head, width, expandedRows)...)
}

// Hunks is a unified diff without the names of its file, for where a title
// tells it. A diff of several files keeps them.
func Hunks(patch string) string {
	if strings.Count(patch, "\n+++ ") != 1 {
		return patch
	}
	at := strings.Index(patch, "\n@@")
	if at < 0 || !strings.HasPrefix(patch, "--- ") {
		return patch
	}
	return patch[at+1:]
}

func (c *Card) changes(width int) []string {
	return diff.Render(Hunks(c.patch), diff.Options{Styles: c.look.Styles, Width: width})
}

func (c *Card) fold(rows []string, limit, width int) []string {
	if len(rows) <= limit+1 {
		return rows
	}
	more := fmt.Sprintf("… %d more rows · Ctrl+O", len(rows)-limit)
	return append(rows[:limit:limit], c.look.Muted.Render(style.Cut(more, width)))
}

type cutter func(text string, width, limit int) (rows []string, hidden int)

// text shows the start or the end of the output, with a row that tells what
// is missing.
func (c *Card) text(paint style.Style, cut cutter, width, limit int) []string {
	text := strings.Trim(c.output, "\n")
	if text == "(no output)" && c.state == Done {
		return nil
	}
	rows, hidden := cut(text, width, limit)
	if hidden == 1 { // a row that says so would take as much
		rows, hidden = cut(text, width, limit+1)
	}
	out := make([]string, 0, len(rows)+1)
	for _, row := range rows {
		out = append(out, paint.Render(row))
	}
	if hidden == 0 {
		return out
	}
	more := c.look.Muted.Render(style.Cut(fmt.Sprintf("… %s · Ctrl+O", moreLines(hidden)), width))
	if c.kind == "execute" && !c.look.Expanded {
		return append([]string{more}, out...)
	}
	return append(out, more)
}
