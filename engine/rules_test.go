package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/session"
	"github.com/hoopoe-agent/hoopoe/engine/tool"
)

// rule writes a rule of the user's: its front matter, its text "obey NAME".
func (w *world) rule(name, front string) {
	w.t.Helper()
	dir := filepath.Join(w.engine.paths.Config, "rules")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		w.t.Fatal(err)
	}
	text := "---\n" + front + "\n---\nobey " + name + "\n"
	if err := os.WriteFile(filepath.Join(dir, name+".md"), []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// plot is the story with what rules say in short.
func (c *client) plot() string {
	var s strings.Builder
	for _, it := range c.log {
		if it.Ack != nil {
			fmt.Fprintf(&s, "ack %v\n", it.Ack)
			continue
		}
		switch e := it.Event.(type) {
		case event.RuleTriggered:
			var names []string
			for _, r := range e.Rules {
				names = append(names, r.Name)
			}
			fmt.Fprintf(&s, "triggered %s\n", strings.Join(names, " "))
		case event.MessageEnded:
			if e.Message.Role == message.Custom {
				fmt.Fprintf(&s, "told %s\n", injection(e.Message))
				continue
			}
			s.WriteString(tell(e) + "\n")
		case event.TurnStarted, event.TurnEnded, event.ToolRunning, event.QueueChanged:
		case event.MessageRemoved:
			s.WriteString("removed\n")
		default:
			if line := tell(e); line != "" {
				s.WriteString(line + "\n")
			}
		}
	}
	return s.String()
}

// injection says of which rules a message tells, and as what.
func injection(m message.Message) string {
	if m.CustomType != "ttsr-injection" || m.Display {
		return "something else: " + m.CustomType
	}
	var parts []string
	for block := range strings.SplitSeq(m.Text(), "</system-interrupt>") {
		how := "afterwards"
		if strings.Contains(block, "You were stopped") {
			how = "stopped"
		}
		if _, name, ok := strings.Cut(block, "obey "); ok {
			parts = append(parts, strings.TrimSpace(name)+" ("+how+")")
		}
	}
	return strings.Join(parts, " ") + " " + string(m.Details)
}

func (c *client) follows(want string) {
	c.t.Helper()
	if got, want := trimLines(c.plot()), trimLines(want); got != want {
		c.t.Errorf("plot:\n%s\n\nwant:\n%s", got, want)
	}
}

// roles writes the context, one message a word.
func (c *client) roles() string {
	c.t.Helper()
	v, err := c.s.View(c.ctx())
	if err != nil {
		c.t.Fatal(err)
	}
	var roles []string
	for _, m := range v.Messages {
		roles = append(roles, string(m.Role))
	}
	return strings.Join(roles, " ")
}

// An answer that a rule forbids is cut off where it breaks the rule, in text,
// in thinking and in a call's arguments, and begun again.
func TestRuleStops(t *testing.T) {
	const again = "-- turn --\non: obey tidy\n-- text --\nbetter\n"
	for name, tt := range map[string]struct{ rule, script, want string }{
		"text": {"condition: panic", "-- turn --\n-- text piece=6 --\nI will panic and go on\n", `
			run_started
			user "go"
			triggered tidy
			assistant "I will panic" aborted`},
		"thinking": {"condition: panic\nscope: thinking", "-- turn --\n-- thinking --\npanic first\n-- text --\npanic\n", `
			run_started
			user "go"
			triggered tidy
			assistant "" aborted`},
		"arguments": {"condition: panic\nscope: tool:probe", "-- turn --\n-- text --\npanic\n-- call probe --\n{\"n\":1}\n-- call probe piece=6 --\n{\"text\":\"panic\",\"n\":1}\n", `
			run_started
			user "go"
			triggered tidy
			assistant "panic" aborted
			tool_started probe
			tool_ended probe "Tool execution was aborted: Request was aborted" error=true
			toolResult "Tool execution was aborted: Request was aborted"
			tool_started probe
			tool_ended probe "Tool execution was aborted: Request was aborted" error=true
			toolResult "Tool execution was aborted: Request was aborted"`},
		"the last piece": {"condition: panic", "-- turn --\n-- text --\npanic\n", `
			run_started
			user "go"
			triggered tidy
			assistant "panic" aborted`},
		"the end": {"condition: panic$", "-- turn --\n-- call probe --\n{}\n-- text --\nI panic\n", `
			run_started
			user "go"
			triggered tidy
			assistant "I panic" aborted
			tool_started probe
			tool_ended probe "Tool execution was aborted: Request was aborted" error=true
			toolResult "Tool execution was aborted: Request was aborted"`},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, tt.script+again)
			w.rule("tidy", tt.rule)
			c := w.open(OpenOptions{InMemory: true, Mode: "full"})
			c.addTool("probe", tool.Read, func(context.Context, tool.Call) (tool.Result, error) {
				t.Error("a call of a stopped answer ran")
				return tool.Result{}, nil
			})
			c.run("go")
			messages := strings.Count(tt.want, "assistant") + strings.Count(tt.want, "toolResult") + 1
			c.follows(tt.want + fmt.Sprintf("\nrun_ended aborted will=continue messages=%d\n", messages) +
				strings.Repeat("removed\n", messages-1) + `run_started
				told tidy (stopped) {"rules":["tidy"]}
				assistant "better" stop
				run_ended stop will= messages=2
				run_settled stop`)
			if got := c.roles(); got != "user custom assistant" {
				t.Errorf("context: %s", got)
			}
		})
	}
}

