//go:build unix

package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/ext"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// session is what hooks call back; it runs commands for real and notes the
// rest.
type session struct {
	ext.Session
	dir    string
	answer *event.Answer // nil: nobody is there

	mu    sync.Mutex
	notes []string
}

func (s *session) note(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.notes = append(s.notes, fmt.Sprintf(format, args...))
}

func (s *session) Document(context.Context) (ext.Document, error) {
	return ext.Document{ID: "session-1", File: "/s/1.jsonl", Cwd: s.dir}, nil
}

func (s *session) Exec(ctx context.Context, c ext.Exec) (ext.ExecResult, error) {
	if c.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.Timeout)
		defer cancel()
	}
	cmd := exec.CommandContext(ctx, c.Name, c.Args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = c.Stdin, &stdout, &stderr
	cmd.Dir, cmd.Env = s.dir, append(cmd.Environ(), c.Env...)
	err := cmd.Run()
	result := ext.ExecResult{Stdout: stdout.String(), Stderr: stderr.String(), Killed: ctx.Err() != nil}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		result.Code, err = exit.ExitCode(), nil
	}
	return result, err
}

func (s *session) Notify(_ context.Context, level, text string) { s.note("%s: %s", level, text) }

func (s *session) Abort(context.Context) error {
	s.note("abort")
	return nil
}

func (s *session) Send(_ context.Context, content []message.Block, delivery string) error {
	s.note("send%s: %s", delivery, message.Text(content))
	return nil
}

func (s *session) SendMessage(_ context.Context, m ext.CustomMessage) error {
	s.note("message %s %s: %s", m.Type, m.Delivery, message.Text(m.Content))
	return nil
}

func (s *session) Ask(_ context.Context, q event.Question) (event.Answer, bool) {
	s.note("ask %s %s: %s", q.CallID, q.Title, q.Message)
	if s.answer == nil {
		return event.Answer{}, false
	}
	return *s.answer, true
}

// host is a host with the hooks and what they did to the session.
func host(t *testing.T, s *session, hooks ...Hook) (*ext.Host, func() string) {
	t.Helper()
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	if s.dir == "" {
		s.dir = t.TempDir()
	}
	extensions, err := Extensions(hooks, []string{shell, "-c"})
	if err != nil {
		t.Fatal(err)
	}
	h := &ext.Host{Failed: func(name, point string, err error) { s.note("failed %s: %v", point, err) }}
	var parts []*ext.Part
	for _, e := range extensions {
		instance, err := e.Load(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, &ext.Part{Name: e.Name(), Instance: instance, Session: s})
	}
	h.Set(parts)
	return h, func() string {
		s.mu.Lock()
		defer s.mu.Unlock()
		return strings.Join(s.notes, "; ")
	}
}

