package slash_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/slash"
)

// Requirement C-4: one list, and each face takes what it can run.
func TestCatalogFollowsNeeds(t *testing.T) {
	names := func(caps slash.Needs) (list []string) {
		for _, c := range builtins().Catalog(caps) {
			if c.Summary == "" || c.Source != "builtin" {
				t.Errorf("/%s has no summary or source", c.Name)
			}
			list = append(list, c.Name)
		}
		return list
	}
	all := []string{"help", "model", "thinking", "permissions", "tools", "skills", "agents", "mcp", "new", "resume", "session", "context", "usage", "history", "config", "name", "compact", "export", "extensions", "reload", "tree", "rewind", "fork", "clone", "plan", "diff", "review", "init", "btw", "copy", "quit"}
	if got := names(chat); !slices.Equal(got, all) {
		t.Errorf("chat: %v, want %v", got, all)
	}
	headless := []string{"help", "model", "thinking", "permissions", "tools", "skills", "agents", "mcp", "session", "context", "usage", "history", "config", "name", "compact", "export", "extensions", "reload", "plan", "diff", "review", "init", "btw"}
	if got := names(pipe); !slices.Equal(got, headless) {
		t.Errorf("print: %v, want %v", got, headless)
	}
}

func TestTextThatIsNoCommand(t *testing.T) {
	for _, c := range []struct{ name, text, send string }{
		{"plain", "fix the bug", "fix the bug"},
		{"empty", "", ""},
		{"path", "/etc/hosts is odd", "/etc/hosts is odd"},
		{"slash alone", "/ what", "/ what"},
		{"two slashes", "//help me", "/help me"},
		{"leading blank", " /help me", "/help me"},
		{"comment", "// TODO: fix", "// TODO: fix"},
		{"indented text", "  two blanks", "  two blanks"},
		{"other signs", "/a,b", "/a,b"},
		{"too long", "/" + strings.Repeat("a", 200), "/" + strings.Repeat("a", 200)},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newFake()
			r, err := dispatch(t, s, chat, c.text)
			if err != nil || r.Handled || r.Text != c.send || len(s.did) > 0 {
				t.Errorf("got %+v, %v; did %v", r, err, s.did)
			}
		})
	}
}

func TestUnknownCommand(t *testing.T) {
	for _, c := range []struct {
		text    string
		caps    slash.Needs
		nearest string
	}{
		{"/permisions x", chat, "permissions"},
		{"/zzzzzz", chat, ""},
		{"/مساعدة", chat, ""},
		{"/qui", pipe, ""},     // needs a terminal: not even suggested
		{"/mo", chat, "model"}, // of model and mode: both are named
	} {
		t.Run(c.text, func(t *testing.T) {
			r, err := dispatch(t, newFake(), c.caps, c.text)
			var unknown *slash.UnknownError
			if !errors.As(err, &unknown) {
				t.Fatalf("error %v", err)
			}
			if r.Handled || r.Text != c.text {
				t.Errorf("result %+v does not hold the text", r)
			}
			if c.nearest == "" && len(unknown.Nearest) > 0 || c.nearest != "" && !slices.Contains(unknown.Nearest, c.nearest) {
				t.Errorf("nearest %v, want %q", unknown.Nearest, c.nearest)
			}
		})
	}
}

