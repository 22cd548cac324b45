package permission_test

import (
	"path"
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/permission"
	"github.com/hoopoe-agent/hoopoe/engine/shell"
)

const root = "/w"

// request is a command as the caller would hand it over: parsed, and its
// targets resolved from the workspace's root.
func request(script string) permission.Request {
	a := shell.Analyze(script)
	req := permission.Request{Tool: "bash", Kind: permission.KindExecute, Command: &a, Text: script}
	for _, target := range a.Targets() {
		abs := target.Text
		if !path.IsAbs(abs) {
			abs = path.Join(root, abs)
		}
		abs = path.Clean(abs)
		req.Paths = append(req.Paths, permission.Path{
			Path: abs, Text: target.Text, Write: target.Write, Inside: abs == root || strings.HasPrefix(abs, root+"/"),
		})
	}
	return req
}

// policy reads rules written as "allow bash(x)", one per line.
func policy(t testing.TB, mode permission.Mode, rules string) *permission.Policy {
	t.Helper()
	p := permission.New(permission.Options{Mode: mode, Root: root, Home: "/home/u", Own: []string{root + "/own"}})
	for line := range strings.Lines(rules) {
		action, text, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok {
			continue
		}
		r, err := permission.ParseRule(text, permission.Action(action), permission.FromSettings)
		if err != nil {
			t.Fatal(err)
		}
		p = p.With(r)
	}
	return p
}

