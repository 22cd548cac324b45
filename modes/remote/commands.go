package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine"
	"github.com/hoopoe-agent/hoopoe/engine/permission"
	"github.com/hoopoe-agent/hoopoe/slash"
)

// abilities are what slash commands find here. Leaving means closing the
// connection. There are no dialogs: a command that would ask takes its default.
const abilities = slash.Terminal | slash.Replaceable

// bounded is a session as commands of a remote client see it: they can't go
// beyond what the server was started with.
type bounded struct {
	*engine.Session
	mode permission.Mode // the upper bound
	all  bool            // saved sessions of others may be opened
}

// SetMode only ever tightens.
func (b bounded) SetMode(ctx context.Context, name string) error {
	mode, err := permission.ParseMode(name)
	if err != nil {
		return err
	}
	if permission.Tighter(mode, b.mode) != mode {
		return fmt.Errorf("the server was started with the mode %s; a client can't loosen it", b.mode)
	}
	return b.Session.SetMode(ctx, name)
}

// Switch opens another session, where the server allows that.
func (b bounded) Switch(ctx context.Context, path string) (bool, error) {
	if !b.all {
		return false, errors.New("this server gives access to the sessions that it made; its user can change that with --remote-sessions all")
	}
	return b.Session.Switch(ctx, path)
}

// Export writes below the working directory.
func (b bounded) Export(ctx context.Context, path string) (string, error) {
	if path != "" && !filepath.IsLocal(path) {
		return "", errors.New("a remote client exports to a path below the working directory, such as session.html")
	}
	return b.Session.Export(ctx, path)
}

func (c *conversation) bounded() bounded {
	return bounded{c.session, c.mode, c.server.o.AllSessions}
}

// hidden are commands that would tell of sessions that a client may not see.
func (c *conversation) hidden(name string) bool {
	return name == "resume" && !c.server.o.AllSessions
}

// commandRow is a row of GetCommands.
type commandRow struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// resetName is our own command: nobody else counts turns.
const resetName = "reset"

// listCommands is the text that answers GetCommands. An alias has a row of its
// own.
func (c *conversation) listCommands() string {
	rows := []commandRow{}
	add := func(name, about string) {
		if !slices.ContainsFunc(rows, func(r commandRow) bool { return r.Name == name }) {
			rows = append(rows, commandRow{name, about})
		}
	}
	for _, cmd := range c.catalog(c.ctx) {
		for _, name := range cmd.Names() {
			add(name, c.server.about(cmd))
		}
	}
	add(resetName, c.server.about(slash.Command{Name: resetName, Source: "builtin", Summary: "Count the turns anew; the context is kept"}))
	return string(encoded(struct {
		Commands []commandRow `json:"commands"`
		Count    int          `json:"count"`
	}{rows, len(rows)}))
}

func (c *conversation) catalog(ctx context.Context) []slash.Command {
	all := c.server.o.Commands.For(ctx, c.session).Catalog(abilities)
	return slices.DeleteFunc(all, func(cmd slash.Command) bool { return c.hidden(cmd.Name) })
}

// find looks for a command by its whole name.
func (c *conversation) find(ctx context.Context, name string) (slash.Command, bool) {
	for _, cmd := range c.catalog(ctx) {
		if slices.ContainsFunc(cmd.Names(), func(n string) bool { return strings.EqualFold(n, name) }) {
			return cmd, true
		}
	}
	return slash.Command{}, false
}

// instruct runs the command of an Instruction. over is true when f ends the
// request; else the text of a template or skill runs.
func (c *conversation) instruct(x *exchange, in instruction) (f frame, over bool) {
	name := strings.TrimPrefix(in.command, "/")
	args, err := commandArgs(in.parameters)
	if err != nil {
		return failure(processing(err.Error())), true
	}
	_, found := c.find(x.ctx, name)
	if !found && name != resetName {
		return failure("Unknown command: " + excerpt(in.command, 200)), true
	}
	text := strings.TrimSpace("/" + name + " " + args)
	if f, ok := c.command(x, text); ok {
		return f, true
	}
	x.input = textInput(text) // it stands for a text
	return c.chat(x)
}

// commandArgs reads the parameters of an Instruction.
func commandArgs(raw json.RawMessage) (string, error) {
	var text string
	var list []string
	var o object
	switch {
	case isNull(raw):
		return "", nil
	case json.Unmarshal(raw, &text) == nil:
		return text, nil
	case json.Unmarshal(raw, &list) == nil:
		return strings.Join(list, " "), nil
	case json.Unmarshal(raw, &o) != nil:
		return "", errors.New("the field `parameters` must be null, a string, a list of strings or an object with `args`")
	}
	for name := range o {
		if name != "args" {
			return "", fmt.Errorf("unknown field `%s` in `parameters`: it holds `args`", excerpt(name, 100))
		}
	}
	if _, ok := o["args"]; !ok {
		return "", nil
	}
	var deep object
	if json.Unmarshal(o["args"], &deep) == nil && !isNull(o["args"]) {
		return "", errors.New("the field `args` must be a string or a list of strings")
	}
	return commandArgs(o["args"])
}

// command runs the slash command that a text calls by its whole name and that
// acts by itself. ok is false for any other text.
func (c *conversation) command(x *exchange, text string) (f frame, ok bool) {
	name, _, slashed := slash.Split(text)
	if !slashed {
		return f, false
	}
	if name == resetName {
		c.resetTurns()
		return textFrame("The turns are counted anew. The context is kept."), true
	}
	cmd, found := c.find(x.ctx, name)
	if !found || cmd.Expand != nil {
		return f, false
	}
	r, err := c.server.o.Commands.Dispatch(x.ctx, c.bounded(), abilities, text)
	switch {
	case x.stopped(c):
		return x.interruption(), true
	case err != nil:
		return failure("Processing error: " + err.Error()), true
	case !r.Handled:
		x.input = textInput(r.Text)
		return f, false
	}
	if cmd.Name == "new" {
		c.resetTurns()
	}
	f = textFrame(r.Reply)
	if f.text == "" {
		f.text = "Done: /" + cmd.Name
	}
	f.closes = r.Quit
	return f, true
}

func (c *conversation) resetTurns() {
	c.mu.Lock()
	c.turns = 0
	c.mu.Unlock()
}

// clear starts with a fresh context; what was said stays on disk.
func (c *conversation) clear(x *exchange) frame {
	cancelled, err := c.session.NewDocument(x.ctx, engine.NewDocumentOptions{})
	switch {
	case err != nil:
		return failure(processing(err.Error()))
	case cancelled:
		return failure(processing("an extension kept the conversation"))
	}
	c.resetTurns()
	return textFrame("The context is cleared and the turns are counted anew.")
}
