package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/config"
	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/ext"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/session"
	"github.com/hoopoe-agent/hoopoe/engine/tool"
)

// asksFor is a turn of the user's session that gives tasks to agents, each
// "AGENT PROMPT".
func asksFor(tasks ...string) string {
	var b strings.Builder
	b.WriteString("-- turn --\non: all of it\n")
	for _, task := range tasks {
		agent, prompt, _ := strings.Cut(task, " ")
		args, _ := json.Marshal(map[string]string{"agent": agent, "description": "do " + prompt, "prompt": prompt})
		fmt.Fprintf(&b, "-- call task --\n%s\n", args)
	}
	return b.String() + "-- turn --\non: all of it\n-- text --\nAll done.\n"
}

// does is a turn of a sub-agent.
func does(prompt string, steps ...string) string {
	return "-- turn --\non: " + prompt + "\n" + strings.Join(steps, "\n") + "\n"
}

func says(text string) string { return "-- text --\n" + text }

func calls(name, args string) string { return "-- call " + name + " --\n" + args }

// results are the ends of the task calls by their prompts.
func (c *client) results() map[string]event.ToolEnded {
	prompts, ends := map[string]string{}, map[string]event.ToolEnded{}
	for _, it := range c.log {
		switch e := it.Event.(type) {
		case event.ToolStarted:
			var a struct{ Prompt string }
			_ = json.Unmarshal(e.Arguments, &a)
			prompts[e.CallID] = a.Prompt
		case event.ToolEnded:
			if e.Name == taskTool {
				ends[prompts[e.CallID]] = e
			}
		}
	}
	return ends
}

func (c *client) result(prompt string) (text string, failed bool, d taskDetails) {
	c.t.Helper()
	e, ok := c.results()[prompt]
	if !ok {
		c.t.Fatalf("%q has no result:\n%s", prompt, c.story())
	}
	return message.Text(e.Content), e.IsError, detailsOf(e.Details)
}

