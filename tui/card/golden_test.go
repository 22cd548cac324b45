package card

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/tui/flow"
	"github.com/hoopoe-agent/hoopoe/tui/markdown"
	"github.com/hoopoe-agent/hoopoe/tui/style"
	"github.com/hoopoe-agent/hoopoe/tui/transcript"
)

// golden compares rows with a file of testdata, or writes it.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (run with -update if it should); got\n%s", path, got)
	}
}

// tongue is what tools are asked for and say in one language.
type tongue struct {
	name                         string
	found, listing, page, output string
	patch, code                  string
	pattern, folder, command     string
	phases                       []message.TodoPhase
	task, step, said, answer     string
	argument                     string
}

var tongues = []tongue{
	{
		name:    "english",
		pattern: "func Parse", folder: "engine/session", command: "go test ./engine/... -run TestStore",
		found:   "engine/session/store.go:12: func Parse(line string) (Entry, error) {\nengine/session/store.go-13- \treturn Entry{}, nil\n--\nengine/shell/a/very/long/path/of/folders/parse.go:140: func ParseWords(text string) []string { // which is long enough to be wrapped\n[There is more: shown are the first 2 matches.]\n",
		listing: "cmd/\ncmd/main.go\nengine/session/\nengine/session/store.go\nengine/session/store_test.go\na file with a rather long name that doesn't fit everywhere.md\nREADME.md\n",
		page:    "https://example.com/guide (text/html, 2 KB)\nThe guide\nRead this first.\n",
		output:  "=== RUN TestStore\n--- PASS: TestStore (0.00s)\n\x1b[32mok\x1b[m  \tgithub.com/example/store\t0.012s\none\ntwo\nthree\nfour\n",
		patch:   "--- a/greet.go\n+++ b/greet.go\n@@ -1,3 +1,3 @@\n package greet\n-const hello = \"Hello, world\"\n+const hello = \"Hello, everybody out there\"\n",
		code:    "package greet\n\n// Hello is said to everybody.\nconst hello = \"Hello\"\n",
		phases: []message.TodoPhase{
			{Name: "Look", Tasks: []message.Todo{{Content: "Read the store and its tests", Status: "completed"}, {Content: "Ask the user", Status: "abandoned"}}},
			{Name: "Build", Tasks: []message.Todo{{Content: "Replace the lock by a channel, and keep the order of the entries", Status: "in_progress"}, {Content: "Run the tests", Status: "pending"}}},
		},
		task: "find the parser", step: "I look at the lexer first.", said: "The parser is in parse.go, I th", answer: "It is in parse.go.", argument: "weather in Aswan",
	},
	{
		name:    "chinese",
		pattern: "解析器", folder: "文档/会话", command: "echo 你好世界 && go test ./... -run 测试存储",
		found:   "文档/会话/存储.go:12: func 解析(行 string) error { // 解析一行文本并返回其中的条目，如果格式不对就报告错误\n文档/会话/存储.go-13- \treturn nil\n--\n一个/非常/长/的/文件夹/路径/用来/检查/截断/解析.go:140: 返回解析结果\n",
		listing: "文档/\n文档/说明.md\n文档/会话/\n文档/会话/存储.go\n一个名字特别特别长以至于在窄窗口里放不下的文件.md\n",
		page:    "https://example.com/指南 (text/html, 2 KB)\n指南\n请先阅读本页。\n",
		output:  "正在编译第一个软件包，请稍候，这一行很长所以需要换行显示\n测试通过\n警告：文件「存储.go」没有改动\n一\n二\n三\n",
		patch:   "--- a/问候.go\n+++ b/问候.go\n@@ -1,3 +1,3 @@\n package greet\n-const hello = \"你好，世界\"\n+const hello = \"你好，所有在那里的人们，欢迎来到这里\"\n",
		code:    "package greet\n\n// 对所有人说你好，这一行注释很长，用来检查窄窗口里的换行。\nconst hello = \"你好\"\n",
		phases: []message.TodoPhase{
			{Name: "查看", Tasks: []message.Todo{{Content: "阅读存储代码和测试", Status: "completed"}, {Content: "询问用户", Status: "abandoned"}}},
			{Name: "实现", Tasks: []message.Todo{{Content: "用通道代替锁，并且保持所有条目的原有顺序不变，然后运行 go test ./...", Status: "in_progress"}, {Content: "运行测试", Status: "pending"}}},
		},
		task: "查找解析器", step: "我先看词法分析器。", said: "解析器在 parse.go 里，我", answer: "它在 parse.go 里。", argument: "阿斯旺的天气",
	},
	{
		name:    "arabic",
		pattern: "المحلل", folder: "مستندات/الجلسة", command: "echo مرحبا && go test ./... -run الاختبار",
		found:   "مستندات/الجلسة/مخزن.go:12: func Parse() { // يقرأ السطر ثم يعيد ما فيه من مدخلات، وإن كان خطأً أبلغ عنه\nمستندات/الجلسة/مخزن.go-13- \treturn nil\n--\nمجلد/طويل/جدا/لا/يتسع/له/السطر/في/النافذة/الضيقة/محلل.go:140: النتيجة (12)\n",
		listing: "مستندات/\nمستندات/اقرأني.md\nمستندات/الجلسة/\nمستندات/الجلسة/مخزن.go\nملف اسمه طويل جدا حتى لا يتسع له السطر في النافذة.md\n",
		page:    "https://example.com/دليل (text/html, 2 KB)\nالدليل\nاقرأ هذا أولا.\n",
		output:  "يجري بناء الحزمة الأولى، انتظر من فضلك، فهذا السطر طويل\nنجح الاختبار (0.00s)\nتحذير: لم يتغير الملف store.go\nواحد\nاثنان\nثلاثة\n",
		patch:   "--- a/تحية.go\n+++ b/تحية.go\n@@ -1,3 +1,3 @@\n package greet\n-const hello = \"مرحبا\"\n+const hello = \"مرحبا بكم جميعا في هذا المكان\"\n",
		code:    "package greet\n\n// تحية للجميع، وهذا تعليق طويل لفحص لف الأسطر.\nconst hello = \"مرحبا\"\n",
		phases: []message.TodoPhase{
			{Name: "القراءة", Tasks: []message.Todo{{Content: "اقرأ المخزن واختباراته", Status: "completed"}, {Content: "اسأل المستخدم", Status: "abandoned"}}},
			{Name: "البناء", Tasks: []message.Todo{{Content: "ضع قناة مكان القفل مع حفظ ترتيب المدخلات ثم شغّل go test ./... من جديد", Status: "in_progress"}, {Content: "شغّل الاختبارات", Status: "pending"}}},
		},
		task: "ابحث عن المحلل", step: "أنظر أولا في الملف lexer.go.", said: "المحلل في الملف parse.go وأظن", answer: "إنه في الملف parse.go.", argument: "الطقس في أسوان",
	},
}

