package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
	"github.com/hoopoe-agent/hoopoe/tui/card"
	"github.com/hoopoe-agent/hoopoe/tui/inset"
	"github.com/hoopoe-agent/hoopoe/tui/style"
)

// frame remembers the last view: where it put things and what it cost.
type frame struct {
	panelTop int
	// transcript is how many rows it has, from the top; editor and editorEnd
	// are the rows of the prompt.
	transcript, editor, editorEnd int
	cost                          time.Duration
	// shown are the rows as the terminal got them.
	shown []string
}

// Shares of the screen.
const (
	roomy      = 14 // rows from which on the rule above the editor is drawn
	queueRows  = 3
	todoRows   = 10
	keptRows   = 4 // of the transcript, beside a panel
	editorPart = 3 // the editor takes at most a third of the rows
)

// View implements tea.Model.
func (a *app) View() tea.View {
	began := time.Now()
	v := a.whole()
	a.encodePictures()
	a.last.cost = time.Since(began)
	v.WindowTitle = a.title()
	v.ReportFocus = true
	v.ProgressBar = a.progress()
	a.pace.drawn(a.hurry)
	a.hurry = false
	return v
}

// whole draws the screen, in one mode or the other.
func (a *app) whole() tea.View {
	if a.inline && !a.covered() {
		return a.inlineView()
	}
	rows, cursor := a.rows()
	rows = a.measured(rows, cursor)
	v := tea.NewView(strings.Join(rows, "\n"))
	v.AltScreen = true
	v.KeyboardEnhancements.ReportAlternateKeys = true // keys of other scripts
	if !a.mouseFree {
		v.MouseMode = tea.MouseModeCellMotion
	}
	v.Cursor = cursor
	if a.paints() {
		v.ForegroundColor, v.BackgroundColor = a.look.Window()
	}
	return v
}

// measured gives rows the form in which the terminal measures them right, and
// the cursor its place there.
func (a *app) measured(rows []string, cursor *tea.Cursor) []string {
	if a.clusters {
		if cursor != nil && cursor.Y < len(rows) {
			cursor.X = style.Seen(rows[cursor.Y], cursor.X)
		}
	} else {
		rows = slices.Clone(rows)
		for i, row := range rows {
			rows[i] = style.Steady(row)
		}
	}
	a.last.shown = rows
	return rows
}

// titleWidth bounds the window's title, in columns.
const titleWidth = 100

// title names the window: as an extension wants it, else by what the session is
// about, or where, after a mark of what goes on: "●" while it works, "!" while
// it waits for the user.
func (a *app) title() string {
	if title := sanitize.Line(a.guests.title); title != "" {
		return style.Cut(title, titleWidth)
	}
	name := a.view.Name
	if name == "" {
		name = folderName(a.view.Cwd)
	}
	mark := ""
	switch {
	case a.waits():
		mark = "! "
	case a.busy.any():
		mark = "● "
	}
	return style.Cut(sanitize.Line(mark+"hoopoe · "+name), titleWidth)
}