// Ten sub-agents at once: one fails, one is stopped, two ask, one after the
// other, and the rest go on undisturbed.
func TestTenSubagents(t *testing.T) {
	jobs := []string{"part-a", "part-b", "part-c", "part-d", "part-e", "part-f", "job-fails", "job-hangs", "job-asks", "job-waits"}
	var tasks, script []string
	for _, j := range jobs {
		tasks = append(tasks, "general "+j)
		steps := []string{"-- mark meet --"}
		switch j {
		case "job-fails":
			steps = append(steps, "-- error kind=bad_request --\nthe service says no")
		case "job-hangs":
			steps = append(steps, says("half an answer"), "-- mark hang --", says("never"))
		case "job-asks":
			steps = append(steps, calls("bash", `{"command":"touch asked"}`))
		case "job-waits":
			steps = append(steps, "-- mark asked --", calls("bash", `{"command":"touch waited"}`))
		default:
			steps = append(steps, says("did "+j))
		}
		script = append(script, does(j, steps...))
		if j == "job-asks" || j == "job-waits" {
			script = append(script, does(j, says("did "+j)))
		}
	}
	w := newWorld(t, asksFor(tasks...)+strings.Join(script, ""))

	var met sync.WaitGroup // no answer comes before all ten work
	met.Add(len(jobs))
	all, asked, hanging := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() { met.Wait(); close(all) }()
	until := func(ch chan struct{}) func(context.Context) {
		return func(ctx context.Context) {
			select {
			case <-ch:
			case <-ctx.Done():
			}
		}
	}
	w.marks["meet"] = func(ctx context.Context) { met.Done(); until(all)(ctx) }
	w.marks["asked"] = until(asked)
	w.marks["hang"] = func(ctx context.Context) { close(hanging); <-ctx.Done() }

	c := w.open(OpenOptions{})
	c.attach(Client{Name: "chat", Shows: []event.QuestionKind{event.AskPermission}})
	c.prompt("all of it")
	calls := map[string]string{} // prompt -> call
	for range jobs {
		e := on[event.ToolStarted](c)
		var a struct{ Prompt string }
		if err := json.Unmarshal(e.Arguments, &a); err != nil {
			t.Fatal(err)
		}
		calls[a.Prompt] = e.CallID
	}
	wait(t, hanging, "the one to stop")
	if !slices.Contains(c.s.Tasks(), Task{calls["job-hangs"], "general", "do job-hangs"}) {
		t.Errorf("tasks %+v", c.s.Tasks())
	}
	if !c.s.StopTask(calls["job-hangs"]) || c.s.StopTask("nothing") {
		t.Error("StopTask doesn't know its calls")
	}

	first := on[event.AskOpened](c).Question
	if first.CallID != calls["job-asks"] || first.Agent != "general" || first.Title != "general: Run touch asked" || first.Permission.Command != "touch asked" {
		t.Errorf("the first question: %+v", first)
	}
	close(asked)
	second := make(chan event.Question, 1)
	if won, err := c.s.Answer(c.ctx(), first.ID, event.Answer{Choice: event.Once}); !won || err != nil {
		t.Fatal(won, err)
	}
	second <- on[event.AskOpened](c).Question
	q := <-second
	if q.CallID != calls["job-waits"] || q.Permission.Command != "touch waited" {
		t.Errorf("the second question: %+v", q)
	}
	if _, err := c.s.Answer(c.ctx(), q.ID, event.Answer{Choice: event.Deny, Reason: "not that"}); err != nil {
		t.Fatal(err)
	}
	if end := on[event.RunSettled](c); end.Reason != message.Stop {
		t.Errorf("settled %+v", end)
	}

	if n := len(c.s.Tasks()); n > 0 {
		t.Errorf("%d tasks are left", n)
	}
	for _, j := range jobs {
		text, failed, d := c.result(j)
		want, wantFailed, status := "did "+j, false, "done"
		switch j {
		case "job-fails":
			want, wantFailed, status = "the agent general failed: ", true, "failed"
		case "job-hangs":
			want, wantFailed, status = "The user stopped this agent.", true, "aborted"
		}
		if !strings.Contains(text, want) || failed != wantFailed || d.Status != status {
			t.Errorf("%s: %q, failed %v, %+v", j, text, failed, d)
		}
	}
	if text, _, _ := c.result("job-fails"); !strings.Contains(text, "the service says no") {
		t.Errorf("no reason in %q", text)
	}
	var denied event.ToolEnded
	for _, ev := range c.nested(calls["job-waits"]) {
		if e, ok := ev.(event.ToolEnded); ok {
			denied = e
		}
	}
	if denied.Denied != "user" || !strings.Contains(message.Text(denied.Content), "not that") {
		t.Errorf("the refused call: %+v", denied)
	}
	if len(c.nested(calls["job-asks"])) == 0 {
		t.Error("nothing was told of the one that asked")
	}
}

// An "always" of one sub-agent answers its siblings, and the caller.
func TestSubagentsShareAnswers(t *testing.T) {
	run := calls("bash", `{"command":"touch x"}`)
	w := newWorld(t, asksFor("general job-a", "general job-b")+does("job-a", run)+does("job-a", says("a"))+does("job-b", run)+does("job-b", says("b"))+
		"-- turn --\non: yourself\n"+run+"\n-- turn --\non: yourself\n"+says("c")+"\n")
	c := w.open(OpenOptions{})
	c.attach(Client{Name: "chat", Shows: []event.QuestionKind{event.AskPermission}})
	c.prompt("all of it")
	q := on[event.AskOpened](c).Question
	if _, err := c.s.Answer(c.ctx(), q.ID, event.Answer{Choice: event.Always}); err != nil {
		t.Fatal(err)
	}
	on[event.RunSettled](c)
	c.run("yourself")
	if n := strings.Count(c.story(), "ask_opened"); n != 1 {
		t.Errorf("%d questions, want 1:\n%s", n, c.story())
	}
	for _, j := range []string{"job-a", "job-b"} {
		if text, failed, _ := c.result(j); failed || len(text) != 1 {
			t.Errorf("%s: %q", j, text)
		}
	}
}

