package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine"
	"github.com/hoopoe-agent/hoopoe/engine/config"
	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/session"
	"github.com/hoopoe-agent/hoopoe/engine/workspace"
	"github.com/hoopoe-agent/hoopoe/modes/internal/wire"
)

// place reads where a session works: its folder, further ones, and the editor's
// MCP servers.
func (s *server) place(r *wire.Request) (p sessionParams, o engine.OpenOptions, fault *wire.Error) {
	if fault = decode(r, &p); fault != nil {
		return p, o, fault
	}
	if p.Cwd == nil {
		return p, o, invalid("%s: cwd is missing", r.Method)
	}
	for i, dir := range append([]string{*p.Cwd}, p.AdditionalDirectories...) {
		name := "cwd"
		if i > 0 {
			name = fmt.Sprintf("additionalDirectories[%d]", i-1)
		}
		if !filepath.IsAbs(dir) {
			return p, o, invalid("%s: %s must be an absolute path, not %q", r.Method, name, dir)
		}
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return p, o, invalid("%s: %s: %s is no folder here", r.Method, name, dir)
		}
	}
	o = s.agent.Open
	o.Cwd, o.Roots, o.Written = *p.Cwd, p.AdditionalDirectories, true
	o.MCPServers = slices.Clone(o.MCPServers)
	for i, raw := range p.MCPServers {
		server, err := mcpServer(raw)
		if err != nil {
			return p, o, failure(wire.InvalidParams, codeMCP, fmt.Errorf("%s: mcpServers[%d]: %w", r.Method, i, err))
		}
		o.MCPServers = append(o.MCPServers, server)
	}
	return p, o, nil
}

func (s *server) newSession(ctx context.Context, r *wire.Request) error {
	_, o, fault := s.place(r)
	if fault != nil {
		return fault
	}
	l, notices, err := s.open(ctx, o)
	if err != nil {
		return err
	}
	l.ready(r, l.result(true), notices)
	return nil
}

// loadSession opens a stored session and tells all that was said in it.
func (s *server) loadSession(ctx context.Context, r *wire.Request) error {
	return s.reopen(ctx, r, true)
}

// resumeSession opens a stored session and tells nothing of it.
func (s *server) resumeSession(ctx context.Context, r *wire.Request) error {
	return s.reopen(ctx, r, false)
}

func (s *server) reopen(ctx context.Context, r *wire.Request, replay bool) error {
	p, o, fault := s.place(r)
	if fault != nil {
		return fault
	}
	if l := s.session(p.SessionID); l != nil {
		if l.current() != nil {
			return busy()
		}
		if o.InMemory { // there is no other way to it
			if replay {
				if err := l.replay(ctx); err != nil {
					return err
				}
			}
			r.Reply(l.result(false), l.notification(l.commands()))
			return nil
		}
		if s.remove(l) {
			l.close(ctx)
		}
	}
	path, err := s.find(o, p.SessionID)
	if err != nil {
		return err
	}
	o.Path = path
	l, notices, err := s.open(ctx, o)
	if err != nil {
		return err
	}
	l.restoreMode(ctx)
	if replay {
		if err := l.replay(ctx); err != nil {
			return err
		}
	}
	l.ready(r, l.result(false), notices)
	return nil
}

// forkSession opens a copy of a session.
func (s *server) forkSession(ctx context.Context, r *wire.Request) error {
	p, o, fault := s.place(r)
	if fault != nil {
		return fault
	}
	path, err := s.find(o, p.SessionID)
	if err != nil {
		return err
	}
	o.Path, o.Fork = path, true
	l, notices, err := s.open(ctx, o)
	if err != nil {
		return err
	}
	l.ready(r, l.result(true), notices)
	return nil
}