// cards are one of each kind that has a look of its own.
func (l tongue) cards(look *transcript.Look) []*Card {
	call := func(name string, arguments any) *Card {
		c := New(look, name, string(mustJSON(arguments)))
		c.Run("", "", "")
		return c
	}
	ended := func(c *Card, output string, details any) *Card {
		c.End(Result{Content: text(output), Details: mustJSON(details)})
		return c
	}
	path := l.folder + "/greet.go"
	edit := New(look, "edit", string(mustJSON(map[string]string{"path": path})))
	edit.Run("", "edit", l.patch)
	edit.End(Result{Content: text("done"), Duration: 1500 * time.Millisecond})
	running := call("bash", map[string]string{"command": l.command})
	running.Progress(l.output)
	mine := NewBash(look, l.command, true)
	code := 3
	mine.EndBash(message.Bash{Output: l.output, ExitCode: &code, ExcludeFromContext: true})
	working := New(look, "task", string(mustJSON(map[string]string{"agent": "explore", "description": l.task})))
	working.Run("", "think", "")
	for _, ev := range []event.Event{
		words(l.step, message.ToolUse),
		event.ToolStarted{CallID: "a", Name: "grep", Arguments: mustJSON(map[string]string{"pattern": l.pattern})}, event.ToolRunning{CallID: "a"},
		event.UsageChanged{Total: message.Usage{TotalTokens: 12_345}},
		event.MessageDelta{Block: message.TextBlock, Text: l.said},
	} {
		working.Agent(ev, time.Unix(1000, 0))
	}
	failed := call("read", map[string]string{"path": path})
	failed.End(Result{Content: text(l.answer), Failed: true})
	return []*Card{
		ended(call("grep", map[string]string{"pattern": l.pattern, "path": l.folder}), l.found, map[string]int{"matches": 2, "files": 2}),
		ended(call("find", map[string]string{"pattern": l.pattern + "*"}), l.listing, nil),
		ended(call("ls", map[string]string{"path": l.folder}), l.listing, nil),
		ended(call("todo", map[string]string{}), "", map[string]any{"phases": l.phases}),
		ended(call("web_fetch", map[string]string{"url": "https://example.com/" + l.pattern}), l.page, map[string]any{"status": 200, "type": "text/html", "bytes": 2048}),
		running, mine, edit,
		ended(call("read", map[string]string{"path": path}), l.code, nil),
		working,
		ended(call("task", map[string]string{"agent": "explore", "description": l.task}), l.answer, map[string]any{"status": "done", "toolCalls": 1}),
		failed,
		ended(call("mcp__maps__search", map[string]string{"query": l.argument}), l.answer, nil),
	}
}

// E-5: every kind of card at every width in three languages, right to left as
// each kind of terminal gets it.
func TestLanguages(t *testing.T) {
	for _, l := range tongues {
		for mode, bidi := range map[string]flow.Bidi{"": {}, "-isolate": {Isolate: true}, "-reorder": {Reorder: true}} {
			if mode != "" && l.name != "arabic" {
				continue
			}
			t.Run(l.name+mode, func(t *testing.T) {
				look := testLook(t)
				look.Bidi, look.Markdown = bidi, markdown.New(look.Styles)
				var b strings.Builder
				for _, look.Expanded = range []bool{false, true} {
					for _, width := range []int{20, 40, 80, 200} {
						fmt.Fprintf(&b, "== width %d, expanded %v\n", width, look.Expanded)
						for _, c := range l.cards(look) {
							writeRows(t, &b, c.Rows(width), width, bidi)
						}
					}
				}
				golden(t, l.name+mode, b.String())
			})
		}
	}
}

// writeRows writes rows without colour, and fails if one doesn't fit or would
// jump on a terminal that reorders.
func writeRows(t *testing.T, b *strings.Builder, rows []flow.Row, width int, bidi flow.Bidi) {
	t.Helper()
	for _, row := range rows {
		plain := ansi.Strip(row.Text)
		if got := style.Width(row.Text); got > width {
			t.Errorf("at %d a row of %d columns: %q", width, got, plain)
		}
		if !bidi.Reorder && flow.HasRTL(plain) && strings.ContainsAny(plain, "│├└") {
			t.Errorf("a line that would jump: %q", plain)
		}
		if strings.ContainsAny(plain, "\x1b\t\n\r") {
			t.Errorf("a control in %q", plain)
		}
		b.WriteString(strings.TrimRight(plain, " ") + "\n")
	}
}
