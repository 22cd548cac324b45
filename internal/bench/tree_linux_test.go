package main

import (
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		stat string
		want time.Duration
	}{
		{"7 (a) b) 9) S 1 7 7 0 -1 4194560 100 200 0 0 3 2 10 5 20 0 1 0 9 9 9", 200 * time.Millisecond},
		{"", 0},
		{"7 (a) S 1", 0},
	} {
		if got := ticks([]byte(c.stat)); got != c.want {
			t.Errorf("%q: %v, not %v", c.stat, got, c.want)
		}
	}
}

func FuzzTicks(f *testing.F) {
	f.Add("7 (a) b) S 1 7 7 0 -1 4194560 100 200 0 0 3 2 10 5 20")
	f.Fuzz(func(_ *testing.T, stat string) { ticks([]byte(stat)) })
}

func TestStatusMiB(t *testing.T) {
	status := "Name:\tx\nVmHWM:\t    2048 kB\nVmRSS:\t    1024 kB\n"
	if got := statusMiB([]byte(status), "VmHWM:"); got != 2 {
		t.Errorf("%v MiB", got)
	}
	if got := statusMiB(nil, "VmHWM:"); got != 0 {
		t.Errorf("%v MiB of nothing", got)
	}
}

// A tree is the process and all below it; a sweep ends what has its home in a
// folder, and nothing else.
func TestTrees(t *testing.T) {
	b := newBench(t, options{})
	w, err := newPlace(b.folder, b.stage.url(), b.path, pi())
	if err != nil {
		t.Fatal(err)
	}
	begin := func(home string) *conn {
		c := w.command(pi(), "/bin/sh", "-c", "sleep 600 & echo begun; wait")
		c.Env[slices.Index(c.Env, "HOME="+w.home)] = "HOME=" + home
		s, err := dial(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.kill)
		if _, err := s.until(func(line []byte) bool { return strings.HasPrefix(string(line), "begun") }); err != nil {
			t.Fatal(err)
		}
		return s
	}
	ours, other := begin(w.home), begin("/elsewhere")
	pid := ours.c.Process.Pid
	if family := descendants(pid); len(family) != 2 || family[0] != pid {
		t.Errorf("family %v of %d", family, pid)
	}
	if memory(pid) <= 0 || highWater(pid) <= 0 {
		t.Error("they have no memory")
	}
	sweep(b.folder)
	<-ours.done
	if err := other.c.Process.Signal(syscall.Signal(0)); err != nil {
		t.Errorf("the other ended too: %v", err)
	}
}
