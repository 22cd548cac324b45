package main

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine"
	"github.com/hoopoe-agent/hoopoe/engine/ext/command"
	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/permission"
	"github.com/hoopoe-agent/hoopoe/engine/session"
	"github.com/hoopoe-agent/hoopoe/engine/tool/builtin"
)

// offer finds what may stand at a cursor; nil knows nothing.
type offer func(cursor) []candidate

// from keeps of an offer what fits.
func (o offer) from(c cursor) []candidate {
	if o == nil {
		return nil
	}
	return starting(c.at, o(c))
}

// among offers fixed words.
func among(words ...string) offer {
	return func(cursor) []candidate {
		var found []candidate
		for _, w := range words {
			found = append(found, candidate{text: w})
		}
		return found
	}
}

// offers joins several.
func offers(all ...offer) offer {
	return func(c cursor) []candidate {
		var found []candidate
		for _, o := range all {
			found = append(found, o(c)...)
		}
		return found
	}
}

// What the shell knows best.
func files(cursor) []candidate   { return []candidate{{text: ":files"}} }
func folders(cursor) []candidate { return []candidate{{text: ":folders"}} }

// flagOffers says for every flag with a value what its values are; nil is for
// what only the user can know.
func flagOffers() map[string]offer {
	return map[string]offer{
		"mode": among("text", "json", "rpc", "acp"), "permissions": names(permission.Modes()), "thinking": names(llm.AllLevels()),
		"model": modelRefs, "models": modelRefs, "provider": providerIDs, "api-key": nil,
		"agent": files, "extension": files, "hook": hookEvents, "theme": themeChoices, "tools": toolNames,
		"system-prompt": files, "append-system-prompt": files, "max-turns": nil, "max-cost": nil, "answer-timeout": nil,
		"cwd": folders, "session-dir": folders, "session": files, "resume": sessionIDs, "fork": sessionIDs,
		"format": among("html", "md", "jsonl"), "output": files,
		"rpc-dialect": among("default", "pi"), "rpc-updates": among("full", "delta"),
		"remote": nil, "remote-token-file": files, "remote-cert": files, "remote-key": files, "remote-allow-origin": nil, "remote-allow-host": nil,
		"remote-sessions": among("own", "all"), "remote-grace": nil, "remote-max-connections": nil, "remote-wire": among("both", "seed", "upstream"),
		"name": nil, "session-id": nil, "provider-session-id": nil, strayFlag: nil,
	}
}

// names offers the values of a type of words.
func names[T ~string](all []T) offer {
	var words []string
	for _, one := range all {
		words = append(words, string(one))
	}
	return among(words...)
}

// engine is one that asks nobody, and the folder that counts.
func (c cursor) engine() (*engine.Engine, string) {
	cwd, err := workFolder("")
	if err != nil {
		return nil, ""
	}
	e, _ := c.p.newEngine(cwd, settings{quiet: true})
	return e, cwd
}

// modelRefs are the models that can be used; behind a provider's name, all of its
// own.
func modelRefs(c cursor) []candidate {
	e, _ := c.engine()
	if e == nil {
		return nil
	}
	provider, _, named := strings.Cut(c.at, "/")
	var found []candidate
	for _, o := range e.Offers("") {
		if named && o.Provider == provider || !named && o.Err == nil {
			found = append(found, candidate{o.Ref(), o.Name})
		}
	}
	if named {
		return found
	}
	for _, p := range e.Providers() {
		found = append(found, candidate{p.ID + "/", p.Name})
	}
	return append(found, candidate{"script/", "a script that plays a model"})
}

func providerIDs(c cursor) []candidate {
	e, _ := c.engine()
	if e == nil {
		return nil
	}
	var found []candidate
	for _, p := range e.Providers() {
		found = append(found, candidate{p.ID, p.Name})
	}
	return found
}

// sessionIDs are those of this folder, the latest first.
func sessionIDs(c cursor) []candidate {
	e, cwd := c.engine()
	if e == nil {
		return nil
	}
	dirs, err := e.SessionFolders(cwd, "", false)
	if err != nil {
		return nil
	}
	saved, err := session.List(dirs...)
	if err != nil {
		return nil
	}
	var found []candidate
	for _, s := range saved {
		found = append(found, candidate{s.ID, s.Label()})
	}
	return found
}

func themeNames(c cursor) []candidate {
	e, cwd := c.engine()
	if e == nil {
		return nil
	}
	var found []candidate
	for _, entry := range themeSet(e, cwd, false).List() {
		found = append(found, candidate{text: entry.Name})
	}
	return found
}

func themeChoices(c cursor) []candidate {
	return append(themeNames(c), candidate{"auto", "as the terminal's background is"})
}

func toolNames(cursor) []candidate {
	var found []candidate
	for _, t := range append(builtin.Standard(), builtin.Fetch(nil)) {
		s := t.Spec()
		about, _, _ := strings.Cut(s.Description, ". ")
		found = append(found, candidate{s.Name, about})
	}
	return found
}

func hookEvents(cursor) []candidate {
	var found []candidate
	for _, e := range command.Events() {
		found = append(found, candidate{text: e + "="})
	}
	return found
}

// maxMentions bounds how many files of a folder are offered.
const maxMentions = 500

// mentions are files to go with the text, behind an "@". Folders end with a slash.
func (c cursor) mentions() []candidate {
	dir, begun := filepath.Split(c.at[1:])
	list, err := os.ReadDir(filepath.Join(".", filepath.FromSlash(dir)))
	if filepath.IsAbs(dir) {
		list, err = os.ReadDir(dir)
	}
	if err != nil {
		return nil
	}
	var found []candidate
	for _, entry := range list {
		name := entry.Name()
		if !strings.HasPrefix(name, begun) || begun == "" && strings.HasPrefix(name, ".") || len(found) == maxMentions {
			continue
		}
		if entry.IsDir() {
			name += "/"
		}
		found = append(found, candidate{text: "@" + dir + name})
	}
	return found
}
