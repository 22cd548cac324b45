package scripted

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// Bounds keep a damaged or hostile script from filling the memory.
const (
	maxRepeat = 1_000_000
	maxBlock  = 64 << 20 // bytes of one block's text
	maxDelay  = 24 * time.Hour
)

// Parse reads a script. name is shown in errors and is the model's id: the
// path as the user gave it. Errors are *SyntaxError.
func Parse(name string, data []byte) (*Script, error) {
	sections, err := split(name, string(data))
	if err != nil {
		return nil, err
	}
	p := parser{script: &Script{name: name, model: defaultModel(name)}}
	for _, s := range sections {
		if err := p.section(s); err != nil {
			var at *SyntaxError
			if errors.As(err, &at) {
				at.File = name
				return nil, at
			}
			return nil, &SyntaxError{name, s.line, err.Error()}
		}
	}
	if len(p.script.turns) == 0 {
		return nil, &SyntaxError{name, 1, `no "-- turn --" section`}
	}
	return p.script, nil
}

func defaultModel(name string) llm.Model {
	return llm.Model{
		ID: name, Name: "Script " + name, API: API, Provider: Provider,
		Reasoning: true, Input: []string{"text", "image"},
		ContextWindow: 200_000, MaxTokens: 64_000,
	}
}

type parser struct {
	script *Script
	calls  int
	ended  string // the step that ended the turn, if one did
}

func (p *parser) section(s section) error {
	switch s.name {
	case "model":
		if len(p.script.turns) > 0 {
			return errors.New("the model section comes before the first turn")
		}
		return p.model(s)
	case "turn":
		return p.turn(s)
	}
	if len(p.script.turns) == 0 {
		return fmt.Errorf("%s comes before the first turn", s.name)
	}
	if p.ended != "" {
		return fmt.Errorf("%s comes after %s, which ends the turn", s.name, p.ended)
	}
	st, err := p.step(s)
	if err != nil {
		return err
	}
	if st.kind == errorStep || st.kind == disconnectStep {
		p.ended = s.name
	}
	t := &p.script.turns[len(p.script.turns)-1]
	t.steps = append(t.steps, st)
	return nil
}

func (p *parser) turn(s section) error {
	if err := s.allow(0); err != nil {
		return err
	}
	t := turn{line: s.line, times: 1}
	err := s.fields(func(key, value string) (err error) {
		switch key {
		case "on":
			t.on, err = parseCondition(value)
		case "system":
			t.system, err = parseCondition(value)
		case "times":
			if value == "always" {
				t.times = always
				return nil
			}
			t.times, err = count(value, 1, maxRepeat)
		default:
			err = errors.New("unknown key; a turn has on, system and times")
		}
		return err
	})
	p.script.turns, p.ended = append(p.script.turns, t), ""
	return err
}

func (p *parser) model(s section) error {
	if err := s.allow(0); err != nil {
		return err
	}
	m := &p.script.model
	return s.fields(func(key, value string) (err error) {
		switch key {
		case "name":
			m.Name = value
		case "window":
			m.ContextWindow, err = count(value, 1, 1<<31-1)
		case "max-tokens":
			m.MaxTokens, err = count(value, 1, 1<<31-1)
		case "images":
			switch value {
			case "yes":
			case "no":
				m.Input = []string{"text"}
			default:
				err = errors.New("want yes or no")
			}
		case "levels":
			m.Reasoning, m.Levels, err = parseLevels(value)
		case "price":
			m.Cost, err = parsePrice(value)
		default:
			err = errors.New("unknown key; a model has name, window, max-tokens, images, levels and price")
		}
		return err
	})
}

func parseLevels(value string) (reasoning bool, levels []llm.Level, err error) {
	if value == "none" {
		return false, nil, nil
	}
	for _, word := range strings.Fields(value) {
		l, err := llm.ParseLevel(word)
		if err != nil {
			return false, nil, err
		}
		if l != llm.Off {
			levels = append(levels, l)
		}
	}
	order := llm.AllLevels()
	slices.SortFunc(levels, func(a, b llm.Level) int { return slices.Index(order, a) - slices.Index(order, b) })
	return true, slices.Compact(levels), nil
}

func parsePrice(value string) (llm.Price, error) {
	var n [4]float64
	words := strings.Fields(value)
	if len(words) > len(n) {
		return llm.Price{}, errors.New("a price has at most four numbers")
	}
	for i, word := range words {
		f, err := strconv.ParseFloat(word, 64)
		if err != nil || !(f >= 0 && f < 1e6) {
			return llm.Price{}, fmt.Errorf("%q is no price", word)
		}
		n[i] = f
	}
	return llm.Price{Input: n[0], Output: n[1], CacheRead: n[2], CacheWrite: n[3]}, nil
}

func parseCondition(value string) (condition, error) {
	if len(value) < 2 || value[0] != '/' || value[len(value)-1] != '/' {
		return condition{text: strings.ToLower(value)}, nil
	}
	expr, err := regexp.Compile(value[1 : len(value)-1])
	if err != nil {
		return condition{}, err
	}
	return condition{expr: expr}, nil
}

func (p *parser) step(s section) (step, error) {
	switch s.name {
	case "text":
		return s.block(message.Block{Type: message.TextBlock}, 0)
	case "thinking":
		return s.block(message.Block{Type: message.ThinkingBlock}, 0, "signature")
	case "call":
		p.calls++
		b := message.Block{Type: message.ToolCallBlock, ID: s.values["id"]}
		if len(s.words) > 0 {
			b.Name = s.words[0]
		}
		if b.ID == "" {
			b.ID = fmt.Sprintf("call_%d", p.calls)
		}
		return s.block(b, 1, "id")
	case "delay":
		if err := s.allow(1); err != nil {
			return step{}, err
		}
		d, err := duration(s.words[0])
		return step{kind: delayStep, delay: d}, err
	case "mark":
		if err := s.allow(1); err != nil {
			return step{}, err
		}
		return step{kind: markStep, text: s.words[0]}, nil
	case "usage":
		return s.usage()
	case "stop":
		if err := s.allow(1); err != nil {
			return step{}, err
		}
		switch r := message.StopReason(s.words[0]); r {
		case message.Stop, message.Length, message.ToolUse, message.Refusal:
			return step{kind: stopStep, stop: r}, nil
		}
		return step{}, fmt.Errorf("unknown stop reason %q (use stop, length, toolUse or refusal)", s.words[0])
	case "error":
		return s.failure()
	case "disconnect":
		return step{kind: disconnectStep, err: io.ErrUnexpectedEOF}, s.allow(0)
	}
	return step{}, fmt.Errorf("unknown section %q (use turn, text, thinking, call, delay, mark, usage, stop, error or disconnect)", s.name)
}
