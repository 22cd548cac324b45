package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/modes/rpc/client"
)

// modelScript plays the model of the tests with the real agent.
const modelScript = `-- turn --
on: weather
-- call weather --
{"place":"Aswan"}

-- turn --
on: weather
-- text piece=3 --
It is sunny in Aswan.

-- turn --
on: wait for ever
-- text --
One moment.
-- delay 1h --

-- turn --
on: fail
-- error kind=bad_request --
no such thing

-- turn --
times: always
-- text --
A whole answer.
`

// build makes the agent's binary.
func build(t *testing.T) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "hoopoe")
	if runtime.GOOS == "windows" {
		binary += ".exe"
	}
	out, err := exec.CommandContext(t.Context(), "go", "build", "-o", binary, "github.com/hoopoe-agent/hoopoe").CombinedOutput()
	if err != nil {
		t.Fatalf("build the binary: %v\n%s", err, out)
	}
	return binary
}

// startReal starts the real agent in a folder of its own.
func startReal(t *testing.T, binary string, o client.Options, flags ...string) (*client.Client, string) {
	t.Helper()
	dir, home := t.TempDir(), t.TempDir()
	script := filepath.Join(dir, "model.script")
	if err := os.WriteFile(script, []byte(modelScript), 0o644); err != nil {
		t.Fatal(err)
	}
	env := []string{"HOME=" + home, "USERPROFILE=" + home, "HOOPOE_OFFLINE=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_SYSTEM=" + os.DevNull}
	for _, kv := range os.Environ() {
		if name, _, _ := strings.Cut(kv, "="); slices.Contains([]string{"PATH", "SYSTEMROOT", "TMP", "TEMP", "TMPDIR"}, strings.ToUpper(name)) {
			env = append(env, kv)
		}
	}
	before := runtime.NumGoroutine()
	t.Cleanup(func() { noMoreThan(t, before) })
	ctx, cancel := context.WithTimeout(t.Context(), guard)
	defer cancel()
	o.Grace, o.ReadyTimeout = guard, guard
	c, err := client.Start(ctx, client.Process{
		Command: append([]string{binary, "--mode", "rpc", "--model=script/" + script}, flags...),
		Dir:     dir, Env: env,
	}, o)
	if err != nil {
		t.Fatal(err)
	}
	return c, dir
}

// the client with the real agent.
func TestRealBinary(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the binary")
	}
	binary := build(t)
	t.Run("conversation", func(t *testing.T) { conversation(t, binary) })
	t.Run("commands", func(t *testing.T) { everyCommand(t, binary) })
	t.Run("refusals", func(t *testing.T) { refusals(t, binary) })
	t.Run("dialogs", func(t *testing.T) { dialogs(t, binary) })
	t.Run("start", func(t *testing.T) {
		_, err := client.Start(t.Context(), client.Process{
			Command: []string{binary, "--mode", "rpc", "--model", "nobody/nothing"},
			Env:     []string{"HOME=" + t.TempDir(), "HOOPOE_OFFLINE=1"},
		}, client.Options{})
		if end, ok := errors.AsType[*client.EndedError](err); !ok || !strings.Contains(end.Stderr, "nothing") {
			t.Errorf("an unknown model: %v", err)
		}
	})
}

