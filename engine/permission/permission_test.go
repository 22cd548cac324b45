package permission_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/permission"
)

func TestFiles(t *testing.T) {
	const ask, edit, full, plan = permission.ModeAsk, permission.ModeEdit, permission.ModeFull, permission.ModePlan
	const allow, asks, deny = permission.Allow, permission.Ask, permission.Deny
	tests := []struct {
		name    string
		mode    permission.Mode
		rules   string
		tool    string
		kind    permission.Kind
		path    string // "" for none; several with blanks
		want    permission.Action
		suggest string
	}{
		{"read inside", ask, "", "read", permission.KindRead, "/w/a.go", allow, ""},
		{"read the root", ask, "", "ls", permission.KindRead, "/w", allow, ""},
		{"read outside", ask, "", "read", permission.KindRead, "/etc/hosts", asks, "read(/etc/hosts)"},
		{"read outside in edit", edit, "", "read", permission.KindRead, "/etc/hosts", asks, "read(/etc/hosts)"},
		{"read outside in plan", plan, "", "read", permission.KindRead, "/etc/hosts", asks, "read(/etc/hosts)"},
		{"read outside in full", full, "", "read", permission.KindRead, "/etc/hosts", allow, ""},
		{"read beside the root", ask, "", "read", permission.KindRead, "/workspace/a", asks, "read(/workspace/a)"},
		{"read without a path", ask, "", "grep", permission.KindRead, "", allow, ""},
		{"read a path that can't be told", ask, "", "read", permission.KindRead, "?", asks, ""},
		{"read in plan", plan, "", "read", permission.KindRead, "/w/a.go", allow, ""},
		{"edit in ask", ask, "", "edit", permission.KindEdit, "/w/src/a.go", asks, "edit(src/a.go)"},
		{"edit at the top", ask, "", "write", permission.KindEdit, "/w/a.go", asks, "write(./a.go)"},
		{"edit a starred name", ask, "", "edit", permission.KindEdit, "/w/s/a*[b].go", asks, `edit(s/a\*\[b].go)`},
		{"edit in edit", edit, "", "edit", permission.KindEdit, "/w/a.go", allow, ""},
		{"edit outside in edit", edit, "", "edit", permission.KindEdit, "/x/a.go", asks, "edit(/x/a.go)"},
		{"edit in full", full, "", "edit", permission.KindEdit, "/x/a.go", allow, ""},
		{"edit in plan", plan, "allow edit", "edit", permission.KindEdit, "/w/a.go", deny, ""},
		{"edit without a path", edit, "", "edit", permission.KindEdit, "", asks, ""},
		{"several, one outside", edit, "", "edit", permission.KindEdit, "/w/a /x/b", asks, "edit(/x/b)"},

		{"rule for a folder", ask, "allow edit(src)", "edit", permission.KindEdit, "/w/src/a/b.go", allow, ""},
		{"rule for what is in a folder", ask, "allow edit(src/**)", "edit", permission.KindEdit, "/w/src/a/b.go", allow, ""},
		{"rule with a star", ask, "allow edit(src/*.go)", "edit", permission.KindEdit, "/w/src/b.go", allow, ""},
		{"a star stays in its folder", ask, "allow edit(src/*.go)", "edit", permission.KindEdit, "/w/src/a/b.go", asks, "edit(src/a/b.go)"},
		{"folders in between", ask, "allow edit(src/**/b.go)", "edit", permission.KindEdit, "/w/src/a/c/b.go", allow, ""},
		{"no folder in between", ask, "allow edit(src/**/b.go)", "edit", permission.KindEdit, "/w/src/b.go", allow, ""},
		{"another folder", ask, "allow edit(src/**)", "edit", permission.KindEdit, "/w/srcs/b.go", asks, "edit(srcs/b.go)"},
		{"dots in the path", ask, "allow edit(src/**)", "edit", permission.KindEdit, "/w/src/../b.go", asks, ""},
		{"a name at any depth", ask, "allow edit(*.md)", "edit", permission.KindEdit, "/w/a/b/c.md", allow, ""},
		{"an anchored name", ask, "allow edit(./c.md)", "edit", permission.KindEdit, "/w/a/c.md", asks, "edit(a/c.md)"},
		{"a name outside", edit, "allow edit(*.md)", "edit", permission.KindEdit, "/x/c.md", asks, "edit(/x/c.md)"},
		{"everything inside", ask, "allow edit(**)", "edit", permission.KindEdit, "/w/a/c.md", allow, ""},
		{"the whole tool inside", ask, "allow edit", "edit", permission.KindEdit, "/w/a/c.md", allow, ""},
		{"the whole tool outside", ask, "allow edit", "edit", permission.KindEdit, "/x/c.md", asks, "edit(/x/c.md)"},
		{"an absolute rule", ask, "allow read(/etc/**)", "read", permission.KindRead, "/etc/a/b", allow, ""},
		{"home", ask, "allow read(~/notes/**)", "read", permission.KindRead, "/home/u/notes/a", allow, ""},
		{"another home", ask, "allow read(~/notes/**)", "read", permission.KindRead, "/home/v/notes/a", asks, "read(/home/v/notes/a)"},
		{"the tool's own rule", ask, "allow write(**)", "edit", permission.KindEdit, "/w/a/b", asks, "edit(a/b)"},
		{"the kind's rule", ask, "allow edit(**)", "write", permission.KindEdit, "/w/a", allow, ""},

		{"deny a name", ask, "deny read(.env)", "read", permission.KindRead, "/w/sub/.env", deny, ""},
		{"deny in another case", full, "deny read(.env)", "read", permission.KindRead, "/w/.ENV", deny, ""},
		{"deny a name outside", full, "deny read(id_rsa)", "read", permission.KindRead, "/home/u/.ssh/id_rsa", deny, ""},
		{"deny by kind", ask, "deny read(secrets/**)", "grep", permission.KindRead, "/w/secrets", deny, ""},
		{"deny over allow", ask, "allow edit(**)\ndeny edit(.git/**)", "edit", permission.KindEdit, "/w/.git/config", deny, ""},
		{"deny the tool in full", full, "deny edit", "edit", permission.KindEdit, "/w/a", deny, ""},
		// Whoever may edit files may not edit what decides on programs and permissions.
		{"git's hooks", edit, "", "write", permission.KindEdit, "/w/.git/hooks/pre-commit", asks, "write(.git/hooks/pre-commit)"},
		{"a module's git folder", edit, "", "edit", permission.KindEdit, "/w/sub/.GIT/config", asks, "edit(sub/.GIT/config)"},
		{"the file that names git's folder", edit, "", "edit", permission.KindEdit, "/w/.git", asks, "edit(./.git)"},
		{"the project's settings", edit, "allow edit", "edit", permission.KindEdit, "/w/.hoopoe/settings.json", asks, "edit(.hoopoe/settings.json)"},
		{"everything but what is guarded", edit, "allow edit(**)", "edit", permission.KindEdit, "/w/.git/config", asks, "edit(.git/config)"},
		{"a rule for what is guarded", edit, "allow edit(.git/**)", "edit", permission.KindEdit, "/w/.git/config", allow, ""},
		{"a file of servers", edit, "allow edit(**)", "write", permission.KindEdit, "/w/.mcp.json", asks, "write(./.mcp.json)"},
		{"an extension of the family's", edit, "", "write", permission.KindEdit, "/w/.pi/extensions/x.ts", asks, "write(.pi/extensions/x.ts)"},
		{"another agent's hooks", edit, "", "edit", permission.KindEdit, "/w/sub/.claude/settings.json", asks, "edit(sub/.claude/settings.json)"},
		{"another agent's plugins", edit, "", "write", permission.KindEdit, "/w/.opencode/plugin/x.ts", asks, "write(.opencode/plugin/x.ts)"},
		{"another agent's servers", edit, "", "write", permission.KindEdit, "/w/.gemini/settings.json", asks, "write(.gemini/settings.json)"},
		{"another agent's file of servers", edit, "", "edit", permission.KindEdit, "/w/opencode.json", asks, "edit(./opencode.json)"},
		{"what a shell runs in a folder", edit, "", "write", permission.KindEdit, "/w/.envrc", asks, "write(./.envrc)"},
		{"an editor's tasks", edit, "", "edit", permission.KindEdit, "/w/.vscode/tasks.json", asks, "edit(.vscode/tasks.json)"},
		{"a shell's start, with the home as workspace", edit, "", "edit", permission.KindEdit, "/w/.bashrc", asks, "edit(./.bashrc)"},
		{"a guarded name as Windows reads it", edit, "", "edit", permission.KindEdit, "/w/.git./hooks/x", asks, "edit(.git./hooks/x)"},
		{"a stream of a guarded name", edit, "", "edit", permission.KindEdit, "/w/.git::$INDEX_ALLOCATION/config", asks, "edit(.git::$INDEX_ALLOCATION/config)"},
		{"names that only begin like it", edit, "", "edit", permission.KindEdit, "/w/.pipeline/.mcp.json.md", allow, ""},
		{"Hoopoe's own folder", edit, "allow edit(**)", "edit", permission.KindEdit, "/w/own/settings.json", asks, "edit(own/settings.json)"},
		{"reading what is guarded", ask, "", "read", permission.KindRead, "/w/.git/config", allow, ""},
		{"a name that begins like a guarded one", edit, "", "edit", permission.KindEdit, "/w/.gitignore", allow, ""},
		{"what is guarded in full", full, "", "edit", permission.KindEdit, "/w/.git/config", allow, ""},
		{"ask over allow", edit, "ask edit(go.mod)", "edit", permission.KindEdit, "/w/go.mod", asks, ""},
		{"ask for reads", ask, "ask read(secrets/**)", "read", permission.KindRead, "/w/secrets/a", asks, ""},
		{"stars don't explode", ask, "allow edit(" + strings.Repeat("**/a/", 60) + "b)", "edit", permission.KindEdit, "/w" + strings.Repeat("/a", 2000), asks, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			req := permission.Request{Tool: tt.tool, Kind: tt.kind, Text: "a file"}
			for _, p := range strings.Fields(tt.path) {
				if p == "?" {
					p = ""
				}
				req.Paths = append(req.Paths, permission.Path{Path: p, Write: tt.kind == permission.KindEdit, Inside: p == root || strings.HasPrefix(p, root+"/")})
			}
			p := policy(t, tt.mode, tt.rules)
			d := p.Judge(req)
			if d.Action != tt.want {
				t.Errorf("got %+v, want %s", d, tt.want)
			}
			var got []string
			for _, r := range d.Suggest {
				got = append(got, r.String())
			}
			if s := strings.Join(got, ", "); s != tt.suggest && tt.suggest != "" {
				t.Errorf("suggests %q, want %q", s, tt.suggest)
			}
			checkSuggest(t, p, req, d)
		})
	}
}

