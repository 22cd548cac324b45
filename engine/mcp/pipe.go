package mcp

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Bounds of what a server may send.
const (
	maxMessage  = 16 << 20 // bytes of one message
	maxRequests = 64       // of the server's own that wait for an answer
	maxNotices  = 1000     // notifications within a second
)

var errTooLong = fmt.Errorf("it sent a message of more than %d MB", maxMessage>>20)

// pipe carries messages, one a line, to and from a process. Unlike the SDK's
// transport it drops lines that aren't messages, which many servers print, and
// what comes faster or longer than anybody can use.
type pipe struct {
	process *process
	in      *bufio.Reader
	out     chan []byte
	ended   chan struct{}
	once    sync.Once
	now     func() time.Time
	dropped func(line []byte) // told of each line that is no message

	mu       sync.Mutex
	requests int       // the server's, unanswered
	second   time.Time // start of the current second
	notices  int       // within it
}

func newPipe(p *process, now func() time.Time, dropped func([]byte)) *pipe {
	c := &pipe{
		process: p, in: bufio.NewReaderSize(p.stdout, 64<<10), out: make(chan []byte),
		ended: make(chan struct{}), now: now, dropped: dropped,
	}
	go c.write()
	go c.follow()
	return c
}

// Connect implements the SDK's Transport.
func (c *pipe) Connect(context.Context) (sdk.Connection, error) { return c, nil }

// SessionID implements the SDK's Connection.
func (c *pipe) SessionID() string { return "" }

// Close ends the process.
func (c *pipe) Close() error {
	c.once.Do(func() { close(c.ended) })
	c.process.stop()
	return nil
}

// follow ends the pipe when the server has exited and its output is read.
func (c *pipe) follow() {
	select {
	case <-c.ended:
		return
	case <-c.process.exited:
	}
	select {
	case <-c.ended:
	case <-time.After(drain):
		c.Close()
	}
}

// Read returns the next message that is worth handling.
func (c *pipe) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		line, err := c.line()
		if err != nil {
			return nil, err
		}
		if len(line) == 0 {
			continue
		}
		m, err := decode(line)
		if err != nil {
			c.dropped(line)
			continue
		}
		if c.accept(m) {
			return m, nil
		}
	}
}

func decode(line []byte) (jsonrpc.Message, error) {
	if line[0] != '{' {
		return nil, errors.New("no JSON object")
	}
	return jsonrpc.DecodeMessage(line)
}

// line reads one line without its end. The slice is the caller's own: messages
// refer to it.
func (c *pipe) line() ([]byte, error) {
	var line []byte
	for {
		part, err := c.in.ReadSlice('\n')
		if len(line)+len(part) > maxMessage {
			return nil, errTooLong
		}
		line = append(line, part...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err == nil:
			return bytes.TrimSpace(line), nil
		default:
			select {
			case <-c.ended:
				return nil, io.EOF // our own doing
			default:
				return nil, err
			}
		}
	}
}

// accept counts a message and reports whether it is handed on.
func (c *pipe) accept(m jsonrpc.Message) bool {
	r, ok := m.(*jsonrpc.Request)
	if !ok {
		return true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if r.IsCall() {
		if c.requests == maxRequests {
			return false
		}
		c.requests++
		return true
	}
	switch r.Method {
	case "notifications/progress", "notifications/cancelled", "notifications/tools/list_changed",
		"notifications/prompts/list_changed", "notifications/resources/list_changed":
	default:
		return false
	}
	if now := c.now(); now.Sub(c.second) >= time.Second {
		c.second, c.notices = now, 0
	}
	c.notices++
	return c.notices <= maxNotices
}

// Write hands a message to the writing goroutine. It waits while the server
// doesn't read, no longer than ctx.
func (c *pipe) Write(ctx context.Context, m jsonrpc.Message) error {
	data, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return fmt.Errorf("encode message: %w", err)
	}
	if _, ok := m.(*jsonrpc.Response); ok {
		c.mu.Lock()
		c.requests--
		c.mu.Unlock()
	}
	select {
	case c.out <- append(data, '\n'):
		return nil
	case <-c.ended:
		return io.ErrClosedPipe
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (c *pipe) write() {
	for {
		select {
		case data := <-c.out:
			if _, err := c.process.stdin.Write(data); err != nil {
				c.Close()
				return
			}
		case <-c.ended:
			return
		}
	}
}
