package engine

import (
	"context"
	"fmt"
	"slices"

	"github.com/hoopoe-agent/hoopoe/engine/agent"
	"github.com/hoopoe-agent/hoopoe/engine/ask"
	"github.com/hoopoe-agent/hoopoe/engine/config"
	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/ext"
	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/mcp"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/permission"
	"github.com/hoopoe-agent/hoopoe/engine/shell"
	"github.com/hoopoe-agent/hoopoe/engine/tool"
	"github.com/hoopoe-agent/hoopoe/engine/workspace"
)

// request builds the next request for the run, off the owner.
func (s *Session) request(ctx context.Context, history []message.Message, system string) (llm.Provider, llm.Request, error) {
	type now struct {
		model    llm.Model
		provider llm.Provider
		thinking llm.Level
		id       string
	}
	n, err := do(ctx, s, func() (now, error) { return now{s.model, s.provider, s.thinking, s.doc.ID()}, nil })
	if err != nil {
		return nil, llm.Request{}, err
	}
	if system == "" {
		system = s.env.system()
	}
	history = s.host.Context(ctx, history)
	r := llm.Request{
		Model: n.model, System: system, Messages: message.ForModel(history), Tools: s.toolSpecs(),
		Thinking: n.thinking, SessionID: n.id,
	}
	if s.host.Guards(func(h ext.Hooks) bool { return h.Request != nil }) {
		r.Rewrite = func(body []byte) []byte { return s.host.Request(ctx, body) }
	}
	return n.provider, r, nil
}

// toolSpecs lists the tools that the model sees.
func (s *Session) toolSpecs() []llm.ToolSpec {
	var specs []llm.ToolSpec
	for _, spec := range s.tools.visible() {
		specs = append(specs, llm.ToolSpec{Name: spec.Name, Description: spec.Description, Parameters: spec.Parameters})
	}
	return specs
}

func (s *Session) findTool(name string) (tool.Tool, bool) {
	t, err := s.tools.Find(name)
	return t, err == nil
}

// prepare takes a call from the model's words to a decision: its arguments
// are checked, extensions have their say, it is described, judged, and put to
// the user if need be.
func (s *Session) prepare(ctx context.Context, t tool.Tool, c *tool.Call) agent.Verdict {
	spec := t.Spec()
	ctx = workspace.WithCall(ctx, workspace.Call{ID: c.ID, Kind: string(spec.Kind)})
	args, err := tool.Check(spec, c.Arguments)
	if err != nil {
		return agent.Verdict{Reason: err.Error()}
	}
	c.Env = s.toolEnv(ctx)
	c.Arguments = args
	if s.host.Guards(func(h ext.Hooks) bool { return h.ToolCall != nil }) {
		changed, reply := s.host.ToolCall(ctx, ext.ToolCall{ID: c.ID, Name: c.Name, Arguments: c.Arguments})
		if reply.Block {
			return agent.Verdict{Reason: reply.Reason, Denied: "extension"}
		}
		if c.Arguments, err = tool.Check(spec, changed); err != nil {
			return agent.Verdict{Reason: "An extension changed the arguments: " + err.Error()}
		}
	}
	desc := tool.Description{Title: spec.Name, Kind: spec.Kind}
	if d, ok := t.(tool.Describer); ok {
		if desc, err = d.Describe(ctx, *c); err != nil {
			return agent.Verdict{Reason: err.Error()}
		}
	}
	running := event.ToolRunning{Title: desc.Title, ToolKind: string(desc.Kind)}
	for _, p := range desc.Paths {
		running.Locations = append(running.Locations, event.Location{Path: p.Path, Line: p.Line})
		c.Env.Settled = append(c.Env.Settled, p.Path)
	}
	_, claimed := t.(extensionTool)
	request := s.permissionRequest(spec, desc, claimed)
	request.Approve = needsApproval(t)
	decision := s.policy.judge(request)
	if request.Kind == permission.KindRead {
		c.Env.Withheld = s.policy.withholder(request)
	}
	if decision.Action == permission.Deny {
		return agent.Verdict{Reason: "Not allowed: " + decision.Reason, Denied: "rule"}
	}
	if p, ok := t.(tool.Previewer); ok {
		if running.Diff, err = p.Preview(ctx, *c); err != nil {
			return agent.Verdict{Reason: err.Error()} // it would fail: nothing to ask about
		}
	}
	if decision.Action == permission.Ask {
		if v := s.askPermission(ctx, c, request, decision, running); !v.Allowed {
			return v
		}
	}
	return agent.Verdict{Allowed: true, Running: running}
}