func TestOtherTools(t *testing.T) {
	const ask, edit, full, plan = permission.ModeAsk, permission.ModeEdit, permission.ModeFull, permission.ModePlan
	tests := []struct {
		mode          permission.Mode
		rules         string
		tool          string
		kind          permission.Kind
		text          string
		want, suggest string
	}{
		{ask, "", "todo", permission.KindThink, "", "allow", ""},
		{plan, "", "todo", permission.KindThink, "", "allow", ""},
		{plan, "deny todo", "todo", permission.KindThink, "", "deny", ""},
		{ask, "", "fetch", permission.KindFetch, "https://go.dev/doc", "ask", "fetch(go.dev)"},
		{plan, "", "fetch", permission.KindFetch, "https://go.dev/doc", "ask", "fetch(go.dev)"},
		{ask, "", "fetch", permission.KindFetch, "https://go.dev@evil.example/", "ask", ""},
		{ask, "", "fetch", permission.KindFetch, "file:///etc/passwd", "ask", ""},
		{ask, "allow fetch(https://go.dev/*)", "fetch", permission.KindFetch, "https://go.dev/doc", "allow", ""},
		{ask, "allow fetch(https://go.dev/*)", "fetch", permission.KindFetch, "https://go.dev.evil.example/", "ask", "fetch(go.dev.evil.example)"},
		{ask, "allow web_fetch(go.dev)", "web_fetch", permission.KindFetch, "https://go.dev/doc?q=1", "allow", ""},
		{ask, "allow web_fetch(go.dev)", "web_fetch", permission.KindFetch, "http://GO.dev:80/doc", "allow", ""},
		{ask, "allow web_fetch(go.dev)", "web_fetch", permission.KindFetch, "https://go.dev:8443/doc", "ask", "web_fetch(go.dev:8443)"},
		{ask, "allow web_fetch(go.dev)", "web_fetch", permission.KindFetch, "https://go.dev.evil.example/", "ask", "web_fetch(go.dev.evil.example)"},
		{ask, "allow web_fetch(go.dev)", "web_fetch", permission.KindFetch, "https://evil.example/go.dev", "ask", "web_fetch(evil.example)"},
		{ask, "allow web_fetch(go.dev)", "web_fetch", permission.KindFetch, "https://go.dev@evil.example/", "ask", ""},
		{ask, "allow web_fetch(*.go.dev)", "web_fetch", permission.KindFetch, "https://pkg.go.dev/net", "allow", ""},
		{ask, "allow web_fetch(*.go.dev)", "web_fetch", permission.KindFetch, "https://notgo.dev/", "ask", "web_fetch(notgo.dev)"},
		{ask, "allow web_fetch(https://go.dev/doc/*)", "web_fetch", permission.KindFetch, "https://go.dev/doc/x", "allow", ""},
		{ask, "allow web_fetch(https://go.dev/doc/*)", "web_fetch", permission.KindFetch, "https://go.dev/blog", "ask", "web_fetch(go.dev)"},
		{ask, "allow web_fetch", "web_fetch", permission.KindFetch, "https://anything.example/", "allow", ""},
		{full, "deny web_fetch(evil.example)", "web_fetch", permission.KindFetch, "http://evil.example/x", "deny", ""},
		{full, "deny fetch(*evil*)", "fetch", permission.KindFetch, "https://EVIL.example/", "deny", ""},
		{ask, "", "mcp__git__log", permission.KindOther, "log", "ask", "mcp__git__log"},
		{edit, "", "mcp__git__log", "", "log", "ask", "mcp__git__log"},
		{ask, "allow mcp__git__*", "mcp__git__log", permission.KindOther, "log", "allow", ""},
		{ask, "allow mcp__git__*", "mcp__gitx", permission.KindOther, "log", "ask", "mcp__gitx"},
		{full, "deny mcp__*", "mcp__git__log", permission.KindOther, "log", "deny", ""},
		{full, "", "mcp__git__log", permission.KindOther, "log", "allow", ""},
		{plan, "allow *", "mcp__git__log", permission.KindOther, "log", "deny", ""},
		{ask, "allow *", "mcp__git__log", permission.KindOther, "log", "allow", ""},
	}
	for _, tt := range tests {
		t.Run(string(tt.mode)+" "+tt.tool+" "+tt.rules+" "+tt.text, func(t *testing.T) {
			p := policy(t, tt.mode, tt.rules)
			req := permission.Request{Tool: tt.tool, Kind: tt.kind, Text: tt.text}
			d := p.Judge(req)
			suggest := ""
			for _, r := range d.Suggest {
				suggest += r.String()
			}
			if string(d.Action) != tt.want || suggest != tt.suggest {
				t.Errorf("got %s suggesting %q, want %s and %q", d.Action, suggest, tt.want, tt.suggest)
			}
			checkSuggest(t, p, req, d)
		})
	}
}

