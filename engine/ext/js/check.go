package js

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/hoopoe-agent/hoopoe/engine/ext"
)

// Report is what a module turns out to be when it is loaded.
type Report struct {
	Module ext.Module
	// Needs are the capabilities that its imports ask for.
	Needs  []string
	Events []string // that it has handlers for, sorted
	ext.Registrations
	// Log are the lines that it printed.
	Log []string
	// Warnings are no reason not to load it.
	Warnings []string
}

// Check loads a module into a session that isn't one, with the capabilities that
// it states.
func (m *Modules) Check(ctx context.Context, path, cwd string) (Report, error) {
	module, err := m.Inspect(ctx, path)
	if err != nil {
		return Report{}, err
	}
	r := Report{Module: module}
	if r.Needs, err = m.Needs(ctx, path); err != nil {
		return r, err
	}
	for _, need := range r.Needs {
		if !slices.Contains(module.Capabilities, need) {
			r.Warnings = append(r.Warnings, fmt.Sprintf("what it imports needs the capability %q, which it doesn't state: calls will fail", need))
		}
	}
	s := &checked{Session: Dry(cwd)}
	quiet := &Modules{options: m.options, bundler: m.bundler}
	quiet.options.Log = func(_, level, line string) { s.add(&s.lines, level+": "+line) }
	e := &extension{modules: quiet, module: module, granted: module.Capabilities}
	in, exported, err := e.start(ctx, s)
	if err != nil {
		return r, err
	}
	defer in.close()
	_, err = in.await(ctx, "load", exported)
	r.Registrations = in.registered()
	in.mu.Lock()
	for name := range in.wanted {
		r.Events = append(r.Events, name)
	}
	in.mu.Unlock()
	slices.Sort(r.Events)
	for _, name := range r.Events {
		if !slices.Contains(eventNames, name) {
			r.Warnings = append(r.Warnings, fmt.Sprintf("there is no event %q; its handler is never called", name))
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	r.Log = s.lines
	if len(s.failures) > 0 {
		err = errors.Join(err, errors.New(strings.Join(s.failures, "\n")))
	}
	return r, err
}

// checked is a dry session that keeps what an extension says of itself.
type checked struct {
	ext.Session
	mu              sync.Mutex
	lines, failures []string
}

func (c *checked) add(list *[]string, line string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	*list = append(*list, line)
}

func (c *checked) Failed(point string, err error) { c.add(&c.failures, point+": "+err.Error()) }

// eventNames are all that handlers are called for, by the first of their names.
var eventNames = strings.Fields(`
	resources_discover session_start session_shutdown session_before_switch session_switch session_before_branch session_branch
	session_before_compact session.compacting session_compact session_before_tree session_tree
	input before_agent_start context before_provider_request tool_call tool_result user_bash
	agent_start agent_end agent_settled turn_start turn_end message_start message_update message_end
	tool_execution_start tool_execution_update tool_execution_end
	auto_compaction_start auto_compaction_end auto_retry_start auto_retry_end ttsr_triggered todo_reminder todo_auto_clear
	model_select thinking_level_select`)
