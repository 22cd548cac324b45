//go:build linux

package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/llm/llmtest/mockserver"
)

// player is the model of all processes. What it does stands in the last
// directive of the conversation.
type player struct {
	mu      sync.Mutex
	tries   map[string]int           // requests for a directive with a fault
	reached map[string]chan struct{} // closed at the first request
	played  map[string]int           // faults by name, and requests
}

func newPlayer() *player {
	return &player{tries: map[string]int{}, reached: map[string]chan struct{}{}, played: map[string]int{}}
}

// directive is what a prompt asks for: tools to be called one after the other,
// then the answer.
type directive struct {
	id    string
	steps []string
	fault string // of the first request
	slow  bool
}

// A sub-agent's directive has round brackets, so that in its caller's
// conversation the caller's own is found.
var (
	directives    = regexp.MustCompile(`\[\[(s[0-9]+)((?: [a-z0-9:]+)*)\]\]`)
	subDirectives = regexp.MustCompile(`\(\((t[0-9]+)((?: [a-z0-9:]+)*)\)\)`)
)

// faults that pass, by what the service does.
var passing = []string{"429", "500", "529", "cut", "stall"}

// final are those after which a prompt may end without an answer.
var final = []string{"400", "401", "garbage"}

// lastDirective finds it in a request, and what comes after it.
func lastDirective(body []byte) (d directive, rest []byte, ok bool) {
	for _, form := range []*regexp.Regexp{directives, subDirectives} {
		all := form.FindAllSubmatchIndex(body, -1)
		if len(all) == 0 {
			continue
		}
		at := all[len(all)-1]
		d := directive{id: string(body[at[2]:at[3]])}
		for word := range strings.FieldsSeq(string(body[at[4]:at[5]])) {
			if fault, ok := strings.CutPrefix(word, "fault:"); ok {
				d.fault = fault
			} else if word == "slow" {
				d.slow = true
			} else {
				d.steps = append(d.steps, word)
			}
		}
		return d, body[at[1]:], true
	}
	return directive{}, nil, false
}

// answer implements the model.
func (p *player) answer(r mockserver.Request) mockserver.Answer {
	d, rest, ok := lastDirective(r.Body)
	p.mu.Lock()
	p.played["requests"]++
	p.mu.Unlock()
	if !ok || !r.OffersTools() {
		return mockserver.Answer{Text: []string{"The work ", "went on."}}
	}
	p.reach(d.id)
	if a, ok := p.fault(d); ok {
		return a
	}
	done := mockserver.Request{Wire: r.Wire, Body: rest}.Results()
	if done < len(d.steps) {
		return mockserver.Answer{Thinking: "I look.", Signature: "c2ln", Calls: []mockserver.Call{call(d.id, done, d.steps[done])}}
	}
	p.mu.Lock()
	delete(p.tries, d.id)
	p.mu.Unlock()
	a := mockserver.Answer{Text: []string{"begun.\n\n", "answer-" + d.id, " is whole.\n"}}
	for i := range 8 {
		a.Text = append(a.Text, fmt.Sprintf("%d: `code`, **bold**, 中文, عربي. ", i))
	}
	if d.slow {
		a.Pause, a.Garbage = 30*time.Millisecond, ": keep-alive\n\nid: 1\nretry: 5\n\n"
	}
	return a
}

// reach tells who waits for a directive to be with the model.
func (p *player) reach(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c, ok := p.reached[id]; ok {
		close(c)
		delete(p.reached, id)
	}
}

// expect returns a channel that is closed when a directive is with the model.
func (p *player) expect(id string) <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.reached[id] == nil {
		p.reached[id] = make(chan struct{})
	}
	return p.reached[id]
}

