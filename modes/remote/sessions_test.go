package remote

import (
	"context"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/session"
)

// shelf is a library with one saved session.
type shelf struct{ session.Summary }

func (s shelf) Sessions(context.Context, string) ([]session.Summary, error) {
	return []session.Summary{s.Summary}, nil
}

func (s shelf) FindSession(context.Context, string, string) (string, error)     { return s.Path, nil }
func (shelf) Spending(context.Context, time.Time, func(session.Spending)) error { return nil }

// W-10: the saved sessions of the folder can be attached when the user says so,
// and only then.
func TestAllSessions(t *testing.T) {
	first := serve(t, hello)
	c, id := first.keep()
	c.ask("a", "remember me")
	talk := first.conversation(id)
	v, err := talk.session.View(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	talk.close()
	saved := shelf{session.Summary{ID: id, Path: v.File}}
	for _, all := range []bool{false, true} {
		p := serve(t, hello, func(o *Options) { o.AllSessions, o.Library = all, saved })
		if !all {
			if status, _ := p.request("GET", "/?session="+id, shake(nil)); status != 404 {
				t.Errorf("status %d", status)
			}
			continue
		}
		c := p.connect("?session=" + id)
		c.send(`{"request_id":"h","input":{"Instruction":{"command":"history","parameters":null}}}`)
		if g := c.end("h"); !strings.Contains(g.text(), "remember me") {
			t.Errorf("the session holds %q", g.text())
		}
	}
}

// W-10: the link holds the token where browsers keep it to themselves.
func TestReach(t *testing.T) {
	at := Reach(Options{Address: Address{Host: "127.0.0.1"}, Cert: "c", Token: "a&b"}, &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 9})
	if at.Socket != "wss://127.0.0.1:9" || at.Page != "https://127.0.0.1:9/#token=a%26b" || at.Open {
		t.Errorf("reached at %+v", at)
	}
	if at := Reach(Options{Address: Address{Host: "0.0.0.0"}, Token: "t"}, &net.TCPAddr{Port: 9}); !at.Open || strings.Contains(at.Page, "0.0.0.0") {
		t.Errorf("reached at %+v", at)
	}
}
