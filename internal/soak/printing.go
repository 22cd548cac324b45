//go:build linux

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// printing is the load of the print worker: -p in its forms.
func (w *worker) printing(ctx context.Context) {
	w.each(ctx, func(ctx context.Context) error {
		what := pick(w.rand, "text", "text", "json", "continue", "kill", "kill", "signal", "closed")
		w.journal.count("print: " + what)
		id := w.id()
		switch what {
		case "kill", "signal", "closed":
			return w.printCut(ctx, what, id)
		}
		text, mayFail := plan(w.rand, id)
		args := []string{"-p"}
		if what == "json" {
			args = append(args, "--mode", "json")
		}
		if what == "continue" {
			if files, err := w.place.sessions(); err != nil || len(files) > 0 {
				args = append(args, "-c")
			}
		}
		if w.chance(4) {
			args = append(args, w.extension()...)
		}
		return w.printed(ctx, id, mayFail, append(args, text)...)
	})
}

// printed runs the program to its end and checks what it says.
func (w *worker) printed(ctx context.Context, id string, mayFail bool, args ...string) error {
	var out bytes.Buffer
	c, err := w.start("print", func(cmd *exec.Cmd) error { cmd.Stdout = &out; return nil }, args...)
	if err != nil {
		return err
	}
	code, err := c.code()
	w.journal.count("prompts")
	switch answered := strings.Contains(out.String(), "answer-"+id); {
	case err != nil:
		return err
	case answered && code == 0 && c.stderr.String() == "":
		w.place.ledger.told("answer-" + id)
		w.place.ledger.told("prompt-" + id)
		return nil
	case mayFail && code == 1:
		w.journal.count("prompts that failed as they should")
		return nil
	}
	return fmt.Errorf("%v: exit code %d, %.300q, stderr %q", args, code, &out, c.stderr.String())
}

// printCut has a run come to an early end, and goes on with its session.
func (w *worker) printCut(ctx context.Context, how, id string) error {
	words := pick(w.rand, []string{id, "bash", "read", "slow"}, []string{id, "bash", "sleep"}, []string{id, "bash", "fault:hang"}, []string{id, "task", "big", "slow"})
	reached := w.player.expect(id)
	var r io.ReadCloser
	c, err := w.start("print", func(cmd *exec.Cmd) (err error) {
		var pipe io.WriteCloser
		r, pipe, err = os.Pipe()
		cmd.Stdout = pipe
		return err
	}, "-p", "--mode", "json", ask(words...))
	if err != nil {
		return err
	}
	over := make(chan string, 1)
	go func() { over <- w.overhear(r) }()
	select {
	case <-reached:
	case <-c.done:
		return fmt.Errorf("%v ended before it asked the model: %s", words, c.stderr.String())
	}
	w.rest(ctx, 1, 500*time.Millisecond)
	switch how {
	case "kill":
		c.signal(syscall.SIGKILL)
		err = c.ends(-9, 0)
	case "closed":
		r.Close()
		err = c.ends(1, 0)
	default:
		s := pick(w.rand, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
		c.signal(s)
		err = c.ends(128+int(s), 0)
	}
	r.Close()
	file := <-over
	if err != nil || file == "" {
		return err
	}
	next := w.id()
	return errors.Join(err, w.printed(ctx, next, false, "-p", "-r", file, ask(next, "read")))
}

// overhear reads events to their end and tells the ledger which messages were
// told as whole. It returns the session's file.
func (w *worker) overhear(r io.Reader) (file string) {
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return file
		}
		var e struct{ Type, File string }
		if json.Unmarshal(line, &e) != nil {
			w.journal.fail(w.name, fmt.Errorf("no event: %.200q", line))
			continue
		}
		switch {
		case e.Type == "session_opened":
			file = e.File
		case e.Type == "message_ended" && complete(line):
			w.place.hear(line)
		}
	}
}
