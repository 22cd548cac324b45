//go:build unix

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/coder/websocket"
)

// guest is a client of hoopoe --remote, or of /remote in the chat.
type guest struct {
	t  *testing.T
	ws *websocket.Conn
}

func visit(t *testing.T, url string) *guest {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), guard)
	defer cancel()
	ws, _, err := websocket.Dial(ctx, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	ws.SetReadLimit(1 << 20)
	t.Cleanup(func() { ws.CloseNow() })
	return &guest{t, ws}
}

func (g *guest) send(format string, args ...any) {
	g.t.Helper()
	ctx, cancel := context.WithTimeout(g.t.Context(), guard)
	defer cancel()
	if err := g.ws.Write(ctx, websocket.MessageText, fmt.Appendf(nil, format, args...)); err != nil {
		g.t.Fatal(err)
	}
}

// next reads on to a frame that holds the text.
func (g *guest) next(text string) string {
	g.t.Helper()
	ctx, cancel := context.WithTimeout(g.t.Context(), guard)
	defer cancel()
	for {
		_, data, err := g.ws.Read(ctx)
		if err != nil {
			g.t.Fatalf("no %s: %v", text, err)
		}
		if strings.Contains(string(data), text) {
			return string(data)
		}
	}
}

// serve starts hoopoe --remote and returns its address.
func (p *place) serve(args ...string) (r *running, url string) {
	p.t.Helper()
	r = begin(p.t, p.command(append([]string{"--remote", "127.0.0.1:0"}, args...)...))
	line, err := r.events.ReadString('\n')
	url, ok := strings.CutPrefix(strings.TrimSpace(line), "Listening on ")
	if err != nil || !ok {
		p.t.Fatalf("the server says %q: %v; stderr: %s", line, err, r.stderr)
	}
	return r, url
}

// W-10: whatever signal ends the server, what clients have running ends with
// it, they are told, and their sessions can be opened again.
func TestRemoteSignals(t *testing.T) {
	for _, c := range []struct {
		name   string
		model  string
		signal []syscall.Signal
		codes  []int
	}{
		{"SIGINT", sleeper, []syscall.Signal{syscall.SIGINT}, []int{130}},
		{"SIGHUP", sleeper, []syscall.Signal{syscall.SIGHUP}, []int{129}},
		{"SIGTERM", sleeper, []syscall.Signal{syscall.SIGTERM}, []int{143}},
		{"SIGINT, stubborn", stubborn, []syscall.Signal{syscall.SIGINT}, []int{130}},
		// The second signal doesn't wait. Which is seen first is open.
		{"two, stubborn", stubborn, []syscall.Signal{syscall.SIGHUP, syscall.SIGTERM}, []int{129, 143}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			r, url := p.serve(p.script("model", c.model), "--permissions", "full")
			g := visit(t, url+"/?session=new&wire=events")
			g.send(`{"id":"1","type":"prompt","message":"work"}`)
			g.next(`"type":"tool_progress"`)
			group := p.group()
			for _, s := range c.signal {
				r.signal(s)
			}
			code := r.end()
			if code != c.codes[0] && code != c.codes[len(c.codes)-1] {
				t.Errorf("exit code %d, want %d", code, c.codes)
			}
			p.gone(group)
			if errs := r.stderr.String(); !strings.HasPrefix(errs, "hoopoe: there is no token") || strings.Count(errs, "\n") != 1 {
				t.Errorf("stderr %q", errs)
			}
			if len(c.signal) > 1 {
				return
			}
			err := error(nil)
			for err == nil {
				_, _, err = g.ws.Read(t.Context())
			}
			if websocket.CloseStatus(err) != websocket.StatusGoingAway {
				t.Errorf("the client is told %v", err)
			}
			if out, errs, code := p.run("-c", p.script("echo", echo), "-p", "go on"); code != 0 || out != "A whole answer\n" {
				t.Errorf("going on: %q, %q, %d", out, errs, code)
			}
		})
	}
}

// asking is a model whose every turn wants to run a command, then tells of it.
const asking = `-- turn --
on: one
-- call bash --
{"command":"touch one"}
-- turn --
on: one
-- text --
One is made.
-- turn --
on: two
-- call bash --
{"command":"touch two"}
-- turn --
on: two
-- text --
Two is made.
-- turn --
on: three
-- call bash --
{"command":"touch three"}
-- turn --
on: three
-- text --
Three is not made.
`

// W-7, W-10: after /remote the chat and its guests see one conversation. Either
// answers a question of the other's, who is told that it is closed, and a second
// answer counts for nothing.
func TestChatShared(t *testing.T) {
	p := newPlace(t)
	s, c := p.chat(p.script("model", asking))
	s.see("Say what you want done")
	s.keys("/remote\r")
	s.see("/remote off ends it")
	shown := regexp.MustCompile(`\s*\n\s*`).ReplaceAllString(s.text(), "")
	link := regexp.MustCompile(`http://(127\.0\.0\.1:\d+)/#token=([\w-]{43})&session=([\w-]{36})`).FindStringSubmatch(shown)
	if link == nil {
		t.Fatalf("no link in\n%s", s.text())
	}
	url := fmt.Sprintf("ws://%s/?token=%s&session=%s", link[1], link[2], link[3])
	page, client := visit(t, url+"&wire=events"), visit(t, url)
	page.next(`"type":"view"`)
	question := func() string {
		t.Helper()
		var e struct {
			Question struct{ ID, Title string }
		}
		if err := json.Unmarshal([]byte(page.next(`"type":"ask_opened"`)), &e); err != nil || e.Question.ID == "" {
			t.Fatal(e, err)
		}
		return e.Question.ID
	}

	// The chat asks for it, the page allows it.
	s.keys("make one\r")
	s.see("Allow this command?", "touch one")
	id := question()
	page.send(`{"id":"1","type":"extension_ui_response","question":%q,"choice":"once"}`, id)
	page.next(`"won":true`)
	s.see("One is made.")
	if strings.Contains(s.text(), "Allow this command?") {
		t.Errorf("the chat still asks:\n%s", s.text())
	}
	page.next("One is made.")
	p.read("one")

	// The page asks for it, the chat allows it.
	page.send(`{"id":"2","type":"prompt","message":"make two"}`)
	id = question()
	s.see("make two", "Allow this command?", "touch two")
	s.answer("y", "Allow this command?")
	page.next(`"type":"ask_closed"`)
	page.send(`{"id":"3","type":"extension_ui_response","question":%q,"choice":"deny"}`, id)
	page.next(`"won":false`)
	s.see("Two is made.")
	p.read("two")

	// A client of the protocol asks for it, the chat denies it.
	client.send(`{"request_id":"r","input":{"Text":"make three"}}`)
	client.next(`"ToolConfirmationRequest":{"name":"bash"`)
	s.see("make three", "Allow this command?", "touch three")
	s.answer("n", "Allow this command?")
	if end := client.next(`"request_id":"r"`); !strings.Contains(end, "Three is not made.") {
		t.Errorf("the request ended with %s", end)
	}
	client.send(`{"request_id":"late","input":{"ToolConfirmationResponse":{"name":"bash","arguments":{"command":"touch three"},"approved":true}}}`)
	client.next("No pending tool confirmation found")
	page.next("Three is not made.")

	s.keys("/quit\r")
	if code := exitOf(t, c.Wait()); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if _, _, err := client.ws.Read(t.Context()); websocket.CloseStatus(err) != websocket.StatusGoingAway {
		t.Errorf("at the end the client is told %v", err)
	}
}
