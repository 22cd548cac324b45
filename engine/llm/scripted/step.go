package scripted

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// allow checks that the marker has exactly this many words after its name and
// no attributes but those named.
func (s section) allow(words int, attributes ...string) error {
	if len(s.words) != words {
		return fmt.Errorf("%s takes %d words after its name, not %d", s.name, words, len(s.words))
	}
	for key := range s.values {
		if !slices.Contains(attributes, key) {
			return fmt.Errorf("%s has no attribute %q", s.name, key)
		}
	}
	return nil
}

// fields calls set for each "key: value" line of the body.
func (s section) fields(set func(key, value string) error) error {
	number := s.bodyLine - 1
	for line := range strings.SplitSeq(s.body, "\n") {
		number++
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		key, value, ok := strings.Cut(line, ":")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		if !ok || value == "" {
			return &SyntaxError{Line: number, Msg: fmt.Sprintf(`want "key: value", not %q`, line)}
		}
		if err := set(key, value); err != nil {
			return &SyntaxError{Line: number, Msg: fmt.Sprintf("%s: %v", key, err)}
		}
	}
	return nil
}

// block reads a step that streams a content block.
func (s section) block(b message.Block, words int, attributes ...string) (step, error) {
	quoted := slices.Contains(s.words, "quoted")
	s.words = slices.DeleteFunc(slices.Clone(s.words), func(w string) bool { return w == "quoted" })
	if err := s.allow(words, append(attributes, "piece", "repeat", "delay")...); err != nil {
		return step{}, err
	}
	st := step{kind: blockStep, block: b, signature: s.values["signature"]}
	piece, repeat := 0, 1
	var err error
	if v, ok := s.values["piece"]; ok {
		if piece, err = count(v, 1, maxBlock); err != nil {
			return step{}, fmt.Errorf("piece: %w", err)
		}
	}
	if v, ok := s.values["repeat"]; ok {
		if repeat, err = count(v, 0, maxRepeat); err != nil {
			return step{}, fmt.Errorf("repeat: %w", err)
		}
	}
	if v, ok := s.values["delay"]; ok {
		if st.delay, err = duration(v); err != nil {
			return step{}, err
		}
	}
	body := s.body
	if quoted {
		if body, err = s.unquoted(); err != nil {
			return step{}, err
		}
	}
	if len(body)*repeat > maxBlock {
		return step{}, fmt.Errorf("%d bytes repeated %d times are more than the limit of %d bytes", len(body), repeat, maxBlock)
	}
	st.text = strings.Repeat(body, repeat)
	st.ends = pieces(body, piece, repeat)
	return st, nil
}

// pieces returns where the pieces of body, repeated, end: every size
// characters, or once per repetition when size is 0.
func pieces(body string, size, repeat int) []int {
	if body == "" || repeat == 0 {
		return nil
	}
	var once []int
	for at, n := 0, 0; at < len(body); {
		_, width := utf8.DecodeRuneInString(body[at:])
		at += width
		if n++; n == size || at == len(body) {
			once, n = append(once, at), 0
		}
	}
	ends := make([]int, 0, len(once)*repeat)
	for i := range repeat {
		for _, end := range once {
			ends = append(ends, i*len(body)+end)
		}
	}
	return ends
}

func (s section) unquoted() (string, error) {
	var out strings.Builder
	number := s.bodyLine - 1
	for line := range strings.SplitSeq(s.body, "\n") {
		number++
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		text, err := strconv.Unquote(line)
		if err != nil {
			return "", &SyntaxError{Line: number, Msg: "a quoted body holds Go string literals, one a line"}
		}
		out.WriteString(text)
	}
	return out.String(), nil
}

func (s section) usage() (step, error) {
	st := step{kind: usageStep}
	fields := map[string]*int{
		"input": &st.usage.Input, "output": &st.usage.Output,
		"cacheRead": &st.usage.CacheRead, "cacheWrite": &st.usage.CacheWrite,
	}
	if err := s.allow(0, "input", "output", "cacheRead", "cacheWrite"); err != nil {
		return step{}, err
	}
	for key, value := range s.values {
		n, err := count(value, 0, 1<<31-1)
		if err != nil {
			return step{}, fmt.Errorf("%s: %w", key, err)
		}
		*fields[key] = n
	}
	return st, nil
}

func (s section) failure() (step, error) {
	if err := s.allow(0, "kind", "status", "retry-after"); err != nil {
		return step{}, err
	}
	e := &llm.Error{Kind: llm.Unknown, Provider: Provider, Message: s.body}
	if e.Message == "" {
		e.Message = "scripted failure"
	}
	var err error
	for key, value := range s.values {
		switch key {
		case "kind":
			e.Kind, err = kind(value)
		case "status":
			e.Status, err = count(value, 100, 599)
		case "retry-after":
			e.RetryAfter, err = duration(value)
		}
		if err != nil {
			return step{}, fmt.Errorf("%s: %w", key, err)
		}
	}
	return step{kind: errorStep, err: e}, nil
}

func kind(value string) (llm.Kind, error) {
	switch k := llm.Kind(value); k {
	case llm.Auth, llm.RateLimit, llm.Overloaded, llm.Unavailable, llm.BadRequest, llm.Overflow, llm.Filtered, llm.Unknown:
		return k, nil
	}
	return "", fmt.Errorf("unknown kind %q (use auth, rate_limit, overloaded, unavailable, bad_request, overflow, filtered or unknown)", value)
}

func count(value string, low, high int) (int, error) {
	n, err := strconv.Atoi(value)
	if err != nil || n < low || n > high {
		return 0, fmt.Errorf("%q is no number from %d to %d", value, low, high)
	}
	return n, nil
}

func duration(value string) (time.Duration, error) {
	d, err := time.ParseDuration(value)
	if err != nil {
		return 0, fmt.Errorf("%q is no duration; write it like 50ms or 2s", value)
	}
	if d < 0 || d > maxDelay {
		return 0, errors.New("a duration is between 0 and 24h")
	}
	return d, nil
}