// With contextMode keep the model sees what it had begun.
func TestRuleKeepsTheAnswer(t *testing.T) {
	w := newWorld(t, "-- turn --\n-- text --\nI panic\n-- turn --\n-- text --\nbetter\n", withSettings(`{"ttsr":{"contextMode":"keep"}}`))
	w.rule("tidy", "condition: panic")
	c := w.open(OpenOptions{InMemory: true})
	c.run("go")
	if got := c.roles(); got != "user assistant custom assistant" || strings.Contains(c.plot(), "removed") {
		t.Errorf("context: %s\n%s", got, c.plot())
	}
}

// Where the mode says not to stop, the model is told after its answer, and
// before what the user has sent meanwhile.
func TestRuleTellsAfterwards(t *testing.T) {
	const script = `
-- turn --
-- text --
panic
-- call probe --
{"n":7}
-- mark queue --
-- turn --
times: always
-- text --
ok
`
	const toldAfterText = `
		run_started
		user "go"
		assistant "panic" toolUse
		tool_started probe
		tool_ended probe "ran" error=false
		toolResult "ran"
		told %s (afterwards) {"rules":["%[1]s"]}
		user "queued"
		assistant "ok" stop
		run_ended stop will= messages=6
		run_settled stop`
	const cut = `
		run_started
		user "go"
		triggered %s
		assistant "panic" aborted%s
		run_ended aborted will=continue messages=%d%s
		run_started
		told %[1]s (stopped) {"rules":["%[1]s"]}
		%[5]sassistant "ok" stop
		run_ended stop will= messages=%d
		run_settled stop`
	const aborted = `
		tool_started probe
		tool_ended probe "Tool execution was aborted: Request was aborted" error=true
		toolResult "Tool execution was aborted: Request was aborted"`
	for name, tt := range map[string]struct{ settings, rule, scope, want string }{
		"never, text":                {"never", "", "text", fmt.Sprintf(toldAfterText, "tidy")},
		"never, tool":                {"never", "", "tool", fmt.Sprintf(toldAfterText, "tidy")},
		"tool-only, text":            {"tool-only", "", "text", fmt.Sprintf(toldAfterText, "tidy")},
		"prose-only, tool":           {"prose-only", "", "tool", fmt.Sprintf(toldAfterText, "tidy")},
		"the rule's own mode counts": {"always", "never", "text", fmt.Sprintf(toldAfterText, "tidy")},
		"prose-only, text":           {"prose-only", "", "text", fmt.Sprintf(cut, "tidy", "", 2, "\nremoved", "", 2)},
		"tool-only, tool":            {"tool-only", "", "tool", fmt.Sprintf(cut, "tidy", aborted, 3, "\nremoved\nremoved", "", 2)},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, script, withSettings(`{"ttsr":{"interruptMode":"`+tt.settings+`"}}`))
			front := "condition: panic|\"n\"\nscope: " + tt.scope
			if tt.rule != "" {
				front += "\ninterruptMode: " + tt.rule
			}
			w.rule("tidy", front)
			c := w.open(OpenOptions{InMemory: true, Mode: "full"})
			c.addTool("probe", tool.Read, func(context.Context, tool.Call) (tool.Result, error) { return tool.TextResult("ran"), nil })
			w.marks["queue"] = func(ctx context.Context) {
				if ctx.Err() == nil {
					if _, err := c.s.Prompt(ctx, Input{Text: "queued", Delivery: Steer}); err != nil {
						t.Error(err)
					}
				}
			}
			c.run("go")
			c.follows(tt.want)
		})
	}
}