func TestSubagentResults(t *testing.T) {
	many := strings.Repeat("x", 100) + "\n"
	script := asksFor("general job-empty", "nobody job-unknown", "general job-long", "general job-cut", "Explore job-case", "general  ") +
		does("job-empty") + does("job-long", "-- text repeat=1000 --\n"+many+"\n") + does("job-cut", says("begun"), "-- stop length --") + does("job-case", calls("bash", `{"command":"ls"}`)) + does("job-case", says("ok"))
	c := newWorld(t, script).open(OpenOptions{})
	c.run("all of it")
	for prompt, want := range map[string]struct {
		text   string
		failed bool
		status string
	}{
		"job-empty":   {"The agent ended without an answer.", false, "done"},
		"job-unknown": {`there is no agent "nobody"; there are: explore, general`, true, ""},
		"job-long":    {"All of it is in ", false, "done"},
		"job-cut":     {"begun", false, "limited"},
		"job-case":    {"ok", false, "done"},
		" ":           {"the prompt is empty", true, ""},
	} {
		text, failed, d := c.result(prompt)
		if !strings.Contains(text, want.text) || failed != want.failed || d.Status != want.status || len(text) > 60<<10 {
			t.Errorf("%s: %.200q, failed %v, %+v", prompt, text, failed, d)
		}
	}
	bash := ""
	for id, e := range c.ends() {
		if detailsOf(e.Details).Agent != "explore" {
			continue
		}
		for _, ev := range c.nested(id) {
			if e, ok := ev.(event.ToolEnded); ok {
				bash = message.Text(e.Content)
			}
		}
	}
	if bash != "Tool bash not found" {
		t.Errorf("explore ran bash: %q", bash)
	}
}

// Definitions of a project count when it is trusted; a disabled one never.
func TestSubagentDefinitions(t *testing.T) {
	names := func(c *client) (names []string) {
		for _, a := range c.s.Agents() {
			names = append(names, a.Name)
		}
		return names
	}
	files := map[string]string{
		"project/.claude/agents/reviewer.md": "---\nname: reviewer\ndescription: Reviews\n  changes\ntools: Read, Glob, Nothing\nmodel: sonnet\n---\nReview with care.\n",
		"home/agents/general.md":             "---\ndescription: mine\n---\nBe general.\n",
		"home/agents/off.md":                 "---\ndescription: off\n---\nx\n",
		".claude/agents/bad.md":              "---\ndescription: bad\npermissionMode: none\n---\nx\n",
		".claude/agents/worse.md":            "---\ndescription: bad\nthinking: deeply\n---\nx\n",
		"home/agents/bare.md":                "---\ndescription: bare\ntools: Nothing\n---\nx\n",
	}
	const settings = `{"task":{"disabledAgents":["off"]}}`
	w := newWorld(t, asksFor("reviewer job-a", "bare job-b")+"-- turn --\non: job-a\nsystem: Review with care.\n"+says("fine")+"\n", withSettings(settings))
	w.write(files)
	untrusted := w.open(OpenOptions{})
	if got, want := names(untrusted), []string{"bare", "general", "explore"}; !slices.Equal(got, want) {
		t.Errorf("without trust there are %v, want %v", got, want)
	}
	c := w.open(OpenOptions{Approve: true})
	if got, want := names(c), []string{"bare", "general", "reviewer", "explore"}; !slices.Equal(got, want) {
		t.Errorf("there are %v, want %v", got, want)
	}
	if err := c.s.Start(c.ctx()); err != nil {
		t.Fatal(err)
	}
	c.run("all of it")
	if text, failed, d := c.result("job-a"); failed || text != "fine" || d.Model != "test/model" {
		t.Errorf("%q, failed %v, %+v", text, failed, d)
	}
	if text, failed, _ := c.result("job-b"); !failed || text != "the agent bare works with Nothing, and this session has none of them" {
		t.Errorf("%q", text)
	}
	story := c.story()
	for _, want := range []string{
		"bad.md: not used: permissionMode: unknown permission mode", "worse.md: not used: unknown thinking level", "reviewer.md: the agent reviewer works with the session's model: ",
	} {
		if strings.Count(story, want) != 1 {
			t.Errorf("the story has not one %q:\n%s", want, story)
		}
	}
	for _, spec := range c.s.Tools() {
		if spec.Name == taskTool && !strings.Contains(spec.Description, "- reviewer: Reviews changes\n") {
			t.Errorf("the tool says %q", spec.Description)
		}
	}
}

