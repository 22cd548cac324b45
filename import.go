package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/hoopoe-agent/hoopoe/engine"
	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
	"github.com/hoopoe-agent/hoopoe/engine/session"
	"github.com/hoopoe-agent/hoopoe/engine/session/foreign"
)

func importFlags() []cli.Flag {
	const group = "Flags:"
	return []cli.Flag{
		&cli.BoolFlag{DisableDefaultText: true, Name: "all", Category: group, Usage: "the sessions about every folder"},
		&cli.StringFlag{Name: "cwd", Category: group, Usage: "the sessions about this `FOLDER`; for a file, the folder that it shall be about"},
		&cli.StringFlag{Name: "session-dir", Category: group, Usage: "keep the new sessions in this `FOLDER`"},
	}
}

func (p *program) importApp() *cli.App {
	return p.app(&cli.App{
		Name:  "hoopoe import",
		Usage: "take over sessions of other agents",
		UsageText: `hoopoe import                            list what there is to take over
hoopoe import claude|codex|pi|omp        take over the sessions about this folder
hoopoe import FILE ...                   take over these files

Nothing of the other agent's is changed. What is here already isn't taken twice.`,
		Flags:  importFlags(),
		Action: p.importSessions,
	})
}

// importing takes sessions over.
type importing struct {
	p      *program
	engine *engine.Engine
	cwd    string // the folder that --cwd names, else the working directory
	chosen bool   // by --cwd
	all    bool
	dir    string
	// known are the files that sessions of ours were made from.
	known map[string]bool
}

func (p *program) importSessions(c *cli.Context) error {
	args, cwd, e, err := p.subcommand(c, settings{})
	if err != nil {
		return err
	}
	i := importing{p: p, engine: e, cwd: cwd, chosen: c.IsSet("cwd"), all: c.Bool("all"), dir: c.String("session-dir")}
	if err := i.recall(); err != nil {
		return err
	}
	if len(args) == 0 {
		return i.list()
	}
	for _, arg := range args {
		if err := i.take(arg); err != nil {
			if _, usage := errors.AsType[usageError](err); usage {
				return err
			}
			p.report(err)
			p.exit = 1
		}
	}
	return nil
}

// recall notes which files were taken over before.
func (i *importing) recall() error {
	i.known = map[string]bool{}
	folders, err := i.engine.SessionFolders(i.cwd, i.dir, true)
	if err != nil {
		return err
	}
	saved, err := session.List(folders...)
	if err != nil {
		return err
	}
	for _, s := range saved {
		if filepath.IsAbs(s.ParentSession) {
			i.known[s.ParentSession] = true
		}
	}
	return nil
}

func (i *importing) places() []foreign.Place {
	return foreign.Places(i.engine.Paths().Home, i.p.getenv)
}

// wanted are the files of a place about the folder, and how many of them are
// here already.
func (i *importing) wanted(place foreign.Place) (files []foreign.File, known int) {
	for _, f := range place.Files() {
		if !i.all && !sameFolder(foreign.Cwd(f.Path), i.cwd) {
			continue
		}
		if i.known[f.Path] {
			known++
			continue
		}
		files = append(files, f)
	}
	return files, known
}

func sameFolder(a, b string) bool {
	if a == "" || a == b {
		return a != ""
	}
	x, err1 := os.Stat(a)
	y, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(x, y)
}

func (i *importing) list() error {
	about := "about this folder"
	if i.all {
		about = "in all"
	}
	for _, place := range i.places() {
		files, known := i.wanted(place)
		if len(files)+known == 0 {
			continue
		}
		row := fmt.Sprintf("%-12s %4d %s", place.Program, len(files)+known, about)
		if known > 0 {
			row += fmt.Sprintf(", %d of them here already", known)
		}
		fmt.Fprintf(i.p.stdout, "%s  %s\n", row, sanitize.Line(place.Dir))
	}
	return nil
}

// take takes over a file, or what a program has about the folder.
func (i *importing) take(arg string) error {
	programs := map[string]string{"claude": "Claude Code", "codex": "Codex", "pi": "pi", "omp": "oh-my-pi"}
	name, program := programs[strings.ToLower(arg)]
	if !program {
		info, err := os.Stat(arg)
		if err != nil || info.IsDir() {
			return usagef("%q is neither a session's file nor one of claude, codex, pi and omp", arg)
		}
		path, err := filepath.Abs(arg)
		if err != nil {
			return err
		}
		return i.file(path)
	}
	for _, place := range i.places() {
		if place.Program != name {
			continue
		}
		files, known := i.wanted(place)
		if len(files) == 0 {
			i.p.warn(fmt.Sprintf("%s has no session to take over here (%d are here already); --all takes those about every folder", name, known))
		}
		var failed error
		for _, f := range files {
			if err := i.file(f.Path); err != nil {
				failed = errors.Join(failed, err)
			}
		}
		return failed
	}
	return nil
}

func (i *importing) file(path string) error {
	cwd := foreign.Cwd(path)
	if i.chosen && !i.all || cwd == "" {
		cwd = i.cwd
	}
	folders, err := i.engine.SessionFolders(cwd, i.dir, false)
	if err != nil {
		return err
	}
	doc, report, err := foreign.Read(path, session.Options{
		Cwd: cwd, Dir: folders[0], Locks: i.engine.Paths().Locks(), Now: i.p.now, ParentSession: path,
	})
	if err != nil {
		return err
	}
	id := doc.ID()
	if err := doc.Close(); err != nil {
		return err
	}
	fmt.Fprintf(i.p.stdout, "%s  %d messages  %s\n", id, report.Messages, sanitize.Line(path))
	for _, line := range report.Lines() {
		fmt.Fprintln(i.p.stdout, "    left out: "+sanitize.Line(line))
	}
	return nil
}
