//go:build unix

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"
)

// conn is a process that serves us on its standard streams, a JSON object a
// line.
type conn struct {
	*process
	in    io.WriteCloser
	out   *bufio.Reader
	errs  tail
	bytes int64 // read so far
}

// dial starts a host. It is ended when ctx is.
func dial(ctx context.Context, c *exec.Cmd) (*conn, error) {
	in, err := c.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	s := &conn{in: in, out: bufio.NewReaderSize(out, 1<<20)}
	c.Stderr = &s.errs
	if s.process, err = start(c); err != nil {
		return nil, err
	}
	context.AfterFunc(ctx, s.kill)
	return s, nil
}

// send writes a line.
func (s *conn) send(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = s.in.Write(append(line, '\n'))
	return err
}

// until reads lines up to one that the func takes. The line lives until the
// next.
func (s *conn) until(takes func(line []byte) bool) ([]byte, error) {
	for {
		line, err := s.line()
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = errors.New("it ended: " + lastLine(s.errs.text()))
			}
			return nil, err
		}
		if takes(line) {
			return line, nil
		}
	}
}

// line reads one, however long it is.
func (s *conn) line() ([]byte, error) {
	line, err := s.out.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		begin := append([]byte(nil), line...)
		line, err = s.out.ReadBytes('\n')
		line = append(begin, line...)
	}
	s.bytes += int64(len(line))
	return line, err
}

// protocol is what a host speaks. Its methods come in this order, turn as often
// as one likes.
type protocol interface {
	// hello is the first request and its reply.
	hello(*conn) error
	// open opens a session in a folder.
	open(s *conn, dir string) error
	// turn sends a prompt and waits for the end of what follows.
	turn(s *conn, prompt string) error
}

// ready measures from the start of a host to its first reply.
func (b *bench) ready(ctx context.Context, e *entrant, h host) (figures, error) {
	begun := time.Now()
	s, err := dial(ctx, b.host(e, h))
	if err != nil {
		return nil, err
	}
	defer s.kill()
	if err := h.protocol.hello(s); err != nil {
		return nil, fmt.Errorf("the first request: %w", err)
	}
	return figures{wall: since(begun)}, nil
}

// served measures a turn of a host that is ready, and what it writes.
func (b *bench) served(ctx context.Context, e *entrant, h host) (figures, error) {
	s, err := dial(ctx, b.host(e, h))
	if err != nil {
		return nil, err
	}
	defer s.kill()
	if err := h.protocol.hello(s); err != nil {
		return nil, fmt.Errorf("the first request: %w", err)
	}
	if err := h.protocol.open(s, e.place.dir); err != nil {
		return nil, fmt.Errorf("open a session: %w", err)
	}
	before, begun := s.bytes, time.Now()
	if err := h.protocol.turn(s, "go"); err != nil {
		return nil, fmt.Errorf("the turn: %w", err)
	}
	f := figures{wall: since(begun), written: float64(s.bytes-before) / 1e6}
	if s.bytes-before < streamBytes {
		return nil, fmt.Errorf("the turn had %d bytes only: %s", s.bytes-before, lastLine(s.errs.text()))
	}
	return f, nil
}

func (b *bench) host(e *entrant, h host) *exec.Cmd {
	program := h.program
	if program == "" {
		program = e.program
	}
	return e.place.command(e.peer, program, h.args...)
}
