package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine"
	"github.com/hoopoe-agent/hoopoe/engine/config"
	"github.com/hoopoe-agent/hoopoe/engine/ext"
	"github.com/hoopoe-agent/hoopoe/engine/jsonl"
	"github.com/hoopoe-agent/hoopoe/engine/session"
	"github.com/hoopoe-agent/hoopoe/modes/acp/acptest"
	"github.com/hoopoe-agent/hoopoe/slash"
)

// patience is a guard: nothing here takes that long unless it hangs.
const patience = 30 * time.Second

type noLibrary struct{}

func (noLibrary) Sessions(context.Context, string) ([]session.Summary, error) { return nil, nil }
func (noLibrary) FindSession(context.Context, string, string) (string, error) {
	return "", session.ErrNotFound
}
func (noLibrary) Spending(context.Context, time.Time, func(session.Spending)) error { return nil }

// setup is what a test changes about a connection.
type setup struct {
	open  engine.OpenOptions
	hooks []ext.Hooks
	// caps are the client's capabilities, as JSON.
	caps string
	// home is an older connection's, "" for a fresh one.
	home string
	// keyless leaves the model to the start order.
	keyless bool
	// loose doesn't hold lines against the schema, for benchmarks.
	loose bool
	// late leaves initialize to the test.
	late bool
	// patience is Options.Patience.
	patience time.Duration
}

// line is a message of the server's, or one of ours.
type line struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int
		Message string
		Data    struct{ Code, Details, Method string }
	} `json:"error"`
	raw string
}

// update is a session/update with the fields that tests look at.
type update struct {
	SessionUpdate, ToolCallID, Title, Name, Kind, Status, MessageID, CurrentModeID string
	Content                                                                        json.RawMessage
	RawInput, RawOutput                                                            json.RawMessage
	Locations                                                                      []location
	Entries                                                                        []planEntry
	ConfigOptions                                                                  []configOption
	AvailableCommands                                                              []availableCommand
	Meta                                                                           json.RawMessage `json:"_meta"`
}

func (u update) text() string {
	var c struct{ Text string }
	_ = json.Unmarshal(u.Content, &c)
	return c.Text
}

// shownContent is a call's content as a client reads it.
type shownContent struct {
	Type, TerminalID, Path string
	Content                *contentBlock
	OldText                *string
	NewText                string
}

func (u update) contents() []shownContent {
	var list []shownContent
	_ = json.Unmarshal(u.Content, &list)
	return list
}

// client is an editor in this process.
type client struct {
	t    testing.TB
	dir  string
	home string
	// checked holds all lines against the schema.
	checked *acptest.Connection

	in  *io.PipeWriter
	out *io.PipeReader

	mu     sync.Mutex
	wake   sync.Cond
	lines  []line
	next   int
	closed bool
	ended  chan error
	// answer deals with a request of the server's; by default none is answered.
	answer func(l line) (result string)
}

// connect serves an agent whose model plays the script.
func connect(t testing.TB, script string, s setup) *client {
	t.Helper()
	dir, file := t.TempDir(), filepath.Join(t.TempDir(), "model.script")
	if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	if s.home == "" {
		s.home = t.TempDir()
	}
	paths, _ := config.FindPaths(config.Places{
		Getenv: func(string) string { return "" }, Home: func() (string, error) { return s.home, nil }, Cwd: dir,
	})
	if !s.keyless {
		s.open.Model = "script/" + file
	}
	e := engine.New(engine.Options{Paths: paths, Environ: os.Environ(), Offline: true, Hooks: s.hooks})
	checked, err := acptest.NewConnection()
	if err != nil {
		t.Fatal(err)
	}
	in, stdin := io.Pipe()
	stdout, out := io.Pipe()
	c := &client{t: t, dir: dir, home: s.home, checked: checked, in: stdin, out: stdout, ended: make(chan error, 1)}
	c.wake.L = &c.mu
	agent := Agent{Engine: e, Open: s.open, Commands: slash.Builtins(slash.Options{Library: noLibrary{}, Now: time.Now, More: slash.Files})}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	go func() {
		err := Serve(ctx, agent, in, func(line []byte) error { _, err := out.Write(line); return err },
			Options{Version: "0.0.0-test", Login: []string{"--login"}, Program: "/bin/hoopoe", Patience: s.patience})
		out.Close()
		c.ended <- err
	}()
	if !s.loose {
		go c.read()
	}
	t.Cleanup(func() {
		stdin.Close()
		select {
		case err := <-c.ended:
			if err != nil {
				t.Errorf("Serve: %v", err)
			}
		case <-time.After(patience):
			t.Error("Serve doesn't return at the end of its input")
		}
		cancel()
		stdout.CloseWithError(errors.New("the test is over"))
	})
	if !s.late && !s.loose {
		caps := s.caps
		if caps == "" {
			caps = "{}"
		}
		c.call("initialize", `{"protocolVersion":1,"clientCapabilities":%s}`, caps)
	}
	return c
}

