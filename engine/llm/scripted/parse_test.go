package scripted_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/llm/llmtest"
	"github.com/hoopoe-agent/hoopoe/engine/llm/scripted"
)

// E-2: each mistake is named with its place and the fix.
func TestParseErrors(t *testing.T) {
	for _, c := range []struct{ name, script, want string }{
		{"empty", "", `s.txt:1: no "-- turn --" section`},
		{"step first", "hello\n-- text --\nx\n", "s.txt:2: text comes before the first turn"},
		{"unknown section", "-- turn --\n-- speak --\n", `s.txt:2: unknown section "speak" (use turn, text, thinking, call, delay, mark, usage, stop, error or disconnect)`},
		{"unknown attribute", "-- turn --\n-- text size=3 --\nx", `s.txt:2: text has no attribute "size"`},
		{"attribute twice", "-- turn --\n-- text piece=3 piece=4 --\nx", `s.txt:2: attribute piece is given twice`},
		{"unknown key", "-- turn --\n\nonn: x\n", "s.txt:3: onn: unknown key; a turn has on, system and times"},
		{"no key", "-- turn --\nhello\n", `s.txt:2: want "key: value", not "hello"`},
		{"bad expression", "-- turn --\non: /(/\n", "s.txt:2: on: error parsing regexp: missing closing ): `(`"},
		{"bad times", "-- turn --\ntimes: 0\n", `s.txt:2: times: "0" is no number from 1 to 1000000`},
		{"late model", "-- turn --\n-- model --\n", "s.txt:2: the model section comes before the first turn"},
		{"bad window", "-- model --\nwindow: big\n", `s.txt:2: window: "big" is no number from 1 to 2147483647`},
		{"bad price", "-- model --\nprice: NaN\n", `s.txt:2: price: "NaN" is no price`},
		{"bad level", "-- model --\nlevels: much\n", `s.txt:2: levels: unknown thinking level "much" (use off, minimal, low, medium, high or xhigh)`},
		{"bad piece", "-- turn --\n-- text piece=0 --\nx", `s.txt:2: piece: "0" is no number from 1 to 67108864`},
		{"too much", "-- turn --\n-- text repeat=1000000 --\nxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "s.txt:2: 72 bytes repeated 1000000 times are more than the limit of 67108864 bytes"},
		{"bad quote", "-- turn --\n-- text quoted --\n\"a\"\nb\n", "s.txt:4: a quoted body holds Go string literals, one a line"},
		{"unfinished quote", "-- turn --\n-- text signature=\"a --\n", "s.txt:2: attribute signature has an unfinished quote"},
		{"call without name", "-- turn --\n-- call --\n{}", "s.txt:2: call takes 1 words after its name, not 0"},
		{"bad delay", "-- turn --\n-- delay soon --\n", `s.txt:2: "soon" is no duration; write it like 50ms or 2s`},
		{"negative delay", "-- turn --\n-- delay -1s --\n", "s.txt:2: a duration is between 0 and 24h"},
		{"bad usage", "-- turn --\n-- usage input=-1 --\n", `s.txt:2: input: "-1" is no number from 0 to 2147483647`},
		{"bad stop", "-- turn --\n-- stop now --\n", `s.txt:2: unknown stop reason "now" (use stop, length, toolUse or refusal)`},
		{"bad kind", "-- turn --\n-- error kind=bad --\n", `s.txt:2: kind: unknown kind "bad" (use auth, rate_limit, overloaded, unavailable, bad_request, overflow, filtered or unknown)`},
		{"after the end", "-- turn --\n-- disconnect --\n-- text --\nx", "s.txt:3: text comes after disconnect, which ends the turn"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := scripted.Parse("s.txt", []byte(c.script))
			var at *scripted.SyntaxError
			if !errors.As(err, &at) {
				t.Fatalf("error %v, want a SyntaxError", err)
			}
			if err.Error() != c.want {
				t.Errorf("error %s\nwant  %s", err, c.want)
			}
		})
	}
}

func TestParseTolerates(t *testing.T) {
	s := parse(t, "comment\r\n-- turn --\r\non: x\r\n-- text --\r\na\r\n-- not a marker\r\n\r\nb\r\n\r\n")
	p := scripted.New(s, scripted.Options{})
	_, end := llmtest.Collect(t, p.Stream(t.Context(), ask(s, "xyz")))
	if got, want := end.Message.Text(), "a\n-- not a marker\n\nb"; got != want {
		t.Errorf("text %q, want %q", got, want)
	}
}

// Whatever parses also plays, and keeps the contract of a stream.
func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("testdata/scripts/*.txt")
	if err != nil || len(files) == 0 {
		f.Fatal("no sample scripts", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := scripted.Parse("fuzz.txt", data)
		if err != nil {
			var at *scripted.SyntaxError
			if !errors.As(err, &at) || at.Line < 1 || at.File != "fuzz.txt" {
				t.Fatalf("error without a place: %v", err)
			}
			return
		}
		p := scripted.New(s, scripted.Options{Sleep: noSleep})
		for range s.Turns() {
			var parts []llm.Part
			for part := range p.Stream(t.Context(), llm.Request{Model: s.Model()}) {
				if parts = append(parts, part); len(parts) > 5000 {
					return
				}
			}
			last := parts[len(parts)-1].(llm.Finished)
			if last.Message.StopReason == "toolUse" && len(last.Message.Calls()) == 0 {
				continue // a script may lie about its stop reason
			}
			if err := llmtest.Check(parts); err != nil {
				t.Fatal(err)
			}
		}
	})
}
