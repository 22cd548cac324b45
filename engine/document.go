package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/ext"
	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/session"
)

// NewDocumentOptions say more about a fresh session.
type NewDocumentOptions struct {
	// Parent is the path or the id of the session that it comes from, kept in its
	// header; usually empty.
	Parent string
}

// NewDocument starts a fresh session behind the same door. cancelled is true
// when an extension vetoed. Inside a hook it is noted and done afterwards.
func (s *Session) NewDocument(ctx context.Context, o NewDocumentOptions) (cancelled bool, err error) {
	return s.replace(ctx, ext.Replace{Reason: "new"}, func() (*session.Document, error) {
		options := s.documentOptions()
		options.ParentSession = o.Parent
		return session.New(options)
	})
}

// Switch opens another session's file. One that doesn't exist is created there.
func (s *Session) Switch(ctx context.Context, path string) (cancelled bool, err error) {
	if v, err := s.View(ctx); err != nil || sameFile(v.File, path) {
		return false, err // it is open here
	}
	return s.replace(ctx, ext.Replace{Reason: "resume", Path: path}, func() (*session.Document, error) {
		d, _, err := openDocument(path, s.documentOptions())
		return d, err
	})
}

// sameFile holds too for the path of a session that isn't written yet.
func sameFile(a, b string) bool {
	if p, err := filepath.Abs(b); err == nil && p == a {
		return true
	}
	x, err1 := os.Stat(a)
	y, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(x, y)
}

// Fork copies the active branch into a new file and goes on there.
func (s *Session) Fork(ctx context.Context) (cancelled bool, err error) {
	return s.replace(ctx, ext.Replace{Reason: "fork"}, func() (*session.Document, error) {
		// A copy that nobody waits for would stay open.
		return do(context.WithoutCancel(ctx), s, func() (*session.Document, error) { return s.doc.Clone() })
	})
}

// Branch starts a new file that ends before a user message, and returns that
// message's text for the editor.
func (s *Session) Branch(ctx context.Context, entryID string) (text string, cancelled bool, err error) {
	cancelled, err = s.replace(ctx, ext.Replace{Reason: "fork", EntryID: entryID}, func() (*session.Document, error) {
		return do(context.WithoutCancel(ctx), s, func() (d *session.Document, err error) {
			d, text, err = s.doc.BranchFrom(entryID)
			return d, err
		})
	})
	return text, cancelled, err
}

// openDocument opens a file, or makes a new session where there is none or an
// empty one.
func openDocument(path string, o session.Options) (*session.Document, []session.Notice, error) {
	d, notices, err := session.Open(path, o)
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, session.ErrEmpty) {
		o.Path = path
		d, err = session.New(o)
	}
	return d, notices, err
}

// replace exchanges the document: veto, stop, open the new, let the old go,
// tell. A failure leaves the session as it was.
func (s *Session) replace(ctx context.Context, r ext.Replace, open func() (*session.Document, error)) (cancelled bool, err error) {
	if ext.Defer(ctx, func() { go func() { _, _ = s.replace(s.ctx, r, open) }() }) {
		return false, nil
	}
	if r.Path != "" {
		if abs, err := filepath.Abs(r.Path); err == nil {
			r.Path = abs
		}
	}
	if s.host.BeforeReplace(ctx, r) {
		return true, nil
	}
	if ctx.Err() != nil { // nobody knows what the extensions would have said
		return false, context.Cause(ctx)
	}
	if err := s.hold(ctx); err != nil {
		return false, err
	}
	doc, err := open()
	if err != nil {
		_ = s.set(ctx, func() error { s.state = Idle; s.resumeIdle(); return nil })
		return false, fmt.Errorf("%s session: %w", r.Reason, err)
	}
	var old error
	var previous string
	err = s.set(context.WithoutCancel(ctx), func() error {
		for _, in := range s.dropScreenings() {
			s.publish(event.PromptFailed{Ref: in.Ref, Error: "the session was replaced before the message was queued"})
		}
		copied := r.Reason == "fork"
		if !copied {
			s.flushBash() // the conversation that is left has it
			s.talk++
		}
		previous, old = s.doc.File(), s.doc.Close()
		s.adopt(doc)
		if copied {
			s.flushBash() // it came after the copy was made
		}
		s.env.fresh()
		return nil
	})
	if err != nil {
		doc.Close()
		return false, err
	}
	r.Previous = previous
	s.host.Replaced(ctx, r)
	return false, s.set(context.WithoutCancel(ctx), func() error {
		s.state = Idle
		s.publish(event.SessionReplaced{Reason: r.Reason, View: s.view()})
		if old != nil { // the exchange has taken place all the same
			s.publish(event.Notice{Level: "error", Text: "The session before this one is not whole on disk: " + old.Error()})
		}
		s.resumeIdle()
		return nil
	})
}