// What a server says of its tool opens plan mode to it, after a question, and no
// more.
func TestClaimed(t *testing.T) {
	const ask, full, plan = permission.ModeAsk, permission.ModeFull, permission.ModePlan
	for _, tt := range []struct {
		mode  permission.Mode
		rules string
		kind  permission.Kind
		want  permission.Action
	}{
		{ask, "", permission.KindRead, permission.Ask},
		{ask, "allow read", permission.KindRead, permission.Ask},
		{ask, "allow mcp__git__*", permission.KindRead, permission.Allow},
		{plan, "", permission.KindRead, permission.Ask},
		{plan, "allow mcp__git__log", permission.KindRead, permission.Allow},
		{plan, "allow mcp__git__log", permission.KindOther, permission.Deny},
		{plan, "allow mcp__git__log", permission.KindEdit, permission.Deny},
		{full, "", permission.KindOther, permission.Allow},
		{full, "deny mcp__git__*", permission.KindRead, permission.Deny},
	} {
		t.Run(string(tt.mode)+" "+tt.rules+" "+string(tt.kind), func(t *testing.T) {
			p := policy(t, tt.mode, tt.rules)
			req := permission.Request{Tool: "mcp__git__log", Kind: tt.kind, Text: "git: log", Claimed: true}
			d := p.Judge(req)
			if d.Action != tt.want || tt.want == permission.Ask && (len(d.Suggest) != 1 || d.Suggest[0].String() != "mcp__git__log") {
				t.Errorf("got %s suggesting %v, want %s", d.Action, d.Suggest, tt.want)
			}
			checkSuggest(t, p, req, d)
		})
	}
}

