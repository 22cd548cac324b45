package rpc

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/hoopoe-agent/hoopoe/engine"
	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/jsonl"
)

// lastItem ends the stream: the writer stops behind it.
type lastItem struct{}

// write is the only writer of stdout. It ends after lastItem, or with the
// reason why the host can't be told anything more.
func (s *server) write(ctx context.Context) error {
	w := &writer{out: bufio.NewWriterSize(s.o.Stdout, 64<<10), projection: newProjection(s.o), server: s}
	if err := w.frames(ready{"ready", s.o.Version}); err != nil {
		return err
	}
	for {
		if err := w.out.Flush(); err != nil {
			return broken(err)
		}
		batch, err := w.wait(ctx)
		if err != nil {
			return err
		}
		for _, it := range batch {
			if _, last := it.Ack.(lastItem); last {
				w.release()
				return errors.Join(w.frames(w.projection.flush(s.o.Now())...), w.out.Flush())
			}
			if err := w.item(it); err != nil {
				return broken(err)
			}
		}
	}
}

func broken(err error) error { return fmt.Errorf("write stdout: %w", err) }

// writer puts frames on stdout, in the order of the subscription.
type writer struct {
	out        *bufio.Writer
	projection *projection
	server     *server
	// held are frames that wait for the response of a prompt before them.
	held []any
}

// awaited keeps the place of a prompt's response among the held frames.
type awaited struct {
	accepted
	failed string // pi: why it couldn't start
	answer *response
}

// respond fills in the response.
func (a *awaited) respond(data any) {
	r := success(a.request, data)
	if a.failed != "" {
		r = failureOf(a.ref, a.failed)
	}
	a.answer = &r
}

// wait returns what is queued next. While part of an answer is held back it
// waits no longer than until that has to be told.
func (w *writer) wait(ctx context.Context) ([]engine.Item, error) {
	for {
		at, ok := w.projection.due()
		if !ok {
			return w.next(ctx)
		}
		patience, cancel := context.WithTimeout(ctx, max(0, at.Sub(w.server.o.Now())))
		batch, err := w.next(patience)
		cancel()
		if err == nil || !errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
			return batch, err
		}
		if err := w.emit(w.projection.flush(w.server.o.Now())); err != nil {
			return nil, broken(err)
		}
		if err := w.out.Flush(); err != nil {
			return nil, broken(err)
		}
	}
}

func (w *writer) next(ctx context.Context) ([]engine.Item, error) {
	batch, err := w.server.sub.Batch(ctx)
	if errors.Is(err, engine.ErrTooSlow) {
		err = fmt.Errorf("%w: the host doesn't read stdout", err)
	}
	if errors.Is(err, io.EOF) {
		err = nil // the session has ended under us
		if len(batch) == 0 {
			err = engine.ErrClosed
		}
	}
	return batch, err
}

func (w *writer) item(it engine.Item) error {
	switch v := it.Ack.(type) {
	case nil:
		w.server.dialogs.track(it.Event)
		if _, ok := it.Event.(event.AskOpened); ok {
			w.server.asked()
		}
		return w.emit(w.projection.event(it.Event, w.server.o.Now()))
	case accepted:
		w.held = append(w.held, &awaited{accepted: v})
		return nil
	case released:
		return w.released(v)
	default:
		return w.emit([]any{v})
	}
}

// emit writes frames, or keeps them behind a response that isn't known yet.
func (w *writer) emit(frames []any) error {
	for _, f := range frames {
		if failure, ok := f.(promptFailure); ok {
			f = failure.response
			if w.projection.dialect == Pi {
				if w.replaces(failure.response) {
					continue
				}
				f = notice{"notice", "error", failure.Error} // it has had its one response
			}
		}
		if len(w.held) > 0 {
			w.held = append(w.held, f)
		} else if err := w.frames(f); err != nil {
			return err
		}
	}
	return nil
}

// replaces takes the failure of a prompt that still has no response: in the pi
// dialect it is the response.
func (w *writer) replaces(r response) bool {
	for _, f := range w.held {
		if a, ok := f.(*awaited); ok && a.answer == nil && a.ref == r.Command+" "+string(r.ID) {
			a.failed = r.Error
			return true
		}
	}
	return false
}

// released fills in a response and writes what waited only for it.
func (w *writer) released(v released) error {
	for _, f := range w.held {
		if a, ok := f.(*awaited); ok && a.answer == nil && a.ref == v.ref {
			a.respond(promptData{v.disposition})
			break
		}
	}
	return w.drain()
}

// drain writes held frames up to the first that still waits.
func (w *writer) drain() error {
	for len(w.held) > 0 {
		f := w.held[0]
		if a, ok := f.(*awaited); ok {
			if a.answer == nil {
				return nil
			}
			f = *a.answer
		}
		w.held = w.held[1:]
		if err := w.frames(f); err != nil {
			return err
		}
	}
	w.held = nil
	return nil
}

// release writes all that is held, at the end.
func (w *writer) release() {
	for _, f := range w.held {
		if a, ok := f.(*awaited); ok && a.answer == nil {
			a.respond(nil)
		}
	}
	_ = w.drain()
}

// frames writes each as a line.
func (w *writer) frames(frames ...any) error {
	for _, f := range frames {
		line, err := jsonl.Marshal(f)
		if err != nil {
			line, err = jsonl.Marshal(notice{"notice", "error", "a frame could not be written: " + err.Error()})
			if err != nil {
				return err
			}
		}
		if _, err := w.out.Write(line); err != nil {
			return err
		}
	}
	return nil
}
