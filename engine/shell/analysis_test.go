package shell

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// render writes an analysis in a short form: commands as their words, then
// `<f`, `>f`, `>>f`, `<>f` for files, `$NAME` for variables, `?text` for what
// isn't understood. A word in braces is known only when it runs, one in
// brackets is a pattern; a command run by another has `name/` before it.
func render(a Analysis) []string {
	var out []string
	show := func(w Word) string {
		return map[Kind]string{Static: w.Text, Pattern: "[" + w.Text + "]", Dynamic: "{" + w.Text + "}"}[w.Kind]
	}
	for _, c := range a.Calls {
		var words []string
		for _, w := range c.Words {
			words = append(words, show(w))
		}
		line := strings.Join(words, " ")
		if c.Via != "" {
			line = c.Via + "/" + line
		}
		out = append(out, line)
	}
	for _, r := range a.Redirects {
		out = append(out, map[Access]string{Read: "<", Write: ">", Append: ">>", ReadWrite: "<>"}[r.Access]+show(r.Target))
	}
	for _, v := range a.Assigns {
		out = append(out, "$"+v.Name)
	}
	for _, u := range a.Unknowns {
		out = append(out, "?"+u.Text)
	}
	return out
}

// E-4: nothing that a script does may be missing from its analysis.
func TestAnalyze(t *testing.T) {
	tests := []struct {
		script string
		want   []string
	}{
		// Simple commands and how they are joined.
		{"", nil},
		{"# only a comment", nil},
		{"git status", []string{"git status"}},
		{"git status;git log", []string{"git status", "git log"}},
		{"a && b || c | d & e", []string{"a", "b", "c", "d", "e"}},
		{"a |& b", []string{"a", "b"}},
		{"! a", []string{"a"}},
		{"a\nb\n", []string{"a", "b"}},
		{"a \\\n b", []string{"a b"}},
		{"(a; b)", []string{"a", "b"}},
		{"{ a; b; }", []string{"a", "b"}},
		{"time a", []string{"a"}},
		{"if a; then b; elif c; then d; else e; fi", []string{"a", "b", "c", "d", "e"}},
		{"while a; do b; done", []string{"a", "b"}},
		{"until a; do b; done", []string{"a", "b"}},
		{"for f in x y; do a $f; done", []string{"a {$f}", "$f"}},
		{"for PATH in /tmp; do a; done", []string{"a", "$PATH"}},
		{"for ((i=0; i<3; i++)); do a; done", []string{"a", "$i", "$i"}},
		{"select x in a b; do c; done", []string{"c", "$x"}},
		{"case $(a) in x) b;; $(c)) d;; esac", []string{"a", "b", "c", "d"}},
		{"[[ -f $(a) && x == $(b) ]]", []string{"a", "b"}},
		{"a # b; c", []string{"a"}},
		{"git status # \\\nrm x", []string{"?*"}}, // runs rm
		{"git status #`$(\\\nrm x", []string{"?*"}},
		{"sh -c 'git status # \\\nrm x'", []string{"?*"}},
		{"a | time b", []string{"?*"}},

		// Words.
		{`a 'b c' "d e" f\ g`, []string{"a b c d e f g"}},
		{`g"it" 'sta'tus`, []string{"git status"}},
		{`\git st\atus`, []string{"git status"}},
		{`a \`, []string{`a {\}`}},
		{`a "x\$y\z"`, []string{`a x$y\z`}},
		{"a *.go", []string{"a [*.go]"}},
		{`a \*.go '*'`, []string{"a *.go *"}},
		{"a b=~ c:~/d e~", []string{"a [b=~] [c:~/d] e~"}},
		{"a ${X:-<(b)}", []string{"?*"}},
		{"a ~/x", []string{"a [~/x]"}},
		{"a {b,c}", []string{"a [{b,c}]"}},
		{"a {1..3}", []string{"a [{1..3}]"}},
		{"a [b]", []string{"a [[b]]"}},
		{"a HEAD@{1}", []string{"a HEAD@{1}"}},
		{"[ -f x ]", []string{"[ -f x ]"}},
		{"a $X \"$Y\" ${Z}", []string{`a {$X} {"$Y"} {${Z}}`}},
		{"a $'\\x41'", []string{`a {$'\x41'}`}},
		{"a $((1+2))", []string{"a {$((1+2))}"}},

		// A name that isn't known.
		{"$X a", []string{"{$X} a", "?$X a"}},
		{"$(a) b", []string{"{$(a)} b", "a", "?$(a) b"}},
		{"{git,status}", []string{"[{git,status}]", "?{git,status}"}},
		{`{git," status"}`, []string{`[{git," status"}]`, `?{git," status"}`}},
		{"/bin/r?", []string{"[/bin/r?]", "?/bin/r?"}},
		{"~/bin/x", []string{"[~/bin/x]", "?~/bin/x"}},
		{"$'git' status", []string{"{$'git'} status", "?$'git' status"}},

		// Substitutions.
		{"a $(b $(c))", []string{"a {$(b $(c))}", "b {$(c)}", "c"}},
		{"a `b`", []string{"a {`b`}", "b"}},
		{"a \"`b`$(c)\"", []string{"a {\"`b`$(c)\"}", "b", "c"}},
		{"a <(b) >(c)", []string{"a {<(b)} {>(c)}", "b", "c"}},
		{"a ${X:-$(b)}", []string{"a {${X:-$(b)}}", "b"}},
		{"a ${X/$(b)/$(c)}", []string{"a {${X/$(b)/$(c)}}", "b", "c"}},
		{"a ${X:$(b):1}", []string{"a {${X:$(b):1}}", "b"}},
		{"a ${X[$(b)]}", []string{"a {${X[$(b)]}}", "b"}},
		{"a $(( $(b) + 1 ))", []string{"a {$(( $(b) + 1 ))}", "b"}},
		{"(( $(b) ))", []string{"b"}},
		{"a `a '`\nb\n`'`", []string{"?*"}}, // runs b
		{"a `a \\`b\\``", []string{"?*"}},
		{"a '$(b)'", []string{"a $(b)"}},
		{"a \\$(b)", []string{"?*"}},
		{"a ${X:=v}", []string{"a {${X:=v}}", "$X"}},
		{"a ${X@P}", []string{"a {${X@P}}", "?${X@P}"}},
		{"a ${!X}", []string{"a {${!X}}", "?${!X}"}},
		{"a $((PATH=1))", []string{"a {$((PATH=1))}", "$PATH"}},
		{"((x++))", []string{"$x"}},
		{"let x=1 2>f", []string{"$x", "?let x=1 2>f"}},
		{"(( a['$(id)'] ))", []string{"?*"}},
		{"[[ 'a[$(id)]' -eq 1 ]]", []string{"?'a[$(id)]'"}},
		{"[[ -v 'a[$(id)]' ]]", []string{"?'a[$(id)]'"}},
		{"test -v 'a[$(id)]'", []string{"test -v a[$(id)]", "?test -v 'a[$(id)]'"}},
		{"a @(b|c)", []string{"a {@(b|c)}", "?@(b|c)"}},

		// Here-documents.
		{"a <<E\nx $(b) `c`\nE", []string{"a", "b", "c"}},
		{"a <<'E'\nx $(b)\nE", []string{"a"}},
		{"a <<-E | d\n\t$(b)\n\tE\n", []string{"a", "b", "d"}},
		{"a -m \"$(b <<'E'\nx\nE\n)\"", []string{"a -m {\"$(b <<'E'\nx\nE\n)\"}", "b"}},
		{"a $(b <<'E'\nx\nE\nc; d)", []string{"?*"}}, // runs c with d as its argument
		{"a <<< \"$(b)\"", []string{"a", "b"}},
		{"a <<E > f; c\nx\nE", []string{"a", "c", ">f"}},

		// Redirects.
		{"a > f", []string{"a", ">f"}},
		{"a >> f 2> g < h", []string{"a", ">>f", ">g", "<h"}},
		{"a >| f", []string{"a", ">f"}},
		{"a <> f", []string{"a", "<>f"}},
		{"a &> f", []string{"a", ">f"}},
		{"a &>> f", []string{"a", ">>f"}},
		{"a >& f", []string{"a", ">f"}},
		{"a 2>&1 >&2 <&3 >&- 2>&1-", []string{"a"}},
		{"a >/dev/null 2>/dev/null", []string{"a"}},
		{"a >/dev/nul\\l", []string{"a"}},
		{"a >/dev/tcp/host/80", []string{"a", ">/dev/tcp/host/80"}},
		{"a > $X", []string{"a", ">{$X}"}},
		{"a > $(b)", []string{"a", "b", ">{$(b)}"}},
		{"a >& $X", []string{"a", ">{$X}", "?>& $X"}},
		{"a >&'$(b)'", []string{"a", ">$(b)", "?>&'$(b)'"}}, // runs b
		{"a > ~/f", []string{"a", ">[~/f]"}},
		{"> f", []string{">f"}},
		{">f git status", []string{"git status", ">f"}},
		{"(a) > f", []string{"a", ">f"}},
		{"{ a; } > f", []string{"a", ">f"}},
		{"while a; do b; done < f", []string{"a", "b", "<f"}},
		{"a {fd}> f", []string{"a", ">f", "$fd"}},

		// Assignments.
		{"X=1 a", []string{"a", "$X"}},
		{"PATH=/tmp:$PATH git status", []string{"git status", "$PATH"}},
		{"x!=[y a", []string{"?*"}},
		{"X=$(a)", []string{"a", "$X"}},
		{"X+=1", []string{"$X"}},
		{"X=(a $(b))", []string{"b", "$X"}},
		{"X[$(b)]=1", []string{"b", "$X"}},
		{"export X=1 Y", []string{"$X", "$Y"}},
		{"export $X", []string{"export {$X}", "?export $X"}},
		{"export", []string{"export"}},
		{"export -p", []string{"export -p"}},
		{"declare -f", []string{"declare -f", "?declare -f"}},
		{"declare -x X=$(a)", []string{"a", "$X"}},
		{"declare -n X=Y", []string{"$X", "?declare -n X=Y"}},
		{"readonly X=1", []string{"$X"}},
		{"read X", []string{"read X", "$X"}},
		{"printf -v PATH x", []string{"printf -v PATH x", "?printf -v PATH x"}},

		// Commands that run others.
		{"sudo rm x", []string{"sudo rm x", "sudo/rm x"}},
		{"sudo -u root -n -- rm x", []string{"sudo -u root -n -- rm x", "sudo/rm x"}},
		{"sudo -i rm x", []string{"sudo -i rm x", "?sudo -i rm x"}},
		{"env a", []string{"env a", "env/a"}},
		{"env", []string{"env"}},
		{"env -i X=1 Y=2 a b", []string{"env -i X=1 Y=2 a b", "env/a b", "$X", "$Y"}},
		{"env -u X a", []string{"env -u X a", "env/a"}},
		{"env -S 'a b'", []string{"env -S a b", "?env -S 'a b'"}},
		{"/usr/bin/env a", []string{"/usr/bin/env a", "env/a"}},
		{"nohup a &", []string{"nohup a", "nohup/a"}},
		{"nice -n 5 a", []string{"nice -n 5 a", "nice/a"}},
		{"nice -n5 a", []string{"nice -n5 a", "nice/a"}},
		{"timeout -k 5 10s a b", []string{"timeout -k 5 10s a b", "timeout/a b"}},
		{"timeout --signal=KILL 10 a", []string{"timeout --signal=KILL 10 a", "timeout/a"}},
		{"timeout $T a", []string{"timeout {$T} a", "?timeout $T a"}},
		{"time -p a", []string{"a"}},
		{"command time -o f a", []string{"command time -o f a", "command/time -o f a", "?time -o f a"}},
		{"command a", []string{"command a", "command/a"}},
		{"command -v a", []string{"command -v a"}},
		{"builtin a", []string{"builtin a", "builtin/a"}},
		{"exec a", []string{"exec a", "exec/a"}},
		{"exec > f", []string{"exec", ">f"}},
		{"xargs rm -f", []string{"xargs rm -f", "xargs/rm -f {}"}},
		{"xargs -0 -n 1 rm", []string{"xargs -0 -n 1 rm", "xargs/rm {}"}},
		{"xargs", []string{"xargs"}},
		{"xargs -I% mv % x%", []string{"xargs -I% mv % x%", "xargs/mv {%} {x%} {}"}},
		{"xargs -I {} sh -c 'rm {}'", []string{"xargs -I {} sh -c rm {}", "xargs/sh -c {rm {}} {}", "?sh -c 'rm {}'"}},
		{"xargs --replace mv {} x", []string{"xargs --replace mv {} x", "xargs/mv {{}} x {}"}},
		{"xargs -i rm", []string{"xargs -i rm", "?xargs -i rm"}},
		{"xargs sh -c", []string{"xargs sh -c", "xargs/sh -c {}", "?sh -c"}},
		{"sudo env nice a", []string{"sudo env nice a", "sudo/env nice a", "env/nice a", "nice/a"}},
		{"sh -c 'a; b > f'", []string{"sh -c a; b > f", "sh/a", "sh/b", ">f"}},
		{"bash -euo pipefail -c \"a && b\"", []string{"bash -euo pipefail -c a && b", "bash/a", "bash/b"}},
		{"bash -lc a", []string{"bash -lc a", "bash/a"}},
		{"bash -c \"$X\"", []string{`bash -c {"$X"}`, `?bash -c "$X"`}},
		{"bash x.sh", []string{"bash x.sh"}},
		{"curl u | bash", []string{"curl u", "bash", "?bash"}},
		{"bash -", []string{"bash -", "?bash -"}},
		{"bash <<E\na\nE", []string{"bash", "?bash"}},
		{"sh -c \"sh -c 'a'\"", []string{"sh -c sh -c 'a'", "sh/sh -c a", "sh/a"}},
		{"sh -c '((a))'", []string{"sh -c ((a))", "sh/a"}},
		{"bash -c '((a))'", []string{"bash -c ((a))"}},
		{"zsh -c 'a'", []string{"zsh -c a", "zsh/a", "?zsh -c 'a'"}},
		{"eval a 'b; c'", []string{"eval a b; c", "eval/a b", "eval/c"}},
		{"eval \"$X\"", []string{`eval {"$X"}`, `?eval "$X"`}},
		{"trap 'a' EXIT", []string{"trap a EXIT", "trap/a"}},
		{"trap - EXIT", []string{"trap - EXIT"}},
		{"find . -name x", []string{"find . -name x"}},
		{"find . -exec rm {} \\;", []string{"find . -exec rm {} ;", "find/rm {{}}"}},
		{"find . -exec a {} + -o -execdir b ';'", []string{"find . -exec a {} + -o -execdir b ;", "find/a {{}}", "find/b"}},
		{"find . -exec sh -c 'rm {}' \\;", []string{"find . -exec sh -c rm {} ;", "find/sh -c {rm {}}", "?sh -c 'rm {}'"}},
		{"find . $X", []string{"find . {$X}", "?find . $X"}},
		{"fd -Hx rm", []string{"fd -Hx rm", "?fd -Hx rm"}},
		{"fd --exec=rm", []string{"fd --exec=rm", "?fd --exec=rm"}},
		{"wait -p PATH", []string{"wait -p PATH", "?wait -p PATH"}},
		{"wait 1 $!", []string{"wait 1 {$!}"}},
		{"mapfile -tC a b", []string{"mapfile -tC a b", "$a", "$b", "?mapfile -tC a b"}},
		{"bash -coe pipefail a", []string{"bash -coe pipefail a", "?bash -coe pipefail a"}},
		{"bash -eco pipefail a", []string{"bash -eco pipefail a", "bash/a"}},
		{"fd -x rm", []string{"fd -x rm", "fd/rm {}"}},

		// What isn't understood.
		{"f() { a; }; f", []string{"a", "f", "?f() { a; }"}},
		{"function git { rm x; }; git status", []string{"rm x", "git status", "?function git { rm x; }"}},
		{"coproc a", []string{"a", "?coproc a"}},
		{"alias git=rm", []string{"alias git=rm", "?alias git=rm"}},
		{"a 'b", []string{"?*"}},
		{"a; )", []string{"?*"}},
		{"git\x00 status", []string{"git status", "?*"}},
		{"git status\r", []string{"?*", "git status"}},
		{"git \u202estatus", []string{"git \u202estatus", "?*"}},
		{"git\u00a0status", []string{"git\u00a0status", "?*"}},
		{"git \x1b[2Kstatus", []string{"git \x1b[2Kstatus", "?*"}},
		{"echo مرحبا 你好 👩‍💻", []string{"echo مرحبا 你好 👩‍💻"}},
	}
	for _, tt := range tests {
		t.Run(tt.script, func(t *testing.T) {
			got := render(Analyze(tt.script))
			if i := slices.Index(tt.want, "?*"); i >= 0 {
				// Any report will do, as long as there is one.
				if !slices.ContainsFunc(got, func(s string) bool { return s[0] == '?' }) {
					t.Errorf("nothing is reported in %q", got)
				}
				return
			}
			want := slices.Clone(tt.want)
			slices.Sort(want)
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("got  %q\nwant %q", got, want)
			}
		})
	}
}

// What agents run all day must not be taken for unknown.
func TestAnalyzeKnows(t *testing.T) {
	for _, script := range []string{
		"git commit -m \"$(cat <<'EOF'\nfix: x\n\nbody # a\nEOF\n)\"",
		"cat > f <<'EOF'\n# a\nx\nEOF",
		"cd /w && go test ./... 2>&1 | tail -20; echo \"exit ${PIPESTATUS[0]}\"",
		"for f in $(ls *.go); do echo \"$f: $(wc -l < \"$f\")\"; done",
		"while IFS= read -r line; do echo \"$line\"; done < f",
		"find . -name '*.go' -not -path './vendor/*' -print0 | xargs -0 wc -l | sort | head -50",
		"find . -type f -exec sed -i 's/a/b/' {} +",
		"ls | xargs -I{} grep x {}",
		"awk '{print $1}' f | sort | uniq -c; sed -n '1,10p' f",
		"grep -rn \"foo\\|bar\" --include='*.go' . | grep -v '#'",
		"curl -s -H \"A: b\" \\\n  https://x/#frag \\\n  -o f",
		"jq -r '.a[] | \"\\(.b)\"' f; git log --format='%h %s' -n 5 | cat",
		"diff <(sort a) <(sort b)",
		"[ -f x ] && echo yes || echo no; test $? -eq 0",
		"if ! command -v go >/dev/null; then echo none; fi",
		"set -euo pipefail; time make -j$(nproc)",
		"sleep 5 & wait $!; kill $(pgrep x)",
		"nohup ./server > log 2>&1 &",
		"docker run --rm -v \"$PWD\":/x img sh -c 'ls'",
		"bash -c 'for i in 1 2; do echo $i; done'",
		"echo \"${x%%.*} ${#x} ${x:0:3} ${x//a/b}\" $((1+2))",
		"source .venv/bin/activate && pip install x; mkdir -p a/{b,c}",
	} {
		if a := Analyze(script); len(a.Unknowns) > 0 {
			t.Errorf("%q: %q", script, a.Unknowns)
		}
	}
}

func TestAnalyzeText(t *testing.T) {
	a := Analyze("FOO=1 git  log -p 2>&1 | cat >out.txt && sh -c 'rm  x'")
	for i, want := range []string{"git  log -p", "cat", "sh -c 'rm  x'", "rm  x"} {
		if got := a.Calls[i].Text; got != want {
			t.Errorf("call %d: %q, want %q", i, got, want)
		}
	}
	if got := a.Redirects[0].Text; got != ">out.txt" {
		t.Errorf("redirect: %q", got)
	}
	if got := a.Assigns[0].Text; got != "FOO=1" {
		t.Errorf("assignment: %q", got)
	}
	if !a.Calls[2].Wraps || a.Calls[3].Wraps {
		t.Error("only sh wraps another command")
	}
}

func TestTargets(t *testing.T) {
	got := fmt.Sprint(Analyze("cd sub && a > x < y; cd -; pushd z; b > $X; cd ~; cd").Targets())
	if want := "[{x true} {y false} {sub false} {z false}]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestMoves(t *testing.T) {
	for script, want := range map[string]string{
		"cd x": "x", "cd -P -- x": "x", "cd": "?", "cd -": "?", "cd $X": "?", "cd ''": "?", "popd": "?",
		"pushd +1": "?", "cd a b": "?", "ls": "", "cdx": "",
	} {
		dir, ok := Analyze(script).Calls[0].Moves()
		got := dir.Text
		if ok && dir.Kind != Static {
			got = "?"
		}
		if got != want {
			t.Errorf("%s: moves to %q, want %q", script, got, want)
		}
	}
}

// E-2: size and depth are bounded, whatever the text.
func TestAnalyzeBounds(t *testing.T) {
	n := maxScript / 8
	for name, script := range map[string]string{
		"long":        strings.Repeat("a", maxScript+1),
		"subshells":   strings.Repeat("(", maxScript),
		"substitutes": strings.Repeat("$(", n) + "a" + strings.Repeat(")", n),
		"backticks":   strings.Repeat("`", maxScript),
		"arithmetic":  "echo $((" + strings.Repeat("(", n),
		"while":       strings.Repeat("while ", maxScript/6),
		"if":          strings.Repeat("if a; then ", maxScript/11),
		"and":         strings.Repeat("a&&", maxScript/3) + "a",
		"pipes":       strings.Repeat("a|", maxScript/2-1) + "a",
		"not":         strings.Repeat("! ", maxScript/2),
		"minus":       "echo $((" + strings.Repeat("- ", n) + "1))",
		"ternary":     "echo $((" + strings.Repeat("1?1:", n) + "1))",
		"power":       "echo $((" + strings.Repeat("1**", n) + "1))",
		"quotes":      strings.Repeat(`"`, maxScript),
		"heredocs":    strings.Repeat("<<a ", n),
		"case":        strings.Repeat("case a in b) ", maxScript/13),
		"tests":       "[[ " + strings.Repeat("! ", n) + "$(a) ]]",
		"testand":     "[[ " + strings.Repeat("a && ", n) + "$(a) ]]",
		"wrappers":    strings.Repeat("env ", 100) + "a",
		"functions":   strings.Repeat("a() ", n),
		"coprocs":     strings.Repeat("coproc ", n),
		"times":       strings.Repeat("time ", n) + "a",
		"commands":    strings.Repeat("a;", maxScript/2),
	} {
		t.Run(name, func(t *testing.T) {
			a := Analyze(script)
			if len(a.Calls)+len(a.Unknowns) == 0 {
				t.Error("nothing is reported")
			}
		})
	}
}

// FuzzAnalyze: no panic, and every word of a plain script shows up.
func FuzzAnalyze(f *testing.F) {
	for _, s := range []string{"git status", "a $(b) `c` <(d) > e", "X=1 sudo sh -c 'a' <<E\n$(b)\nE", "find . -exec a {} +", "[[ a -eq b ]]; ((x=1))", "f(){ :; }"} {
		f.Add(s, "git status x")
	}
	f.Fuzz(func(t *testing.T, script, plain string) {
		a := Analyze(script)
		if a.Script != script {
			t.Fatal("the script is changed")
		}
		for _, c := range a.Calls {
			if len(c.Words) == 0 {
				t.Fatal("a call without words")
			}
			c.Moves()
		}
		a.Targets()

		// A plain script is made of letters and blanks, joined by operators.
		words := strings.FieldsFunc(plain, func(r rune) bool { return r < 'a' || r > 'z' })
		for i := range words {
			words[i] = "w" + words[i] // no keywords, no wrappers
		}
		joins := []string{" && ", "; ", " | ", " || ", " & ", "\n"}
		var b strings.Builder
		for i, w := range words {
			if i > 0 {
				b.WriteString(joins[(len(w)+i)%len(joins)])
			}
			b.WriteString(w + " x" + w)
		}
		a = Analyze(b.String())
		if len(a.Calls) != len(words) || len(a.Unknowns) > 0 {
			t.Fatalf("%q: %d calls of %d, %v", b.String(), len(a.Calls), len(words), a.Unknowns)
		}
		for i, c := range a.Calls {
			if c.Words[0].Text != words[i] || c.Words[1].Text != "x"+words[i] || len(c.Words) != 2 {
				t.Fatalf("call %d of %q is %v", i, b.String(), c)
			}
		}
	})
}