// A bound: what both allow, whatever is added later.
func TestBounded(t *testing.T) {
	const ask, edit, full = permission.ModeAsk, permission.ModeEdit, permission.ModeFull
	call := func(name string) permission.Request {
		return permission.Request{Tool: name, Kind: permission.KindOther, Text: name}
	}
	for _, tt := range []struct {
		name                 string
		mode, bound          permission.Mode
		rules, more          string
		tool                 string
		want                 permission.Action
		suggest, afterAlways string
	}{
		{"the bound asks", full, ask, "", "", "x", permission.Ask, "x", "allow"},
		{"the bound's own rule", full, ask, "", "allow x", "x", permission.Allow, "", "allow"},
		{"a bound loosens nothing", ask, full, "", "", "x", permission.Ask, "x", "allow"},
		{"nor do its rules", ask, ask, "", "allow x", "x", permission.Ask, "x", "allow"},
		{"the bound denies", full, full, "", "deny x", "x", permission.Deny, "", "deny"},
		{"the policy denies", full, full, "deny x", "allow x", "x", permission.Deny, "", "deny"},
		{"both ask", ask, ask, "", "", "x", permission.Ask, "x", "allow"},
		{"a rule asks", edit, edit, "allow x", "allow x\nask x", "x", permission.Ask, "", "ask"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := policy(t, tt.mode, tt.rules).Bounded(policy(t, tt.bound, tt.more))
			d := p.Judge(call(tt.tool))
			suggest := ""
			for _, r := range d.Suggest {
				suggest += r.String()
			}
			if d.Action != tt.want || suggest != tt.suggest {
				t.Errorf("got %s suggesting %q, want %s and %q", d.Action, suggest, tt.want, tt.suggest)
			}
			if again := p.With(d.Suggest...).Judge(call(tt.tool)); string(again.Action) != tt.afterAlways {
				t.Errorf("after an always it is %s, want %s", again.Action, tt.afterAlways)
			}
			if got, want := p.Mode(), permission.Tighter(tt.mode, tt.bound); got != want {
				t.Errorf("mode %s, want %s", got, want)
			}
			if got := p.WithMode(full).Mode(); got != full {
				t.Errorf("the user's full has become %s", got)
			}
		})
	}
	p := policy(t, ask, "allow a").Bounded(policy(t, ask, "allow a\ndeny b"))
	if rules := p.Rules(); len(rules) != 2 || rules[1].Tool != "b" {
		t.Errorf("rules %v", rules)
	}
}