// E-4: what a user allowed covers nothing else.
func TestCommands(t *testing.T) {
	const git = "allow bash(git status)"
	const ask, edit, full, plan = permission.ModeAsk, permission.ModeEdit, permission.ModeFull, permission.ModePlan
	tests := []struct {
		mode   permission.Mode
		rules  string
		script string
		want   string // the action, and for ask or deny the parts after a colon
	}{
		// What the rule is about.
		{ask, git, "git status", "allow"},
		{ask, git, "git status -s --long", "allow"},
		{ask, git, `"git" 'status'`, "allow"},
		{ask, git, `\git st\atus`, "allow"},
		{ask, git, "git status && git status; git status | git status", "allow"},
		{ask, git, "(git status) || { git status; }", "allow"},
		{ask, git, "if git status; then git status; else git status; fi", "allow"},
		{ask, git, "git status 2>&1 >/dev/null", "allow"},
		{ask, git, "git status # && rm -rf /", "allow"},
		{ask, git, "git status || true", "allow"},
		{ask, git, "time git status", "allow"},
		{ask, git, "timeout 5 git status", "allow"},
		{ask, git, "sh -c 'git status'", "allow"},
		{ask, git, "bash -c 'git status && git status -s'", "allow"},
		{ask, git, "for f in a b; do git status $f; done", "allow"},
		{ask, git, "# nothing", "allow"},

		// What it is not about.
		{ask, git, "git", "ask: git"},
		{ask, git, "git statusx", "ask: git statusx"},
		{ask, git, "git push", "ask: git push"},
		{ask, git, "gitk status", "ask: gitk status"},
		{ask, git, "git 'status -s'", "ask: git 'status -s'"},
		{ask, git, "./git status", "ask: ./git status"},
		{ask, git, "/tmp/git status", "ask: /tmp/git status"},
		{ask, git, "git -c alias.status=!rm status", "ask: git -c alias.status=!rm status"},
		{ask, git, "git --exec-path=/tmp status", "ask: git --exec-path=/tmp status"},
		{ask, git, "GIT status", "ask: GIT status"},
		{ask, git, "git status && rm -rf x", "ask: rm -rf x"},
		{ask, git, "git status; rm x", "ask: rm x"},
		{ask, git, "git status | cat", "ask: cat"},
		{ask, git, "git status & rm x", "ask: rm x"},
		{ask, git, "git status\nrm x", "ask: rm x"},
		{ask, git, "git status \\\n; rm x", "ask: rm x"},
		{ask, git, "git status || rm x", "ask: rm x"},
		{ask, git, "! rm x", "ask: rm x"},
		{ask, git, "git status $(rm x)", "ask: rm x"},
		{ask, git, "git status `rm x`", "ask: rm x"},
		{ask, git, `git status "$(rm x)"`, "ask: rm x"},
		{ask, git, "git status '$(rm x)'", "allow"},
		{ask, git, "git status <(rm x)", "ask: rm x"},
		{ask, git, "git status >(rm x)", "ask: rm x"},
		{ask, git, "git status ${X:-$(rm x)}", "ask: rm x"},
		{ask, git, "git status $(( $(rm x) ))", "ask: rm x"},
		{ask, git, "git status <<E\n$(rm x)\nE", "ask: rm x"},
		{ask, git, "git status <<'E'\n$(rm x)\nE", "allow"},
		{ask, git, "git status <<< $(rm x)", "ask: rm x"},
		{ask, git, "case x in $(rm x)) git status;; esac", "ask: rm x"},
		{ask, git, "while rm x; do git status; done", "ask: rm x"},
		{ask, git, "[[ -n $(rm x) ]] && git status", "ask: rm x"},
		{ask, git, "git $X", "ask: git $X"},
		{ask, git, "git $(echo status)", "ask: git $(echo status), echo status"},
		{ask, git, "$GIT status", "ask: $GIT status, $GIT status"},
		{ask, git, "git stat*", "ask: git stat*"},
		{ask, git, "git {status,push}", "ask: git {status,push}"},
		{ask, git, "gi? status", "ask: gi? status, gi? status"},
		{ask, git, "$'git' status", "ask: $'git' status, $'git' status"},
		{ask, git, "git $'status'", "ask: git $'status'"},

		// Redirects.
		{ask, git, "git status > f", "ask: > f"},
		{ask, git, "git status >> f", "ask: >> f"},
		{ask, git, "git status 2> f", "ask: 2> f"},
		{ask, git, "git status &> f", "ask: &> f"},
		{ask, git, "git status >| f", "ask: >| f"},
		{ask, git, "git status >& f", "ask: >& f"},
		{ask, git, "> f git status", "ask: > f"},
		{ask, git, "{ git status; } > f", "ask: > f"},
		{ask, git, "> f", "ask: > f"},
		{ask, git, "git status > /dev/tcp/h/80", "ask: > /dev/tcp/h/80"},
		{ask, git, "git status < f", "allow"},
		{ask, git, "git status < /etc/passwd", "ask: < /etc/passwd"},
		{ask, git, "git status < ../f", "ask: < ../f"},
		{ask, git, "git status < $X", "ask: < $X"},
		{ask, git, "git status <> f", "ask: <> f"},
		{edit, git, "git status > f", "allow"},
		{edit, git, "git status > sub/f", "allow"},
		{edit, git, "git push > f", "ask: git push"},
		{edit, git, "git status > /etc/f", "ask: > /etc/f"},
		{edit, git, "git status > .git/hooks/pre-commit", "ask: > .git/hooks/pre-commit"},
		{edit, git, "git status > ../f", "ask: > ../f"},
		{edit, git, "git status > $X", "ask: > $X"},
		{edit, git, "git status > ~/f", "ask: > ~/f"},
		{edit, git, "git status > *.go", "ask: > *.go"},
		{edit, git, "git status {fd}> f", "ask: {fd}> f"},
		{ask, git + "\nallow edit(out/**)", "git status > out/f", "allow"},
		{ask, git + "\nallow edit(out/**)", "git status > f", "ask: > f"},
		{ask, git + "\nallow edit(out/**)", "git status > out/../f", "ask: > out/../f"},
		{edit, git + "\ndeny edit(.env)", "git status > .env", "deny: > .env"},
		{edit, git + "\nask edit(go.mod)", "git status > go.mod", "ask: > go.mod"},
		{full, "deny edit(.env)", "echo x >> sub/.env", "deny: >> sub/.env"},
		{full, "deny read(.env)", "cat < .env", "deny: < .env"},

		// Assignments.
		{ask, git, "PATH=/tmp git status", "ask: PATH=/tmp"},
		{ask, git, "LD_PRELOAD=x.so git status", "ask: LD_PRELOAD=x.so"},
		{ask, git, "GIT_SSH_COMMAND=rm git status", "ask: GIT_SSH_COMMAND=rm"},
		{ask, git, "X=1; git status", "ask: X=1"},
		{ask, git, "export PATH=/tmp; git status", "ask: PATH=/tmp"},
		{ask, git, "X=$(rm x) git status", "ask: rm x, X=$(rm x)"},
		{ask, git, "env X=1 git status", "ask: env X=1 git status, X=1"},
		{ask, git, "for PATH in /tmp; do git status; done", "ask: PATH in /tmp"},
		{ask, git, "for https_proxy in x; do git status; done", "ask: https_proxy in x"},
		{ask, git, "git status ${PATH:=/tmp}", "ask: ${PATH:=/tmp}"},
		{ask, git, "((PATH=1)); git status", "ask: PATH=1"},
		{ask, git, "read PATH; git status", "ask: read PATH, read PATH"},
		{ask, git + "\nallow bash(CGO_ENABLED=*)", "CGO_ENABLED=0 git status", "allow"},
		{ask, git + "\nallow bash(CGO_ENABLED=*)", "CGO_ENABLED=$(rm x) git status", "ask: rm x"},
		{ask, git + "\nallow bash(CGO_ENABLED=0)", "CGO_ENABLED=1 git status", "ask: CGO_ENABLED=1"},
		{ask, git + "\nallow bash(* x)", "X=1 git status", "ask: X=1"},
		{full, "deny bash(LD_PRELOAD=*)", "LD_PRELOAD=x ls", "deny: LD_PRELOAD=x"},

		// Commands that run others.
		{ask, git, "sudo git status", "ask: sudo git status"},
		{ask, git, "env git status", "ask: env git status"},
		{ask, git, "xargs git status", "ask: xargs git status"},
		{ask, git, "nohup git status", "ask: nohup git status"},
		{ask, git, "timeout 5 rm x", "ask: rm x"},
		{ask, git, "timeout $T git status", "ask: timeout $T git status, timeout $T git status"},
		{ask, git, "/tmp/timeout 5 git status", "ask: /tmp/timeout 5 git status"},
		{ask, git, "sh -c 'git status; rm x'", "ask: rm x"},
		{ask, git, "sh -c 'git status > f'", "ask: > f"},
		{ask, git, "sh -c \"$X\"", `ask: sh -c "$X", sh -c "$X"`},
		{ask, git, "eval git status", "allow"},
		{ask, git, "eval 'git status; rm x'", "ask: rm x"},
		{ask, git, "eval $X", "ask: eval $X, eval $X"},
		{ask, git, "trap 'rm x' EXIT; git status", "ask: trap 'rm x' EXIT, rm x"},
		{ask, git + "\nallow bash(find)", "find . -exec git status \\;", "allow"},
		{ask, git + "\nallow bash(find)", "find . -exec rm {} +", "ask: rm {}"},
		{ask, git + "\nallow bash(find)", "find . $X", "ask: find . $X"},
		{ask, git + "\nallow bash(xargs)", "git status | xargs git status", "allow"},
		{ask, git + "\nallow bash(xargs)", "git status | xargs git", "ask: git"},
		{ask, git + "\nallow bash(xargs)", "git status | xargs sh -c", "ask: sh -c, sh -c"},
		{ask, git, "git status | sh", "ask: sh, sh"},
		{ask, git, "exec git status", "ask: exec git status"},
		{ask, git, "source git status", "ask: source git status"},

		{ask, git, "sh -c 'git status || true'", "allow"},
		{ask, "allow bash(git log)", "git log --output=f", "ask: git log --output=f"},
		{ask, "allow bash(git log)", "git log '--outp'ut=f", "ask: git log '--outp'ut=f"},
		{ask, "allow bash(git log)", "git log --ext-d", "ask: git log --ext-d"},
		{ask, "allow bash(git log)", "git log --oneline -- a", "allow"},
		{ask, "allow bash(git log --output=f)", "git log --output=f", "allow"},
		{ask, "allow bash(git log)", "for f in --output=f; do git log $f; done", "ask: f in --output=f"},
		{ask, "allow bash(go test)", "go test -exec rm ./...", "ask: go test -exec rm ./..."},
		{ask, "allow bash(go test)", "go test -run X ./...", "allow"},

		{ask, "allow bash(go build)", "go build -ldflags=-extld=/tmp/x .", "ask: go build -ldflags=-extld=/tmp/x ."},
		{ask, "allow bash(go build)", "go build -o /w/x .", "ask: go build -o /w/x ."},
		{ask, "allow bash(go build)", "go build -overlay x.json .", "ask: go build -overlay x.json ."},
		{ask, "allow bash(go test)", "go test --coverprofile ../x .", "ask: go test --coverprofile ../x ."},
		{ask, "allow bash(go test)", "go test -test.cpuprofile=../x .", "ask: go test -test.cpuprofile=../x ."},
		{ask, "allow bash(go test)", "go test . -args --test.coverprofile ../x", "ask: go test . -args --test.coverprofile ../x"},
		{ask, "allow bash(go build)", "go build -gcflags=-asmhdr=../x .", "ask: go build -gcflags=-asmhdr=../x ."},
		{ask, "allow bash(go build -o bin/x)", "go build -o bin/x ./...", "allow"},
		{ask, "allow bash(go test)", "go test -count=1 -race -timeout 5m -v ./...", "allow"},
		{ask, "allow bash(cargo build)", "cargo build --config build.rustc=/tmp/x", "ask: cargo build --config build.rustc=/tmp/x"},
		{ask, "allow bash(cargo build)", "cargo build --release -p x", "allow"},
		{ask, "allow bash(npm test)", "npm test --script-shell=/tmp/x", "ask: npm test --script-shell=/tmp/x"},
		{ask, "allow bash(npm test)", "npm test --prefix ../other", "ask: npm test --prefix ../other"},
		{ask, "allow bash(npm test)", "npm test -- --watch", "allow"},
		{ask, "allow bash(pytest)", "pytest --basetemp=/home/u", "ask: pytest --basetemp=/home/u"},
		{ask, "allow bash(pytest)", "pytest --debug=../x", "ask: pytest --debug=../x"},
		{ask, "allow bash(pytest)", "pytest --cov-report html:/home/u", "ask: pytest --cov-report html:/home/u"},
		{ask, "allow bash(pytest)", "pytest -q -k name tests", "allow"},

		// What isn't understood.
		{ask, git, "git status # \\\nrm x", "ask: git status # \\\nrm x"},
		{ask, git, "git() { rm x; }; git status", "ask: rm x, git() { rm x; }"},
		{ask, git, "alias git=rm; git status", "ask: alias git=rm, alias git=rm"},
		{ask, git, "git status '", "ask: git status '"},
		{ask, git, "git status \r", "ask: git status \r"},
		{ask, git, "git status \x00", "ask: git status \x00"},
		{ask, git, "git status \u202e", "ask: git status \u202e"},
		{ask, git, "coproc git status", "ask: coproc git status"},
		{ask, git, "git status @(a)", "ask: @(a)"},
		{ask, git, "git status ${X@P}", "ask: ${X@P}"},

		// Folders.
		{ask, git, "cd /w && git status", "allow"},
		{ask, "allow bash(ls)", "cd sub && ls", "allow"},
		{ask, git, "cd sub && git status", "ask: cd sub"},
		{ask, "allow bash(ls)", "cd git-repo && ls git", "allow"},
		{ask, "allow bash(ls)", "cd /w/a/.. && ls", "ask: cd /w/a/.."},
		{ask, git, "cd /tmp && git status", "ask: cd /tmp"},
		{ask, git, "cd .. && git status", "ask: cd .."},
		{ask, git, "cd && git status", "ask: cd"},
		{ask, git, "cd ~ && git status", "ask: cd ~"},
		{ask, git, "cd - && git status", "ask: cd -"},
		{ask, git, "cd $X && git status", "ask: cd $X"},
		{ask, "allow bash(ls)", "cd a; cd b; ls", "ask: cd a, cd b"},
		{ask, "allow bash(ls)", "cd a/..; ls", "ask: cd a/.."},
		{ask, "allow bash(ls)", "pushd a; popd; ls", "ask: pushd a, popd"},
		{edit, "allow bash(ls)", "cd a; ls > f", "ask: > f"},
		{edit, "allow bash(ls)", "cd a; ls > /w/f", "allow"},
		{ask, "allow bash(cd)\n" + git, "cd /tmp && git status", "allow"},

		// The shapes of patterns.
		{ask, "allow bash(git diff:*)", "git diff a b", "allow"},
		{ask, "allow bash(git diff:*)", "git difftool", "ask: git difftool"},
		{ask, "allow bash(npm run *)", "npm run build", "allow"},
		{ask, "allow bash(npm run *)", "npm run", "ask: npm run"},
		{ask, "allow bash(npm run test:*)", "npm run test", "allow"},
		{ask, "allow bash(npm run test:*)", "npm run test:unit", "ask: npm run test:unit"},
		{ask, "allow bash(npm run test*)", "npm run test:unit", "allow"},
		{ask, "allow bash(npm run 'a b')", "npm run 'a b'", "allow"},
		{ask, "allow bash(npm run 'a b')", "npm run a b", "ask: npm run a b"},
		{ask, "allow bash(cat '*')", "cat '*'", "allow"},
		{ask, "allow bash(cat '*')", "cat *", "ask: cat *"},
		{ask, "allow bash(cat '*')", "cat x", "ask: cat x"},
		{ask, "allow bash(cat *)", "cat *.go", "allow"},
		{ask, "allow bash(=rm -rf out)", "rm -rf out", "allow"},
		{ask, "allow bash(=rm -rf out)", "rm -rf out /", "ask: rm -rf out /"},
		{ask, "allow bash(=rm -rf out)", "rm -rf out $X", "ask: rm -rf out $X"},
		{ask, "allow bash", "anything $X; X=1 f > /etc/f", "allow"},
		{ask, "allow bash(*)", "anything $(x) '", "allow"},
		{ask, "allow execute(ls)", "ls", "allow"},
		{ask, "allow read(ls)", "ls", "ask: ls"},

		// Deny and ask rules match generously.
		{ask, "allow bash\ndeny bash(rm)", "ls; rm x", "deny: rm x"},
		{full, "deny bash(rm)", "ls && /bin/rm x", "deny: /bin/rm x"},
		{full, "deny bash(rm)", "RM x", "deny: RM x"},
		{full, "deny bash(rm)", `r\m x`, `deny: r\m x`},
		{full, "deny bash(rm)", "sudo -u root rm x", "deny: rm x"},
		{full, "deny bash(rm)", "env A=1 rm x", "deny: rm x"},
		{full, "deny bash(rm)", "sh -c 'ls; rm x'", "deny: rm x"},
		{full, "deny bash(rm)", "echo $(rm x)", "deny: rm x"},
		{full, "deny bash(rm)", "find . -exec rm {} \\;", "deny: rm {}"},
		{full, "deny bash(rm)", "ls | xargs -0 rm", "deny: rm"},
		{full, "deny bash(rm)", "f() { rm x; }; f", "deny: rm x"},
		{full, "deny bash(rm)", "rmdir x", "allow"},
		{full, "deny bash(rm)", "echo rm", "allow"},
		{full, "deny bash(git push)", "git -C x push", "deny: git -C x push"},
		{full, "deny bash(git push)", "git --no-pager push origin", "deny: git --no-pager push origin"},
		{full, "deny bash(git push)", "git commit -m push", "allow"},
		{full, "deny bash(git push)", "git $X", "allow"},
		{ask, "allow bash(git)\ndeny bash(git push)", "git $X", "ask: git $X"},
		{ask, "allow bash(git)\nask bash(git push)", "git push", "ask: git push"},
		{ask, "ask bash(git push)\nallow bash(git)", "git push && git log", "ask: git push"},
		{ask, "allow bash(git)\ndeny bash(git push)", "git push", "deny: git push"},
		{ask, "deny bash", "ls", "deny: ls"},
		{full, "deny bash", "> f", "deny: > f"},
		{ask, "ask bash\nallow bash(ls)", "ls", "ask: ls"},
		{full, "ask bash", "ls", "allow"},
		{full, "deny bash", "# nothing", "allow"},

		// The modes.
		{full, "", "anything $X > /etc/f '", "allow"},
		{ask, "", "ls", "ask: ls"},
		{edit, "", "ls", "ask: ls"},
		{plan, "allow bash", "ls", "deny: ls"},
		{plan, "", "# nothing", "deny: # nothing"},
		{"", "", "ls", "ask: ls"},
	}
	for _, tt := range tests {
		t.Run(string(tt.mode)+" "+tt.rules+" "+tt.script, func(t *testing.T) {
			d := policy(t, tt.mode, tt.rules).Judge(request(tt.script))
			got := string(d.Action)
			for i, part := range d.Parts {
				got += []string{": ", ", "}[min(i, 1)] + part.Text
				if part.Why == "" {
					t.Errorf("no reason is given for %q", part.Text)
				}
			}
			if got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
			if (d.Reason == "") != (d.Action == permission.Allow) {
				t.Errorf("%s with the reason %q", d.Action, d.Reason)
			}
		})
	}
}

