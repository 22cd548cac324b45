package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"

	"github.com/hoopoe-agent/hoopoe/engine/jsonl"
)

// Codes of JSON-RPC 2.0.
const (
	ParseError     = -32700
	InvalidRequest = -32600
	MethodNotFound = -32601
	InvalidParams  = -32602
	InternalError  = -32603
	// Cancelled is not JSON-RPC's own, but that of its line protocols.
	Cancelled = -32800
)

// MaxLine bounds a line that comes in, in bytes: pictures come on one.
const MaxLine = 64 << 20

// cancelRequest is the notification that takes a request back, in either
// direction.
const cancelRequest = "$/cancel_request"

// Error is the error of a response.
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

func (e *Error) Error() string { return e.Message }

// Errorf returns an error with a message.
func Errorf(code int, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// ID is a request's id as the other side wrote it, so that 1 and "1" differ.
type ID string

// MarshalJSON writes it back.
func (i ID) MarshalJSON() ([]byte, error) { return []byte(i), nil }

const nullID ID = "null"

// Notification is a message without an answer.
type Notification struct {
	JSONRPC string `json:"jsonrpc"`
	Method  string `json:"method"`
	Params  any    `json:"params,omitempty"`
}

// Notify returns a notification.
func Notify(method string, params any) Notification { return Notification{"2.0", method, params} }

type outgoing struct {
	JSONRPC string `json:"jsonrpc"`
	ID      int64  `json:"id"`
	Method  string `json:"method"`
	Params  any    `json:"params,omitempty"`
}

type answer struct {
	JSONRPC string `json:"jsonrpc"`
	ID      ID     `json:"id"`
	Result  any    `json:"result,omitempty"`
	Error   *Error `json:"error,omitempty"`
}

// Handler takes what the other side asks. Both methods are called by the
// reader, one after the other: they must not wait.
type Handler interface {
	Request(r *Request)
	Notification(method string, params json.RawMessage)
}

// Peer is one side of a JSON-RPC 2.0 connection over lines. Its methods are
// safe for concurrent use.
type Peer struct {
	lines *lines

	mu       sync.Mutex
	inflight map[ID]*Request
	calls    map[int64]*Pending
	next     int64
	gone     bool // no more answers come
}

// NewPeer returns a peer that writes with write, which gets one line at a time
// with its '\n' and is called by one goroutine.
func NewPeer(write func(line []byte) error) *Peer {
	return &Peer{lines: newLines(write), inflight: map[ID]*Request{}, calls: map[int64]*Pending{}}
}

// Serve reads lines until the end of r, whose error it returns; the end itself
// is none. Calls that wait fail then.
func (p *Peer) Serve(ctx context.Context, r io.Reader, h Handler) error {
	defer p.hangUp()
	in := jsonl.NewReader(r, MaxLine)
	for {
		line, err := in.Next()
		if long, ok := errors.AsType[*jsonl.TooLongError](err); ok {
			p.refuse(nullID, Errorf(ParseError, "a message has at most %d bytes", long.Limit))
			continue
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		p.receive(ctx, line.Data, h)
	}
}

// receive deals with one line.
func (p *Peer) receive(ctx context.Context, line []byte, h Handler) {
	if !json.Valid(line) {
		p.refuse(nullID, Errorf(ParseError, "Parse error: the line is not JSON"))
		return
	}
	var m map[string]json.RawMessage
	if line[firstByte(line)] != '{' || json.Unmarshal(line, &m) != nil {
		p.refuse(nullID, Errorf(InvalidRequest, "Invalid request: a message is one JSON object"))
		return
	}
	rawID, hasID := m["id"]
	id, sound := idOf(rawID)
	if hasID && !sound {
		p.refuse(nullID, Errorf(InvalidRequest, "Invalid request: an id is a whole number, a string or null"))
		return
	}
	rawMethod, asks := m["method"]
	_, hasResult := m["result"]
	_, hasError := m["error"]
	var method string
	switch {
	case !asks && hasID && (hasResult || hasError):
		p.answered(id, m["result"], m["error"])
	case !asks:
		p.refuse(id, Errorf(InvalidRequest, "Invalid request: there is no method"))
	case json.Unmarshal(rawMethod, &method) != nil || method == "":
		p.refuse(id, Errorf(InvalidRequest, "Invalid request: a method is a string"))
	case m["jsonrpc"] != nil && string(m["jsonrpc"]) != `"2.0"`:
		if hasID {
			p.refuse(id, Errorf(InvalidRequest, `Invalid request: jsonrpc is "2.0"`))
		}
	case !hasID && method == cancelRequest:
		p.cancel(m["params"])
	case !hasID:
		h.Notification(method, m["params"])
	default:
		if r := p.register(ctx, id, method, m["params"]); r != nil {
			h.Request(r)
		}
	}
}

func firstByte(line []byte) int { return len(line) - len(bytes.TrimLeft(line, " \t\r\n")) }

// idOf reads an id; none is null.
func idOf(raw json.RawMessage) (id ID, ok bool) {
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return nullID, true
	case raw[0] == '"':
		return ID(raw), true
	case raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9':
		return ID(raw), !bytes.ContainsAny(raw, ".eE")
	}
	return nullID, false
}

// register notes a request until it is answered.
func (p *Peer) register(ctx context.Context, id ID, method string, params json.RawMessage) *Request {
	r := &Request{ID: id, Method: method, Params: params, peer: p}
	p.mu.Lock()
	_, twice := p.inflight[id]
	if !twice {
		r.ctx, r.cancel = context.WithCancelCause(ctx)
		if id != nullID {
			p.inflight[id] = r
		}
	}
	p.mu.Unlock()
	if twice {
		p.refuse(id, Errorf(InvalidRequest, "Invalid request: a request with this id is still being answered"))
		return nil
	}
	return r
}

// ErrTakenBack is the cause of a request's context that the other side has
// cancelled.
var ErrTakenBack = errors.New("the request was cancelled")

func (p *Peer) cancel(params json.RawMessage) {
	var c struct {
		RequestID json.RawMessage `json:"requestId"`
	}
	if json.Unmarshal(params, &c) != nil || len(c.RequestID) == 0 {
		return
	}
	id, _ := idOf(c.RequestID)
	p.mu.Lock()
	r := p.inflight[id]
	p.mu.Unlock()
	if r != nil {
		r.cancel(ErrTakenBack)
	}
}

func (p *Peer) refuse(id ID, e *Error) { p.lines.post(answer{JSONRPC: "2.0", ID: id, Error: e}) }

// Send writes a notification when there is room for it. Its error says that
// nobody reads any more, or is that of ctx.
func (p *Peer) Send(ctx context.Context, n Notification) error { return p.lines.send(ctx, n) }

// Close writes what is left, waits for it until ctx ends, and returns why a
// line could not be written.
func (p *Peer) Close(ctx context.Context) error {
	p.hangUp()
	return p.lines.close(ctx)
}

// Broken is closed when a line could not be written.
func (p *Peer) Broken() <-chan struct{} { return p.lines.broken }

// Request is what the other side asks. It is answered once; later answers are
// dropped.
type Request struct {
	ID     ID
	Method string
	Params json.RawMessage

	peer   *Peer
	ctx    context.Context
	cancel context.CancelCauseFunc
	once   sync.Once
}

// Context ends when the other side takes the request back, with ErrTakenBack,
// and when it is answered.
func (r *Request) Context() context.Context { return r.ctx }

// Reply answers. The lines of after follow at once: nothing comes between.
func (r *Request) Reply(result any, after ...Notification) {
	if result == nil {
		result = struct{}{}
	}
	r.finish(answer{JSONRPC: "2.0", ID: r.ID, Result: result}, after)
}

// Fail answers with an error.
func (r *Request) Fail(e *Error) { r.finish(answer{JSONRPC: "2.0", ID: r.ID, Error: e}, nil) }

func (r *Request) finish(a answer, after []Notification) {
	r.once.Do(func() {
		r.peer.mu.Lock()
		if r.peer.inflight[r.ID] == r {
			delete(r.peer.inflight, r.ID)
		}
		r.peer.mu.Unlock()
		messages := []any{a}
		for _, n := range after {
			messages = append(messages, n)
		}
		r.peer.lines.post(messages...)
		r.cancel(nil)
	})
}

// Pending is a request of ours that the other side has yet to answer.
type Pending struct {
	id    int64
	peer  *Peer
	reply chan reply
}

type reply struct {
	result json.RawMessage
	err    error
}

// ErrGone is the error of a call that nobody will answer.
var ErrGone = errors.New("the connection is closed")

// Start sends a request, behind all that was sent before.
func (p *Peer) Start(method string, params any) *Pending {
	c := &Pending{peer: p, reply: make(chan reply, 1)}
	p.mu.Lock()
	p.next++
	c.id = p.next
	if p.gone {
		c.reply <- reply{err: ErrGone}
	} else {
		p.calls[c.id] = c
		p.lines.post(outgoing{"2.0", c.id, method, params})
	}
	p.mu.Unlock()
	return c
}

// Wait returns the answer. At the end of ctx the request is taken back, and
// nobody waits for an answer any more.
func (c *Pending) Wait(ctx context.Context, result any) error {
	select {
	case r := <-c.reply:
		if r.err != nil || result == nil {
			return r.err
		}
		if len(r.result) == 0 || string(r.result) == "null" {
			return nil
		}
		if err := json.Unmarshal(r.result, result); err != nil {
			return fmt.Errorf("read the answer: %w", err)
		}
		return nil
	case <-ctx.Done():
		c.TakeBack()
		return ctx.Err()
	}
}

// TakeBack tells the other side that the answer is of no use any more.
func (c *Pending) TakeBack() {
	c.peer.mu.Lock()
	_, open := c.peer.calls[c.id]
	delete(c.peer.calls, c.id)
	c.peer.mu.Unlock()
	if open {
		c.peer.lines.post(Notify(cancelRequest, map[string]int64{"requestId": c.id}))
		c.reply <- reply{err: context.Canceled}
	}
}

// Call sends a request and waits for its answer.
func (p *Peer) Call(ctx context.Context, method string, params, result any) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return p.Start(method, params).Wait(ctx, result)
}

func (p *Peer) answered(id ID, result, failure json.RawMessage) {
	n, err := strconv.ParseInt(string(id), 10, 64)
	if err != nil {
		return
	}
	p.mu.Lock()
	c := p.calls[n]
	delete(p.calls, n)
	p.mu.Unlock()
	if c == nil {
		return
	}
	if len(failure) == 0 || string(failure) == "null" {
		c.reply <- reply{result: result}
		return
	}
	e := &Error{}
	if json.Unmarshal(failure, e) != nil || e.Message == "" {
		e.Message = "the other side failed without saying why"
	}
	c.reply <- reply{err: e}
}

// hangUp fails the calls that wait.
func (p *Peer) hangUp() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.gone = true
	for id, c := range p.calls {
		delete(p.calls, id)
		c.reply <- reply{err: ErrGone}
	}
}
