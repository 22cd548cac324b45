//go:build linux

package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/llm/llmtest/mockserver"
)

// The audit finds what is wrong with a file.
func TestInspectLines(t *testing.T) {
	const head = `{"type":"session","version":3,"id":"x"}` + "\n"
	entry := func(id, parent, role, text string) string {
		return fmt.Sprintf(`{"type":"message","id":%q,"parentId":%s,"message":{"role":%q,"content":%q}}`+"\n", id, parent, role, text)
	}
	first := entry("a", "null", "user", "[[s1 read]]")
	for name, c := range map[string]struct{ text, wrong string }{
		"whole":        {head + first + entry("b", `"a"`, "assistant", "\nanswer-s1 is whole"), ""},
		"branch":       {head + first + entry("b", `"a"`, "assistant", "x") + entry("c", `"a"`, "user", "y"), ""},
		"killed":       {head + first + `{"type":"mess`, ""},
		"torn":         {head + `{"type":"mess` + "\n" + first, "torn"},
		"no head":      {first, "first line"},
		"orphan":       {head + entry("b", `"a"`, "user", ""), "no parent a"},
		"twice":        {head + first + first, "twice"},
		"without name": {head + entry("", "null", "user", ""), "missing"},
	} {
		t.Run(name, func(t *testing.T) {
			err := inspectLines([]byte(c.text), map[string]bool{})
			if (err == nil) != (c.wrong == "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
				t.Errorf("error %v, want %q", err, c.wrong)
			}
		})
	}
}

// Each marker counts only in a message of the role that it belongs to.
func TestKeep(t *testing.T) {
	kept := map[string]bool{}
	for role, text := range map[string]string{
		"user": `[[s1 read bash]] answer-s2`, "assistant": `\nanswer-s3 result-s4-0`, "toolResult": `result-s5-1 answer-s6`,
	} {
		keep(role, []byte(text), kept)
	}
	for _, marker := range []string{"prompt-s1", "answer-s3", "result-s5-1"} {
		if !kept[marker] {
			t.Errorf("no %s in %v", marker, kept)
		}
	}
	if len(kept) != 3 {
		t.Errorf("kept %v", kept)
	}
}

// A lost answer, and a session that can't be read, are found where they are.
func TestAudit(t *testing.T) {
	p := &place{name: "x", home: t.TempDir(), ledger: newLedger()}
	folder := filepath.Join(p.home, ".local/share/hoopoe/sessions/--x--")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	p.ledger.told("answer-s1")
	s := &soak{journal: newJournal(io.Discard)}
	if err := s.auditPlace(t.Context(), p); err == nil || !strings.Contains(err.Error(), "answer-s1 was told and is in no file") {
		t.Errorf("error %v", err)
	}
	if err := os.WriteFile(filepath.Join(folder, "sub"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := inspect(filepath.Join(folder, "sub"), map[string]bool{}); err == nil {
		t.Error("an empty file is a session")
	}
}

// A slow leak is seen through the swing of a garbage collector, and the swing
// alone isn't one.
func TestGrows(t *testing.T) {
	steady := func(i int) int { return 30_000 + (i*7919)%9000 }
	heap := func(i int) int { return (7 + i*7%4) << 10 }
	files := func(i int) int { return 20 + i%5 }
	for name, c := range map[string]struct {
		heap, memory, files func(i int) int
		want                string
	}{
		"flat":             {heap, steady, files, ""},
		"a peak":           {func(i int) int { return heap(i) + 80_000*(i%40/39) }, func(i int) int { return steady(i) + 80_000*(i%40/39) }, files, ""},
		"warms up":         {func(i int) int { return heap(i) + min(i, 30)*1000 }, func(i int) int { return steady(i) + min(i, 30)*1000 }, files, ""},
		"the heap leaks":   {func(i int) int { return heap(i) + i*50 }, steady, files, "the heap grows"},
		"memory leaks":     {heap, func(i int) int { return steady(i) + i*250 }, files, "memory grows"},
		"descriptors leak": {heap, steady, func(i int) int { return 20 + i/15 }, "descriptors grow"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &subject{}
			for i := range 120 {
				s.samples = append(s.samples, sample{heap: c.heap(i), memory: c.memory(i), files: c.files(i)})
			}
			got := strings.Join(s.grows(), "; ")
			if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
				t.Errorf("found %q, want %q", got, c.want)
			}
		})
	}
}

