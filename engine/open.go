package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/ask"
	"github.com/hoopoe-agent/hoopoe/engine/config"
	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/ext"
	"github.com/hoopoe-agent/hoopoe/engine/ext/command"
	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/llm/catalog"
	"github.com/hoopoe-agent/hoopoe/engine/mcp"
	"github.com/hoopoe-agent/hoopoe/engine/prompt"
	"github.com/hoopoe-agent/hoopoe/engine/session"
	"github.com/hoopoe-agent/hoopoe/engine/spec"
	"github.com/hoopoe-agent/hoopoe/engine/workspace"
)

// OpenOptions say which session to open and how.
type OpenOptions struct {
	// Cwd is the working directory; empty means the process's.
	Cwd string
	// Roots are further folders that count as inside; absolute.
	Roots []string
	// Workspace makes what tools work on from the local disk, for a face whose
	// user has files and processes elsewhere; nil leaves the disk.
	Workspace func(*workspace.Local) workspace.Workspace
	// Written makes the session's file at once and not at the first message.
	Written bool
	// Path is a session file. One that doesn't exist is created there; empty
	// makes a new session.
	Path string
	// Fork copies Path into a new file first.
	Fork     bool
	InMemory bool
	// SessionID is the id of a new session; empty means a fresh one.
	SessionID string
	// SessionDir holds the session files, instead of the user's data folder.
	SessionDir string
	// Model and Thinking name the first model; empty means the start order.
	Model, Thinking string
	// Agent is an agent's file. Options that are set win over it, and it over the
	// settings and what the session had last.
	Agent *spec.Agent
	// Models are patterns of the models to cycle through, in place of the
	// settings'.
	Models []string
	// Mode is the permission mode; empty means the settings', else DefaultMode,
	// else ask.
	Mode, DefaultMode string
	// SystemPrompt replaces our instructions, AppendSystemPrompt adds to them;
	// each is a text or the path of one.
	SystemPrompt, AppendSystemPrompt string
	// Tools is an allow-list of tool names, in which those of MCP servers may be
	// patterns: mcp__server__*. NoTools offers none.
	Tools   []string
	NoTools bool
	// NoSkills, NoTemplates, NoRules and NoContextFiles leave these out, whoever
	// they are from.
	NoSkills, NoTemplates, NoRules, NoContextFiles bool
	// MCPServers are used beside those of the project and the user, and win over
	// them by name. NoMCP leaves all out.
	MCPServers []mcp.Server
	NoMCP      bool
	// Limits override those of the settings where they aren't 0.
	Limits config.Limits
	// Dialogs says that the face can show the ask tool's question; else the
	// question ends the run.
	Dialogs bool
	// With are extensions that are there without a file, and before all others: an
	// agent's module, say. Nobody is asked about them.
	With []ext.Extension
	// Hooks are commands beside those of the settings.
	Hooks []command.Hook
	// Extensions are further files or folders of extensions. NoExtensions leaves
	// out all others.
	Extensions   []string
	NoExtensions bool
	// ExtensionArgs are arguments of the command line that only extensions know:
	// "--name", "--name=value" or "--name", "value".
	ExtensionArgs []string
	// Approve trusts the project's files, and lets extensions do what they want
	// to, for this session.
	Approve bool
	// Hosted is for a program that drives the session by a protocol. The settings
	// of todo and the numbers of task are as they are built in, whatever the user
	// has set; there is no ask tool; and a model without a key is taken all the
	// same: the first prompt tells.
	Hosted bool
}

// Open opens a session. No hook has run yet and no model was called. Notices
// are for the user: what was odd about files, settings and the model choice.
func (e *Engine) Open(ctx context.Context, o OpenOptions) (s *Session, notices []string, err error) {
	if o.Cwd, err = absolute(o.Cwd); err != nil {
		return nil, nil, fmt.Errorf("find the working directory: %w", err)
	}
	settings, notices, err := e.settings(ctx, o)
	if err != nil {
		return nil, notices, err
	}
	settings, more := heed(settings, o.Agent)
	notices = append(notices, more...)
	if o.SessionDir == "" {
		o.SessionDir = settings.SessionDir
	}
	if o.SessionID != "" && !sessionID.MatchString(o.SessionID) {
		return nil, notices, fmt.Errorf("the session id %q can't be part of a file name: use letters, digits, - and _", o.SessionID)
	}
	s = e.session(o, settings)
	s.seats = make(seats, settings.Task.MaxConcurrency)
	s.limits = limits{Limits: merged(settings.Limits, o.Limits)}
	s.auto.compaction, s.auto.retry = settings.Compaction.Enabled, settings.Retry.Enabled
	s.ctx, s.cancel = context.WithCancel(context.WithoutCancel(ctx))
	if err := s.equip(settings); err != nil {
		return nil, notices, err
	}
	v, told, err := s.newServers()
	s.servers, notices = v, append(notices, told...)
	if err != nil {
		return nil, notices, err
	}
	doc, more, err := e.document(o)
	notices = append(notices, more...)
	if err != nil {
		return nil, notices, err
	}
	if o.Written {
		if err := doc.Create(); err != nil {
			doc.Close()
			return nil, notices, err
		}
	}
	if more, err = s.startModel(doc, settings); err != nil {
		doc.Close()
		return nil, append(notices, more...), err
	}
	s.broker = &ask.Broker{
		Publish: s.publish, Shown: s.shown, NewID: s.ids.next, Now: s.engine.now,
		After: func(d time.Duration, fn func()) func() { return s.after(d, fn) },
	}
	go s.own()
	s.extensions.open()
	return s, append(notices, more...), nil
}

