package terminal_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"

	"github.com/hoopoe-agent/hoopoe/tui/terminal"
)

// One decision serves all that draws: by the environment, and by what the
// terminal has answered.
func TestColors(t *testing.T) {
	const none, few, many, all = colorprofile.ASCII, colorprofile.ANSI, colorprofile.ANSI256, colorprofile.TrueColor
	for _, c := range []struct {
		name    string
		environ string
		told    terminal.Answer // by the terminal
		want    colorprofile.Profile
	}{
		{"sixteen", "TERM=xterm", "", few},
		{"sixteen, and more", "TERM=xterm COLORTERM=truecolor", "", all},
		{"256", "TERM=xterm-256color", "", many},
		{"all", "TERM=xterm-256color COLORTERM=truecolor", "", all},
		{"all, said otherwise", "TERM=xterm-256color COLORTERM=24bit", "", all},
		{"a word that says nothing", "TERM=xterm-256color COLORTERM=1", "", many},
		{"by its answer", "TERM=xterm-256color", terminal.Yes, all},
		{"by its answer, fewer", "TERM=xterm-256color", terminal.No, many},
		{"by its answer, sixteen", "TERM=xterm", terminal.No, few},
		{"by its kind", "TERM=xterm-kitty", "", all},
		{"by its kind, all direct", "TERM=xterm-direct", "", all},
		{"by its kind, st", "TERM=st-256color", "", all},
		{"the console", "TERM=linux", "", few},
		{"by its program", "TERM=xterm-256color TERM_PROGRAM=vscode", "", all},
		{"Apple's", "TERM=xterm-256color TERM_PROGRAM=Apple_Terminal", "", many},
		{"tmux", "TERM=tmux-256color TMUX=/tmp/t,1,0", "", many},
		{"tmux, without its TERM", "TERM=xterm-256color TMUX=/tmp/t,1,0", "", many},
		{"tmux, detached, in a terminal with all", "TERM=tmux-256color TMUX=/tmp/t,1,0 COLORTERM=truecolor", "", all},
		{"tmux, shown by a terminal with fewer", "TERM=tmux-256color TMUX=/tmp/t,1,0 COLORTERM=truecolor", terminal.No, many},
		{"tmux from another machine", "TERM=screen-256color", "", many},
		{"screen", "TERM=screen STY=1.a", "", many},
		{"screen in a terminal with all", "TERM=screen-256color STY=1.a COLORTERM=truecolor", "", many},
		{"zellij", "TERM=xterm-256color ZELLIJ=0 COLORTERM=truecolor", "", all},
		{"dumb", "TERM=dumb COLORTERM=truecolor", "", colorprofile.NoTTY},
		{"dumb, forced", "TERM=dumb CLICOLOR_FORCE=1", "", few},
		{"NO_COLOR", "TERM=xterm-kitty NO_COLOR=1", "", none},
		{"NO_COLOR with any text", "TERM=xterm-kitty NO_COLOR=no", terminal.Yes, none},
		{"NO_COLOR empty", "TERM=xterm-kitty NO_COLOR=", "", all},
		{"NO_COLOR before force", "TERM=xterm-kitty NO_COLOR=1 FORCE_COLOR=3 CLICOLOR_FORCE=1", "", none},
		{"FORCE_COLOR=0", "TERM=xterm-kitty FORCE_COLOR=0", "", none},
		{"FORCE_COLOR=1 takes none away", "TERM=xterm-256color FORCE_COLOR=1", "", many},
		{"FORCE_COLOR without a number", "TERM=dumb FORCE_COLOR=", "", few},
		{"FORCE_COLOR=2", "TERM=xterm FORCE_COLOR=2", "", many},
		{"FORCE_COLOR=3", "TERM=xterm FORCE_COLOR=3", terminal.No, all},
		{"CLICOLOR=0", "TERM=xterm-256color CLICOLOR=0", "", none},
		{"CLICOLOR=0, but forced", "TERM=xterm-256color CLICOLOR=0 CLICOLOR_FORCE=1", "", many},
		{"CLICOLOR=1", "TERM=xterm-256color CLICOLOR=1", "", many},
		{"Windows Terminal", "WT_SESSION=1", "", all},
	} {
		t.Run(c.name, func(t *testing.T) {
			environ := strings.Fields(c.environ)
			p := terminal.Guess(environ)
			if c.told != "" {
				p.TrueColor = c.told
			}
			if got := p.Colors(environ); got != c.want {
				t.Errorf("%s gets %v, want %v", c.environ, got, c.want)
			}
		})
	}
}

// tmux is asked for what its client can show; while nobody looks, nothing is
// known.
func TestAskTmux(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // there is no tmux
	}
	dir := t.TempDir()
	said := filepath.Join(dir, "said")
	if err := os.WriteFile(filepath.Join(dir, "tmux"), []byte("#!/bin/sh\n[ \"$1\" = display-message ] && read -r line <"+said+"; echo \"$line\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	for features, want := range map[string][2]terminal.Answer{
		"bpaste,RGB,title,hyperlinks": {terminal.Yes, terminal.Yes},
		"bpaste,256,title":            {terminal.No, terminal.No},
		"":                            {terminal.Yes, terminal.Unknown},
	} {
		if err := os.WriteFile(said, []byte(features+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		environ := []string{"TERM=tmux-256color", "TMUX=/tmp/t,1,0", "COLORTERM=truecolor"}
		p := terminal.Guess(environ).AskTmux(t.Context(), environ)
		if got := [2]terminal.Answer{p.TrueColor, p.Links}; got != want {
			t.Errorf("with the features %q: all colours %q and links %q, want %q", features, got[0], got[1], want)
		}
	}
	environ := []string{"TERM=tmux-256color"} // of another machine
	if p := terminal.Guess(environ).AskTmux(t.Context(), environ); p.Links != terminal.Unknown {
		t.Errorf("without a socket: %+v", p)
	}
}

// What tmux keeps back, its own setting lets through.
func TestTmuxHints(t *testing.T) {
	p := terminal.Guess([]string{"TERM=tmux-256color", "TMUX=/tmp/t,1,0"})
	p.TrueColor, p.Links = terminal.No, terminal.No
	for _, r := range p.Report() {
		if (r.Name == "colours" || r.Name == "links") && !strings.Contains(r.Hint, "terminal-features") {
			t.Errorf("%s: the hint is %q", r.Name, r.Hint)
		}
	}
}
