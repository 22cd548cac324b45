package wire

import (
	"encoding/json"
)

// maxDepth bounds how deep unfinished JSON is followed.
const maxDepth = 128

// Partial returns the JSON object that text, the beginning of one, holds so
// far: open strings, lists and objects are closed, and what can't be told yet
// (half a key, half a number or word) is left out. It is {} when there is no
// object yet. Numbers that stand at the very end count as unfinished.
func Partial(text string) json.RawMessage {
	if raw := json.RawMessage(text); isObject(text) && json.Valid(raw) {
		return raw
	}
	p := partial{text: text}
	p.space()
	if p.at < len(text) && text[p.at] == '{' {
		p.value(0)
	}
	if out := json.RawMessage(p.out); len(out) > 0 && json.Valid(out) {
		return out
	}
	return json.RawMessage("{}")
}

func isObject(text string) bool {
	for i := range len(text) {
		switch text[i] {
		case ' ', '\t', '\r', '\n':
		default:
			return text[i] == '{'
		}
	}
	return false
}

// partial copies complete values to out. A method returns false when the text
// ended inside; what it wrote is whole all the same.
type partial struct {
	text string
	at   int
	out  []byte
}

func (p *partial) space() {
	for p.at < len(p.text) {
		switch p.text[p.at] {
		case ' ', '\t', '\r', '\n':
			p.at++
		default:
			return
		}
	}
}

// next is the next byte that isn't blank, 0 at the end.
func (p *partial) next() byte {
	p.space()
	if p.at == len(p.text) {
		return 0
	}
	return p.text[p.at]
}

// value copies one value. wrote is false when nothing of it can be told.
func (p *partial) value(depth int) (wrote, whole bool) {
	if depth > maxDepth {
		return false, false
	}
	switch p.next() {
	case 0:
		return false, false
	case '{':
		return true, p.object(depth)
	case '[':
		return true, p.list(depth)
	case '"':
		return true, p.str()
	}
	start := p.at
	for p.at < len(p.text) && !delimiter(p.text[p.at]) {
		p.at++
	}
	if p.at == len(p.text) || !json.Valid([]byte(p.text[start:p.at])) {
		return false, false
	}
	p.out = append(p.out, p.text[start:p.at]...)
	return true, true
}

func delimiter(b byte) bool {
	switch b {
	case ',', ']', '}', ':', '"', '[', '{', ' ', '\t', '\r', '\n':
		return true
	}
	return false
}

func (p *partial) object(depth int) bool {
	return p.sequence('{', '}', func() (wrote, whole bool) {
		if p.next() != '"' || !p.str() || p.next() != ':' {
			return false, false
		}
		p.at++
		p.out = append(p.out, ':')
		return p.value(depth + 1)
	})
}

func (p *partial) list(depth int) bool {
	return p.sequence('[', ']', func() (wrote, whole bool) { return p.value(depth + 1) })
}

// sequence copies members up to the end, or to the first that isn't whole; of
// one that nothing can be told of no trace remains.
func (p *partial) sequence(begin, end byte, member func() (wrote, whole bool)) bool {
	p.at++
	p.out = append(p.out, begin)
	whole := false
	for first := true; ; first = false {
		if c := p.next(); c == end {
			p.at++
			whole = true
			break
		} else if !first && c == ',' {
			p.at++
		}
		mark := len(p.out)
		if !first {
			p.out = append(p.out, ',')
		}
		wrote, done := member()
		if !wrote {
			p.out = p.out[:mark]
		}
		if !done {
			break
		}
	}
	p.out = append(p.out, end)
	return whole
}

// str copies a string; one that the text cuts off ends before a half escape.
func (p *partial) str() bool {
	start := p.at
	p.at++
	for p.at < len(p.text) {
		switch p.text[p.at] {
		case '"':
			p.at++
			p.out = append(p.out, p.text[start:p.at]...)
			return true
		case '\\':
			n := 2
			if p.at+1 < len(p.text) && p.text[p.at+1] == 'u' {
				n = 6
			}
			if p.at+n > len(p.text) {
				p.out = append(append(p.out, p.text[start:p.at]...), '"')
				p.at = len(p.text)
				return false
			}
			p.at += n
		default:
			p.at++
		}
	}
	p.out = append(append(p.out, p.text[start:p.at]...), '"')
	return false
}
