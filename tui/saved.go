package tui

import (
	"context"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hoopoe-agent/hoopoe/engine/session"
	"github.com/hoopoe-agent/hoopoe/slash"
	"github.com/hoopoe-agent/hoopoe/tui/dialog"
	"github.com/hoopoe-agent/hoopoe/tui/keymap"
	"github.com/hoopoe-agent/hoopoe/tui/picker"
)

// Sessions are the saved ones.
type Sessions interface {
	// List returns those of the folder that the chat works in, or of all
	// folders, the last modified first.
	List(ctx context.Context, all bool) ([]session.Summary, error)
	// Rename and Delete refuse one that is open.
	Rename(ctx context.Context, path, name string) error
	Delete(ctx context.Context, path string) error
}

// savedPanel is the list of saved sessions.
type savedPanel struct {
	listPanel
	app   *app
	all   bool
	saved map[string]session.Summary // by path
}

// openSessions lets the user go back to an earlier session.
func (a *app) openSessions() tea.Cmd {
	p := &savedPanel{app: a}
	p.listPanel = listPanel{done: p.chosen, picker: picker.New(picker.Options{
		Styles: a.look.Styles, Keys: a.o.Keys, Own: keymap.Sessions, Numbers: []int{0, 1},
	}, nil)}
	a.panel = p
	return p.load()
}

// load reads the list anew.
func (p *savedPanel) load() tea.Cmd {
	a, all := p.app, p.all
	title, other := "Sessions of this folder", "all folders"
	if all {
		title, other = "Sessions of all folders", "this folder"
	}
	p.picker.SetTitle(title)
	p.picker.SetHint(keysFor(a.o.Keys, hint{keymap.AllFolders, other}, hint{keymap.RenameSession, "names"}, hint{keymap.DeleteSession, "deletes"}))
	return a.later("list the sessions", func(ctx context.Context) (func() tea.Cmd, error) {
		list, err := a.o.Sessions.List(ctx, all)
		return func() tea.Cmd {
			if all == p.all {
				p.show(list)
			}
			return nil
		}, err
	})
}

func (p *savedPanel) show(list []session.Summary) {
	p.saved = make(map[string]session.Summary, len(list))
	for _, s := range list {
		p.saved[s.Path] = s
	}
	p.picker.SetItems(savedItems(list, p.all, p.app.view.File, p.app.o.home(), p.app.o.Now()))
}

// savedItems lists sessions; with all of them the folder heads its own.
func savedItems(list []session.Summary, all bool, open, home string, now time.Time) []picker.Item {
	items := make([]picker.Item, len(list))
	for i, s := range list {
		count := fmt.Sprint(s.Messages)
		if s.More {
			count += "+"
		}
		it := picker.Item{
			ID: s.Path, Title: s.Label(), Current: s.Path == open,
			Cells: []string{slash.Age(now.Sub(s.Modified)), count + " msg"},
			More:  shortPath(s.Cwd, "", home) + " · " + s.ID,
		}
		if s.Name != "" && s.Title != "" {
			it.More = s.Title + "\n" + it.More
		}
		if all {
			it.Detail = folderName(s.Cwd)
		}
		items[i] = it
	}
	return items
}

func (p *savedPanel) chosen(r picker.Result) (tea.Cmd, bool) {
	s, ok := p.saved[r.Item.ID]
	switch {
	case r.Cancelled:
		return nil, true
	case r.Action == keymap.AllFolders:
		p.all = !p.all
		return p.load(), false
	case !ok:
		return nil, false
	case r.Action == keymap.RenameSession:
		p.rename(s)
		return nil, false
	case r.Action == keymap.DeleteSession:
		p.remove(s)
		return nil, false
	case s.Path == p.app.view.File:
		return nil, true
	}
	return p.app.run("/resume " + s.Path), true
}

func (p *savedPanel) rename(s session.Summary) {
	a := p.app
	spec := dialog.Spec{Title: "Name of the session", Why: s.Title, Field: dialog.Field{Value: s.Name}}
	a.onTop(p, spec, func(r dialog.Result) tea.Cmd {
		if r.Text == "" {
			return nil
		}
		current, open := a.session.Commands(), s.Path == a.view.File
		return p.change("name the session", func(ctx context.Context) error {
			if open {
				return current.Rename(ctx, r.Text)
			}
			return a.o.Sessions.Rename(ctx, s.Path, r.Text)
		})
	})
}

func (p *savedPanel) remove(s session.Summary) {
	a := p.app
	if s.Path == a.view.File {
		a.hint = "That is this session; /new leaves it first"
		return
	}
	spec := dialog.Confirm("Delete this session?", fmt.Sprintf("%s\n%d messages, %s. There is no way back.", s.Label(), s.Messages, slash.Age(a.o.Now().Sub(s.Modified))))
	spec.Selected = 1
	a.onTop(p, spec, func(r dialog.Result) tea.Cmd {
		if r.ID != "yes" {
			return nil
		}
		return p.change("delete the session", func(ctx context.Context) error { return a.o.Sessions.Delete(ctx, s.Path) })
	})
}

// change does something to a session and reads the list again.
func (p *savedPanel) change(what string, do func(ctx context.Context) error) tea.Cmd {
	return p.app.later(what, func(ctx context.Context) (func() tea.Cmd, error) {
		return p.load, do(ctx)
	})
}
