package remote

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// hurried lets a server ping often.
func hurried(o *Options) { o.pingEvery = 10 * time.Millisecond }

// W-10, anomalyco/opencode#17769: a client that stays silent for many times the
// interval of the pings is kept by its pongs alone: no data comes unasked.
func TestIdle(t *testing.T) {
	p := serve(t, hello, hurried)
	var pings atomic.Int64
	ws, _, err := p.dial("", &websocket.DialOptions{OnPingReceived: func(context.Context, []byte) bool {
		pings.Add(1)
		return true
	}})
	if err != nil {
		t.Fatal(err)
	}
	c := read(t, ws)
	eventually(t, "the server has pinged 20 times", func() bool { return pings.Load() >= 20 })
	c.send(`{"request_id":"a","input":{"Text":"hi"}}`)
	if g, ok := c.take(); !ok || g.ID != "a" || g.text() != "Hello." {
		t.Errorf("the first frame is %+v", g)
	}
}

// W-10: a client that has gone without a word answers no ping, and isn't waited
// for.
func TestNoPongs(t *testing.T) {
	p := serve(t, hello, hurried)
	ws, _, err := p.dial("", &websocket.DialOptions{OnPingReceived: func(context.Context, []byte) bool { return false }})
	if err != nil {
		t.Fatal(err)
	}
	read(t, ws).closed()
	eventually(t, "its conversation has ended", func() bool { return len(p.talks()) == 0 })
}

// W-10, python-websockets/websockets#1128: while a command runs and no frame
// comes, pings of both sides are answered, so that no keepalive ends the
// connection, and the answer arrives.
func TestPingsDuringCommand(t *testing.T) {
	p := serve(t, "-- turn --\n-- call bash --\n{\"command\": \"touch up; while ! [ -e go ]; do sleep 0.05; done\"}\n-- turn --\n-- text --\nIt is done.\n",
		inMode("full"), hurried)
	var pings atomic.Int64
	ws, _, err := p.dial("", &websocket.DialOptions{OnPingReceived: func(context.Context, []byte) bool {
		pings.Add(1)
		return true
	}})
	if err != nil {
		t.Fatal(err)
	}
	c := read(t, ws)
	c.send(`{"request_id":"a","input":{"Text":"go"}}`)
	eventually(t, "the command runs", func() bool {
		_, err := os.Stat(filepath.Join(p.dir, "up"))
		return err == nil
	})
	begun := pings.Load()
	for range 10 {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		err := ws.Ping(ctx)
		cancel()
		if err != nil {
			t.Fatalf("no pong: %v", err)
		}
	}
	eventually(t, "the server has pinged 10 times", func() bool { return pings.Load() >= begun+10 })
	if err := os.WriteFile(filepath.Join(p.dir, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if g, ok := c.take(); !ok || g.text() != "It is done." {
		t.Errorf("the first frame is %+v", g)
	}
}

// W-6, anomalyco/opencode#16721: an Interrupt ends what the command started,
// also where it heeds no request to end, and the request in its own mode; the
// connection works on.
func TestInterruptCommand(t *testing.T) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("processes of a group can't be seen here")
	}
	for name, command := range map[string]string{
		"sleeping": "echo $$ > pid; sleep 3600 & sleep 3600",
		"stubborn": "trap '' INT TERM HUP; echo $$ > pid; while :; do sleep 3600; done",
	} {
		for _, stream := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, stream %v", name, stream), func(t *testing.T) {
				t.Parallel()
				p := serve(t, fmt.Sprintf("-- turn --\n-- call bash --\n{\"command\": %q}\n-- turn --\ntimes: always\n-- text --\nHello.\n", command), inMode("full"))
				c := p.connect("")
				c.send(`{"request_id":"a","input":{"Text":"go"},"stream":%v}`, stream)
				group := p.group()
				c.send(`{"request_id":"i","input":"Interrupt"}`)
				seen := map[string]got{}
				for len(seen) < 2 {
					g := c.until("both ends", got.ends)
					seen[g.ID] = g
				}
				if a := seen["a"]; a.Error != nil || stream != (a.kind() == kindComplete) || stream && !a.interrupted() {
					t.Errorf("the request ended with %+v", a)
				}
				if i := seen["i"]; i.text() != "Model output interrupted successfully" || i.Error != nil {
					t.Errorf("the Interrupt was answered %+v", i)
				}
				eventually(t, "the process group is gone", func() bool { return alive(group) == 0 })
				if g := c.ask("ok", "hi"); g.text() != "Hello." {
					t.Errorf("afterwards %+v", g)
				}
			})
		}
	}
}

// alive counts the processes of a group that aren't dead.
func alive(group int) (n int) {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		data, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		// The name, in parentheses, may hold anything: state, parent and
		// group follow the last one.
		_, rest, _ := strings.Cut(string(data[strings.LastIndexByte(string(data), ')')+1:]), " ")
		if f := strings.Fields(rest); len(f) > 2 && f[0] != "Z" && f[2] == strconv.Itoa(group) {
			n++
		}
	}
	return n
}

