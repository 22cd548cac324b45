package slash

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/mcp"
	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
)

// Added returns the commands that a session adds: those of its extensions, its
// templates, skills and the prompts of its MCP servers. It is one for
// Options.More.
func Added(ctx context.Context, s Session) []Command {
	return slices.Concat(Extended(s), Files(ctx, s), Prompts(ctx, s))
}

// Prompts returns a command for each prompt of an MCP server, under the name
// that its tools would have, and as server:prompt.
func Prompts(ctx context.Context, s Session) []Command {
	var commands []Command
	for _, p := range s.ServerPrompts() {
		var args []string
		for _, a := range p.Arguments {
			name := sanitize.Line(a.Name)
			if !a.Required {
				name = "[" + name + "]"
			}
			args = append(args, name)
		}
		summary := p.Description
		if summary == "" {
			summary = p.Title
		}
		commands = append(commands, Command{
			Name: p.Command, Aliases: []string{p.Server + ":" + p.Name}, Summary: summary,
			Args: strings.Join(args, " "), Source: "mcp",
			Expand: func(args string) (string, error) { return s.ServerPrompt(ctx, p, args) },
		})
	}
	return commands
}

// serverVerbs are what /mcp can do with a server.
var serverVerbs = []string{"restart", "enable", "disable"}

// runServers lists the MCP servers, or does something with one.
func runServers(ctx context.Context, c Call) (Result, error) {
	list := c.Session.Servers()
	verb, name, _ := strings.Cut(c.Args, " ")
	switch {
	case len(list) == 0:
		return reply("There are no MCP servers. Name them in .mcp.json of the project or under mcpServers in your settings.")
	case c.Args != "" && !slices.Contains(serverVerbs, verb):
		return Result{}, fmt.Errorf("write /mcp, or /mcp %s and a server's name", strings.Join(serverVerbs, "|"))
	case c.Args != "":
		return changeServer(ctx, c.Session, verb, strings.TrimSpace(name))
	case c.Caps.Has(Dialogs):
		return pickServer(ctx, c.Session, list)
	}
	rows := make([][2]string, len(list))
	for i, s := range list {
		rows[i] = [2]string{s.Name, serverState(s)}
	}
	return reply("%s", columns(rows))
}

// serverState says in one line what has become of a server.
func serverState(s mcp.Status) string {
	text := string(s.State)
	if s.Tools > 0 || s.State == mcp.Ready {
		text += ", " + counted(s.Tools, "tool")
	}
	if s.Prompts > 0 {
		text += ", " + counted(s.Prompts, "prompt")
	}
	if s.Error != "" {
		text += ": " + s.Error
	}
	return text
}

// pickServer lets the user choose a server, then what to do with it.
func pickServer(ctx context.Context, s Session, list []mcp.Status) (Result, error) {
	options := make([]string, len(list))
	for i, one := range list {
		options[i] = one.Name + " (" + serverState(one) + ")"
	}
	i := choose(ctx, s, "MCP servers", "", options)
	if i < 0 {
		return reply("")
	}
	verbs := []string{"show", "restart", "disable"}
	if list[i].State == mcp.Disabled {
		verbs = []string{"show", "enable"}
	}
	switch v := choose(ctx, s, "MCP server "+list[i].Name, serverState(list[i]), verbs); {
	case v < 0:
		return reply("")
	case v > 0:
		return changeServer(ctx, s, verbs[v], list[i].Name)
	}
	return reply("%s", serverText(list[i]))
}

func serverText(s mcp.Status) string {
	rows := [][2]string{{"server", s.Name}, {"state", serverState(s)}, {"transport", s.Type}}
	for _, more := range [][2]string{
		{"program", strings.TrimSpace(s.Title + " " + s.Version)}, {"wrote", sanitize.Line(s.Output)},
	} {
		if more[1] != "" {
			rows = append(rows, more)
		}
	}
	return columns(rows)
}

// changeServer does what verb says and tells the outcome.
func changeServer(ctx context.Context, s Session, verb, name string) (Result, error) {
	var names []string
	for _, one := range s.Servers() {
		names = append(names, one.Name)
	}
	i := slices.IndexFunc(names, func(n string) bool { return strings.EqualFold(n, name) })
	if i < 0 {
		return Result{}, fmt.Errorf("there is no MCP server %q; there are: %s", sanitize.Line(name), strings.Join(names, ", "))
	}
	var err error
	switch verb {
	case "restart":
		err = s.RestartServer(ctx, names[i])
	case "enable":
		err = s.EnableServer(ctx, names[i])
	case "disable":
		err = s.DisableServer(names[i])
	}
	if err != nil {
		return Result{}, fmt.Errorf("%s %s: %w", verb, names[i], err)
	}
	for _, one := range s.Servers() {
		if one.Name == names[i] {
			return reply("%s: %s", one.Name, serverState(one))
		}
	}
	return reply("")
}

func completeServers(_ context.Context, s Session, prefix string) []string {
	verb, _, typed := strings.Cut(prefix, " ")
	if !typed || !slices.Contains(serverVerbs, verb) {
		return beginning(serverVerbs, prefix)
	}
	var values []string
	for _, one := range s.Servers() {
		values = append(values, verb+" "+one.Name)
	}
	return beginning(values, prefix)
}
