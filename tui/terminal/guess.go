package terminal

import (
	"cmp"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
)

// facts are what is known of a terminal without asking it.
type facts struct {
	images    string // it has, though it doesn't say so
	clipboard Answer // OSC 52 in the settings it comes with
	bidi      Answer // it reorders
	trueColor bool
	links     Answer // OSC 8
	progress  Answer // OSC 9;4
}

// known lists terminals by the name that named gives them.
func known() map[string]facts {
	return map[string]facts{
		"kitty":            {images: Kitty, clipboard: Yes, bidi: No, trueColor: true, links: Yes, progress: No},
		"ghostty":          {images: Kitty, clipboard: Yes, bidi: No, trueColor: true, links: Yes, progress: Yes},
		"wezterm":          {images: ITerm2, clipboard: Yes, bidi: No, trueColor: true, links: Yes, progress: Yes},
		"iterm2":           {images: ITerm2, bidi: No, trueColor: true, links: Yes, progress: Yes}, // OSC 52 is a setting
		"apple-terminal":   {clipboard: No, bidi: Yes, links: No, progress: No},
		"mintty":           {images: ITerm2, bidi: Yes, trueColor: true, links: Yes, progress: Yes},
		"konsole":          {bidi: Yes, trueColor: true, links: Yes},
		"vte":              {bidi: Yes, trueColor: true, links: Yes},
		"mlterm":           {bidi: Yes, trueColor: true, links: No},
		"alacritty":        {clipboard: Yes, bidi: No, trueColor: true, links: Yes, progress: No},
		"foot":             {clipboard: Yes, bidi: No, trueColor: true, links: Yes, progress: No},
		"contour":          {clipboard: Yes, bidi: No, trueColor: true, links: Yes},
		"rio":              {clipboard: Yes, bidi: No, trueColor: true, links: Yes},
		"warp":             {bidi: No, trueColor: true},
		"vscode":           {clipboard: Yes, bidi: No, trueColor: true, links: Yes, progress: Yes},
		"xterm.js":         {bidi: No, trueColor: true, links: Yes, progress: Yes},
		"windows-terminal": {clipboard: Yes, bidi: No, trueColor: true, links: Yes, progress: Yes},
		"xterm":            {bidi: No, links: No, progress: No},
		"st":               {bidi: No, trueColor: true, links: No, progress: No},
		"linux":            {clipboard: No, bidi: No, links: No, progress: No},
	}
}

// named maps what terminals call themselves, in lower case.
func named(name string) string {
	name = strings.ToLower(name)
	for _, alias := range [][2]string{
		{"iterm", "iterm2"}, {"apple_terminal", "apple-terminal"}, {"warpterminal", "warp"}, {"windows terminal", "windows-terminal"},
		{"xterm-kitty", "kitty"}, {"xterm-ghostty", "ghostty"}, {"foot", "foot"}, {"alacritty", "alacritty"}, {"contour", "contour"},
		{"rio", "rio"}, {"mlterm", "mlterm"}, {"linux", "linux"}, {"jetbrains", "jediterm"}, {"st-", "st"},
	} {
		if strings.HasPrefix(name, alias[0]) {
			return alias[1]
		}
	}
	return name
}

// Guess tells from the environment, as of os.Environ, what terminal this is.
// It asks nothing.
func Guess(environ []string) Profile {
	env := variables(environ)
	has := func(name string) bool { return env[name] != "" }
	p := Profile{Term: env["TERM"], Remote: has("SSH_TTY") || has("SSH_CONNECTION")}
	program := env["TERM_PROGRAM"]
	switch {
	case has("ZELLIJ"):
		p.Multiplexer = "zellij"
	case has("TMUX") || strings.HasPrefix(p.Term, "tmux"):
		p.Multiplexer = "tmux"
	case has("STY") || strings.HasPrefix(p.Term, "screen"):
		p.Multiplexer = "screen"
	}
	if program == "tmux" { // the variable is the multiplexer's, not the terminal's
		program = ""
	}
	switch {
	case program != "":
		p.Terminal, p.Version = named(program), env["TERM_PROGRAM_VERSION"]
	case has("KITTY_WINDOW_ID"):
		p.Terminal = "kitty"
	case has("GHOSTTY_RESOURCES_DIR"):
		p.Terminal = "ghostty"
	case has("WEZTERM_PANE"):
		p.Terminal = "wezterm"
	case has("WT_SESSION"):
		p.Terminal = "windows-terminal"
	case has("KONSOLE_VERSION"):
		p.Terminal, p.Version = "konsole", env["KONSOLE_VERSION"]
	case has("VTE_VERSION"):
		p.Terminal, p.Version = "vte", env["VTE_VERSION"]
	case has("ALACRITTY_WINDOW_ID"):
		p.Terminal = "alacritty"
	case has("XTERM_VERSION"):
		p.Terminal = "xterm"
	case has("LC_TERMINAL"): // ssh lets it through
		p.Terminal, p.Version = named(env["LC_TERMINAL"]), env["LC_TERMINAL_VERSION"]
	case has("TERMINAL_EMULATOR"):
		p.Terminal = named(env["TERMINAL_EMULATOR"])
	case p.Multiplexer == "" && !strings.HasPrefix(p.Term, "xterm"): // everyone calls itself xterm
		p.Terminal = named(p.Term)
	case p.Multiplexer == "" && p.Term != "xterm-256color" && p.Term != "xterm":
		p.Terminal = named(p.Term)
	}
	p.learn()
	switch color := env["COLORTERM"]; {
	case p.Multiplexer == "screen": // the variable is the terminal's around it, which doesn't get them
		p.TrueColor = No
	case color == "truecolor" || color == "24bit":
		p.TrueColor = Yes
	}
	return p.cleaned()
}

// variables are the environment's; the last of a name counts.
func variables(environ []string) map[string]string {
	env := make(map[string]string, len(environ))
	for _, kv := range environ {
		name, value, _ := strings.Cut(kv, "=")
		env[name] = value
	}
	return env
}

// learn fills in what is known of a terminal of this name and wasn't told.
func (p *Profile) learn() {
	f := known()[p.Terminal]
	p.Bidi = cmp.Or(p.Bidi, f.bidi)
	if f.trueColor && p.TrueColor == Unknown {
		p.TrueColor = Yes
	}
	if p.Multiplexer == "" { // else it decides these
		p.Images = cmp.Or(p.Images, f.images)
		p.Clipboard = cmp.Or(p.Clipboard, f.clipboard)
		p.Links = cmp.Or(p.Links, f.links)
	}
}

// cleaned bounds and sanitises the texts of a profile: they come from the
// environment, the terminal or a file, and are shown.
func (p Profile) cleaned() Profile {
	for _, text := range []*string{&p.Terminal, &p.Version, &p.Term} {
		*text = sanitize.Line(*text)
		if len(*text) > 64 {
			*text = strings.ToValidUTF8((*text)[:64], "")
		}
	}
	return p
}
