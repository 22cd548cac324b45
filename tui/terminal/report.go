package terminal

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Row is one line of the doctor's report.
type Row struct {
	Name  string
	State Answer // Yes: as it should be
	Text  string // what was found, in words
	Hint  string // what to do about it; "" if nothing
}

// Report tells what the terminal can do, and what helps where it can't.
func (p Profile) Report() []Row {
	rows := []Row{p.place(), p.keys(), p.enter()}
	rows = append(rows,
		row("colours", p.TrueColor, "16 million", "256 or 16",
			cmp.Or(p.tmuxHint("set -sa terminal-features ',*:RGB', if the terminal has more"), "set COLORTERM=truecolor if the terminal has more")),
		row("mouse", p.Mouse, "reported everywhere", "not in wide windows", ""),
		p.clipboard(),
		p.pictures(),
		row("links", p.Links, "lead to their address (OSC 8)", "not known to the terminal: addresses are written out",
			p.tmuxHint("set -sa terminal-features ',*:hyperlinks', if the terminal has them (tmux 3.4)")),
		row("redraw", p.Sync, "synchronised (mode 2026)", "not synchronised", ""),
		row("focus", p.Focus, "reported (mode 1004)", "not reported: notices come in the front too", p.tmuxHint("set -g focus-events on")),
		row("dark and light", p.Scheme, "changes are reported (mode 2031)", "found at the start only", ""),
		p.measures(),
		p.direction(),
	)
	return rows
}

func row(name string, state Answer, yes, no, hint string) Row {
	switch state {
	case Yes:
		return Row{name, Yes, yes, ""}
	case No:
		return Row{name, No, no, hint}
	}
	return Row{name, Unknown, "not known", ""}
}

func (p Profile) tmuxHint(setting string) string {
	if p.Multiplexer != "tmux" {
		return ""
	}
	return "tmux: " + setting
}

func (p Profile) place() Row {
	parts := []string{strings.TrimSpace(p.Terminal + " " + p.Version)}
	if parts[0] == "" {
		parts[0] = "unknown"
	}
	if p.Term != "" {
		parts = append(parts, "TERM="+p.Term)
	}
	if p.Multiplexer != "" {
		parts = append(parts, "in "+p.Multiplexer)
	}
	if p.Remote {
		parts = append(parts, "over ssh")
	}
	r := Row{Name: "terminal", State: answer(!p.Asked.IsZero()), Text: strings.Join(parts, ", ")}
	if r.State == No {
		r.State, r.Text = Unknown, r.Text+" (a guess: it wasn't asked)"
	}
	return r
}

func (p Profile) keys() Row {
	switch {
	case p.Keys == Kitty:
		return Row{"keys", Yes, "all told apart (kitty protocol)", ""}
	case p.Keys == ModifyOtherKeys:
		return Row{"keys", Yes, "told apart (modifyOtherKeys)", ""}
	case p.Asked.IsZero():
		return Row{"keys", Unknown, "not known", ""}
	}
	return Row{"keys", No, "some look alike, such as Ctrl+I and Tab", p.tmuxHint("set -g extended-keys on")}
}

func (p Profile) enter() Row {
	switch {
	case p.ShiftEnter():
		return Row{"Shift+Enter", Yes, "begins a new line", ""}
	case p.Asked.IsZero():
		return Row{"Shift+Enter", Unknown, "not known", "Ctrl+J begins a new line everywhere"}
	}
	return Row{"Shift+Enter", No, "is the same as Enter", "Ctrl+J, or \\ and Enter, begin a new line"}
}

func (p Profile) clipboard() Row {
	r := row("copy", p.Clipboard, "into the clipboard of this machine (OSC 52)", "not through the terminal (OSC 52)", "")
	switch {
	case p.Multiplexer == "tmux":
		r.Hint = "tmux: set -g set-clipboard on, and set -g allow-passthrough on"
	case p.Clipboard == No && p.Remote:
		r.Hint = "text that is copied stays on the other machine; select with the mouse and Shift"
	case p.Terminal == "iterm2" && p.Clipboard != Yes:
		r.Hint = "allow it in the settings: General, Selection, applications may access the clipboard"
	}
	return r
}

func (p Profile) pictures() Row {
	if p.Images != "" {
		return Row{"images", Yes, "shown (" + p.Images + ")", ""}
	}
	if p.Asked.IsZero() {
		return Row{"images", Unknown, "not known", ""}
	}
	return Row{"images", No, "a line in their place", ""}
}

func (p Profile) measures() Row {
	const name = "widths"
	if len(p.Widths) == 0 {
		return Row{name, Unknown, "not measured", ""}
	}
	method, text := p.Method(), "by grapheme clusters"
	if method == ansi.WcWidth {
		text = "by single characters"
	}
	misfits := p.Misfits(method)
	if len(misfits) == 0 {
		return Row{name, Yes, text, ""}
	}
	return Row{name, No, fmt.Sprintf("%s; others: %s", text, strings.Join(misfits, ", ")), "rows with these may be a column off"}
}

func (p Profile) direction() Row {
	switch p.Bidi {
	case Yes:
		return Row{"right to left", Yes, "ordered by the terminal", ""}
	case No:
		return Row{"right to left", Yes, "ordered by Hoopoe", ""}
	}
	return Row{"right to left", Unknown, "not known whether the terminal orders it: Hoopoe does", ""}
}
