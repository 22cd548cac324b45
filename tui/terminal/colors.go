package terminal

import (
	"context"
	"os/exec"
	"slices"
	"strings"

	"github.com/charmbracelet/colorprofile"
)

// Colors decides how many colours the terminal gets, for all that draws: by
// what the user wants (NO_COLOR, FORCE_COLOR, CLICOLOR_FORCE, CLICOLOR), what is
// known of the terminal, and what its kind (TERM) has.
func (p Profile) Colors(environ []string) colorprofile.Profile {
	env := variables(environ)
	if env["NO_COLOR"] != "" {
		return colorprofile.ASCII
	}
	least := colorprofile.NoTTY
	switch force, set := env["FORCE_COLOR"]; {
	case !set:
	case force == "0" || force == "false":
		return colorprofile.ASCII
	case force == "2":
		return colorprofile.ANSI256
	case force == "3":
		return colorprofile.TrueColor
	default:
		least = colorprofile.ANSI
	}
	switch {
	case env["CLICOLOR_FORCE"] != "" && env["CLICOLOR_FORCE"] != "0":
		least = colorprofile.ANSI
	case least == colorprofile.NoTTY && env["CLICOLOR"] == "0":
		return colorprofile.ASCII
	}
	return max(p.depth(environ), least)
}

// depth is what the terminal has.
func (p Profile) depth(environ []string) colorprofile.Profile {
	few := colorprofile.ANSI
	switch {
	case p.Term == "dumb":
		return colorprofile.NoTTY
	case p.TrueColor == Yes:
		return colorprofile.TrueColor
	case p.Term == "": // Windows tells by its version; elsewhere nothing is known
		few = max(colorprofile.Env(environ), colorprofile.ASCII)
	case p.TrueColor == Unknown && (strings.HasSuffix(p.Term, "-direct") || p.Multiplexer == "" && colorprofile.Terminfo(p.Term) == colorprofile.TrueColor):
		return colorprofile.TrueColor
	case p.Multiplexer != "" || strings.Contains(p.Term, "256color"):
		few = colorprofile.ANSI256
	}
	if p.TrueColor == No {
		few = min(few, colorprofile.ANSI256)
	}
	return few
}

// AskTmux completes a profile by what tmux says of the terminal that shows it.
// Without tmux, or while nobody looks at it, the profile stays as it is. It
// takes a process of its own.
func (p Profile) AskTmux(ctx context.Context, environ []string) Profile {
	if p.Multiplexer != "tmux" || variables(environ)["TMUX"] == "" {
		return p
	}
	cmd := exec.CommandContext(ctx, "tmux", "display-message", "-p", "#{client_termfeatures}")
	cmd.Env = environ
	out, err := cmd.Output()
	if err != nil {
		return p
	}
	return p.attached(string(out))
}

// attached takes over the features of tmux's client. Those that tmux doesn't
// name it leaves out of what it passes on.
func (p Profile) attached(features string) Profile {
	list := strings.Split(strings.TrimSpace(features), ",")
	if list[0] == "" {
		return p
	}
	p.TrueColor = answer(slices.Contains(list, "RGB"))
	p.Links = answer(slices.Contains(list, "hyperlinks"))
	return p
}