// conversation is a host tool's call, a failure, an abort and what is queued.
func conversation(t *testing.T, binary string) {
	called := make(chan client.HostCall, 1)
	weather := tool("weather", func(_ context.Context, call client.HostCall) (client.Output, error) {
		called <- call
		if err := call.Update(client.Text("looking")); err != nil {
			t.Error(err)
		}
		return client.Text("Sunny."), nil
	})
	c, _ := startReal(t, binary, client.Options{HostTools: []client.HostTool{weather}, ProtocolError: func(err error) { t.Error(err) }})
	ctx, cancel := context.WithTimeout(t.Context(), guard)
	defer cancel()
	events := c.Subscribe()
	defer events.Close()

	r, err := c.PromptAndWait(ctx, "How is the weather?")
	if err != nil || r.Text != "It is sunny in Aswan." || r.Aborted {
		t.Fatalf("%+v, %v", r, err)
	}
	if call := <-called; string(call.Arguments) != `{"place":"Aswan"}` || call.Name != "weather" {
		t.Errorf("call %+v", call)
	}
	var roles []message.Role
	for _, m := range r.Messages {
		roles = append(roles, m.Role)
	}
	if want := []message.Role{message.User, message.Assistant, message.ToolResult, message.Assistant}; !slices.Equal(roles, want) {
		t.Errorf("roles %v", roles)
	}
	var text string
	var seen []string
	for e, err := range events.All(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Data == nil {
			t.Errorf("unknown frame %s", e.Raw)
		}
		switch data := e.Data.(type) {
		case client.MessageUpdate:
			text += data.Change.Delta
		case client.ToolUpdate:
			if message.Text(data.PartialResult.Content) != "looking" {
				t.Errorf("update %+v", data)
			}
			seen = append(seen, e.Type)
		case client.ToolEnd:
			if message.Text(data.Result.Content) != "Sunny." || data.IsError {
				t.Errorf("result %+v", data)
			}
			seen = append(seen, e.Type)
		}
		if e.Type == "agent_settled" {
			break
		}
	}
	if !strings.HasSuffix(text, "It is sunny in Aswan.") || !slices.Equal(seen, []string{"tool_execution_update", "tool_execution_end"}) {
		t.Errorf("text %q, seen %v", text, seen)
	}

	var failure *client.ProviderError
	if r, err = c.PromptAndWait(ctx, "fail"); !errors.As(err, &failure) || !strings.Contains(err.Error(), "no such thing") {
		t.Errorf("%+v, %v", r, err)
	}

	endless, err := c.Prompt(ctx, "wait for ever", client.PromptOptions{})
	if err != nil || endless.Disposition != client.Started {
		t.Fatalf("%+v, %v", endless, err)
	}
	busy, err := c.Prompt(ctx, "me too", client.PromptOptions{})
	if err == nil {
		_, err = busy.Wait(ctx)
	}
	if !strings.HasPrefix(command(t, err), "prompt: ") {
		t.Errorf("a prompt in a run: %v", err)
	}
	if d, err := c.FollowUp(ctx, "later"); err != nil || d != client.Queued {
		t.Errorf("follow-up %q, %v", d, err)
	}
	if q, err := c.ClearQueue(ctx); err != nil || !slices.Equal(q.FollowUp, []string{"later"}) || len(q.Steering) != 0 {
		t.Errorf("queue %+v, %v", q, err)
	}
	if state, err := c.State(ctx); err != nil || !state.IsStreaming {
		t.Errorf("state %+v, %v", state, err)
	}
	next, err := c.AbortAndPrompt(ctx, "go on")
	if err != nil {
		t.Fatal(err)
	}
	if r, err := endless.Wait(ctx); err != nil || !r.Aborted {
		t.Errorf("the aborted one: %+v, %v", r, err)
	}
	if r, err := next.Wait(ctx); err != nil || r.Text != "A whole answer." || r.Aborted {
		t.Errorf("the next one: %+v, %v", r, err)
	}
	if r, err := c.PromptAndWait(ctx, "/tools"); err != nil || !strings.Contains(r.Output, "weather") {
		t.Errorf("a slash command: %+v, %v", r, err)
	}
	if err := c.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}