// W-10, openai/codex#19608: a client that lets too much pile up gets what was on
// its way and then a code that says so, and others live.
func TestTooSlowIsTold(t *testing.T) {
	const bound = 256 << 10
	p := serve(t, "-- turn --\n-- text piece=8192 repeat=4096 --\n"+strings.Repeat("0123456789abcdef", 256)+"\n-- turn --\ntimes: always\n-- text --\nHello.\n",
		func(o *Options) { o.maxPiled = bound })
	ws, _, err := p.dial("", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer ws.CloseNow()
	if err := ws.Write(t.Context(), websocket.MessageText, []byte(`{"request_id":"a","input":{"Text":"go"},"stream":true}`)); err != nil {
		t.Fatal(err)
	}
	eventually(t, "too much waits", func() bool {
		for _, talk := range p.talks() {
			talk.mu.Lock()
			for m := range talk.present {
				out := m.(*conn).out
				out.mu.Lock()
				err, weight := out.err, out.weight
				out.mu.Unlock()
				if weight > bound {
					t.Errorf("%d bytes wait", weight)
				}
				if err == errTooSlow {
					talk.mu.Unlock()
					return true
				}
			}
			talk.mu.Unlock()
		}
		return false
	})
	other := p.connect("")
	c := read(t, ws)
	if code := c.closed(); code != websocket.StatusTryAgainLater {
		t.Errorf("closed with %d", code)
	}
	for _, g := range c.frames {
		if g.ID != "a" || g.kind() != kindStream {
			t.Fatalf("among the frames is %+v", g)
		}
	}
	other.send(`{"request_id":"l","input":"GetCommands"}`)
	if g := other.end("l"); g.Error != nil {
		t.Errorf("another connection: %+v", g)
	}
}

// W-10, openclaw/openclaw#14400, openhab/openhab-core#4587: 70 MB in one frame or
// in many end with code 1009, and cost no other connection anything.
func TestTooLargeIsTold(t *testing.T) {
	const size, piece = 70 << 20, 1 << 20
	p := serve(t, hello)
	other := p.connect("")
	for name, fragments := range map[string]int{"one frame": 1, "fragments": size / piece} {
		t.Run(name, func(t *testing.T) {
			conn, r := p.raw(t)
			go func() { // fails when the server has had enough
				payload := strings.Repeat("x", size/fragments)
				for i := range fragments {
					first := byte(continuation)
					if i == 0 {
						first = opText
					}
					if i == fragments-1 {
						first |= fin
					}
					if _, err := io.WriteString(conn, rawFrame(first, payload)); err != nil {
						return
					}
				}
			}()
			op, payload, err := readFrame(r)
			if err != nil || op != opClose || len(payload) < 2 || binary.BigEndian.Uint16([]byte(payload)) != uint16(websocket.StatusMessageTooBig) {
				t.Errorf("op %d %q %v", op, payload, err)
			}
		})
	}
	if g := other.ask("b", "hi"); g.text() != "Hello." {
		t.Errorf("another connection: %+v", g)
	}
}

// raw opens a connection below the frames.
func (p *place) raw(t *testing.T) (net.Conn, *bufio.Reader) {
	t.Helper()
	conn, err := net.Dial("tcp", p.addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(patience))
	fmt.Fprintf(conn, "GET / HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n", p.addr)
	r := bufio.NewReader(conn)
	accepted := false
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		accepted = accepted || strings.EqualFold(strings.TrimSpace(line), "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
		if line == "\r\n" {
			if !accepted {
				t.Error("the handshake has no proof")
			}
			return conn, r
		}
	}
}

// W-10: a server that ends tells its clients by a code, and waits until what they
// have running has ended, whoever notices the end first.
func TestEndOfServer(t *testing.T) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("processes of a group can't be seen here")
	}
	for query, request := range map[string]string{
		"":                           `{"request_id":"a","input":{"Text":"go"}}`,
		"?session=new":               `{"request_id":"a","input":{"Text":"go"}}`,
		"?session=new&wire=events":   `{"id":"1","type":"prompt","message":"go"}`,
		"?session=new&wire=upstream": `{"request_id":"a","input":{"Text":"go"},"stream":true}`,
	} {
		t.Run(query, func(t *testing.T) {
			p := serve(t, "-- turn --\n-- call bash --\n{\"command\": \"echo $$ > pid; sleep 3600 & wait\"}\n", inMode("full"))
			c := p.connect(query)
			c.send("%s", request)
			group := p.group()
			p.server.Close()
			if n := alive(group); n > 0 {
				t.Errorf("%d processes are left", n)
			}
			if code := c.closed(); code != websocket.StatusGoingAway {
				t.Errorf("closed with %d", code)
			}
		})
	}
}

// group is the process group of a command that leaves it in the file pid.
func (p *place) group() (n int) {
	p.t.Helper()
	eventually(p.t, "the command runs", func() bool {
		data, _ := os.ReadFile(filepath.Join(p.dir, "pid"))
		n, _ = strconv.Atoi(strings.TrimSpace(string(data)))
		return n > 0 && alive(n) > 0
	})
	return n
}
