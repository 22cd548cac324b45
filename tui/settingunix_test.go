//go:build unix

package tui

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A list is changed in the file: the editor opens it at the line, and what the
// file says afterwards is shown.
func TestSettingInEditor(t *testing.T) {
	dir := t.TempDir()
	file, script := filepath.Join(dir, "settings.json"), filepath.Join(dir, "vi")
	if err := os.WriteFile(script, []byte("#!/bin/sh\ntest -t 0 || exit 3\necho \"$1\" > \"$2\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	s, _ := start(t, 80, 24, Options{
		Environ: []string{"TERM=xterm-256color", "EDITOR=" + script, "PATH=" + os.Getenv("PATH")},
		Settings: func(context.Context) ([]Setting, error) {
			said, err := os.ReadFile(file)
			if os.IsNotExist(err) {
				said, err = []byte("[]"), nil
			}
			return []Setting{{
				Key: "permissions.deny", Value: strings.TrimSpace(string(said)), File: file,
				Place: func() (string, int, error) { return file, 12, nil },
			}}, err
		},
	})
	s.typed("/settings\r")
	s.see("type to filter")
	s.typed("deny")
	s.see("permissions.deny         []")
	s.typed("\r")
	s.see("permissions.deny         +12", "› deny")
	s.typed("\x1b")
	s.gone("permissions.deny")
}

// The same in lines: a value behind the number, or asked for.
func TestFlatSettings(t *testing.T) {
	type step struct{ line, sees string }
	for _, c := range []struct {
		name  string
		steps []step
		did   string
	}{
		{"a number, asked for", []step{{"maxr", "1. retry.maxRetries, 7"}, {"1", "? retry.maxRetries (It goes to ~/.config/hoopoe/settings.json. It holds from the next start on.)"}, {"1", "Write it behind the number"}, {"1 300", "! retry.maxRetries must be at most 100."}, {"1 9", "· Saved; it holds from the next start on."}}, "save retry.maxRetries 9"},
		{"a number at once", []step{{"gap", "1. ttsr.repeatGap, 10"}, {"1 12", "· Saved, but here " + projectSettings + " wins."}}, "save ttsr.repeatGap 12"},
		{"back to the default", []step{{"maxr", "1. retry.maxRetries, 7"}, {"1", "2. the default: 3"}, {"2", "· Saved; it holds from the next start on."}}, "save retry.maxRetries <nil>"},
		{"a choice", []step{{"permissions.mode", "1. permissions.mode, not set"}, {"1", "4. full"}, {"1", "· Saved; it holds from the next start on."}}, "save permissions.mode plan"},
		{"a choice, back to the default", []step{{"notify", "1. Notify, auto"}, {"1", "4. the default: auto"}, {"4", "? Settings"}}, "save tui.notify <nil>"},
		{"a list", []step{{"deny", `1. permissions.deny, ["bash(curl *)"]`}, {"1", "It is changed in " + projectSettings}}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, f := flatPanelsWith(t, everyForm)
			s.typed("/settings\n")
			s.see("? Settings")
			for _, step := range c.steps {
				s.typed(step.line + "\n")
				s.see(step.sees)
			}
			if c.did != "" {
				s.wait(c.did, f.did(c.did))
			}
			if out := string(s.written()); strings.ContainsAny(out, "\x1b\a\u202e") {
				t.Errorf("controls in %q", out)
			}
		})
	}
}
