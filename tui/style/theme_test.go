package style_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"github.com/hoopoe-agent/hoopoe/themes"
	"github.com/hoopoe-agent/hoopoe/tui/style"
)

var update = flag.Bool("update", false, "write the golden files anew")

// sample shows every role once, as the components use them.
func sample(s style.Styles) []string {
	return []string{
		s.User.Render("› ") + s.Text.Render("Make the tests of ") + s.Link.Render("@parse.go") + s.Text.Render(" pass") + s.Muted.Render("  12:04"),
		s.Thinking.Render("The parser drops the last line."),
		s.Heading.Render("What was wrong") + "  " + s.Quote.Render("│ as it says") + "  " + s.Code.Render("go test"),
		s.Border.Render("│ ") + s.Success.Render("✓ ") + s.Tool.Render("edit") + s.Text.Render(" parse.go") + "  " + s.Warning.Render("! slow") + "  " + s.Error.Render("✗ failed"),
		s.Hunk.Render("@@ -7,3 +7,3 @@"),
		s.LineNumber.Render(" 8 ") + s.Removed.Render("-	return ") + s.RemovedMark.Render("last"),
		s.LineNumber.Render(" 8 ") + s.Added.Render("+	return ") + s.AddedMark.Render("line"),
		code(s),
		s.Selected.Render("❯ the chosen row ") + s.Match.Render("found") + s.Accent.Render(" accent"),
		s.Mode("ask").Render("ask") + " " + s.Mode("edit").Render("edit") + " " + s.Mode("full").Render("full") + " " + s.Mode("plan").Render("plan"),
	}
}

func code(s style.Styles) string {
	c := s.Colors
	var b strings.Builder
	for _, part := range [][2]string{
		{c.SyntaxKeyword, "func "}, {c.SyntaxFunction, "next"}, {c.SyntaxOperator, "("}, {c.SyntaxType, "int"}, {c.SyntaxOperator, ") { "},
		{c.SyntaxKeyword, "return "}, {c.SyntaxNumber, "42"}, {c.SyntaxOperator, " + "}, {c.SyntaxString, `"text"`}, {c.SyntaxComment, " // why"},
	} {
		b.WriteString(style.Foreground(part[0]).Render(part[1]))
	}
	return b.String()
}

// Each theme paints as it did, in all colours, in 256 and in 16.
func TestGolden(t *testing.T) {
	for _, name := range themes.Names() {
		t.Run(name, func(t *testing.T) {
			th, err := themes.Load(name)
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			for _, profile := range []colorprofile.Profile{colorprofile.TrueColor, colorprofile.ANSI256, colorprofile.ANSI, colorprofile.ASCII} {
				for _, dark := range []bool{true, false} {
					s := style.For(th, dark, profile)
					text, background := s.Window()
					fmt.Fprintf(&out, "%v, dark %v, window %v on %v\n", profile, s.Dark, text, background)
					w := colorprofile.Writer{Forward: &out, Profile: profile}
					for _, row := range sample(s) {
						fmt.Fprintln(&w, row)
					}
				}
			}
			got := strings.ReplaceAll(out.String(), "\x1b", "␛")
			path := filepath.Join("testdata", name+".golden")
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("%s differs (-update writes it anew); got:\n%s", path, got)
			}
		})
	}
}

// Colour never carries meaning alone: without it all text is still there, and
// what stands out by its background still does.
func TestMeaningWithoutColour(t *testing.T) {
	for _, name := range themes.Names() {
		th, err := themes.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, profile := range []colorprofile.Profile{colorprofile.TrueColor, colorprofile.ANSI256, colorprofile.ANSI, colorprofile.ASCII} {
			for _, dark := range []bool{true, false} {
				s := style.For(th, dark, profile)
				for i, row := range sample(s) {
					if got, want := ansi.Strip(row), sample(style.Styles{})[i]; got != want {
						t.Errorf("%s, %v: row %q, want the text %q", name, profile, got, want)
					}
				}
				for what, pair := range map[string][2]style.Style{
					"the chosen row":            {s.Selected, s.Text},
					"a search's match":          {s.Match, s.Text},
					"the changed part, added":   {s.AddedMark, s.Added},
					"the changed part, removed": {s.RemovedMark, s.Removed},
					"a heading":                 {s.Heading, s.Text},
				} {
					a, b := convert(pair[0], profile), convert(pair[1], profile)
					if a == b {
						t.Errorf("%s, %v, dark %v: %s looks like any text: %q", name, profile, dark, what, a)
					}
				}
			}
		}
	}
}

// convert paints a letter as a terminal of this profile gets it.
func convert(s style.Style, profile colorprofile.Profile) string {
	var out bytes.Buffer
	w := colorprofile.Writer{Forward: &out, Profile: profile}
	fmt.Fprint(&w, s.Render("x"))
	return out.String()
}

// A theme with an appearance keeps to it, whatever the terminal answers.
func TestAppearance(t *testing.T) {
	for _, name := range []string{"dark", "light"} {
		th, err := themes.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, answer := range []bool{true, false} {
			if s := style.New(th, answer, true); s.Dark != (name == "dark") {
				t.Errorf("theme %s on a background that is dark %v: dark variant %v", name, answer, s.Dark)
			}
		}
	}
}

// Sixteen colours take a hue from the terminal, and no shade behind text.
func TestSixteen(t *testing.T) {
	s := style.For(theme(t), true, colorprofile.ANSI)
	for what, c := range map[string][2]string{
		"error": {s.Colors.Error, "9"}, "warning": {s.Colors.Warning, "11"}, "success": {s.Colors.Success, "10"},
		"link": {s.Colors.Link, "12"}, "muted": {s.Colors.Muted, ""}, "behind": {s.Colors.AddedBackground, ""},
	} {
		if c[0] != c[1] {
			t.Errorf("%s is %q of the palette, want %q", what, c[0], c[1])
		}
	}
	if got := s.Muted.Render("x"); got != "\x1b[2mx\x1b[m" {
		t.Errorf("secondary text is %q, want it faint", got)
	}
}

// Themes that want a window's colours say both, so that all text can be read.
func TestWindow(t *testing.T) {
	for _, name := range themes.Names() {
		th, err := themes.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, dark := range []bool{true, false} {
			text, background := style.New(th, dark, true).Window()
			if (text == nil) != (background == nil) {
				t.Errorf("%s, dark %v: text %v on %v", name, dark, text, background)
			}
			if text, background = style.New(th, dark, false).Window(); text != nil || background != nil {
				t.Errorf("%s without colour paints the window %v on %v", name, text, background)
			}
		}
	}
}
