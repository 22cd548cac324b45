package acp

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine"
	"github.com/hoopoe-agent/hoopoe/engine/config"
	"github.com/hoopoe-agent/hoopoe/engine/session"
	"github.com/hoopoe-agent/hoopoe/modes/internal/wire"
)

// find returns the file of a stored session.
func (s *server) find(o engine.OpenOptions, id string) (path string, err error) {
	if l := s.session(id); l != nil {
		if v, err := l.session.View(s.ctx); err == nil && v.File != "" {
			return v.File, nil
		}
	}
	found, err := s.stored(o.Cwd, id)
	if err != nil {
		return "", err
	}
	return found.Path, nil
}

// stored looks for a session by its id: by the names of the files first, since
// there may be many.
func (s *server) stored(cwd, id string) (session.Summary, error) {
	unknown := unknownSession(id)
	if id == "" || strings.ContainsAny(id, `/\`) {
		return session.Summary{}, unknown
	}
	folders, err := s.folders("")
	if err != nil {
		return session.Summary{}, unknown
	}
	if own, err := s.folders(cwd); cwd != "" && err == nil {
		folders = append(own, folders...)
	}
	for _, folder := range folders {
		entries, err := os.ReadDir(folder)
		if err != nil {
			continue
		}
		for _, e := range entries {
			if !strings.HasSuffix(e.Name(), "_"+id+".jsonl") {
				continue
			}
			if sum, err := session.Summarize(filepath.Join(folder, e.Name())); err == nil && sum.ID == id {
				return sum, nil
			}
		}
	}
	all, err := session.List(folders...)
	if err != nil {
		return session.Summary{}, unknown
	}
	for _, sum := range all {
		if sum.ID == id {
			return sum, nil
		}
	}
	return session.Summary{}, unknown
}

// folders hold the sessions of cwd; an empty one stands for all folders.
func (s *server) folders(cwd string) ([]string, error) {
	if s.agent.Open.InMemory {
		return nil, nil
	}
	folders, err := s.agent.Engine.SessionFolders(cwd, s.agent.Open.SessionDir, cwd == "")
	if errors.Is(err, config.ErrNoHome) {
		return nil, nil
	}
	return folders, err
}

// pageSize is how many sessions a list has at most; a cursor is the id of the
// last.
const pageSize = 100

func (s *server) list(ctx context.Context, r *wire.Request) (any, error) {
	var p struct {
		Cwd    *string
		Cursor *string
	}
	if err := decode(r, &p); err != nil {
		return nil, err
	}
	cwd := ""
	if p.Cwd != nil {
		cwd = *p.Cwd
	}
	if cwd != "" && !filepath.IsAbs(cwd) {
		return nil, invalid("%s: cwd must be an absolute path, not %q", r.Method, cwd)
	}
	all, err := s.all(ctx, cwd)
	if err != nil {
		return nil, err
	}
	if p.Cursor != nil && *p.Cursor != "" {
		at := slices.IndexFunc(all, func(i sessionInfo) bool { return i.SessionID == *p.Cursor })
		if at < 0 {
			return nil, invalid("%s: this cursor is out of date; begin anew without one", r.Method)
		}
		all = all[at+1:]
	}
	var result struct {
		Sessions   []sessionInfo `json:"sessions"`
		NextCursor string        `json:"nextCursor,omitempty"`
	}
	result.Sessions = all
	if len(all) > pageSize {
		result.Sessions, result.NextCursor = all[:pageSize], all[pageSize-1].SessionID
	}
	return result, nil
}

// all lists the sessions of a folder, or of all: stored ones in which something
// was said, and those that are open here and stored nowhere.
func (s *server) all(ctx context.Context, cwd string) ([]sessionInfo, error) {
	folders, err := s.folders(cwd)
	if err != nil {
		return nil, err
	}
	stored, err := session.List(folders...)
	if err != nil {
		return nil, err
	}
	list := []sessionInfo{}
	for _, sum := range stored {
		if sum.Messages == 0 || cwd != "" && !sameFolder(sum.Cwd, cwd) || !filepath.IsAbs(sum.Cwd) {
			continue
		}
		title := sum.Name
		if title == "" {
			title = sum.Title
		}
		list = append(list, sessionInfo{sum.ID, sum.Cwd, title, sum.Modified.UTC().Format(time.RFC3339)})
	}
	if !s.agent.Open.InMemory {
		return list, nil
	}
	s.mu.Lock()
	open := make([]*live, 0, len(s.sessions))
	for _, l := range s.sessions {
		open = append(open, l)
	}
	s.mu.Unlock()
	for _, l := range open {
		v, err := l.session.View(ctx)
		if err == nil && (cwd == "" || sameFolder(v.Cwd, cwd)) {
			list = append(list, sessionInfo{SessionID: l.id, Cwd: v.Cwd, Title: v.Name})
		}
	}
	slices.SortFunc(list, func(a, b sessionInfo) int { return strings.Compare(b.SessionID, a.SessionID) })
	return list, nil
}

func sameFolder(a, b string) bool {
	if filepath.Clean(a) == filepath.Clean(b) {
		return true
	}
	x, err1 := os.Stat(a)
	y, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(x, y)
}

// delete removes a session. That there is none is no failure.
func (s *server) delete(ctx context.Context, r *wire.Request) (any, error) {
	var p struct{ SessionID *string }
	if err := decode(r, &p); err != nil {
		return nil, err
	}
	if p.SessionID == nil {
		return nil, invalid("%s: sessionId is missing", r.Method)
	}
	if l := s.session(*p.SessionID); l != nil && s.remove(l) {
		l.close(context.WithoutCancel(ctx))
	}
	found, err := s.stored("", *p.SessionID)
	if err != nil {
		return nil, nil //nolint:nilerr // an unknown one is gone
	}
	return nil, session.Delete(found.Path, s.agent.Engine.Paths().Locks())
}
