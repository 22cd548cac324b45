package offline_test

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/llm/llmtest"
	"github.com/hoopoe-agent/hoopoe/engine/llm/offline"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/tool"
	"github.com/hoopoe-agent/hoopoe/engine/tool/builtin"
)

// The same work in each language, over the real tools: what the guide says,
// what it calls, and what it makes of the results.
func TestConversation(t *testing.T) {
	for name, prompts := range map[string][]string{
		"english": {
			"hi", "help", "summarize this repo", "read main.go lines 3-4", "read missing.go", "find TODO", "where is parseConfig defined",
			"where is nothing defined", "find *.js", "list files in internal", "replace foo with bar in main.go", "replace foo with bar in main.go",
			"create notes.txt with hello", "create notes.txt with other", "run cat notes.txt", "plan: a; b; c",
			"ask me which port to use: 8080 or 9090", "write a poem", "fix main.go",
		},
		"arabic": {
			"مرحبًا", "مساعدة", "لخّص هذا المستودع", "اقرأ main.go الأسطر 3-4", "ابحث عن TODO", "أين تعريف parseConfig", "اعرض الملفات في internal",
			"استبدل foo بـ bar في main.go", "أنشئ notes.txt يحتوي مرحبًا", "شغّل cat notes.txt", "خطة: أ؛ ب؛ ج", "اسألني أي منفذ نستخدم: 8080 أو 9090", "اكتب قصيدة",
		},
		"chinese": {
			"你好", "帮助", "总结这个仓库", "读取 main.go 第 3-4 行", "查找 TODO", "parseConfig 在哪里定义", "列出 internal 中的文件",
			"把 main.go 中的 foo 替换为 bar", "创建 notes.txt 内容为 你好", "运行 cat notes.txt", "计划：甲；乙；丙", "问我用哪个端口：8080 还是 9090", "写一首诗",
		},
	} {
		t.Run(name, func(t *testing.T) {
			k := newTalk(t)
			for _, p := range prompts {
				k.say(p)
			}
			k.golden(name)
			if got := k.content("main.go"); strings.Contains(got, "foo") || strings.Count(got, "bar") != 3 {
				t.Errorf("main.go is now:\n%s", got)
			}
			if got := k.content("notes.txt"); got != map[string]string{"english": "hello\n", "arabic": "مرحبًا\n", "chinese": "你好\n"}[name] {
				t.Errorf("notes.txt holds %q", got)
			}
			if list := k.env.Todos.Get(); len(list) != 1 || len(list[0].Tasks) != 3 {
				t.Errorf("todos %+v", list)
			}
		})
	}
}

func TestDenied(t *testing.T) {
	for prompt, want := range map[string]string{
		"replace foo with bar in main.go": "`edit` wasn't allowed, so nothing was changed (it changes files). To allow it, say yes when you are asked, or start with `--permissions edit`.",
		"استبدل foo بـ bar في main.go":    "لم يُسمح بالأداة `edit`، فلم يتغير شيء (it changes files). للسماح به أجب بنعم عند السؤال، أو ابدأ بالخيار `--permissions edit`.",
		"把 main.go 中的 foo 替换为 bar":        "`edit` 没有得到允许，什么都没有改动（it changes files）。要允许它，请在询问时选择同意，或用 `--permissions edit` 启动。",
	} {
		k := newTalk(t)
		k.deny = "edit"
		if got := k.say(prompt); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", prompt, got, want)
		}
	}
	k := newTalk(t)
	k.deny = "bash"
	if got := k.say("run ls"); !strings.Contains(got, "--permissions full") {
		t.Error(got)
	}
}

func TestFailedCommand(t *testing.T) {
	if got := newTalk(t).say("run echo oops; exit 3"); !strings.HasPrefix(got, "`echo oops; exit 3` failed:") || !strings.Contains(got, "oops") {
		t.Error(got)
	}
	if got := newTalk(t).say("run true"); !strings.HasPrefix(got, "`true` succeeded") {
		t.Error(got)
	}
}

