// The texts of errors are the protocol's.
//
//lint:file-ignore ST1005 wire literals

package rpc

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine"
	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// table is every command by its wire name.
func (s *server) table() map[string]command {
	return map[string]command{
		"prompt":           {own: s.prompt, slow: true},
		"steer":            {own: s.queued(engine.Steer)},
		"follow_up":        {own: s.queued(engine.FollowUp)},
		"abort":            {own: s.abort},
		"abort_and_prompt": {own: s.abortAndPrompt},
		"clear_queue":      {call: s.clearQueue},

		"get_state":      {call: s.getState},
		"get_messages":   {call: s.getMessages},
		"get_commands":   {call: s.getCommands},
		"set_todos":      {call: s.setTodos},
		"set_host_tools": {call: s.setHostTools},

		"set_model":                     {call: s.setModel},
		"cycle_model":                   {call: s.cycleModel},
		"get_available_models":          {call: s.getAvailableModels},
		"set_thinking_level":            {call: s.setThinkingLevel},
		"cycle_thinking_level":          {call: s.cycleThinkingLevel},
		"get_available_thinking_levels": {call: s.getAvailableThinkingLevels},

		"set_steering_mode":   {call: mode(s.o.Session.SetSteeringMode)},
		"set_follow_up_mode":  {call: mode(s.o.Session.SetFollowUpMode)},
		"set_interrupt_mode":  {call: mode(s.o.Session.SetInterruptMode)},
		"set_auto_compaction": {call: enabled(s.o.Session.SetAutoCompaction)},
		"set_auto_retry":      {call: enabled(s.o.Session.SetAutoRetry)},
		"abort_retry":         {call: s.abortRetry},
		"compact":             {own: s.compact},

		"bash":       {own: s.bash},
		"abort_bash": {call: s.abortBash},

		"new_session":             {call: s.newSession, slow: true},
		"switch_session":          {call: s.switchSession, slow: true},
		"branch":                  {call: s.branch("Invalid entry ID for branching"), slow: true},
		"fork":                    {call: s.branch("Invalid entry ID for forking"), slow: true},
		"clone":                   {call: s.clone, slow: true},
		"get_branch_messages":     {call: s.getBranchMessages},
		"get_fork_messages":       {call: s.getBranchMessages},
		"get_session_stats":       {call: s.getSessionStats},
		"get_last_assistant_text": {call: s.getLastAssistantText},
		"set_session_name":        {call: s.setSessionName},
		"get_entries":             {call: s.getEntries},
		"get_tree":                {call: s.getTree},
		"export_html":             {own: s.exportHTML},
	}
}

// mode makes a command of a setter of queue modes.
func mode(set func(context.Context, string) error) func(context.Context, request) (any, error) {
	return func(ctx context.Context, r request) (any, error) {
		name, err := r.text("mode")
		if err != nil {
			return nil, err
		}
		if err := set(ctx, name); err != nil {
			return nil, refuse("%v", err)
		}
		return nil, nil
	}
}

// enabled makes a command of a switch.
func enabled(set func(context.Context, bool) error) func(context.Context, request) (any, error) {
	return func(ctx context.Context, r request) (any, error) {
		on, err := r.flag("enabled")
		if err != nil {
			return nil, err
		}
		return nil, set(ctx, on)
	}
}

func (s *server) abortRetry(ctx context.Context, _ request) (any, error) {
	return nil, s.o.Session.AbortRetry(ctx)
}

func (s *server) abortBash(_ context.Context, _ request) (any, error) {
	s.cancelJobs("bash")
	return nil, nil
}

func (s *server) setTodos(ctx context.Context, r request) (any, error) {
	var phases []message.TodoPhase
	if err := r.into("phases", &phases, "a list of phases"); err != nil {
		return nil, err
	}
	for i, p := range phases {
		if p.Tasks == nil {
			return nil, fmt.Errorf("set_todos: the phase at index %d has no list of tasks", i)
		}
		for _, t := range p.Tasks {
			if !slices.Contains(todoStates(), t.Status) {
				return nil, refuse("set_todos: the task %q has the unknown status %q: use %s", t.Content, t.Status, strings.Join(todoStates(), ", "))
			}
		}
	}
	kept, err := s.o.Session.SetTodos(ctx, phases)
	return struct {
		TodoPhases []message.TodoPhase `json:"todoPhases"`
	}{listed(kept)}, err
}