// permissionRequest says what a call would do in the words of the rules.
// claimed says that the kind is the word of an extension.
func (s *Session) permissionRequest(spec tool.Spec, d tool.Description, claimed bool) permission.Request {
	r := permission.Request{Tool: spec.Name, Kind: permissionKind(d.Kind), Text: d.Title, Claimed: claimed || mcp.Owns(spec.Name)}
	for _, p := range d.Paths {
		// The user's skills may be read where they are: the model is told to.
		inside := p.Inside || r.Kind == permission.KindRead && !p.Write && s.env.shows(p.Path)
		r.Paths = append(r.Paths, permission.Path{Path: p.Path, Write: p.Write, Inside: inside})
	}
	switch {
	case d.Command != "":
		analysis := s.env.analyze(d.Command)
		r.Kind, r.Command, r.Text = permission.KindExecute, &analysis, d.Command
		r.Paths = s.targets(analysis)
	case d.URL != "":
		r.Text = d.URL
	}
	return r
}

// targets resolves the paths that a command opens or goes to.
func (s *Session) targets(a shell.Analysis) []permission.Path {
	var paths []permission.Path
	for _, t := range a.Targets() {
		p := permission.Path{Text: t.Text, Write: t.Write}
		if abs, inside, err := s.env.workspace.Resolve(t.Text); err == nil {
			p.Path, p.Inside = abs, inside
		}
		paths = append(paths, p)
	}
	return paths
}

func permissionKind(k tool.Kind) permission.Kind {
	switch k {
	case tool.Read, tool.Search:
		return permission.KindRead
	case tool.Edit:
		return permission.KindEdit
	case tool.Execute:
		return permission.KindExecute
	case tool.Fetch:
		return permission.KindFetch
	case tool.Think:
		return permission.KindThink
	}
	return permission.KindOther
}

// askPermission puts a call to the user. An "always" saves the rules for this
// folder and answers the questions behind it.
func (s *Session) askPermission(ctx context.Context, c *tool.Call, request permission.Request, d permission.Decision, r event.ToolRunning) agent.Verdict {
	q := event.Question{
		Kind: event.AskPermission, CallID: c.ID, Title: r.Title, Message: d.Reason,
		Permission: &event.PermissionRequest{Tool: c.Name, Arguments: c.Arguments, Kind: string(request.Kind), Diff: r.Diff},
	}
	if request.Command != nil {
		q.Permission.Command = request.Text
	}
	for _, p := range request.Paths {
		if p.Path != "" {
			q.Permission.Paths = append(q.Permission.Paths, p.Path)
		}
	}
	for _, p := range d.Parts {
		q.Permission.Parts = append(q.Permission.Parts, event.PermissionPart{Text: p.Text, Why: p.Why})
	}
	for _, rule := range d.Suggest {
		q.Permission.Rules = append(q.Permission.Rules, rule.String())
	}
	result := s.put(ctx, q, func() (event.Answer, bool) {
		switch s.policy.judge(request).Action {
		case permission.Allow:
			return event.Answer{Choice: event.Once}, true
		case permission.Deny:
			return event.Answer{Choice: event.Deny}, true
		}
		return event.Answer{}, false
	}, func(r ask.Result) {
		if r.Answered && !r.Answer.Cancelled {
			s.allow(r.Answer.Choice, d.Suggest)
		}
	})
	switch {
	case result.Nobody:
		denied, way := "nobody", "The user can allow it with --permissions or with a rule in the settings."
		if d.Insists {
			denied, way = "approval", "The user can approve it where questions are shown, such as the chat."
		}
		return agent.Verdict{Denied: denied, Reason: fmt.Sprintf("Permission denied: %s, and there is nobody to ask here. Don't try it another way; say what you wanted to do. %s", d.Reason, way)}
	case !result.Answered || result.Answer.Cancelled || result.Answer.Choice == event.Deny || result.Answer.Choice == "":
		reason := "Permission denied: the user declined this call."
		if result.Answer.Reason != "" {
			reason += " The user says: " + result.Answer.Reason
		}
		return agent.Verdict{Denied: "user", Reason: reason}
	}
	switch result.Answer.Choice {
	case event.Always:
		s.saveRules(ctx, config.Allow, d.Suggest)
	case event.Never:
		s.saveRules(ctx, config.Deny, d.Suggest)
		return agent.Verdict{Denied: "user", Reason: "Permission denied: the user declined this call, and every one like it."}
	}
	return agent.Verdict{Allowed: true}
}