func TestCommands(t *testing.T) {
	take := func(want string) func(event.Question) (event.Answer, bool) {
		return func(q event.Question) (event.Answer, bool) {
			for _, o := range q.Options {
				if strings.Contains(o, want) {
					return event.Answer{Value: o}, true
				}
			}
			return event.Answer{Value: want}, true
		}
	}
	for _, c := range []struct {
		name, text string
		caps       slash.Needs
		pick       func(event.Question) (event.Answer, bool)
		did, reply string // did: what the session was told; reply: a part of it
	}{
		{name: "help", text: "/help", caps: pipe, reply: "/model [provider/id]"},
		{name: "help by sign", text: "/?", caps: chat, reply: "/quit"},
		{name: "model by argument", text: "/model offline/guide", caps: pipe, did: "model offline/guide", reply: "The model is now offline/guide."},
		{name: "model that thinks", text: "/model anthropic/large", caps: pipe, did: "model anthropic/large", reply: "anthropic/large, thinking off."},
		{name: "model listed", text: "/model", caps: pipe, reply: "anthropic/large  1.05M  $2.5 in, $10 out  (now)\noffline/guide       8k  no price          a note\n\n2 more can't be used now"},
		{name: "model picked of several", text: "/model E", caps: chat, pick: take("guide"), did: "model offline/guide"},
		{name: "model picked", text: "/model", caps: chat, pick: take("guide"), did: "model offline/guide"},
		{name: "model not picked", text: "/model", caps: chat},
		{name: "thinking", text: "/effort high", caps: pipe, did: "thinking high", reply: "high"},
		{name: "thinking clamped", text: "/thinking xhigh", caps: pipe, did: "thinking high", reply: "has no level xhigh"},
		{name: "thinking shown", text: "/thinking", caps: pipe, reply: "off|low|high"},
		{name: "thinking picked", text: "/thinking", caps: chat, pick: take("low"), did: "thinking low"},
		{name: "permissions", text: "/approvals EDIT", caps: pipe, did: "mode edit"},
		{name: "permissions listed", text: "/permissions", caps: pipe, reply: "(now)"},
		{name: "permissions picked", text: "/permissions", caps: chat, pick: take("plan"), did: "mode plan"},
		{name: "tools", text: "/tools", caps: pipe, reply: "read  Read a file.\nbash  Run a command."},
		{name: "new", text: "/clear", caps: chat, did: "new"},
		{name: "resume by id", text: "/resume 0002", caps: chat, did: "switch /s/two.jsonl"},
		{name: "resume picked", text: "/sessions", caps: chat, pick: take("first"), did: "switch /s/one.jsonl"},
		{name: "resume listed", text: "/resume", caps: slash.Replaceable, reply: "0002"},
		{name: "session", text: "/status", caps: pipe, reply: "10 of 100 tokens"},
		{name: "name", text: "/name my work", caps: pipe, did: "name my work", reply: "its name"},
		{name: "name asked", text: "/rename", caps: chat, pick: take(" typed "), did: "name typed"},
		{name: "compact", text: "/compact keep\nthe plan", caps: pipe, did: `compact "keep\nthe plan"`, reply: "900"},
		{name: "no skills", text: "/skills", caps: pipe, reply: "There are no skills."},
		{name: "reload", text: "/reload", caps: pipe, did: "reload; reload extensions", reply: "0 skills, 0 templates, 0 extensions"},
		{name: "export", text: "/export", caps: pipe, did: "export session.html", reply: "session.html"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newFake()
			s.pick = c.pick
			r, err := dispatch(t, s, c.caps, c.text)
			if err != nil || !r.Handled || r.Quit {
				t.Fatalf("got %+v, %v", r, err)
			}
			if got := strings.Join(s.did, "; "); got != c.did {
				t.Errorf("did %q, want %q", got, c.did)
			}
			if !strings.Contains(r.Reply, c.reply) {
				t.Errorf("reply %q lacks %q", r.Reply, c.reply)
			}
			if strings.ContainsRune(r.Reply, '\x1b') {
				t.Errorf("reply %q can drive a terminal", r.Reply)
			}
			for _, q := range s.asked {
				for _, o := range q.Options {
					if strings.ContainsRune(o, '\x1b') {
						t.Errorf("option %q can drive a terminal", o)
					}
				}
			}
		})
	}
}

// An agent's file gives the session a name of its own.
func TestSessionNamesItsAgent(t *testing.T) {
	for want, named := range map[string][2]string{"Bird: sings": {"Bird", "sings"}, "Bird": {"Bird", ""}, "sings": {"", "sings"}, "": {}} {
		s := newFake()
		s.agent, s.about = named[0], named[1]
		r, err := dispatch(t, s, chat, "/session")
		row := "agent        " + want + "\n"
		if err != nil || strings.Contains(r.Reply, row) != (want != "") || strings.Contains(r.Reply, "agent ") != (want != "") {
			t.Errorf("%q: %v\n%s", want, err, r.Reply)
		}
	}
}

// Requirement E-4: the second column begins in one place, whatever script the first is in.
func TestHelpTextAligns(t *testing.T) {
	text := slash.HelpText([]slash.Command{{Name: "plan", Args: "步骤", Summary: "one"}, {Name: "go", Summary: "two"}})
	if want := "/plan 步骤  one\n/go         two"; text != want {
		t.Errorf("%q, want %q", text, want)
	}
}