// todoStates are those that readers of our frames know.
func todoStates() []string { return []string{"pending", "in_progress", "completed", "abandoned"} }

func (s *server) setHostTools(ctx context.Context, r request) (any, error) {
	var definitions []hostDefinition
	if err := r.into("tools", &definitions, "a list of tool definitions"); err != nil {
		return nil, err
	}
	names, err := s.host.set(ctx, definitions)
	if err != nil {
		return nil, err
	}
	return struct {
		ToolNames []string `json:"toolNames"`
	}{names}, nil
}

func (s *server) setModel(ctx context.Context, r request) (any, error) {
	provider, err := r.text("provider")
	if err != nil {
		return nil, err
	}
	id, err := r.text("modelId")
	if err != nil {
		return nil, err
	}
	m, err := s.o.Session.SetModelExact(ctx, provider, id)
	if err != nil && strings.HasPrefix(err.Error(), "Model not found: ") {
		return nil, refuse("%v", err)
	}
	return m, err
}

func (s *server) cycleModel(ctx context.Context, _ request) (any, error) {
	m, ok, err := s.o.Session.CycleModel(ctx)
	if err != nil || !ok {
		return null, err
	}
	v, err := s.o.Session.View(ctx)
	if err != nil {
		return nil, err
	}
	return struct {
		Model         llm.Model `json:"model"`
		ThinkingLevel string    `json:"thinkingLevel,omitempty"`
		IsScoped      bool      `json:"isScoped"`
	}{m, v.Thinking, s.o.Session.Scoped()}, nil
}

func (s *server) getAvailableModels(ctx context.Context, _ request) (any, error) {
	models := s.o.Session.Models()
	if current, err := s.o.Session.Model(ctx); err == nil {
		// Hosts that have no default of their own take the first one; those that
		// have a picker show the current one in it.
		others := slices.DeleteFunc(slices.Clone(models), func(m llm.Model) bool { return m.Ref() == current.Ref() })
		models = append([]llm.Model{current}, others...)
	}
	return struct {
		Models []llm.Model `json:"models"`
	}{listed(models)}, nil
}

func (s *server) setThinkingLevel(ctx context.Context, r request) (any, error) {
	name, err := r.text("level")
	if err != nil {
		return nil, err
	}
	level, err := llm.ParseLevel(name)
	if err != nil {
		return nil, refuse("%v", err)
	}
	_, err = s.o.Session.SetThinking(ctx, level)
	return nil, err
}

func (s *server) cycleThinkingLevel(ctx context.Context, _ request) (any, error) {
	level, ok, err := s.o.Session.CycleThinking(ctx)
	if err != nil || !ok {
		return null, err
	}
	return struct {
		Level llm.Level `json:"level"`
	}{level}, nil
}

func (s *server) getAvailableThinkingLevels(ctx context.Context, _ request) (any, error) {
	m, err := s.o.Session.Model(ctx)
	if err != nil {
		return nil, err
	}
	return struct {
		Levels []llm.Level `json:"levels"`
	}{m.Supported()}, nil
}