// E-1: what a command prints and how it ends decides about a tool call.
func TestToolCall(t *testing.T) {
	yes, no := &event.Answer{Confirmed: true}, &event.Answer{}
	for _, c := range []struct {
		name, matcher, script string
		answer                *event.Answer
		want                  string // block reason, or the arguments
		notes                 string
	}{
		{"silence", "", "true", nil, `{"command":"ls"}`, ""},
		{"plain text", "", "echo looks fine", nil, `{"command":"ls"}`, ""},
		{"exit 2", "bash", "echo not today >&2; exit 2", nil, "blocked: not today", ""},
		{"exit 2 without a word", "", "exit 2", nil, "blocked: The extension", ""},
		{"matcher of others", "edit|write", "exit 2", nil, `{"command":"ls"}`, ""},
		{"matcher whatever the case", "Edit|BASH", "exit 2", nil, "blocked:", ""},
		{"matcher for the whole name", "ba", "exit 2", nil, `{"command":"ls"}`, ""},
		{"block", "", `echo '{"block": true, "reason": "no"}'`, nil, "blocked: no", ""},
		{"decision", "", `echo '{"decision": "deny", "reason": "never"}'`, nil, "blocked: never", ""},
		{"approve", "", `echo '{"decision": "approve"}'`, nil, `{"command":"ls"}`, ""},
		{"nested", "", `echo '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "why"}}'`, nil, "blocked: why", ""},
		{"the stricter counts", "", `echo '{"decision": "approve", "block": true}'`, nil, "blocked:", ""},
		{"other arguments", "", `echo '{"input": {"command": "ls -l"}}'`, nil, `{"command": "ls -l"}`, ""},
		{"other arguments, nested", "", `echo '{"hookSpecificOutput": {"updatedInput": {"command": "pwd"}}}'`, nil, `{"command": "pwd"}`, ""},
		{"remark", "", `echo '{"context": "mind the gap"}'`, nil, `{"command":"ls"}`, "message hook steer: mind the gap"},
		{"warning", "", `echo '{"systemMessage": "careful"}'`, nil, `{"command":"ls"}`, "warning: careful"},
		{"stop", "", `echo '{"continue": false, "stopReason": "enough"}'`, nil, "blocked: enough", "abort"},
		{"ask, yes", "", `echo '{"decision": "ask", "reason": "why not"}'`, yes, `{"command":"ls"}`, "ask call-1 Let bash run?: why not"},
		{"ask, no", "", `echo '{"decision": "ask"}'`, no, "blocked: The user declined this call.", "ask call-1 Let bash run?: The hook"},
		{"ask, nobody", "", `echo '{"decision": "ask"}'`, nil, "blocked: This call needs the user's consent", "ask"},
		{"failure closes", "", "echo a; echo boom >&2; exit 3", nil, "blocked: Extension", `failed tool_call: exited with code 3: "boom"`},
		{"missing program closes", "", "/no/such/program", nil, "blocked: Extension", "failed tool_call: exited with code 127"},
		{"broken JSON closes", "", `echo '{"block": tru'`, nil, "blocked: Extension", "no JSON"},
		{"wrong type closes", "", `echo '{"block": "yes"}'`, nil, "blocked: Extension", "can't be used"},
		{"misspelt closes", "", `echo '{"blocked": true}'`, nil, "blocked: Extension", "decides nothing"},
		{"unknown decision closes", "", `echo '{"decision": "maybe"}'`, nil, "blocked: Extension", `decided "maybe"`},
		{"wrong arguments close", "", `echo '{"input": "ls"}'`, nil, "blocked: Extension", "no object"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &session{answer: c.answer}
			h, notes := host(t, s, Hook{Event: "PreToolUse", Matcher: c.matcher, Command: c.script})
			arguments, reply := h.ToolCall(t.Context(), ext.ToolCall{ID: "call-1", Name: "bash", Arguments: json.RawMessage(`{"command":"ls"}`)})
			got := string(arguments)
			if reply.Block {
				got = "blocked: " + reply.Reason
			}
			if !strings.HasPrefix(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if got := notes(); !strings.Contains(got, c.notes) || (c.notes == "") != (got == "") {
				t.Errorf("noted %q, want %q", got, c.notes)
			}
		})
	}
}

// The command is told what other agents' hooks are told.
func TestPayload(t *testing.T) {
	s := &session{}
	h, _ := host(t, s, Hook{Event: "tool_call", Command: `cat > got.json; printf '%s' "$HOOPOE_HOOK_EVENT $HOOPOE_PROJECT_DIR" > env; test "$(cat env)" = "tool_call $PWD" && echo "$(cat got.json)" >&2; exit 2`})
	_, reply := h.ToolCall(t.Context(), ext.ToolCall{ID: "call-1", Name: "bash", Arguments: json.RawMessage(`{"command":"a < b && c"}`)})
	want := fmt.Sprintf(`{"event":"tool_call","hook_event_name":"PreToolUse","session_id":"session-1","transcript_path":"/s/1.jsonl","cwd":%q,"tool_name":"bash","tool_use_id":"call-1","tool_input":{"command":"a < b && c"}}`, s.dir)
	if reply.Reason != want {
		t.Errorf("got  %s\nwant %s", reply.Reason, want)
	}
}

