package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
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
	ctx    context.Context // ended by a signal
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
	ctx, stop := withSignals(c.Context, os.Exit)
	defer stop()
	args, cwd, e, err := p.subcommand(c, settings{})
	if err != nil {
		return err
	}
	i := importing{ctx: ctx, p: p, engine: e, cwd: cwd, chosen: c.IsSet("cwd"), all: c.Bool("all"), dir: c.String("session-dir")}
	if err := i.recall(); err != nil {
		return err
	}
	if len(args) == 0 {
		return i.list()
	}
	for _, arg := range args {
		if err := i.take(arg); err != nil {
			if _, usage := errors.AsType[usageError](err); usage || context.Cause(ctx) != nil {
				return err
			}
			i.failed(err)
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
			i.known[real(s.ParentSession)] = true
		}
	}
	return nil
}

// real is a path as it is known, whatever links lead there.
func real(path string) string {
	if to, err := filepath.EvalSymlinks(path); err == nil {
		return to
	}
	return path
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
		if i.known[real(f.Path)] {
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
	any, about := false, "about this folder"
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
		any = true
	}
	switch {
	case any:
	case i.all:
		i.p.warn("no other agent has a session")
	default:
		i.p.warn("no other agent has a session about this folder; --all looks for those about every folder, --cwd for those about another one")
	}
	return nil
}

// take takes over a file, or what a program has about the folder.
func (i *importing) take(arg string) error {
	programs := map[string]string{"claude": "Claude Code", "codex": "Codex", "pi": "pi", "omp": "oh-my-pi"}
	name, program := programs[strings.ToLower(arg)]
	if !program {
		info, err := os.Stat(arg)
		if err != nil || !info.Mode().IsRegular() {
			return usagef("%q is neither a session's file nor one of claude, codex, pi and omp", arg)
		}
		path, err := filepath.Abs(arg)
		if err != nil {
			return err
		}
		if path = real(path); i.known[path] {
			i.p.warn(path + " is here already")
			return nil
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
		for _, f := range files {
			if err := i.file(real(f.Path)); err != nil {
				i.failed(err)
			}
		}
	}
	return context.Cause(i.ctx)
}

// failed tells of a file that can't be taken over; the others can.
func (i *importing) failed(err error) {
	if context.Cause(i.ctx) == nil {
		i.p.report(err)
		i.p.exit = 1
	}
}

// file takes one over. The new session appears when it is whole: half of one
// would pass for all of it the next time.
func (i *importing) file(path string) error {
	if err := context.Cause(i.ctx); err != nil {
		return err
	}
	cwd := foreign.Cwd(path)
	if i.chosen && !i.all || cwd == "" {
		cwd = i.cwd
	}
	folders, err := i.engine.SessionFolders(cwd, i.dir, false)
	if err != nil {
		return err
	}
	part := filepath.Join(folders[0], fmt.Sprintf("import-%d.part", os.Getpid()))
	defer os.Remove(part)
	doc, report, err := foreign.Read(path, session.Options{
		Cwd: cwd, Path: part, Locks: i.engine.Paths().Locks(), Now: i.p.now, ParentSession: path,
	})
	if err != nil {
		return err
	}
	id := doc.ID()
	whole := filepath.Join(folders[0], session.FileName(doc.Header().Timestamp, id))
	if err := doc.Close(); err != nil {
		return err
	}
	switch err := os.Rename(part, whole); {
	case errors.Is(err, fs.ErrNotExist): // no message has made the file
		return fmt.Errorf("read session %s: nothing was said in it", path)
	case err != nil:
		return fmt.Errorf("put the new session in its place: %w", err)
	}
	i.known[path] = true
	fmt.Fprintf(i.p.stdout, "%s  %d messages  %s\n", id, report.Messages, sanitize.Line(path))
	for _, line := range report.Lines() {
		fmt.Fprintln(i.p.stdout, "    left out: "+sanitize.Line(line))
	}
	return nil
}