// listed is a list that is never null on the wire.
func listed[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

type bashResult struct {
	Output         string `json:"output"`
	ExitCode       *int   `json:"exitCode,omitempty"`
	Cancelled      bool   `json:"cancelled"`
	Truncated      bool   `json:"truncated"`
	TotalLines     int    `json:"totalLines"`
	TotalBytes     int64  `json:"totalBytes"`
	OutputLines    int    `json:"outputLines"`
	OutputBytes    int    `json:"outputBytes"`
	FullOutputPath string `json:"fullOutputPath,omitempty"`
}

// bash runs a command of the host's beside everything else.
func (s *server) bash(ctx context.Context, r request) {
	command, err := r.text("command")
	exclude := false
	if err == nil && r.has("excludeFromContext") {
		exclude, err = r.flag("excludeFromContext")
	}
	if err != nil {
		s.sub.Post(s.failure(r, err))
		return
	}
	before, over := s.lastBash, make(chan struct{})
	s.lastBash = over // the worker's alone
	s.spawn(ctx, r, func(ctx context.Context) {
		defer close(over)
		if before != nil {
			<-before // one shell, one command; what stops this one stops that one too
		}
		out, err := s.o.Session.Bash(ctx, engine.BashInput{Ref: string(r.ID), Command: command, ExcludeFromContext: exclude})
		if out.Message.Bash == nil && ctx.Err() == nil {
			s.sub.Post(s.failure(r, err))
			return
		}
		s.sub.Post(success(r, bashResultOf(out)))
	})
}

// bashResultOf puts a notice before the output of a command that was stopped.
// One that never began has nothing but the notice.
func bashResultOf(out engine.BashResult) bashResult {
	b := message.Bash{Cancelled: true}
	if out.Message.Bash != nil {
		b = *out.Message.Bash
	}
	r := bashResult{
		Output: b.Output, ExitCode: b.ExitCode, Cancelled: b.Cancelled, Truncated: b.Truncated, FullOutputPath: b.FullOutputPath,
		TotalLines: out.TotalLines, TotalBytes: out.TotalBytes, OutputLines: out.OutputLines, OutputBytes: out.OutputBytes,
	}
	if b.Cancelled {
		const notice = "[Command cancelled]\n"
		r.Output = notice + r.Output
		r.TotalLines, r.OutputLines = r.TotalLines+1, r.OutputLines+1
		r.TotalBytes, r.OutputBytes = r.TotalBytes+int64(len(notice)), r.OutputBytes+len(notice)
	}
	return r
}

// compact is asked for in its turn. Its answer has its place behind the events
// of the compaction.
func (s *server) compact(ctx context.Context, r request) {
	instructions, err := r.optionalText("customInstructions")
	if err != nil {
		s.sub.Post(s.failure(r, err))
		return
	}
	job, cancel := context.WithCancel(ctx)
	done := s.track(r, cancel)
	s.o.Session.CompactAck(job, instructions, s.sub, func(c engine.Compacted) any {
		defer done()
		if c.Err != nil {
			return s.failure(r, c.Err)
		}
		return success(r, c.Result)
	})
}

func (s *server) exportHTML(ctx context.Context, r request) {
	path, err := r.optionalText("outputPath")
	if err != nil {
		s.sub.Post(s.failure(r, err))
		return
	}
	s.spawn(ctx, r, func(ctx context.Context) {
		written, err := s.o.Session.ExportHTML(ctx, path)
		if err != nil {
			s.sub.Post(s.failure(r, err))
			return
		}
		s.sub.Post(success(r, struct {
			Path string `json:"path"`
		}{written}))
	})
}

// commandRow is a slash command in the list that hosts show.
type commandRow struct {
	Name        string      `json:"name"`
	Description string      `json:"description,omitempty"`
	Source      string      `json:"source"`
	SourceInfo  *sourceInfo `json:"sourceInfo,omitempty"`
}

// sourceInfo says where a command was found.
type sourceInfo struct {
	Path   string `json:"path"`
	Source string `json:"source"`
	Scope  string `json:"scope"`
	Origin string `json:"origin"`
}

// listTime bounds how long a list of commands waits for extensions: one of them
// may be asking the user.
const listTime = 2 * time.Second

func (s *server) getCommands(ctx context.Context, _ request) (any, error) {
	wait, cancel := context.WithTimeout(ctx, listTime)
	defer cancel()
	s.o.Session.AwaitExtensions(wait)
	rows := []commandRow{}
	for _, c := range s.o.Commands.For(ctx, s.o.Session).Catalog(abilities) {
		row := commandRow{Name: c.Name, Description: c.Summary, Source: c.Source}
		if c.Path != "" {
			row.SourceInfo = &sourceInfo{Path: c.Path, Source: "local", Scope: c.Location, Origin: "top-level"}
		}
		rows = append(rows, row)
	}
	return struct {
		Commands []commandRow `json:"commands"`
	}{rows}, nil
}

func (s *server) clearQueue(ctx context.Context, _ request) (any, error) {
	queue, err := s.o.Session.ClearQueue(ctx)
	return queueLists(queue), err
}

// queues are the waiting messages as hosts see them.
type queues struct {
	Steering []string `json:"steering"`
	FollowUp []string `json:"followUp"`
}

func queueLists(queue []event.Queued) queues {
	q := queues{[]string{}, []string{}}
	for _, m := range queue {
		if m.Delivery == string(engine.Steer) {
			q.Steering = append(q.Steering, m.Message.Text())
		} else {
			q.FollowUp = append(q.FollowUp, m.Message.Text())
		}
	}
	return q
}

// raw is for values that are JSON already.
func raw(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		return null
	}
	return b
}
