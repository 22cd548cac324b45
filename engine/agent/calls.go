package agent

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/tool"
	"github.com/hoopoe-agent/hoopoe/engine/workspace"
)

// skippedText closes the calls that a steering message cut off. The wording
// is the protocol family's.
const skippedText = "Skipped due to queued user message."

//lint:ignore ST1005 a wire literal
var errSkipped = errors.New(skippedText)

// batch runs the tool calls of one turn. Calls are prepared one after the
// other, in call order, so that their questions come in that order too; a
// call that waits for the user doesn't hold back those before it.
type batch struct {
	*run
	ctx    context.Context
	cancel context.CancelCauseFunc
	slots  chan struct{}
	wg     sync.WaitGroup

	mu      sync.Mutex // one call's closing events stay together; guards results
	results []message.Message
	ends    string
}

// calls runs the calls of an answer and returns their results in the order in
// which they ended. ends is the result of a tool that ends the run, as the
// words to end it with.
func (r *run) calls(ctx context.Context, answer message.Message) (results []message.Message, ends string) {
	calls := answer.Calls()
	if len(calls) == 0 {
		return nil, ""
	}
	parallel := r.Parallel
	if parallel <= 0 {
		parallel = 8
	}
	b := &batch{run: r, slots: make(chan struct{}, parallel)}
	b.ctx, b.cancel = context.WithCancelCause(ctx)
	defer b.cancel(nil)
	cut := answer.StopReason == message.Error || answer.StopReason == message.Aborted || answer.StopReason == message.Length
	for _, c := range calls {
		r.Emit(event.ToolStarted{CallID: c.ID, Name: c.Name, Arguments: c.Arguments})
		if cut {
			b.fail(c, cutText(answer.StopReason), "")
			continue
		}
		b.start(c)
	}
	b.wg.Wait()
	return b.results, b.ends
}

func cutText(reason message.StopReason) string {
	switch reason {
	case message.Length:
		return "The answer was cut off at its output limit, so this call did not run. Make it smaller and call again."
	case message.Error:
		return "The answer failed before this call could run."
	}
	return "Tool execution was aborted: " + AbortedText
}

// start prepares a call and runs it beside the others, or alone.
func (b *batch) start(block message.Block) {
	if b.ctx.Err() != nil {
		b.fail(block, b.stopText(), "")
		return
	}
	t, ok := b.Find(block.Name)
	if !ok {
		b.fail(block, fmt.Sprintf("Tool %s not found", block.Name), "")
		return
	}
	c := tool.Call{ID: block.ID, Name: t.Spec().Name, Arguments: block.Arguments, Progress: func(tool.Result) {}}
	if block.Malformed != "" {
		b.fail(block, "The arguments of this call are not a JSON object: "+clip(block.Malformed, 300)+"\nCall again with valid JSON.", "")
		return
	}
	verdict, failure := b.prepare(t, &c)
	if b.ctx.Err() != nil {
		b.fail(block, b.stopText(), "")
		return
	}
	if failure != nil || !verdict.Allowed {
		reason := verdict.Reason
		if failure != nil {
			reason = failure.Error()
		}
		b.fail(block, reason, verdict.Denied)
		return
	}
	alone := t.Spec().Exclusive
	if alone {
		b.wg.Wait()
		if b.ctx.Err() != nil { // one that it waited for was followed by steering
			b.fail(block, b.stopText(), "")
			return
		}
	}
	leave := func() {}
	if !t.Spec().Unbounded {
		b.slots <- struct{}{}
		leave = func() { <-b.slots }
	}
	verdict.Running.CallID, verdict.Running.Name, verdict.Running.Arguments = c.ID, c.Name, c.Arguments
	b.Emit(verdict.Running)
	b.wg.Add(1)
	go func() {
		defer b.wg.Done()
		defer leave()
		b.execute(t, c, block)
	}()
	if alone {
		b.wg.Wait()
	}
}

// prepare shields the loop from foreign code in hooks and describers.
func (b *batch) prepare(t tool.Tool, c *tool.Call) (v Verdict, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("preparing the call panicked: %v", p)
		}
	}()
	return b.Prepare(b.ctx, t, c), nil
}

func (b *batch) execute(t tool.Tool, c tool.Call, block message.Block) {
	began := b.Now()
	var telling sync.Mutex // held while something is told, so that nothing is after the end
	over := false
	c.Progress = func(r tool.Result) {
		telling.Lock()
		defer telling.Unlock()
		if !over {
			b.Emit(event.ToolProgress{CallID: c.ID, Content: r.Content, Details: r.Details})
		}
	}
	result, err := runTool(b.ctx, t, c)
	telling.Lock()
	over = true
	telling.Unlock()
	failed := err != nil
	own, hasOwn := errors.AsType[*tool.AbortedError](err)
	switch {
	case hasOwn:
		result.Content = append(result.Content, message.TextOf(clip(own.Text, tool.MaxBytes)))
	case failed && b.ctx.Err() != nil:
		result.Content = append(result.Content, message.TextOf(b.stopText()))
	case failed:
		result.Content = append(result.Content, message.TextOf(clip(err.Error(), tool.MaxBytes)))
	}
	if b.After != nil {
		result, failed = b.after(c, result, failed)
	}
	if !failed && t.Spec().EndsRun {
		b.mu.Lock()
		b.ends = message.Text(result.Content)
		b.mu.Unlock()
	}
	b.close(block, event.ToolEnded{Content: result.Content, Details: result.Details, IsError: failed, DurationMS: b.Now().Sub(began).Milliseconds()})
	if b.Interrupts != nil && b.Interrupts() {
		b.cancel(errSkipped)
	}
}

// after shields the call from a hook's panic; the result stays as it was.
func (b *batch) after(c tool.Call, r tool.Result, failed bool) (out tool.Result, isErr bool) {
	defer func() {
		if p := recover(); p != nil {
			out, isErr = r, failed
		}
	}()
	return b.After(b.ctx, c, r, failed)
}

// runTool turns a tool's panic into a failed call.
func runTool(ctx context.Context, t tool.Tool, c tool.Call) (r tool.Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("tool %s panicked: %v", c.Name, p)
		}
	}()
	return t.Run(workspace.WithCall(ctx, workspace.Call{ID: c.ID, Kind: string(t.Spec().Kind)}), c)
}

// stopText says why the batch was stopped.
func (b *batch) stopText() string {
	if errors.Is(context.Cause(b.ctx), errSkipped) {
		return skippedText
	}
	return "Tool execution was aborted: " + AbortedText
}

// fail closes a call that never ran. Like all that a call gives the model, the
// text has a limit: errors repeat arguments, which can be of any length.
func (b *batch) fail(block message.Block, text, denied string) {
	b.close(block, event.ToolEnded{Content: []message.Block{message.TextOf(clip(text, tool.MaxBytes))}, IsError: true, Denied: denied})
}

// close publishes a call's end and its result message, together.
func (b *batch) close(block message.Block, end event.ToolEnded) {
	if len(end.Content) == 0 {
		end.Content = []message.Block{message.TextOf("(no output)")}
	}
	end.CallID, end.Name = block.ID, block.Name
	m := message.Message{
		ID: b.NewID(), Role: message.ToolResult, ToolCallID: block.ID, ToolName: block.Name,
		Content: end.Content, Details: end.Details, IsError: end.IsError, Timestamp: b.Now().UnixMilli(),
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.Emit(end)
	b.announce(m)
	b.results = append(b.results, m)
}

func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n] + "…"
}
