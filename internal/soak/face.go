//go:build linux

package main

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
)

// face is a client of one running process.
type face interface {
	// ask gives the agent a prompt and waits for its answer's text.
	ask(ctx context.Context, text string) (string, error)
	// leave ends the process in order, by what its face has for that.
	leave()
	// vanish takes the client away without a word.
	vanish()
	process() *child
	// codes are the exit codes after an end.
	codes(ending) []int
}

// ending is how a process comes to its end.
type ending string

const (
	left       ending = "left"        // the client said so
	vanished   ending = "vanished"    // the client is gone
	terminated ending = "SIGTERM"     //
	hungUp     ending = "SIGHUP"      //
	killed     ending = "killed (-9)" // nothing can be said about the code but that
)

var endings = []ending{left, vanished, terminated, hungUp, killed, killed}

// faces are what a process can be started as.
var faces = map[string]func(w *worker, heard func([]byte), args ...string) (face, error){
	"rpc":    func(w *worker, heard func([]byte), args ...string) (face, error) { return w.rpc(heard, args...) },
	"acp":    func(w *worker, heard func([]byte), args ...string) (face, error) { return w.acp(heard, args...) },
	"remote": func(w *worker, heard func([]byte), args ...string) (face, error) { return w.remote(heard, args...) },
	"chat":   func(w *worker, heard func([]byte), args ...string) (face, error) { return w.chat(heard, args...) },
}

var faceNames = []string{"rpc", "acp", "remote", "chat"}

// end brings a process to its end and checks how it went.
func end(f face, how ending) error {
	f.process().soak.journal.count("ends: " + string(how))
	switch how {
	case left:
		f.leave()
	case vanished:
		f.vanish()
	case terminated:
		f.process().signal(syscall.SIGTERM)
	case hungUp:
		f.process().signal(syscall.SIGHUP)
	case killed:
		f.process().signal(syscall.SIGKILL)
	}
	err := f.process().ends(f.codes(how)...)
	f.vanish() // what the client still holds
	if err != nil {
		err = fmt.Errorf("after %s: %w", how, err)
	}
	return err
}

// question asks for an answer by a plan and checks that it is one. It tells the
// ledger.
func (w *worker) question(ctx context.Context, f face) error {
	id := w.id()
	text, mayFail := plan(w.rand, id)
	return w.put(ctx, f, id, text, mayFail)
}

// put gives a prompt to a face and checks the answer.
func (w *worker) put(ctx context.Context, f face, id, text string, mayFail bool) error {
	answer, err := within(ctx, f.process().name+" "+text, func(ctx context.Context) (string, error) { return f.ask(ctx, text) })
	w.journal.count("prompts")
	switch {
	case strings.Contains(answer, "answer-"+id):
		w.place.ledger.told("answer-" + id)
		w.place.ledger.told("prompt-" + id)
		return nil
	case mayFail && ctx.Err() == nil && !alarming(err):
		w.journal.count("prompts that failed as they should")
		return nil
	case err == nil:
		err = fmt.Errorf("%s: %s was answered with %.300q", f.process().name, text, answer)
	}
	return fmt.Errorf("%w; stderr: %s", err, f.process().words())
}

// alarming reports an error that no fault of a provider explains.
func alarming(err error) bool {
	return err != nil && (strings.Contains(err.Error(), "deadline") || strings.Contains(err.Error(), "panic"))
}

// extension names one of those to load.
func (w *worker) extension() []string {
	name := pick(w.rand, "todo-widget.ts", "progress.ts", "status-line.ts", "protected-paths.ts", "injector.ts")
	return []string{"-e", filepath.Join(w.extensions, name)}
}

// hear tells the ledger what stands in a message that was told as whole.
func (p *place) hear(frame []byte) {
	for _, m := range marked(frame) {
		p.ledger.told(m)
	}
}

// complete reports whether an assistant's message counts: one that failed is
// tried again, and what comes then takes its place.
func complete(frame []byte) bool {
	return !bytes.Contains(frame, []byte(`"stopReason":"error"`)) && !bytes.Contains(frame, []byte(`"stopReason":"aborted"`))
}
