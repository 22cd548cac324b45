//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// vanishing is the load of the vanish worker: processes of all faces that come
// to an end in the middle of their work, and whose sessions others go on with.
func (w *worker) vanishing(ctx context.Context) {
	n := 0
	w.each(ctx, func(ctx context.Context) error {
		name := faceNames[n%len(faceNames)]
		how := endings[w.rand.IntN(len(endings))]
		n++
		err := w.cut(ctx, name, how)
		if err != nil {
			err = fmt.Errorf("%s, %s: %w", name, how, err)
		}
		w.orphans()
		return err
	})
}

// cut ends a face's process at work, then goes on with its session by print.
func (w *worker) cut(ctx context.Context, name string, how ending) error {
	f, err := faces[name](w, w.place.hear)
	if err != nil {
		return err
	}
	if err := w.question(ctx, f); err != nil {
		return errors.Join(err, end(f, killed))
	}
	id := w.id()
	words := pick(w.rand, []string{id, "bash", "fault:hang"}, []string{id, "bash", "sleep"}, []string{id, "bash", "slow"}, []string{id, "task", "bash"})
	reached := w.player.expect(id)
	over := make(chan struct{})
	go func() {
		defer close(over)
		ctx, cancel := context.WithTimeout(ctx, 2*patience)
		defer cancel()
		_, _ = f.ask(ctx, ask(words...)) // it is cut
	}()
	select {
	case <-reached:
	case <-f.process().done:
		return fmt.Errorf("it ended before %v got to the model: %s", words, f.process().words())
	case <-time.After(patience):
		return errors.Join(fmt.Errorf("%v didn't get to the model: %s", words, f.process().words()), end(f, killed))
	}
	w.rest(ctx, 1, 500*time.Millisecond)
	err = end(f, how)
	<-over
	if err != nil {
		return err
	}
	next := w.id()
	return w.printed(ctx, next, false, "-p", "-c", ask(next, "read"))
}

// filling is the load of the disk worker: each face on a disk that is full for
// a while, or slow.
func (w *worker) filling(ctx context.Context) {
	n := 0
	w.each(ctx, func(ctx context.Context) error {
		name, kinds := faceNames[n%len(faceNames)], []string{"full", "full to the end", "slow"}
		if !w.place.disk.freezes {
			kinds = kinds[:2]
		}
		kind := kinds[n/len(faceNames)%len(kinds)]
		n++
		w.journal.count("disk " + kind)
		var err error
		if kind == "slow" {
			err = w.slowDisk(ctx, name)
		} else {
			err = w.fullDisk(ctx, name, kind == "full to the end")
		}
		if err != nil {
			err = fmt.Errorf("%s, %s: %w", name, kind, err)
		}
		return err
	})
}

// fullDisk fills the disk under a running face. What is told meanwhile counts
// if the disk is freed before the end.
func (w *worker) fullDisk(ctx context.Context, name string, toTheEnd bool) error {
	later := newLedger()
	f, err := faces[name](w, func(frame []byte) {
		for _, m := range marked(frame) {
			later.told(m)
		}
	})
	if err != nil {
		return err
	}
	err = w.question(ctx, f)
	saved := later.all()
	if err := w.place.disk.fill(); err != nil {
		return errors.Join(err, end(f, killed))
	}
	id := w.id()
	_, e := within(ctx, name+" with a full disk", func(ctx context.Context) (string, error) {
		return f.ask(ctx, ask(id, "write", "bash", "read"))
	})
	if alarming(e) {
		err = errors.Join(err, e)
	}
	if toTheEnd {
		f.leave()
		err = errors.Join(err, f.process().ends(append([]int{1}, f.codes(left)...)...), w.place.disk.free())
		f.vanish()
		w.place.ledger.add(saved)
	} else {
		err = errors.Join(err, w.place.disk.free(), w.question(ctx, f), end(f, left))
		w.place.ledger.add(later.all())
	}
	next := w.id()
	return errors.Join(err, w.printed(ctx, next, false, "-p", "-c", ask(next, "bash")))
}

// slowDisk has every write wait, again and again, while the face works, and in
// the end kills it or not.
func (w *worker) slowDisk(ctx context.Context, name string) error {
	f, err := faces[name](w, w.place.hear)
	if err != nil {
		return err
	}
	slow, stop := context.WithCancel(ctx)
	over := make(chan error, 1)
	go func() { over <- w.place.disk.stutter(slow) }()
	id := w.id()
	err = w.put(ctx, f, id, ask(id, "write", "edit", "bash", "todo", "slow"), false)
	if w.chance(2) {
		err = errors.Join(err, w.question(ctx, f))
	}
	how := pick(w.rand, left, left, killed)
	if how == killed {
		f.process().signal(9)
	} else {
		f.leave()
	}
	stop()
	err = errors.Join(err, <-over, f.process().ends(f.codes(how)...))
	f.vanish()
	next := w.id()
	return errors.Join(err, w.printed(ctx, next, false, "-p", "-c", ask(next)))
}
