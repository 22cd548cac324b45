//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// watcher looks at the processes that live as long as the run.
type watcher struct {
	journal *journal
	began   time.Time

	mu       sync.Mutex
	subjects []*subject
}

// subject is a process with what it used at each look.
type subject struct {
	name    string
	child   *child
	over    bool // it is ended on purpose
	samples []sample
	zombies map[int]bool // children that were dead and not reaped at the last look
}

// sample is one look. Heap is what was in use after the last collection, memory
// what the process has for its own, without pages of files; both in KB.
type sample struct {
	at       time.Duration
	heap     int
	memory   int
	files    int
	threads  int
	children int
}

func newWatcher(j *journal) *watcher { return &watcher{journal: j, began: time.Now()} }

func (w *watcher) watch(name string, c *child) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.subjects = append(w.subjects, &subject{name: name, child: c, zombies: map[int]bool{}})
}

// leave looks at a process no more.
func (w *watcher) leave(c *child) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range w.subjects {
		s.over = s.over || s.child == c
	}
}

// run looks again and again.
func (w *watcher) run(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		w.mu.Lock()
		for _, s := range w.subjects {
			if s.over {
				continue
			}
			if err := s.look(time.Since(w.began)); err != nil {
				w.journal.fail(s.name, err)
			}
		}
		w.mu.Unlock()
	}
}

// look takes a sample.
func (s *subject) look(at time.Duration) error {
	pid := s.child.cmd.Process.Pid
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return fmt.Errorf("the process is gone: %s", s.child.words())
	}
	files, _ := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	children := childrenOf(pid)
	s.samples = append(s.samples, sample{
		at: at, heap: s.child.heap(), memory: field(status, "RssAnon:"), threads: field(status, "Threads:"), files: len(files), children: len(children),
	})
	dead := map[int]bool{}
	for _, c := range children {
		if stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", c)); strings.Contains(string(stat), "State:\tZ") {
			if s.zombies[c] {
				err = fmt.Errorf("child %d is a zombie since the last look", c)
			}
			dead[c] = true
		}
	}
	s.zombies = dead
	return err
}

// field is a number of /proc/PID/status.
func field(status []byte, name string) int {
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, name); ok {
			n, _ := strconv.Atoi(strings.Fields(rest)[0])
			return n
		}
	}
	return 0
}

// What may grow from the end of the first quarter to the end of a run: of the
// median a share, but at least so much. The heap is known in whole MB and is a
// matter of when the collector last ran, a few MB up or down; a leak of 10 KB a
// round makes as much. Memory follows what the heap was between collections, and
// is given back when the runtime likes: it only shows what isn't on the heap.
const (
	heapShare, heapLeast     = 0.25, 3 << 10 // KB
	memoryShare, memoryLeast = 0.40, 16 << 10
	filesLeast               = 3
	// A run shorter than this hasn't got over its beginnings.
	judged = 10 * time.Minute
)

// trend is the growth over all points by the median of the slopes between any
// two (Theil and Sen): single peaks don't count.
func trend(points []float64) float64 {
	var slopes []float64
	for i := range points {
		for j := i + 1; j < len(points); j++ {
			slopes = append(slopes, (points[j]-points[i])/float64(j-i))
		}
	}
	if len(slopes) == 0 {
		return 0
	}
	return median(slopes) * float64(len(points)-1)
}

func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}

// usage is what became of one number of a subject after its warm-up.
type usage struct{ first, last, peak, middle, growth float64 }

// usageOf drops the first quarter, and tells the medians of what is then the
// first and the last tenth.
func usageOf(samples []sample, of func(sample) int) usage {
	samples = samples[len(samples)/4:]
	points := make([]float64, len(samples))
	for i, s := range samples {
		points[i] = float64(of(s))
	}
	if len(points) == 0 {
		return usage{}
	}
	tenth := max(1, len(points)/10)
	return usage{
		first: median(points[:tenth]), last: median(points[len(points)-tenth:]),
		peak: slices.Max(points), middle: median(points), growth: trend(points),
	}
}

// grows says what isn't flat.
func (s *subject) grows() (found []string) {
	size := func(what string, share, least float64, of func(sample) int) {
		if u := usageOf(s.samples, of); u.growth > max(least, share*u.middle) {
			found = append(found, fmt.Sprintf("%s grows by %.1f MB of %.1f", what, u.growth/1024, u.middle/1024))
		}
	}
	size("the heap", heapShare, heapLeast, func(s sample) int { return s.heap })
	size("memory", memoryShare, memoryLeast, func(s sample) int { return s.memory })
	files := usageOf(s.samples, func(s sample) int { return s.files })
	if files.growth > filesLeast {
		found = append(found, fmt.Sprintf("descriptors grow by %.0f of %.0f", files.growth, files.middle))
	}
	return found
}
