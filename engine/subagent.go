package engine

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/ask"
	"github.com/hoopoe-agent/hoopoe/engine/config"
	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/prompt"
	"github.com/hoopoe-agent/hoopoe/engine/session"
	"github.com/hoopoe-agent/hoopoe/engine/tool"
	"github.com/hoopoe-agent/hoopoe/engine/tool/builtin"
	"github.com/hoopoe-agent/hoopoe/engine/workspace"
)

// A sub-agent is a session of its own that a call of the task tool opens:
//
//	task call ─▶ seat ─▶ child Session ─┬─ events ────▶ SubagentEvent, ToolProgress of the call
//	                                    ├─ questions ─▶ the caller's broker, under the call
//	                                    ├─ usage ─────▶ the caller's totals and limits
//	                                    └─ answer ────▶ the call's result
//
// The caller's are: the working directory, the processes, the permission rules,
// the extensions' word about tool calls. Its own are: context, system prompt,
// tools, model, todos, and the file, beside the caller's.

// taskTool is the name of the tool that gives tasks to sub-agents.
const taskTool = "task"

// caller is whom a sub-agent works for. It never changes.
type caller struct {
	session *Session
	call    string // the id of the task call
	agent   string // the name of its definition
}

// depth is how many sessions a sub-agent's answer goes through; 0 is the user's
// own session.
func (s *Session) depth() int {
	n := 0
	for c := s.caller; c != nil; c = c.session.caller {
		n++
	}
	return n
}

// root is the user's own session.
func (s *Session) root() *Session {
	for s.caller != nil {
		s = s.caller.session
	}
	return s
}

// task is the session's task tool; none when it may have no sub-agents.
func (s *Session) task(settings config.Task) []tool.Tool {
	if s.depth() >= settings.MaxRecursionDepth {
		return nil
	}
	return []tool.Tool{builtin.Task(s.listAgents, s.runTask)}
}

// errStopped is the cause of a cancel of one sub-agent.
var errStopped = errors.New("the user stopped this agent")

// Task is a sub-agent at work, or waiting for its turn.
type Task struct {
	CallID      string // of the task tool
	Agent       string
	Description string
}

// taskCalls are the tasks in progress, in the order of their start.
type taskCalls struct {
	mu   sync.Mutex
	list []taskCall
}

type taskCall struct {
	Task
	stop context.CancelCauseFunc
}

// add makes a task known until done.
func (t *taskCalls) add(task Task, stop context.CancelCauseFunc) (done func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.list = append(t.list, taskCall{task, stop})
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.list = slices.DeleteFunc(t.list, func(c taskCall) bool { return c.CallID == task.CallID })
	}
}

// Tasks lists the session's sub-agents at work, in the order of their start.
func (s *Session) Tasks() []Task {
	s.calls.mu.Lock()
	defer s.calls.mu.Unlock()
	var tasks []Task
	for _, c := range s.calls.list {
		tasks = append(tasks, c.Task)
	}
	return tasks
}

// StopTask stops one sub-agent by its task call; the others and the run go on.
// It reports false when there is no such call at work.
func (s *Session) StopTask(callID string) bool {
	s.calls.mu.Lock()
	defer s.calls.mu.Unlock()
	for _, c := range s.calls.list {
		if c.CallID == callID {
			c.stop(errStopped)
			return true
		}
	}
	return false
}

