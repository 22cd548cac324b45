package mcp

import (
	"fmt"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
)

// showEvery is the least time between two reports of a call's progress. What
// comes faster replaces what waits.
const showEvery = 100 * time.Millisecond

// progress is where a call's progress goes, until the call is over.
type progress struct {
	alive func() // told of each sign
	show  func(text string)

	mu    sync.Mutex
	over  bool
	text  string      // the latest
	later *time.Timer // shows it; nil when it was shown and the pause is over
	fresh bool        // text wasn't shown yet
}

// follow gives a call a token for its progress. Nothing is shown after done has
// returned.
func (l *link) follow(alive func(), show func(text string)) (token string, done func()) {
	p := &progress{alive: alive, show: show}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.serial++
	token = fmt.Sprintf("call-%d", l.serial)
	l.tokens[token] = p
	return token, func() {
		l.mu.Lock()
		delete(l.tokens, token)
		l.mu.Unlock()
		p.end()
	}
}

// report passes a progress notification on to its call.
func (l *link) report(n *sdk.ProgressNotificationParams) {
	token, _ := n.ProgressToken.(string)
	l.mu.Lock()
	p := l.tokens[token]
	l.mu.Unlock()
	if p != nil {
		p.alive()
		p.set(progressText(n))
	}
}

func (p *progress) set(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text, p.fresh = text, true
	if p.later == nil {
		p.flush()
	}
}

// flush shows what is new and begins a pause. It needs mu.
func (p *progress) flush() {
	p.later = nil
	if p.over || !p.fresh {
		return
	}
	p.fresh = false
	p.show(p.text)
	p.later = time.AfterFunc(showEvery, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.flush()
	})
}

func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
	if p.later != nil {
		p.later.Stop()
	}
}

// progressText writes progress as "message (3 of 10)".
func progressText(n *sdk.ProgressNotificationParams) string {
	count := fmt.Sprintf("%.6g", n.Progress)
	if n.Total > 0 {
		count += fmt.Sprintf(" of %.6g", n.Total)
	}
	if n.Message == "" {
		return count
	}
	return fmt.Sprintf("%s (%s)", clip(sanitize.Line(n.Message), maxQuoted), count)
}
