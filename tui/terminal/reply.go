package terminal

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Replies takes in what comes from the terminal after Queries, in pieces of any
// size. The zero value is ready.
type Replies struct {
	buf  []byte // of a sequence that isn't whole
	rest []byte // what was no reply
	done bool

	version         string
	kittyKeys       bool
	modifyOtherKeys bool
	modes           map[int]bool // DECRQM: does the terminal know the mode?
	caps            map[string]bool
	pixel           bool // the kitty protocol's answer
	trueColor       bool // the colour came back
	asked           bool // it came back in some form
	columns         []int
	attributes      []int // of the device
}

// Bounds of what is kept.
const (
	maxSequence = 4 << 10
	maxRest     = 64 << 10
)

// Write implements io.Writer; it never fails.
func (r *Replies) Write(p []byte) (int, error) {
	r.buf = append(r.buf, p...)
	for len(r.buf) > 0 {
		n, whole := sequence(r.buf)
		if !whole && len(r.buf) <= maxSequence {
			break
		}
		if !whole {
			n = len(r.buf)
		}
		if r.done || !r.take(string(r.buf[:n])) {
			r.rest = append(r.rest, r.buf[:n]...)
			r.rest = r.rest[:min(len(r.rest), maxRest)]
		}
		r.buf = r.buf[n:]
	}
	return len(p), nil
}

// Done reports whether the last query was answered.
func (r *Replies) Done() bool { return r.done }

// Keys are what the user typed meanwhile, as it came.
func (r *Replies) Keys() []byte { return slices.Concat(r.rest, r.buf) }

// sequence measures the first sequence, or run of other bytes, of b; whole is
// false if its end hasn't come.
func sequence(b []byte) (n int, whole bool) {
	if b[0] != '\x1b' {
		if i := bytes.IndexByte(b, '\x1b'); i > 0 {
			return i, true
		}
		return len(b), true
	}
	if len(b) < 2 {
		return 0, false
	}
	switch b[1] {
	case '[':
		for i := 2; i < len(b); i++ {
			if b[i] >= 0x40 && b[i] <= 0x7e {
				return i + 1, true
			}
			if b[i] < 0x20 || b[i] > 0x7e { // no sequence after all
				return i, true
			}
		}
		return 0, false
	case 'P', ']', '_', '^', 'X':
		for i := 2; i < len(b); i++ {
			switch {
			case b[i] == '\a' || b[i] == 0x18 || b[i] == 0x1a:
				return i + 1, true
			case b[i] == '\x1b' && i+1 == len(b):
				return 0, false
			case b[i] == '\x1b' && b[i+1] == '\\':
				return i + 2, true
			case b[i] == '\x1b':
				return i, true
			}
		}
		return 0, false
	case '\x1b':
		return 1, true
	}
	return 2, true
}

// take notes a reply; false: it is none.
func (r *Replies) take(s string) bool {
	if body, ok := strings.CutPrefix(s, "\x1b["); ok && body != "" {
		return r.control(body[:len(body)-1], body[len(body)-1])
	}
	if len(s) < 2 || s[0] != '\x1b' {
		return false
	}
	body := strings.TrimSuffix(strings.TrimSuffix(s[2:], "\x1b\\"), "\a")
	switch s[1] {
	case 'P':
		return r.device(body)
	case '_':
		if rest, ok := strings.CutPrefix(body, "G"); ok {
			keys, status, _ := strings.Cut(rest, ";")
			r.pixel = r.pixel || slices.Contains(strings.Split(keys, ","), "i="+graphicsID) && status == "OK"
			return true
		}
	}
	return false
}

// control takes a reply of the form CSI parameters final.
func (r *Replies) control(params string, final byte) bool {
	switch {
	case final == 'u' && strings.HasPrefix(params, "?"):
		r.kittyKeys = true
	case final == 'm' && strings.HasPrefix(params, ">4;"):
		r.modifyOtherKeys = true
	case final == 'y' && strings.HasPrefix(params, "?") && strings.HasSuffix(params, "$"):
		n := numbers(strings.TrimSuffix(params[1:], "$"))
		if len(n) != 2 {
			return false
		}
		if r.modes == nil {
			r.modes = map[int]bool{}
		}
		r.modes[n[0]] = n[1] >= 1 && n[1] <= 3 // 0: not known, 4: never on
	case final == 'R':
		n := numbers(params)
		if len(n) != 2 || n[1] < 1 || len(r.columns) == len(Samples()) {
			return false
		}
		r.columns = append(r.columns, n[1]-1)
	case final == 'c' && strings.HasPrefix(params, "?"):
		r.attributes, r.done = numbers(params[1:]), true
	default:
		return false
	}
	return true
}

