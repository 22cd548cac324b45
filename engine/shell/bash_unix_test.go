//go:build !windows

package shell

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// fragments disturb the scripts below. Neither they nor the grammar can do more
// than call a command that doesn't exist or make a file whose name begins with f
// in the current folder.
var fragments = [...]string{
	" ", "\n", ";", "&&", "|", "&", "|&", "!", "(", ")", "{ ", "}", "$(", "`", "\"", "'", "\\", "$'", "$\"", "$x", "${x:-", "${x", "$((", "))", "((", "[[ ", " ]]", "[", "]",
	">f1", ">&", "&>f4", "2>&1", "<", "<<E\n", "<<'E'\n", "\nE\n", "<<<", "<(", ">(", "<>f5", "then ", "fi", "do ", "done", ";;", "esac", "f()", "function ",
	"x=", "x+=", "x[", "=", "a=(", "#", " #", "*", "?", "~", "{c1,c2}", "@(", "\t", "\\\n", "time ", "coproc ", "1", "-n", "é", "$", "%", "+", ":", ",", "-", "--", "xx", "c1",
}

// grammar has the ways to write statements, commands, words, arithmetic,
// redirects and quoted text; %s, %c, %w, %a, %r and %k stand for one of each.
var grammar = map[byte][]string{
	's': {"%c", "%c", "%c %w", "%c %w %w", "%s; %s", "%s && %s", "%s || %s", "%s | %s", "%s |& %s", "%s & %s", "%s\n%s", "(%s)", "{ %s; }", "! %s", "time %s",
		"if %s; then %s; else %s; fi", "for i in %w %w; do %s; done", "case %w in %w) %s;; esac", "[[ %w == %w ]]", "[[ -n %w && %s ]]", "(( %a ))",
		"%s %r", "%r %s", "x=%w %s", "x=%w", "%s # %w", "%s \\\n%w", "%c <<E\n%w\n%s\nE", "%c <<'E'\n%w\nE", "%c <<-E | %s\n\t%w\n\tE", "%s %k",
		"eval %w", "eval '%s'", "command %s", "builtin %w", "trap '%s' EXIT", "export x=%w", "let %a", "{ %s; } %r", "(%s) %r"},
	'c': {"c1", "c2", "c3", "'c1'", "\\c2", "c\"3\"", "$x", "$(%s)"},
	'w': {"xx", "a", "-n", "'%k'", "\"%k\"", "\"$(%s)\"", "$(%s)", "`%c %w`", "$x", "${x:-%w}", "${x/%w/%w}", "<(%s)", "$((%a))", "*", "\\ ", "a\\\nb", "%w%w", "''", "{a,b}", "~", "$'a'", "a=b", "1", "E", "${x:1}"},
	'a': {"1", "x", "1+%a", "x=1", "$(%s)", "x ? 1 : %a", "(%a)", "\"1\""},
	'r': {">f1", ">>f2", "2>f3", ">&f4", "&>f5", "<f1", "2>&1", ">\"f6\"", "<<<%w", ">$x", ">f$(%c)", "{v}>f7", "<>f8"},
	'k': {"xx", "", "#", "a b", "%w", "\\\\", "`c1`", "$", "\\", "é", "!"},
}

// assemble writes a script; the bytes make its choices.
func assemble(seed []byte) string {
	next := func() int {
		if len(seed) == 0 {
			return 0
		}
		c := int(seed[0])
		seed = seed[1:]
		return c
	}
	var write func(kind byte, depth int) string
	write = func(kind byte, depth int) string {
		ways := grammar[kind]
		if depth > 5 {
			ways = ways[:1]
		}
		var b strings.Builder
		for text := ways[next()%len(ways)]; text != ""; {
			before, after, more := strings.Cut(text, "%")
			b.WriteString(before)
			if !more {
				break
			}
			b.WriteString(write(after[0], depth+1))
			text = after[1:]
		}
		return b.String()
	}
	// One script in two is disturbed at one or two places.
	mode, at, what := next(), next(), next()
	script := write('s', 0)
	for range mode % 4 / 2 * (1 + mode%2) {
		at %= len(script) + 1
		script = script[:at] + fragments[what%len(fragments)] + script[at:]
		at, what = at+next(), what+next()
	}
	return script
}

// observe runs a script in a bash that finds no program at all, and returns the
// commands that it tried to run and the files that it made.
func observe(t *testing.T, bash, script string) (calls [][]string, files []string) {
	dir := t.TempDir()
	work := filepath.Join(dir, "work")
	if err := os.MkdirAll(work, 0o700); err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(dir, "log")
	r := NewRunner(Options{
		Shell: Shell{Family: Bash, Path: bash, Args: []string{"-c"}}, Grace: time.Millisecond,
		Environ: []string{"PATH=" + filepath.Join(dir, "none"), "HOME=" + work, "LOG=" + log,
			// An exported function: bash calls it for each command it can't find.
			"BASH_FUNC_command_not_found_handle%%=() { printf '%s\\0' \"$#\" \"$@\" >>\"$LOG\"; }"},
	})
	defer r.Close(0)
	if _, err := r.Run(t.Context(), Command{Script: script, Dir: work, Timeout: 5 * time.Second}); err != nil {
		t.Skip(err) // a zero byte
	}
	logged, _ := os.ReadFile(log)
	for words := strings.Split(string(logged), "\x00"); len(words) > 1; {
		n, err := strconv.Atoi(words[0])
		if err != nil || len(words) <= n {
			t.Skip("the log is cut off") // stopped while it was written
		}
		calls = append(calls, words[1:n+1])
		words = words[n+1:]
	}
	entries, err := os.ReadDir(work)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		files = append(files, e.Name())
	}
	return calls, files
}

// fits reports whether the words that ran can come from the words of a call.
func fits(words []Word, ran []string) bool {
	if len(words) == 0 {
		return len(ran) == 0
	}
	if words[0].Kind == Static {
		return len(ran) > 0 && ran[0] == words[0].Text && fits(words[1:], ran[1:])
	}
	for n := range len(ran) + 1 { // expands to any number of words
		if fits(words[1:], ran[n:]) {
			return true
		}
	}
	return false
}

// checkAgainstBash: whatever bash does with a script is in its analysis, unless
// the analysis admits that it can't tell.
func checkAgainstBash(t *testing.T, bash, script string) {
	a := Analyze(script)
	if len(a.Unknowns) > 0 {
		return
	}
	calls, files := observe(t, bash, script)
	for _, ran := range calls {
		if !slices.ContainsFunc(a.Calls, func(c Call) bool { return fits(c.Words, ran) }) {
			t.Fatalf("%q runs %q, but the analysis has %q", script, ran, render(a))
		}
	}
	for _, file := range files {
		if !slices.ContainsFunc(a.Redirects, func(r Redirect) bool {
			return r.Writes() && (r.Target.Kind != Static || strings.HasPrefix(file, r.Target.Text))
		}) {
			t.Fatalf("%q makes the file %q, but the analysis has %q", script, file, render(a))
		}
	}
}

// E-4: the parser and bash agree on what a script does.
func TestAgainstBash(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		seed := make([]byte, 32)
		for i := range seed {
			seed[i] = byte(rng.Uint32())
		}
		checkAgainstBash(t, bash, assemble(seed))
	}
}

func FuzzAgainstBash(f *testing.F) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		f.Skip(err)
	}
	f.Add([]byte("some choices"))
	f.Fuzz(func(t *testing.T, seed []byte) {
		checkAgainstBash(t, bash, assemble(seed[:min(len(seed), 64)]))
	})
}