// everyCommand calls what conversation doesn't.
func everyCommand(t *testing.T, binary string) {
	c, dir := startReal(t, binary, client.Options{ProtocolError: func(err error) { t.Error(err) }})
	ctx, cancel := context.WithTimeout(t.Context(), guard)
	defer cancel()
	check := func(what string, good bool, v any, err error) {
		t.Helper()
		if err != nil || !good {
			t.Errorf("%s: %+v, %v", what, v, err)
		}
	}
	_, none, err := c.LastAssistantText(ctx)
	check("no text yet", !none, none, err)
	for _, text := range []string{"first", "second"} {
		r, err := c.PromptAndWait(ctx, text)
		check(text, r.Text == "A whole answer.", r, err)
	}

	state, err := c.State(ctx)
	check("state", state.Model != nil && state.SessionID != "" && state.SessionFile != "" && state.MessageCount == 4 && !state.IsStreaming &&
		state.SteeringMode == client.OneAtATime && state.InterruptMode == client.AtTurnEnd && state.SystemPrompt != "" && len(state.Tools) > 0, state, err)
	first := state.SessionFile
	messages, err := c.Messages(ctx)
	check("messages", len(messages) == 4, messages, err)
	text, ok, err := c.LastAssistantText(ctx)
	check("last text", ok && text == "A whole answer.", text, err)
	stats, err := c.SessionStats(ctx)
	check("stats", stats.UserMessages == 2 && stats.SessionFile == first, stats, err)
	commands, err := c.Commands(ctx)
	check("commands", slices.ContainsFunc(commands, func(c client.Command) bool { return c.Name == "model" }), commands, err)
	todos, err := c.SetTodos(ctx, []message.TodoPhase{{ID: "p", Name: "Plan"}})
	check("todos", len(todos) == 1 && todos[0].Name == "Plan", todos, err)

	models, err := c.AvailableModels(ctx)
	check("models", len(models) > 0, models, err)
	model, err := c.SetModel(ctx, state.Model.Provider, state.Model.ID)
	check("set model", model.ID == state.Model.ID, model, err)
	_, err = c.CycleModel(ctx)
	check("cycle model", true, nil, err)
	_, err = c.SetModel(ctx, state.Model.Provider, state.Model.ID)
	check("set model back", true, nil, err)
	levels, err := c.AvailableThinkingLevels(ctx)
	check("levels", slices.Contains(levels, "off"), levels, err)
	check("set level", true, nil, c.SetThinkingLevel(ctx, "low"))
	level, err := c.CycleThinkingLevel(ctx)
	check("cycle level", level == "" || slices.Contains(levels, level), level, err)

	check("steering mode", true, nil, c.SetSteeringMode(ctx, client.All))
	check("follow-up mode", true, nil, c.SetFollowUpMode(ctx, client.All))
	check("interrupt mode", true, nil, c.SetInterruptMode(ctx, client.Immediate))
	check("auto-compaction", true, nil, c.SetAutoCompaction(ctx, false))
	check("auto-retry", true, nil, c.SetAutoRetry(ctx, false))
	check("abort retry", true, nil, c.AbortRetry(ctx))
	check("abort bash", true, nil, c.AbortBash(ctx))
	check("abort", true, nil, c.Abort(ctx))
	d, err := c.Steer(ctx, "waits")
	check("steer", d == client.Queued, d, err)
	queue, err := c.ClearQueue(ctx)
	check("clear queue", slices.Equal(queue.Steering, []string{"waits"}), queue, err)
	state, err = c.State(ctx)
	check("state after setters", state.SteeringMode == client.All && state.FollowUpMode == client.All && state.InterruptMode == client.Immediate &&
		!state.AutoCompactionEnabled && len(state.TodoPhases) == 1, state, err)

	bash, err := c.Bash(ctx, "echo hello", client.BashOptions{ExcludeFromContext: true})
	check("bash", bash.ExitCode != nil && *bash.ExitCode == 0 && strings.TrimSpace(bash.Output) == "hello", bash, err)
	check("name", true, nil, c.SetSessionName(ctx, "a name"))
	page, err := c.ExportHTML(ctx, filepath.Join(dir, "page.html"))
	check("export", fileExists(page), page, err)
	entries, err := c.Entries(ctx, "")
	check("entries", len(entries.Entries) > 4 && entries.LeafID != "", entries, err)
	rest, err := c.Entries(ctx, entries.Entries[0].ID)
	check("entries since", len(rest.Entries) == len(entries.Entries)-1, rest, err)
	tree, err := c.Tree(ctx)
	check("tree", len(tree.Roots) > 0 && tree.LeafID == entries.LeafID && json.Valid(tree.Roots[0].Entry.Raw), tree, err)

	points, err := c.BranchMessages(ctx)
	check("branch messages", len(points) == 2 && points[1].Text == "second", points, err)
	same, err := c.ForkMessages(ctx)
	check("fork messages", slices.Equal(same, points), same, err)
	branched, err := c.Branch(ctx, points[1].EntryID)
	check("branch", branched.Text == "second" && !branched.Cancelled, branched, err)
	cancelled, err := c.SwitchSession(ctx, first)
	check("switch", !cancelled, cancelled, err)
	branched, err = c.Fork(ctx, points[1].EntryID)
	check("fork", branched.Text == "second", branched, err)
	cancelled, err = c.Clone(ctx)
	check("clone", !cancelled, cancelled, err)
	cancelled, err = c.NewSession(ctx, first)
	check("new session", !cancelled, cancelled, err)
	state, err = c.State(ctx)
	check("state of the new session", state.MessageCount == 0 && state.SessionFile != first, state, err)
	if err := c.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}

func fileExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// refusals are a CommandError each, whether the agent sends the id or not.
func refusals(t *testing.T, binary string) {
	c, _ := startReal(t, binary, client.Options{ProtocolError: func(err error) { t.Error(err) }}, "--no-session")
	ctx, cancel := context.WithTimeout(t.Context(), guard)
	defer cancel()
	tests := map[string]func() error{
		"set_session_name": func() error { return c.SetSessionName(ctx, " ") },
		"brand_new":        func() error { _, err := c.Call(ctx, "brand_new", nil); return err },
		"set_model":        func() error { _, err := c.SetModel(ctx, "nobody", "nothing"); return err },
		"branch":           func() error { _, err := c.Branch(ctx, "nothing"); return err },
		"compact":          func() error { _, err := c.Compact(ctx, ""); return err },
		"set_host_tools":   func() error { _, err := c.SetHostTools(ctx, tool("read", noop)); return err },
		"export_html":      func() error { _, err := c.ExportHTML(ctx, ""); return err },
	}
	for name, call := range tests {
		t.Run(name, func(t *testing.T) {
			if refused, ok := errors.AsType[*client.CommandError](call()); !ok || refused.Command != name || refused.Message == "" {
				t.Errorf("%s: %v", name, refused)
			}
		})
	}
	if err := c.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}

// dialogs are permission questions here.
func dialogs(t *testing.T, binary string) {
	asked := make(chan client.UIRequest, 10)
	ui := func(_ context.Context, r client.UIRequest) client.UIResponse {
		asked <- r
		return client.UIResponse{Value: r.Options[len(r.Options)-1]}
	}
	weather := tool("weather", func(context.Context, client.HostCall) (client.Output, error) {
		t.Error("the tool ran though it was refused")
		return client.Output{}, nil
	})
	c, _ := startReal(t, binary, client.Options{OnUI: ui, HostTools: []client.HostTool{weather}}, "--permissions", "ask")
	ctx, cancel := context.WithTimeout(t.Context(), guard)
	defer cancel()
	r, err := c.PromptAndWait(ctx, "weather")
	if err != nil || r.Text != "It is sunny in Aswan." {
		t.Errorf("%+v, %v", r, err)
	}
	if q := <-asked; q.Method != "select" || !strings.Contains(q.Title, "weather") {
		t.Errorf("question %+v", q)
	}
	if err := c.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}
