// The texts of errors are the protocol's.
//
//lint:file-ignore ST1005 wire literals

package rpc

import (
	"context"
	"errors"

	"github.com/hoopoe-agent/hoopoe/engine"
	"github.com/hoopoe-agent/hoopoe/engine/session"
)

// replaced answers a command that puts another document in place.
type replaced struct {
	Cancelled bool `json:"cancelled"`
}

func (s *server) newSession(ctx context.Context, r request) (any, error) {
	parent, err := r.optionalText("parentSession")
	if err != nil {
		return nil, err
	}
	cancelled, err := s.o.Session.NewDocument(ctx, engine.NewDocumentOptions{Parent: parent})
	return replaced{cancelled}, err
}

func (s *server) switchSession(ctx context.Context, r request) (any, error) {
	path, err := r.text("sessionPath")
	if err != nil {
		return nil, err
	}
	if path == "" {
		return nil, refuse("switch_session: sessionPath is empty")
	}
	cancelled, err := s.o.Session.Switch(ctx, path)
	return replaced{cancelled}, err
}

// branch makes the commands branch and fork, which differ in one text.
func (s *server) branch(invalid string) func(context.Context, request) (any, error) {
	return func(ctx context.Context, r request) (any, error) {
		id, err := r.text("entryId")
		if err != nil {
			return nil, err
		}
		text, cancelled, err := s.o.Session.Branch(ctx, id)
		if errors.Is(err, session.ErrNoEntry) || errors.Is(err, session.ErrNotPrompt) {
			err = errors.New(invalid)
		}
		return struct {
			Text      string `json:"text"`
			Cancelled bool   `json:"cancelled"`
		}{text, cancelled}, err
	}
}

func (s *server) clone(ctx context.Context, _ request) (any, error) {
	cancelled, err := s.o.Session.Fork(ctx)
	if errors.Is(err, session.ErrNoEntry) {
		err = errors.New("Cannot clone session: no current entry selected")
	}
	return replaced{cancelled}, err
}

type branchMessage struct {
	EntryID string `json:"entryId"`
	Text    string `json:"text"`
}

func (s *server) getBranchMessages(ctx context.Context, _ request) (any, error) {
	prompts, err := s.o.Session.Prompts(ctx)
	rows := []branchMessage{}
	for _, p := range prompts {
		if p.Text != "" {
			rows = append(rows, branchMessage{p.EntryID, p.Text})
		}
	}
	return struct {
		Messages []branchMessage `json:"messages"`
	}{rows}, err
}

func (s *server) setSessionName(ctx context.Context, r request) (any, error) {
	name, err := r.text("name")
	if err != nil {
		return nil, err
	}
	if err := s.o.Session.Rename(ctx, name); err != nil {
		return nil, refuse("%v", err)
	}
	return nil, nil
}

// leaf is an entry's id, null when there is none.
func leaf(id string) *string {
	if id == "" {
		return nil
	}
	return &id
}

func (s *server) getEntries(ctx context.Context, r request) (any, error) {
	since, err := r.optionalText("since")
	if err != nil {
		return nil, err
	}
	entries, last, err := s.o.Session.Entries(ctx)
	if err != nil {
		return nil, err
	}
	if since != "" {
		from := -1
		for i, e := range entries {
			if e.ID == since {
				from = i
			}
		}
		if from < 0 {
			return nil, refuse("Entry not found: %s", since)
		}
		entries = entries[from+1:]
	}
	return struct {
		Entries []session.Entry `json:"entries"`
		LeafID  *string         `json:"leafId"`
	}{listed(entries), leaf(last)}, nil
}

func (s *server) getTree(ctx context.Context, _ request) (any, error) {
	roots, last, err := s.o.Session.Tree(ctx)
	return struct {
		Tree   []*session.TreeNode `json:"tree"`
		LeafID *string             `json:"leafId"`
	}{listed(roots), leaf(last)}, err
}
