//go:build linux

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"

	"github.com/hoopoe-agent/hoopoe/modes/acp/acptest"
)

// acpFace is an editor. It holds each line against the protocol's schema.
type acpFace struct {
	child   *child
	in      io.WriteCloser
	out     io.Closer
	checked *acptest.Connection
	heard   func([]byte)
	dir     string

	mu      sync.Mutex
	last    int
	waiting map[string]chan acpMessage
	texts   map[string]*strings.Builder // what was said, by session
	session string
	over    error
}

// acpMessage is a line of the protocol.
type acpMessage struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		SessionID string
		Update    struct {
			SessionUpdate, Status string
			Content               json.RawMessage
			RawOutput             json.RawMessage
		}
		Options []struct{ OptionID, Kind string }
	} `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int
		Message string
	} `json:"error"`
}

func (w *worker) acp(heard func([]byte), args ...string) (*acpFace, error) {
	checked, err := acptest.NewConnection()
	if err != nil {
		return nil, err
	}
	f := &acpFace{checked: checked, heard: heard, dir: w.place.dir, waiting: map[string]chan acpMessage{}, texts: map[string]*strings.Builder{}}
	var out io.ReadCloser
	f.child, err = w.start("acp", func(cmd *exec.Cmd) (err error) {
		f.in, out, err = pipes(cmd)
		f.out = out
		return err
	}, append([]string{"acp", "--permissions", "full"}, args...)...)
	if err != nil {
		return nil, err
	}
	go f.read(out)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	err = f.call(ctx, "initialize", map[string]any{"protocolVersion": 1, "clientCapabilities": map[string]any{}}, nil)
	if err == nil {
		err = f.open(ctx)
	}
	if err != nil {
		f.child.signal(9)
		return nil, fmt.Errorf("%w: %s", err, f.child.stderr.String())
	}
	return f, nil
}

// read deals with lines until there are no more.
func (f *acpFace) read(out io.Reader) {
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			f.end(err)
			return
		}
		var m acpMessage
		if err := errors.Join(f.checked.Check(line), json.Unmarshal(line, &m)); err != nil {
			f.child.soak.journal.fail(f.child.name, fmt.Errorf("%w: %.300s", err, line))
			continue
		}
		switch {
		case m.Method == "session/request_permission" && len(m.Params.Options) > 0:
			_ = f.write(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": map[string]any{
				"outcome": map[string]any{"outcome": "selected", "optionId": m.Params.Options[0].OptionID},
			}})
		case m.Method != "":
			f.note(m)
		default:
			f.mu.Lock()
			c := f.waiting[string(m.ID)]
			delete(f.waiting, string(m.ID))
			f.mu.Unlock()
			if c != nil {
				c <- m
			}
		}
	}
}

// note keeps what is said in each session.
func (f *acpFace) note(m acpMessage) {
	if m.Params.Update.SessionUpdate != "agent_message_chunk" {
		return
	}
	var content struct{ Text string }
	_ = json.Unmarshal(m.Params.Update.Content, &content)
	f.mu.Lock()
	defer f.mu.Unlock()
	if text := f.texts[m.Params.SessionID]; text != nil {
		text.WriteString(content.Text)
	}
}

// end fails what waits.
func (f *acpFace) end(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.over = err
	for _, c := range f.waiting {
		close(c)
	}
	clear(f.waiting)
}

func (f *acpFace) write(v any) error {
	line, err := json.Marshal(v)
	if err == nil {
		_, err = f.in.Write(append(line, '\n'))
	}
	return err
}

// call sends a request and waits for its result.
func (f *acpFace) call(ctx context.Context, method string, params, result any) error {
	f.mu.Lock()
	if f.over != nil {
		f.mu.Unlock()
		return f.over
	}
	f.last++
	id, c := fmt.Sprint(f.last), make(chan acpMessage, 1)
	f.waiting[id] = c
	f.checked.Sent(id, method)
	err := f.write(map[string]any{"jsonrpc": "2.0", "id": f.last, "method": method, "params": params})
	f.mu.Unlock()
	if err != nil {
		return err
	}
	select {
	case m, ok := <-c:
		switch {
		case !ok:
			return fmt.Errorf("%s: %w", method, f.over)
		case m.Error != nil:
			return fmt.Errorf("%s: %s (%d)", method, m.Error.Message, m.Error.Code)
		case result != nil:
			return json.Unmarshal(m.Result, result)
		}
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%s: %w", method, ctx.Err())
	}
}

// open begins a session, which ask speaks to from then on.
func (f *acpFace) open(ctx context.Context) error {
	var answer struct{ SessionID string }
	err := f.call(ctx, "session/new", map[string]any{"cwd": f.dir, "mcpServers": []any{}}, &answer)
	f.use(answer.SessionID)
	return err
}

func (f *acpFace) use(session string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.session = session
	f.texts[session] = &strings.Builder{}
}

// close ends the session that is open.
func (f *acpFace) close(ctx context.Context) error {
	f.mu.Lock()
	delete(f.texts, f.session)
	f.mu.Unlock()
	return f.call(ctx, "session/close", map[string]any{"sessionId": f.session}, nil)
}

func (f *acpFace) ask(ctx context.Context, text string) (string, error) {
	f.use(f.session)
	var answer struct{ StopReason string }
	err := f.call(ctx, "session/prompt", map[string]any{"sessionId": f.session, "prompt": []any{map[string]any{"type": "text", "text": text}}}, &answer)
	f.mu.Lock()
	said := f.texts[f.session].String()
	f.mu.Unlock()
	if err == nil && answer.StopReason == "end_turn" {
		f.heard([]byte(said))
	}
	return said, err
}

func (f *acpFace) leave() { _ = f.in.Close() }
func (f *acpFace) vanish() {
	_ = f.in.Close()
	_ = f.out.Close()
}
func (f *acpFace) process() *child { return f.child }

// The protocol knows no exit code for a signal: an editor's is an orderly end.
func (f *acpFace) codes(how ending) []int {
	switch how {
	case killed:
		return []int{-9}
	case vanished:
		return []int{0, 1}
	}
	return []int{0}
}

// editing is the load of the acp worker: one process, session after session.
func (w *worker) editing(ctx context.Context) {
	f, err := w.acp(w.place.hear, w.extension()...)
	if err != nil {
		w.journal.fail(w.name, err)
		return
	}
	w.watcher.watch("acp", f.child)
	w.each(ctx, func(ctx context.Context) error {
		var err error
		for range 3 {
			err = errors.Join(err, w.question(ctx, f))
		}
		return errors.Join(err, w.acpExtras(ctx, f))
	})
	w.rested(f, func() (face, error) { return w.acp(w.place.hear) })
}

// acpExtras is what only this face has. It leaves with a new session.
func (w *worker) acpExtras(ctx context.Context, f *acpFace) error {
	ctx, cancel := context.WithTimeout(ctx, 2*patience)
	defer cancel()
	what := pick(w.rand, "cancel", "cancel tool", "load", "resume", "fork", "list", "mode")
	w.journal.count("acp: " + what)
	id := w.id()
	session := map[string]any{"sessionId": f.session, "cwd": f.dir, "mcpServers": []any{}}
	var err error
	switch what {
	case "cancel":
		err = w.acpCancel(ctx, f, ask(id, "fault:hang"), id)
	case "cancel tool":
		err = w.acpCancel(ctx, f, ask(id, "sleep"), id)
	case "load", "resume":
		err = f.call(ctx, "session/"+what, session, nil)
	case "fork":
		old := f.session
		var answer struct{ SessionID string }
		if err = f.call(ctx, "session/fork", session, &answer); err == nil {
			err = f.call(ctx, "session/close", map[string]any{"sessionId": old}, nil)
			f.use(answer.SessionID)
		}
	case "list":
		err = f.call(ctx, "session/list", map[string]any{"cwd": f.dir}, nil)
	case "mode":
		err = f.call(ctx, "session/set_mode", map[string]any{"sessionId": f.session, "modeId": "full"}, nil)
	}
	if err == nil {
		err = w.question(ctx, f)
	}
	err = errors.Join(err, f.close(ctx), f.open(ctx))
	if err != nil {
		err = fmt.Errorf("acp %s: %w", what, err)
	}
	return err
}

// acpCancel stops a turn when the model has it.
func (w *worker) acpCancel(ctx context.Context, f *acpFace, text, id string) error {
	reached := w.player.expect(id)
	over := make(chan error, 1)
	var answer struct{ StopReason string }
	go func() {
		over <- f.call(ctx, "session/prompt", map[string]any{"sessionId": f.session, "prompt": []any{map[string]any{"type": "text", "text": text}}}, &answer)
	}()
	select {
	case <-reached:
	case err := <-over:
		return fmt.Errorf("%s ended before it got to the model: %w", text, err)
	}
	w.rest(ctx, 1, 400e6)
	f.mu.Lock()
	err := f.write(map[string]any{"jsonrpc": "2.0", "method": "session/cancel", "params": map[string]any{"sessionId": f.session}})
	f.mu.Unlock()
	if err = errors.Join(err, <-over); err == nil && answer.StopReason != "cancelled" {
		err = fmt.Errorf("%s was cancelled and ended with %q", text, answer.StopReason)
	}
	return err
}
