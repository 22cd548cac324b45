package engine

import (
	"context"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/ext"
	"github.com/hoopoe-agent/hoopoe/engine/message"
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
