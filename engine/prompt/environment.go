package prompt

import (
	"context"
	"strings"
	"time"
)

// What Environment.Changes says.
const (
	clean = "no uncommitted changes"
	dirty = "uncommitted changes"
)

// Environment is where the agent works.
type Environment struct {
	OS     string // with the architecture, such as linux/amd64
	Shell  string // what the bash tool runs
	Cwd    string
	Date   string // 2006-01-02 with the weekday; no time, so that the prompt stays the same for a day
	Git    bool   // Cwd is in a git repository
	Branch string // "" when no branch is checked out
	// Changes says whether tracked files have changes that aren't committed,
	// in words; "" if that isn't known.
	Changes string
}

// Facts are what Gather starts from.
type Facts struct {
	OS, Arch, Shell, Cwd string
	Now                  time.Time
	// Git runs git with args in Cwd and returns its output, with an error for
	// an exit code other than 0; nil when there is no git. The caller bounds
	// the time of all calls together by ctx.
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

// maxFilters bounds the list of filters, in bytes: one that a runner may have
// cut can't be relied on.
const maxFilters = 8 << 10

// noFilters are switches against the configured content filters, which git
// would run on files that may have changed. names is a list with one to a
// line; ok is false when it can't be turned into switches for certain.
func noFilters(names string) (args []string, ok bool) {
	if len(names) > maxFilters {
		return nil, false
	}
	for name := range strings.Lines(names) {
		name = strings.TrimRight(name, "\r\n")
		if !strings.HasPrefix(name, "filter.") || strings.Contains(name, "=") {
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
	head, err := f.Git(ctx, append(noPrograms(), "rev-parse", "--symbolic-full-name", "HEAD")...)
	if err != nil {
		// Not a repository, or one without a commit: its branch has no value
		// yet, but a name.
		if head, err = f.Git(ctx, append(noPrograms(), "symbolic-ref", "HEAD")...); err != nil {
			return e
		}
	}
	e.Git = true
	for line := range strings.Lines(head) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "refs/heads/"); ok {
			e.Branch = name
		}
	}
	e.Changes = changes(ctx, f)
	return e
}

// changes asks for Environment.Changes, if that can be done safely.
func changes(ctx context.Context, f Facts) string {
	// An error says that no filter is configured.
	names, _ := f.Git(ctx, append(noPrograms(), "config", "--name-only", "--get-regexp", `^filter\.`)...)
	filters, ok := noFilters(names)
	if !ok || ctx.Err() != nil {
		return ""
	}
	args := append(append(noPrograms(), filters...), "status", "--porcelain", "--untracked-files=no", "--ignore-submodules=all")
	status, err := f.Git(ctx, args...)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(status) {
		if len(line) > 3 && line[2] == ' ' { // two letters of state, then the path
			return dirty
		}
	}
	return clean
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
	branch := "no branch checked out"
	if e.Branch != "" {
		branch = "branch " + e.Branch
	}
	return strings.TrimSuffix(branch+", "+e.Changes, ", ")
}