// device takes a reply of the form DCS text ST.
func (r *Replies) device(body string) bool {
	if name, ok := strings.CutPrefix(body, ">|"); ok {
		r.version = name
		return true
	}
	if status, ok := cutAfter(body, "$r"); ok {
		r.asked = true
		status = strings.ReplaceAll(status, ";", ":") // both are written
		r.trueColor = strings.Contains(status, "48:2:") && strings.Contains(status, ":1:2:3")
		return true
	}
	if caps, ok := cutAfter(body, "+r"); ok {
		if r.caps == nil {
			r.caps = map[string]bool{}
		}
		name, _, _ := strings.Cut(caps, "=")
		switch strings.ToUpper(name) {
		case "524742":
			r.caps["RGB"] = body[0] == '1'
		case "4D73":
			r.caps["Ms"] = body[0] == '1'
		}
		return true
	}
	return false
}

// cutAfter cuts "0" or "1" and mark off the beginning.
func cutAfter(body, mark string) (string, bool) {
	if len(body) == 0 || body[0] != '0' && body[0] != '1' {
		return "", false
	}
	return strings.CutPrefix(body[1:], mark)
}

// numbers are the parameters of a sequence; nil if one is no small number.
func numbers(params string) []int {
	var list []int
	for part := range strings.SplitSeq(params, ";") {
		n, err := strconv.ParseUint(part, 10, 16)
		if err != nil {
			return nil
		}
		list = append(list, int(n))
	}
	return list
}

// Profile is the guess with what the terminal has answered. It is not asked of
// a terminal that answered nothing.
func (r *Replies) Profile(guess Profile, at time.Time) Profile {
	p := guess
	if !r.done {
		return p
	}
	p.Asked = at
	r.identify(&p)
	switch {
	case r.kittyKeys:
		p.Keys = Kitty
	case r.modifyOtherKeys:
		p.Keys = ModifyOtherKeys
	default:
		p.Keys = ""
	}
	for mode, field := range map[int]*Answer{
		modeFocus: &p.Focus, modeMouse: &p.Mouse, modeSync: &p.Sync, modeGraphemes: &p.Graphemes, modeScheme: &p.Scheme,
	} {
		if knows, told := r.modes[mode]; told {
			*field = answer(knows)
		}
	}
	if r.modes[modeBidi] {
		p.Bidi = Yes
	}
	switch {
	case r.pixel:
		p.Images = Kitty
	case p.Images == Kitty && guess.speaksStrings():
		p.Images = "" // it would have said so
	}
	if p.Images == "" && slices.Contains(r.attributes, 4) {
		p.Images = Sixel
	}
	if r.caps["RGB"] || r.trueColor {
		p.TrueColor = Yes
	} else if r.asked && p.TrueColor == Unknown {
		p.TrueColor = No
	}
	if r.caps["Ms"] || slices.Contains(r.attributes, 52) {
		p.Clipboard = Yes
	}
	if samples := Samples(); len(r.columns) == len(samples) {
		p.Widths = map[string]int{}
		for i, s := range samples {
			p.Widths[s.Name] = r.columns[i]
		}
	}
	return p.cleaned()
}

// identify takes the terminal's name from its own answer, such as "kitty(0.40)"
// or "tmux 3.5".
func (r *Replies) identify(p *Profile) {
	name, version := r.version, ""
	if i := strings.LastIndexAny(name, " ("); i > 0 {
		name, version = strings.TrimSpace(name[:i]), strings.Trim(name[i:], " ()")
	}
	switch name = named(name); {
	case name == "":
	case name == "tmux" || name == "zellij" || name == "screen":
		p.Multiplexer = name
	case p.Terminal == "vscode" && name == "xterm.js": // the same, less exactly
	default:
		p.Terminal, p.Version = name, version
	}
	p.learn()
}
