package tui

import (
	"reflect"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
)

// pace has frames come when there is something to draw. The library looks for
// it at a fixed pace: sixty times a second while nothing happens, which costs a
// percent of a core, and late for a key's echo. So its ticker is slowed down
// while nothing changes, and made quick for the first frame after a pause and
// for keys and the mouse. What streams comes at twenty-five frames a second, which
// takes half of the processor and of a slow line that sixty take. The ticker
// never stops: a frame that was missed comes with the next tick.
//
// The ticker is a field of the library's program that it has no other way to;
// where it isn't found the library goes on as it does by itself.
type pace struct {
	mu     sync.Mutex
	ticker *time.Ticker
	every  time.Duration
	rest   *time.Timer // slows the ticker down
}

// How often the library looks for something to draw.
const (
	soon   = 300 * time.Microsecond // what waits is drawn
	steady = 40 * time.Millisecond
	seldom = time.Second
	// restAfter is how long nothing changes before it is seldom.
	restAfter = 5 * steady
)

// take finds the ticker. It is called where the library makes it, on the
// goroutine of its loop.
func (p *pace) take(program *tea.Program) {
	field := reflect.ValueOf(program).Elem().FieldByName("ticker")
	if !field.IsValid() || field.Type() != reflect.TypeFor[*time.Ticker]() {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ticker = *(**time.Ticker)(field.Addr().UnsafePointer())
}

// drawn says that there may be something new to draw; hurry, that the user waits
// for it.
func (p *pace) drawn(hurry bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ticker == nil {
		return
	}
	if p.rest == nil {
		p.rest = time.AfterFunc(restAfter, func() { p.set(seldom) })
	} else {
		p.rest.Reset(restAfter)
	}
	if p.every != soon && (hurry || p.every != steady) {
		p.to(soon)
	}
}

// written says that a frame went out.
func (p *pace) written() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.every == soon {
		p.to(steady)
	}
}

// stop lets go of the ticker, at the end.
func (p *pace) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.rest != nil {
		p.rest.Stop()
	}
	p.ticker = nil
}

func (p *pace) set(every time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.to(every)
}

func (p *pace) to(every time.Duration) {
	p.every = every
	if p.ticker != nil {
		p.ticker.Reset(every)
	}
}
