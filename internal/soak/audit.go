//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/session"
)

// ledger has what clients were told: that a prompt was taken, an answer whole, a
// result there. All of it has to be in the place's files (requirement E-1).
type ledger struct {
	mu      sync.Mutex
	markers map[string]bool
}

func newLedger() *ledger { return &ledger{markers: map[string]bool{}} }

func (l *ledger) told(marker string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.markers[marker] = true
}

func (l *ledger) add(markers []string) {
	for _, m := range markers {
		l.told(m)
	}
}

func (l *ledger) all() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Sorted(maps.Keys(l.markers))
}

// audit looks at all that is left when the load has ended.
func (s *soak) audit(ctx context.Context) {
	s.killAll() // nothing is, unless a worker failed
	for _, p := range s.places {
		if err := s.auditPlace(ctx, p); err != nil {
			s.journal.fail("sessions of "+p.name, err)
		}
	}
	for _, subject := range s.watcher.subjects {
		if s.length < judged {
			continue
		}
		for _, what := range subject.grows() {
			s.journal.fail(subject.name, errors.New(what))
		}
	}
}

// auditPlace checks every session file, that everything told is in one, and
// that some of them can be gone on with.
func (s *soak) auditPlace(ctx context.Context, p *place) error {
	files, err := p.sessions()
	if err != nil {
		return err
	}
	kept, broken := map[string]bool{}, []error{}
	var tops []string
	for _, file := range files {
		s.journal.count("session files checked")
		if err := inspect(file, kept); err != nil {
			broken = append(broken, fmt.Errorf("%s: %w", filepath.Base(file), err))
		}
		if p.top(file) {
			tops = append(tops, file)
		}
	}
	for _, marker := range p.ledger.all() {
		s.journal.count("messages told and looked for")
		if !kept[marker] {
			broken = append(broken, fmt.Errorf("%s was told and is in no file", marker))
		}
	}
	w := &worker{soak: s, name: "resume", place: p, rand: newRand(s.seed)}
	for range min(3, len(tops)) {
		s.journal.count("sessions resumed at the end")
		id := w.id()
		broken = append(broken, w.printed(ctx, id, false, "-p", "-r", pick(w.rand, tops...), ask(id, "bash")))
	}
	return errors.Join(broken...)
}

// inspect reads a session file line by line, then as the program does. It adds
// the markers of its messages.
func inspect(file string, kept map[string]bool) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if err := inspectLines(data, kept); err != nil {
		return err
	}
	// Opened in a copy, since opening may repair.
	copied := filepath.Join(filepath.Dir(file), ".audit")
	defer os.Remove(copied)
	if err := os.WriteFile(copied, data, 0o600); err != nil {
		return err
	}
	d, notices, err := session.Open(copied, session.Options{})
	if err != nil {
		return err
	}
	var found []error
	for _, n := range notices {
		if !strings.Contains(n.Text, "never finished") {
			found = append(found, errors.New(n.String()))
		}
	}
	for _, e := range d.Entries() {
		if _, ok := d.Entry(e.ParentID); e.ParentID != "" && !ok {
			found = append(found, fmt.Errorf("entry %s has no parent %s", e.ID, e.ParentID))
		}
	}
	_ = os.Remove(copied + ".torn")
	return errors.Join(append(found, d.Close())...)
}

// inspectLines holds a file to the form that it is written in: whole lines, but
// for the last one of a process that was killed; ids that are there once;
// parents before their children.
func inspectLines(data []byte, kept map[string]bool) error {
	seen := map[string]bool{}
	n := 0
	for line := range bytes.Lines(data) {
		n++
		var e struct {
			Type, ID string
			ParentID *string
			Message  struct{ Role string }
		}
		if err := json.Unmarshal(line, &e); err != nil {
			if !bytes.HasSuffix(line, []byte("\n")) {
				return nil // the tail of a killed process
			}
			return fmt.Errorf("line %d of %d is torn: %.80q", n, bytes.Count(data, []byte("\n")), line)
		}
		if n == 1 {
			if e.Type != "session" {
				return fmt.Errorf("the first line is a %q", e.Type)
			}
			continue
		}
		if e.ID == "" || seen[e.ID] {
			return fmt.Errorf("line %d: the id %q is missing or there twice", n, e.ID)
		}
		if e.ParentID != nil && *e.ParentID != "" && !seen[*e.ParentID] {
			return fmt.Errorf("line %d: no parent %s before it", n, *e.ParentID)
		}
		seen[e.ID] = true
		keep(e.Message.Role, line, kept)
	}
	return nil
}

// keep adds the markers that a message of that role may have.
func keep(role string, line []byte, kept map[string]bool) {
	kind := map[string]string{"assistant": "answer-", "toolResult": "result-"}[role]
	if role == "user" {
		for _, d := range directives.FindAllSubmatch(line, -1) {
			kept["prompt-"+string(d[1])] = true
		}
	}
	for _, m := range marked(line) {
		if kind != "" && strings.HasPrefix(m, kind) {
			kept[m] = true
		}
	}
}

