package engine

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/ext"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// screener is an extension that looks at every message. It waits for open
// before it answers about one whose text is slow.
type screener struct {
	open chan struct{}
	mu   sync.Mutex
	saw  []string
}

func (k *screener) hooks() ext.Hooks {
	return ext.Hooks{Name: "screener", Input: func(ctx context.Context, _ ext.Session, in ext.Input) (ext.InputReply, error) {
		k.mu.Lock()
		k.saw = append(k.saw, in.Source+":"+in.Text)
		k.mu.Unlock()
		if strings.HasPrefix(in.Text, "slow") {
			select {
			case <-k.open:
			case <-ctx.Done():
				return ext.InputReply{}, ctx.Err()
			}
		}
		loud := strings.ToUpper(in.Text)
		return ext.InputReply{
			Text: &loud, Handled: strings.Contains(in.Text, "handled"), Block: strings.Contains(in.Text, "blocked"), Reason: "not that",
		}, nil
	}}
}

func (k *screener) seen() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.saw)
}

// held is a session whose model waits, in the answer to the first prompt, until
// release is called.
func held(t *testing.T, k *screener, more ...ext.Hooks) (c *client, release func()) {
	t.Helper()
	w := newWorld(t, "-- turn --\n-- mark here --\n-- text --\nbegun\n-- turn --\ntimes: always\n-- text --\nok\n", withHooks(append(more, k.hooks())...))
	here, free := make(chan struct{}), make(chan struct{})
	w.marks["here"] = func(ctx context.Context) {
		close(here)
		select {
		case <-free:
		case <-ctx.Done():
		}
	}
	c = w.open(OpenOptions{})
	c.prompt("go")
	wait(t, here, "the model")
	return c, sync.OnceFunc(func() { close(free) })
}

func decision(t *testing.T, c *client, a Accepted) Disposition {
	t.Helper()
	if a.Decided == nil {
		t.Fatal("nobody decides")
	}
	select {
	case d := <-a.Decided:
		return d
	case <-c.ctx().Done():
		t.Fatal("never decided")
	}
	return ""
}

// Steering and follow-ups pass the extensions, in order, before they are
// queued; what one handles never gets there.
func TestQueuedMessagesPassTheExtensions(t *testing.T) {
	k := &screener{open: make(chan struct{})}
	c, release := held(t, k)
	c.send(Input{Text: "slow one", Delivery: Steer, Source: FromRPC})
	handled := c.send(Input{Text: "handled", Delivery: FollowUp, Source: FromRPC})
	blocked := c.send(Input{Ref: "r", Text: "blocked", Delivery: Steer})
	two := c.send(Input{Text: "two", Delivery: Steer})
	release() // the run ends its turn and waits for what is on its way
	close(k.open)
	if d := decision(t, c, handled); d != Handled {
		t.Errorf("handled: %q", d)
	}
	if d := decision(t, c, blocked); d != Handled {
		t.Errorf("blocked: %q", d)
	}
	if d := decision(t, c, two); d != QueuedUp {
		t.Errorf("queued: %q", d)
	}
	if f := on[event.PromptFailed](c); f.Ref != "r" || f.Error != "not that" {
		t.Errorf("failed %+v", f)
	}
	on[event.RunSettled](c)
	want := []string{"interactive:go", "rpc:slow one", "rpc:handled", "interactive:blocked", "interactive:two"}
	if got := k.seen(); !slices.Equal(got, want) {
		t.Errorf("seen %q, want %q", got, want)
	}
	var users []string
	v, _ := c.s.View(c.ctx())
	for _, m := range v.Messages {
		if m.Role == "user" {
			users = append(users, m.Text())
		}
	}
	if want := []string{"GO", "SLOW ONE", "TWO"}; !slices.Equal(users, want) {
		t.Errorf("the model got %q, want %q", users, want)
	}
}

// The acknowledgement doesn't wait for the extensions.
func TestAckBeforeTheExtensions(t *testing.T) {
	k := &screener{open: make(chan struct{})}
	c, release := held(t, k)
	if a := c.send(Input{Text: "slow", Delivery: Steer, Ack: &Ack{c.sub, "taken"}}); a.Disposition != QueuedUp {
		t.Errorf("disposition %q", a.Disposition)
	}
	c.until("the ack", func(it Item) bool { return it.Ack == "taken" })
	if v, _ := c.s.View(c.ctx()); len(v.Queue) != 0 {
		t.Errorf("queued already: %v", v.Queue)
	}
	close(k.open)
	if q := on[event.QueueChanged](c); len(q.Queue) != 1 || q.Queue[0].Message.Text() != "SLOW" {
		t.Errorf("queue %+v", q)
	}
	release()
	on[event.RunSettled](c)
	acks := slices.DeleteFunc(slices.Clone(c.log), func(it Item) bool { return it.Ack == nil })
	if len(acks) != 1 {
		t.Errorf("%d acks", len(acks))
	}
}