// read takes the server's lines and holds each against the schema.
func (c *client) read() {
	lines := jsonl.NewReader(c.out, 0)
	for {
		next, err := lines.Next()
		if err != nil {
			c.mu.Lock()
			c.closed = true
			c.wake.Broadcast()
			c.mu.Unlock()
			return
		}
		var l line
		l.raw = string(next.Data)
		if err := json.Unmarshal(next.Data, &l); err != nil {
			c.t.Errorf("not JSON: %s", l.raw)
			continue
		}
		c.mu.Lock()
		if err := c.checked.Check(next.Data); err != nil {
			c.t.Errorf("%v\n%s", err, short(l.raw))
		}
		answer := c.answer
		c.lines = append(c.lines, l)
		c.wake.Broadcast()
		c.mu.Unlock()
		if l.Method != "" && len(l.ID) > 0 && answer != nil {
			if result := answer(l); result != "" {
				c.reply(l, result)
			}
		}
	}
}

func short(s string) string {
	if len(s) > 600 {
		return s[:600] + "…"
	}
	return s
}

// send writes a line of ours.
func (c *client) send(text string) {
	c.t.Helper()
	var l line
	if json.Unmarshal([]byte(text), &l) == nil && l.Method != "" && len(l.ID) > 0 {
		c.checked.Sent(string(l.ID), l.Method)
	}
	if _, err := io.WriteString(c.in, text+"\n"); err != nil {
		c.t.Error(err)
	}
}

// request sends a request and returns its id.
func (c *client) request(method, params string, args ...any) string {
	c.t.Helper()
	if len(args) > 0 {
		params = fmt.Sprintf(params, args...)
	}
	params = strings.NewReplacer("\n", "", "\t", "").Replace(params)
	c.mu.Lock()
	c.next++
	id := fmt.Sprint(c.next)
	c.mu.Unlock()
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params))
	return id
}

func (c *client) notify(method, params string, args ...any) {
	c.t.Helper()
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":%s}`, method, fmt.Sprintf(params, args...)))
}

func (c *client) reply(l line, result string) {
	if strings.HasPrefix(result, "error:") {
		c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":%s}`, l.ID, strings.TrimPrefix(result, "error:")))
		return
	}
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, l.ID, result))
}

// await returns the first line that fits, now or later.
func (c *client) await(what string, fits func(line) bool) line {
	c.t.Helper()
	timer := time.AfterFunc(patience, func() {
		c.mu.Lock()
		c.closed = true
		c.wake.Broadcast()
		c.mu.Unlock()
	})
	defer timer.Stop()
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := 0; ; i++ {
		for i >= len(c.lines) {
			if c.closed {
				var all []string
				for _, l := range c.lines {
					all = append(all, short(l.raw))
				}
				c.t.Fatalf("%s never came; there were\n%s", what, strings.Join(all, "\n"))
			}
			c.wake.Wait()
		}
		if fits(c.lines[i]) {
			return c.lines[i]
		}
	}
}

