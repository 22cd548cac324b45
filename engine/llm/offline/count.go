package offline

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"
)

type tally struct {
	name string
	n    int
}

// most sorts counts, the largest first, and keeps a few.
func most(count map[string]int, keep int) []tally {
	var out []tally
	for name, n := range count {
		out = append(out, tally{name, n})
	}
	slices.SortFunc(out, func(a, b tally) int { return cmp.Or(b.n-a.n, strings.Compare(a.name, b.name)) })
	return out[:min(keep, len(out))]
}

// languages counts files by what their extension says.
func (t *turn) languages(files []string) string {
	count := map[string]int{}
	for _, file := range files {
		if lang := languageOf(file); lang != "" {
			count[lang]++
		}
	}
	return t.counts(most(count, 5), func(s string) string { return s })
}

// folders lists the folders at the top with how many files are below each.
func (t *turn) folders(p project) string {
	count := map[string]int{}
	for _, name := range p.top {
		if dir, ok := strings.CutSuffix(name, "/"); ok && !strings.HasPrefix(dir, ".") {
			count[dir] = 0
		}
	}
	for _, file := range p.files {
		dir, rest, ok := strings.Cut(file, "/")
		if _, listed := count[dir]; ok && rest != "" && (listed || len(p.top) == 0) && !strings.HasSuffix(file, "/") {
			count[dir]++
		}
	}
	if len(p.files) > 0 { // a folder without files is ignored or empty
		maps.DeleteFunc(count, func(_ string, n int) bool { return n == 0 })
	}
	return t.counts(most(count, 8), code)
}

func (t *turn) counts(list []tally, show func(string) string) string {
	var out []string
	for _, c := range list {
		if c.n == 0 {
			out = append(out, show(c.name))
			continue
		}
		out = append(out, t.say("%[1]s (%[3]s)", "%[1]s (%[2]d)", "%[1]s（%[2]d 个文件）", show(c.name), c.n, several(c.n, "file")))
	}
	return strings.Join(out, t.lang.pick(", ", "، ", "、"))
}

func languageOf(file string) string {
	switch strings.ToLower(path.Ext(file)) {
	case ".go":
		return "Go"
	case ".js", ".mjs", ".cjs", ".jsx":
		return "JavaScript"
	case ".ts", ".tsx", ".mts":
		return "TypeScript"
	case ".py":
		return "Python"
	case ".rs":
		return "Rust"
	case ".java":
		return "Java"
	case ".kt", ".kts":
		return "Kotlin"
	case ".c", ".h":
		return "C"
	case ".cc", ".cpp", ".cxx", ".hpp":
		return "C++"
	case ".cs":
		return "C#"
	case ".rb":
		return "Ruby"
	case ".php":
		return "PHP"
	case ".swift":
		return "Swift"
	case ".scala":
		return "Scala"
	case ".ex", ".exs":
		return "Elixir"
	case ".lua":
		return "Lua"
	case ".sh", ".bash", ".zsh":
		return "Shell"
	case ".html", ".htm":
		return "HTML"
	case ".css", ".scss":
		return "CSS"
	case ".sql":
		return "SQL"
	case ".md":
		return "Markdown"
	}
	return ""
}