// A command that couldn't be parsed asks, and only a rule for the whole tool
// allows it.
func TestOpaqueCommand(t *testing.T) {
	opaque := shell.Opaque("git status", "it's PowerShell")
	for name, req := range map[string]permission.Request{
		"no analysis": {Tool: "bash", Kind: permission.KindExecute, Text: "git status"},
		"opaque":      {Tool: "bash", Kind: permission.KindExecute, Text: "git status", Command: &opaque},
	} {
		for rules, want := range map[string]permission.Action{
			"":                       permission.Ask,
			"allow bash(git status)": permission.Ask,
			"allow bash":             permission.Allow,
			"deny bash":              permission.Deny,
		} {
			if d := policy(t, permission.ModeAsk, rules).Judge(req); d.Action != want || len(d.Suggest) > 0 {
				t.Errorf("%s under %q: %+v", name, rules, d)
			}
		}
	}
}

// The folder that a command runs in is a path of its request.
func TestCommandFolder(t *testing.T) {
	for dir, want := range map[string]permission.Action{"/w/sub": permission.Allow, "/tmp": permission.Ask, "": permission.Ask} {
		req := request("ls > /dev/null")
		req.Paths = append(req.Paths, permission.Path{Path: dir, Inside: strings.HasPrefix(dir, "/w/")})
		if d := policy(t, permission.ModeAsk, "allow bash(ls)").Judge(req); d.Action != want {
			t.Errorf("in %q: %+v", dir, d)
		}
	}
}

