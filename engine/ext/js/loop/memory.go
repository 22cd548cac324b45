package loop

import (
	"errors"
	"fmt"
	"reflect"
	"runtime/metrics"
	"strings"
	"time"

	"github.com/grafana/sobek"
)

// errHeap marks an interrupt for the heap's sake.
var errHeap = errors.New("of memory at once")

const (
	sampleEvery = 16 // turns; of these one is measured
	weighEvery  = 100 * time.Millisecond
)

// heapWatch is what the owner knows of the process's heap.
type heapWatch struct {
	samples  []metrics.Sample
	start    uint64 // live bytes when the loop began
	weighed  uint64 // live bytes when its objects were last counted
	allocs   uint64 // of the process until the loop began
	own      uint64 // of the loop's turns, projected from the samples
	turns    uint64
	lastLook time.Time
}

const (
	live      = "/gc/heap/live:bytes"
	objects   = "/memory/classes/heap/objects:bytes"
	allocated = "/gc/heap/allocs:bytes"
)

func (h *heapWatch) init() {
	h.samples = []metrics.Sample{{Name: live}, {Name: allocated}}
	h.start, h.allocs = h.read()
	h.weighed, h.lastLook = h.start, time.Now()
}

func (h *heapWatch) read() (liveBytes, allocs uint64) {
	metrics.Read(h.samples)
	return h.samples[0].Value.Uint64(), h.samples[1].Value.Uint64()
}

// begin and end measure one turn of sampleEvery; the mark is 0 for others.
func (h *heapWatch) begin() (mark uint64) {
	if h.turns++; h.turns%sampleEvery != 0 {
		return 0
	}
	_, mark = h.read()
	return mark
}

func (h *heapWatch) end(mark uint64) {
	if mark != 0 {
		_, now := h.read()
		h.own += (now - mark) * sampleEvery
	}
}

// heapBytes is the process's heap with what the collector has yet to free.
func heapBytes() uint64 {
	s := [1]metrics.Sample{{Name: objects}}
	metrics.Read(s[:])
	return s[0].Value.Uint64()
}

// weigh ends the loop when it holds more than its budget. It looks closer when
// the process has grown, or when a turn was stopped for taking too much.
func (l *Loop) weigh(suspect bool) {
	h, budget := &l.heap, uint64(l.opts.Memory)
	now := time.Now()
	if !suspect && now.Sub(h.lastLook) < weighEvery {
		return
	}
	h.lastLook = now
	size, allocs := h.read()
	if size < h.weighed {
		h.weighed = size
	}
	if !suspect && size-h.weighed < budget/4 {
		return
	}
	h.weighed = size
	if l.reaches() > budget {
		l.end(fmt.Errorf("the extension %s holds more than %s of memory", l.opts.Name, megabytes(l.opts.Memory)))
		return
	}
	if size > h.start && size-h.start > 2*budget && h.own > (allocs-h.allocs)/2 {
		l.end(fmt.Errorf("the process has grown by %s, mostly in the extension %s", megabytes(int64(size-h.start)), l.opts.Name))
	}
}

func megabytes(n int64) string { return fmt.Sprintf("%d MB", n>>20) }

// reaches counts the bytes that can be reached from the runtime and its timers,
// and stops counting beyond the budget.
func (l *Loop) reaches() uint64 {
	c := counter{seen: map[place]bool{}}
	c.todo = append(c.todo, reflect.ValueOf(l.rt))
	for _, t := range l.timers.heap {
		c.todo = append(c.todo, reflect.ValueOf(t.fn))
	}
	for len(c.todo) > 0 && c.bytes <= uint64(l.opts.Memory) {
		last := len(c.todo) - 1
		v := c.todo[last]
		c.todo = c.todo[:last]
		c.visit(v)
	}
	return c.bytes
}

// counter walks values without recursion, for scripts build deep ones.
type counter struct {
	seen  map[place]bool
	todo  []reflect.Value
	bytes uint64
}

// place is an address and what is there: a struct begins where its first field
// does.
type place struct {
	at uintptr
	of reflect.Type
}

// first notes a place and reports whether it is new.
func (c *counter) first(at uintptr, of reflect.Type) bool {
	p := place{at, of}
	if at == 0 || c.seen[p] {
		return false
	}
	c.seen[p] = true
	return true
}

var sharedTypes = map[reflect.Type]bool{reflect.TypeFor[*sobek.Program](): true}

func (c *counter) visit(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !sharedTypes[v.Type()] && c.first(v.Pointer(), v.Type()) {
			c.bytes += uint64(v.Type().Elem().Size())
			c.descend(v.Elem())
		}
	case reflect.Interface:
		if !v.IsNil() {
			e := v.Elem()
			if e.Kind() != reflect.Pointer {
				c.bytes += uint64(e.Type().Size())
			}
			c.descend(e)
		}
	case reflect.String:
		if v.Len() < 64 || c.first(uintptr(stringData(v)), nil) {
			c.bytes += uint64(v.Len())
		}
	case reflect.Slice:
		if v.Len() > 0 && c.first(v.Pointer(), v.Type()) {
			c.bytes += uint64(v.Cap()) * uint64(v.Type().Elem().Size())
			c.elements(v)
		}
	case reflect.Array:
		c.elements(v)
	case reflect.Map:
		if v.Len() > 0 && c.first(v.Pointer(), v.Type()) {
			slots := max(8, v.Len()*3/2) // a map comes in groups of eight and is never full
			c.bytes += 48 + uint64(slots)*uint64(v.Type().Key().Size()+v.Type().Elem().Size()+1)
			for iter := v.MapRange(); iter.Next(); {
				c.descend(iter.Key())
				c.descend(iter.Value())
			}
		}
	case reflect.Struct:
		if !walked(v.Type()) {
			return
		}
		for i := range v.NumField() {
			c.descend(v.Field(i))
		}
	}
}

// elements descends into a list whose elements lead anywhere.
func (c *counter) elements(v reflect.Value) {
	if leaf(v.Type().Elem().Kind()) {
		return
	}
	for i := range v.Len() {
		c.descend(v.Index(i))
	}
}

// descend keeps a value for later unless it leads nowhere.
func (c *counter) descend(v reflect.Value) {
	if !leaf(v.Kind()) {
		c.todo = append(c.todo, v)
	}
}

func leaf(k reflect.Kind) bool {
	return k <= reflect.Complex128 || k == reflect.Func || k == reflect.Chan || k == reflect.UnsafePointer
}

// walked reports whether a struct is the engine's. What hosts hang into a
// runtime is theirs.
func walked(t reflect.Type) bool {
	p := t.PkgPath()
	return p == "" || p == "math/big" || strings.HasPrefix(p, "github.com/grafana/sobek")
}
