package js

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/hoopoe-agent/hoopoe/engine/ext"
)

// tree are the entries of a session's file.
type tree struct {
	byID map[string]entry
	leaf string
}

type entry struct {
	parent string
	raw    json.RawMessage
}

func treeOf(ctx context.Context, s ext.Session) (tree, error) {
	list, leaf, err := s.Entries(ctx)
	if err != nil {
		return tree{}, err
	}
	t := tree{byID: make(map[string]entry, len(list)), leaf: leaf}
	for _, raw := range list {
		var e struct{ ID, ParentID string }
		if json.Unmarshal(raw, &e) == nil && e.ID != "" {
			t.byID[e.ID] = entry{e.ParentID, raw}
		}
	}
	return t, nil
}

// path are the ids from the first entry to one; a loop ends it.
func (t tree) path(id string) []string {
	var ids []string
	seen := map[string]bool{}
	for e, ok := t.byID[id]; ok && !seen[id]; e, ok = t.byID[id] {
		seen[id] = true
		ids = append(ids, id)
		id = e.parent
	}
	slices.Reverse(ids)
	return ids
}

// branch are the entries from the first one to that of an id.
func (t tree) branch(id string) []json.RawMessage { return t.entries(t.path(id)) }

func (t tree) entries(ids []string) []json.RawMessage {
	out := make([]json.RawMessage, 0, len(ids))
	for _, id := range ids {
		out = append(out, t.byID[id].raw)
	}
	return out
}

// left are the entries that a move from one entry to another leaves behind, and
// the last one that both have, or nil.
func (t tree) left(from, to string) (left []json.RawMessage, ancestor *string) {
	stays, old := t.path(to), t.path(from)
	n := 0
	for n < min(len(stays), len(old)) && stays[n] == old[n] {
		n++
	}
	if n > 0 {
		ancestor = &old[n-1]
	}
	return t.entries(old[n:]), ancestor
}
