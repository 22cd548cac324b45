package main

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// subcommand is a first word with flags and arguments of its own.
type subcommand struct {
	name string
	app  func(*program) *cli.App
	// args says what may follow each word that may come second, and with "" what
	// may follow the first one.
	args map[string]offer
	// hidden is for those who build packages: help doesn't name it.
	hidden bool
}

// subcommands are all of them, in the order of the help.
func subcommands() []subcommand {
	return []subcommand{
		{name: "acp", app: (*program).acpApp, args: map[string]offer{"": files}},
		{name: "sessions", app: (*program).sessionsApp, args: map[string]offer{"list": nil, "show": sessionIDs, "export": sessionIDs, "delete": sessionIDs}},
		{name: "import", app: (*program).importApp, args: map[string]offer{"": offers(among("claude", "codex", "pi", "omp"), files)}},
		{name: "models", app: (*program).modelsApp, args: map[string]offer{"": modelRefs}},
		{name: "extension", app: (*program).extensionApp, args: map[string]offer{"list": nil, "check": files, "init": nil}},
		{name: "login", app: (*program).loginApp, args: map[string]offer{"": providerIDs}},
		{name: "logout", app: (*program).logoutApp, args: map[string]offer{"": providerIDs}},
		{name: "theme", app: (*program).themeApp, args: map[string]offer{"list": nil, "check": offers(themeNames, files), "init": nil}},
		{name: "config", app: (*program).configApp, args: map[string]offer{
			"path": among(fileNames()...), "show": among(settingNames()...), "edit": among(editable()...), "schema": among(schemaNames()...), "check": files,
		}},
		{name: "doctor", app: (*program).doctorApp},
		{name: "completion", app: (*program).completionApp, args: map[string]offer{"": among(shells()...)}},
		{name: "man", app: (*program).manApp, hidden: true},
	}
}

// subcommandOf finds one by its name.
func subcommandOf(name string) (subcommand, bool) {
	all := subcommands()
	i := slices.IndexFunc(all, func(s subcommand) bool { return s.name == name })
	if i < 0 {
		return subcommand{}, false
	}
	return all[i], true
}

// usage is a line of a usage text: how to call the program, and what it does.
type usage struct{ form, about string }

// allFlags are those of the chat and of everything else. Only the first word tells
// which flags there are, and only the flags tell which is the first word: so all
// of them are known for this.
func allFlags() []cli.Flag {
	return slices.Concat(chatFlags(), hostFlags(), sessionsFlags(), doctorFlags())
}

// usagesOf takes the lines of a usage text that begin with the program's name; what
// else there is in it is the rest. Two blanks part the form from what it does.
func usagesOf(app *cli.App) (calls []usage, rest []string) {
	for line := range strings.SplitSeq(app.UsageText, "\n") {
		form, about, ok := strings.Cut(line, "  ")
		if !ok || !strings.HasPrefix(form, "hoopoe") && !strings.HasPrefix(form, "...") {
			rest = append(rest, line)
			continue
		}
		calls = append(calls, usage{form, strings.TrimSpace(about)})
	}
	return calls, rest
}

// verbs are the words that may come second, with what they do.
func (s subcommand) verbs(app *cli.App) []usage {
	calls, _ := usagesOf(app)
	var found []usage
	for _, c := range calls {
		rest, ok := strings.CutPrefix(c.form, "hoopoe "+s.name+" ")
		if !ok {
			continue
		}
		first, _, _ := strings.Cut(rest, " ")
		for word := range strings.SplitSeq(strings.Trim(first, "[]"), "|") {
			if _, known := s.args[word]; known && word != "" {
				found = append(found, usage{word, c.about})
			}
		}
	}
	return found
}