// runTask runs a task call from its agent's name to the answer.
func (s *Session) runTask(ctx context.Context, c tool.Call, r builtin.TaskRequest) (tool.Result, error) {
	if strings.TrimSpace(r.Prompt) == "" {
		return tool.Result{}, errors.New("the prompt is empty: write the whole task into it")
	}
	agent, err := s.agentNamed(r.Agent)
	if err != nil {
		return tool.Result{}, err
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	defer s.calls.add(Task{CallID: c.ID, Agent: agent.Name, Description: r.Description}, stop)()
	w := &work{parent: s, call: c, details: taskDetails{Agent: agent.Name, Description: r.Description, Status: "waiting"}}
	s.seat.lend()
	defer s.seat.back(ctx)
	if s.seats.take(ctx, w.report) != nil {
		return w.aborted(ctx)
	}
	own := &seat{all: s.seats, held: true}
	defer own.end()
	child, err := s.spawn(ctx, agent, c.ID, own)
	if err != nil {
		return tool.Result{}, err
	}
	defer child.Close(context.WithoutCancel(ctx))
	return w.follow(ctx, child, r.Prompt)
}

// heritage is what a sub-agent takes over of its caller at its start.
type heritage struct {
	file, id             string
	model                llm.Model
	thinking             llm.Level
	compaction, retrying bool
	turns                int
}

// spawn opens the session of a sub-agent. It ends with its caller's at last.
func (s *Session) spawn(ctx context.Context, agent prompt.Agent, call string, own *seat) (*Session, error) {
	h, err := do(ctx, s, func() (heritage, error) {
		return heritage{s.doc.File(), s.doc.ID(), s.model, s.thinking, s.auto.compaction, s.auto.retry, s.limits.Turns}, nil
	})
	if err != nil {
		return nil, err
	}
	settings := s.env.settings
	c := s.engine.session(OpenOptions{Cwd: s.opts.Cwd, InMemory: h.file == ""}, settings)
	c.caller = &caller{session: s, call: call, agent: agent.Name}
	c.seats, c.seat = s.seats, own
	c.auto.compaction, c.auto.retry = h.compaction, h.retrying
	c.limits = limits{Limits: config.Limits{Turns: tighter(agent.MaxTurns, h.turns)}}
	mode, err := loosest(agent)
	if err != nil {
		return nil, err
	}
	c.policy = &gate{caller: s.policy, loosest: mode}
	c.host = s.host.Child()
	c.env = s.env.lend(c)
	c.env.options = prompt.Options{Replace: agent.Instructions, Append: subagentText}
	if c.tools, err = s.toolsFor(agent, c.task(settings.Task)); err != nil {
		return nil, err
	}
	var notice string
	if c.model, c.thinking, notice = s.engine.modelFor(agent, h.model, h.thinking); notice != "" {
		s.env.tell([]prompt.Notice{{Path: agent.Path, Text: notice}})
	}
	if err := c.use(c.model); err != nil {
		return nil, err
	}
	doc, err := session.New(c.besides(h))
	if err != nil {
		return nil, err
	}
	c.ctx, c.cancel = context.WithCancel(s.ctx)
	c.adopt(doc)
	c.broker = &ask.Broker{Publish: c.publish, Shown: c.shown, NewID: c.ids.next, Now: c.engine.now, After: func(d time.Duration, fn func()) func() { return c.after(d, fn) }}
	go c.own()
	return c, nil
}

// besides says where the sub-agent's file goes: into a folder named like its
// caller's file, where lists of sessions don't look.
func (s *Session) besides(h heritage) session.Options {
	o := s.documentOptions()
	o.InMemory, o.ParentSession = h.file == "", h.file
	if h.file == "" {
		o.ParentSession = h.id
	}
	folder, ok := strings.CutSuffix(h.file, ".jsonl")
	if !ok {
		folder += ".d"
	}
	o.Dir = filepath.Join(folder, "subagents")
	return o
}

// tighter is the lower of two limits, of which 0 is none.
func tighter[N int | float64](a, b N) N {
	if a == 0 || b > 0 && b < a {
		return b
	}
	return a
}

// lend is the environment for a sub-agent's session: the same folder and
// processes, which end with the caller's.
func (e *environment) lend(c *Session) *environment {
	g := e.guidance()
	e.mu.Lock()
	told := maps.Clone(e.told)
	e.mu.Unlock()
	return &environment{
		kept: g, readAt: e.engine.now(), listed: g.agents,
		engine: e.engine, workspace: e.workspace, shared: e.shared, runner: e.runner, programs: e.programs, lent: true, settings: e.settings, files: workspace.NewLedger(),
		told: told, notify: c.notify, discovered: e.discovered, mode: func() string { return c.policy.mode() }, tools: c.promptTools,
		trusted: e.trusted, without: e.without,
	}
}

// charge counts what a sub-agent has used for its callers too.
func (s *Session) charge(u message.Usage) {
	if s.caller == nil {
		return
	}
	up := s.caller.session
	up.in.do(func() {
		up.usage = up.usage.Add(u)
		up.limits.bill(u)
		up.publish(up.usageEvent())
		up.charge(u)
	})
}

// taskUsage is what the sub-agents of stored calls have used.
func taskUsage(messages []message.Message) (u message.Usage) {
	for _, m := range messages {
		if m.Role == message.ToolResult && m.ToolName == taskTool {
			u = u.Add(detailsOf(m.Details).Usage)
		}
	}
	return u
}

// forUser puts a sub-agent's question into its caller's words.
func (c *caller) forUser(q event.Question) event.Question {
	q.CallID, q.Title = c.call, c.agent+": "+q.Title
	q.Agent = strings.Join(slices.DeleteFunc([]string{c.agent, q.Agent}, func(s string) bool { return s == "" }), " › ")
	return q
}