func TestToolResult(t *testing.T) {
	for _, c := range []struct{ name, script, want, notes string }{
		{"silence", "true", "out", ""},
		{"plain text", "echo formatted", "out", ""},
		{"exit 2", "echo lint failed >&2; exit 2", "out\nlint failed", ""},
		{"context", `echo '{"hookSpecificOutput": {"additionalContext": "by the way"}}'`, "out\nby the way", ""},
		{"content", `echo '{"content": "redacted", "isError": true}'`, "error redacted", ""},
		{"failure", "exit 1", "out", "failed tool_result: exited with code 1: it printed nothing"},
		{"what it reads", `grep -q '"tool_response":{"content":"out","is_error":false,"details":{"n":1}}' && echo '{"content":"seen"}'`, "seen", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &session{}
			h, notes := host(t, s, Hook{Event: "PostToolUse", Matcher: "b.*", Command: c.script})
			r := h.ToolResult(t.Context(), ext.ToolResult{Call: ext.ToolCall{Name: "bash"}, Content: []message.Block{message.TextOf("out")}, Details: json.RawMessage(`{"n":1}`)})
			got := message.Text(r.Content)
			if r.IsError {
				got = "error " + got
			}
			if got != c.want || notes() != c.notes {
				t.Errorf("got %q, %q, want %q, %q", got, notes(), c.want, c.notes)
			}
		})
	}
}

