package permission

import (
	"path"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/hoopoe-agent/hoopoe/engine/shell"
)

// glob is a text with stars: the literal pieces between them.
type glob []string

func newGlob(pattern string) glob { return strings.Split(pattern, "*") }

// matches reports whether text is what the glob describes.
func (g glob) matches(text string) bool {
	if len(g) == 1 {
		return text == g[0]
	}
	last := g[len(g)-1]
	if !strings.HasPrefix(text, g[0]) || len(text) < len(g[0])+len(last) || !strings.HasSuffix(text, last) {
		return false
	}
	text = text[len(g[0]) : len(text)-len(last)]
	for _, piece := range g[1 : len(g)-1] {
		i := strings.Index(text, piece)
		if i < 0 {
			return false
		}
		text = text[i+len(piece):]
	}
	return true
}

// any reports a lone star.
func (g glob) any() bool { return len(g) == 2 && g[0] == "" && g[1] == "" }

func (g glob) fold() glob {
	out := make(glob, len(g))
	for i, piece := range g {
		out[i] = strings.ToLower(piece)
	}
	return out
}

// splitWords splits a command pattern at blanks. Quotes group, quotes and
// backslashes make a star literal. closed is false if a quote is left open.
func splitWords(pattern string) (words []glob, closed bool) {
	var word glob
	var piece strings.Builder
	quote := rune(0)
	end := func() {
		if word != nil {
			words = append(words, append(word[:len(word)-1], piece.String()))
		}
		word = nil
		piece.Reset()
	}
	begin := func() {
		if word == nil {
			word = glob{""}
		}
	}
	escaped := false
	for _, r := range pattern {
		switch {
		case escaped:
			piece.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			begin()
			escaped = true
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			piece.WriteRune(r)
		case r == '\'' || r == '"':
			begin()
			quote = r
		case unicode.IsSpace(r):
			end()
		case r == '*':
			begin()
			word = append(word[:len(word)-1], piece.String(), "")
			piece.Reset()
		default:
			begin()
			piece.WriteRune(r)
		}
	}
	end()
	return words, quote == 0
}

// match says whether a rule is about a subject.
type match int

const (
	no    match = iota
	maybe       // it depends on what is known only when the command runs
	yes
)

// literally matches the words of a command as an allow rule does: every word of
// the rule at its place, and known.
func (r *compiled) literally(words []shell.Word) match {
	if len(words) < len(r.words) || r.exact && len(words) != len(r.words) || len(r.words) == 0 {
		return no
	}
	for i, g := range r.words {
		w := words[i]
		if w.Kind == shell.Pattern && i > 0 && !r.exact && g.any() {
			continue
		}
		if w.Kind != shell.Static || !g.matches(w.Text) {
			return no
		}
	}
	if launches(words[0].Text, words[len(r.words):]) {
		return no
	}
	return yes
}

// launches reports words that turn a command of these names into one that runs
// any program or writes any file. A rule covers them only if it has them.
func launches(name string, words []shell.Word) bool {
	var options []string
	switch name {
	case "git":
		options = []string{"--output", "--ext-diff", "--open-files-in-pager", "-O", "--upload-pack", "--receive-pack", "--exec"}
	case "go":
		for _, flag := range strings.Fields("exec toolexec vettool ldflags gccgoflags gcflags asmflags overlay modfile pkgdir o coverprofile cpuprofile memprofile blockprofile mutexprofile trace outputdir test. C") {
			options = append(options, "-"+flag, "--"+flag)
		}
	case "cargo":
		options = strings.Fields("--config --manifest-path --target-dir --artifact-dir --out-dir -Z -C")
	case "npm", "pnpm", "yarn", "bun":
		options = strings.Fields("--script-shell --shell --prefix --dir -C --cwd --node-options --userconfig --globalconfig --config")
	case "pytest", "python", "python3":
		options = strings.Fields("--basetemp --junitxml --junit-xml --log-file --override-ini --pdbcls --debug --report-log --html --cov-report --cov-config -o -p -c")
	}
	for _, option := range options {
		for _, w := range words {
			name, _, _ := strings.Cut(w.Text, "=")
			abbreviated := len(name) > 2 && strings.HasPrefix(name, "--") && strings.HasPrefix(option, name)
			if abbreviated || strings.HasPrefix(w.Text, option) {
				return true
			}
		}
	}
	return false
}