func folderName(path string) string {
	if i := strings.LastIndexAny(path, `/\`); i >= 0 && i < len(path)-1 {
		return path[i+1:]
	}
	return path
}

// rows lays the screen out, exactly height rows.
func (a *app) rows() ([]string, *tea.Cursor) {
	width, height := max(1, a.width), max(1, a.height)
	below, cx, cy := a.below(width, height)
	room := height - len(below)
	out := make([]string, 0, height)
	out = append(out, a.transcriptRows(width, room)...)
	blank := make([]string, max(room-len(out), 0))
	if a.asksBeside() && len(blank) > 1 { // a row between the two, the others below
		out = append(out, "")
		room = len(out)
		status := len(below) - 1
		below = slices.Concat(below[:status], blank[1:], below[status:])
	} else {
		out = append(out, blank...)
	}
	out = append(out, below...)
	a.last.transcript = max(room, 0)
	a.last.panelTop += room
	a.last.editor += room
	a.last.editorEnd += room
	top := room
	if len(out) > height {
		cut := len(out) - height
		out, top = out[cut:], top-cut
	}
	if cx < 0 || top+cy < 0 {
		return out, nil
	}
	return out, a.cursor(min(cx, width-1), top+cy)
}

// asksBeside reports whether a question stands right below the conversation, in
// which its card is. A list keeps the place of the prompt, for its filter.
func (a *app) asksBeside() bool {
	if a.question == nil {
		return false
	}
	_, choices := a.question.panel.(*dialogPanel)
	return choices
}

// below lays out what stands below the transcript: the tasks, the queue, the
// activity, the editor or a panel between the widgets of extensions, the status
// line. cx and cy place the cursor in it; cx is -1 without one.
func (a *app) below(width, height int) (out []string, cx, cy int) {
	status := a.statusLine(width)
	room := height - 1 // the status line is always there
	input, cx, cy := a.input(width, room)
	room -= len(input)
	var activity []string
	if room > 1 {
		activity = append(activity, a.activityRow(width))
		room--
	}
	guestsAbove, guestsBelow := a.guests.rows(a.look.Styles, a.look.Bidi, width, min(height/guestPart, room/2))
	room -= len(guestsAbove) + len(guestsBelow)
	out = append(a.todoRows(width, min(todoRows, room/2)), a.queueRows(width, min(queueRows, room/3))...)
	out = append(out, activity...)
	out = append(out, guestsAbove...)
	top := len(out)
	a.last.panelTop = top
	a.last.editor += top
	a.last.editorEnd = top + len(input)
	out = append(out, input...)
	out = append(out, guestsBelow...)
	return append(out, status), cx, cy + top
}

// transcriptRows renders the visible part of the conversation. A reader who
// has scrolled up sees in the last row that there is more.
func (a *app) transcriptRows(width, height int) []string {
	if height <= 0 {
		return nil
	}
	list := &a.story.list
	list.SetSize(width, height)
	if list.Len() == 0 {
		return a.welcome(width, height)
	}
	rows, more := list.Rows()
	if list.Following() || len(rows) == 0 {
		return rows
	}
	text := "↓ more below · Ctrl+End follows"
	if more > 1 {
		text = fmt.Sprintf("↓ %d more below · Ctrl+End follows", more)
	}
	rows[len(rows)-1] = a.look.Accent.Render(style.Cut(text, width))
	return rows
}

// welcome fills the empty transcript.
func (a *app) welcome(width, height int) []string {
	lines := []string{
		"",
		a.look.Accent.With(a.look.Bold).Render(style.Cut("hoopoe", width)),
		"",
	}
	more := "/ commands · @ files · ! shell · ? keys"
	if a.o.Files == nil {
		more = "/ commands · ! shell · ? keys"
	}
	for _, hint := range []string{"Say what you want done in this folder.", more} {
		for _, row := range style.Wrap(hint, width) {
			lines = append(lines, a.look.Muted.Render(row))
		}
	}
	return lines[:min(len(lines), height)]
}

// activityRow says what goes on. It is always there, so that the transcript
// doesn't jump when work begins.
func (a *app) activityRow(width int) string {
	text := a.busy.text(a.view.Todos, a.o.Now(), width, a.look.Bidi)
	switch {
	case a.hint != "":
		hint := inset.Parts(style.Cut(sanitize.Line(a.hint), width), a.look.Bidi)
		if text != "" {
			hint += " · " + text
		}
		return a.look.Warning.Render(style.Cut(hint, width))
	case a.waits() && a.session == nil:
		return "" // the dialog says what is to be done
	case a.session == nil || !a.started:
		return a.look.Muted.Render(style.Cut("Opening the session …", width))
	case a.waits() && a.busy.running:
		text = "● Your answer is needed"
	}
	return a.look.Accent.Render(style.Cut(text, width))
}

// queueRows shows what was sent and waits.
func (a *app) queueRows(width, limit int) []string {
	var rows []string
	add := func(how, text string) {
		rows = append(rows, a.marked(a.look.Muted, "↳ "+how+": ", text, width))
	}
	for _, q := range a.queue {
		how := "next"
		if q.Delivery == "followUp" {
			how = "after this"
		}
		add(how, q.Message.Text())
	}
	for _, s := range a.waiting {
		add("when ready", s.text)
	}
	if len(rows) > limit && limit > 0 {
		left := len(rows) - limit + 1
		rows = append(rows[:limit-1], a.look.Muted.Render(style.Cut(fmt.Sprintf("↳ and %d more", left), width)))
	}
	return rows[:min(len(rows), max(limit, 0))]
}

// todoRows shows the session's tasks, if the user wants them.
func (a *app) todoRows(width, limit int) []string {
	if !a.showTodos || limit < 1 {
		return nil
	}
	var rows []string
	current := 0
	for _, p := range a.view.Todos {
		if len(a.view.Todos) > 1 || p.Name != "" {
			rows = append(rows, a.marked(a.look.Bold, "", p.Name, width))
		}
		for _, t := range p.Tasks {
			if t.Status == "in_progress" {
				current = len(rows)
			}
			rows = append(rows, a.todoRow(t, width))
		}
	}
	if len(rows) == 0 {
		rows = []string{a.look.Muted.Render(style.Cut("No tasks yet · Ctrl+T hides this", width))}
	}
	if len(rows) > limit { // those around the task in hand
		more := fmt.Sprintf("… %d more", len(rows)-limit+1)
		from := min(max(current-(limit-1)/2, 0), len(rows)-limit+1)
		rows = append(rows[from:from+limit-1:from+limit-1], a.look.Muted.Render(style.Cut(more, width)))
	}
	return rows
}

func (a *app) todoRow(t message.Todo, width int) string {
	mark, paint := card.TaskMark(a.look.Styles, t.Status)
	return a.marked(paint, mark+" ", t.Content, width)
}

// marked is a row of foreign text behind a mark. The text has its own direction.
func (a *app) marked(paint style.Style, mark, text string, width int) string {
	text = style.Cut(sanitize.Line(text), width-style.Width(mark))
	return paint.Render(style.Cut(mark, width) + inset.Text(text, a.look.Bidi))
}

// input renders what has the keyboard: a panel, or the editor and its popup. cx
// and cy place the cursor within; cx is -1 without one.
func (a *app) input(width, room int) (rows []string, cx, cy int) {
	if p := a.front(); p != nil {
		if room > 4*keptRows {
			room -= keptRows
		}
		return p.view(width, room, a.look.Bidi)
	}
	limit := max(1, a.height/editorPart)
	text := strings.Split(a.editor.View(width, min(limit, max(1, room))), "\n")
	cx, cy = a.editor.Cursor()
	left := room - len(text)
	popup := a.popup.rows(a.look.Styles, a.look.Bidi, width, min(8, left/2))
	if !a.inline {
		rows = popup
	}
	if a.height >= roomy {
		rule := a.look.Border.Render(strings.Repeat("─", width))
		rows = append(rows, rule)
	}
	a.last.editor = len(rows)
	cy += len(rows)
	rows = append(rows, text...)
	if a.inline { // below, so that the prompt stays where it is when the popup closes
		rows = append(rows, popup...)
	}
	return rows, cx, cy
}