// answered returns the answer to a request.
func (c *client) answered(id string) line {
	c.t.Helper()
	return c.await("the answer to "+id, func(l line) bool { return l.Method == "" && string(l.ID) == id })
}

// call sends a request and returns its answer.
func (c *client) call(method, params string, args ...any) line {
	c.t.Helper()
	return c.answered(c.request(method, params, args...))
}

// result is call for a request that has to succeed.
func (c *client) result(into any, method, params string, args ...any) {
	c.t.Helper()
	l := c.call(method, params, args...)
	if l.Error != nil {
		c.t.Fatalf("%s: %s", method, l.raw)
	}
	if into != nil {
		if err := json.Unmarshal(l.Result, into); err != nil {
			c.t.Fatal(err)
		}
	}
}

// open makes a session in the client's folder.
func (c *client) open() (id string) {
	c.t.Helper()
	var r sessionResult
	c.result(&r, "session/new", `{"cwd":%q,"mcpServers":[]}`, c.dir)
	return r.SessionID
}

// ask sends a prompt and returns its request's id.
func (c *client) ask(session, text string) string {
	c.t.Helper()
	return c.request("session/prompt", `{"sessionId":%q,"prompt":[{"type":"text","text":%q}]}`, session, text)
}

// turn carries out a prompt and returns why it stopped.
func (c *client) turn(session, text string) string {
	c.t.Helper()
	return c.stop(c.ask(session, text))
}

// stop is the reason in the answer to a prompt.
func (c *client) stop(id string) string {
	c.t.Helper()
	l := c.answered(id)
	var r promptResult
	if l.Error != nil {
		c.t.Fatalf("the prompt failed: %s", l.raw)
	}
	if err := json.Unmarshal(l.Result, &r); err != nil {
		c.t.Fatal(err)
	}
	return r.StopReason
}

// all returns the lines so far.
func (c *client) all() []line {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lines[:len(c.lines):len(c.lines)]
}

// asUpdate reads a line as an update of the session.
func asUpdate(l line, session string) (u update, ok bool) {
	var p struct {
		SessionID string
		Update    update
	}
	if l.Method != "session/update" || json.Unmarshal(l.Params, &p) != nil || p.SessionID != session {
		return u, false
	}
	return p.Update, true
}

// updates are those of a session so far, of some kinds or of all.
func (c *client) updates(session string, kinds ...string) []update {
	var found []update
	for _, l := range c.all() {
		u, ok := asUpdate(l, session)
		if ok && (len(kinds) == 0 || strings.Contains(" "+strings.Join(kinds, " ")+" ", " "+u.SessionUpdate+" ")) {
			found = append(found, u)
		}
	}
	return found
}

// said is the text of the session's messages so far.
func (c *client) said(session string) string {
	var b strings.Builder
	for _, u := range c.updates(session, "agent_message_chunk") {
		b.WriteString(u.text())
	}
	return b.String()
}

// asked returns the first request of the server's by that method.
func (c *client) asked(method string) line {
	c.t.Helper()
	return c.await(method, func(l line) bool { return l.Method == method && len(l.ID) > 0 })
}

// updated returns the first update that fits.
func (c *client) updated(session string, fits func(update) bool) update {
	c.t.Helper()
	var found update
	c.await("an update", func(l line) bool {
		u, ok := asUpdate(l, session)
		if ok = ok && fits(u); ok {
			found = u
		}
		return ok
	})
	return found
}

// answers sets how requests of the server's are dealt with.
func (c *client) answers(answer func(l line) (result string)) {
	c.mu.Lock()
	c.answer = answer
	c.mu.Unlock()
}

// write puts a file into the client's folder.
func (c *client) write(name, text string) string {
	c.t.Helper()
	path := filepath.Join(c.dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
		c.t.Fatal(err)
	}
	return path
}

// allowing answers permission requests with an option.
func allowing(option string) func(line) string {
	return func(l line) string {
		if l.Method == "session/request_permission" {
			return `{"outcome":{"outcome":"selected","optionId":"` + option + `"}}`
		}
		return ""
	}
}
