package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/mcp"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/prompt"
	"github.com/hoopoe-agent/hoopoe/engine/session"
	"github.com/hoopoe-agent/hoopoe/engine/tool"
)

// servers are a session's MCP servers: their tools go into the session's
// toolset, their questions to its broker, their failures into notices. A nil
// *servers has none and does nothing.
type servers struct {
	*mcp.Manager
	s *Session
	// only are patterns of the names of the tools that may be offered; nil: all.
	only []string

	// Of the owner.
	awaited bool
	told    map[string]event.ServerStatus
	prompts []string // the names of their commands
}

// selectionType is the entry that keeps which tools searches have shown to the
// model. The name and the field are the protocol family's.
const selectionType session.Type = "mcp_tool_selection"

type toolSelection struct {
	Names []string `json:"selectedToolNames"`
}

const (
	// slowStart is when a server that isn't ready is mentioned.
	slowStart = 2 * time.Second
	// chatPatience is how long the first prompt waits for servers where tools
	// may as well come later, in a session that goes on.
	chatPatience = 5 * time.Second
)

// newServers makes the session's servers of what is configured. None is
// started. The error is about an agent's file.
func (s *Session) newServers() (v *servers, notices []string, err error) {
	e, o := s.engine, s.opts
	own, err := e.agentServers(o.Agent)
	if err != nil || o.NoMCP || o.NoTools {
		return nil, nil, err
	}
	only, all := o.servedTools()
	list := append(slices.Clone(o.MCPServers), own...)
	switch {
	case all || only != nil:
		list, notices = e.servers(s.opts.Cwd, list, s.env.settings.MCPServers, s.env.trusted)
	case len(o.Tools) > 0:
		return nil, nil, nil
	}
	if len(list) == 0 {
		return nil, notices, nil
	}
	if only != nil {
		for i := range list { // no search stands before what was asked for by name
			list[i].Pinned = []string{"*"}
		}
	}
	v = &servers{s: s, only: only, told: map[string]event.ServerStatus{}}
	notify := func(_, text string) { notices = append(notices, text) }
	options := mcp.Options{
		Servers: list, Environ: e.options.Environ, Dir: s.env.workspace.Cwd(), Version: e.options.Version,
		Elicit: v.elicit, Notify: func(level, text string) { notify(level, text) },
		OnChange: func() { s.in.do(v.sync) }, OnActivate: func(names []string) { s.in.do(func() { v.keep(names) }) },
		Log: e.log, Now: e.options.Now,
	}
	if e.options.Offline {
		options.HTTP = offlineTransport{}
	}
	v.Manager = mcp.New(options)
	notify = s.notify
	return v, notices, nil
}

// servedTools are the names and patterns of MCP servers' tools on the list of
// tools that the options have, or the agent's file. all is true without a list.
func (o OpenOptions) servedTools() (only []string, all bool) {
	names := o.Tools
	if len(names) == 0 && o.Agent != nil {
		for _, t := range o.Agent.Tools {
			names = append(names, t.Name)
		}
		all = o.Agent.Tools == nil
	} else {
		all = len(names) == 0
	}
	for _, name := range names {
		if isServed(name) {
			only = append(only, name)
		}
	}
	return only, all
}

// isServed reports whether a name on a list of tools is about those of MCP
// servers.
func isServed(name string) bool { return mcp.Owns(name) || name == mcp.SearchTool }

// offlineTransport refuses to open connections.
type offlineTransport struct{}

func (offlineTransport) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New("--offline opens no connection")
}

// start starts the servers and doesn't wait for them.
func (v *servers) start() {
	if v != nil {
		go v.Start(v.s.ctx)
	}
}

// pending reports, to the first prompt alone, whether servers are on their way.
func (v *servers) pending() bool {
	if v == nil || v.awaited {
		return false
	}
	v.awaited = true
	return len(v.unready()) > 0
}

func (v *servers) unready() []string {
	var names []string
	for _, s := range v.Status() {
		if s.State == mcp.Idle || s.State == mcp.Connecting {
			names = append(names, s.Name)
		}
	}
	return names
}

// await waits until each server is ready or has failed, and tells when that
// takes long. Where the session goes on it doesn't wait to the end.
func (v *servers) await(ctx context.Context) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		v.Start(ctx)
	}()
	slow := time.NewTimer(slowStart)
	defer slow.Stop()
	var enough <-chan time.Time
	if v.s.opts.Dialogs || v.s.opts.Hosted {
		patience := time.NewTimer(chatPatience)
		defer patience.Stop()
		enough = patience.C
	}
	for {
		select {
		case <-done:
			return
		case <-ctx.Done():
			return
		case <-slow.C:
			v.s.notify("warning", "Waiting for MCP servers: "+strings.Join(v.unready(), ", "))
		case <-enough:
			v.s.notify("warning", "Going on without MCP servers that aren't ready: "+strings.Join(v.unready(), ", ")+". Their tools join when they are.")
			return
		}
	}
}