// A note alone, without calls or messages, makes the model speak once more.
func TestRuleTellsAfterTheLastAnswer(t *testing.T) {
	w := newWorld(t, "-- turn --\n-- text --\npanic\n-- turn --\n-- text --\nsorry\n", withSettings(`{"ttsr":{"interruptMode":"never"}}`))
	w.rule("tidy", "condition: panic")
	c := w.open(OpenOptions{InMemory: true})
	c.run("go")
	c.follows(`
		run_started
		user "go"
		assistant "panic" stop
		told tidy (afterwards) {"rules":["tidy"]}
		assistant "sorry" stop
		run_ended stop will= messages=4
		run_settled stop`)
}

// Rules broken at once are told at once; a note that waited goes with them.
func TestRulesTogether(t *testing.T) {
	w := newWorld(t, "-- turn --\n-- text piece=5 --\nminorpanic\n-- turn --\n-- text --\nbetter\n")
	w.rule("calm", "condition: pan")
	w.rule("tidy", "condition: panic")
	w.rule("major", "condition: minor\ninterruptMode: never")
	c := w.open(OpenOptions{InMemory: true})
	c.run("go")
	c.follows(`
		run_started
		user "go"
		triggered calm tidy
		assistant "minorpanic" aborted
		run_ended aborted will=continue messages=2
		removed
		run_started
		told major (afterwards) calm (stopped) tidy (stopped) {"rules":["major","calm","tidy"]}
		assistant "better" stop
		run_ended stop will= messages=2
		run_settled stop`)
}

// times counts how often a story has a line.
func (c *client) times(line string) (n int) {
	for l := range strings.Lines(c.plot()) {
		if strings.TrimSpace(l) == line {
			n++
		}
	}
	return n
}

// A rule is told once in a branch, also when the session is opened again, is
// compacted, or goes on in another file; another branch has yet to be told.
func TestRuleOnce(t *testing.T) {
	w := newWorld(t, "-- turn --\nsystem: summar\ntimes: always\n-- text --\nthe summary\n-- turn --\ntimes: always\n-- text --\npanic\n",
		withSettings(`{"compaction":{"keepRecentTokens":1}}`))
	w.rule("tidy", "condition: panic")
	c := w.open(OpenOptions{})
	stops := func(c *client, want int) {
		t.Helper()
		c.log = nil
		c.run("go")
		if n := c.times("triggered tidy"); n != want {
			t.Errorf("stopped %d times, want %d:\n%s", n, want, c.plot())
		}
	}
	first := c.prompt("go")
	on[event.RunSettled](c)
	if n := c.times("triggered tidy"); n != 1 {
		t.Fatal(c.plot())
	}
	stops(c, 0)
	if _, err := c.s.Compact(c.ctx(), ""); err != nil {
		t.Fatal(err)
	}
	v, err := c.s.View(c.ctx())
	if err != nil {
		t.Fatal(err)
	}
	if err := c.s.Close(c.ctx()); err != nil {
		t.Fatal(err)
	}
	c = w.open(OpenOptions{Path: v.File})
	stops(c, 0)
	if _, err := c.s.Fork(c.ctx()); err != nil {
		t.Fatal(err)
	}
	stops(c, 0)
	if _, err := c.s.MoveTo(c.ctx(), first.ID); err != nil {
		t.Fatal(err)
	}
	stops(c, 1)
	stops(c, 0)
	if _, _, err := c.s.Branch(c.ctx(), first.ID); err != nil {
		t.Fatal(err)
	}
	stops(c, 1)
	if _, err := c.s.Switch(c.ctx(), v.File); err != nil {
		t.Fatal(err)
	}
	stops(c, 0)
	if _, err := c.s.NewDocument(c.ctx(), NewDocumentOptions{}); err != nil {
		t.Fatal(err)
	}
	stops(c, 1)
}

// What happened is in the file: the cut answer on a branch of its own, and the
// entry that other programs of the family read.
func TestRuleEntries(t *testing.T) {
	w := newWorld(t, "-- turn --\n-- text --\npanic\n-- turn --\n-- text --\nbetter\n")
	w.rule("tidy", "condition: panic")
	c := w.open(OpenOptions{})
	c.run("go")
	entries, _, err := c.s.Entries(c.ctx())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	parents := map[string]string{}
	for _, e := range entries {
		text := string(e.Type)
		if e.Message != nil {
			text = string(e.Message.Role) + " " + string(e.Message.StopReason)
		}
		if e.Type == "ttsr_injection" {
			var d struct{ InjectedRules []string }
			if err := json.Unmarshal(e.Raw, &d); err != nil {
				t.Fatal(err)
			}
			text += " " + strings.Join(d.InjectedRules, ",")
		}
		got = append(got, text)
		parents[text] = e.ParentID
	}
	if got, want := strings.Join(got, "; "), "user ; assistant aborted; custom ; ttsr_injection tidy; assistant stop"; got != want {
		t.Errorf("entries %s, want %s", got, want)
	}
	if parents["assistant aborted"] != parents["custom "] {
		t.Errorf("the cut answer isn't on a branch of its own: %v", parents)
	}
}