// Stopping the session, emptying its queue or replacing its document while an
// extension thinks about a message.
func TestWhileAMessageIsScreened(t *testing.T) {
	for name, tt := range map[string]struct {
		act   func(t *testing.T, c *client)
		queue int
	}{
		"abort keeps it": {func(t *testing.T, c *client) {
			if err := c.s.Abort(c.ctx()); err != nil {
				t.Fatal(err)
			}
			if end := on[event.RunSettled](c); !end.Aborted {
				t.Errorf("settled %+v", end)
			}
		}, 1},
		"clearing the queue takes it": {func(t *testing.T, c *client) {
			got, err := c.s.ClearQueue(c.ctx())
			if err != nil || len(got) != 1 || got[0].Message.Text() != "slow" || got[0].Delivery != string(Steer) {
				t.Errorf("cleared %+v, %v", got, err)
			}
			_ = c.s.Abort(c.ctx())
		}, 0},
		"replacing the document drops it": {func(t *testing.T, c *client) {
			if _, err := c.s.NewDocument(c.ctx(), NewDocumentOptions{}); err != nil {
				t.Fatal(err)
			}
			if f := on[event.PromptFailed](c); f.Ref != "r" {
				t.Errorf("failed %+v", f)
			}
		}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			k := &screener{open: make(chan struct{})}
			c, _ := held(t, k)
			a := c.send(Input{Ref: "r", Text: "slow", Delivery: Steer})
			tt.act(t, c)
			close(k.open)
			if d := decision(t, c, a); (d == QueuedUp) != (tt.queue == 1) {
				t.Errorf("decided %q", d)
			}
			if err := c.s.Settled(c.ctx()); err != nil {
				t.Fatal(err)
			}
			if v, _ := c.s.View(c.ctx()); len(v.Queue) != tt.queue || v.State != string(Idle) {
				t.Errorf("state %s, queue %+v", v.State, v.Queue)
			}
			c.run("more") // and the session goes on, with the message if it was kept
			v, _ := c.s.View(c.ctx())
			if got := strings.Contains(c.story(), `user "SLOW"`); got != (tt.queue == 1) || len(v.Queue) != 0 {
				t.Errorf("delivered: %v, queue %+v", got, v.Queue)
			}
		})
	}
}

// A message that an extension lets go when the run has failed waits for the
// user, as the queue does.
func TestScreenedWhenTheRunHasFailed(t *testing.T) {
	k := &screener{open: make(chan struct{})}
	w := newWorld(t, "-- turn --\n-- mark here --\n-- error kind=bad_request --\nno\n-- turn --\n-- text --\nok\n", withHooks(k.hooks()))
	c := w.open(OpenOptions{})
	w.marks["here"] = func(context.Context) { c.send(Input{Text: "slow", Delivery: Steer}) }
	c.prompt("go")
	on[event.RunSettled](c)
	close(k.open)
	if q := on[event.QueueChanged](c); len(q.Queue) != 1 {
		t.Errorf("queue %+v", q)
	}
	if v, _ := c.s.View(c.ctx()); v.State != string(Idle) {
		t.Errorf("state %s", v.State)
	}
}

// Steering for a session that has come to rest starts it; to one that only
// queues it does not.
func TestScreenedWhenIdle(t *testing.T) {
	k := &screener{open: make(chan struct{})}
	close(k.open)
	c := newWorld(t, hello, withHooks(k.hooks())).open(OpenOptions{})
	a := c.send(Input{Text: "later", Delivery: Steer, QueueOnly: true})
	if d := decision(t, c, a); d != QueuedUp {
		t.Errorf("decided %q", d)
	}
	a = c.send(Input{Text: "now", Delivery: Steer})
	if d := decision(t, c, a); a.Disposition != Started || d != Started {
		t.Errorf("%q, decided %q", a.Disposition, d)
	}
	on[event.RunSettled](c)
	if got := k.seen(); !slices.Equal(got, []string{"interactive:later", "interactive:now"}) {
		t.Errorf("seen %q", got)
	}
	a = c.send(Input{Text: "handled"})
	if d := decision(t, c, a); d != Handled {
		t.Errorf("decided %q", d)
	}
}

// Extensions are told what others send, and not what they send themselves: a
// hook that sends could never come to an end.
func TestSentByAnExtension(t *testing.T) {
	k := &screener{open: make(chan struct{})}
	close(k.open)
	own := 0
	sender := ext.Hooks{
		Name: "sender",
		Input: func(ctx context.Context, s ext.Session, _ ext.Input) (ext.InputReply, error) {
			own++
			return ext.InputReply{}, s.Send(ctx, []message.Block{message.TextOf("from input")}, "")
		},
		RunEnd: func(ctx context.Context, s ext.Session, e ext.RunEnd) error {
			if len(e.Messages) > 0 && e.Messages[0].Text() == "GO" {
				return s.Send(ctx, []message.Block{message.TextOf("from run_end")}, "")
			}
			return nil
		},
	}
	c, release := held(t, k, sender)
	release()
	on[event.RunSettled](c)
	if err := c.s.Settled(c.ctx()); err != nil {
		t.Fatal(err)
	}
	got := k.seen()
	slices.Sort(got)
	if want := []string{"extension:from input", "extension:from run_end", "interactive:go"}; !slices.Equal(got, want) || own != 1 {
		t.Errorf("seen %q, want %q; the sender was asked %d times", got, want, own)
	}
}
