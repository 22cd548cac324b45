package permission

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"unicode"
)

// Action is what becomes of a request.
type Action string

// The actions.
const (
	Allow Action = "allow"
	Ask   Action = "ask"
	Deny  Action = "deny"
)

// Source says where a rule comes from.
type Source string

// The sources of rules.
const (
	FromSettings Source = "settings" // the user's and the project's
	FromSaved    Source = "saved"    // "always" in a question
	FromSession  Source = "this session"
	FromAgent    Source = "agent file"
)

// Rule allows, asks for or denies a kind of tool call.
//
// Tool is a tool's name, a Kind's name, or either with "*" for any characters.
// An empty Pattern means every call of the tool; for files, every one inside
// the workspace unless the rule denies or asks. Otherwise the pattern is
//
//   - for commands, words that the command starts with: "git status" covers
//     "git status -s" and not "git statusx". "*" stands for any characters
//     within a word; quotes and backslashes make it literal. A leading "="
//     covers exactly these words; a trailing ":*" says nothing more and is
//     accepted. "NAME=*" is about an assignment.
//   - for files, a path: relative to the workspace, absolute, or from "~/";
//     "*" within a name, "**" for any folders; without a slash, a name at any
//     depth. A folder covers what is in it.
//   - for the network, a host such as "go.dev" or "*.go.dev", with its port
//     unless that is the usual one; with a slash, the whole URL. "*" stands for
//     anything.
//   - for all others, the text of the request, where "*" stands for anything.
type Rule struct {
	Tool    string
	Pattern string
	Action  Action
	Source  Source
}

// String returns the rule as settings have it: "tool" or "tool(pattern)".
func (r Rule) String() string {
	if r.Pattern == "" {
		return r.Tool
	}
	return r.Tool + "(" + r.Pattern + ")"
}

// ParseRule reads a rule as settings have it.
func ParseRule(text string, action Action, source Source) (Rule, error) {
	r, err := parseRule(strings.TrimSpace(text))
	if err != nil {
		return Rule{}, fmt.Errorf("permission rule %q: %w", text, err)
	}
	r.Action, r.Source = action, source
	return r, nil
}

func parseRule(text string) (Rule, error) {
	if strings.ContainsFunc(text, unicode.IsControl) {
		return Rule{}, errors.New("remove the control characters")
	}
	tool, rest, bracket := strings.Cut(text, "(")
	r := Rule{Tool: strings.TrimSpace(tool)}
	switch {
	case r.Tool == "":
		return r, errors.New(`name a tool, as in "bash(git status)"`)
	case strings.ContainsAny(r.Tool, " \t)\"'"):
		return r, fmt.Errorf("%q isn't a tool's name", r.Tool)
	case !bracket:
		return r, nil
	case !strings.HasSuffix(rest, ")"):
		return r, errors.New(`the closing ")" is missing`)
	}
	r.Pattern = strings.TrimSpace(strings.TrimSuffix(rest, ")"))
	if r.Pattern == "" {
		return r, fmt.Errorf("the pattern is empty: write %q for every call", r.Tool)
	}
	if _, closed := splitWords(r.Pattern); !closed {
		return r, errors.New("a quote isn't closed")
	}
	for _, name := range strings.Split(r.Pattern, "/") {
		if _, err := path.Match(name, ""); err != nil && !strings.EqualFold(r.Tool, "bash") {
			return r, errors.New("a bracket isn't closed")
		}
	}
	return r, nil
}

// Settings are the permissions in a settings file:
//
//	{"permissions": {"mode": "ask", "allow": ["bash(git status)"], "ask": [], "deny": ["read(.env)"]}}
type Settings struct {
	Mode  Mode     `json:"mode,omitempty"`
	Allow []string `json:"allow,omitempty"`
	Ask   []string `json:"ask,omitempty"`
	Deny  []string `json:"deny,omitempty"`
}

// Rules parses the rules. The error joins one for each bad rule, named by its
// position; the good ones are returned all the same.
func (s Settings) Rules(source Source) ([]Rule, error) {
	var rules []Rule
	var errs []error
	for _, list := range []struct {
		action Action
		texts  []string
	}{{Deny, s.Deny}, {Ask, s.Ask}, {Allow, s.Allow}} {
		for i, text := range list.texts {
			r, err := ParseRule(text, list.action, source)
			if err != nil {
				errs = append(errs, fmt.Errorf("permissions.%s[%d]: %w", list.action, i, err))
				continue
			}
			rules = append(rules, r)
		}
	}
	return rules, errors.Join(errs...)
}