// open opens an engine session. Nothing is told of it yet, and nothing foreign
// has run.
func (s *server) open(ctx context.Context, o engine.OpenOptions) (*live, []string, error) {
	client := s.capabilities()
	l := &live{server: s, client: client, asking: map[string]*asked{}, told: make(chan struct{}), known: make(chan struct{})}
	o.Dialogs = bool(client.Elicitation.Form)
	if client.FS.ReadTextFile || client.FS.WriteTextFile || client.Terminal {
		o.Workspace = func(local *workspace.Local) workspace.Workspace {
			l.editor = newEditor(l, local)
			return l.editor
		}
	}
	opened, notices, err := s.agent.Engine.Open(ctx, o)
	if files := s.agent.Engine.Untrusted(o.Cwd); len(files) > 0 && !o.Approve {
		notices = append(notices, "not read until you trust this folder: "+strings.Join(files, ", ")+" (the chat asks; --approve does it for one run)")
	}
	if err != nil {
		return nil, nil, openFailed(err, len(s.authMethods(client)) > 0)
	}
	l.session = opened
	if s.options.Opened != nil {
		s.options.Opened(opened)
	}
	v, sub, err := opened.Attach(ctx, engine.Client{Name: "acp", Shows: shows(client)})
	if err != nil {
		return nil, nil, errors.Join(err, opened.Close(ctx))
	}
	l.id, l.sub, l.now, l.named = v.SessionID, sub, settings{v.Mode, v.Thinking, v.Model}, v.Name != "" || len(v.Messages) > 0
	l.ctx, l.end = context.WithCancel(s.ctx)
	l.projection = newProjection(client, l.read)
	if !s.add(l) {
		return nil, nil, errors.Join(wire.ErrGone, opened.Close(ctx))
	}
	return l, notices, nil
}

// read is a file's text as the projection sees it: as the editor has it, if it
// was asked for it.
func (l *live) read(path string) (text string, there bool) {
	if l.editor != nil {
		if text, ok := l.editor.seen(path); ok {
			return text, true
		}
	}
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxWhole {
		return "", err == nil
	}
	data, err := os.ReadFile(path)
	return string(data), err == nil
}

func (l *live) result(id bool) sessionResult {
	now := l.settings()
	r := sessionResult{Modes: now.modes(), ConfigOptions: l.options()}
	if id {
		r.SessionID = l.id
	}
	return r
}

// settleTime is how long a new session is not spoken of after the answer that
// names it, unless the editor speaks of it before: clients that read both at
// once take care of the answer last, and drop updates of a session that they
// don't know.
const settleTime = 100 * time.Millisecond

// ready answers the request that made the session; only then it is told of, and
// foreign code of it runs.
func (l *live) ready(r *wire.Request, result sessionResult, notices []string) {
	for _, text := range notices {
		l.server.options.Notify(text)
	}
	r.Reply(result)
	go func() {
		settled := time.NewTimer(settleTime)
		defer settled.Stop()
		select {
		case <-l.known:
		case <-settled.C:
		case <-l.ctx.Done():
		}
		l.introduce(notices)
		go func() { _ = l.session.Start(l.ctx) }()
		go l.findModels()
		l.tell()
	}()
}

// findModels looks for the model servers of this machine, which takes its time,
// and tells of them.
func (l *live) findModels() {
	e := l.server.agent.Engine
	before := len(e.Known())
	if e.Models(); len(e.Known()) != before {
		l.sub.Post(shown{configUpdate{"config_option_update", l.options()}})
	}
}

// introduce tells what an editor wants to know of a session from the beginning.
func (l *live) introduce(notices []string) {
	l.update(l.commands())
	if v, err := l.session.View(l.ctx); err == nil {
		for _, u := range usageOf(v.Usage) {
			l.update(u)
		}
	}
	for _, text := range notices {
		for _, u := range l.projection.notice(event.Notice{Level: "warning", Text: text}) {
			l.update(u)
		}
	}
}

// commands are the slash commands that the session has.
func (l *live) commands() commandsUpdate {
	u := commandsUpdate{"available_commands_update", []availableCommand{}}
	for _, c := range l.server.agent.Commands.For(l.ctx, l.session).Catalog(abilities) {
		a := availableCommand{Name: c.Name, Description: c.Summary}
		if c.Args != "" {
			a.Input = &commandInput{c.Args}
		}
		u.AvailableCommands = append(u.AvailableCommands, a)
	}
	return u
}