// Sub-agents have the tools of MCP servers, also those that come while they
// work, as far as their definition wants them; the host's are its own affair.
func TestSubagentServedTools(t *testing.T) {
	served := func(name string) tool.Tool {
		return tool.New(tool.Spec{Name: name, Description: name, Kind: tool.Think}, func(context.Context, tool.Call, struct{}) (tool.Result, error) {
			return tool.TextResult("served"), nil
		})
	}
	turn := func(prompt string) string {
		return does(prompt, calls("mcp__db__query", "{}"), calls("mcp__web__get", "{}"), calls("hosted", "{}"), calls("read", `{"path":"x"}`)) + does(prompt, says("x"))
	}
	w := newWorld(t, asksFor("general job-a", "dba job-b", "limited job-c", "offline job-d", "thinker job-e")+
		turn("job-a")+turn("job-b")+turn("job-c")+turn("job-d")+turn("job-e"))
	w.write(map[string]string{
		"project/x": "x", "home/agents/dba.md": "---\ndescription: d\ntools: mcp__db\n---\nx\n",
		"home/agents/limited.md": "---\ndescription: d\ndisallowedTools: mcp__db__query, Read\n---\nx\n",
		"home/agents/offline.md": "---\ndescription: d\ndisallowedTools: mcp__db__*, mcp__web\n---\nx\n",
		"home/agents/thinker.md": "---\ndescription: d\ndisallowedTools: \"*\"\n---\nx\n",
	})
	c := w.open(OpenOptions{Mode: "full"})
	if err := c.s.SetHostTools(c.ctx(), []tool.Tool{served("hosted")}); err != nil {
		t.Fatal(err)
	}
	c.s.tools.serve([]tool.Tool{served("mcp__db__query"), served("mcp__web__get")})
	c.run("all of it")
	want := map[string]string{
		"job-a": "mcp__db__query mcp__web__get read", "job-b": "mcp__db__query", "job-c": "mcp__web__get", "job-d": "read", "job-e": "",
	}
	for _, it := range c.log {
		e, ok := it.Event.(event.ToolStarted)
		if !ok {
			continue
		}
		var a struct{ Prompt string }
		_ = json.Unmarshal(e.Arguments, &a)
		var worked []string
		for _, ev := range c.nested(e.CallID) {
			if e, ok := ev.(event.ToolEnded); ok && !e.IsError {
				worked = append(worked, e.Name)
			}
		}
		slices.Sort(worked)
		if got := strings.Join(worked, " "); got != want[a.Prompt] {
			t.Errorf("%s could call %q, want %q", a.Prompt, got, want[a.Prompt])
		}
	}
}

// The extensions of the session guard its sub-agents' calls too.
func TestSubagentHooks(t *testing.T) {
	prompts := 0
	w := newWorld(t, asksFor("general job-a")+does("job-a", calls("bash", `{"command":"ls"}`))+does("job-a", says("a")), withHooks(ext.Hooks{
		Name: "guard",
		ToolCall: func(_ context.Context, _ ext.Session, c ext.ToolCall) (ext.ToolCallReply, error) {
			return ext.ToolCallReply{Block: c.Name == "bash", Reason: "no shell here"}, nil
		},
		BeforeRun: func(context.Context, ext.Session, ext.BeforeRun) (ext.BeforeRunReply, error) {
			prompts++
			return ext.BeforeRunReply{}, nil
		},
	}))
	c := w.open(OpenOptions{Mode: "full"})
	c.run("all of it")
	blocked := false
	for id := range c.ends() {
		for _, ev := range c.nested(id) {
			e, ok := ev.(event.ToolEnded)
			blocked = blocked || ok && e.Denied == "extension" && message.Text(e.Content) == "no shell here"
		}
	}
	if !blocked || prompts != 1 {
		t.Errorf("blocked %v, %d prompts, want the user's alone", blocked, prompts)
	}
}

