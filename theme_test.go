package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine"
	"github.com/hoopoe-agent/hoopoe/engine/config"
	"github.com/hoopoe-agent/hoopoe/themes"
)

// The flag wins over the settings. What is wrong with the flag ends the start,
// what is wrong with the settings is told in a chat that looks like itself.
func TestChosenTheme(t *testing.T) {
	for _, c := range []struct{ name, flag, setting, want, notice, fail string }{
		{"none", "", "", "hoopoe", "", ""},
		{"setting", "", "midnight", "midnight", "", ""},
		{"setting for both backgrounds", "", "midnight, sand", "midnight, sand", "", ""},
		{"flag", "ember", "midnight", "ember", "", ""},
		{"auto undoes the setting", "auto", "midnight", "hoopoe", "", ""},
		{"unknown flag", "embre", "midnight", "", "", `--theme: no theme "embre"; did you mean "ember"?`},
		{"unknown setting", "", "midnigth", "hoopoe", `did you mean "midnight"?`, ""},
		{"broken file", "", "broken", "hoopoe", `broken.json:1:20: "dark.text"`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, home, cwd := themeEngine(t)
			text := `{"theme": "` + c.setting + `"}`
			put(t, filepath.Join(home, "settings.json"), text)
			put(t, filepath.Join(home, "themes", "broken.json"), `{"dark": {"text" : 1.5}}`)
			theme, notice, err := settings{theme: c.flag}.chosenTheme(t.Context(), e, cwd, themeSet(e, cwd, false))
			if c.fail != "" {
				if _, usage := errors.AsType[usageError](err); !usage || !strings.Contains(err.Error(), c.fail) {
					t.Errorf("error %v, want %q of the command line", err, c.fail)
				}
				return
			}
			if err != nil || theme.Name != c.want {
				t.Errorf("theme %q, %v, want %q", theme.Name, err, c.want)
			}
			if !strings.Contains(notice, c.notice) || (notice == "") != (c.notice == "") {
				t.Errorf("notice %q, want %q", notice, c.notice)
			}
		})
	}
}

// E-1: a project's themes are read when the user trusts the folder, and no
// sooner.
func TestThemeSetTrust(t *testing.T) {
	e, _, cwd := themeEngine(t)
	put(t, filepath.Join(cwd, ".hoopoe", "themes", "theirs.json"), `{}`)
	has := func(approve bool) bool {
		_, err := themeSet(e, cwd, approve).Find("theirs")
		return err == nil
	}
	if has(false) {
		t.Error("a theme of a folder that nobody trusts")
	}
	if !has(true) {
		t.Error("no project theme with --approve")
	}
	if err := e.SetTrust(t.Context(), cwd, true); err != nil {
		t.Fatal(err)
	}
	if !has(false) {
		t.Error("no project theme in a trusted folder")
	}
}

// Of a colour that stands on several the table shows where it is hardest.
func TestHardest(t *testing.T) {
	got := hardest([]themes.Reading{
		{Dark: true, Key: "a", On: "background", Ratio: 6, Need: 4.5}, {Dark: true, Key: "a", On: "added", Ratio: 3.1, Need: 3},
		{Dark: true, Key: "b", On: "background", Ratio: 5, Need: 4.5}, {Dark: true, Key: "b", On: "added", Ratio: 9, Need: 3},
		{Key: "b", On: "background", Ratio: 7, Need: 4.5}, {Key: "b", On: "added", Need: 3},
	})
	var on []string
	for _, r := range got {
		on = append(on, r.Key+" "+r.On)
	}
	if want := "a added, b background, b background"; strings.Join(on, ", ") != want {
		t.Errorf("hardest: %q, want %q", on, want)
	}
}

// themeEngine is an engine with a home and a folder to work in.
func themeEngine(t *testing.T) (e *engine.Engine, home, cwd string) {
	t.Helper()
	home, cwd = t.TempDir(), t.TempDir()
	paths := config.Paths{Config: home, Data: home, State: home, Cache: home}
	return engine.New(engine.Options{Paths: paths, Getenv: func(string) string { return "" }}), home, cwd
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
