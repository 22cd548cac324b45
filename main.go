// Hoopoe is a coding agent for the terminal.
//
//	argv ─▶ normalise ─▶ cli flags ─▶ settings ─▶ engine.Open ─▶ tui.Run or modes/*
//
// This package puts the parts together and decides nothing else: which face a
// command line asks for, what it works on, and the exit code.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/urfave/cli/v2"

	"github.com/hoopoe-agent/hoopoe/engine/ext/js"
	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
)

// Exit codes. After a signal it is 128 and the signal's number.
const (
	exitFailed = 1
	exitUsage  = 2
)

func main() {
	holdCollector(debug.SetGCPercent)
	p := &program{
		name: os.Args[0], stdin: os.Stdin, stdout: &output{file: os.Stdout}, stderr: os.Stderr,
		terminals: terminals{term.IsTerminal(os.Stdin.Fd()), term.IsTerminal(os.Stdout.Fd()), term.IsTerminal(os.Stderr.Fd())},
		environ:   os.Environ(), now: time.Now,
	}
	// Whatever a library prints must not get among the answer or the events.
	os.Stdout = os.Stderr
	log.SetOutput(io.Discard)
	os.Exit(p.run(context.Background(), os.Args[1:]))
}

// program is the process's surroundings.
type program struct {
	name      string // that it was called by
	stdin     *os.File
	stdout    *output
	stderr    *os.File
	terminals terminals
	environ   []string
	now       func() time.Time

	exit    int         // of the chat, which decides its own
	screen  bool        // the chat has it: nothing may be written beside it
	modules *js.Modules // set with the engine
}

// run carries out a command line and returns the exit code.
func (p *program) run(ctx context.Context, args []string) int {
	if len(args) > 0 && args[0] == completing {
		return exitCode(p.complete(args[1:]))
	}
	err := p.carryOut(ctx, args)
	if err == nil {
		err = p.stdout.failure()
	}
	if err != nil {
		p.report(err)
		return exitCode(err)
	}
	return p.exit
}

// carryOut has the face or the sub-command that the line asks for do its work.
func (p *program) carryOut(ctx context.Context, args []string) error {
	app := p.chatApp()
	line, _ := normalise(args, tableOf(allFlags()), withValue)
	rpc := line.rpc()
	if command, ok := subcommandOf(line.command()); ok {
		app = command.app(p)
	} else if rpc {
		app.Flags = append(app.Flags, hostFlags()...)
	}
	editor := line.command() == "acp"
	line, err := normalise(args, tableOf(app.Flags), p.strays(line))
	if err == nil {
		err = app.RunContext(ctx, line.argv(app.Name))
	}
	if _, usage := errors.AsType[usageError](err); editor && usage {
		err = startError{err}
	}
	return err
}

// chatApp is the chat and print.
func (p *program) chatApp() *cli.App {
	return p.app(&cli.App{
		Name:  "hoopoe",
		Usage: "a coding agent for the terminal",
		UsageText: `hoopoe [flags] ["text"] [@file ...]     chat about this folder; the text is the first message
hoopoe -p [flags] "text" [@file ...]    do one task and print the answer
... | hoopoe -p "text"                  the same, with stdin to work on
hoopoe --mode rpc [flags]               serve another program on stdin and stdout
hoopoe --remote [HOST:PORT] [flags]     serve clients and browsers over a WebSocket
hoopoe acp [PATH]                       serve an editor; PATH is an agent's file
hoopoe sessions                         list, show, export and delete saved sessions
hoopoe import                           take over sessions of other agents
hoopoe models [search]                  list the models, what they cost and what they need
hoopoe extension                        write, check and list extensions
hoopoe login [provider]                 save a provider's key; logout forgets it
hoopoe theme                            list themes; also check them and begin one of your own
hoopoe config                           where the files are, what holds, and what is wrong with them
hoopoe doctor                           tell what works here, and what this terminal can do
hoopoe completion SHELL                 print what completes these words and flags in a shell`,
		Flags:  chatFlags(),
		Action: p.start,
	})
}

func (p *program) app(app *cli.App) *cli.App {
	app.HideHelpCommand, app.HideVersion = true, true
	app.CustomAppHelpTemplate = helpTemplate
	app.Writer, app.ErrWriter = p.stdout, p.stderr
	app.ExitErrHandler = func(*cli.Context, error) {}
	app.OnUsageError = func(_ *cli.Context, err error, _ bool) error { return usagef("%v", err) }
	return app
}

// helpTemplate shows how to call the program, then the flags by group.
const helpTemplate = `{{.Name}}: {{.Usage}}

{{.UsageText}}
{{range .VisibleFlagCategories}}
{{if .Name}}{{.Name}}
{{end}}{{range .Flags}}   {{.}}
{{end}}{{end}}`

// start opens the face that the flags ask for.
func (p *program) start(c *cli.Context) error {
	s, err := readSettings(c)
	if err != nil {
		return err
	}
	if s.version {
		_, err := fmt.Fprintln(p.stdout, version())
		return err
	}
	words, literals := arguments(c.Args().Slice())
	f, err := chooseFace(s, words, literals, p.terminals)
	switch {
	case err != nil:
		return err
	case f == printFace:
		return p.print(c.Context, s, words, literals)
	case f == rpcFace:
		return p.rpc(c.Context, s, words)
	case f == remoteFace:
		return p.remote(c.Context, s)
	}
	return p.chat(c.Context, s, words, literals)
}

// report says on stderr what went wrong. Signals need no words, and where
// nobody reads the answer nobody reads an excuse.
func (p *program) report(err error) {
	if _, ok := errors.AsType[signalError](err); ok || errors.Is(err, syscall.EPIPE) {
		return
	}
	p.warn(err.Error())
}

// warn writes a line for people.
func (p *program) warn(text string) { fmt.Fprintln(p.stderr, "hoopoe: "+sanitize.Text(text)) }

func exitCode(err error) int {
	if s, ok := errors.AsType[signalError](err); ok {
		return s.exitCode()
	}
	if _, ok := errors.AsType[usageError](err); ok {
		return exitUsage
	}
	if err != nil {
		return exitFailed
	}
	return 0
}
