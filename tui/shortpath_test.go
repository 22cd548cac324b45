package tui

import "testing"

func TestShortPath(t *testing.T) {
	for _, c := range []struct{ path, cwd, home, want string }{
		{"/home/dev/demo/a.go", "/home/dev/demo", "/home/dev", "a.go"},
		{"/home/dev/demo", "/home/dev/demo/", "/home/dev", "."},
		{"/home/dev/demon/a.go", "/home/dev/demo", "/home/dev", "~/demon/a.go"},
		{"/home/dev", "/home/dev/demo", "/home/dev/", "~"},
		{"/home/devil/x", "/home/dev/demo", "/home/dev", "/home/devil/x"},
		{"/etc/passwd", "/home/dev/demo", "", "/etc/passwd"},
		{"/etc/passwd", "/", "/", "/etc/passwd"},
		{`C:\Users\dev\demo\a.go`, `C:\Users\dev\demo`, `C:\Users\dev`, "a.go"},
		{`C:\Users\dev\notes`, `C:\Users\dev\demo`, `C:\Users\dev`, `~\notes`},
		{"/w/项目/ملف\u202e.go", "/w", "", `项目/ملف\u202e.go`},
	} {
		if got := shortPath(c.path, c.cwd, c.home); got != c.want {
			t.Errorf("%q in %q is %q, want %q", c.path, c.cwd, got, c.want)
		}
	}
}