// A tool that needs approval asks, whatever allows it.
func TestApprove(t *testing.T) {
	for _, mode := range []permission.Mode{permission.ModeAsk, permission.ModeFull} {
		rule := permission.Rule{Tool: "*", Action: permission.Allow, Source: permission.FromSettings}
		p := permission.New(permission.Options{Mode: mode, Root: root, Approve: []string{"deploy"}}, rule)
		d := p.Judge(permission.Request{Tool: "deploy", Kind: permission.KindOther, Text: "Deploy"})
		if d.Action != permission.Ask || len(d.Suggest) > 0 || !d.Insists || !strings.Contains(d.Reason, "each call") {
			t.Errorf("%s: %+v", mode, d)
		}
		if d := p.Judge(permission.Request{Tool: "other", Kind: permission.KindOther}); d.Action != permission.Allow {
			t.Errorf("%s: another tool: %+v", mode, d)
		}
	}
	p := permission.New(permission.Options{Mode: permission.ModeAsk, Approve: []string{"deploy"}})
	if d := p.Judge(permission.Request{Tool: "deploy", Kind: permission.KindOther, Text: "Deploy"}); d.Action != permission.Ask || len(d.Suggest) > 0 {
		t.Errorf("an always is offered: %+v", d)
	}
	deny := p.With(permission.Rule{Tool: "deploy", Action: permission.Deny})
	if d := deny.Judge(permission.Request{Tool: "deploy", Kind: permission.KindOther}); d.Action != permission.Deny {
		t.Errorf("a rule that denies: %+v", d)
	}
}

