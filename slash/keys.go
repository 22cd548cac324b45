package slash

import (
	"context"
	"fmt"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
)

// Provider is a service that takes a key.
type Provider struct {
	ID, Name string
	Saved    bool // there is a saved key
}

// Keys keeps the keys of providers.
type Keys interface {
	Providers() []Provider
	// Save checks a key, where that can be done, and keeps it. It tells where.
	Save(ctx context.Context, provider, key string) (told string, err error)
	Forget(ctx context.Context, provider string) error
}

// logins hold the commands about keys. A key is typed into a dialog that hides
// it, never as an argument, which would stay in the history.
type logins struct{ keys Keys }

func (l logins) commands() []Command {
	return []Command{
		{Name: "login", Aliases: []string{"connect"}, Args: "[provider]", Needs: Terminal | Dialogs, Source: "builtin",
			Summary: "Save the key of a provider", Complete: l.completeAll, Run: l.login},
		{Name: "logout", Args: "[provider]", Needs: Terminal | Dialogs, Source: "builtin",
			Summary: "Forget a saved key", Complete: l.completeSaved, Run: l.logout},
	}
}

// pick finds a provider: the argument's, else the user's choice.
func (l logins) pick(ctx context.Context, c Call, title string, saved bool) (Provider, bool, error) {
	var rows []string
	var choice []Provider
	for _, p := range l.keys.Providers() {
		if strings.EqualFold(p.ID, c.Args) {
			return p, true, nil
		}
		if saved && !p.Saved {
			continue
		}
		row := p.Name
		if p.Saved && !saved {
			row += " (there is a key)"
		}
		rows, choice = append(rows, sanitize.Line(row)), append(choice, p)
	}
	if c.Args != "" {
		return Provider{}, false, fmt.Errorf("there is no provider %q", c.Args)
	}
	if len(rows) == 0 {
		return Provider{}, false, nil
	}
	i := choose(ctx, c.Session, title, "", rows)
	if i < 0 {
		return Provider{}, false, nil
	}
	return choice[i], true, nil
}

func (l logins) login(ctx context.Context, c Call) (Result, error) {
	p, ok, err := l.pick(ctx, c, "Whose key?", false)
	if err != nil || !ok {
		return Result{Handled: true}, err
	}
	a, answered := c.Session.Ask(ctx, event.Question{
		Kind: event.AskInput, Title: "Key for " + p.Name, Secret: true,
		Message: "It is saved in your user folder. $NAME names a variable, !command a command that prints it.",
	})
	key := strings.TrimSpace(a.Value)
	if !answered || a.Cancelled || key == "" {
		return reply("")
	}
	told, err := l.keys.Save(ctx, p.ID, key)
	if err != nil {
		return Result{}, err
	}
	return reply("%s\n/model lists what you can use now.", told)
}

func (l logins) logout(ctx context.Context, c Call) (Result, error) {
	p, ok, err := l.pick(ctx, c, "Forget whose key?", true)
	switch {
	case err != nil:
		return Result{}, err
	case !ok && c.Args == "" && !l.any():
		return reply("There is no saved key.")
	case !ok:
		return reply("")
	}
	if err := l.keys.Forget(ctx, p.ID); err != nil {
		return Result{}, err
	}
	return reply("The key for %s is forgotten.", sanitize.Line(p.Name))
}

func (l logins) any() bool {
	for _, p := range l.keys.Providers() {
		if p.Saved {
			return true
		}
	}
	return false
}

func (l logins) completeAll(_ context.Context, _ Session, prefix string) []string {
	return l.ids(prefix, func(Provider) bool { return true })
}

func (l logins) completeSaved(_ context.Context, _ Session, prefix string) []string {
	return l.ids(prefix, func(p Provider) bool { return p.Saved })
}

func (l logins) ids(prefix string, keep func(Provider) bool) []string {
	var ids []string
	for _, p := range l.keys.Providers() {
		if keep(p) {
			ids = append(ids, p.ID)
		}
	}
	return beginning(ids, prefix)
}
