package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"github.com/hoopoe-agent/hoopoe/engine"
	"github.com/hoopoe-agent/hoopoe/engine/config"
	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
	"github.com/hoopoe-agent/hoopoe/themes"
)

// themeSet is the themes there are in a folder: the built-in ones, the user's
// and, in a trusted folder, the project's.
func themeSet(e *engine.Engine, cwd string, approve bool) themes.Set {
	dirs := []string{e.Paths().Themes()}
	if trust, err := e.Paths().Trust(cwd); approve || err == nil && trust == config.Trusted {
		dirs = append(dirs, filepath.Join(cwd, ".hoopoe", "themes"))
	}
	return themes.Open(dirs...)
}

// chosenTheme is the theme of --theme, else the one that the settings name.
// What the settings name and can't be had is a notice: the chat looks like
// itself then. A fault of the flag is an error.
func (s settings) chosenTheme(ctx context.Context, e *engine.Engine, cwd string, set themes.Set) (themes.Theme, string, error) {
	name := s.theme
	if name == "" {
		saved, err := e.Settings(ctx, cwd)
		if err != nil {
			return themes.Theme{}, "", err
		}
		name = saved.Theme
	}
	t, err := set.Find(name)
	switch {
	case err == nil:
		return t, "", nil
	case s.theme != "":
		return themes.Theme{}, "", usagef("--theme: %v", err)
	}
	notice := fmt.Sprintf("The theme of the settings can't be used: %v", err)
	t, err = themes.Load(themes.Default)
	return t, notice, err
}

func (p *program) themeApp() *cli.App {
	return p.app(&cli.App{
		Name:  "hoopoe theme",
		Usage: "the colours of the chat",
		UsageText: `hoopoe theme [list]                      list the themes; "*" marks the chosen one
hoopoe theme check NAME or FILE ...      tell mistakes in a theme, and what is hard to read
hoopoe theme init NAME                   write a theme of your own to begin with

The chat chooses with /theme, the setting "theme", or --theme NAME.`,
		Action: p.theme,
	})
}

func (p *program) theme(c *cli.Context) error {
	args, cwd, e, err := p.subcommand(c, settings{offline: true})
	if err != nil {
		return err
	}
	set := themeSet(e, cwd, false)
	command := "list"
	if len(args) > 0 {
		command, args = args[0], args[1:]
	}
	switch {
	case command == "list" && len(args) == 0:
		return p.listThemes(c.Context, e, cwd, set)
	case command == "check" && len(args) > 0:
		return p.checkThemes(set, args)
	case command == "check":
		return usagef(`"theme check" needs a theme's name or file`)
	case command == "init" && len(args) == 1:
		return p.initTheme(e.Paths().Themes(), args[0])
	case command == "init":
		return usagef(`"theme init" needs one name for the new theme`)
	}
	return usagef(`"theme" is followed by list, check or init; a text for the model goes after -p`)
}

func (p *program) listThemes(ctx context.Context, e *engine.Engine, cwd string, set themes.Set) error {
	saved, err := e.Settings(ctx, cwd)
	if err != nil {
		return err
	}
	choice, err := themes.ParseChoice(saved.Theme)
	if err != nil {
		p.warn(err.Error())
	}
	w := tabwriter.NewWriter(p.stdout, 0, 8, 2, ' ', 0)
	for _, entry := range set.List() {
		mark, where, variants := " ", cmp.Or(entry.Path, "built in"), "dark and light"
		if entry.Name == cmp.Or(choice.Dark, themes.Default) || entry.Name == cmp.Or(choice.Light, themes.Default) {
			mark = "*"
		}
		if t, err := set.Find(entry.Name); err != nil {
			mark, where, variants = "!", err.Error(), "broken"
		} else if t.Appearance != "" {
			variants = t.Appearance
		}
		fmt.Fprintf(w, "%s %s\t%s\t%s\n", mark, sanitize.Line(entry.Name), variants, sanitize.Line(where))
	}
	return w.Flush()
}