// fault is what goes wrong instead of an answer.
func (p *player) fault(d directive) (mockserver.Answer, bool) {
	if d.fault == "" {
		return mockserver.Answer{}, false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tries[d.id]++
	forever := d.fault == "400" || d.fault == "401" || d.fault == "hang"
	if p.tries[d.id] > 1 && !forever {
		return mockserver.Answer{}, false
	}
	p.played["fault "+d.fault]++
	half := mockserver.Answer{Text: []string{"begun.\n\n", "half an answer"}}
	switch d.fault {
	case "cut":
		half.Cut = true
	case "stall", "hang":
		half.Hang = true
	case "garbage":
		half.Garbage = "event: content_block_delta\ndata: {\"type\": \x00\xff[[[\n\nevent: \x1b]0;x\x07\ndata: 1\n\n"
	case "overflow":
		return mockserver.Answer{Status: 400, Message: "prompt is too long: 210000 tokens > 200000 maximum"}, true
	default:
		status := 0
		fmt.Sscan(d.fault, &status)
		return mockserver.Answer{Status: status, Message: "not now", RetryAfter: "0"}, true
	}
	return half, true
}

// call is a step. The marker of a result is put together by the shell, so that
// it stands in the result alone.
func call(id string, n int, step string) mockserver.Call {
	c := mockserver.Call{ID: fmt.Sprintf("call_%s_%d", id, n), Item: fmt.Sprintf("fc_%s_%d", id, n)}
	set := func(name, arguments string, a ...any) { c.Name, c.Arguments = name, fmt.Sprintf(arguments, a...) }
	file := "work-" + id[len(id)-1:] + ".txt"
	switch step {
	case "read":
		set("read", `{"path":"notes.txt"}`)
	case "big":
		set("read", `{"path":"big.txt"}`)
	case "bash":
		set("bash", `{"command":"n=%s; echo \"result-$n-%d\"; seq 200"}`, id, n)
	case "sleep":
		set("bash", `{"command":"n=%s; echo \"up-$n\"; sleep 50"}`, id)
	case "write":
		set("write", `{"path":%q,"content":"alpha of %s\nbeta\n"}`, file, id)
	case "edit":
		set("edit", `{"path":%q,"oldText":"alpha of %s","newText":"gamma"}`, file, id)
	case "grep":
		set("grep", `{"pattern":"note|line 1.7"}`)
	case "find":
		set("find", `{"pattern":"**/*.txt"}`)
	case "todo":
		set("todo", `{"ops":[{"op":"replace","phases":[{"name":"Soak","tasks":[{"content":"work on %s","status":"completed"}]}]}]}`, id)
	case "task":
		set("task", `{"agent":"general","description":"look around","prompt":"((t%s read bash))"}`, id[1:])
	default:
		set("ls", `{"path":"."}`)
	}
	return c
}

// plan makes up a prompt for an id. mayFail reports whether it may have no
// answer.
func plan(r *rand.Rand, id string) (text string, mayFail bool) {
	words := []string{id}
	for range r.IntN(4) {
		switch step := pick(r, "read", "big", "bash", "bash", "write", "grep", "find", "todo", "task", "ls"); step {
		case "write":
			words = append(words, "write", "edit")
		default:
			words = append(words, step)
		}
	}
	switch r.IntN(10) {
	case 0, 1:
		words = append(words, "fault:"+pick(r, passing...))
	case 2:
		words, mayFail = append(words, "fault:"+pick(r, final...)), true
	case 3:
		words = append(words, "slow")
	}
	return ask(words...), mayFail
}

// ask is a prompt with a directive of these words.
func ask(words ...string) string { return "Please. [[" + strings.Join(words, " ") + "]]" }

// markers are what clients and files are searched for. In JSON a letter may stand
// right before one, of an escaped line end.
var markers = regexp.MustCompile(`(?:answer|result)-s[0-9]+(?:-[0-9]+)?\b`)

// marked lists the markers of a text.
func marked(text []byte) (found []string) {
	if !bytes.Contains(text, []byte("-s")) {
		return nil
	}
	for _, m := range markers.FindAll(text, -1) {
		found = append(found, string(m))
	}
	return found
}
