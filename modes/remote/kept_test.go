package remote

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// keep opens a connection to a new kept session and returns its id.
func (p *place) keep() (c *client, id string) {
	p.t.Helper()
	c = p.connect("?session=new")
	c.send(`{"request_id":"l","input":"GetCommands"}`)
	id = c.end("l").Session
	if id == "" {
		p.t.Fatal("a kept session doesn't tell its id")
	}
	return c, id
}

// W-10: what ran goes on without the connection; since=N brings exactly the
// frames after N, once, a part of a merged chunk included.
func TestReplay(t *testing.T) {
	p := serve(t, "-- turn --\n-- text piece=1 delay=2ms repeat=20 --\nabcdefghij\n-- turn --\ntimes: always\n-- text --\nHello.\n")
	c, id := p.keep()
	c.send(`{"request_id":"s","input":{"Text":"count"},"stream":true}`)
	var text strings.Builder
	var last uint64
	for range 5 {
		g := c.untilKind(kindStream)
		text.WriteString(g.text())
		if g.Session != id || g.Seq <= last {
			t.Errorf("frame %+v after %d", g, last)
		}
		last = g.Seq
	}
	c.ws.CloseNow()
	eventually(t, "the connection is gone", func() bool { return p.present(id) == 0 })
	c = p.connect(fmt.Sprintf("?session=%s&since=%d", id, last))
	for {
		g, ok := c.take()
		if !ok {
			t.Fatal("the connection ended")
		}
		if g.Seq <= last {
			t.Errorf("frame %d came again", g.Seq)
		}
		last = g.Seq
		if g.kind() == kindComplete {
			break
		}
		text.WriteString(g.text())
	}
	if want := strings.Repeat("abcdefghij", 20); text.String() != want {
		t.Errorf("the pieces are %q", text.String())
	}
	// All of it again, from the beginning, and from every place within.
	for n := range last {
		c := p.connect(fmt.Sprintf("?session=%s&since=%d", id, n))
		seen := n
		for seen < last {
			g, _ := c.take()
			seen = g.Seq
		}
		if seen != last {
			t.Errorf("since %d ends with %d", n, seen)
		}
		c.ws.CloseNow()
	}
	for query, want := range map[string]int{
		"?session=nobody": 404, "?session=" + id + "&since=x": 400, "?since=1": 400, "?session=new&since=0": 400, "?wire=xml": 400,
	} {
		if status, _ := p.request("GET", "/"+query, shake(nil)); status != want {
			t.Errorf("%s: %d, want %d", query, status, want)
		}
	}
	if c := p.connect(fmt.Sprintf("?session=%s&since=%d", id, last+1)); c.closed() != 1008 {
		t.Error("frames that never were could be asked for")
	}
	// Without since nothing is replayed.
	c = p.connect("?session=" + id)
	c.send(`{"request_id":"x","input":{"Text":"hi"}}`)
	if g, _ := c.take(); g.ID != "x" || g.text() != "Hello." {
		t.Errorf("the first frame is %+v", g)
	}
}

func (p *place) present(id string) int {
	c := p.conversation(id)
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.present)
}

// W-10: a question waits for somebody to come back, under its old id; it is
// answered once, and by those alone who are attached.
func TestQuestionOverReconnect(t *testing.T) {
	p := serve(t, calls)
	c, id := p.keep()
	c.send(`{"request_id":"t","input":{"Text":"run"},"stream":true}`)
	c.untilKind(kindToolAsk)
	c.ws.CloseNow()
	eventually(t, "the connection is gone", func() bool { return p.present(id) == 0 })
	const approve = `{"request_id":%q,"input":{"ToolConfirmationResponse":{"name":"bash","arguments":{"command":"echo ran > proof"},"approved":true}}}`
	stranger := p.connect("")
	stranger.send(approve, "z")
	if g := stranger.end("z"); g.err() != "No pending tool confirmation found" {
		t.Errorf("a stranger was answered %+v", g)
	}
	c = p.connect("?session=" + id)
	g, _ := c.take()
	var q toolAsk
	if err := json.Unmarshal(g.Response[kindToolAsk], &q); err != nil || g.ID != "t" || q.Name != "bash" {
		t.Fatalf("the question came back as %+v", g)
	}
	c.send(approve, "y")
	c.send(approve, "again")
	if g := c.end("again"); g.err() != "No pending tool confirmation found" {
		t.Errorf("a second answer: %+v", g)
	}
	if g := c.end("t"); g.kind() != kindComplete {
		t.Errorf("the end %+v", g)
	}
	if _, err := os.Stat(filepath.Join(p.dir, "proof")); err != nil {
		t.Error("the approved call didn't run")
	}
}

