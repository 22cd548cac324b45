package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
	"unicode/utf8"

	"github.com/coder/websocket"
)

// Times of a connection.
const (
	writeTime = 30 * time.Second // for one message
	pingEvery = 30 * time.Second // unless a test has less time
	maxMissed = 2                // pings without a pong
)

// conn is a client of the JSON protocol.
type conn struct {
	ws      *websocket.Conn
	out     *outbox
	wire    Wire
	watches bool // all of the session's frames, not its own alone

	end context.CancelFunc
}

func (c *conn) dismiss(reason string) { c.out.close(reason) }

// serve reads requests until the connection ends.
func (s *Server) serve(ctx context.Context, ws *websocket.Conn, c *conn, talk *conversation) {
	ctx, c.end = context.WithCancel(ctx)
	defer c.end()
	written := make(chan struct{})
	go func() {
		defer close(written)
		defer c.end()
		defer s.recovered(nil)
		c.write(ctx)
	}()
	go s.keepAlive(ctx, ws, c.end)
	err := c.read(ctx, talk)
	c.out.close("")
	c.end()
	<-written
	s.log.Info("remote connection ended", "session", talk.id, "why", closing(err))
}

// read takes messages. A text that isn't UTF-8 ends the connection, since JSON
// parsers would make something else of it.
func (c *conn) read(ctx context.Context, talk *conversation) error {
	for {
		kind, data, err := c.ws.Read(ctx)
		switch {
		case err != nil:
			return err
		case utf8.Valid(data):
			talk.receive(c, data)
		case kind == websocket.MessageText:
			_ = c.ws.Close(websocket.StatusInvalidFramePayloadData, "a text message is UTF-8")
			return errors.New("a text message was not UTF-8")
		default:
			talk.post(c, "parse_error", failure("Failed to parse request: Binary message must be valid UTF-8 JSON"))
		}
	}
}

// write is the only writer of the connection's messages.
func (c *conn) write(ctx context.Context) {
	var buf []byte
	for {
		frames, err := c.out.take(ctx)
		for _, f := range frames {
			buf = f.appendTo(buf[:0], c.wire)
			if err := send(ctx, c.ws, buf); err != nil {
				return
			}
			if f.closes {
				_ = c.ws.Close(websocket.StatusNormalClosure, "")
				return
			}
			if cap(buf) > 4*maxChunk {
				buf = nil
			}
		}
		gone, dismissed := errors.AsType[goneError](err)
		switch {
		case err == nil:
			continue
		case errors.Is(err, errTooSlow):
			_ = c.ws.Close(websocket.StatusTryAgainLater, err.Error())
		case dismissed && gone != "":
			_ = c.ws.Close(websocket.StatusGoingAway, string(gone))
		}
		return
	}
}

// send writes one message, which ends the connection when it takes too long.
func send(ctx context.Context, ws *websocket.Conn, data []byte) error {
	ctx, cancel := context.WithTimeout(ctx, writeTime)
	defer cancel()
	return ws.Write(ctx, websocket.MessageText, data)
}

// keepAlive notices clients that have gone without a word.
func (s *Server) keepAlive(ctx context.Context, ws *websocket.Conn, end func()) {
	missed := 0
	tick := time.NewTicker(s.o.pingEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		patience, cancel := context.WithTimeout(ctx, s.o.pingEvery)
		err := ws.Ping(patience)
		cancel()
		if err == nil {
			missed = 0
			continue
		}
		if missed++; missed >= maxMissed {
			end()
			return
		}
	}
}

// closing says in a word why a connection ended.
func closing(err error) string {
	if code := websocket.CloseStatus(err); code >= 0 {
		return fmt.Sprint(int(code))
	}
	if errors.Is(err, io.EOF) || errors.Is(err, context.Canceled) {
		return "gone"
	}
	return excerpt(err.Error(), 200)
}
