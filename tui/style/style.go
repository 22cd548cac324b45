// Package style turns a theme into what the components paint with.
//
//	themes.Theme ──▶ New(theme, dark, colour) ──▶ Styles ──▶ every component
//
// A component takes Styles by value and asks it for a role (Muted, Error,
// Added …), never for a colour. When the terminal's background or the theme
// changes, the app builds new Styles and hands them out again.
//
// For downsamples the theme where the terminal has fewer colours.
//
// Without colour (NO_COLOR) every style is plain or bold, underlined or
// reversed. The zero Styles paint nothing at all: with them no component puts
// out an escape sequence (TERM=dumb). So colour never carries meaning alone.
package style

import (
	"image/color"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"github.com/hoopoe-agent/hoopoe/themes"
)

// Style paints text of one line. The zero value leaves it as it is. It is
// lighter than a Lip Gloss style: no layout, one sequence before and one after.
type Style struct {
	open string
}

const reset = "\x1b[m"

// Render returns s painted. s must be one line without escape sequences of
// its own, since the first reset in it would end the paint.
func (s Style) Render(text string) string {
	if s.open == "" || text == "" {
		return text
	}
	return s.open + text + reset
}

// With returns a style that has the attributes of both; other wins.
func (s Style) With(other Style) Style {
	return Style{open: s.open + other.open}
}

// Plain reports whether the style paints nothing.
func (s Style) Plain() bool { return s.open == "" }

// Styles holds one style for each role, for one variant of one theme.
type Styles struct {
	Dark   bool          // the theme's dark variant
	Color  bool          // false: NO_COLOR
	Colors themes.Colors // the variant's colours; all empty without colour

	Text, Muted, Accent, Border Style
	Bold, Italic, Reverse       Style
	Success, Warning, Error     Style
	Selected                    Style // the chosen row of a list
	Match                       Style // what a search found
	Found                       Style // that of the matches which is shown
	User, Thinking, Tool        Style
	Heading, Link, Code, Quote  Style

	Added, AddedMark     Style // a line of a diff, and its changed part
	Removed, RemovedMark Style
	Hunk, LineNumber     Style

	ModeAsk, ModeEdit, ModeFull, ModePlan Style
}

// New builds the styles for a terminal background and for colour or none. A
// theme that declares its appearance keeps to it.
//
// Where a theme has no colour for it, secondary text is faint, what stands out
// by its background is reversed, and the changed part of a line is underlined.
func New(theme themes.Theme, dark, color bool) Styles {
	c, dark := theme.Variant(dark)
	if !color {
		c = themes.Colors{}
	}
	s := Styles{
		Dark: dark, Color: color, Colors: c,
		Text: fg(c.Text), Muted: fg(c.Muted), Accent: fg(c.Accent), Border: fg(c.Border),
		Bold:    Style{ansi.Style{}.Bold().String()},
		Italic:  Style{ansi.Style{}.Italic(true).String()},
		Reverse: Style{ansi.Style{}.Reverse(true).String()},
		Success: fg(c.Success), Warning: fg(c.Warning), Error: fg(c.Error),
		Selected: pair(c.SelectedText, c.SelectedBackground),
		Match:    pair(c.MatchText, c.MatchBackground),
		User:     fg(c.User), Thinking: fg(c.Thinking), Tool: fg(c.Tool),
		Link: fg(c.Link), Code: fg(c.Code), Quote: fg(c.Quote),
		Added: pair(c.AddedText, c.AddedBackground), AddedMark: pair(c.AddedText, c.AddedMark),
		Removed: pair(c.RemovedText, c.RemovedBackground), RemovedMark: pair(c.RemovedText, c.RemovedMark),
		Hunk: fg(c.Hunk), LineNumber: fg(c.LineNumber),
		ModeAsk: fg(c.ModeAsk), ModeEdit: fg(c.ModeEdit), ModeFull: fg(c.ModeFull), ModePlan: fg(c.ModePlan),
	}
	s.Heading = s.Bold.With(fg(c.Heading))
	s.fill()
	return s
}

// fill gives attributes to what has no colour of its own.
func (s *Styles) fill() {
	c := s.Colors
	if c.SelectedBackground == "" {
		s.Selected = s.Reverse
	}
	if c.MatchBackground == "" {
		s.Match = s.Reverse
	}
	underline := Style{ansi.Style{}.Underline(true).String()}
	if c.AddedMark == c.AddedBackground {
		s.AddedMark = s.Added.With(underline)
	}
	if c.RemovedMark == c.RemovedBackground {
		s.RemovedMark = s.Removed.With(underline)
	}
	s.Found = s.Accent.With(s.Reverse).With(s.Bold)
	if !s.Color {
		s.Found = s.Found.With(underline) // the others are reversed too
		return
	}
	faint := Style{ansi.Style{}.Faint().String()}
	for _, secondary := range []*Style{&s.Muted, &s.Thinking, &s.Border, &s.LineNumber} {
		if secondary.Plain() {
			*secondary = faint
		}
	}
}

// For builds the styles for a terminal background and what the terminal can
// show of colours. A terminal with sixteen shows the theme's hues in its own
// shades.
func For(theme themes.Theme, dark bool, profile colorprofile.Profile) Styles {
	switch {
	case profile <= colorprofile.ASCII:
		return New(theme, dark, false)
	case profile == colorprofile.ANSI:
		return New(theme.Sixteen(), dark, true)
	case profile == colorprofile.ANSI256:
		theme = theme.Indexed()
	}
	return New(theme, dark, true)
}

// Window returns the colours that the theme wants of the whole window, nil for
// the terminal's own. Both go to the terminal as its defaults (tea.View), so
// that text without a style has them too.
func (s Styles) Window() (text, background color.Color) {
	if s.Colors.Background == "" {
		return nil, nil
	}
	if s.Colors.Text != "" {
		text = lipgloss.Color(s.Colors.Text)
	}
	return text, lipgloss.Color(s.Colors.Background)
}

// Bare reports whether no escape sequence may be used at all.
func (s Styles) Bare() bool { return s.Bold.Plain() }

// Mode returns the style of a permission mode by its name.
func (s Styles) Mode(name string) Style {
	switch strings.ToLower(name) {
	case "ask":
		return s.ModeAsk
	case "edit":
		return s.ModeEdit
	case "full":
		return s.ModeFull
	case "plan":
		return s.ModePlan
	}
	return s.Muted
}

// Foreground returns a style for one colour of a theme.
func Foreground(color string) Style { return pair(color, "") }

func fg(color string) Style { return pair(color, "") }

func pair(text, background string) Style {
	var st ansi.Style
	if text != "" {
		st = st.ForegroundColor(lipgloss.Color(text))
	}
	if background != "" {
		st = st.BackgroundColor(lipgloss.Color(background))
	}
	if len(st) == 0 {
		return Style{}
	}
	return Style{st.String()}
}
