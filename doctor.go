package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/urfave/cli/v2"

	"github.com/hoopoe-agent/hoopoe/tui/terminal"
)

// terminalWait bounds how long the terminal's answers are waited for.
const terminalWait = 2 * time.Second

func doctorFlags() []cli.Flag {
	return append(offlineFlag("open no connection: ask no local server"),
		&cli.BoolFlag{DisableDefaultText: true, Name: "json", Category: "Flags:", Usage: "print it as one JSON object"})
}

func (p *program) doctorApp() *cli.App {
	return p.app(&cli.App{
		Name:  "hoopoe doctor",
		Usage: "what works here, and what this terminal can do",
		UsageText: `hoopoe doctor                            tell about the terminal, files, keys and servers, and what helps

The terminal is asked; its answers are kept, and the chat goes by them from its next start on.
Keys are looked for and never shown.`,
		Flags:  doctorFlags(),
		Action: p.doctor,
	})
}

// doctor asks the terminal, keeps what it answers and tells it with the rest.
// Without a terminal it tells what the environment lets guess.
func (p *program) doctor(c *cli.Context) error {
	ctx, stop := withSignals(c.Context, os.Exit)
	defer stop()
	if len(following(c)) > 0 {
		return usagef(`"doctor" takes nothing more; a text for the model goes after -p`)
	}
	_, cwd, e, err := p.subcommand(c, settings{offline: c.Bool("offline")})
	if err != nil {
		return err
	}
	profile := terminal.Guess(p.environ)
	if p.terminals.in && p.terminals.out {
		if profile, err = p.askTerminal(ctx, profile, terminalsFolder(e.Paths().State)); err != nil {
			p.warn(err.Error())
		}
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	found := p.examine(ctx, e, cwd, profile.Report())
	if c.Bool("json") {
		out := json.NewEncoder(p.stdout)
		out.SetEscapeHTML(false)
		out.SetIndent("", "  ")
		return out.Encode(found)
	}
	_, err = io.WriteString(p.stdout, found.text())
	return err
}

// terminalsFolder is where the answers of terminals are kept, "" for nowhere.
func terminalsFolder(state string) string {
	if state == "" {
		return ""
	}
	return filepath.Join(state, "terminals")
}

// askTerminal asks in raw mode and keeps the answers. The profile can be used
// beside an error too.
func (p *program) askTerminal(ctx context.Context, guess terminal.Profile, dir string) (terminal.Profile, error) {
	fd := p.stdin.Fd()
	cooked, err := term.MakeRaw(fd)
	if err != nil {
		return guess, fmt.Errorf("ask the terminal: %w", err)
	}
	waiting, cancel := context.WithTimeout(ctx, terminalWait)
	defer cancel()
	profile, _, err := terminal.Ask(waiting, newKeyboard(p.stdin), p.stdout, guess, p.now)
	profile = profile.AskTmux(waiting, p.environ)
	if err = errors.Join(err, term.Restore(fd, cooked)); err != nil || dir == "" {
		return profile, err
	}
	return profile, profile.Save(dir, guess)
}

// keyboard is a file whose reader can be left alone with it: the process ends
// soon after.
type keyboard struct{ *io.PipeReader }

func newKeyboard(f io.Reader) keyboard {
	r, w := io.Pipe()
	go func() {
		_, err := io.Copy(w, f)
		w.CloseWithError(err)
	}()
	return keyboard{r}
}

// Cancel implements terminal.Input.
func (k keyboard) Cancel() bool { return k.Close() == nil }
