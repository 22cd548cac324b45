//go:build unix

package main

import (
	"bufio"
	"bytes"
	"strings"
	"testing"
)

type sent struct{ bytes.Buffer }

func (*sent) Close() error { return nil }

// dialled is a connection on which the peer has said all at once.
func dialled(said string) (*conn, *sent) {
	in := &sent{}
	return &conn{in: in, out: bufio.NewReaderSize(strings.NewReader(said), 64)}, in
}

const update = `{"jsonrpc":"2.0","method":"session/update","params":{"id":2,"result":{}}}` + "\n"

func TestProtocols(t *testing.T) {
	long := strings.Repeat("x", 1000)
	for name, c := range map[string]struct {
		protocol   protocol
		said, sent string
	}{
		"ACP": {&acp{}, `{"jsonrpc":"2.0","id":0,"result":{}}` + "\n" + `{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}` + "\n" +
			update + `{"jsonrpc":"2.0","id":7,"method":"session/request_permission","params":{}}` + "\n" + update +
			`{"jsonrpc":"2.0","id":2,"result":{"more":"` + long + `"}}` + "\n", `"optionId":"allow"`},
		"pi's": {piRPC{}, `{"type":"ready"}` + "\n" + `{"id":"first","type":"response"}` + "\n" + `{"type":"message_update","x":"` + long + `"}` + "\n" +
			`{"type":"agent_settled"}` + "\n", `"message":"go"`},
		"Codex's": {&appServer{}, `{"id":0,"result":{}}` + "\n" + `{"id":1,"result":{"thread":{"id":"t"}}}` + "\n" + `{"id":2,"result":{}}` + "\n" +
			`{"method":"turn/completed","params":{}}` + "\n", `"threadId":"t"`},
	} {
		t.Run(name, func(t *testing.T) {
			s, in := dialled(c.said)
			if err := c.protocol.hello(s); err != nil {
				t.Fatal(err)
			}
			if err := c.protocol.open(s, "/a"); err != nil {
				t.Fatal(err)
			}
			if err := c.protocol.turn(s, "go"); err != nil {
				t.Fatal(err)
			}
			if s.bytes != int64(len(c.said)) {
				t.Errorf("%d bytes read, not %d", s.bytes, len(c.said))
			}
			if !strings.Contains(in.String(), c.sent) {
				t.Errorf("sent %s", in.String())
			}
		})
		t.Run(name+", ended", func(t *testing.T) {
			s, _ := dialled("")
			if err := c.protocol.hello(s); err == nil || !strings.Contains(err.Error(), "it ended") {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestRefusedCalls(t *testing.T) {
	for _, said := range []string{
		`{"jsonrpc":"2.0","id":0,"error":{"message":"no"}}` + "\n",
		`{"jsonrpc":"2.0","id":9,"method":"fs/read_text_file","params":{}}` + "\n",
	} {
		s, _ := dialled(said)
		if err := (&acp{}).hello(s); err == nil {
			t.Errorf("%s is no answer", said)
		}
	}
}

func TestReplies(t *testing.T) {
	for _, c := range []struct{ asked, want string }{
		{"plain \x1b[31mtext\x1b[0m", ""},
		{"\x1b[c\x1b[0c", "\x1b[?62;22c\x1b[?62;22c"},
		{"\x1b[?2026$p", "\x1b[?2026;2$y"},
		{"\x1b]11;?\x07", "\x1b]11;rgb:0000/0000/0000\x1b\\"},
		{"\x1b]11;?\x1b\\", "\x1b]11;rgb:0000/0000/0000\x1b\\"},
		{"\x1b[6n", "\x1b[1;1R"},
		{"\x1b[?u\x1b[>q", "\x1b[?0u\x1bP>|bench 1\x1b\\"},
	} {
		if got := replies(c.asked); got != c.want {
			t.Errorf("%q: %q, not %q", c.asked, got, c.want)
		}
	}
}

func TestTail(t *testing.T) {
	var kept tail
	for range 100 {
		if _, err := kept.Write(bytes.Repeat([]byte("x"), 5000)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := kept.Write([]byte("end")); err != nil {
		t.Fatal(err)
	}
	if text := kept.text(); !strings.HasSuffix(text, "xend") || len(text) > 200_000 {
		t.Errorf("%d bytes are kept, with %q at the end", len(text), text[max(0, len(text)-10):])
	}
}
