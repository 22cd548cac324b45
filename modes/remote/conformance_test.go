package remote

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
	"testing"
)

// rawFrame is a frame of a client, masked with zeros.
func rawFrame(first byte, payload string) string {
	head := []byte{first}
	switch n := len(payload); {
	case n < 126:
		head = append(head, 0x80|byte(n))
	case n < 1<<16:
		head = binary.BigEndian.AppendUint16(append(head, 0x80|126), uint16(n))
	default:
		head = binary.BigEndian.AppendUint64(append(head, 0x80|127), uint64(n))
	}
	return string(head) + "\x00\x00\x00\x00" + payload
}

const (
	fin          = 0x80
	opText       = 0x1
	opClose      = 0x8
	opPing       = 0x9
	opPong       = 0xa
	continuation = 0x0
)

// RFC 6455, in bytes: what has to be answered is, and what breaks the protocol
// ends the connection, with the right code if any.
func TestConformance(t *testing.T) {
	p := serve(t, hello)
	const list = `{"request_id":"c","input":"GetCommands"}`
	answered := func(r *bufio.Reader) string {
		op, payload, err := readFrame(r)
		for err == nil && op != opText && op != opClose {
			op, payload, err = readFrame(r)
		}
		if err != nil || op != opText || !strings.Contains(payload, `"request_id"`) {
			return fmt.Sprintf("op %d %q %v", op, excerpt(payload, 60), err)
		}
		return ""
	}
	closed := func(codes ...uint16) func(*bufio.Reader) string {
		return func(r *bufio.Reader) string {
			for {
				op, payload, err := readFrame(r)
				switch {
				case err != nil:
					return ""
				case op != opClose:
					continue
				case len(payload) < 2:
					return ""
				}
				code := binary.BigEndian.Uint16([]byte(payload))
				for _, want := range codes {
					if code == want {
						return ""
					}
				}
				return fmt.Sprintf("close code %d, want %d", code, codes)
			}
		}
	}
	ponged := func(want string) func(*bufio.Reader) string {
		return func(r *bufio.Reader) string {
			if op, payload, err := readFrame(r); op != opPong || payload != want {
				return fmt.Sprintf("op %d %q %v", op, payload, err)
			}
			return ""
		}
	}
	status := func(n uint16) string { return string(binary.BigEndian.AppendUint16(nil, n)) }
	for _, c := range []struct {
		name, send string
		check      func(*bufio.Reader) string
	}{
		{"text", rawFrame(fin|opText, list), answered},
		{"fragments", rawFrame(opText, list[:5]) + rawFrame(continuation, list[5:9]) + rawFrame(fin|continuation, list[9:]), answered},
		{"a ping among fragments", rawFrame(opText, list[:5]) + rawFrame(fin|opPing, "x") + rawFrame(fin|continuation, list[5:]), answered},
		{"a character over two fragments", rawFrame(opText, "\"\xe4\xbd") + rawFrame(fin|continuation, "\xa0\""), answered},
		{"an empty text", rawFrame(fin|opText, ""), answered},
		{"ping", rawFrame(fin|opPing, "payload"), ponged("payload")},
		{"an empty ping", rawFrame(fin|opPing, ""), ponged("")},
		{"a pong nobody asked for", rawFrame(fin|opPong, "x") + rawFrame(fin|opText, list), answered},
		{"close", rawFrame(fin|opClose, status(1000)), closed(1000)},
		{"close without a code", rawFrame(fin|opClose, ""), closed(1000, 1005)},
		{"close with half a code", rawFrame(fin|opClose, "\x03"), closed(1002)},
		{"close with a code of nobody", rawFrame(fin|opClose, status(999)), closed(1002)},
		{"close with a code that isn't sent", rawFrame(fin|opClose, status(1005)), closed(1002)},
		{"not masked", "\x81\x01a", closed(1002)},
		{"a reserved bit", rawFrame(fin|0x40|opText, list), closed(1002)},
		{"a reserved operation", rawFrame(fin|0x3, "a"), closed(1002)},
		{"a reserved control", rawFrame(fin|0xb, "a"), closed(1002)},
		{"a long ping", rawFrame(fin|opPing, strings.Repeat("x", 126)), closed(1002)},
		{"a ping in pieces", rawFrame(opPing, "a"), closed(1002)},
		{"the rest of nothing", rawFrame(fin|continuation, "a"), closed(1002)},
		{"a text within a text", rawFrame(opText, "a") + rawFrame(fin|opText, "b"), closed(1002)},
		{"no UTF-8", rawFrame(fin|opText, "\"\xff\""), closed(1007)},
		{"a length with its top bit", "\x81\xff\x80\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00", closed(1002, 1009)},
	} {
		t.Run(c.name, func(t *testing.T) {
			conn, r := p.raw(t)
			if _, err := io.WriteString(conn, c.send); err != nil {
				t.Fatal(err)
			}
			if wrong := c.check(r); wrong != "" {
				t.Error(wrong)
			}
		})
	}
	for name, header := range map[string]map[string]string{
		"another version": {"Sec-WebSocket-Version": "12"},
		"no key":          {"Sec-WebSocket-Key": ""},
		"no connection":   {"Connection": "close"},
	} {
		if status, _ := p.request("GET", "/", shake(header)); status < 400 || status >= 500 {
			t.Errorf("%s: status %d", name, status)
		}
	}
	if g := p.connect("").ask("a", "hi"); g.text() != "Hello." {
		t.Errorf("afterwards %+v", g)
	}
}

func readFrame(r *bufio.Reader) (op byte, payload string, err error) {
	var head [2]byte
	if _, err = io.ReadFull(r, head[:]); err != nil {
		return 0, "", err
	}
	n := int(head[1] & 0x7f)
	switch n {
	case 126:
		var b [2]byte
		_, err = io.ReadFull(r, b[:])
		n = int(binary.BigEndian.Uint16(b[:]))
	case 127:
		var b [8]byte
		_, err = io.ReadFull(r, b[:])
		n = int(binary.BigEndian.Uint64(b[:]))
	}
	data := make([]byte, n)
	if err == nil {
		_, err = io.ReadFull(r, data)
	}
	return head[0] & 0xf, string(data), err
}
