package tui

import (
	"context"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/sahilm/fuzzy"

	"github.com/hoopoe-agent/hoopoe/slash"
	"github.com/hoopoe-agent/hoopoe/tui/editor"
	"github.com/hoopoe-agent/hoopoe/tui/keymap"
)

// completionMsg brings the values for a command's argument.
type completionMsg struct {
	prefix string
	texts  []string
}

// filesMsg brings the project's files.
type filesMsg struct {
	names []string
	at    time.Time
}

// fileList caches the project's files for a short while.
type fileList struct {
	names   []string
	at      time.Time
	loading bool
}

const (
	filesFresh = 10 * time.Second
	fileHits   = 50
)

func (f *fileList) loaded(msg filesMsg) {
	f.names, f.at, f.loading = msg.names, msg.at, false
}

// complete brings the popup in line with the text before the caret.
func (a *app) complete() tea.Cmd {
	kind, prefix := a.editor.Completion()
	switch {
	case kind == '/' && strings.HasPrefix(prefix, "//"):
		a.popup.close()
	case kind == '/' && !strings.ContainsAny(prefix, " \t"):
		a.popup.show(prefix, a.slashOptions(prefix))
		return a.readCatalog()
	case kind == '/' && a.session != nil:
		return a.completeArgument(prefix)
	case kind == '@' && a.o.Files != nil:
		return a.completeFile(prefix)
	default:
		a.popup.close()
	}
	return nil
}

// catalogMsg brings the commands of the session as it is now.
type catalogMsg []slash.Command

// readCatalog brings the list of commands up to date: those of files come and
// go with them.
func (a *app) readCatalog() tea.Cmd {
	if a.session == nil || a.listing {
		return nil
	}
	a.listing = true
	session, commands := a.session.Commands(), a.o.Commands
	return func() tea.Msg { return catalogMsg(commands.For(a.ctx, session).Catalog(Caps)) }
}

func (a *app) listed(catalog []slash.Command) {
	a.catalog, a.listing = a.withPanels(catalog), false
	if kind, prefix := a.editor.Completion(); kind == '/' && prefix == a.popup.prefix && !strings.ContainsAny(prefix, " \t") {
		a.popup.show(prefix, a.slashOptions(prefix))
	}
}

func (a *app) completeArgument(prefix string) tea.Cmd {
	session, commands := a.session.Commands(), a.o.Commands
	return func() tea.Msg {
		return completionMsg{prefix, commands.Complete(a.ctx, session, Caps, prefix)}
	}
}

// offer shows the values for an argument, unless the text has changed.
func (a *app) offer(msg completionMsg) {
	if kind, prefix := a.editor.Completion(); kind != '/' || prefix != msg.prefix {
		return
	}
	options := make([]option, 0, len(msg.texts))
	for _, t := range msg.texts {
		if t != msg.prefix {
			options = append(options, option{text: t, run: true})
		}
	}
	a.popup.show(msg.prefix, options)
}

func (a *app) completeFile(prefix string) tea.Cmd {
	a.popup.show(prefix, a.fileOptions(editor.ParseMention(prefix)))
	now := a.o.Now
	if a.files.loading || now().Sub(a.files.at) < filesFresh {
		return nil
	}
	a.files.loading = true
	ctx, list := a.ctx, a.o.Files
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, filesFresh)
		defer cancel()
		return filesMsg{list(ctx), now()}
	}
}

// fileOptions lists the files that a mention may mean, with its lines. Once
// lines are being typed behind the name of a file there is nothing to choose.
func (a *app) fileOptions(m editor.Mention) []option {
	if m.Lines != "" && slices.Contains(a.files.names, m.Path) {
		return nil
	}
	names := a.files.names
	if m.Path != "" {
		hits := fuzzy.Find(m.Path, names)
		names = make([]string, len(hits))
		for i, h := range hits {
			names[i] = h.Str
		}
	}
	var options []option
	for _, name := range names[:min(fileHits, len(names))] {
		options = append(options, option{text: editor.Mention{Path: name, Lines: m.Lines}.String()})
	}
	return options
}

// popupKey handles the keys of an open popup. ok is false for a key that the
// editor gets.
func (a *app) popupKey(stroke string) (cmd tea.Cmd, ok bool) {
	if !a.popup.open() {
		return nil, false
	}
	if _, prefix := a.editor.Completion(); prefix != a.popup.prefix {
		a.popup.close() // better options are on their way, these don't fit
		return nil, false
	}
	switch a.o.Keys.Action(stroke, keymap.Popup, keymap.List) {
	case keymap.SelectCancel:
		a.popup.hush()
		mode, vim := a.editor.VimMode()
		return nil, !vim || mode == editor.Normal // else it leaves that mode too
	case keymap.SelectUp:
		a.popup.move(-1)
	case keymap.SelectDown:
		a.popup.move(1)
	case keymap.SelectPageUp:
		a.popup.move(-min(8, a.popup.at))
	case keymap.SelectPageDown:
		a.popup.move(min(8, len(a.popup.options)-1-a.popup.at))
	case keymap.Complete:
		return a.take(false), true
	case keymap.SelectConfirm:
		o := a.popup.options[a.popup.at]
		argument := strings.Contains(a.popup.prefix, " ") && strings.HasPrefix(a.popup.prefix, "/")
		if argument && !a.popup.moved {
			return nil, false // what is typed counts
		}
		return a.take(o.run), true
	default:
		return nil, false
	}
	return nil, true
}

// take puts the chosen option into the editor and, with send, sends it.
func (a *app) take(send bool) tea.Cmd {
	o, prefix := a.popup.options[a.popup.at], len(a.popup.prefix)
	a.popup.close()
	if send {
		a.editor.Replace(prefix, o.text)
		return a.submit("steer")
	}
	a.editor.Accept(prefix, o.text)
	if kind, _ := a.editor.Completion(); kind == '/' {
		return a.complete()
	}
	return nil
}
