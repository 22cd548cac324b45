package scripted

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/llm/internal/answer"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// Options of a Player. The zero value plays in real time.
type Options struct {
	// Sleep waits for d or until ctx ends; nil means a timer.
	Sleep func(ctx context.Context, d time.Duration)
	// Mark is called at each mark step, between two parts; nil does nothing.
	Mark func(ctx context.Context, name string)
}

// Player is the provider that plays a script once through. Each session has
// its own, so that every session starts at the script's beginning.
type Player struct {
	script *Script
	opts   Options

	mu     sync.Mutex
	played []int // how often each turn has played
}

// New returns a player at the script's beginning.
func New(s *Script, opts Options) *Player {
	if opts.Sleep == nil {
		opts.Sleep = sleep
	}
	if opts.Mark == nil {
		opts.Mark = func(context.Context, string) {}
	}
	return &Player{script: s, opts: opts, played: make([]int, len(s.turns))}
}

func sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// Stream plays the next turn that fits req. A turn counts as played from its
// first part on, even when it is cut short: a retry gets the turn after it.
func (p *Player) Stream(ctx context.Context, req llm.Request) llm.Stream {
	return func(yield func(llm.Part) bool) {
		w := answer.New(ctx, req, yield)
		if ctx.Err() != nil {
			w.Finish("", message.Usage{}, nil)
			return
		}
		t, err := p.take(req)
		if err != nil {
			w.Finish("", message.Usage{}, err)
			return
		}
		p.play(ctx, w, t)
	}
}

func (p *Player) take(req llm.Request) (turn, error) {
	prompt := lastPrompt(req.Messages)
	p.mu.Lock()
	defer p.mu.Unlock()
	total := 0
	for i, t := range p.script.turns {
		if (t.times == always || p.played[i] < t.times) && t.on.fits(prompt) && t.system.fits(req.System) {
			p.played[i]++
			return t, nil
		}
		total += p.played[i]
	}
	return turn{}, &llm.Error{Kind: llm.BadRequest, Provider: Provider, Message: fmt.Sprintf(
		"script %s has no turn left for request %d: add one, or a turn with \"times: always\"", p.script.name, total+1)}
}

func lastPrompt(messages []message.Message) string {
	for i := len(messages) - 1; i >= 0; i-- {
		if messages[i].Role == message.User {
			return messages[i].Text()
		}
	}
	return ""
}

func (p *Player) play(ctx context.Context, w *answer.Writer, t turn) {
	var usage message.Usage
	var stop message.StopReason
	var failure error
	for _, s := range t.steps {
		ok := true
		switch s.kind {
		case blockStep:
			ok = p.block(ctx, w, s)
		case delayStep:
			p.opts.Sleep(ctx, s.delay)
		case markStep:
			p.opts.Mark(ctx, s.text)
		case usageStep:
			usage = s.usage
		case stopStep:
			stop = s.stop
		case errorStep, disconnectStep:
			failure = s.err
		}
		if !ok || ctx.Err() != nil {
			break
		}
	}
	w.Finish(stop, usage, failure)
}

func (p *Player) block(ctx context.Context, w *answer.Writer, s step) bool {
	index, ok := w.Open(s.block)
	start := 0
	for _, end := range s.ends {
		if !ok {
			return false
		}
		if s.delay > 0 {
			p.opts.Sleep(ctx, s.delay)
		}
		ok = w.Delta(index, s.text[start:end])
		start = end
	}
	return ok && w.Close(index, s.signature)
}