// rested ends a process that has worked all the time: at rest it has no children
// and about as many goroutines as one that has just begun. The signal that has
// it list them is its end, which its sessions have to survive as well.
func (w *worker) rested(f face, fresh func() (face, error)) {
	w.watcher.leave(f.process())
	pid := f.process().cmd.Process.Pid
	if !eventually(func() bool { return len(childrenOf(pid)) == 0 }) {
		for _, c := range childrenOf(pid) {
			w.journal.fail(w.name, fmt.Errorf("at rest there is a child: %s", commandOf(c)))
		}
	}
	other, err := fresh()
	if err == nil && w.name != "remote" {
		err = w.question(context.Background(), other)
	}
	if err != nil {
		w.journal.fail(w.name, err)
		return
	}
	w.rest(context.Background(), 12*time.Second, 13*time.Second) // what waits for clients to come back gives up
	before, after := goroutines(other), goroutines(f)
	w.journal.note(fmt.Sprintf("goroutines of %s: %d, of a fresh process %d", w.name, total(after), total(before)))
	const some = 15 // connections to the model that are kept, timers
	if total(after) == 0 || total(after) > total(before)+some {
		w.journal.fail(w.name, fmt.Errorf("%d goroutines, where a fresh process has %d; more of %s", total(after), total(before), strings.Join(more(after, before), ", ")))
	}
}

// goroutines ends a process by the signal that has the runtime list them, and
// counts them by who began them.
func goroutines(f face) map[string]int {
	out := &f.process().stderr
	out.grow(8 << 20)
	f.process().signal(syscall.SIGQUIT)
	_, _ = f.process().code()
	eventually(func() bool {
		return strings.Contains(out.String(), "\nrax ") || strings.Contains(out.String(), "\nr0 ")
	}) // registers come last
	f.vanish()
	return byOrigin(out.String())
}

// byOrigin reads what the runtime lists.
func byOrigin(text string) map[string]int {
	counts := map[string]int{}
	for g := range strings.SplitSeq(strings.ReplaceAll(text, "\r\n", "\n"), "\n\n") {
		if !strings.HasPrefix(strings.TrimLeft(g, "\n"), "goroutine ") {
			continue
		}
		origin := "main"
		if _, after, ok := strings.Cut(g, "\ncreated by "); ok {
			origin = strings.Fields(after)[0]
		}
		counts[origin]++
	}
	return counts
}

func total(counts map[string]int) (n int) {
	for _, c := range counts {
		n += c
	}
	return n
}

// more lists of what there is more in after.
func more(after, before map[string]int) (found []string) {
	for _, origin := range slices.Sorted(maps.Keys(after)) {
		if n := after[origin] - before[origin]; n > 0 {
			found = append(found, fmt.Sprintf("%s (%d)", origin, n))
		}
	}
	return found
}

// eventually waits until something is so.
func eventually(so func() bool) bool {
	for until := time.Now().Add(10 * time.Second); !so(); <-time.After(50 * time.Millisecond) {
		if time.Now().After(until) {
			return false
		}
	}
	return true
}

// report tells what was done, what was used, and what was wrong.
func (s *soak) report(out io.Writer, took time.Duration) {
	s.player.mu.Lock()
	for what, n := range s.player.played {
		s.journal.counts["model: "+what] = n
	}
	s.player.mu.Unlock()
	disk := "none: it takes root, or namespaces of one's own"
	for _, p := range s.places {
		if p.disk != nil {
			disk = p.disk.kind()
		}
	}
	var mine, theirs syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &mine)
	_ = syscall.Getrusage(syscall.RUSAGE_CHILDREN, &theirs)
	seconds := func(u syscall.Rusage) float64 { return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9 }
	fmt.Fprintf(out, "ran %v; processor %.0f s in the program, %.0f s here; disk: %s\n", took.Round(time.Second), seconds(theirs), seconds(mine), disk)
	for _, subject := range s.watcher.subjects {
		h := usageOf(subject.samples, func(s sample) int { return s.heap })
		m := usageOf(subject.samples, func(s sample) int { return s.memory })
		f := usageOf(subject.samples, func(s sample) int { return s.files })
		t := usageOf(subject.samples, func(s sample) int { return s.threads })
		fmt.Fprintf(out, "  %-7s heap %.0f -> %.0f MB (peak %.0f, trend %+.1f), memory %.1f -> %.1f MB (peak %.1f, trend %+.1f), descriptors %.0f -> %.0f (peak %.0f, trend %+.1f), threads %.0f -> %.0f, %d looks\n",
			subject.name, h.first/1024, h.last/1024, h.peak/1024, h.growth/1024, m.first/1024, m.last/1024, m.peak/1024, m.growth/1024, f.first, f.last, f.peak, f.growth, t.first, t.last, len(subject.samples))
	}
	if s.length < judged {
		fmt.Fprintf(out, "  (trends are judged in runs of %v and more)\n", judged)
	}
	s.journal.write(out)
}
