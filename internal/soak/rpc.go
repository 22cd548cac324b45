//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/hoopoe-agent/hoopoe/modes/rpc/client"
)

// rpcFace drives --mode rpc.
type rpcFace struct {
	*client.Client
	child *child
	stdin io.Closer
}

func (w *worker) rpc(heard func([]byte), args ...string) (*rpcFace, error) {
	var in io.WriteCloser
	var out io.ReadCloser
	c, err := w.start("rpc", func(cmd *exec.Cmd) (err error) {
		in, out, err = pipes(cmd)
		return err
	}, append([]string{"--mode", "rpc"}, args...)...)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	weather := client.HostTool{Name: "weather", Description: "Tell the weather", Run: func(context.Context, client.HostCall) (client.Output, error) {
		return client.Text("Sunny."), nil
	}}
	agent, err := client.New(ctx, out, in, client.Options{HostTools: []client.HostTool{weather}, ProtocolError: func(err error) { w.journal.fail(w.name, err) }})
	if err != nil {
		c.signal(9)
		return nil, fmt.Errorf("%w: %s", err, c.stderr.String())
	}
	f := &rpcFace{Client: agent, child: c, stdin: in}
	go f.listen(agent.Subscribe(), heard)
	return f, nil
}

// listen tells which messages were told as whole.
func (f *rpcFace) listen(events *client.Subscription, heard func([]byte)) {
	defer events.Close()
	for e, err := range events.All(context.Background()) {
		if err != nil {
			return
		}
		if e.Type == "message_end" && complete(e.Raw) {
			heard(e.Raw)
		}
	}
}

func (f *rpcFace) ask(ctx context.Context, text string) (string, error) {
	r, err := f.PromptAndWait(ctx, text)
	return r.Text + r.Output, err
}

func (f *rpcFace) leave()          { _ = f.stdin.Close() }
func (f *rpcFace) vanish()         { _ = f.Close() }
func (f *rpcFace) process() *child { return f.child }

func (f *rpcFace) codes(how ending) []int {
	switch how {
	case left:
		return []int{0}
	case vanished:
		return []int{0, 1} // 1: it saw that nobody reads any more before the end of its input
	}
	return signalCodes(how)
}

// signalCodes are those of the faces that tell the signal.
func signalCodes(how ending) []int {
	return map[ending][]int{terminated: {143}, hungUp: {129}, killed: {-9}}[how]
}

// driving is the load of the rpc worker: one process, conversation after
// conversation.
func (w *worker) driving(ctx context.Context) {
	f, err := w.rpc(w.place.hear, w.extension()...)
	if err != nil {
		w.journal.fail(w.name, err)
		return
	}
	w.watcher.watch("rpc", f.child)
	w.each(ctx, func(ctx context.Context) error {
		_, err := within(ctx, "rpc round", func(ctx context.Context) (bool, error) { return f.NewSession(ctx, "") })
		for range 3 {
			err = errors.Join(err, w.question(ctx, f))
		}
		return errors.Join(err, w.rpcExtras(ctx, f))
	})
	w.rested(f, func() (face, error) { return w.rpc(w.place.hear) })
}

// rpcExtras is what only this face has.
func (w *worker) rpcExtras(ctx context.Context, f *rpcFace) error {
	ctx, cancel := context.WithTimeout(ctx, 2*patience)
	defer cancel()
	what := pick(w.rand, "abort", "abort tool", "queue", "branch", "compact", "overflow", "bash", "switch", "views")
	w.journal.count("rpc: " + what)
	id := w.id()
	var err error
	switch what {
	case "abort":
		err = w.rpcAbort(ctx, f, ask(id, "fault:hang"), id)
	case "abort tool":
		err = w.rpcAbort(ctx, f, ask(id, "sleep"), id)
	case "queue":
		err = w.rpcQueue(ctx, f, id)
	case "branch":
		err = w.rpcBranch(ctx, f)
	case "compact":
		if _, err = f.Compact(ctx, ""); refused(err) {
			err = nil // there is too little to compact
		}
		err = errors.Join(err, w.question(ctx, f))
	case "overflow":
		err = w.put(ctx, f, id, ask(id, "fault:overflow"), true)
	case "bash":
		_, err = f.Bash(ctx, "seq 2000", client.BashOptions{ExcludeFromContext: w.chance(2)})
	case "switch":
		err = w.rpcSwitch(ctx, f)
	case "views":
		err = w.rpcViews(ctx, f)
	}
	if err != nil {
		err = fmt.Errorf("rpc %s: %w", what, err)
	}
	return err
}

// refused reports an answer to a command that is a no.
func refused(err error) bool {
	_, ok := errors.AsType[*client.CommandError](err)
	return ok
}

func (w *worker) rpcAbort(ctx context.Context, f *rpcFace, text, id string) error {
	reached := w.player.expect(id)
	turn, err := f.Prompt(ctx, text, client.PromptOptions{})
	if err != nil {
		return err
	}
	select {
	case <-reached:
	case <-ctx.Done():
		return fmt.Errorf("%s didn't get to the model", text)
	}
	w.rest(ctx, 1, 400*time.Millisecond)
	if err := f.Abort(ctx); err != nil {
		return err
	}
	if r, err := turn.Wait(ctx); err != nil || !r.Aborted {
		return fmt.Errorf("%s was aborted: %+v, %w", text, r, err)
	}
	return nil
}

// rpcQueue sends a message while another is answered.
func (w *worker) rpcQueue(ctx context.Context, f *rpcFace, id string) error {
	turn, err := f.Prompt(ctx, ask(id, "bash", "slow"), client.PromptOptions{})
	if err != nil {
		return err
	}
	next := w.id()
	if w.chance(2) {
		_, err = f.Steer(ctx, ask(next, "slow"))
	} else {
		_, err = f.FollowUp(ctx, ask(next, "read"))
	}
	r, e := turn.Wait(ctx)
	if err = errors.Join(err, e); err == nil && len(marked([]byte(r.Text))) == 0 {
		err = fmt.Errorf("no answer: %q", r.Text)
	}
	return err
}

// rpcBranch goes on before an earlier message.
func (w *worker) rpcBranch(ctx context.Context, f *rpcFace) error {
	points, err := f.BranchMessages(ctx)
	if err != nil || len(points) == 0 {
		return err
	}
	if _, err := f.Branch(ctx, pick(w.rand, points...).EntryID); err != nil {
		return err
	}
	return w.question(ctx, f)
}

// rpcSwitch goes on with an older session.
func (w *worker) rpcSwitch(ctx context.Context, f *rpcFace) error {
	files, err := w.place.sessions()
	if err != nil || len(files) == 0 {
		return err
	}
	file := pick(w.rand, files...)
	if !w.place.top(file) {
		return nil
	}
	if _, err := f.SwitchSession(ctx, file); err != nil {
		return err
	}
	return w.question(ctx, f)
}

// rpcViews asks for what there is to see.
func (w *worker) rpcViews(ctx context.Context, f *rpcFace) error {
	_, err := f.Tree(ctx)
	_, e := f.Entries(ctx, "")
	err = errors.Join(err, e)
	_, e = f.SessionStats(ctx)
	err = errors.Join(err, e)
	_, e = f.ExportHTML(ctx, filepath.Join(w.place.dir, "page.html"))
	err = errors.Join(err, e, f.SetSessionName(ctx, "soak "+w.id()))
	_, e = f.Clone(ctx)
	return errors.Join(err, e)
}