// generously matches the words of a command as deny and ask rules do: the
// program by any path and in any case, and with options (each perhaps with a
// value) before the words that the rule names.
func (r *compiled) generously(words []shell.Word) match {
	if len(r.words) == 0 {
		return no
	}
	if words[0].Kind != shell.Static {
		return maybe
	}
	name := strings.ToLower(words[0].Text)
	first := r.words[0].fold()
	base := path.Base(filepath.ToSlash(name))
	if !first.matches(name) && !first.matches(base) && !first.matches(strings.TrimSuffix(base, ".exe")) {
		return no
	}
	rest, option := words[1:], false
	for _, g := range r.words[1:] {
		for {
			if len(rest) == 0 {
				return no
			}
			w := rest[0]
			rest = rest[1:]
			if w.Kind == shell.Dynamic || w.Kind == shell.Pattern && !g.any() {
				return maybe
			}
			if g.matches(w.Text) {
				break
			}
			if strings.HasPrefix(w.Text, "-") {
				option = true
			} else if option {
				option = false
			} else {
				return no
			}
		}
	}
	if r.exact && len(rest) > 0 {
		return no
	}
	return yes
}

// assignment matches NAME=value. Only a rule that spells the name out is about
// an assignment.
func (r *compiled) assignment(a shell.Assign) match {
	if len(r.words) != 1 || !strings.HasPrefix(r.words[0][0], a.Name+"=") {
		return no
	}
	if a.Value.Kind != shell.Static && !newGlob(a.Name+"=*").equal(r.words[0]) {
		return maybe
	}
	if r.words[0].matches(a.Name + "=" + a.Value.Text) {
		return yes
	}
	return no
}

func (g glob) equal(other glob) bool {
	if len(g) != len(other) {
		return false
	}
	for i := range g {
		if g[i] != other[i] {
			return false
		}
	}
	return true
}

// place is the two folders where relative and home patterns start.
type place struct{ root, home string }

// covers reports whether a path pattern covers the absolute path p. An allow
// rule's relative pattern reaches only what is inside the root.
func (pl place) covers(pattern, p string, inside bool, action Action) bool {
	p = path.Clean(filepath.ToSlash(p))
	root := path.Clean(filepath.ToSlash(pl.root))
	if action != Allow { // file systems may fold case
		pattern, p, root = strings.ToLower(pattern), strings.ToLower(p), strings.ToLower(root)
	}
	switch {
	case strings.HasPrefix(pattern, "~/"):
		home := path.Clean(filepath.ToSlash(pl.home))
		if action != Allow {
			home = strings.ToLower(home)
		}
		rel, ok := under(home, p)
		return pl.home != "" && ok && matchPath(pattern[2:], rel)
	case strings.HasPrefix(pattern, "/") || len(pattern) > 1 && pattern[1] == ':':
		return matchPath(strings.TrimPrefix(pattern, "/"), strings.TrimPrefix(p, "/"))
	}
	pattern, anchored := strings.CutPrefix(pattern, "./")
	if !anchored && !strings.Contains(strings.TrimSuffix(pattern, "/"), "/") {
		// A name at any depth. "**" is also one: everything inside.
		pattern = "**/" + pattern
		if action != Allow && matchPath(pattern, strings.TrimPrefix(p, "/")) {
			return true
		}
	}
	rel, ok := under(root, p)
	return pl.root != "" && (inside || action != Allow) && ok && matchPath(pattern, rel)
}

// under returns p relative to dir, if it is dir or below.
func under(dir, p string) (string, bool) {
	if p == dir {
		return "", true
	}
	return strings.CutPrefix(p, strings.TrimSuffix(dir, "/")+"/")
}

// matchPath matches a path, or a folder it is in, segment by segment. It never
// goes back further than to the last "**", so its cost stays linear in both.
func matchPath(pattern, p string) bool {
	want := append(strings.Split(strings.TrimSuffix(pattern, "/"), "/"), "**")
	have := strings.Split(p, "/")
	w, star, from := 0, -1, 0
	for h := 0; h < len(have); {
		if w < len(want) && want[w] == "**" {
			star, from = w, h
			w++
			continue
		}
		if w < len(want) {
			if ok, err := path.Match(want[w], have[h]); ok && err == nil {
				w++
				h++
				continue
			}
		}
		if star < 0 {
			return false
		}
		from++
		w, h = star+1, from
	}
	for w < len(want) && want[w] == "**" {
		w++
	}
	return w == len(want)
}