// Without a tool the guide says what it would have done.
func TestWithoutTools(t *testing.T) {
	for prompt, want := range map[string]string{
		"read main.go": "I can't do that here: the `read` tool isn't available. With it, I would read `main.go`.",
		"اقرأ main.go": "لا أستطيع ذلك هنا: الأداة `read` غير متاحة. لو كانت متاحة لكنت سأقرأ `main.go`.",
		"读取 main.go":   "这里做不到：没有 `read` 工具。有它的话，我会读取 `main.go`。",
	} {
		if got := newTalk(t).without("read").say(prompt); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", prompt, got, want)
		}
	}
	k := newTalk(t).without("edit", "write", "bash")
	if got := k.say("replace foo with bar in main.go"); !strings.Contains(got, "`edit` tool isn't available") {
		t.Error(got)
	}
	all := newTalk(t)
	all.tools = nil
	for _, p := range []string{"summarize this repo", "find TODO", "run ls", "create a.txt with b", "plan: a; b", "list files", "run the tests", "hi", "?"} {
		if got := all.say(p); got == "" {
			t.Errorf("%s: no answer", p)
		}
	}
	if got := all.say("ask me which port: 80, 90"); got != "which port?\n\n1. 80\n2. 90" {
		t.Errorf("ask without the tool: %q", got)
	}
}

// A face that can only speak text ends the run with the question; the next
// prompt is the answer.
func TestAnswerAsThePrompt(t *testing.T) {
	k := newTalk(t)
	k.messages = []message.Message{
		message.NewUser("اسألني أي منفذ: 80، 90"),
		{Role: message.Assistant, Content: []message.Block{{Type: message.ToolCallBlock, ID: "guide_1", Name: "ask", Arguments: json.RawMessage(`{}`)}}},
		{Role: message.ToolResult, ToolCallID: "guide_1", ToolName: "ask", Content: []message.Block{message.TextOf("أي منفذ؟")}},
		{Role: message.Assistant, Content: []message.Block{message.TextOf("أي منفذ؟")}},
	}
	if got := k.say("90"); got != "أجبت: 90" {
		t.Error(got)
	}
}

// Notes of the engine have a user's role in a request; they aren't prompts.
func TestNotesAreNoPrompts(t *testing.T) {
	k := newTalk(t)
	k.messages = []message.Message{
		message.NewUser("read main.go lines 1-1"),
		{Role: message.User, Content: []message.Block{message.TextOf("find TODO")}},
		{Role: message.Developer, Content: []message.Block{message.TextOf("find TODO")}},
	}
	_, end := llmtest.Collect(t, offline.New(offline.Options{}).Stream(t.Context(), k.request()))
	if calls := end.Message.Calls(); len(calls) != 1 || calls[0].Name != "read" {
		t.Errorf("calls %+v", calls)
	}
}

func TestDigest(t *testing.T) {
	k := newTalk(t)
	k.say("replace foo with bar in main.go")
	k.say("run exit 3")
	req := k.request()
	req.System = offline.SummaryMarker + " of conversations."
	_, end := llmtest.Collect(t, offline.New(offline.Options{}).Stream(t.Context(), req))
	whole := end.Message.Text()
	transcript := "<previous-summary>\nfirst things\n</previous-summary>\n\nBring it up to date.\n\n<conversation>\n[user] replace foo with bar in main.go\n[assistant] I'll read it.\n[call read] {\"path\":\"main.go\"}\n[toolResult] package main\n\n[call edit] {\"path\":\"main.go\"}\n[call bash] {\"command\":\"exit 3\"}\n[assistant] Done.\n</conversation>\n\nWrite the hand-over."
	req.Messages = []message.Message{message.NewUser(transcript)}
	_, end = llmtest.Collect(t, offline.New(offline.Options{}).Stream(t.Context(), req))
	for _, text := range []string{whole, end.Message.Text()} {
		for _, want := range []string{"## What the user asked\n- replace foo with bar in main.go", "## Files changed\n- `main.go`", "## Files read\n- `main.go`", "## Commands run\n- `exit 3`", "## The last answer"} {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in:\n%s", want, text)
			}
		}
	}
	if !strings.Contains(end.Message.Text(), "first things") {
		t.Errorf("the earlier summary is lost:\n%s", end.Message.Text())
	}
}

