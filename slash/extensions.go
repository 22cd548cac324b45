package slash

import (
	"context"
	"fmt"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine"
	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
)

// Extended returns the commands of a session's extensions.
func Extended(s Session) []Command {
	var commands []Command
	for _, c := range s.ExtensionCommands() {
		location := "user"
		if c.Project {
			location = "project"
		}
		commands = append(commands, Command{
			Name: c.Name, Summary: sanitize.Line(c.Description), Source: "extension", Path: c.Path, Location: location,
			Complete: func(ctx context.Context, _ Session, prefix string) []string {
				var values []string
				for _, v := range c.Complete(ctx, prefix) {
					values = append(values, sanitize.Line(v.Value))
				}
				return values
			},
			Run: func(ctx context.Context, call Call) (Result, error) {
				return Result{Handled: true}, c.Run(ctx, call.Args)
			},
		})
	}
	return commands
}

// runExtensions lists the extensions, or tells what there is to know about one.
func runExtensions(ctx context.Context, c Call) (Result, error) {
	c.Session.AwaitExtensions(ctx)
	list := c.Session.Extensions()
	if c.Args != "" {
		for _, e := range list {
			if strings.EqualFold(e.Name, c.Args) {
				return reply("%s", extensionText(e))
			}
		}
		return Result{}, fmt.Errorf("there is no extension %s; /extensions lists them", sanitize.Line(c.Args))
	}
	if len(list) == 0 {
		return reply("There are no extensions. An extension is a .ts or .js file in the folder extensions beside your settings, or in .hoopoe/extensions of the project.")
	}
	rows := make([][2]string, len(list))
	for i, e := range list {
		about := e.Description
		if about == "" {
			about = e.Path
		}
		rows[i] = [2]string{sanitize.Line(e.Name), brief(sanitize.Line(about))}
	}
	return reply("%s", columns(rows))
}

func extensionText(e engine.Extension) string {
	rows := [][2]string{{"extension", e.Name}}
	from := "user"
	if e.Project {
		from = "project"
	}
	for _, more := range [][2]string{
		{"for", e.Description},
		{"file", e.Path},
		{"from", from},
		{"may use", strings.Join(e.Capabilities, ", ")},
		{"tools", strings.Join(e.Tools, ", ")},
		{"commands", strings.Join(e.Commands, ", ")},
	} {
		if more[1] != "" {
			rows = append(rows, more)
		}
	}
	for i := range rows {
		rows[i][1] = sanitize.Line(rows[i][1])
	}
	return columns(rows)
}

func completeExtensions(_ context.Context, s Session, prefix string) []string {
	var names []string
	for _, e := range s.Extensions() {
		names = append(names, e.Name)
	}
	return beginning(names, prefix)
}