// W-10: a question about turns waits as well.
func TestTurnsOverReconnect(t *testing.T) {
	p := serve(t, hello)
	c, id := p.keep()
	c.send(`{"request_id":"t","input":{"Text":"hi"},"config":{"max_context_num":0}}`)
	c.untilKind(kindTurnAsk)
	c.ws.CloseNow()
	eventually(t, "the connection is gone", func() bool { return p.present(id) == 0 })
	c = p.connect("?session=" + id)
	if g, _ := c.take(); g.ID != "t" || g.kind() != kindTurnAsk {
		t.Errorf("the question came back as %+v", g)
	}
	c.send(`{"request_id":"y","input":{"TurnConfirmationResponse":{"confirmed":true}}}`)
	if g := c.end("t"); g.text() != "Hello." {
		t.Errorf("the end %+v", g)
	}
}

// W-10: frames go to who asked, and to those who watch.
func TestWatchers(t *testing.T) {
	p := serve(t, hello)
	c, id := p.keep()
	other := p.connect("?session=" + id)
	watcher := p.connect("?session=" + id + "&since=0")
	eventually(t, "all three are there", func() bool { return p.present(id) == 3 })
	c.ask("a", "hi")
	if g, _ := watcher.take(); g.ID != "a" {
		t.Errorf("the watcher got %+v", g)
	}
	other.ask("b", "hi")
	if g, _ := watcher.take(); g.ID != "b" {
		t.Errorf("the watcher got %+v", g)
	}
	if g := c.frames[len(c.frames)-1]; g.ID != "a" {
		t.Errorf("who asked for a got %+v", g)
	}
}

// W-10: when the grace is over what runs is stopped, the question denied and
// the session closed. It can be opened again, since this server made it.
func TestGrace(t *testing.T) {
	p := serve(t, calls, func(o *Options) { o.Grace = 50 * time.Millisecond })
	c, id := p.keep()
	c.send(`{"request_id":"t","input":{"Text":"run"}}`)
	c.untilKind(kindToolAsk)
	c.ws.CloseNow()
	eventually(t, "the session is closed", func() bool {
		p.server.mu.Lock()
		defer p.server.mu.Unlock()
		return len(p.server.talks) == 0
	})
	if _, err := os.Stat(filepath.Join(p.dir, "proof")); err == nil {
		t.Error("nobody's silence was taken for a yes")
	}
	if status, _ := p.request("GET", "/?session="+id+"&since=0", shake(nil)); status != 410 {
		t.Errorf("frames of a closed session: %d", status)
	}
	c = p.connect("?session=" + id)
	c.send(`{"request_id":"h","input":{"Instruction":{"command":"history","parameters":null}}}`)
	if g := c.end("h"); !strings.Contains(g.text(), "You: run") || g.Session == "" {
		t.Errorf("opened again: %+v", g)
	}
}

// W-10: a connection can't read, answer or steer another's session.
func TestApart(t *testing.T) {
	p := serve(t, slow)
	mine, theirs := p.connect(""), p.connect("")
	mine.send(`{"request_id":"s","input":{"Text":"slow"},"stream":true}`)
	mine.untilKind(kindStream)
	theirs.send(`{"request_id":"i","input":"Interrupt"}`)
	if g, _ := theirs.take(); g.err() != "No active model output to interrupt" {
		t.Errorf("another's run was stopped: %+v", g)
	}
	theirs.send(`{"request_id":"h","input":{"Instruction":{"command":"history","parameters":null}}}`)
	if g, _ := theirs.take(); strings.Contains(g.text(), "slow") {
		t.Errorf("another's history: %+v", g)
	}
	for _, command := range []string{"resume", "sessions"} {
		theirs.send(`{"request_id":"r","input":{"Text":"/%s x"}}`, command)
		if g, _ := theirs.take(); g.text() != "Hello." {
			t.Errorf("/%s is no text here: %+v", command, g)
		}
	}
	v, err := p.server.o.Open(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close(t.Context())
	view, _ := v.View(t.Context())
	if status, _ := p.request("GET", "/?session="+view.SessionID, shake(nil)); status != 404 {
		t.Errorf("a session that the server didn't make: %d", status)
	}
}

// W-10: the journal is bounded; what it has dropped it doesn't pretend to have.
func TestJournal(t *testing.T) {
	var j journal
	for i := range 100 {
		j.add(frame{id: fmt.Sprint(i), kind: kindText, text: strings.Repeat("x", 1<<20)})
	}
	if j.weight > maxJournal || len(j.entries) < 10 {
		t.Errorf("%d frames of %d bytes are kept", len(j.entries), j.weight)
	}
	if _, ok := j.since(j.dropped - 1); ok {
		t.Error("a dropped frame could be had")
	}
	frames, ok := j.since(j.dropped)
	if !ok || len(frames) != len(j.entries) || frames[len(frames)-1].seq != 100 {
		t.Error("the rest couldn't be had")
	}
	if _, ok := j.since(101); ok {
		t.Error("a frame of the future could be had")
	}
}
