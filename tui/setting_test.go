package tui

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

const (
	ownSettings     = "/home/dev/.config/hoopoe/settings.json"
	projectSettings = "/code/demo/.hoopoe/settings.json"
)

// everyForm are settings of each form, of the user, of the project and unset.
func everyForm(context.Context) ([]Setting, error) {
	list := []Setting{
		{Key: "retry.maxRetries", Value: "7", From: ownSettings, About: "how often, for one request"},
		{Key: "permissions.mode", Value: `""`, About: `"" is the face's default`},
		{Key: "permissions.deny", Value: `["bash(curl *)"]`, From: projectSettings, About: "rules of what never runs"},
		{Key: "tui.notify", Value: `"bell"`, From: ownSettings},
		{Key: "tui.mode", Value: `"auto"`, From: ownSettings},
		{Key: "ttsr.repeatGap", Value: "10", From: projectSettings, About: "turns"},
		{Key: "shellPath", Value: `"/opt/外壳/\u202ebash"`, From: ownSettings, About: "the shell of the bash tool"},
	}
	for i := range list {
		list[i].File = ownSettings
	}
	return list, nil
}

// settingApp has the settings open, filtered by a text.
func settingApp(t *testing.T, width int, filter string) (*app, *fakeSession) {
	a, fake := panelApp(t, width, 24)
	a.o.Settings = everyForm
	a.o.Notify = NotifyBell
	a.sends("/settings")
	a.presses(letters(filter)...)
	return a, fake
}

func letters(text string) []tea.KeyPressMsg {
	var keys []tea.KeyPressMsg
	for _, r := range text {
		keys = append(keys, letter(r))
	}
	return keys
}

func keysOf(lists ...[]tea.KeyPressMsg) []tea.KeyPressMsg {
	var keys []tea.KeyPressMsg
	for _, l := range lists {
		keys = append(keys, l...)
	}
	return keys
}

// shows are the rows of the screen.
func (a *app) shows() string {
	rows := strings.Split(ansi.Strip(a.View().Content), "\n")
	for i := range rows {
		rows[i] = strings.TrimRight(rows[i], " ")
	}
	return strings.Join(rows, "\n")
}

// Every setting with one value is changed in place, with the checks of the files.
func TestChangeSetting(t *testing.T) {
	down, right, erase := code(tea.KeyDown), code(tea.KeyRight), code(tea.KeyBackspace)
	enter := []tea.KeyPressMsg{code(tea.KeyEnter)}
	for _, c := range []struct {
		name, filter string
		keys         []tea.KeyPressMsg
		did          string
		says         string // in the hint
	}{
		{"a number", "maxr", keysOf(enter, letters("0"), enter), "save retry.maxRetries 70", "it holds from the next start on"},
		{"a number after a mistake", "maxr", keysOf(enter, letters("00"), enter, []tea.KeyPressMsg{erase}, enter), "save retry.maxRetries 70", ""},
		{"the default of a number", "maxr", keysOf(enter, []tea.KeyPressMsg{erase}, enter), "save retry.maxRetries <nil>", ""},
		{"one that the project sets", "gap", keysOf(enter, letters("0"), enter), "save ttsr.repeatGap 100", "Saved, but here " + projectSettings + " wins"},
		{"a text", "shell", keysOf([]tea.KeyPressMsg{right}, letters("-5"), enter), "save shellPath /opt/外壳/bash-5", "it holds"},
		{"a choice", "bell", keysOf(enter, []tea.KeyPressMsg{down}, enter), "save tui.notify off", ""},
		{"a choice by its number", "permissions.mode", keysOf(enter, letters("2")), "save permissions.mode ask", "it holds"},
		{"a choice of two", "screen", keysOf(enter, letters("2")), "save tui.mode inline", ""},
		{"the default of two", "screen", keysOf(enter, letters("3")), "save tui.mode <nil>", ""},
		{"the next of two", "screen", []tea.KeyPressMsg{right}, "save tui.mode inline", ""},
		{"the next of none", "permissions.mode", []tea.KeyPressMsg{right}, "save permissions.mode plan", ""},
		{"the one before none", "permissions.mode", []tea.KeyPressMsg{code(tea.KeyLeft)}, "save permissions.mode full", ""},
		{"the default of a choice", "bell", keysOf(enter, letters("4")), "save tui.notify <nil>", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, fake := settingApp(t, 80, c.filter)
			a.presses(c.keys...)
			if len(fake.calls) != 1 || fake.calls[0] != c.did {
				t.Errorf("did %q", fake.calls)
			}
			if !strings.Contains(a.hint, c.says) {
				t.Errorf("says %q", a.hint)
			}
			if _, ok := a.panel.(*settingsPanel); !ok {
				t.Errorf("%T is open", a.panel)
			}
			if c.did == "save tui.notify <nil>" && a.o.Notify != NotifyAuto {
				t.Errorf("the chat still has %q", a.o.Notify)
			}
		})
	}
}