func TestInput(t *testing.T) {
	for _, c := range []struct{ name, script, want string }{
		{"silence", "true", "hi"},
		{"plain text", "echo it is monday", "hi\n\nit is monday"},
		{"text", `echo '{"text": "hello", "context": "more"}'`, "hello\n\nmore"},
		{"block", "echo no secrets >&2; exit 2", "blocked no secrets"},
		{"handled", `echo '{"action": "handled"}'`, "handled"},
		{"failure", "exit 9", "hi"},
		{"what it reads", `grep -q '"prompt":"hi"' || exit 2`, "hi"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, _ := host(t, &session{}, Hook{Event: "UserPromptSubmit", Command: c.script})
			in, reply := h.Input(t.Context(), ext.Input{Text: "hi", Source: "interactive"})
			got := in.Text
			switch {
			case reply.Block:
				got = "blocked " + reply.Reason
			case reply.Handled:
				got = "handled"
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestBeforeRun(t *testing.T) {
	h, _ := host(t, &session{},
		Hook{Event: "before_agent_start", Command: "echo branch main"},
		Hook{Event: "before_agent_start", Command: `echo '{"systemPrompt": "Be brief.", "message": "note"}'`},
		Hook{Event: "before_agent_start", Command: `grep -q '"system_prompt":"Be brief."' || exit 2`},
	)
	reply := h.BeforeRun(t.Context(), ext.BeforeRun{Prompt: "hi", System: "Be long."})
	var texts []string
	for _, m := range reply.Messages {
		texts = append(texts, string(m.Role)+" "+message.Text(m.Content))
	}
	if reply.Block || reply.System != "Be brief." || !slices.Equal(texts, []string{"custom branch main", "custom note"}) {
		t.Errorf("got %+v", reply)
	}
}

func TestOtherPoints(t *testing.T) {
	s := &session{}
	h, notes := host(t, s,
		Hook{Event: "SessionStart", Matcher: "startup|resume", Command: "echo rules apply"},
		Hook{Event: "SessionStart", Matcher: "clear", Command: "echo unseen"},
		Hook{Event: "SessionEnd", Command: "echo bye >&2; exit 2"},
		Hook{Event: "PreCompact", Matcher: "manual", Command: `echo '{"summary": "short", "context": "more"}'`},
		Hook{Event: "session_before_switch", Matcher: "new", Command: "echo stay >&2; exit 2"},
		Hook{Event: "session_before_branch", Command: "exit 2"},
		Hook{Event: "Notification", Command: `grep -o '"message":"[^"]*"' >&2; exit 2`},
	)
	h.SessionStart(t.Context())
	h.SessionShutdown(t.Context())
	if got, want := notes(), "message hook nextTurn: rules apply; warning: bye"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if r := h.BeforeCompact(t.Context(), ext.BeforeCompact{Reason: "manual"}); r.Summary != "short" || r.Cancel {
		t.Errorf("got %+v", r)
	}
	if r := h.BeforeCompact(t.Context(), ext.BeforeCompact{Reason: "threshold"}); r.Summary != "" {
		t.Errorf("got %+v", r)
	}
	for reason, want := range map[string]bool{"new": true, "resume": false, "fork": true} {
		if got := h.BeforeReplace(t.Context(), ext.Replace{Reason: reason}); got != want {
			t.Errorf("veto of %s: %t, want %t", reason, got, want)
		}
	}
	for _, p := range h.Parts() {
		if tell := p.Instance.Event; tell != nil {
			if err := tell(t.Context(), s, event.AskOpened{Question: event.Question{Title: "Sure?"}}); err != nil {
				t.Error(err)
			}
		}
	}
	if got := notes(); !strings.HasSuffix(got, `warning: "message":"Sure?"`) {
		t.Errorf("got %q", got)
	}
}

// A hook at the end sends the model back to work, but not for ever, and not
// after the user has stopped it.
func TestAgentEnd(t *testing.T) {
	s := &session{}
	h, notes := host(t, s, Hook{Event: "Stop", Command: `grep -o '"stop_hook_active":[a-z]*' >&2; exit 2`})
	end := ext.RunEnd{Reason: message.Stop, Messages: []message.Message{{Role: message.Assistant, Content: []message.Block{message.TextOf("done")}}}}
	h.RunEnd(t.Context(), end)
	h.RunEnd(t.Context(), ext.RunEnd{Reason: message.Aborted})
	for range maxContinued + 1 {
		h.RunEnd(t.Context(), end)
	}
	active := strings.Repeat(`send: "stop_hook_active":true; `, maxContinued-1)
	want := `send: "stop_hook_active":false; send: "stop_hook_active":false; ` + active + "failed run_end: sent the model back 10 times in a row; it ends here"
	if got := strings.ReplaceAll(notes(), "failed agent_end", "failed run_end"); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// A command that hangs ends with its own timeout, and its failure blocks the
// call.
func TestTimeout(t *testing.T) {
	h, notes := host(t, &session{}, Hook{Event: "tool_call", Command: "exec sleep 60", Timeout: 50 * time.Millisecond})
	_, reply := h.ToolCall(t.Context(), ext.ToolCall{Name: "bash", Arguments: json.RawMessage(`{}`)})
	if !reply.Block || !strings.Contains(notes(), "took longer than 50ms") {
		t.Errorf("got %+v, %s", reply, notes())
	}
}

// slow answers after a while.
type slow struct {
	session
	takes time.Duration
}

func (s *slow) Exec(ctx context.Context, c ext.Exec) (ext.ExecResult, error) {
	select {
	case <-time.After(min(s.takes, c.Timeout)):
		return ext.ExecResult{Killed: s.takes > c.Timeout}, nil
	case <-ctx.Done():
		return ext.ExecResult{Killed: true}, nil
	}
}

// The time that the hook states counts, not the host's for hooks in general.
func TestOwnTimeout(t *testing.T) {
	for takes, want := range map[time.Duration]string{
		59 * time.Second:  "",
		61 * time.Second:  "took longer than 1m0s",
		299 * time.Second: "took longer than 1m0s",
	} {
		synctest.Test(t, func(t *testing.T) {
			all, err := Extensions([]Hook{{Event: "tool_call", Command: "x"}}, []string{"sh", "-c"})
			if err != nil {
				t.Fatal(err)
			}
			s := &slow{takes: takes}
			instance, err := all[0].Load(t.Context(), s)
			if err != nil {
				t.Fatal(err)
			}
			h := &ext.Host{Failed: func(string, string, error) {}}
			h.Set([]*ext.Part{{Name: "x", Instance: instance, Session: s}})
			_, reply := h.ToolCall(t.Context(), ext.ToolCall{Name: "bash", Arguments: json.RawMessage(`{}`)})
			if reply.Block != (want != "") || !strings.Contains(reply.Reason, want) {
				t.Errorf("after %v: got %+v, want %q", takes, reply, want)
			}
		})
	}
}

func TestExtensionsErrors(t *testing.T) {
	sh := []string{"sh", "-c"}
	_, err := Extensions([]Hook{
		{Event: "tool_call", Command: "true", Source: "a.json:1:1"},
		{Event: "toolcall", Command: "true", Source: "a.json:2:1"},
		{Event: "Stop", Command: " ", Source: "a.json:3:1"},
		{Event: "Stop", Command: "true", Timeout: time.Hour, Source: "a.json:4:1"},
		{Event: "PreToolUse", Matcher: "bash(", Command: "true", Source: "a.json:5:1"},
	}, sh)
	want := `a.json:2:1: unknown event "toolcall" for a hook; events are session_start, session_shutdown, input, before_agent_start, tool_call, tool_result, agent_end, session_before_compact, session_compact, session_before_switch, session_switch, session_before_branch, session_branch, notification
a.json:3:1: the hook for Stop has no command; give one or remove it
a.json:4:1: the timeout of the hook for Stop must be between 1 and 600 seconds
a.json:5:1: the matcher "bash(" of the hook for PreToolUse is no regular expression; write tool names such as bash|edit`
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
	if _, err := Extensions([]Hook{{Event: "Stop", Command: "true"}}, nil); err == nil {
		t.Error("hooks without a shell were taken")
	}
	all, err := Extensions([]Hook{{Event: "Stop", Command: "./a"}, {Event: "agent_end", Command: "./a"}}, sh)
	if err != nil || all[0].Name() != `agent_end hook "./a"` || all[1].Name() != `agent_end hook "./a" (2)` {
		t.Errorf("got %v, %v", all, err)
	}
}

func TestParseFlag(t *testing.T) {
	for _, c := range []struct {
		text string
		want Hook
		err  string
	}{
		{"tool_call=./check.sh", Hook{Event: "tool_call", Command: "./check.sh", Source: "--hook"}, ""},
		{"PreToolUse:bash|edit=a=b ./c", Hook{Event: "PreToolUse", Matcher: "bash|edit", Command: "a=b ./c", Source: "--hook"}, ""},
		{"tool_call:mcp:x=./c", Hook{Event: "tool_call", Matcher: "mcp:x", Command: "./c", Source: "--hook"}, ""},
		{"./extension.ts", Hook{}, "write event=command"},
		{"tool_call", Hook{}, "write event=command"},
		{"tool_cal=x", Hook{}, "write event=command"},
		{"tool_call=", Hook{Event: "tool_call", Source: "--hook"}, "has no command"},
		{"tool_call:(=x", Hook{Event: "tool_call", Matcher: "(", Command: "x", Source: "--hook"}, "no regular expression"},
	} {
		got, err := ParseFlag(c.text)
		if got != c.want || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: got %+v, %v", c.text, got, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"", "text", "{}", `{"block":true,"reason":"x"}`, `{"input":{"a":[1]},"hookSpecificOutput":{"permissionDecision":"ask"}}`, `{"continue":false}`, `{"block":`, "\x00\xff", `{"a":1}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, stdout string) {
		d, err := parse(stdout)
		if err != nil {
			if d.block || d.input != nil || d.context != "" {
				t.Errorf("a decision beside the error %v: %+v", err, d)
			}
			return
		}
		if d.input != nil && !json.Valid(d.input) {
			t.Errorf("input %q", d.input)
		}
		if isObject := strings.HasPrefix(strings.TrimSpace(stdout), "{"); d.plain == isObject {
			t.Errorf("plain is %t for %q", d.plain, stdout)
		}
		if len(d.context) > maxText+100 || len(d.reason) > maxText+100 {
			t.Errorf("%d, %d bytes", len(d.context), len(d.reason))
		}
	})
}
