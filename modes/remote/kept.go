package remote

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine"
)

// fresh asks for a new session that is kept.
const fresh = "new"

// maxKept bounds the kept sessions that are open.
const maxKept = 256

// conversationFor finds or opens what a connection wants to talk to.
func (s *Server) conversationFor(ctx context.Context, w wishes) (*conversation, *refusal) {
	unknown := &refusal{http.StatusNotFound, "there is no such session here: session=new makes one that is kept"}
	if w.session == "" {
		return s.opened(ctx, "", "")
	}
	s.opening.Lock() // two who come back at once find one session
	defer s.opening.Unlock()
	path := ""
	if w.session != fresh {
		s.mu.Lock()
		c, open := s.kept[w.session]
		s.mu.Unlock()
		if open && c.hold() {
			return c, nil
		}
		if open { // its file is still locked
			select {
			case <-c.gone:
			case <-ctx.Done():
				return nil, &refusal{http.StatusServiceUnavailable, "the session is being closed"}
			}
		}
		s.mu.Lock()
		path = s.files[w.session]
		s.mu.Unlock()
		if path == "" && s.o.AllSessions && s.o.Library != nil {
			path = s.saved(ctx, w.session)
		}
		if path == "" {
			return nil, unknown
		}
		if w.replay {
			return nil, &refusal{http.StatusGone, "the session was closed meanwhile and its frames are no longer kept: attach without since"}
		}
	}
	s.mu.Lock()
	full := len(s.kept) >= maxKept
	s.mu.Unlock()
	if full {
		return nil, &refusal{http.StatusServiceUnavailable, "there are too many kept sessions; those that nobody is at end by themselves"}
	}
	return s.opened(ctx, path, w.session)
}

// saved is the file of a session of the folder, by its whole id.
func (s *Server) saved(ctx context.Context, id string) string {
	list, err := s.o.Library.Sessions(ctx, s.o.Cwd)
	if err != nil {
		return ""
	}
	for _, one := range list {
		if one.ID == id {
			return one.Path
		}
	}
	return ""
}

// opened opens a session and a conversation with it.
func (s *Server) opened(ctx context.Context, path, id string) (*conversation, *refusal) {
	session, err := s.o.Open(context.WithoutCancel(ctx), path)
	if err != nil {
		s.log.Error("remote session", "error", err.Error())
		return nil, &refusal{http.StatusInternalServerError, "the session could not be opened; the server's log says why"}
	}
	if c, err := s.converse(session, id, false); err == nil {
		go func() { _ = session.Start(c.ctx) }()
		s.remember(c)
		return c, nil
	}
	s.shut(session)
	return nil, &refusal{http.StatusServiceUnavailable, "the server is ending"}
}

func (s *Server) remember(c *conversation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.talks[c] = true
	if c.kept() {
		s.kept[c.id] = c
	}
}

// Lend gives clients a session that somebody else shows too; it is kept until
// the server ends, and never closed by it. It returns the id to attach with.
func (s *Server) Lend(session *engine.Session) (id string, err error) {
	c, err := s.converse(session, fresh, true)
	if err != nil {
		return "", err
	}
	s.remember(c)
	return c.id, nil
}

// hold keeps a conversation that nobody is at from ending while a connection
// is on its way. It reports false when it is too late.
func (c *conversation) hold() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.leaving != nil {
		c.leaving.Stop()
		c.leaving = nil
	}
	return !c.closed
}

// join adds a connection and gives it what it missed: exactly the frames after
// the number that it names, or the questions that are open. ok is false when
// those frames aren't there any more.
func (c *conversation) join(to *conn, w wishes) (ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var missed []frame
	switch {
	case w.replay:
		if missed, ok = c.journal.since(w.since); !ok {
			return false
		}
	case c.current != nil:
		for _, f := range c.current.pending() {
			f.id, f.session = c.current.id, c.id
			missed = append(missed, f)
		}
	}
	c.present[to] = true
	for _, f := range missed {
		to.out.put(f)
	}
	return true
}

// left takes a connection out, nil one that came to nothing. A conversation of
// its own ends with it; a kept one waits for somebody to come back.
func (c *conversation) left(m member) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if m != nil {
		delete(c.present, m)
	}
	switch {
	case len(c.present) > 0 || c.closed:
	case !c.kept():
		c.closeSoon()
	case !c.lent && c.leaving == nil:
		c.leaving = time.AfterFunc(c.server.o.Grace, c.expire)
	}
}

// expire ends a kept conversation unless somebody has come back. From the
// moment that nobody has, it is too late to.
func (c *conversation) expire() {
	c.mu.Lock()
	gone := len(c.present) == 0 && c.leaving != nil && !c.closed
	c.closed = c.closed || gone
	c.mu.Unlock()
	if gone {
		c.end()
	}
}

// closeSoon closes beside the caller, which is one that the server waits for.
// So it waits for this too: nothing may be left running when it has ended.
func (c *conversation) closeSoon() {
	c.server.running.Add(1)
	go func() {
		defer c.server.running.Done()
		c.close()
	}()
}

// close ends the conversation, once.
func (c *conversation) close() {
	c.mu.Lock()
	closed := c.closed
	c.closed = true
	c.mu.Unlock()
	if !closed {
		c.end()
	}
}

// end does what close and expire have decided: what runs is stopped, an open
// question denied, the session closed. A lent session is left alone.
func (c *conversation) end() {
	s := c.server
	if c.kept() {
		file := ""
		if v, err := c.session.View(context.Background()); err == nil && len(v.Messages) > 0 {
			file = v.File
		}
		s.mu.Lock()
		if file != "" && !c.lent {
			s.files[c.id] = file
		}
		s.mu.Unlock()
	}
	c.cancel()
	if !c.lent {
		s.shut(c.session)
	}
	c.sub.Close()
	s.mu.Lock()
	delete(s.talks, c)
	if s.kept[c.id] == c {
		delete(s.kept, c.id)
	}
	s.mu.Unlock()
	close(c.gone)
}

// shut closes a session that the server has opened.
func (s *Server) shut(session *engine.Session) {
	if err := session.Close(context.Background()); err != nil && !errors.Is(err, engine.ErrClosed) {
		s.log.Error("close a remote session", "error", err.Error())
	}
}