// checkThemes judges themes, each to its end, and fails if one isn't good.
func (p *program) checkThemes(set themes.Set, names []string) error {
	var failed []string
	for i, name := range names {
		if i > 0 {
			fmt.Fprintln(p.stdout)
		}
		t, err := findTheme(set, name)
		if problems, ok := errors.AsType[*themes.Problems](err); ok {
			for _, problem := range problems.List {
				fmt.Fprintf(p.stdout, "%s:%s\n", sanitize.Line(problems.File), sanitize.Line(problem.Error()))
			}
			failed = append(failed, fmt.Sprintf("%s has %s", name, count(len(problems.List), "mistake")))
			continue
		}
		if err != nil {
			return err
		}
		fmt.Fprintf(p.stdout, "%s\n", sanitize.Line(name))
		weak, err := p.printReadings(t)
		if err != nil {
			return err
		}
		if weak > 0 {
			failed = append(failed, fmt.Sprintf("%s has %s too hard to read", name, count(weak, "colour")))
		}
	}
	if len(failed) > 0 {
		return errors.New(strings.Join(failed, "; "))
	}
	return nil
}

// findTheme is a theme by its name, or by its file for what looks like one.
func findTheme(set themes.Set, name string) (themes.Theme, error) {
	if filepath.Base(name) != name || filepath.Ext(name) == ".json" {
		return themes.ReadFile(name)
	}
	if path := set.Path(name); path != "" { // as it is now, broken or not
		return themes.ReadFile(path)
	}
	return set.Find(name)
}

// printReadings writes a table of how well each colour can be read, where it
// is hardest, and counts those that can't.
func (p *program) printReadings(t themes.Theme) (weak int, err error) {
	if t.Dark.Background == "" || t.Light.Background == "" {
		fmt.Fprintf(p.stdout, "where the terminal's own background stays it is taken for %s or %s\n", themes.UsualDark, themes.UsualLight)
	}
	w := tabwriter.NewWriter(p.stdout, 0, 8, 2, ' ', 0)
	variant := ""
	for _, r := range hardest(t.Readings()) {
		name := "light"
		if r.Dark {
			name = "dark"
		}
		if name != variant {
			variant = name
			fmt.Fprintf(w, "\n%s\tcolour\ton\t\tcontrast\tneeds\t\n", name)
		}
		verdict, ratio := "", fmt.Sprintf("%8.1f", r.Ratio)
		switch {
		case r.Ratio == 0:
			ratio = "terminal's"
		case !r.OK():
			verdict = "too low"
			weak++
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%5.1f\t%s\n", r.Key, shownColor(r.Text), shownColor(r.Background), r.On, ratio, r.Need, verdict)
	}
	return weak, w.Flush()
}

// hardest keeps of each colour the reading with the least room.
func hardest(readings []themes.Reading) []themes.Reading {
	var kept []themes.Reading
	for _, r := range readings {
		last := len(kept) - 1
		if last < 0 || kept[last].Key != r.Key || kept[last].Dark != r.Dark {
			kept = append(kept, r)
		} else if r.Ratio-r.Need < kept[last].Ratio-kept[last].Need && r.Ratio > 0 {
			kept[last] = r
		}
	}
	return kept
}

func shownColor(color string) string { return cmp.Or(color, "terminal's") }

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// initTheme writes a theme to begin with. It never replaces one.
func (p *program) initTheme(dir, name string) error {
	text, err := themes.Starter(strings.TrimSuffix(name, ".json"))
	if err != nil {
		return usagef("%v", err)
	}
	if dir == "" {
		return errors.New("there is no folder for settings: set HOOPOE_DIR or HOME")
	}
	path := filepath.Join(dir, strings.TrimSuffix(name, ".json")+".json")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("make the folder for themes: %w", err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, os.ErrExist) {
		return fmt.Errorf("%s is there already; choose another name", path)
	}
	if err != nil {
		return fmt.Errorf("write the theme: %w", err)
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write the theme: %w", err)
	}
	_, err = fmt.Fprintf(p.stdout, "%s is written; choose it with /theme, and what you save there shows at once\n", sanitize.Line(path))
	return err
}
