package rule

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// Repeat modes: whether a rule can match again once the model was told.
const (
	Once     = "once"
	AfterGap = "after-gap"
)

// DefaultGap is the number of turns of AfterGap where the settings name none.
const DefaultGap = 10

// Settings say how matches are treated.
type Settings struct {
	Interrupt Mode   // for rules that don't say; "" is Always
	Repeat    string // Once or AfterGap; "" is Once
	Gap       int    // turns before a rule can match again; 0 is DefaultGap
	Cwd       string // paths of tool calls are relative to it
}

// Match is a rule that the model has broken.
type Match struct {
	Rule   Rule
	Source Source
	Tool   string // the tool's name, for Tool
	CallID string // likewise
	// Interrupt says that the model is to be stopped at once; else it is told
	// after its answer.
	Interrupt bool
}

// maxCalls bounds the tool calls that are watched in one turn; a model that
// makes more is out of its mind, and rules are no fence.
const maxCalls = 1024

// Watcher finds the rules that a stream breaks. Each is reported once, until
// Repeat allows it again. It is used by one goroutine at a time.
type Watcher struct {
	settings Settings
	rules    []*compiled
	prose    map[Source]*stream
	calls    map[string]*call
	turn     int
	told     map[string]int // names of rules that have matched, with the turn
}

// NewWatcher watches the rules that have conditions. Of two rules with one
// name the first counts. The error tells of the rules that can't be watched;
// the watcher works without them.
func NewWatcher(rules []Rule, s Settings) (*Watcher, error) {
	w := &Watcher{settings: s, told: map[string]int{}}
	taken := map[string]bool{}
	var errs []error
	for _, r := range rules {
		if !r.Streams() || taken[r.Name] {
			continue
		}
		c, err := compile(r)
		if err != nil {
			errs = append(errs, fmt.Errorf("rule %s: %w", r.Name, err))
			continue
		}
		taken[r.Name] = true
		w.rules = append(w.rules, c)
	}
	w.clear()
	return w, errors.Join(errs...)
}

// Empty reports whether there is nothing to watch.
func (w *Watcher) Empty() bool { return len(w.rules) == 0 }

func (w *Watcher) clear() {
	w.prose = map[Source]*stream{}
	w.calls = map[string]*call{}
}

// Turn begins another turn: what was streamed before is forgotten.
func (w *Watcher) Turn() {
	w.turn++
	w.clear()
}

// Injected are the names of the rules that have matched, sorted.
func (w *Watcher) Injected() []string { return slices.Sorted(maps.Keys(w.told)) }

// Restore puts the names in place of those that have matched, as from now, and
// forgets what was streamed: the conversation goes on from another place.
func (w *Watcher) Restore(names []string) {
	w.clear()
	clear(w.told)
	for _, name := range names {
		w.told[name] = w.turn
	}
}

// ready reports whether a rule can match now. That changes only with a turn, a
// match or Restore, so that a stream never misses its beginning.
func (w *Watcher) ready(r *compiled) bool {
	at, told := w.told[r.Name]
	if !told {
		return true
	}
	gap := w.settings.Gap
	if gap <= 0 {
		gap = DefaultGap
	}
	return w.settings.Repeat == AfterGap && w.turn-at >= gap
}

func (w *Watcher) match(r *compiled, source Source, c *call) Match {
	w.told[r.Name] = w.turn
	mode := r.Interrupt
	if mode == "" {
		mode = w.settings.Interrupt
	}
	m := Match{Rule: r.Rule, Source: source, Interrupt: mode.interrupts(source)}
	if c != nil {
		m.Tool, m.CallID = c.name, c.id
	}
	return m
}

// stream is one text that is being read: how far each rule's machine is.
type stream struct {
	at   []*state // nil where the machine is at its beginning
	tail string   // the bytes of a character that isn't whole yet
}

func newStream(rules int) *stream { return &stream{at: make([]*state, rules)} }

// whole returns the text up to the last whole character, and keeps the rest.
func (s *stream) whole(delta string) string {
	if s.tail != "" {
		delta, s.tail = s.tail+delta, ""
	}
	for cut := max(0, len(delta)-utf8.UTFMax+1); cut < len(delta); cut++ {
		if utf8.RuneStart(delta[cut]) && !utf8.FullRuneInString(delta[cut:]) {
			s.tail = delta[cut:]
			return delta[:cut]
		}
	}
	return delta
}

// read takes text into rule i's machine and reports whether it matches.
func (s *stream) read(i int, m *machine, text string) bool {
	if s.at[i] == nil {
		s.at[i] = m.start
	}
	s.at[i] = m.run(s.at[i], text)
	return s.at[i] == m.hit
}

// end reports whether rule i's machine matches when nothing follows. A text
// that never began has no end.
func (s *stream) end(i int, m *machine) bool {
	if s.tail != "" {
		s.read(i, m, s.tail)
	}
	return s.at[i] != nil && m.end(s.at[i])
}