// hold stops the session and keeps new prompts waiting.
func (s *Session) hold(ctx context.Context) error {
	held := make(chan struct{})
	if !s.in.do(func() {
		s.stopAll(nil, func() {
			s.state = Replacing
			s.broker.CancelAll()
		}, held)
	}) {
		return ErrClosed
	}
	select {
	case <-held:
		return nil
	case <-s.ended:
		return ErrClosed
	}
}

// rebuild takes the context from the document.
func (s *Session) rebuild(c session.Context) { s.messages, s.summarised = c.Messages, c.Compacted }

// adopt makes d the session's document and takes over what it says.
func (s *Session) adopt(d *session.Document) {
	s.doc = d
	s.ids.use(d)
	c := d.Context()
	s.rebuild(c)
	s.inflight, s.running = nil, nil
	s.usage = taskUsage(s.messages)
	s.callIDs = map[string]bool{}
	for _, m := range s.messages {
		s.usage = s.usage.Add(m.Usage)
		for _, b := range m.Content {
			if b.Type == message.ToolCallBlock {
				s.callIDs[b.ID] = true
			}
		}
	}
	s.queue = restoreQueue(d)
	for i := range s.queue {
		s.queue[i].Message.ID = s.queue[i].ID
		if s.queue[i].Delivery == nextPrompt {
			s.queue[i].Delivery = string(FollowUp)
		}
	}
	s.taken = map[string]bool{}
	s.restoreTodos()
	s.restoreRules()
	if level, err := llm.ParseLevel(c.Thinking); err == nil && c.ThinkingSet {
		s.thinking = level
	}
	if !c.Model.Empty() {
		if m, ok := s.engine.model(c.Model.Provider, c.Model.ID); ok {
			_ = s.use(m) // a model that is gone leaves the one that was
		}
	}
	s.thinking = s.model.Clamp(s.thinking)
	s.servers.recall()
}

// Rename names the session; control characters are removed.
func (s *Session) Rename(ctx context.Context, name string) error {
	name = session.CleanName(name)
	if name == "" {
		return errors.New("Session name cannot be empty")
	}
	return s.set(ctx, func() error {
		clean, err := s.doc.SetName(name)
		var save *session.SaveError
		if err != nil && !errors.As(err, &save) {
			return err
		}
		s.publish(event.SessionNamed{Name: clean})
		return err
	})
}

// Entries lists all entries of the tree, every branch, in the order of the
// file, and the id of the one that the next will follow, "" for none.
func (s *Session) Entries(ctx context.Context) (entries []session.Entry, leaf string, err error) {
	err = s.read(ctx, func(d session.Snapshot) (err error) {
		leaf = d.Leaf()
		entries, err = d.Entries()
		return err
	})
	return entries, leaf, err
}

// Tree is the same as a tree: its entries without a parent, normally one, with
// all that follows each.
func (s *Session) Tree(ctx context.Context) (roots []*session.TreeNode, leaf string, err error) {
	err = s.read(ctx, func(d session.Snapshot) (err error) {
		leaf = d.Leaf()
		roots, err = d.Tree()
		return err
	})
	return roots, leaf, err
}

// read gives fn the document as it is now, off the owner: reading a long
// session takes time. When the document is exchanged meanwhile fn gets the next.
func (s *Session) read(ctx context.Context, fn func(session.Snapshot) error) error {
	for {
		d, err := do(ctx, s, func() (session.Snapshot, error) { return s.doc.Snapshot(), nil })
		if err != nil {
			return err
		}
		if err = fn(d); !errors.Is(err, os.ErrClosed) {
			return err
		}
	}
}

// Prompts lists every user message with text, in file order, all branches.
func (s *Session) Prompts(ctx context.Context) (prompts []session.Prompt, err error) {
	err = s.read(ctx, func(d session.Snapshot) (err error) {
		prompts, err = d.Prompts()
		return err
	})
	return prompts, err
}