func TestCommandFailures(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"unknown model", "/model nope", `/model: unknown model "nope"`},
		{"model without a key", "/model groq/larger", "set GROQ_API_KEY"},
		{"unknown level", "/thinking lots", "unknown thinking level"},
		{"unknown mode", "/permissions wild", "unknown permission mode"},
		{"no such session", "/resume zzz", "no such session"},
		{"the open session", "/resume 0003", "that is this session"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := dispatch(t, newFake(), chat, c.text)
			if err == nil || !strings.Contains(err.Error(), c.want) || !r.Handled {
				t.Errorf("got %+v, %v; want %q", r, err, c.want)
			}
		})
	}
	for _, text := range []string{"/new", "/compact", "/export", "/name x", "/resume 0001", "/model offline/guide", "/thinking low"} {
		t.Run(text, func(t *testing.T) {
			s := newFake()
			s.fail = errors.New("disk full")
			if _, err := dispatch(t, s, chat, text); err == nil || !strings.Contains(err.Error(), "disk full") {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestVetoedReplacementSaysSo(t *testing.T) {
	for _, text := range []string{"/new", "/resume 0001"} {
		s := newFake()
		s.cancelled = true
		if r, err := dispatch(t, s, chat, text); err != nil || r.Reply == "" {
			t.Errorf("%s: %+v, %v", text, r, err)
		}
	}
}

func TestQuit(t *testing.T) {
	for _, text := range []string{"/quit", "/exit", "/q", "/qu"} {
		if r, err := dispatch(t, newFake(), chat, text); err != nil || !r.Quit {
			t.Errorf("%s: %+v, %v", text, r, err)
		}
	}
}

func TestComplete(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"/", "/help /model /thinking /permissions /tools /skills /agents /mcp /new /resume /session /context /usage /history /config /name /compact /export /extensions /reload /tree /rewind /fork /clone /plan /diff /review /init /btw /copy /quit"},
		{"/mod", "/model /permissions"},
		{"/cl", "/new /clone"},
		{"/zz", ""},
		{"/model ", "/model anthropic/large|/model offline/guide"},
		{"/model GUI", "/model offline/guide"},
		{"/model larg", "/model anthropic/large"},
		{"/effort l", "/thinking low"},
		{"/permissions ", "/permissions plan|/permissions ask|/permissions edit|/permissions full"},
		{"/resume 00", "/resume 0001|/resume 0002"},
		{"/export x", ""},
		{"no command", ""},
	} {
		t.Run(c.text, func(t *testing.T) {
			got := builtins().Complete(t.Context(), newFake(), chat, c.text)
			sep := "|"
			if !strings.Contains(c.text, " ") {
				sep = " "
			}
			if strings.Join(got, sep) != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// A later command can add to the list, never take a name over.
func TestNewKeepsTheFirst(t *testing.T) {
	run := func(text string) func(context.Context, slash.Call) (slash.Result, error) {
		return func(context.Context, slash.Call) (slash.Result, error) {
			return slash.Result{Text: text}, nil
		}
	}
	r := slash.New(
		slash.Command{Name: "review", Aliases: []string{"r"}, Run: run("first")},
		slash.Command{Name: "review", Run: run("second")},
		slash.Command{Name: "redo", Aliases: []string{"r", "again"}, Run: run("third")},
		slash.Command{Name: "none"},
	)
	for text, want := range map[string]string{"/review": "first", "/r": "first", "/again": "third"} {
		if got, err := r.Dispatch(t.Context(), newFake(), chat, text); err != nil || got.Text != want {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	if n := len(r.Catalog(chat)); n != 2 {
		t.Errorf("%d commands, want 2", n)
	}
}

// Requirement E-2: any text is either a command's or comes back whole.
func FuzzDispatch(f *testing.F) {
	for _, s := range []string{"/help", "//x", " /x", "/mo del", "/\x00", "/?\n\n", "/é", "text"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := builtins().Dispatch(t.Context(), newFake(), chat, text)
		_, _, command := slash.Split(text)
		if !command && (err != nil || r.Handled) {
			t.Fatalf("%q: %+v, %v", text, r, err)
		}
		stands := command && err == nil // for a text of its own, as /init does
		if !r.Handled && !stands && !strings.HasSuffix(text, r.Text) {
			t.Fatalf("%q became %q", text, r.Text)
		}
		builtins().Complete(t.Context(), newFake(), chat, text)
	})
}
