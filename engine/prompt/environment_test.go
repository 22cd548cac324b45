package prompt

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

var linux = Facts{OS: "linux", Arch: "amd64", Shell: "bash", Cwd: "/w", Now: time.Date(2026, 11, 29, 23, 59, 0, 0, time.UTC)}

func TestGatherWithoutGit(t *testing.T) {
	want := Environment{OS: "linux/amd64", Shell: "bash", Cwd: "/w", Date: "2026-11-29 (Sunday)"}
	if got := Gather(t.Context(), linux); got != want {
		t.Errorf("got %+v", got)
	}
	broken := linux
	broken.Git = func(context.Context, ...string) (string, error) { return "", errors.New("exit status 128") }
	if got := Gather(t.Context(), broken); got != want {
		t.Errorf("no repository: got %+v", got)
	}
}

// repository is a real one, in a folder of its own and with no settings of
// the machine.
type repository struct {
	t   *testing.T
	dir string
}

func newRepository(t *testing.T) repository {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git here")
	}
	r := repository{t, t.TempDir()}
	r.must("init", "-q", "-b", "main")
	return r
}

func (r repository) git(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = r.dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_CEILING_DIRECTORIES="+filepath.Dir(r.dir))
	out, err := cmd.Output()
	return string(out), err
}

func (r repository) must(args ...string) {
	r.t.Helper()
	args = append([]string{"-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"}, args...)
	if out, err := r.git(r.t.Context(), args...); err != nil {
		r.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func (r repository) write(name, text string) {
	r.t.Helper()
	if err := os.WriteFile(filepath.Join(r.dir, name), []byte(text), 0o755); err != nil {
		r.t.Fatal(err)
	}
}

func (r repository) want(branch, changes string) {
	r.t.Helper()
	f := linux
	f.Git = r.git
	got := Gather(r.t.Context(), f)
	if !got.Git || got.Branch != branch || got.Changes != changes {
		r.t.Errorf("got %+v, want branch %q, %s", got, branch, changes)
	}
}

func TestGatherFromGit(t *testing.T) {
	r := newRepository(t)
	r.want("main", clean) // no commit yet
	r.write("a.txt", "one\n")
	r.want("main", clean) // untracked files don't count
	r.must("add", "a.txt")
	r.want("main", dirty)
	r.must("commit", "-q", "-m", "one")
	r.want("main", clean)
	r.write("a.txt", "two\n")
	r.want("main", dirty)
	r.must("checkout", "-q", "-b", "feat/ميزة")
	r.want("feat/ميزة", dirty)
	r.must("checkout", "-q", "-f", "--detach")
	r.want("", clean)
}

// E-4: looking at a strange repository starts none of its programs.
func TestGatherStartsNothing(t *testing.T) {
	for name, settings := range map[string][]string{
		"file watcher":    {"core.fsmonitor", "./evil"},
		"clean filter":    {"filter.x.clean", "./evil"},
		"process filter":  {"filter.x.process", "./evil", "filter.x.required", "true"},
		"odd filter name": {"filter.x.clean", "./evil", "filter.y=z.clean", "./evil"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepository(t)
			r.write("a.txt", "one\n")
			r.write(".gitattributes", "*.txt filter=x\n")
			r.must("add", ".")
			r.must("commit", "-q", "-m", "one")
			r.write("evil", "#!/bin/sh\ntouch ran\ncat\n")
			for pair := range slices.Chunk(settings, 2) {
				r.must("config", pair[0], pair[1])
			}
			r.write("a.txt", "two\n") // git must look at its content
			ran := func() bool {
				_, err := os.Stat(filepath.Join(r.dir, "ran"))
				return err == nil
			}
			f := linux
			f.Git = r.git
			if got := Gather(t.Context(), f); !got.Git || got.Branch != "main" || ran() {
				t.Errorf("got %+v, a program ran: %v", got, ran())
			}
			if _, err := r.git(t.Context(), "status"); !ran() {
				t.Errorf("the trap doesn't work (%v), so the test shows nothing", err)
			}
		})
	}
}
