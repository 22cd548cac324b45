package config

import (
	"reflect"
	"strings"
	"testing"
)

// E-1: hooks of all layers count, in their order, each with its place; those of
// a folder that isn't trusted don't.
func TestLoadHooks(t *testing.T) {
	p, project := testPaths(t), t.TempDir()
	put(t, p.Settings(), `{
  // mine
  "hooks": {
    "tool_call": [
      {"matcher": "bash|edit", "command": "./guard.sh", "timeout": 5},
      {"matcher": "Write", "hooks": [
        {"type": "command", "command": "one"}, {"command": "two", "timeout": 600},
      ]},
    ],
    "Stop": [],
    "SessionStart": [{"command": "date"}],
  },
}`)
	put(t, ProjectSettings(project), `{"hooks": {"tool_call": [{"command": "theirs"}]}}`)
	mine := []Hook{
		{Event: "tool_call", Matcher: "bash|edit", Command: "./guard.sh", Seconds: 5, File: p.Settings(), Line: 5, Column: 7},
		{Event: "tool_call", Matcher: "Write", Command: "one", File: p.Settings(), Line: 7, Column: 9},
		{Event: "tool_call", Matcher: "Write", Command: "two", Seconds: 600, File: p.Settings(), Line: 7, Column: 48},
		{Event: "SessionStart", Command: "date", File: p.Settings(), Line: 11, Column: 22},
	}
	theirs := Hook{Event: "tool_call", Command: "theirs", Project: true, File: ProjectSettings(project), Line: 1, Column: 26}
	for _, trusted := range []bool{false, true} {
		c, warnings, err := Load(t.Context(), LoadOptions{Paths: p, Project: project, Trusted: trusted})
		if err != nil || len(warnings) > 0 {
			t.Fatal(warnings, err)
		}
		want := mine
		if trusted {
			want = append(want[:len(want):len(want)], theirs)
		}
		if !reflect.DeepEqual(c.Hooks, want) {
			t.Errorf("trusted %t: got\n%+v\nwant\n%+v", trusted, c.Hooks, want)
		}
	}
	if got, want := theirs.Source(), ProjectSettings(project)+":1:26"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// E-2: what can't be used is told with its place, and none of it is dropped
// silently: a hook may guard something.
func TestHookComplaints(t *testing.T) {
	for _, c := range []struct {
		name, hooks string
		fatal       bool
		want        string
	}{
		{"no object", `[]`, true, `1:11: hooks: must be an object { ... }, this is a list`},
		{"no list", `{"Stop": {"command": "x"}}`, true, `1:20: hooks.Stop: must be a list of objects [ { ... } ], this is an object`},
		{"item that is none", `{"Stop": ["x"]}`, true, `1:21: hooks.Stop.0: must be an object { ... }, this is a string`},
		{"no command", `{"Stop": [{"matcher": "x"}]}`, true, `1:21: hooks.Stop.0: has no command; give one or remove it`},
		{"command of a wrong type", `{"Stop": [{"command": ["x"]}]}`, true, `1:33: hooks.Stop.0.command: must be a string in double quotes, this is a list`},
		{"timeout", `{"Stop": [{"command": "x", "timeout": 601}]}`, true, `1:49: hooks.Stop.0.timeout: must be at most 600`},
		{"other type", `{"Stop": [{"hooks": [{"type": "prompt", "command": "x"}]}]}`, true, `1:41: hooks.Stop.0.hooks.0.type: only hooks of the type command are known, this is "prompt"`},
		{"command and list", `{"Stop": [{"command": "x", "hooks": []}]}`, true, `1:21: hooks.Stop.0: has a command and a list of hooks; move the command into the list`},
		{"lists in lists", `{"Stop": [{"hooks": [{"hooks": []}]}]}`, true, `1:32: hooks.Stop.0.hooks.0: hooks can't stand inside of hooks`},
		{"misspelt", `{"Stop": [{"command": "x", "timeuot": 3}]}`, false, `1:38: hooks.Stop.0.timeuot: unknown setting; did you mean timeout?`},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := testPaths(t)
			put(t, p.Settings(), `{"hooks": `+c.hooks+`}`)
			_, warnings, err := Load(t.Context(), LoadOptions{Paths: p})
			got := "nothing"
			switch {
			case c.fatal && err != nil:
				got = err.Error()
			case !c.fatal && len(warnings) == 1:
				got = warnings[0].Error()
			}
			if first, _, _ := strings.Cut(got, "\n"); first != p.Settings()+":"+c.want {
				t.Errorf("got  %s\nwant %s", strings.TrimPrefix(got, p.Settings()+":"), c.want)
			}
		})
	}
}
