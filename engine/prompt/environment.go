package prompt

import (
	"context"
	"strings"
	"time"
)

// Environment is where the agent works.
type Environment struct {
	OS     string // with the architecture, such as linux/amd64
	Shell  string // what the bash tool runs
	Cwd    string
	Date   string // 2006-01-02 with the weekday; no time, so that the prompt stays the same for a day
	Git    bool   // Cwd is in a git repository
	Branch string // "" when no branch is checked out
	Dirty  bool   // tracked files have changes that aren't committed
}

// Facts are what Gather starts from.
type Facts struct {
	OS, Arch, Shell, Cwd string
	Now                  time.Time
	// Git runs git with args in Cwd and returns its standard output; nil when
	// there is no git. The caller bounds its time by ctx.
	Git func(ctx context.Context, args ...string) (string, error)
}

// noPrograms are switches against what a repository's own configuration could
// make git start: hooks, a file watcher, a transport for missing objects.
// Gather runs before the user has trusted the folder.
func noPrograms() []string {
	args := []string{"--no-optional-locks", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"}
	for _, protocol := range []string{"file", "git", "ssh", "http", "https", "ext"} {
		args = append(args, "-c", "protocol."+protocol+".allow=never")
	}
	return args
}

// noFilters are switches against the configured content filters, which git
// would run on files that may have changed. ok is false when a filter's name
// can't be written as a switch.
func noFilters(names string) (args []string, ok bool) {
	for _, name := range strings.FieldsFunc(names, func(r rune) bool { return r == 0 }) {
		if strings.ContainsAny(name, "=\n") {
			return nil, false
		}
		value := ""
		if strings.HasSuffix(name, ".required") {
			value = "false"
		}
		args = append(args, "-c", name+"="+value)
	}
	return args, true
}

// Gather collects the environment. What git doesn't answer is left out.
func Gather(ctx context.Context, f Facts) Environment {
	e := Environment{OS: f.OS + "/" + f.Arch, Shell: f.Shell, Cwd: f.Cwd, Date: f.Now.Format("2006-01-02 (Monday)")}
	if f.Git == nil {
		return e
	}
	branch, err := f.Git(ctx, append(noPrograms(), "rev-parse", "--symbolic-full-name", "HEAD")...)
	if err != nil {
		// Not a repository, or one without a commit: its branch has no value
		// yet, but a name.
		if branch, err = f.Git(ctx, append(noPrograms(), "symbolic-ref", "HEAD")...); err != nil {
			return e
		}
	}
	e.Git = true
	if name, ok := strings.CutPrefix(strings.TrimSpace(branch), "refs/heads/"); ok {
		e.Branch = name
	}
	// The error says that no filter is configured.
	names, _ := f.Git(ctx, append(noPrograms(), "config", "-z", "--name-only", "--get-regexp", `^filter\.`)...)
	filters, ok := noFilters(names)
	if !ok || ctx.Err() != nil {
		return e
	}
	args := append(append(noPrograms(), filters...), "status", "--porcelain", "--untracked-files=no", "--ignore-submodules=all")
	if changed, err := f.Git(ctx, args...); err == nil {
		e.Dirty = strings.TrimSpace(changed) != ""
	}
	return e
}

func (e Environment) section() string {
	if e == (Environment{}) {
		return ""
	}
	var b strings.Builder
	b.WriteString("# Environment")
	fact := func(name, value string) {
		if value = oneLine(value); value != "" {
			b.WriteString("\n- " + name + ": " + value)
		}
	}
	fact("System", strings.Trim(e.OS, "/"))
	fact("Shell", e.Shell)
	fact("Working folder", e.Cwd)
	fact("Git", e.git())
	fact("Date", e.Date)
	return b.String()
}

func (e Environment) git() string {
	if !e.Git {
		return "not a repository"
	}
	state := "no uncommitted changes"
	if e.Dirty {
		state = "uncommitted changes"
	}
	if e.Branch == "" {
		return "no branch checked out, " + state
	}
	return "branch " + e.Branch + ", " + state
}