// Nothing happens to what is left as it is.
func TestSettingLeft(t *testing.T) {
	enter, esc := []tea.KeyPressMsg{code(tea.KeyEnter)}, []tea.KeyPressMsg{code(tea.KeyEscape)}
	for _, c := range []struct {
		name, filter string
		keys         []tea.KeyPressMsg
	}{
		{"the same text", "shell", keysOf(enter, enter)},
		{"escaped", "shell", keysOf(enter, letters("x"), esc)},
		{"escaped after a mistake", "maxr", keysOf(enter, letters("x"), enter, esc)},
		{"the same choice", "bell", keysOf(enter, enter)},
		{"a choice escaped", "bell", keysOf(enter, esc)},
		{"no value to take away", "gap", keysOf(enter, []tea.KeyPressMsg{code(tea.KeyBackspace), code(tea.KeyBackspace)}, enter)},
		{"a list without an editor", "deny", enter},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, fake := settingApp(t, 80, c.filter)
			a.presses(c.keys...)
			if _, ok := a.panel.(*settingsPanel); !ok || len(fake.calls) > 0 {
				t.Errorf("did %q, %T is open", fake.calls, a.panel)
			}
		})
	}
}

// What was written is there again when it can't be taken or kept.
func TestSettingRefused(t *testing.T) {
	a, fake := settingApp(t, 80, "maxr")
	a.o.Save = func(context.Context, string, any) error { return errors.New("settings.json:3:1: close the bracket") }
	see := func(texts ...string) {
		t.Helper()
		for _, text := range texts {
			if view := a.shows(); !strings.Contains(view, text) {
				t.Errorf("no %q in\n%s", text, view)
			}
		}
	}
	enter := []tea.KeyPressMsg{code(tea.KeyEnter)}
	a.presses(keysOf(enter, letters("5x"), enter)...)
	see("! retry.maxRetries must be a number.", "› 75x")
	a.presses(code(tea.KeyBackspace), enter[0])
	see("! settings.json:3:1: close the bracket.", "› 75")
	a.presses(code(tea.KeyEscape))
	see("retry.maxRetries", "› maxr")
	if len(fake.calls) > 0 {
		t.Errorf("did %q", fake.calls)
	}
}

// E-5: what a setting is changed by, at four widths.
func TestSettingViews(t *testing.T) {
	enter := []tea.KeyPressMsg{code(tea.KeyEnter)}
	for _, c := range []struct {
		name, filter string
		keys         []tea.KeyPressMsg
	}{
		{"choose", "bell", enter}, {"write", "gap", enter}, {"wrong", "maxr", keysOf(enter, letters("00"), enter)}, {"list", "deny", enter},
	} {
		t.Run(c.name, func(t *testing.T) {
			var b strings.Builder
			for _, width := range []int{20, 45, 80, 200} {
				a, _ := settingApp(t, width, c.filter)
				a.presses(c.keys...)
				rows := strings.TrimLeft(a.shows(), "\n")
				for row := range strings.SplitSeq(rows, "\n") {
					if w := ansi.StringWidth(row); w > width {
						t.Errorf("row of %d columns: %q", w, row)
					}
				}
				fmt.Fprintf(&b, "== %d columns\n%s\n\n", width, rows)
			}
			golden(t, filepath.Join("settings", c.name+".golden"), b.String())
		})
	}
}
