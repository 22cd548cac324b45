package tui

import (
	"cmp"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
)

// shortPath shows a path as people know it: from the working folder on inside
// it, else from the home folder on ("~/notes"). Control characters are shown.
func shortPath(path, cwd, home string) string {
	short := path
	if rest, ok := inside(path, cwd); ok {
		short = cmp.Or(rest, ".")
	} else if rest, ok := inside(path, home); ok {
		short = strings.TrimRight("~"+path[len(path)-len(rest)-min(len(rest), 1):], `/\`)
	}
	return sanitize.Visible(short)
}

// inside cuts a folder off a path.
func inside(path, folder string) (rest string, ok bool) {
	folder = strings.TrimRight(folder, `/\`)
	rest, ok = strings.CutPrefix(path, folder)
	if !ok || folder == "" || rest != "" && rest[0] != '/' && rest[0] != '\\' {
		return "", false
	}
	return strings.TrimLeft(rest, `/\`), true
}

// home is the user's folder, "" if there is none.
func (o *Options) home() string { return cmp.Or(o.getenv("HOME"), o.getenv("USERPROFILE")) }