// allow has the rules that an answer allows, or forbids, count from now on.
func (s *Session) allow(c event.Choice, rules []permission.Rule) {
	switch c {
	case event.Session:
		s.policy.add(permission.FromSession, rules)
	case event.Always:
		s.policy.add(permission.FromSaved, rules)
	case event.Never:
		s.policy.forbid(rules)
	}
}

// saveRules keeps rules for this folder.
func (s *Session) saveRules(ctx context.Context, effect config.Effect, rules []permission.Rule) {
	for _, r := range rules {
		if err := s.env.saveRule(ctx, effect, r); err != nil {
			s.notify("warning", "The rule "+r.String()+" holds for this session only: "+err.Error())
		}
	}
}

// notify publishes a notice, from any goroutine but the owner.
func (s *Session) notify(level, text string) {
	s.in.do(func() { s.publish(event.Notice{Level: level, Text: text}) })
}

// toolEnv is the session as the next call may see it.
func (s *Session) toolEnv(ctx context.Context) tool.Env {
	images, _ := do(ctx, s, func() (bool, error) { return s.model.Images(), nil })
	e := tool.Env{Workspace: s.env.forTools(), Files: s.env.ledger(), Images: images, Todos: todoList{s}}
	if s.opts.Dialogs {
		e.Asker = asker{s}
	}
	return e
}

// afterTool gives extensions the result before the model sees it.
func (s *Session) afterTool(ctx context.Context, c tool.Call, r tool.Result, failed bool) (tool.Result, bool) {
	out := s.host.ToolResult(ctx, ext.ToolResult{
		Call:    ext.ToolCall{ID: c.ID, Name: c.Name, Arguments: c.Arguments},
		Content: r.Content, Details: r.Details, IsError: failed,
	})
	return tool.Result{Content: out.Content, Details: out.Details}, out.IsError
}

// asker lets the ask tool open a dialog.
type asker struct{ s *Session }

func (a asker) Ask(ctx context.Context, callID, question string, options []string) (string, bool, error) {
	q := event.Question{Kind: event.AskInput, CallID: callID, Title: question}
	if len(options) > 0 {
		q.Kind, q.Options = event.AskSelect, options
	}
	r := a.s.ask(ctx, q, nil)
	return r.Answer.Value, r.Answered && !r.Answer.Cancelled, ctx.Err()
}

// todoList lets the todo tool reach the session's list.
type todoList struct{ s *Session }

func (l todoList) Get() []tool.TodoPhase {
	phases, _ := do(l.s.ctx, l.s, func() ([]tool.TodoPhase, error) { return slices.Clone(l.s.todos.phases), nil })
	return phases
}

func (l todoList) Set(ctx context.Context, phases []tool.TodoPhase) ([]tool.TodoPhase, error) {
	return l.s.SetTodos(ctx, phases)
}
