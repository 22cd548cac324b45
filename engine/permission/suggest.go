package permission

import (
	"net/url"
	"slices"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
	"github.com/hoopoe-agent/hoopoe/engine/shell"
)

const (
	// maxSaved is the longest command that "always" saves word by word, in bytes.
	maxSaved = 200
	// maxRules is how many rules one "always" may save: nobody reads more.
	maxRules = 12
)

// suggest returns the rules with which the request wouldn't ask any more, or
// none. The check at the end is what makes them trustworthy: rules that don't
// reach everything aren't offered.
func (p *Policy) suggest(req Request, asking []finding) []Rule {
	var rules []Rule
	for _, f := range asking {
		if f.save == "" && !f.wide {
			return nil
		}
		r := Rule{Tool: f.tool, Pattern: f.save, Action: Allow, Source: FromSaved}
		if again, err := ParseRule(r.String(), Allow, FromSaved); err != nil || again != r {
			return nil
		}
		if !slices.Contains(rules, r) {
			rules = append(rules, r)
		}
		if len(rules) > maxRules {
			return nil
		}
	}
	if d, _ := p.With(rules...).judge(req); d.Action != Allow {
		return nil
	}
	return rules
}

// sensible returns the pattern that "always" saves for a command: its name and
// subcommand where the rest of the words can't make it a different thing, else
// exactly these words.
func sensible(c shell.Call) string {
	n := prefix(c)
	words := c.Words
	if n > 0 && launches(words[0].Text, words[n:]) {
		n = 0
	}
	if n > 0 {
		words = words[:n]
	}
	var quoted []string
	for _, w := range words {
		if w.Kind != shell.Static {
			return ""
		}
		quoted = append(quoted, shell.Quote(w.Text))
	}
	pattern := strings.Join(quoted, " ")
	if len(pattern) > maxSaved || sanitize.Visible(pattern) != pattern || strings.Contains(pattern, "\n") {
		return ""
	}
	if n == 0 {
		return "=" + pattern
	}
	return pattern
}

// prefix returns how many words say what a command does whatever follows, or 0.
// The lists hold only commands that no later word makes run another program or
// write a file, those that launches knows aside.
func prefix(c shell.Call) int {
	word := func(i int) string {
		if i < len(c.Words) && c.Words[i].Kind == shell.Static {
			return c.Words[i].Text
		}
		return ""
	}
	in := func(s, list string) bool { return s != "" && slices.Contains(strings.Fields(list), s) }
	switch name := word(0); name {
	case "ls", "cat", "head", "tail", "wc", "pwd", "echo", "grep", "stat", "du", "df", "basename", "dirname", "cut", "tr", "which", "pytest":
		return 1
	case "git":
		if in(word(1), "status log diff show blame add commit shortlog ls-files rev-parse") {
			return 2
		}
	case "go":
		if in(word(1), "test build vet fmt list doc version") {
			return 2
		}
	case "cargo":
		if in(word(1), "test build check clippy fmt") {
			return 2
		}
	case "npm", "pnpm", "yarn", "bun":
		if in(word(1), "test ci") {
			return 2
		}
		if word(1) == "run" && word(2) != "" && !strings.HasPrefix(word(2), "-") {
			return 3
		}
	case "python", "python3":
		if word(1) == "-m" && in(word(2), "pytest unittest") {
			return 3
		}
	}
	return 0
}

// pattern returns the pattern of exactly this path.
func (pl place) pattern(path Path) string {
	escape := strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace
	if rel, ok := under(pl.root, path.Path); ok && rel != "" && path.Inside {
		if !strings.Contains(rel, "/") {
			rel = "./" + rel
		}
		return escape(rel)
	}
	return escape(path.Path)
}

// site returns the host of a URL, with its port unless that is the usual one;
// "" for what no rule of a host is about.
func site(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || u.User != nil || strings.Contains(u.Host, "*") {
		return ""
	}
	host := strings.ToLower(u.Host)
	usual := ":443"
	if u.Scheme == "http" {
		usual = ":80"
	}
	return strings.TrimSuffix(strings.TrimSuffix(host, usual), ":")
}
