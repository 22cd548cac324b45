//go:build unix

package main

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"sync"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/llm/llmtest/mockserver"
)

// stage is the mock, and what it plays at the moment.
type stage struct {
	server *httptest.Server
	mu     sync.Mutex
	scene  scene
	asked  int // how often the agent has asked since the scene began
}

// scene answers a request of an agent.
type scene func(mockserver.Request) mockserver.Answer

func newStage() *stage {
	s := &stage{}
	mock := mockserver.New(s.answer)
	mock.Forget = true
	s.server = httptest.NewServer(mock)
	return s
}

func (s *stage) url() string { return s.server.URL }

func (s *stage) close() {
	s.server.CloseClientConnections()
	s.server.Close()
}

// play begins a scene.
func (s *stage) play(sc scene) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.scene, s.asked = sc, 0
}

// requests is how often the agent has asked since the scene began.
func (s *stage) requests() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked
}

// title answers what is asked besides the work: titles, summaries, topics.
var title = mockserver.Answer{Text: []string{"A title"}}

func (s *stage) answer(r mockserver.Request) mockserver.Answer {
	if !r.OffersTools() {
		return title
	}
	s.mu.Lock()
	s.asked++
	scene := s.scene
	s.mu.Unlock()
	if scene == nil {
		return title
	}
	return scene(r)
}

// hello is the last word of a short answer, done that of each other.
const (
	hello = "mockingbird"
	done  = "Finished."
)

// says is the same answer to everything, prepared for each wire.
func says(text ...string) scene {
	prepared := map[mockserver.Wire]mockserver.Answer{}
	for _, wire := range mockserver.Wires() {
		prepared[wire] = mockserver.Answer{Text: text}.Prepare(wire)
	}
	return func(r mockserver.Request) mockserver.Answer { return prepared[r.Wire] }
}

// The long answer.
const (
	streamDeltas = 20_000
	streamBytes  = 5 * streamDeltas
)

// stream is the long answer: 100 KB, 5 bytes a delta.
func stream() scene {
	text := make([]string, streamDeltas)
	for i := range text {
		text[i] = fmt.Sprintf("w%03d ", i%1000)
	}
	text[len(text)-1] = "end.\n"
	return says(append(text, done)...)
}

// calls has the agent call a tool n times, one call an answer.
func calls(n int, call mockserver.Call) scene {
	return func(r mockserver.Request) mockserver.Answer {
		made := r.Results()
		if made >= n {
			return mockserver.Answer{Text: []string{done}}
		}
		c := call
		c.ID, c.Item = fmt.Sprintf("call_%d", made), fmt.Sprintf("fc_%d", made)
		return mockserver.Answer{Calls: []mockserver.Call{c}}
	}
}

// paced is a text in deltas of 24 bytes, spread over a time.
func paced(text string, over time.Duration) scene {
	a := mockserver.Answer{Text: pieces(text, 24)}
	a.Pause = over / time.Duration(len(a.Text))
	return func(mockserver.Request) mockserver.Answer { return a }
}

// pieces cuts a text into n bytes or a little more: no rune is cut.
func pieces(text string, n int) []string {
	var out []string
	for len(text) > n {
		end := n
		for end < len(text) && text[end]&0xC0 == 0x80 {
			end++
		}
		out = append(out, text[:end])
		text = text[end:]
	}
	return append(out, text)
}

// markdown is an answer as models write them, of at least n bytes: headings,
// prose, lists, tables and code, in scripts of several widths and directions.
func markdown(n int) string {
	var b strings.Builder
	for i := 1; b.Len() < n; i++ {
		fmt.Fprintf(&b, "## %d. What the harbour keeps\n\n", i)
		fmt.Fprintf(&b, "The **pilot** reads `berth%d.go` before the tide turns, and *writes* what has changed: see [the log](https://harbour.invalid/%d). ", i, i)
		b.WriteString("Each crane has a number, each number a crane, and the ledger is balanced at dusk by whoever is still awake to do it.\n\n")
		switch i % 5 {
		case 0:
			fmt.Fprintf(&b, "```go\n// Berth finds a free place for a ship of a length.\nfunc Berth(length float64) (int, error) {\n\tfor i, b := range berths {\n\t\tif b.Free && b.Length >= length+%d {\n\t\t\treturn i, nil\n\t\t}\n\t}\n\treturn 0, fmt.Errorf(\"no berth of %%.1f m\", length)\n}\n```\n\n", i)
		case 1:
			b.WriteString("| berth | ship | 状態 | weight |\n|:--|:-:|--|--:|\n")
			for j := range 6 {
				fmt.Fprintf(&b, "| %d | *Reed %d* | 入港 | %d.%d t |\n", j, i, 120+j*i, j)
			}
			b.WriteString("\n")
		case 2:
			fmt.Fprintf(&b, "- first the ropes 🪢\n  - those of the bow\n  - those of the stern, %d of them\n- then the papers\n- then coffee ☕\n\n", i)
		case 3:
			b.WriteString("> 港には朝の霧が立ち、船は静かに待っている。\n>\n> تنتظر السفن في الميناء حتى ينقشع الضباب.\n\n")
		case 4:
			fmt.Fprintf(&b, "```diff\n@@ -%d,3 +%d,3 @@\n func close() {\n-\tgates.Shut()\n+\tgates.Shut(now)\n }\n```\n\n1. shut the gates\n2. count the boats\n\n", i, i)
		}
	}
	return b.String()
}
