package rule

import (
	"encoding/binary"
	"fmt"
	"regexp/syntax"
	"slices"
	"unicode"
	"unicode/utf8"
)

// machine finds out whether a regular expression matches anywhere in a text
// that arrives in pieces. It is an automaton whose states are made when they
// are first reached. Not safe for concurrent use.
//
// A state is the set of places in the program where a match that began
// anywhere before could go on, and what kind of character was read last, which
// decides the assertions (^ $ \b) at the next one.
type machine struct {
	prog   *syntax.Prog
	first  []rune // of each class, ascending: characters that the program can't tell apart
	ascii  [utf8.RuneSelf]uint16
	states map[string]*state
	start  *state
	hit    *state // a match was found; the machine stays here

	// Scratch space of step.
	mark        []uint32 // visited instructions, by generation
	gen         uint32
	stack       []uint32
	set, before []uint32
	key         []byte
}

type state struct {
	places []uint32 // instructions that wait for a character or an assertion
	last   rune     // stands for the kind of the last character; -1 at the beginning
	next   []*state // by class, nil where unknown
}

// maxCells bounds a machine's table, in entries of 8 bytes.
const maxCells = 32 << 10

func newMachine(expr string) (*machine, error) {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil, err
	}
	prog, err := syntax.Compile(re.Simplify())
	if err != nil {
		return nil, err
	}
	if len(prog.Inst) > maxProgram {
		return nil, fmt.Errorf("it is too large: %d steps, the limit is %d", len(prog.Inst), maxProgram)
	}
	m := &machine{prog: prog, first: classes(prog), states: map[string]*state{}, mark: make([]uint32, len(prog.Inst)), hit: &state{}}
	for r := range m.ascii {
		m.ascii[r] = uint16(m.search(rune(r)))
	}
	m.begin()
	m.follow(uint32(prog.Start), 0)
	m.start = m.intern(-1)
	return m, nil
}

// classes cuts the characters into ranges within which the program and the
// assertions make no difference.
func classes(prog *syntax.Prog) []rune {
	bounds := []rune{0, '\n', '\n' + 1, '0', '9' + 1, 'A', 'Z' + 1, '_', '_' + 1, 'a', 'z' + 1}
	for _, inst := range prog.Inst {
		if inst.Op != syntax.InstRune && inst.Op != syntax.InstRune1 {
			continue
		}
		if len(inst.Rune) == 1 {
			r := inst.Rune[0]
			bounds = append(bounds, r, r+1)
			for f := unicode.SimpleFold(r); f != r && syntax.Flags(inst.Arg)&syntax.FoldCase != 0; f = unicode.SimpleFold(f) {
				bounds = append(bounds, f, f+1)
			}
			continue
		}
		for i := 0; i+1 < len(inst.Rune); i += 2 {
			bounds = append(bounds, inst.Rune[i], inst.Rune[i+1]+1)
		}
	}
	slices.Sort(bounds)
	return slices.Compact(bounds)
}

// search returns the class of a character.
func (m *machine) search(r rune) int {
	i, found := slices.BinarySearch(m.first, r)
	if !found {
		i--
	}
	return i
}

// run reads text from state s on. It stops at a match.
func (m *machine) run(s *state, text string) *state {
	if len(text) > 0 && m.matched(s) {
		return m.hit
	}
	for i := 0; i < len(text) && s != m.hit; {
		var class int
		if c := text[i]; c < utf8.RuneSelf {
			class = int(m.ascii[c])
			i++
		} else {
			r, size := utf8.DecodeRuneInString(text[i:])
			class = m.search(r)
			i += size
		}
		next := s.next[class]
		if next == nil {
			next = m.step(s, class)
			s.next[class] = next
		}
		s = next
	}
	return s
}

// end reports whether the text that led to s matches, now that nothing
// follows.
func (m *machine) end(s *state) bool {
	if s == m.hit {
		return true
	}
	flags := syntax.EmptyOpContext(s.last, -1)
	m.begin()
	return slices.ContainsFunc(s.places, func(pc uint32) bool { return m.follow(pc, flags) })
}

// matched reports whether s holds a match that needs no assertion.
func (m *machine) matched(s *state) bool {
	return slices.ContainsFunc(s.places, func(pc uint32) bool { return m.prog.Inst[pc].Op == syntax.InstMatch })
}

// step makes the state that a character of a class leads to.
func (m *machine) step(s *state, class int) *state {
	r := m.first[class]
	flags := syntax.EmptyOpContext(s.last, r)
	m.begin()
	for _, pc := range s.places {
		if m.follow(pc, flags) {
			return m.hit
		}
	}
	m.before = append(m.before[:0], m.set...)
	m.begin()
	for _, pc := range m.before {
		if inst := &m.prog.Inst[pc]; reads(inst.Op) && inst.MatchRune(r) && m.follow(inst.Out, 0) {
			return m.hit
		}
	}
	m.follow(uint32(m.prog.Start), 0)
	return m.intern(kind(r))
}

// kind stands for all characters that the assertions treat alike.
func kind(r rune) rune {
	switch {
	case r == '\n':
		return '\n'
	case syntax.IsWordChar(r):
		return 'a'
	}
	return ' '
}

func reads(op syntax.InstOp) bool {
	return op == syntax.InstRune || op == syntax.InstRune1 || op == syntax.InstRuneAny || op == syntax.InstRuneAnyNotNL
}

// begin empties the set that follow fills.
func (m *machine) begin() {
	m.gen++
	m.set = m.set[:0]
}

// follow adds to the set what can be reached from an instruction without
// reading, where the assertions in flags hold. It reports whether a match is
// reached.
func (m *machine) follow(pc uint32, flags syntax.EmptyOp) bool {
	matched := false
	m.stack = append(m.stack[:0], pc)
	for len(m.stack) > 0 {
		pc := m.stack[len(m.stack)-1]
		m.stack = m.stack[:len(m.stack)-1]
		if m.mark[pc] == m.gen {
			continue
		}
		m.mark[pc] = m.gen
		switch inst := &m.prog.Inst[pc]; inst.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			m.stack = append(m.stack, inst.Out, inst.Arg)
		case syntax.InstCapture, syntax.InstNop:
			m.stack = append(m.stack, inst.Out)
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(inst.Arg)&^flags == 0 {
				m.stack = append(m.stack, inst.Out)
			} else {
				m.set = append(m.set, pc)
			}
		case syntax.InstMatch:
			matched = true
			m.set = append(m.set, pc)
		case syntax.InstFail:
		default:
			m.set = append(m.set, pc)
		}
	}
	return matched
}

// intern returns the state of the set.
func (m *machine) intern(last rune) *state {
	slices.Sort(m.set)
	m.key = append(m.key[:0], byte(last))
	for _, pc := range m.set {
		m.key = binary.LittleEndian.AppendUint16(m.key, uint16(pc))
	}
	if s := m.states[string(m.key)]; s != nil {
		return s
	}
	if len(m.states)*len(m.first) > maxCells {
		clear(m.states) // what is needed comes back
	}
	s := &state{places: slices.Clone(m.set), last: last, next: make([]*state, len(m.first))}
	m.states[string(m.key)] = s
	return s
}
