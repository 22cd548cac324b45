package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/urfave/cli/v2"

	"github.com/hoopoe-agent/hoopoe/tui/terminal"
)

// terminalWait bounds how long the terminal's answers are waited for.
const terminalWait = 2 * time.Second

func (p *program) doctorApp() *cli.App {
	return p.app(&cli.App{
		Name:  "hoopoe doctor",
		Usage: "what this terminal can do",
		UsageText: `hoopoe doctor                            ask the terminal, tell what it can do and what helps

The answers are kept by terminal; the chat goes by them from its next start on.`,
		Action: p.doctor,
	})
}

// doctor asks the terminal, keeps what it answers and tells it. Without a
// terminal it tells what the environment lets guess.
func (p *program) doctor(c *cli.Context) error {
	ctx, stop := withSignals(c.Context, os.Exit)
	defer stop()
	if words, literals := arguments(c.Args().Slice()); len(words)+len(literals) > 1 {
		return usagef(`"doctor" takes nothing more; a text for the model goes after -p`)
	}
	cwd, err := workFolder("")
	if err != nil {
		return err
	}
	e, notices := p.newEngine(cwd, settings{offline: true})
	for _, n := range notices {
		p.warn(n)
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
	_, err = io.WriteString(p.stdout, doctorText(profile.Report()))
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

// doctorText is the report as text: a mark, what it is about and what was
// found, and below it what helps.
func doctorText(rows []terminal.Row) string {
	var b strings.Builder
	for _, r := range rows {
		mark := map[terminal.Answer]string{terminal.Yes: "+", terminal.No: "-", terminal.Unknown: "?"}[r.State]
		fmt.Fprintf(&b, "%s %-14s  %s\n", mark, r.Name, r.Text)
		if r.Hint != "" {
			fmt.Fprintf(&b, "  %14s  → %s\n", "", r.Hint)
		}
	}
	return b.String()
}