func TestModes(t *testing.T) {
	for _, m := range permission.Modes() {
		if got, err := permission.ParseMode(" " + strings.ToUpper(string(m))); got != m || err != nil {
			t.Errorf("%s: %s, %v", m, got, err)
		}
	}
	_, err := permission.ParseMode("yolo")
	if err == nil || !strings.Contains(err.Error(), "ask, edit, full or plan") {
		t.Errorf("error %v", err)
	}
	for i, a := range permission.Modes() {
		for j, b := range permission.Modes() {
			if got := permission.Tighter(a, b); got != permission.Modes()[min(i, j)] {
				t.Errorf("tighter of %s and %s is %s", a, b, got)
			}
		}
		if got := permission.Tighter(a, "?"); got != permission.ModePlan {
			t.Errorf("tighter of %s and nonsense is %s", a, got)
		}
	}
}

// E-2: a bad rule is named with what to do about it.
func TestParseRule(t *testing.T) {
	for text, want := range map[string]string{
		"bash":                   "bash",
		" bash( git status ) ":   "bash(git status)",
		"bash(f(x))":             "bash(f(x))",
		"edit(src/**)":           "edit(src/**)",
		"mcp__a__b":              "mcp__a__b",
		"*":                      "*",
		"bash(it's)":             "error: a quote isn't closed",
		"":                       "error: name a tool",
		"(x)":                    "error: name a tool",
		"bash(x":                 `error: the closing ")" is missing`,
		"bash(x) y":              `error: the closing ")" is missing`,
		"bash()":                 "error: the pattern is empty",
		"git status":             `error: "git status" isn't a tool's name`,
		"edit([a)":               "error: a bracket isn't closed",
		"bash([ -f x ])":         "bash([ -f x ])",
		"bash(a\x1b[2K)":         "error: remove the control characters",
		"bash(rm -rf 'a b' \\')": "bash(rm -rf 'a b' \\')",
	} {
		r, err := permission.ParseRule(text, permission.Deny, permission.FromSettings)
		got := r.String()
		if err != nil {
			got = "error: " + err.Error()
		} else if r.Action != permission.Deny || r.Source != permission.FromSettings {
			t.Errorf("%q: %+v", text, r)
		}
		if wantErr, ok := strings.CutPrefix(want, "error: "); ok && err != nil && strings.Contains(err.Error(), wantErr) {
			continue
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestSettings(t *testing.T) {
	var s struct {
		Permissions permission.Settings `json:"permissions"`
	}
	err := json.Unmarshal([]byte(`{"permissions":{"mode":"edit","allow":["bash(git status)","bash("],"ask":["fetch"],"deny":["read(.env)"]}}`), &s)
	if err != nil || s.Permissions.Mode != permission.ModeEdit {
		t.Fatalf("%+v, %v", s, err)
	}
	rules, err := s.Permissions.Rules(permission.FromSettings)
	if err == nil || !strings.Contains(err.Error(), "permissions.allow[1]") {
		t.Errorf("error %v", err)
	}
	if len(rules) != 3 {
		t.Fatalf("%d rules are left of 3", len(rules))
	}
	if err := json.Unmarshal([]byte(`{"permissions":{"mode":"yolo"}}`), &s); err == nil {
		t.Error("a mode that isn't one is taken")
	}
}

func TestWith(t *testing.T) {
	p := policy(t, permission.ModeAsk, "")
	more := p.With(permission.Rule{Tool: "bash", Pattern: "ls", Action: permission.Allow, Source: permission.FromSession})
	if p.Judge(request("ls")).Action != permission.Ask || more.Judge(request("ls")).Action != permission.Allow {
		t.Error("a rule that is added counts in the new policy alone")
	}
	full := more.WithMode(permission.ModeFull)
	if full.Mode() != permission.ModeFull || more.Mode() != permission.ModeAsk || full.Judge(request("rm x")).Action != permission.Allow {
		t.Error("the mode counts in the new policy alone")
	}
}

// What a decision says is bounded, and what isn't one of the rules or modes
// allows nothing.
func TestDecisionOfOddRequests(t *testing.T) {
	long := permission.New(permission.Options{Mode: permission.ModeAsk}).Judge(request("x '" + strings.Repeat("é", 50_000) + "'"))
	if len(long.Reason) > 400 || len(long.Parts[0].Text) < 100_000 {
		t.Errorf("a reason of %d bytes for a part of %d", len(long.Reason), len(long.Parts[0].Text))
	}
	many := policy(t, permission.ModeAsk, "").Judge(request(strings.Repeat("a; ", 10_000)))
	if len(many.Reason) > 1000 || !strings.HasSuffix(many.Reason, "and 9990 more") || len(many.Parts) != 10_000 {
		t.Errorf("a reason of %d bytes for %d parts", len(many.Reason), len(many.Parts))
	}
	writes := permission.Request{Tool: "odd", Kind: permission.KindRead, Paths: []permission.Path{{Path: "/w/a", Write: true, Inside: true}}}
	if d := policy(t, permission.ModePlan, "").Judge(writes); d.Action != permission.Deny {
		t.Errorf("plan mode writes: %+v", d)
	}
	bogus := permission.Rule{Tool: "bash", Action: "yes"}
	if d := policy(t, permission.ModeAsk, "").With(bogus).Judge(request("rm x")); d.Action != permission.Ask {
		t.Errorf("an action that is none allows: %+v", d)
	}
	plan := policy(t, permission.ModePlan, "").Judge(request("ls"))
	if !strings.Contains(plan.Reason, "plan mode is read-only") {
		t.Errorf("reason %q", plan.Reason)
	}
}

// FuzzParseRule: no panic, and a rule that is taken reads back the same.
func FuzzParseRule(f *testing.F) {
	for _, s := range []string{"bash(git *)", "edit(src/**)", `bash('a b' \* "c*")`, "bash(=x:*)", "read(~/x)"} {
		f.Add(s, "git status 'a b'")
	}
	f.Fuzz(func(t *testing.T, text, script string) {
		r, err := permission.ParseRule(text, permission.Allow, permission.FromSettings)
		if err != nil {
			return
		}
		again, err := permission.ParseRule(r.String(), permission.Allow, permission.FromSettings)
		if err != nil || again != r {
			t.Fatalf("%q reads back as %+v, %v", text, again, err)
		}
		req := request(script)
		allowed := permission.New(permission.Options{Mode: permission.ModeAsk, Root: root}, r).Judge(req).Action
		r.Action = permission.Deny
		denied := permission.New(permission.Options{Mode: permission.ModeAsk, Root: root}, r).Judge(req).Action
		free := permission.New(permission.Options{Mode: permission.ModeAsk, Root: root}).Judge(req).Action
		// What a rule allows, the same rule as a denial never lets through.
		if allowed == permission.Allow && free != permission.Allow && denied == permission.Allow {
			t.Fatalf("%q allows %q and doesn't deny it", r, script)
		}
	})
}

// E-4: a further folder of the workspace is guarded as the first one is.
func TestGuardedElsewhere(t *testing.T) {
	p := policy(t, permission.ModeEdit, "")
	for file, want := range map[string]permission.Action{"/v/.git/hooks/x": permission.Ask, "/v/a.go": permission.Allow} {
		d := p.Judge(permission.Request{Tool: "write", Kind: permission.KindEdit, Paths: []permission.Path{{Path: file, Write: true, Inside: true}}})
		if d.Action != want {
			t.Errorf("%s: %+v", file, d)
		}
	}
}