func TestSuggest(t *testing.T) {
	tests := []struct {
		rules, script string
		want          string
	}{
		{"", "git status -s", "bash(git status)"},
		{"", "git status && cat f | wc -l", "bash(git status), bash(cat), bash(wc)"},
		{"allow bash(git status)", "git status | cat", "bash(cat)"},
		{"", "npm test", "bash(npm test)"},
		{"", "npm run build -- --x", "bash(npm run build)"},
		{"", "go test ./...", "bash(go test)"},
		{"", "go run ./x", "bash(=go run ./x)"},
		{"", "git push --force", "bash(=git push --force)"},
		{"", "git -C x status", "bash(=git -C x status)"},
		{"", "rm -rf 'a b' '*'", "bash(=rm -rf 'a b' '*')"},
		{"", "make test", "bash(=make test)"},
		{"", "python -m pytest -q", "bash(python -m pytest)"},
		{"", "git log $X", "bash(git log)"},
		{"", "git log --output=f", "bash(=git log --output=f)"},
		{"", "x (", ""},
		{"", "rm $X", ""},
		{"", "rm *.o", ""},
		{"", "git status > f", ""},
		{"", "X=1 git status", ""},
		{"", "cd /tmp && ls", ""},
		{"", "rm '\n'", ""},
		{"", "echo '\x1b[2K'", ""},
		{"", "rm 'a\u3164b'", ""}, // a letter by class, empty by shape
		{"", "rm " + strings.Repeat("x", 300), ""},
		{"", "timeout 5 npm test", "bash(npm test)"},
		{"", "sudo npm test", "bash(=sudo npm test), bash(npm test)"},
		{"", "git status; git status -s", "bash(git status)"},
		{"ask bash(git push)", "git push", ""},
		{"", "echo '=x)' (", ""},
		{"", "a; b; c; d; e; f; g; h; i; j; k; l; m", ""},
		{"", "=x y", "bash(==x y)"},
		{"", "a b:*", ""},
		{"", "a 'b:*'", "bash(=a 'b:*')"},
	}
	for _, tt := range tests {
		t.Run(tt.script, func(t *testing.T) {
			p := policy(t, permission.ModeAsk, tt.rules)
			d := p.Judge(request(tt.script))
			var got []string
			for _, r := range d.Suggest {
				got = append(got, r.String())
			}
			if s := strings.Join(got, ", "); s != tt.want {
				t.Errorf("got %q, want %q", s, tt.want)
			}
			checkSuggest(t, p, request(tt.script), d)
		})
	}
}