// sync takes over what the servers offer now, and tells what is new.
func (v *servers) sync() {
	s := v.s
	tools := v.Tools()
	if v.only != nil {
		tools = slices.DeleteFunc(tools, func(t tool.Tool) bool { return !v.wanted(t.Spec().Name) })
	}
	for _, st := range v.Status() {
		e := event.ServerStatus{Name: st.Name, State: string(st.State), Error: st.Error, Tools: st.Tools}
		if old, ok := v.told[st.Name]; old != e && (ok || st.State != mcp.Idle) {
			v.told[st.Name] = e
			s.publish(e)
		}
	}
	if s.tools.serve(tools) {
		s.env.forget()
		s.toolsChanged()
	}
	var commands []string
	for _, p := range v.Prompts() {
		commands = append(commands, p.Command)
	}
	if !slices.Equal(commands, v.prompts) {
		v.prompts = commands
		s.publish(event.CommandsChanged{})
	}
}

// wanted reports whether a tool is among those that were asked for by name.
func (v *servers) wanted(name string) bool {
	return slices.ContainsFunc(v.only, func(pattern string) bool {
		ok, err := path.Match(pattern, name)
		return ok && err == nil
	})
}

// keep remembers in the session's file which tools a search has shown.
func (v *servers) keep(names []string) {
	raw, err := json.Marshal(toolSelection{names})
	if err != nil {
		return // names of tools are plain text
	}
	id := v.s.ids.next()
	v.s.append(session.Entry{ID: id, Type: selectionType, Raw: raw})
	v.s.publish(event.EntryAppended{ID: id, Type: string(selectionType)})
}

// recall shows the model the tools again that the document says.
func (v *servers) recall() {
	if v == nil {
		return
	}
	var kept toolSelection
	if entries := v.s.doc.Branch(selectionType); len(entries) > 0 {
		// What is damaged has no names: the model searches again.
		_ = json.Unmarshal(entries[len(entries)-1].Raw, &kept)
	}
	if !slices.Equal(kept.Names, v.Active()) {
		v.SetActive(kept.Names)
	}
}

// close ends the servers with all that they have started.
func (v *servers) close(ctx context.Context) {
	if v == nil {
		return
	}
	if err := v.Close(ctx); err != nil {
		v.s.engine.log.Warn("close", "error", err)
	}
}

func (v *servers) kill() {
	if v != nil {
		v.Kill()
	}
}

// errNoServers answers commands about servers where there are none.
var errNoServers = errors.New("this session has no MCP servers")

// Servers lists the session's MCP servers and what has become of them.
func (s *Session) Servers() []mcp.Status {
	if s.servers == nil {
		return nil
	}
	return s.servers.Status()
}

// RestartServer ends an MCP server if it runs, starts it anew and waits for the
// outcome.
func (s *Session) RestartServer(ctx context.Context, name string) error {
	if s.servers == nil {
		return errNoServers
	}
	return s.servers.Restart(ctx, name)
}

// EnableServer lets a disabled MCP server be used in this session, starts it and
// waits for the outcome.
func (s *Session) EnableServer(ctx context.Context, name string) error {
	if s.servers == nil {
		return errNoServers
	}
	return s.servers.Enable(ctx, name)
}

// DisableServer ends an MCP server and takes its tools away, for this session.
func (s *Session) DisableServer(name string) error {
	if s.servers == nil {
		return errNoServers
	}
	return s.servers.Disable(name)
}

// ServerPrompts lists the prompts of the MCP servers that were reached.
func (s *Session) ServerPrompts() []mcp.Prompt {
	if s.servers == nil {
		return nil
	}
	return s.servers.Prompts()
}

// AwaitServers waits until each MCP server is ready or has failed, as the first
// prompt does.
func (s *Session) AwaitServers(ctx context.Context) {
	if s.servers != nil {
		s.servers.await(ctx)
	}
}

// promptTime bounds how long a server may think about a prompt's text.
const promptTime = 30 * time.Second

// ServerPrompt gets the text of a prompt from its server. The arguments are
// words, quoted as for a template; name=value gives one by its name.
func (s *Session) ServerPrompt(ctx context.Context, p mcp.Prompt, arguments string) (string, error) {
	if s.servers == nil {
		return "", errNoServers
	}
	values, err := p.Bind(prompt.Words(arguments))
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, promptTime)
	defer cancel()
	blocks, err := s.servers.Prompt(ctx, p.Server, p.Name, values, false)
	if err != nil {
		return "", fmt.Errorf("get the prompt from the MCP server: %w", err)
	}
	return message.Text(blocks), nil
}
