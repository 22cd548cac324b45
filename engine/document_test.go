package engine

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/ext"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/session"
)

// What a command prints belongs to the conversation that it was begun in, or to
// a copy of that.
func TestBashStaysInItsConversation(t *testing.T) {
	for name, c := range map[string]struct {
		replace func(*Session, context.Context) (bool, error)
		kept    bool
	}{
		"new":  {func(s *Session, ctx context.Context) (bool, error) { return s.NewDocument(ctx, NewDocumentOptions{}) }, false},
		"fork": {func(s *Session, ctx context.Context) (bool, error) { return s.Fork(ctx) }, true},
	} {
		t.Run(name, func(t *testing.T) {
			begun, free := make(chan struct{}), make(chan struct{})
			h := ext.Hooks{Name: "remote", UserBash: func(context.Context, ext.Session, ext.UserBash) (ext.UserBashReply, error) {
				close(begun)
				<-free
				return ext.UserBashReply{Handled: true, Output: "there"}, nil
			}}
			face := newWorld(t, hello, withHooks(h)).open(OpenOptions{})
			face.run("hi")
			done := make(chan BashResult, 1)
			go func() {
				r, err := face.s.Bash(face.ctx(), BashInput{Command: "make"})
				if err != nil {
					t.Error(err)
				}
				done <- r
			}()
			wait(t, begun, "the command")
			if cancelled, err := c.replace(face.s, face.ctx()); cancelled || err != nil {
				t.Fatal(cancelled, err)
			}
			close(free)
			if r := <-done; r.Message.Bash.Output != "there" {
				t.Errorf("got %+v", r.Message.Bash)
			}
			on[event.BashEnded](face)
			v, err := face.s.View(face.ctx())
			if err != nil {
				t.Fatal(err)
			}
			kept := false
			for _, m := range v.Messages {
				kept = kept || m.Role == message.BashExecution
			}
			if kept != c.kept {
				t.Errorf("in the context: %t", kept)
			}
		})
	}
}

// What ends while the document is exchanged is lost by neither: it belongs to
// the conversation that was left, and to a copy of it.
func TestBashThatEndsInTheExchange(t *testing.T) {
	for name, c := range map[string]struct {
		open func(*client) (*session.Document, error)
		kept bool
	}{
		"new": {func(c *client) (*session.Document, error) { return session.New(c.s.documentOptions()) }, false},
		"fork": {func(c *client) (*session.Document, error) {
			return do(c.ctx(), c.s, func() (*session.Document, error) { return c.s.doc.Clone() })
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			begun, free := make(chan struct{}), make(chan struct{})
			h := ext.Hooks{Name: "remote", UserBash: func(context.Context, ext.Session, ext.UserBash) (ext.UserBashReply, error) {
				close(begun)
				<-free
				return ext.UserBashReply{Handled: true, Output: "printed meanwhile"}, nil
			}}
			face := newWorld(t, hello, withHooks(h)).open(OpenOptions{})
			face.run("hi")
			before, err := face.s.View(face.ctx())
			if err != nil {
				t.Fatal(err)
			}
			done := make(chan error, 1)
			go func() { _, err := face.s.Bash(face.ctx(), BashInput{Command: "make"}); done <- err }()
			wait(t, begun, "the command")
			_, err = face.s.replace(face.ctx(), ext.Replace{Reason: name}, func() (*session.Document, error) {
				d, err := c.open(face)
				close(free)
				return d, errors.Join(err, <-done)
			})
			if err != nil {
				t.Fatal(err)
			}
			after := on[event.SessionReplaced](face).View
			kept := slices.ContainsFunc(after.Messages, func(m message.Message) bool { return m.Role == message.BashExecution })
			if old, err := os.ReadFile(before.File); err != nil || kept != c.kept || strings.Contains(string(old), "printed meanwhile") == c.kept {
				t.Errorf("in the conversation that came: %t; in the one that was left (%v):\n%s", kept, err, old)
			}
		})
	}
}

// Who gives up while the run that has to stop is slow to do so gets the copy all
// the same, and no second one stays open.
func TestForkOutlastsItsCaller(t *testing.T) {
	c, release := deaf(t)
	before, err := c.s.View(c.ctx())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(c.ctx())
	done := make(chan error, 1)
	go func() { _, err := c.s.Fork(ctx); done <- err }()
	for stopping := false; !stopping; {
		if stopping, err = do(c.ctx(), c.s, func() (bool, error) { return c.s.aborted, nil }); err != nil {
			t.Fatal(err)
		}
	}
	cancel()
	close(release)
	if err := <-done; err != nil {
		t.Error(err)
	}
	if v, err := c.s.View(c.ctx()); err != nil || v.File == before.File {
		t.Errorf("the session is in %s, %v", v.File, err)
	}
}
