package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/hoopoe-agent/hoopoe/engine/compact"
	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/ext"
	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/session"
)

// MoveOptions say more about a move in the tree.
type MoveOptions struct {
	// Summarize has the model sum up the branch that is left, for where the
	// conversation goes on; Instructions are added to the request.
	Summarize    bool
	Instructions string
}

// errMoveVetoed says that an extension has kept the session where it is.
var errMoveVetoed = errors.New("an extension has kept the session where it is")

// MoveTo continues the conversation from another entry of the tree. For a
// message of the user, or an extension's, that is the place before it, and its
// text is returned for the editor.
func (s *Session) MoveTo(ctx context.Context, entryID string) (text string, err error) {
	text, cancelled, err := s.MoveToWith(ctx, entryID, MoveOptions{})
	if err == nil && cancelled {
		err = errMoveVetoed
	}
	return text, err
}

// MoveToWith is MoveTo with options. cancelled is true when an extension vetoed,
// or the user stopped the summary: nothing has changed then. Inside a hook it is
// noted and done afterwards.
func (s *Session) MoveToWith(ctx context.Context, entryID string, o MoveOptions) (text string, cancelled bool, err error) {
	if ext.Defer(ctx, func() { go func() { _, _, _ = s.MoveToWith(s.ctx, entryID, o) }() }) {
		return "", false, nil
	}
	m, err := do(ctx, s, func() (move, error) { return s.plan(entryID) })
	if err != nil {
		return "", false, err
	}
	reply := s.host.BeforeMove(ctx, ext.Move{
		TargetID: entryID, LeafID: m.leaf, Summarize: o.Summarize, Instructions: o.Instructions, Left: m.left,
	})
	if reply.Cancel {
		return "", true, nil
	}
	if ctx.Err() != nil { // nobody knows what the extensions would have said
		return "", false, context.Cause(ctx)
	}
	if err := s.hold(ctx); err != nil {
		return "", false, err
	}
	if m, err = do(context.WithoutCancel(ctx), s, func() (move, error) { return s.plan(entryID) }); err != nil {
		return "", false, errors.Join(err, s.goOn(ctx))
	}
	summary := session.BranchSummary{FromID: m.leaf, Summary: reply.Summary, Details: reply.Details, FromExtension: reply.Summary != ""}
	if o.Summarize && summary.Summary == "" && len(m.left) > 0 {
		if err = s.sumUp(ctx, m, o.Instructions, &summary); err != nil {
			back := s.goOn(ctx)
			if errors.Is(err, errCompactCancelled) {
				return "", true, back
			}
			return "", false, errors.Join(fmt.Errorf("sum up the branch: %w", err), back)
		}
	}
	moved, err := do(context.WithoutCancel(ctx), s, func() (ext.Moved, error) { return s.move(m, summary) })
	if err != nil {
		return "", false, errors.Join(err, s.goOn(ctx))
	}
	s.host.Moved(ctx, moved)
	return m.text, false, s.set(context.WithoutCancel(ctx), func() error {
		s.state = Idle
		s.publish(event.LeafMoved{View: s.view()})
		s.resumeIdle()
		return nil
	})
}

// move is one that was looked up: from where, to where, and what it leaves.
type move struct {
	leaf, to string
	text     string // for the editor
	left     []message.Message
	model    llm.Model
	provider llm.Provider
}

// plan looks a move up, on the owner.
func (s *Session) plan(entryID string) (move, error) {
	e, ok := s.doc.Entry(entryID)
	if !ok {
		return move{}, fmt.Errorf("no entry %q in this session", entryID)
	}
	m := move{leaf: s.doc.Leaf(), to: entryID, model: s.model, provider: s.provider}
	switch {
	case e.Message != nil && e.Message.Role == message.User:
		m.to, m.text = e.ParentID, e.Message.Text()
	case e.CustomMessage != nil:
		m.to, m.text = e.ParentID, message.Text(e.CustomMessage.Content)
	}
	for _, left := range s.doc.Leaving(m.to) {
		if said, ok := left.AsMessage(); ok {
			m.left = append(m.left, said)
		}
	}
	return m, nil
}

// goOn opens the session again that was held.
func (s *Session) goOn(ctx context.Context) error {
	return s.set(context.WithoutCancel(ctx), func() error {
		s.rest()
		s.state = Idle
		s.resumeIdle()
		return nil
	})
}

// sumUp has the model summarise what a move leaves. An abort, or the end of ctx,
// is errCompactCancelled.
func (s *Session) sumUp(ctx context.Context, m move, instructions string, into *session.BranchSummary) error {
	if err := s.engine.usable(m.model); err != nil {
		return err
	}
	run, stop := context.WithCancelCause(s.ctx)
	defer stop(nil)
	defer context.AfterFunc(ctx, func() { stop(ctx.Err()) })()
	if err := s.set(context.WithoutCancel(ctx), func() error { s.stop = stop; return nil }); err != nil {
		return err
	}
	text, err := s.askSummary(run, m.provider, compact.Request(m.model, m.left, instructions))
	if run.Err() != nil {
		return errCompactCancelled
	}
	if err != nil {
		return err
	}
	details, files := compact.Details(m.left)
	into.Summary, into.Details = text+files, details
	return nil
}

// move moves the leaf, on the owner, and adds the summary there.
func (s *Session) move(m move, summary session.BranchSummary) (ext.Moved, error) {
	s.rest()
	if err := s.doc.MoveTo(m.to); err != nil {
		return ext.Moved{}, err
	}
	moved := ext.Moved{OldLeafID: m.leaf}
	if summary.Summary != "" {
		moved.SummaryID = s.ids.next()
		s.append(session.Entry{ID: moved.SummaryID, BranchSummary: &summary})
		s.publish(event.EntryAppended{ID: moved.SummaryID, Type: string(session.TypeBranchSummary)})
	}
	moved.LeafID = s.doc.Leaf()
	s.rebuild(s.doc.Context())
	s.servers.recall()
	s.restoreTodos()
	s.restoreRules()
	return moved, nil
}