// session is one without anything behind it yet.
func (e *Engine) session(o OpenOptions, settings config.Settings) *Session {
	s := &Session{
		engine: e, number: e.sessions.Add(1), opts: o, in: newInbox(), ended: make(chan struct{}), state: Idle,
		faces: map[*Subscription]Client{}, held: map[event.QuestionKind]int{}, shutdown: make(chan struct{}),
		modes: queueModes{settings.SteeringMode, settings.FollowUpMode, settings.InterruptMode},
	}
	s.watch.emit = func(ev event.Event) { s.in.post(item{event: ev}) }
	return s
}

// sessionID is what a session may be called by others: it becomes part of a
// file's name.
var sessionID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$`)

// Settings are those that hold in a working directory.
func (e *Engine) Settings(ctx context.Context, cwd string) (config.Settings, error) {
	s, _, err := e.settings(ctx, OpenOptions{Cwd: cwd})
	return s, err
}

// settings reads the layers that count for a working directory.
func (e *Engine) settings(ctx context.Context, o OpenOptions) (config.Settings, []string, error) {
	var notices []string
	if _, err := e.paths.Trust(o.Cwd); err != nil {
		notices = append(notices, err.Error())
	}
	c, problems, err := config.Load(ctx, config.LoadOptions{
		Paths: e.paths, Project: o.Cwd, Trusted: e.trusts(o),
	})
	for _, p := range problems {
		notices = append(notices, p.Error())
	}
	if o.Hosted {
		d := config.Defaults()
		c.Todo = d.Todo
		c.Task.MaxConcurrency, c.Task.MaxRecursionDepth = d.Task.MaxConcurrency, d.Task.MaxRecursionDepth
	}
	return c.Settings, notices, err
}

// trusts reports whether the project's own files count.
func (e *Engine) trusts(o OpenOptions) bool {
	trust, err := e.paths.Trust(o.Cwd)
	return o.Approve || err == nil && trust == config.Trusted
}

// document opens or makes the session's document.
func (e *Engine) document(o OpenOptions) (*session.Document, []string, error) {
	opts, err := e.documentOptions(o)
	if err != nil {
		return nil, nil, err
	}
	var notices []session.Notice
	var doc *session.Document
	switch {
	case o.Path != "" && o.Fork:
		doc, notices, err = session.Fork(o.Path, opts)
	case o.Path != "":
		doc, notices, err = openDocument(o.Path, opts)
	default:
		doc, err = session.New(opts)
	}
	var texts []string
	for _, n := range notices {
		texts = append(texts, n.String())
	}
	return doc, texts, err
}

// documentOptions say where documents of a session live. Without a home they
// live in memory.
func (e *Engine) documentOptions(o OpenOptions) (session.Options, error) {
	opts := session.Options{Cwd: o.Cwd, ID: o.SessionID, InMemory: o.InMemory, Locks: e.paths.Locks(), Now: e.options.Now}
	if e.paths.Agent != "" {
		opts.Blobs = filepath.Join(e.paths.Agent, "blobs")
	}
	if o.InMemory {
		return opts, nil
	}
	folders, err := e.SessionFolders(o.Cwd, o.SessionDir, false)
	if errors.Is(err, config.ErrNoHome) {
		opts.InMemory = true
		return opts, nil
	}
	if err != nil {
		return opts, err
	}
	opts.Dir = folders[0]
	return opts, nil
}

func (s *Session) documentOptions() session.Options {
	o := s.opts
	o.SessionID = "" // the first document's alone
	opts, err := s.engine.documentOptions(o)
	if err != nil {
		opts.InMemory = true
	}
	return opts
}

// startModel chooses the first model in the order of wishes: the flag, the
// agent's file, the session's last, the settings'.
func (s *Session) startModel(doc *session.Document, settings config.Settings) ([]string, error) {
	e, o := s.engine, s.opts
	c := doc.Context()
	s.thinking = llm.Level(settings.DefaultThinkingLevel)
	if s.thinking == "" {
		s.thinking = llm.Medium
	}
	var choice catalog.Choice
	var err error
	switch {
	case o.Model != "":
		choice.Model, choice.Level, err = e.findModel(o.Model)
		if _, keyless := errors.AsType[*catalog.MissingKeyError](err); keyless && o.Hosted {
			err = nil
		}
	case o.Agent != nil && o.Agent.Model != "":
		choice, err = e.agentModel(o)
	default:
		choice, err = e.models().Start(catalog.Wishes{Local: e.findLocal, Session: ref(c.Model.Provider, c.Model.ID), Setting: ref(settings.DefaultProvider, settings.DefaultModel)})
	}
	if err != nil {
		return choice.Notices, err
	}
	choice.Notices = append(choice.Notices, e.Warnings()...)
	if note := e.note(choice.Model); note != "" {
		choice.Notices = append(choice.Notices, note)
	}
	if err := s.use(choice.Model); err != nil {
		return choice.Notices, err
	}
	s.adopt(doc)
	if err := s.use(choice.Model); err != nil { // the flag wins over the session's last
		return choice.Notices, err
	}
	if level := cmp.Or(choice.Level, agentThinking(o.Agent)); level != "" {
		s.thinking = level
	}
	if o.Thinking != "" {
		level, err := llm.ParseLevel(o.Thinking)
		if err != nil {
			return choice.Notices, err
		}
		s.thinking = level
	}
	s.thinking = s.model.Clamp(s.thinking)
	return choice.Notices, nil
}

func ref(provider, id string) string {
	if provider == "" || id == "" {
		return id
	}
	return provider + "/" + id
}

// promptTools lists the tools for the system prompt.
func (s *Session) promptTools() []prompt.Tool {
	var list []prompt.Tool
	for _, spec := range s.tools.visible() {
		list = append(list, prompt.Tool{Name: spec.Name, Summary: spec.Summary})
	}
	return list
}
