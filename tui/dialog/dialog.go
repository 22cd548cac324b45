// Package dialog asks the user one thing: to approve, to choose, to confirm
// or to write something.
//
//	Spec ──▶ New ──▶ Dialog ──▶ View(width, height)
//	            key ──▶ Update ──▶ Result, done
//
// All of these are one component: a title, a text with an optional body that
// scrolls together with it, and below it choices that are always on the
// screen, or a field to write in. A choice may ask for a reason first.
//
// Everything in a Spec but the rows of Body is cleaned here.
package dialog

import (
	"strings"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
	"github.com/hoopoe-agent/hoopoe/tui/diff"
	"github.com/hoopoe-agent/hoopoe/tui/editor"
	"github.com/hoopoe-agent/hoopoe/tui/flow"
	"github.com/hoopoe-agent/hoopoe/tui/keymap"
	"github.com/hoopoe-agent/hoopoe/tui/style"
)

// Spec describes a dialog.
type Spec struct {
	Title string
	From  string // who asks; "" is Hoopoe itself
	// Why is what is asked and why. It may have many lines; one that begins with
	// "• " is about a path or a command, which run from left to right.
	Why string

	// Body returns the rows of what is asked about, none wider than width:
	// a diff, a command. It is called once for each width. Nil: none.
	Body func(width int) []string

	Choices  []Choice
	Selected int    // index of the choice that Enter takes at first
	Cancel   string // ID of the choice that Esc takes; "" cancels the dialog

	// Field is what is written in. With choices it is not used.
	Field Field

	// Guard is how long after New no key can decide anything, so that keys
	// meant for the prompt do not answer a dialog that just opened.
	Guard time.Duration
	// Deadline is when somebody else answers; the dialog counts down to it. Zero:
	// it waits.
	Deadline time.Time
	Now      func() time.Time // default time.Now
	Keys     *keymap.Map      // what keys do; default keymap.Default()
}

// Choice is one answer.
type Choice struct {
	ID     string
	Label  string
	Detail string // shown below, muted: the rule that would be saved
	Key    string // a letter that takes it at once, beside its number
	Reason string // not "": taking it first asks for a text, under this label
}

// Field is a text field.
type Field struct {
	Placeholder string
	Value       string
	Multiline   bool // else line ends in the answer become spaces
	Secret      bool // what is written is not shown
}

// Result is the answer.
type Result struct {
	ID        string // the choice; "" for a field
	Text      string // the field or the reason
	Cancelled bool
}

// Confirm is a Spec with yes and no. No is the answer to Esc.
func Confirm(title, why string) Spec {
	return Spec{Title: title, Why: why, Cancel: "no", Choices: []Choice{
		{ID: "yes", Label: "Yes", Key: "y"},
		{ID: "no", Label: "No", Key: "n"},
	}}
}

// Command is a Body that shows a command with nothing hidden in it.
// It runs from left to right.
func Command(command string, s style.Styles, b flow.Bidi) func(width int) []string {
	text := sanitize.Tabs(sanitize.Visible(command), 4)
	return func(width int) (rows []string) {
		for line := range strings.SplitSeq(text, "\n") {
			rows = append(rows, flow.Texts(flow.Wrap(s.Code.Render(flow.Isolate(line)), width, b))...)
		}
		return rows
	}
}

// Diff is a Body that shows a unified diff. Of the options the width is set here.
func Diff(text string, o diff.Options) func(width int) []string {
	return func(width int) []string {
		o.Width = width
		return diff.Render(text, o)
	}
}

// Dialog is an open dialog. It is not safe for concurrent use.
type Dialog struct {
	spec   Spec
	styles style.Styles
	bidi   flow.Bidi
	opened time.Time

	at     int            // selected choice
	field  *editor.Editor // while something is written
	secret *secret        // while something is written that isn't shown
	reason int            // the choice that the reason is for, -1 for the field

	text   []string // rows of Why and Body for width
	width  int
	scroll int   // first row on the screen
	page   int   // rows of the scrolling part in the last View
	named  bool  // the title of the last View says who asks
	places []int // the choice in each row of the last View, -1 for none
	caret  struct{ x, y int }
}

// New opens a dialog.
func New(spec Spec, s style.Styles) *Dialog {
	if spec.Now == nil {
		spec.Now = time.Now
	}
	if spec.Keys == nil {
		spec.Keys = keymap.Default()
	}
	spec.Title, spec.From, spec.Why = sanitize.Line(spec.Title), sanitize.Line(spec.From), sanitize.Tabs(sanitize.Text(spec.Why), 4)
	choices := make([]Choice, len(spec.Choices))
	for i, c := range spec.Choices {
		c.Label, c.Detail, c.Reason = sanitize.Line(c.Label), sanitize.Line(sanitize.Visible(c.Detail)), sanitize.Line(c.Reason)
		choices[i] = c
	}
	spec.Choices = choices
	d := &Dialog{spec: spec, styles: s, opened: spec.Now(), reason: -1, page: 1}
	d.at = min(max(spec.Selected, 0), max(len(choices)-1, 0))
	switch {
	case len(choices) > 0:
	case spec.Field.Secret:
		d.secret = &secret{text: sanitize.Line(spec.Field.Value)}
	default:
		d.write(spec.Field)
	}
	return d
}

// write opens the text field.
func (d *Dialog) write(f Field) {
	d.field = editor.New(editor.Options{
		Styles: d.styles, Prompt: "› ", Placeholder: sanitize.Line(f.Placeholder), Now: d.spec.Now, Keys: d.spec.Keys, Reorder: d.bidi.Reorder,
	})
	d.field.SetValue(f.Value)
}

// SetFrom changes who asks.
func (d *Dialog) SetFrom(from string) { d.spec.From = sanitize.Line(from) }

// SetBidi says what the terminal needs for right-to-left text.
func (d *Dialog) SetBidi(b flow.Bidi) {
	if d.bidi == b {
		return
	}
	d.bidi, d.width = b, 0
	if d.field != nil {
		d.field.SetReorder(b.Reorder)
	}
}

// SetStyles changes the colours. The rows of Body keep theirs until the
// width changes.
func (d *Dialog) SetStyles(s style.Styles) {
	d.styles = s
	if d.field != nil {
		d.field.SetStyles(s)
	}
}
