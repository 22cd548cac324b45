//go:build linux

package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/llm/llmtest/mockserver"
)

// options say how hard and how long.
type options struct {
	length     time.Duration
	binary     string
	extensions string
	seed       uint64
	keep       string
	mounts     bool // this process may mount file systems
}

// patience bounds everything that should take a moment, also on a machine that is
// busy with other things. What takes longer hangs.
const patience = 2 * time.Minute

// soak is one run.
type soak struct {
	options
	root    string
	url     string // of the model server
	player  *player
	journal *journal
	watcher *watcher

	births sync.RWMutex // held for writing while nothing may be started

	mu     sync.Mutex
	places []*place
	runs   map[string]*child
	number int
}

// worker is one source of load. Its rounds come one after the other.
type worker struct {
	*soak
	name  string
	place *place
	rand  *rand.Rand
	work  func(*worker, context.Context)
}

// run makes the load, then looks at what is left of it.
func run(ctx context.Context, o options, out io.Writer) (err error) {
	s := &soak{options: o, journal: newJournal(out), player: newPlayer(), runs: map[string]*child{}}
	s.watcher = newWatcher(s.journal)
	if err := s.prepare(ctx); err != nil {
		return err
	}
	defer s.cleanup()
	server := mockserver.New(s.player.answer)
	server.Forget = true
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	service := &http.Server{Handler: server, ErrorLog: discardLog()}
	go func() { _ = service.Serve(listener) }()
	defer service.Close()
	s.url = "http://" + listener.Addr().String()

	fmt.Fprintf(out, "soak: %v, seed %d, in %s\n", o.length, o.seed, s.root)
	began := time.Now()
	if err := s.load(ctx); err != nil {
		return err
	}
	s.audit(context.WithoutCancel(ctx))
	s.report(out, time.Since(began))
	if s.journal.failed() {
		return errFound
	}
	return ctx.Err()
}

// prepare makes the folder and the program.
func (s *soak) prepare(ctx context.Context) (err error) {
	if err := adoptOrphans(); err != nil {
		return err
	}
	if s.extensions, err = filepath.Abs(s.extensions); err != nil {
		return err
	}
	if s.keep != "" {
		if s.root, err = filepath.Abs(s.keep); err == nil {
			err = os.MkdirAll(s.root, 0o700)
		}
	} else {
		s.root, err = os.MkdirTemp("", "hoopoe-soak-")
	}
	if err != nil || s.binary != "" {
		return err
	}
	s.binary = filepath.Join(s.root, "hoopoe")
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", s.binary, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if text, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build the program: %w\n%s", err, text)
	}
	return nil
}

// cleanup takes the folder away, unless it is to stay.
func (s *soak) cleanup() {
	s.killAll()
	for _, p := range s.places {
		if p.disk != nil {
			p.disk.close()
		}
	}
	if s.keep == "" {
		_ = os.RemoveAll(s.root)
	}
}

// loads are what the workers do, each by itself.
var loads = []struct {
	name string
	work func(*worker, context.Context)
}{
	{"print", (*worker).printing}, {"rpc", (*worker).driving}, {"acp", (*worker).editing}, {"remote", (*worker).serving},
	{"chat", (*worker).chatting}, {"vanish", (*worker).vanishing}, {"disk", (*worker).filling},
}

// load runs all workers until the time is over.
func (s *soak) load(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s.length)
	defer cancel()
	var workers []*worker
	for i, load := range loads {
		p, err := s.newPlace(load.name)
		if err != nil {
			return err
		}
		if p != nil { // else there is no such disk
			workers = append(workers, &worker{soak: s, name: load.name, place: p, rand: newRand(s.seed + uint64(i)), work: load.work})
		}
	}
	var all sync.WaitGroup
	for _, w := range workers {
		all.Go(func() { w.work(w, ctx) })
	}
	samples, stop := context.WithCancel(ctx)
	var watching sync.WaitGroup
	watching.Go(func() { s.watcher.run(samples, min(10*time.Second, max(time.Second, s.length/120))) })
	all.Wait()
	stop()
	watching.Wait()
	return nil
}

// each calls a round again and again, with a rest after each.
func (w *worker) each(ctx context.Context, round func(ctx context.Context) error) {
	for ctx.Err() == nil {
		// A round that has begun may end: it is bounded by its own patience.
		if err := round(context.WithoutCancel(ctx)); err != nil {
			w.journal.fail(w.name, err)
		}
		w.journal.count(w.name + " rounds")
		w.rest(ctx, 400*time.Millisecond, 1600*time.Millisecond)
	}
}

// rest waits for a while of a length by chance.
func (w *worker) rest(ctx context.Context, least, most time.Duration) {
	select {
	case <-time.After(least + rand.N(most-least)):
	case <-ctx.Done():
	}
}

// chance is true once in n times.
func (w *worker) chance(n int) bool { return w.rand.IntN(n) == 0 }

// id names a prompt and its answer; it is unique in the run.
func (s *soak) id() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.number++
	return fmt.Sprintf("s%d", s.number)
}

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

// pick is one of several.
func pick[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

// within bounds a piece of work by patience and names it.
func within[T any](ctx context.Context, what string, work func(ctx context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	v, err := work(ctx)
	if err != nil {
		return v, fmt.Errorf("%s: %w", what, cmp.Or(context.Cause(ctx), err))
	}
	return v, nil
}
