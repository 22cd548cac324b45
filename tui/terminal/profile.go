// Package terminal finds out what the terminal can do.
//
//	environment ──▶ Guess ──▶ Profile ──▶ Load: what was measured here before
//	                             │
//	                 Queries ──▶ terminal ──▶ Replies ──▶ Profile ──▶ Save
//	                                                         │
//	                              features and Report ◀──────┘
//
// The start of the chat only guesses and loads: nothing is waited for. The
// doctor asks (Ask) and saves the answers, by terminal, for the starts to
// come. Of the terminal's answers everything is hostile: they are bounded and
// sanitised, and what is no answer is given back as the user's keys.
package terminal

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
)

// Answer is whether the terminal can do something.
type Answer string

const (
	Unknown Answer = ""
	No      Answer = "no"
	Yes     Answer = "yes"
)

// answer is what is known for sure.
func answer(yes bool) Answer {
	if yes {
		return Yes
	}
	return No
}

// Ways to draw images, and to tell keys apart.
const (
	Kitty           = "kitty"
	ITerm2          = "iterm2"
	Sixel           = "sixel"
	ModifyOtherKeys = "modifyOtherKeys"
)

// Profile is what is known of a terminal.
type Profile struct {
	Terminal    string `json:"terminal"`              // kitty, iterm2, vte ...; "" if nothing tells
	Version     string `json:"version,omitempty"`     // as the terminal says it
	Multiplexer string `json:"multiplexer,omitempty"` // tmux, zellij, screen or ""
	Remote      bool   `json:"remote,omitempty"`      // behind ssh
	Term        string `json:"term,omitempty"`        // $TERM

	Keys      string `json:"keys,omitempty"`      // Kitty, ModifyOtherKeys or "": keys aren't told apart
	Images    string `json:"images,omitempty"`    // Kitty, ITerm2, Sixel or ""
	TrueColor Answer `json:"trueColor,omitempty"` // 24-bit colours
	Mouse     Answer `json:"mouse,omitempty"`     // mouse reports beyond column 223 (mode 1006)
	Clipboard Answer `json:"clipboard,omitempty"` // OSC 52 copies
	Sync      Answer `json:"sync,omitempty"`      // synchronised output (mode 2026)
	Focus     Answer `json:"focus,omitempty"`     // tells when the window has the focus (mode 1004)
	Graphemes Answer `json:"graphemes,omitempty"` // measures grapheme clusters (mode 2027)
	Scheme    Answer `json:"scheme,omitempty"`    // tells when dark becomes light (mode 2031)
	Bidi      Answer `json:"bidi,omitempty"`      // reorders right-to-left text by itself
	Links     Answer `json:"links,omitempty"`     // text that leads to an address (OSC 8)

	// Widths are the columns that the cursor moved over a sample, by its name.
	Widths map[string]int `json:"widths,omitempty"`
	// Asked is when the terminal answered; zero for a guess.
	Asked time.Time `json:"asked,omitzero"`
}

// Inline reports whether the chat belongs into the normal screen: Zellij has
// its own ways to scroll and search.
func (p Profile) Inline() bool { return p.Multiplexer == "zellij" }

// ShiftEnter reports whether Shift+Enter can be told from Enter.
func (p Profile) ShiftEnter() bool { return p.Keys != "" }

// PlainLinks reports whether addresses must be written out: elsewhere the
// reader of a link wouldn't see where it leads.
func (p Profile) PlainLinks() bool { return p.Links != Yes }

// Progress is whether the terminal shows progress (OSC 9;4). Some take the
// sequence for a notice to the user.
func (p Profile) Progress() Answer { return known()[p.Terminal].progress }

// Method is how the terminal measures text: by the samples where it was asked,
// else by grapheme clusters, as most do today.
func (p Profile) Method() ansi.Method {
	if p.Graphemes == Yes || len(p.Widths) == 0 {
		return ansi.GraphemeWidth
	}
	if len(p.Misfits(ansi.WcWidth)) < len(p.Misfits(ansi.GraphemeWidth)) {
		return ansi.WcWidth
	}
	return ansi.GraphemeWidth
}

// Clusters reports whether emoji are known to take the columns of their grapheme
// clusters.
func (p Profile) Clusters() bool {
	misfits := p.Misfits(ansi.GraphemeWidth)
	return p.Graphemes == Yes || len(p.Widths) > 0 && !slices.ContainsFunc(misfits, func(name string) bool {
		return slices.Contains([]string{"emoji", "skin tone", "heart", "keycap", "flag", "family"}, name)
	})
}

// Misfits names the samples that take other columns than a method says.
func (p Profile) Misfits(m ansi.Method) []string {
	var names []string
	for _, s := range Samples() {
		if got, ok := p.Widths[s.Name]; ok && got != m.StringWidth(s.Text) {
			names = append(names, s.Name)
		}
	}
	return names
}

// Wrap makes a sequence that the outer terminal is meant to have pass through
// a multiplexer. tmux lets it pass only where its allow-passthrough is on, so
// the bare sequence should be sent too where tmux itself knows it (OSC 52).
func (p Profile) Wrap(sequence string) string {
	switch p.Multiplexer {
	case "tmux":
		return ansi.TmuxPassthrough(sequence)
	case "screen":
		return ansi.ScreenPassthrough(sequence, screenChunk)
	}
	return sequence
}

// screenChunk is the length of string that GNU Screen takes, in bytes.
const screenChunk = 768

// maxProfile bounds the size of a saved profile in bytes.
const maxProfile = 64 << 10

// Load completes a guess by what was saved in dir when this terminal was last
// asked. Without that it returns the guess. An error comes with the guess too.
func Load(dir string, guess Profile) (Profile, error) {
	if dir == "" {
		return guess, nil
	}
	f, err := os.Open(filepath.Join(dir, guess.file()))
	if errors.Is(err, fs.ErrNotExist) {
		return guess, nil
	}
	if err != nil {
		return guess, fmt.Errorf("read what is known of the terminal: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxProfile))
	if err != nil {
		return guess, fmt.Errorf("read what is known of the terminal: %w", err)
	}
	var saved Profile
	if err := json.Unmarshal(data, &saved); err != nil {
		return guess, fmt.Errorf("read %s: %w (delete it, or run /doctor)", f.Name(), err)
	}
	// Where the program runs is told by the environment alone.
	saved.Multiplexer, saved.Remote, saved.Term = guess.Multiplexer, guess.Remote, guess.Term
	saved.Links = cmp.Or(saved.Links, guess.Links)
	return saved.cleaned(), nil
}

// Save keeps the terminal's answers in dir for Load.
func (p Profile) Save(dir string, guess Profile) error {
	data, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return fmt.Errorf("save what is known of the terminal: %w", err)
	}
	if err := replace(filepath.Join(dir, guess.file()), append(data, '\n')); err != nil {
		return fmt.Errorf("save what is known of the terminal: %w", err)
	}
	return nil
}

// replace writes a file whole or not at all.
func replace(path string, data []byte) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".terminal-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// file names the saved profile: what the environment tells at the start picks
// it, before the terminal was asked for anything.
func (p Profile) file() string {
	var parts []string
	for _, part := range []string{p.Terminal, p.Version, p.Term, p.Multiplexer} {
		if part = strings.Map(fileRune, strings.ToLower(part)); part != "" {
			parts = append(parts, part)
		}
	}
	name := strings.Trim(strings.Join(parts, "_"), ".")
	return fmt.Sprintf("%.100s.json", name)
}

func fileRune(r rune) rune {
	if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' || r == '.' || r == '+' {
		return r
	}
	return -1
}
