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

// gitStatus asks for the branch and changed files in one call. A repository's
// own configuration could make git start a program; those switches are off.
func gitStatus() []string {
	return []string{
		"--no-optional-locks", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null",
		"status", "--porcelain=v2", "--branch", "--untracked-files=no", "--ignore-submodules=all",
	}
}

// Gather collects the environment. What git doesn't answer is left out.
func Gather(ctx context.Context, f Facts) Environment {
	e := Environment{OS: f.OS + "/" + f.Arch, Shell: f.Shell, Cwd: f.Cwd, Date: f.Now.Format("2006-01-02 (Monday)")}
	if f.Git == nil {
		return e
	}
	out, err := f.Git(ctx, gitStatus()...)
	if err != nil {
		return e // most often: not a repository
	}
	e.Git = true
	for line := range strings.Lines(out) {
		line = strings.TrimRight(line, "\r\n")
		if branch, ok := strings.CutPrefix(line, "# branch.head "); ok && branch != "(detached)" {
			e.Branch = branch
		} else if line != "" && !strings.HasPrefix(line, "#") {
			e.Dirty = true
		}
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