func TestConnect(t *testing.T) {
	connect := func(language string) string { return "Set a key (" + language + ")." }
	for prompt, want := range map[string]string{"how do I connect a model?": "Set a key (en).", "كيف أوصل نموذجًا؟": "Set a key (ar).", "怎么连接模型？": "Set a key (zh)."} {
		req := llm.Request{Model: offline.Model(), Messages: []message.Message{message.NewUser(prompt)}}
		_, end := llmtest.Collect(t, offline.New(offline.Options{Connect: connect}).Stream(t.Context(), req))
		if end.Message.Text() != want {
			t.Errorf("%q: %s", prompt, end.Message.Text())
		}
		_, end = llmtest.Collect(t, offline.New(offline.Options{}).Stream(t.Context(), req))
		if !strings.Contains(end.Message.Text(), "script/FILE") {
			t.Errorf("%q in a build without models: %s", prompt, end.Message.Text())
		}
	}
}

func TestPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		req := llm.Request{Model: offline.Model(), Messages: []message.Message{message.NewUser("thanks")}}
		start := time.Now()
		parts, _ := llmtest.Collect(t, offline.New(offline.Options{Pace: time.Second}).Stream(t.Context(), req))
		if took, deltas := time.Since(start), len(parts)-3; took != time.Duration(deltas)*time.Second || deltas < 3 {
			t.Errorf("%d pieces took %v", deltas, took)
		}
	})
}

func TestConformance(t *testing.T) {
	for name, prompt := range map[string]string{"report": "help", "call": "read main.go"} {
		t.Run(name, func(t *testing.T) {
			k := newTalk(t)
			k.messages = []message.Message{message.NewUser(prompt)}
			req := k.request()
			llmtest.Run(t, llmtest.Subject{New: func(*testing.T) (llm.Provider, llm.Request) {
				return offline.New(offline.Options{}), req
			}})
		})
	}
}

// Whatever is said, the guide calls only what is offered, with a JSON object
// that passes the schema, and ends.
func FuzzGuide(f *testing.F) {
	for _, s := range []string{"replace \"a\nb\" with \xff in x.go", "أنشئ a.txt يحتوي b", "把 a.go 中的 \u2028 替换为 \\", "plan: a; b", "summarize this repo", "run \x00", "read `", "ask me a:b"} {
		f.Add(s, "", false)
		f.Add(s, "x.go:1: a\n[There is more: 1]", true)
	}
	tools := []tool.Tool{builtin.Read(), builtin.Write(), builtin.Edit(), builtin.Bash(), builtin.Grep(), builtin.Find(), builtin.Ls(), builtin.Todo(), builtin.Ask(true)}
	req := llm.Request{Model: offline.Model()}
	specs := map[string]tool.Spec{}
	for _, t := range tools {
		s := t.Spec()
		specs[s.Name] = s
		req.Tools = append(req.Tools, llm.ToolSpec{Name: s.Name, Parameters: s.Parameters})
	}
	f.Fuzz(func(t *testing.T, prompt, result string, failed bool) {
		req := req
		req.Messages = []message.Message{message.NewUser(prompt)}
		for range 10 {
			_, end := llmtest.Collect(t, offline.New(offline.Options{}).Stream(t.Context(), req))
			req.Messages = append(req.Messages, end.Message)
			calls := end.Message.Calls()
			if len(calls) == 0 {
				if strings.TrimSpace(end.Message.Text()) == "" {
					t.Fatal("an empty answer")
				}
				return
			}
			for _, c := range calls {
				spec, ok := specs[c.Name]
				if !ok || c.Malformed != "" {
					t.Fatalf("call %+v", c)
				}
				if _, err := tool.Check(spec, c.Arguments); err != nil {
					t.Fatalf("%s %s: %v", c.Name, c.Arguments, err)
				}
				req.Messages = append(req.Messages, message.Message{Role: message.ToolResult, ToolCallID: c.ID, ToolName: c.Name, IsError: failed, Content: []message.Block{message.TextOf(result)}})
			}
		}
		t.Fatal("it never ends")
	})
}

func BenchmarkGuide(b *testing.B) {
	req := llm.Request{Model: offline.Model(), Messages: []message.Message{message.NewUser("write a poem about the sea")}}
	g := offline.New(offline.Options{})
	for b.Loop() {
		for range g.Stream(b.Context(), req) {
		}
	}
}