// E-4: a project's rules count only when the user trusts it. Rules are read
// again for every run.
func TestRulesAreRead(t *testing.T) {
	w := newWorld(t, "-- turn --\ntimes: always\n-- text --\npanic\n")
	dir := filepath.Join(w.dir, ".hoopoe", "rules")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "theirs.md"), []byte("---\ncondition: pan\n---\nobey theirs\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := w.open(OpenOptions{InMemory: true})
	c.run("go")
	if strings.Contains(c.plot(), "triggered") {
		t.Errorf("a rule of nobody's trust counts:\n%s", c.plot())
	}
	w.rule("tidy", "condition: panic")
	c.s.Reload()
	c.log = nil
	c.run("go")
	if c.times("triggered tidy") != 1 {
		t.Errorf("a new rule doesn't count:\n%s", c.plot())
	}
	w.rule("other", "condition: absent")
	c.s.Reload()
	c.log = nil
	c.run("go")
	if strings.Contains(c.plot(), "triggered") {
		t.Errorf("a rule counts again because of another:\n%s", c.plot())
	}
	c = w.open(OpenOptions{InMemory: true, Approve: true})
	c.run("go")
	if c.times("triggered theirs tidy") != 1 {
		t.Error(c.plot())
	}
	for _, r := range c.log {
		if e, ok := r.Event.(event.RuleTriggered); ok && e.Rules[0].Source != (event.RuleSource{Provider: "hoopoe", ProviderName: "Hoopoe", Path: filepath.Join(dir, "theirs.md"), Level: "project"}) {
			t.Errorf("%+v", e.Rules[0])
		}
	}
	for what, o := range map[string]OpenOptions{"left out": {NoRules: true}, "switched off": {}} {
		if what == "switched off" {
			withSettings(`{"ttsr":{"enabled":false}}`)(&Options{Paths: w.engine.paths})
		}
		o.InMemory = true
		c := w.open(o)
		c.run("go")
		if strings.Contains(c.plot(), "triggered") {
			t.Errorf("%s:\n%s", what, c.plot())
		}
	}
}

// Details that a damaged file or an extension makes up harm nobody.
func TestBrokenInjections(t *testing.T) {
	w := newWorld(t, "-- turn --\ntimes: always\n-- text --\npanic\n")
	w.rule("tidy", "condition: panic")
	c := w.open(OpenOptions{})
	if err := c.s.set(c.ctx(), func() error {
		for _, raw := range []string{`{}`, `{"injectedRules":"tidy"}`, `{"injectedRules":[1]}`, `{"injectedRules":null}`} {
			c.s.append(session.Entry{Type: injectionEntry, Raw: json.RawMessage(raw)})
		}
		for _, details := range []string{``, `[]`, `{"rules":"tidy"}`, `{"rules":[]}`} {
			m := message.Message{ID: c.s.ids.next(), Role: message.Custom, CustomType: injectionType, Details: json.RawMessage(details)}
			c.s.rulesTold(m)
		}
		c.s.restoreRules()
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	c.run("go")
	if c.times("triggered tidy") != 1 {
		t.Error(c.plot())
	}
}

// BenchmarkWatchedStream is BenchmarkStream with ten rules that look at every
// word and never match.
func BenchmarkWatchedStream(b *testing.B) {
	w := newWorld(b, "-- turn --\ntimes: always\n-- text repeat=20000 quoted --\n\"word \"\n")
	for i := range 10 {
		w.rule(fmt.Sprint("rule-", i), fmt.Sprintf("condition: (?i)w[a-z]+d%d|never", i))
	}
	s, _, err := w.engine.Open(context.Background(), OpenOptions{Cwd: w.dir, Model: w.model.Ref(), InMemory: true})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close(context.Background())
	c := &client{t: b, s: s}
	c.attach(Client{})
	b.ReportAllocs()
	for b.Loop() {
		c.log = nil
		c.run("go")
	}
}
