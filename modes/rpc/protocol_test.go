package rpc_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/modes/rpc/strict"
)

// example is a fenced block of PROTOCOL.md.
type example struct {
	line  int // of its first line
	kind  string
	lines []string
}

func protocol(t *testing.T) string {
	t.Helper()
	doc, err := os.ReadFile("PROTOCOL.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(doc)
}

// examples returns the fenced blocks of a document.
func examples(t *testing.T, doc string) []example {
	t.Helper()
	var all []example
	var open *example
	for i, line := range strings.Split(doc, "\n") {
		fence, isFence := strings.CutPrefix(line, "```")
		switch {
		case isFence && open == nil:
			open = &example{line: i + 2, kind: fence}
		case isFence:
			all, open = append(all, *open), nil
		case open != nil:
			open.lines = append(open.lines, line)
		}
	}
	if open != nil {
		t.Fatalf("PROTOCOL.md:%d: the block has no end", open.line)
	}
	return all
}

// Every example is what the strict reader lets through, and every frame and
// command has one.
func TestProtocolExamples(t *testing.T) {
	frames, inputs, failures := map[string]bool{}, map[string]bool{}, map[string]bool{}
	sawFrame := func(at string, line []byte) {
		name, err := strict.FrameName(line)
		if err != nil {
			t.Errorf("%s: %v\n%s", at, err, line)
			return
		}
		var f struct {
			Type    string
			Success bool
		}
		if err := json.Unmarshal(line, &f); err != nil {
			t.Fatal(err)
		}
		if f.Type == "response" && !f.Success {
			failures[name] = true
		} else {
			frames[name] = true
		}
	}
	for _, e := range examples(t, protocol(t)) {
		kind, _, _ := strings.Cut(e.kind, " ")
		switch kind {
		case "text":
		case "json":
			var compact bytes.Buffer
			if err := json.Compact(&compact, []byte(strings.Join(e.lines, "\n"))); err != nil {
				t.Errorf("PROTOCOL.md:%d: %v", e.line, err)
				continue
			}
			sawFrame(fmt.Sprintf("PROTOCOL.md:%d", e.line), compact.Bytes())
		case "rpc":
			for i, line := range e.lines {
				at := fmt.Sprintf("PROTOCOL.md:%d", e.line+i)
				mark, rest, _ := strings.Cut(line, " ")
				switch mark {
				case "<":
					sawFrame(at, []byte(rest))
				case ">":
					if err := strict.Input([]byte(rest)); err != nil {
						t.Errorf("%s: %v", at, err)
					}
					inputs[typeOf(t, rest)] = true
				case "#":
				default:
					t.Errorf("%s: neither > nor < nor #: %s", at, line)
				}
			}
		default:
			t.Errorf("PROTOCOL.md:%d: a block of the kind %q", e.line, kind)
		}
	}
	for _, name := range strict.FrameNames() {
		if !frames[name] {
			t.Errorf("there is no example of %q", name)
		}
	}
	for _, name := range strict.InputNames() {
		if !inputs[name] {
			t.Errorf("there is no example of the input %q", name)
		}
	}
	for _, command := range fallible {
		if !failures["response "+command] {
			t.Errorf("there is no example of a failed %s", command)
		}
	}
}

// fallible are the commands with errors of their own. parse stands for what is
// told without a command.
var fallible = []string{
	"parse", "prompt", "abort_and_prompt", "steer", "set_host_tools", "set_model", "cycle_model", "set_thinking_level",
	"set_steering_mode", "set_follow_up_mode", "set_interrupt_mode", "compact", "bash", "switch_session", "branch", "fork",
	"clone", "get_entries", "set_session_name", "export_html",
}

func typeOf(t *testing.T, line string) string {
	t.Helper()
	var v struct{ Type string }
	if err := json.Unmarshal([]byte(line), &v); err != nil {
		t.Fatal(err)
	}
	return v.Type
}

// The examples that are whole sessions keep to the rules across frames.
func TestProtocolSessions(t *testing.T) {
	var seen []string
	for _, e := range examples(t, protocol(t)) {
		words := strings.Fields(e.kind)
		if len(words) < 2 || words[0] != "rpc" || words[1] != "session" {
			continue
		}
		seen = append(seen, e.kind)
		t.Run(fmt.Sprintf("line %d", e.line), func(t *testing.T) {
			var o strict.Options
			for _, w := range words[2:] {
				switch w {
				case "dialect=pi":
					o.Dialect = strict.Pi
				case "updates=delta":
					o.Delta = true
				default:
					t.Fatalf("unknown option %q", w)
				}
			}
			s := strict.New(o)
			for i, line := range e.lines {
				mark, rest, _ := strings.Cut(line, " ")
				switch mark {
				case ">":
					s.Sent([]byte(rest))
				case "<":
					if err := s.Line([]byte(rest)); err != nil {
						t.Fatalf("PROTOCOL.md:%d: %v", e.line+i, err)
					}
				}
			}
			if err := s.End(); err != nil {
				t.Error(err)
			}
		})
	}
	if len(seen) < 3 {
		t.Errorf("sessions %q; want one of each dialect and form at least", seen)
	}
}

// Links lead to headings, and each requirement has its row.
func TestProtocolLinks(t *testing.T) {
	doc := protocol(t)
	var anchors []string
	for _, m := range regexp.MustCompile(`(?m)^##+ (.+)$`).FindAllStringSubmatch(doc, -1) {
		anchors = append(anchors, strings.ReplaceAll(strings.ToLower(m[1]), " ", "-"))
	}
	for _, m := range regexp.MustCompile(`\]\(#([^)]+)\)`).FindAllStringSubmatch(doc, -1) {
		if !slices.Contains(anchors, m[1]) {
			t.Errorf("there is no heading for #%s", m[1])
		}
	}
	for n := 1; n <= 15; n++ {
		if rows := strings.Count(doc, fmt.Sprintf("\n| R-%d |", n)); rows != 1 {
			t.Errorf("R-%d has %d rows", n, rows)
		}
	}
}