// Text reads a piece of the answer.
func (w *Watcher) Text(delta string) []Match { return w.readProse(Text, delta) }

// Thinking reads a piece of the model's thinking.
func (w *Watcher) Thinking(delta string) []Match { return w.readProse(Thinking, delta) }

func (w *Watcher) readProse(source Source, delta string) []Match {
	if len(w.rules) == 0 || delta == "" {
		return nil
	}
	s := w.prose[source]
	if s == nil {
		s = newStream(len(w.rules))
		w.prose[source] = s
	}
	text := s.whole(delta)
	var found []Match
	for i, r := range w.rules {
		if r.watches(source, "") && w.ready(r) && s.read(i, r.machine, text) {
			found = append(found, w.match(r, source, nil))
		}
	}
	return found
}

// call is one tool call that is being read.
type call struct {
	id, name  string
	arguments arguments
	text      *stream // the arguments as JSON
	value     *stream // the string in them that is being read
	watched   []bool  // by rule: whether it is about the tool
	broken    []bool  // by rule: whether a condition holds
	files     []file
	judged    []int // by rule: how many files there were when it was last refused
}

// Tool reads a piece of a tool call's arguments.
func (w *Watcher) Tool(callID, name, delta string) []Match {
	if len(w.rules) == 0 || delta == "" {
		return nil
	}
	c := w.calls[callID]
	if c == nil {
		if len(w.calls) == maxCalls {
			return nil
		}
		c = w.newCall(callID, name)
		w.calls[callID] = c
	}
	text := c.text.whole(delta)
	for i, r := range w.rules {
		if c.watched[i] && !c.broken[i] && w.ready(r) {
			c.broken[i] = c.text.read(i, r.machine, text)
		}
	}
	c.arguments.feed(delta, func(text string, done bool) { w.readValue(c, text, done) })
	return w.judge(c)
}

func (w *Watcher) newCall(id, name string) *call {
	n := len(w.rules)
	c := &call{id: id, name: name, text: newStream(n), value: newStream(n), watched: make([]bool, n), broken: make([]bool, n), judged: make([]int, n)}
	for i, r := range w.rules {
		c.watched[i] = r.watches(Tool, strings.ToLower(name))
		c.judged[i] = -1
	}
	return c
}

// readValue reads a piece of a string among the arguments. Each string is a
// text of its own.
func (w *Watcher) readValue(c *call, text string, done bool) {
	text = c.value.whole(text)
	for i, r := range w.rules {
		if !c.watched[i] || c.broken[i] || !w.ready(r) {
			continue
		}
		c.broken[i] = c.value.read(i, r.machine, text) || done && c.value.end(i, r.machine)
	}
	if done {
		clear(c.value.at)
		c.value.tail = ""
	}
}

// judge finds the rules whose condition holds and whose paths are met: a path
// may come after the text that breaks the rule.
func (w *Watcher) judge(c *call) []Match {
	for _, name := range c.arguments.paths[len(c.files):] {
		c.files = append(c.files, w.file(name))
	}
	var found []Match
	for i, r := range w.rules {
		if !c.broken[i] || c.judged[i] == len(c.files) || !w.ready(r) {
			continue
		}
		c.judged[i] = len(c.files)
		if r.allows(strings.ToLower(c.name), c.files) {
			found = append(found, w.match(r, Tool, c))
		}
	}
	return found
}

// End says that the message is complete and returns what only its end could
// tell.
func (w *Watcher) End() []Match {
	var found []Match
	for _, source := range []Source{Text, Thinking} {
		s := w.prose[source]
		for i, r := range w.rules {
			if s != nil && r.watches(source, "") && w.ready(r) && s.end(i, r.machine) {
				found = append(found, w.match(r, source, nil))
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(w.calls)) {
		c := w.calls[id]
		for i, r := range w.rules {
			if c.watched[i] && w.ready(r) {
				c.broken[i] = c.broken[i] || c.text.end(i, r.machine)
			}
		}
		found = append(found, w.judge(c)...)
	}
	return found
}

// file finds out what a path means. One outside of the working folder stays as
// it was written.
func (w *Watcher) file(name string) file {
	name = path.Clean(filepath.ToSlash(name))
	cwd := path.Clean(filepath.ToSlash(w.settings.Cwd))
	f := file{full: name, rel: name}
	if !path.IsAbs(name) && filepath.VolumeName(name) == "" {
		f.full = path.Join(cwd, name)
	}
	if inside, ok := strings.CutPrefix(f.full, strings.TrimSuffix(cwd, "/")+"/"); ok {
		f.rel = inside
	}
	f.full = strings.TrimPrefix(f.full, "/") // as patterns have it
	return f
}
