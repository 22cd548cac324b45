package acp

import (
	"context"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine"
	"github.com/hoopoe-agent/hoopoe/engine/tool"
	"github.com/hoopoe-agent/hoopoe/engine/workspace"
)

// hasTerminalShell says that commands are for a shell that an editor can start
// by its name.
const hasTerminalShell = runtime.GOOS != "windows"

// maxTerminal bounds the output that the editor keeps, in bytes.
const maxTerminal = 1 << 20

// afterKill bounds what is still asked of a terminal when the call is over.
const afterKill = time.Second

type (
	createParams struct {
		SessionID       string   `json:"sessionId"`
		Command         string   `json:"command"`
		Args            []string `json:"args"`
		Env             []envVar `json:"env,omitempty"`
		Cwd             string   `json:"cwd"`
		OutputByteLimit int      `json:"outputByteLimit"`
	}
	envVar struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	terminalParams struct {
		SessionID  string `json:"sessionId"`
		TerminalID string `json:"terminalId"`
	}
	terminalExit struct {
		ExitCode *int
		Signal   *string
	}
	terminalOutput struct {
		Output     string
		Truncated  bool
		ExitStatus *terminalExit
	}
)

// inTerminal runs a command in a terminal of the editor's. ran is false when it
// gives none.
func (e *editor) inTerminal(ctx context.Context, call string, c workspace.Command) (out workspace.Output, ran bool, err error) {
	peer, id := e.live.server.peer, e.live.id
	shell := "sh"
	if _, err := exec.LookPath("bash"); err == nil {
		shell = "bash"
	}
	create := createParams{SessionID: id, Command: shell, Args: []string{"-c", c.Script}, Cwd: c.Dir, OutputByteLimit: maxTerminal}
	if create.Cwd == "" {
		create.Cwd = e.Cwd()
	}
	for _, kv := range c.Env {
		name, value, _ := strings.Cut(kv, "=")
		create.Env = append(create.Env, envVar{name, value})
	}
	var made struct{ TerminalID string }
	if err := peer.Call(ctx, "terminal/create", create, &made); err != nil || made.TerminalID == "" {
		return out, ctx.Err() != nil, ctx.Err()
	}
	terminal := terminalParams{id, made.TerminalID}
	later, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer func() {
		bounded, cancel := context.WithTimeout(later, afterKill)
		defer cancel()
		_ = peer.Call(bounded, "terminal/release", terminal, nil)
	}()
	e.live.session.Place(&engine.Ack{Sub: e.live.sub, Value: inTerminal{call, made.TerminalID}})

	waiting, stop := ctx, context.CancelFunc(func() {})
	if c.Timeout > 0 {
		waiting, stop = context.WithTimeout(ctx, c.Timeout)
	}
	var exit terminalExit
	err = peer.Call(waiting, "terminal/wait_for_exit", terminal, &exit)
	out.Cancelled, out.TimedOut = ctx.Err() != nil, waiting.Err() != nil && ctx.Err() == nil
	stop()
	bounded, cancelBounded := context.WithTimeout(later, afterKill)
	defer cancelBounded()
	if out.Cancelled || out.TimedOut {
		_ = peer.Call(bounded, "terminal/kill", terminal, nil)
	} else if err != nil {
		return out, true, err
	}
	var told terminalOutput
	if err := peer.Call(bounded, "terminal/output", terminal, &told); err != nil && !out.Cancelled {
		return out, true, err
	}
	if !out.Cancelled && !out.TimedOut {
		out.ExitCode = exit.ExitCode
	}
	out.TotalBytes, out.TotalLines = int64(len(told.Output)), strings.Count(told.Output, "\n")
	out.Text = lastOf(told.Output)
	out.Truncated = told.Truncated || len(out.Text) < len(told.Output)
	return out, true, nil
}

// lastOf is the end of an output, as much as the model is given.
func lastOf(text string) string {
	if len(text) > tool.MaxBytes {
		text = strings.ToValidUTF8(text[len(text)-tool.MaxBytes:], "")
	}
	for n := strings.Count(text, "\n"); n > tool.MaxLines; n-- {
		_, text, _ = strings.Cut(text, "\n")
	}
	return text
}