// checkSuggest: saved as text and read back, the rules allow the request.
func checkSuggest(t *testing.T, p *permission.Policy, req permission.Request, d permission.Decision) {
	t.Helper()
	if len(d.Suggest) == 0 {
		return
	}
	if d.Action != permission.Ask {
		t.Errorf("rules are suggested with %s", d.Action)
	}
	for _, r := range d.Suggest {
		again, err := permission.ParseRule(r.String(), permission.Allow, permission.FromSaved)
		if err != nil {
			t.Fatalf("rule %q: %v", r, err)
		}
		p = p.With(again)
	}
	if after := p.Judge(req); after.Action != permission.Allow {
		t.Errorf("still asks: %v", after.Parts)
	}
}

// FuzzAllowed: what runs unasked under one rule is that command and nothing
// else. Simple scripts are cut apart here without a parser.
func FuzzAllowed(f *testing.F) {
	for _, s := range []string{"git status", "git status; git status -s", "git status | cat", "git status > f", "X=1 git status", "git status $(rm x)", "sh -c 'git status'", "{ git status; }"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, script string) {
		p := policy(t, permission.ModeAsk, "allow bash(git status)")
		a := shell.Analyze(script)
		req := permission.Request{Tool: "bash", Kind: permission.KindExecute, Command: &a, Text: script}
		d := p.Judge(req)
		checkSuggest(t, p, req, d)
		if d.Action != permission.Allow {
			return
		}
		for _, c := range a.Calls {
			if len(c.Words) > 1 && c.Words[0].Text == "git" && c.Words[1].Text == "status" || c.Wraps || isFlow(c.Words[0].Text) {
				continue
			}
			t.Fatalf("%q runs %q", script, c.Text)
		}
		checkPlain(t, script)
	})
}

