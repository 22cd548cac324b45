package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/hoopoe-agent/hoopoe/engine"
	"github.com/hoopoe-agent/hoopoe/engine/config"
	"github.com/hoopoe-agent/hoopoe/engine/ext/js"
	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
)

func (p *program) extensionApp() *cli.App {
	return p.app(&cli.App{
		Name:  "hoopoe extension",
		Usage: "TypeScript files that take part in sessions",
		UsageText: `hoopoe extension [list]                  list the extensions that this folder's sessions load
hoopoe extension check FILE ...          load them apart from any session and tell what they register and need
hoopoe extension init [NAME]             write one to begin with, in a folder of that name

They lie in the user's extensions folder, in .hoopoe/extensions of a trusted project, or come with --extension FILE.`,
		Action: p.extension,
	})
}

// extension carries out one of the sub-commands.
func (p *program) extension(c *cli.Context) error {
	args, cwd, e, err := p.subcommand(c, settings{offline: true})
	if err != nil {
		return err
	}
	verb := "list"
	if len(args) > 0 {
		verb, args = args[0], args[1:]
	}
	switch {
	case verb == "list" && len(args) == 0:
		return p.listExtensions(c.Context, e, cwd)
	case verb == "check" && len(args) > 0:
		return p.checkExtensions(c.Context, cwd, args)
	case verb == "check":
		return usagef("hoopoe extension check needs the FILE or folder of an extension")
	case verb == "init" && len(args) <= 1:
		return p.initExtension(slices.Concat(args, []string{"my-extension"})[0])
	}
	return usagef("hoopoe extension is followed by list, check FILE or init NAME")
}

// listExtensions names what sessions load by themselves. Nothing of it runs.
func (p *program) listExtensions(ctx context.Context, e *engine.Engine, cwd string) error {
	places := []string{e.Paths().Extensions()}
	if trust, err := e.Paths().Trust(cwd); err == nil && trust == config.Trusted {
		for _, dir := range projectExtensions() {
			places = append(places, filepath.Join(cwd, filepath.FromSlash(dir)))
		}
	}
	saved, err := e.Settings(ctx, cwd)
	if err != nil {
		return err
	}
	for _, path := range saved.Extensions {
		if !filepath.IsAbs(path) {
			path = filepath.Join(e.Paths().Config, path)
		}
		places = append(places, path)
	}
	found := 0
	for _, place := range places {
		files, err := p.modules.Entries(place)
		if err != nil {
			p.warn(err.Error())
		}
		for _, file := range files {
			found++
			m, err := p.modules.Inspect(ctx, file)
			if err != nil {
				p.say("%s\n  can't be loaded: %v", file, err)
				continue
			}
			p.say("%s%s\n  %s%s", m.Name, described(m.Description), m.Path, capable(m.Capabilities))
		}
	}
	if found == 0 {
		p.say("There are no extensions. \"hoopoe extension init\" writes one to begin with; sessions load what lies in\n%s", e.Paths().Extensions())
	}
	return nil
}

// projectExtensions are a project's folders of extensions.
func projectExtensions() []string {
	return []string{".hoopoe/extensions", ".pi/extensions", ".xcsh/extensions", ".omp/extensions"}
}

func described(text string) string {
	if text == "" {
		return ""
	}
	return ": " + text
}

func capable(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return "\n  may ask for: " + strings.Join(names, ", ")
}

// say prints a line that may hold what others wrote.
func (p *program) say(format string, args ...any) {
	fmt.Fprintln(p.stdout, sanitize.Text(fmt.Sprintf(format, args...)))
}

// checkExtensions loads each module that the paths stand for.
func (p *program) checkExtensions(ctx context.Context, cwd string, paths []string) error {
	faults := 0
	for _, path := range paths {
		files, err := p.modules.Entries(path)
		if err == nil && len(files) == 0 {
			err = fmt.Errorf("%s: there is no extension", path)
		}
		if err != nil {
			p.warn(err.Error())
			faults++
		}
		for _, file := range files {
			report, err := p.modules.Check(ctx, file, cwd)
			p.tellReport(report)
			if err != nil {
				p.warn(err.Error())
				faults++
			}
		}
	}
	if faults > 0 {
		return errors.New("not every extension can be loaded")
	}
	return nil
}

func (p *program) tellReport(r js.Report) {
	if r.Module.Path == "" {
		return
	}
	p.say("%s%s\n  file          %s", r.Module.Name, described(r.Module.Description), r.Module.Path)
	row := func(name string, items []string) {
		if len(items) > 0 {
			p.say("  %-13s %s", name, strings.Join(items, ", "))
		}
	}
	var tools, commands, shortcuts, flags []string
	for _, t := range r.Tools {
		tools = append(tools, t.Spec().Name)
	}
	for _, c := range r.Commands {
		commands = append(commands, "/"+c.Name)
	}
	for _, s := range r.Shortcuts {
		shortcuts = append(shortcuts, s.Key)
	}
	for _, f := range r.Flags {
		flags = append(flags, "--"+f.Name)
	}
	row("states", r.Module.Capabilities)
	row("imports need", r.Needs)
	row("events", r.Events)
	row("tools", tools)
	row("commands", commands)
	row("shortcuts", shortcuts)
	row("flags", flags)
	row("draws", r.Renders)
	if len(r.Module.Files) > 1 {
		row("made of", r.Module.Files)
	}
	for _, line := range r.Log {
		p.say("  printed       %s", line)
	}
	for _, w := range r.Warnings {
		p.say("  note: %s", w)
	}
}

// extensionName is what a starter may be called: it names a folder and a package.
var extensionName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,63}$`)

// initExtension writes a folder with an extension that works.
func (p *program) initExtension(path string) error {
	name := filepath.Base(path)
	if !extensionName.MatchString(name) {
		return usagef("an extension's name is of small letters, digits and dashes, such as my-extension")
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is there already; choose another name", path)
	}
	if err := os.MkdirAll(path, 0o755); err != nil {
		return err
	}
	for file, text := range js.Starter(name) {
		if err := os.WriteFile(filepath.Join(path, file), []byte(text), 0o600); err != nil {
			return err
		}
	}
	p.say("Wrote %s. Check it with \"hoopoe extension check %s\" and try it with \"hoopoe --extension %s\".", path, path, path)
	return nil
}