func (s *server) closeSession(ctx context.Context, l *live, _ *wire.Request) (any, error) {
	if s.remove(l) {
		l.close(context.WithoutCancel(ctx))
	}
	return nil, nil
}

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

// titleRunes is how much of the first message calls a session that has no name.
const titleRunes = 120

func titleOf(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	runes := []rune(strings.Join(strings.Fields(line), " "))
	if len(runes) > titleRunes {
		return string(runes[:titleRunes-1]) + "…"
	}
	return string(runes)
}

// replay tells the whole conversation, from its beginning and not only what the
// model still knows.
func (l *live) replay(ctx context.Context) error {
	entries, leaf, err := l.session.Entries(ctx)
	if err != nil {
		return err
	}
	told := newProjection(l.client, l.read)
	for _, m := range branch(entries, leaf) {
		for _, u := range told.again(m, l.describe(ctx)) {
			if err := l.server.peer.Send(ctx, l.notification(u)); err != nil {
				return err
			}
		}
	}
	for _, u := range told.cut() {
		l.update(u)
	}
	if v, err := l.session.View(ctx); err == nil && len(v.Todos) > 0 {
		l.update(planOf(v.Todos))
	}
	return nil
}

func (l *live) describe(ctx context.Context) func(name string, arguments json.RawMessage) (event.ToolRunning, error) {
	return func(name string, arguments json.RawMessage) (event.ToolRunning, error) {
		return l.session.Describe(ctx, name, arguments)
	}
}

// branch are the messages from the root to the leaf.
func branch(entries []session.Entry, leaf string) []message.Message {
	at := map[string]*session.Entry{}
	for i := range entries {
		at[entries[i].ID] = &entries[i]
	}
	var messages []message.Message
	for e := at[leaf]; e != nil; e = at[e.ParentID] {
		if e.Message != nil {
			m := *e.Message
			m.ID = e.ID
			messages = append(messages, m)
		}
		delete(at, e.ID) // a damaged file may go round
	}
	slices.Reverse(messages)
	return messages
}

// again tells a stored message as it was told when it was new.
func (p *projection) again(m message.Message, describe func(string, json.RawMessage) (event.ToolRunning, error)) []any {
	switch m.Role {
	case message.User:
		if m.Synthetic {
			return nil
		}
		return chunks("user_message_chunk", m.ID, m.Content)
	case message.Assistant:
		var updates []any
		for _, b := range m.Content {
			switch {
			case b.Type == message.ToolCallBlock:
				updates = append(updates, p.calledAgain(b, describe))
			case names[b.Type] != "" && b.Text != "":
				updates = append(updates, chunk{names[b.Type], textContent(b.Text), m.ID})
			}
		}
		return updates
	case message.ToolResult:
		if p.calls[m.ToolCallID] == nil {
			return nil
		}
		return p.finished(event.ToolEnded{CallID: m.ToolCallID, Name: m.ToolName, Content: m.Content, Details: m.Details, IsError: m.IsError})
	case message.Custom:
		if m.Display {
			return chunks("agent_message_chunk", m.ID, m.Content)
		}
	case message.BashExecution:
		if m.Bash != nil {
			return one(chunk{"user_message_chunk", textContent("!" + m.Bash.Command + "\n" + m.Bash.Output), m.ID})
		}
	}
	return nil
}

func (p *projection) calledAgain(b message.Block, describe func(string, json.RawMessage) (event.ToolRunning, error)) any {
	c := p.call(b.ID, b.Name)
	c.arguments = b.Arguments
	if r, err := describe(b.Name, b.Arguments); err == nil {
		c.arguments = r.Arguments
		c.describe(r.Title, r.ToolKind, r.Locations)
	}
	running := p.running(b.ID, c)
	return running[0]
}

// cut closes the calls that have no result.
func (p *projection) cut() []any {
	var updates []any
	for id := range p.calls {
		updates = append(updates, toolCall{SessionUpdate: "tool_call_update", ToolCallID: id, Status: "failed"})
	}
	return updates
}
