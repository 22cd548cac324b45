package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/hoopoe-agent/hoopoe/engine"
	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
	"github.com/hoopoe-agent/hoopoe/engine/session"
	"github.com/hoopoe-agent/hoopoe/slash"
)

// sessionsFlags are those of "hoopoe sessions".
func sessionsFlags() []cli.Flag {
	const group = "Flags:"
	return []cli.Flag{
		&cli.BoolFlag{DisableDefaultText: true, Name: "all", Category: group, Usage: "list the sessions of every folder"},
		&cli.StringFlag{Name: "cwd", Category: group, Usage: "the sessions about this `FOLDER`"},
		&cli.StringFlag{Name: "session-dir", Category: group, Usage: "the sessions kept in this `FOLDER`"},
		&cli.StringFlag{Name: "format", Category: group, Usage: "export as `html`, md or jsonl (default: by the file's name, else html)"},
		&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Category: group, Usage: "export to this `FILE` and not to stdout"},
	}
}

func (p *program) sessionsApp() *cli.App {
	return p.app(&cli.App{
		Name:  "hoopoe sessions",
		Usage: "saved sessions",
		UsageText: `hoopoe sessions [list]                   list this folder's sessions
hoopoe sessions show ID                  print one as text
hoopoe sessions export ID [-o FILE]      write one as a web page, Markdown or JSON lines
hoopoe sessions delete ID ...            delete for good

ID is a session's id, its beginning, or its file; show and export also take words of its title.`,
		Flags:  sessionsFlags(),
		Action: p.sessions,
	})
}

// sessions carries out one of the sub-commands.
func (p *program) sessions(c *cli.Context) error {
	args := following(c)
	verb := "list"
	if len(args) > 0 {
		verb, args = args[0], args[1:]
	}
	if err := checkSessions(c, verb, args); err != nil {
		return err
	}
	_, cwd, e, err := p.subcommand(c, settings{})
	if err != nil {
		return err
	}
	s := saved{p: p, engine: e, cwd: cwd, dir: c.String("session-dir")}
	switch verb {
	case "show":
		return s.show(args[0])
	case "export":
		return s.export(args[0], c.String("format"), c.String("output"))
	case "delete":
		return s.delete(args)
	}
	return s.list(c.Bool("all"))
}

// checkSessions refuses what a sub-command can't use.
func checkSessions(c *cli.Context, verb string, args []string) error {
	takes := map[string][]string{ // flags besides cwd and session-dir
		"list": {"all"}, "show": nil, "export": {"format", "output"}, "delete": nil,
	}
	flags, ok := takes[verb]
	if !ok {
		return usagef("unknown command %q: there are list, show, export and delete", "sessions "+verb)
	}
	for _, name := range []string{"all", "format", "output"} {
		if c.IsSet(name) && !strings.Contains(" "+strings.Join(flags, " ")+" ", " "+name+" ") {
			return usagef("--%s does not go with \"sessions %s\"", name, verb)
		}
	}
	switch {
	case verb == "list" && len(args) > 0:
		return usagef("\"sessions list\" takes no argument; \"hoopoe sessions show %s\" prints one", args[0])
	case verb == "delete" && len(args) == 0:
		return usagef("\"sessions delete\" needs the ids of the sessions to delete")
	case (verb == "show" || verb == "export") && len(args) != 1:
		return usagef("\"sessions %s\" needs the id of one session", verb)
	}
	return nil
}

// saved works on the sessions of a folder.
type saved struct {
	p        *program
	engine   *engine.Engine
	cwd, dir string
}

func (s saved) list(all bool) error {
	folders, err := s.engine.SessionFolders(s.cwd, s.dir, all)
	if err != nil {
		return err
	}
	found, err := session.List(folders...)
	if err != nil {
		return err
	}
	if len(found) == 0 {
		s.p.warn("no sessions here yet; --all lists those of every folder")
		return nil
	}
	for _, one := range found {
		row := slash.Row(one, s.p.now())
		if all {
			row += "  (" + sanitize.Line(one.Cwd) + ")"
		}
		if _, err := fmt.Fprintln(s.p.stdout, row); err != nil {
			return err
		}
	}
	return nil
}

func (s saved) find(query string) (session.Summary, error) {
	path, err := s.engine.FindSession(s.cwd, s.dir, query)
	if err != nil {
		return session.Summary{}, candidates(err, s.p.now())
	}
	return session.Summarize(path)
}

// delete removes sessions for good, so words of a title are not enough to
// name one. Those that can't be deleted don't keep the others.
func (s saved) delete(queries []string) error {
	var paths []string
	for _, query := range queries {
		found, err := s.find(query)
		if err != nil {
			return err
		}
		path, _ := filepath.Abs(query)
		if !strings.HasPrefix(found.ID, query) && found.Path != path && found.Path != query {
			return usagef("%q is no id: give the id %s to delete this session", query, found.ID)
		}
		paths = append(paths, found.Path)
	}
	for _, path := range paths {
		if err := session.Delete(path, s.engine.Paths().Locks()); err != nil {
			return err
		}
		fmt.Fprintln(s.p.stdout, "deleted "+sanitize.Line(path))
	}
	return nil
}
