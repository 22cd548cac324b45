package command

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/ext"
	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
)

// Bounds of a command's time.
const (
	DefaultTimeout = time.Minute
	MaxTimeout     = 10 * time.Minute
)

// maxContinued is how often in a row an agent_end hook sends the model back to
// work.
const maxContinued = 10

// Hook is a command that runs at an event.
type Hook struct {
	Event   string // a name of Events, or the one that other agents give it
	Matcher string
	Command string        // for the shell
	Timeout time.Duration // 0 means DefaultTimeout
	// Source says where the hook is from, such as "settings.json:3:5" or "--hook".
	Source string
}

// point is an event at which commands run.
type point struct {
	event   string
	foreign string // what other agents call it
}

var points = []point{
	{"session_start", "SessionStart"},
	{"session_shutdown", "SessionEnd"},
	{"input", "UserPromptSubmit"},
	{"before_agent_start", ""},
	{"tool_call", "PreToolUse"},
	{"tool_result", "PostToolUse"},
	{"agent_end", "Stop"},
	{"session_before_compact", "PreCompact"},
	{"session_compact", "PostCompact"},
	{"session_before_switch", ""},
	{"session_switch", ""},
	{"session_before_branch", ""},
	{"session_branch", ""},
	{"notification", "Notification"},
}

// Events lists the names of events, ours.
func Events() []string {
	var names []string
	for _, p := range points {
		names = append(names, p.event)
	}
	return names
}

func pointOf(event string) (point, bool) {
	i := slices.IndexFunc(points, func(p point) bool { return event != "" && (p.event == event || p.foreign == event) })
	if i < 0 {
		return point{}, false
	}
	return points[i], true
}

// ParseFlag reads the value of --hook: "event=command" or
// "event:matcher=command".
func ParseFlag(text string) (Hook, error) {
	head, command, found := strings.Cut(text, "=")
	event, matcher, _ := strings.Cut(strings.TrimSpace(head), ":")
	h := Hook{Event: event, Matcher: matcher, Command: strings.TrimSpace(command), Source: "--hook"}
	if _, known := pointOf(event); !found || !known {
		return Hook{}, fmt.Errorf("--hook %s: write event=command or event:matcher=command; events are %s", brief(text), strings.Join(Events(), ", "))
	}
	_, err := compile(h)
	return h, err
}

// hook is a Hook that was checked.
type hook struct {
	Hook
	point
	matches func(subject string) bool
	shell   []string
}

func compile(h Hook) (*hook, error) {
	fail := func(format string, args ...any) (*hook, error) {
		return nil, fmt.Errorf("%s: "+format, append([]any{first(h.Source, "hook")}, args...)...)
	}
	p, ok := pointOf(h.Event)
	switch {
	case !ok:
		return fail("unknown event %s for a hook; events are %s", brief(h.Event), strings.Join(Events(), ", "))
	case strings.TrimSpace(h.Command) == "":
		return fail("the hook for %s has no command; give one or remove it", h.Event)
	case h.Timeout < 0 || h.Timeout > MaxTimeout:
		return fail("the timeout of the hook for %s must be between 1 and %d seconds", h.Event, MaxTimeout/time.Second)
	}
	if h.Timeout == 0 {
		h.Timeout = DefaultTimeout
	}
	c := &hook{Hook: h, point: p, matches: func(string) bool { return true }}
	if m := strings.TrimSpace(h.Matcher); m != "" && m != "*" {
		pattern, err := regexp.Compile("(?i)^(?:" + m + ")$")
		if err != nil {
			return fail("the matcher %s of the hook for %s is no regular expression; write tool names such as bash|edit", brief(m), h.Event)
		}
		c.matches = pattern.MatchString
	}
	return c, nil
}

// Extensions makes an extension of each hook, in their order. Shell is the
// program and arguments before a script, such as /bin/sh -c. The error joins
// what is wrong with any of them: then none may run, for some may guard.
func Extensions(hooks []Hook, shell []string) ([]ext.Extension, error) {
	if len(hooks) > 0 && len(shell) == 0 {
		return nil, errors.New("hooks need a shell: install bash or sh and make sure it's in PATH")
	}
	var (
		all  []ext.Extension
		errs []error
		seen = map[string]int{}
	)
	for _, h := range hooks {
		c, err := compile(h)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		c.shell = shell
		name := fmt.Sprintf("%s hook %s", c.event, brief(h.Command))
		if seen[name]++; seen[name] > 1 {
			name = fmt.Sprintf("%s (%d)", name, seen[name])
		}
		all = append(all, extension{name: name, hook: c})
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return all, nil
}

// brief quotes text for a message or a name.
func brief(text string) string {
	const limit = 40
	text = strings.TrimSpace(sanitize.Line(text))
	if r := []rune(text); len(r) > limit {
		text = string(r[:limit-1]) + "…"
	}
	return fmt.Sprintf("%q", text)
}

func first(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