func BenchmarkJudge(b *testing.B) {
	p := policy(b, permission.ModeAsk, "allow bash(git status)\nallow bash(cat)\ndeny bash(rm)\nask bash(git push)")
	b.ReportAllocs()
	for b.Loop() {
		if d := p.Judge(request("cd /w && git status 2>&1 | cat && npm test > out.txt")); d.Action != permission.Ask {
			b.Fatal(d)
		}
	}
}

func isFlow(word string) bool {
	return strings.Contains(" true false : exit break continue return wait ", " "+word+" ")
}

// checkPlain cuts a script at the operators and looks at the first words of
// each piece, where the script has nothing that would need a parser.
func checkPlain(t *testing.T, script string) {
	for _, r := range script {
		if !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz;&| \n=/-", r) {
			return
		}
	}
	for _, piece := range strings.FieldsFunc(script, func(r rune) bool { return strings.ContainsRune(";&|\n", r) }) {
		words := strings.Fields(piece)
		for len(words) > 0 && words[0] == "time" {
			words = words[1:]
			for len(words) > 0 && (words[0] == "-p" || words[0] == "--") {
				words = words[1:]
			}
		}
		switch {
		case len(words) == 0 || isFlow(words[0]):
		case strings.Contains(" if then else elif fi while until do done for case esac eval timeout nice command builtin sh bash select in ", " "+words[0]+" "):
			return // needs a parser after all
		case len(words) < 2 || words[0] != "git" || words[1] != "status":
			t.Fatalf("%q is allowed with %q", script, piece)
		}
	}
}
