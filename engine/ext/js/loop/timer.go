package loop

import (
	"container/heap"
	"fmt"
	"time"

	"github.com/grafana/sobek"
)

// timer is one setTimeout or setInterval.
type timer struct {
	id    int64
	at    time.Time
	every time.Duration // zero for one shot
	index int           // in the heap, -1 when it isn't there
	call  *call
	fn    sobek.Value // kept as a value, so that the count of memory sees it
	run   func(*sobek.Runtime) error
}

// timers is a heap by time, then by age.
type timers struct {
	heap timerHeap
	byID map[int64]*timer
	last int64
	turn bool
}

func (t *timers) init() { t.byID = map[int64]*timer{} }

// wait is how long until the next is due.
func (t *timers) wait() time.Duration {
	if len(t.heap) == 0 {
		return time.Hour
	}
	return max(0, time.Until(t.heap[0].at))
}

// due takes the first timer that is due as a task.
func (t *timers) due(now time.Time) *task {
	if len(t.heap) == 0 || t.heap[0].at.After(now) {
		return nil
	}
	first := t.heap[0]
	if first.every > 0 {
		first.at = now.Add(first.every)
		heap.Fix(&t.heap, 0)
	} else {
		t.clear(first.id)
	}
	return &task{run: first.run, drop: func(error) {}}
}

func (t *timers) clear(id int64) {
	if found := t.byID[id]; found != nil {
		delete(t.byID, id)
		heap.Remove(&t.heap, found.index)
	}
}

// SetTimer calls fn after a time, again and again if repeat is set, and returns
// the number for ClearTimer. In a turn only. Intervals below one millisecond
// become one. What fn throws goes to Options.Rejected.
func (l *Loop) SetTimer(fn sobek.Value, after time.Duration, repeat bool, args ...sobek.Value) (int64, error) {
	callable, ok := sobek.AssertFunction(fn)
	if !ok {
		return 0, &Error{Name: "TypeError", Message: "the callback must be a function"}
	}
	if len(l.timers.heap) >= l.opts.MaxTasks {
		return 0, &Error{Name: "RangeError", Message: fmt.Sprintf("the extension %s has more than %d timers", l.opts.Name, l.opts.MaxTasks)}
	}
	l.timers.last++
	t := &timer{id: l.timers.last, at: time.Now().Add(after), call: l.current.Load(), fn: fn}
	if repeat {
		t.every = max(after, time.Millisecond)
	}
	t.run = func(*sobek.Runtime) error {
		l.current.Store(t.call)
		_, err := callable(sobek.Undefined(), args...)
		return err
	}
	l.timers.byID[t.id] = t
	heap.Push(&l.timers.heap, t)
	return t.id, nil
}

// ClearTimer forgets a timer. In a turn only; unknown numbers do no harm.
func (l *Loop) ClearTimer(id int64) { l.timers.clear(id) }

type timerHeap []*timer

func (h timerHeap) Len() int { return len(h) }
func (h timerHeap) Less(i, j int) bool {
	if h[i].at.Equal(h[j].at) {
		return h[i].id < h[j].id
	}
	return h[i].at.Before(h[j].at)
}
func (h timerHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}
func (h *timerHeap) Push(x any) {
	t := x.(*timer)
	t.index = len(*h)
	*h = append(*h, t)
}
func (h *timerHeap) Pop() any {
	old := *h
	t := old[len(old)-1]
	old[len(old)-1] = nil
	t.index = -1
	*h = old[:len(old)-1]
	return t
}