// A session's file may have any name.
func TestSubagentOfANamedFile(t *testing.T) {
	w := newWorld(t, asksFor("general job-a")+does("job-a", says("a")))
	path := filepath.Join(filepath.Dir(w.dir), "talk")
	c := w.open(OpenOptions{Path: path})
	c.run("all of it")
	_, _, d := c.result("job-a")
	if want := filepath.Join(path+".d", "subagents"); filepath.Dir(d.Transcript) != want {
		t.Errorf("transcript %s, want it in %s", d.Transcript, want)
	}
	if _, err := session.Summarize(d.Transcript); err != nil {
		t.Error(err)
	}
}

// A host counts on how many there can be; which ones is the user's choice.
func TestSubagentsOfAHost(t *testing.T) {
	w := newWorld(t, hello, withSettings(`{"task":{"maxRecursionDepth":0,"maxConcurrency":1,"disabledAgents":["general"]}}`))
	s := w.open(OpenOptions{Hosted: true}).s
	if agents := s.Agents(); len(agents) != 1 || agents[0].Name != "explore" {
		t.Errorf("agents %+v", agents)
	}
	if _, err := s.tools.Find(taskTool); err != nil || cap(s.seats) != config.Defaults().Task.MaxConcurrency {
		t.Errorf("%v, %d at once", err, cap(s.seats))
	}
}

func TestSubagentInMemory(t *testing.T) {
	c := newWorld(t, asksFor("general job-a")+does("job-a", says("a"))).open(OpenOptions{InMemory: true})
	c.run("all of it")
	if text, failed, d := c.result("job-a"); failed || text != "a" || d.Transcript != "" {
		t.Errorf("%q, failed %v, %+v", text, failed, d)
	}
}

// C-3: an abort reaches every sub-agent, at work or waiting, at each depth.
func TestSubagentsAreAborted(t *testing.T) {
	hang := does("job-a", "-- mark hang --") + does("job-b", calls(taskTool, `{"agent":"general","description":"d","prompt":"job-c"}`)) + does("job-c", "-- mark hang --")
	w := newWorld(t, asksFor("general job-a", "general job-b", "general job-d")+hang, withSettings(`{"task":{"maxConcurrency":2}}`))
	var hanging sync.WaitGroup
	hanging.Add(2)
	w.marks["hang"] = func(ctx context.Context) { hanging.Done(); <-ctx.Done() }
	c := w.open(OpenOptions{})
	c.prompt("all of it")
	both := make(chan struct{})
	go func() { hanging.Wait(); close(both) }()
	wait(t, both, "both to hang")
	if err := c.s.Abort(c.ctx()); err != nil {
		t.Fatal(err)
	}
	if end := on[event.RunSettled](c); !end.Aborted {
		t.Errorf("settled %+v", end)
	}
	for _, j := range []string{"job-a", "job-b"} {
		if text, failed, d := c.result(j); !failed || d.Status != "aborted" || !strings.Contains(text, "Tool execution was aborted") {
			t.Errorf("%s: %q, %+v", j, text, d)
		}
	}
	if len(c.s.seats) != 0 {
		t.Errorf("%d seats are still taken", len(c.s.seats))
	}
}

func TestRelatedModel(t *testing.T) {
	w := newWorld(t, "-- turn --\n", func(o *Options) {
		for _, id := range []string{"opus-4-1", "opus-4-8", "opus-4-8-fast", "opus-4-20250514", "haiku-4"} {
			m := o.Models[0]
			m.ID = id
			o.Models = append(o.Models, m)
		}
	})
	for name, want := range map[string]string{"opus": "opus-4-8", "Haiku": "haiku-4", "sonnet": ""} {
		m, ok := w.engine.related(name, w.model)
		if m.ID != want || ok != (want != "") {
			t.Errorf("%s: %q, %v", name, m.ID, ok)
		}
	}
}