// What was in use after a collection is read of the runtime's own words, which
// are no words of the program's.
func TestHeap(t *testing.T) {
	c := &child{}
	if c.heap() != 0 {
		t.Errorf("%d before the first collection", c.heap())
	}
	fmt.Fprint(&c.stderr, "gc 1 @0.014s 2%: 0.01+0.6+0.01 ms clock, 0.03+0.2/0.5/0+0.02 ms cpu, 3->4->2 MB, 4 MB goal, 0 MB stacks, 0 MB globals, 2 P\nhoopoe: no\n"+
		"gc 2 @0.1s 2%: 0.01+0.6+0.01 ms clock, 0.03+0.2/0.5/0+0.02 ms cpu, 9->9->7 MB, 4 MB goal, 0 MB stacks, 0 MB globals, 2 P\n")
	if c.heap() != 7<<10 || c.words() != "hoopoe: no\n" {
		t.Errorf("heap %d, words %q", c.heap(), c.words())
	}
}

func TestDirectives(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		want directive
		ok   bool
	}{
		"none":      {`{"messages":[]}`, directive{}, false},
		"last":      {`"[[s1 read]]" ... "[[s2 bash slow fault:cut]]"`, directive{id: "s2", steps: []string{"bash"}, slow: true, fault: "cut"}, true},
		"caller's":  {`"[[s3 task]]" ... "((t3 read))"`, directive{id: "s3", steps: []string{"task"}}, true},
		"sub-agent": {`"((t3 read))"`, directive{id: "t3", steps: []string{"read"}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			got, _, ok := lastDirective([]byte(c.body))
			if ok != c.ok || got.id != c.want.id || got.fault != c.want.fault || got.slow != c.want.slow || !slices.Equal(got.steps, c.want.steps) {
				t.Errorf("got %+v, %v", got, ok)
			}
		})
	}
}

// The player does the steps one after the other, then answers; a fault that
// passes comes once.
func TestPlayer(t *testing.T) {
	p := newPlayer()
	reached := p.expect("s1")
	body := `{"tools":[{}],"messages":["[[s1 read bash fault:500]]"`
	play := func() mockserver.Answer {
		return p.answer(mockserver.Request{Wire: mockserver.Anthropic, Body: []byte(body)})
	}
	if a := play(); a.Status != 500 {
		t.Errorf("first %+v", a)
	}
	<-reached
	for _, tool := range []string{"read", "bash"} {
		if a := play(); len(a.Calls) != 1 || a.Calls[0].Name != tool {
			t.Errorf("%s: %+v", tool, a)
		}
		body += `,{"type":"tool_result"}`
	}
	if a := play(); !strings.Contains(strings.Join(a.Text, ""), "answer-s1 is whole") {
		t.Errorf("last %+v", a)
	}
}

func TestByOrigin(t *testing.T) {
	const text = "SIGQUIT: quit\r\nPC=0x1\r\n\r\ngoroutine 1 [select]:\r\nmain.main()\r\n\r\n" +
		"goroutine 7 [IO wait]:\nx.y()\ncreated by net/http.dial in goroutine 1\n\t/x.go:1\n\ngoroutine 8 [IO wait]:\nx.y()\ncreated by net/http.dial in goroutine 1\n\nrax 0\n"
	got := byOrigin(text)
	if got["main"] != 1 || got["net/http.dial"] != 2 || total(got) != 3 {
		t.Errorf("counts %v", got)
	}
	if m := more(got, map[string]int{"main": 1}); len(m) != 1 || m[0] != "net/http.dial (2)" {
		t.Errorf("more %v", m)
	}
}

// Without the right to mount there is no disk, and a place of the machine's own
// isn't taken for one.
func TestNoDisk(t *testing.T) {
	s := &soak{root: t.TempDir(), journal: newJournal(io.Discard)}
	if p, err := s.newPlace("disk"); p != nil || err != nil {
		t.Errorf("place %+v, %v", p, err)
	}
}

// What a process of the program leaves behind is found, and known by where it
// is from: a killed one's is ended, one that is about to go may.
func TestOrphans(t *testing.T) {
	if err := adoptOrphans(); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		left    string
		killed  bool
		orphans int
	}{"killed": {"sleep 1000", true, 1}, "about to go": {"sleep 0.1", false, 0}} {
		t.Run(name, func(t *testing.T) {
			s := &soak{journal: newJournal(io.Discard), runs: map[string]*child{}}
			cmd := exec.CommandContext(t.Context(), "sh", "-c", c.left+" >/dev/null 2>&1 & echo $!")
			cmd.Env = append(os.Environ(), runName+"=s1")
			p := &child{soak: s, cmd: cmd, run: "s1", killed: c.killed, done: make(chan struct{})}
			out, err := cmd.Output()
			if err != nil {
				t.Fatal(err)
			}
			close(p.done)
			s.runs["s1"] = p
			s.orphans()
			if n := s.journal.counts["orphans of killed processes"]; n != c.orphans || s.journal.failed() {
				t.Errorf("%d orphans, %v", n, s.journal.failures)
			}
			pid, err := strconv.Atoi(strings.TrimSpace(string(out)))
			if err != nil || syscall.Kill(pid, 0) == nil {
				t.Errorf("%d is still there, %v", pid, err)
			}
		})
	}
}
