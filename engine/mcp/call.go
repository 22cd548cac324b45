package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
	"github.com/hoopoe-agent/hoopoe/engine/tool"
)

// remoteTool is a tool of a server.
type remoteTool struct {
	spec   tool.Spec
	server *remote
	name   string // as the server has it
	pinned bool
}

// Spec implements tool.Tool.
func (t remoteTool) Spec() tool.Spec { return t.spec }

// maxShown bounds the arguments in a title, in bytes.
const maxShown = 200

// Describe names the server, the tool by its real name, and the arguments:
// that is what the user approves.
func (t remoteTool) Describe(_ context.Context, c tool.Call) (tool.Description, error) {
	title := label(t.server.conf.Name) + ": " + field(t.name)
	if args := sanitize.Line(sanitize.Visible(string(c.Arguments))); args != "{}" && args != "" {
		title += " " + clip(args, maxShown)
	}
	return tool.Description{Title: title, Kind: t.spec.Kind}, nil
}

var (
	errSilent = errors.New("no answer and no sign of progress")
	errEnded  = errors.New("the server was stopped")
)

// Run calls the tool, starting its server if need be.
func (t remoteTool) Run(ctx context.Context, c tool.Call) (tool.Result, error) {
	l, err := t.server.usable(ctx)
	if err != nil {
		return tool.Result{}, err
	}
	res, err := t.call(ctx, l, c)
	if errors.Is(err, sdk.ErrSessionMissing) && ctx.Err() == nil {
		// The server has forgotten the session and therefore refused the call.
		t.server.drop(l)
		if l, err = t.server.usable(ctx); err == nil {
			res, err = t.call(ctx, l, c)
		}
	}
	if err != nil {
		return tool.Result{}, err
	}
	return toResult(ctx, res, c.Env.Images)
}

func (t remoteTool) call(ctx context.Context, l *link, c tool.Call) (*sdk.CallToolResult, error) {
	args := c.Arguments
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	params := &sdk.CallToolParams{Name: t.name, Arguments: args}
	var res *sdk.CallToolResult
	err := t.server.do(ctx, l, func(ctx context.Context, alive func()) error {
		token, done := l.follow(alive, func(text string) { c.Progress(tool.TextResult(text)) })
		defer done()
		params.SetProgressToken(token)
		var err error
		res, err = l.session.CallTool(ctx, params)
		return err
	})
	return res, err
}

// usable returns a link for a call, or an error for the model.
func (r *remote) usable(ctx context.Context) (*link, error) {
	l, err := r.ensure(ctx)
	switch {
	case err == nil:
		return l, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	}
	return nil, fmt.Errorf("the MCP server %q can't be used: %w", label(r.conf.Name), err)
}

// do runs a request to the server. It ends with ctx, with the link, and when
// the server's timeout has passed since the start or the last call of alive.
// Time in which the user thinks about the server's question doesn't count.
func (r *remote) do(ctx context.Context, l *link, request func(ctx context.Context, alive func()) error) error {
	limit := r.conf.Timeout
	if limit <= 0 {
		limit = DefaultCallTimeout
	}
	inner, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(l.calls, func() { cancel(errEnded) })()
	var silent *time.Timer
	silent = time.AfterFunc(limit, func() {
		if l.asking.Load() > 0 {
			silent.Reset(limit)
			return
		}
		cancel(errSilent)
	})
	defer silent.Stop()
	err := request(inner, func() { silent.Reset(limit) })
	if err == nil {
		return nil
	}
	return r.callError(ctx, inner, l, limit, err)
}

// callError says for the model why a request failed.
func (r *remote) callError(ctx, inner context.Context, l *link, limit time.Duration, err error) error {
	name := label(r.conf.Name)
	answer, ended := refusal(err), errors.Is(context.Cause(inner), errEnded)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(context.Cause(inner), errSilent):
		return fmt.Errorf("the MCP server %q gave %w for %s: the request was cancelled", name, errSilent, limit)
	case answer != nil:
		return fmt.Errorf("the MCP server %q refused: %s (code %d)", name, r.secrets.String(clip(sanitize.Text(answer.Message), maxError)), answer.Code)
	case errors.Is(err, sdk.ErrSessionMissing):
		return fmt.Errorf("the MCP server %q has forgotten the session: %w", name, sdk.ErrSessionMissing)
	case ended && (l.stopped.Load() || r.m.ctx.Err() != nil):
		return fmt.Errorf("the MCP server %q: %w while it was asked", name, errEnded)
	case ended || broken(err):
		if !broken(err) { // who found it broken first has closed it by now
			err = sdk.ErrConnectionClosed
		}
		select { // so that the next call doesn't meet the same link
		case <-l.ctx.Done():
		case <-time.After(killed):
		}
		return fmt.Errorf("the MCP server %q has ended while it was asked: %w. The next call starts it anew", name, r.explain(l, err))
	}
	return fmt.Errorf("the MCP server %q: %s", name, r.secrets.String(clip(sanitize.Line(err.Error()), maxError)))
}

// rejected is the code of an error that the SDK makes of a request that didn't
// get through.
const rejected = -32005

// refusal returns the server's own error within err, nil if there is none.
func refusal(err error) *jsonrpc.Error {
	var e *jsonrpc.Error
	if errors.As(err, &e) && e.Code != rejected {
		return e
	}
	return nil
}

// broken reports whether err means that the connection is gone.
func broken(err error) bool {
	for _, end := range []error{sdk.ErrConnectionClosed, io.EOF, io.ErrUnexpectedEOF, io.ErrClosedPipe, os.ErrClosed, errTooLong} {
		if errors.Is(err, end) {
			return true
		}
	}
	return false
}

// maxError bounds a server's own error text, in bytes.
const maxError = 2 << 10
