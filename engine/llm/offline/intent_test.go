package offline

import (
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

func file(k kind, path string) intent  { return intent{kind: k, path: path} }
func about(k kind, what string) intent { return intent{kind: k, what: what} }
func lines(path string, a, b int) intent {
	return intent{kind: readFile, path: path, first: a, last: b}
}
func swap(path, what, with string) intent {
	return intent{kind: replace, path: path, what: what, with: with}
}
func made(path, with string) intent { return intent{kind: create, path: path, with: with} }
func steps(items ...string) intent  { return intent{kind: plan, items: items} }

func TestUnderstand(t *testing.T) {
	for _, c := range []struct {
		lang   language
		prompt string
		want   intent
	}{
		// English
		{english, "hi", intent{kind: greet}},
		{english, "Hello there!", intent{kind: greet}},
		{english, "thanks a lot", intent{kind: thanks}},
		{english, "help", intent{kind: help}},
		{english, "?", intent{kind: help}},
		{english, "What can you do?", intent{kind: help}},
		{english, "how do I connect a model?", intent{kind: connect}},
		{english, "add an api key", intent{kind: connect}},
		{english, "Summarize this repo", intent{kind: summarize}},
		{english, "please summarise the repository.", intent{kind: summarize}},
		{english, "summarize this repo please", intent{kind: summarize}},
		{english, "what is this project", intent{kind: summarize}},
		{english, "What's this project about?", intent{kind: summarize}},
		{english, "what does this code do?", intent{kind: summarize}},
		{english, "give me a short overview of the project", intent{kind: summarize}},
		{english, "Can you explain this codebase to me?", intent{kind: summarize}},
		{english, "tell me about this repo", intent{kind: summarize}},
		{english, "read main.go", file(readFile, "main.go")},
		{english, "Read main.go.", file(readFile, "main.go")},
		{english, "show me the file `cmd/my file.go`", file(readFile, "cmd/my file.go")},
		{english, "could you please open \"README\"?", file(readFile, "README")},
		{english, "main.go", file(readFile, "main.go")},
		{english, "what's in main.go?", file(readFile, "main.go")},
		{english, "read main.go lines 10-40", lines("main.go", 10, 40)},
		{english, "read main.go, lines 10 to 40", lines("main.go", 10, 40)},
		{english, "read lines 40–10 of main.go", lines("main.go", 10, 40)},
		{english, "show main.go:10-40", lines("main.go", 10, 40)},
		{english, "show line 7 of main.go", lines("main.go", 7, 0)},
		{english, "find TODO", about(search, "TODO")},
		{english, "find all TODOs", about(search, "TODO")},
		{english, "find TODO comments in this repo", about(search, "TODO")},
		{english, "search for \"two words\" in internal/app", intent{kind: search, what: "two words", path: "internal/app"}},
		{english, "grep parseConfig", about(search, "parseConfig")},
		{english, "where is parseConfig used?", about(search, "parseConfig")},
		{english, "where is parseConfig defined", about(where, "parseConfig")},
		{english, "where's the function `parseConfig()` defined?", about(where, "parseConfig")},
		{english, "find the definition of parseConfig", about(where, "parseConfig")},
		{english, "find files named *_test.go", about(findFiles, "*_test.go")},
		{english, "find *.go in internal", intent{kind: findFiles, what: "*.go", path: "internal"}},
		{english, "list files in internal", file(list, "internal")},
		{english, "List the files in `internal/app`.", file(list, "internal/app")},
		{english, "list files in .", file(list, ".")},
		{english, "what is in the internal folder?", file(list, "internal")},
		{english, "list all files", intent{kind: list}},
		{english, "ls", intent{kind: list}},
		{english, "ls internal", file(list, "internal")},
		{english, "replace foo with bar in main.go", swap("main.go", "foo", "bar")},
		{english, "Please replace \"foo bar\" with 'baz' in the file main.go.", swap("main.go", "foo bar", "baz")},
		{english, "replace all occurrences of `a.b` by `a.c` in pkg/x.go", swap("pkg/x.go", "a.b", "a.c")},
		{english, "rename foo to bar in main.go", swap("main.go", "foo", "bar")},
		{english, "in main.go, replace foo with bar", swap("main.go", "foo", "bar")},
		{english, "replace foo with \"\" in main.go", swap("main.go", "foo", "")},
		{english, "create notes.txt with hello", made("notes.txt", "hello")},
		{english, "create a new file called notes.txt with the content: Hello, world.", made("notes.txt", "Hello, world.")},
		{english, "create notes.txt with مرحبًا", made("notes.txt", "مرحبًا")},
		{english, "create notes.txt with\none\ntwo", made("notes.txt", "one\ntwo")},
		{english, "write \"hello\" to notes.txt", made("notes.txt", "hello")},
		{english, "create an empty file notes.txt", made("notes.txt", "")},
		{english, "run go test ./...", about(run, "go test ./...")},
		{english, "run `go test ./...`", about(run, "go test ./...")},
		{english, "Run the command: git status", about(run, "git status")},
		{english, "run the tests", intent{kind: runTests}},
		{english, "build the project", intent{kind: runBuild}},
		{english, "plan: a; b; c", steps("a", "b", "c")},
		{english, "plan: read, write", steps("read", "write")},
		{english, "todo:\n- one\n- two", steps("one", "two")},
		{english, "ask me which port to use: 80, 90", about(askUser, "which port to use: 80, 90")},
		{english, "write a poem about the sea", intent{}},
		{english, "fix the bug in main.go", intent{}},
		{english, "add tests to main.go", intent{}},
		{english, "why does the server crash when it starts?", intent{}},
		{english, "", intent{}},

		// Arabic
		{arabic, "مرحبًا", intent{kind: greet}},
		{arabic, "السلام عليكم", intent{kind: greet}},
		{arabic, "أهلًا وسهلًا!", intent{kind: greet}},
		{arabic, "شكرًا", intent{kind: thanks}},
		{arabic, "مساعدة", intent{kind: help}},
		{arabic, "ماذا يمكنك أن تفعل؟", intent{kind: help}},
		{arabic, "كيف أوصل نموذجًا؟", intent{kind: connect}},
		{arabic, "لخّص هذا المستودع", intent{kind: summarize}},
		{arabic, "من فضلك لخص المشروع", intent{kind: summarize}},
		{arabic, "ما هذا المشروع؟", intent{kind: summarize}},
		{arabic, "ما هو هذا المشروع", intent{kind: summarize}},
		{arabic, "أعطني ملخصًا عن المشروع", intent{kind: summarize}},
		{arabic, "ماذا يفعل هذا الكود؟", intent{kind: summarize}},
		{arabic, "اقرأ main.go", file(readFile, "main.go")},
		{arabic, "اعرض الملف `main.go` من فضلك", file(readFile, "main.go")},
		{arabic, "اقرأ main.go الأسطر 10-40", lines("main.go", 10, 40)},
		{arabic, "اقرأ main.go من السطر ١٠ إلى ٤٠", lines("main.go", 10, 40)},
		{arabic, "اقرأ الأسطر 10 إلى 40 من main.go", lines("main.go", 10, 40)},
		{arabic, "ابحث عن TODO", about(search, "TODO")},
		{arabic, "ابحث عن كلمة «مرحبًا» في internal", intent{kind: search, what: "مرحبًا", path: "internal"}},
		{arabic, "أين تُستخدم parseConfig؟", about(search, "parseConfig")},
		{arabic, "أين تعريف parseConfig", about(where, "parseConfig")},
		{arabic, "أين عُرّفت الدالة parseConfig؟", about(where, "parseConfig")},
		{arabic, "أين تم تعريف parseConfig؟", about(where, "parseConfig")},
		{arabic, "أين parseConfig معرّفة؟", about(where, "parseConfig")},
		{arabic, "ابحث عن الملفات *.go", about(findFiles, "*.go")},
		{arabic, "اعرض الملفات في internal", file(list, "internal")},
		{arabic, "اسرد ملفات المجلد internal", file(list, "internal")},
		{arabic, "ما الملفات الموجودة في internal؟", file(list, "internal")},
		{arabic, "اعرض الملفات", intent{kind: list}},
		{arabic, "استبدل foo بـ bar في main.go", swap("main.go", "foo", "bar")},
		{arabic, "استبدل \"foo\" ب \"bar\" في الملف main.go", swap("main.go", "foo", "bar")},
		{arabic, "غيّر كل foo إلى bar في main.go", swap("main.go", "foo", "bar")},
		{arabic, "أنشئ notes.txt يحتوي مرحبًا", made("notes.txt", "مرحبًا")},
		{arabic, "أنشئ ملفًا جديدًا باسم notes.txt يحتوي على: hello", made("notes.txt", "hello")},
		{arabic, "أنشئ notes.txt فيه hello", made("notes.txt", "hello")},
		{arabic, "اكتب hello في notes.txt", made("notes.txt", "hello")},
		{arabic, "شغّل go test ./...", about(run, "go test ./...")},
		{arabic, "نفّذ الأمر `git status`", about(run, "git status")},
		{arabic, "شغل الاختبارات", intent{kind: runTests}},
		{arabic, "خطة: أ؛ ب؛ ج", steps("أ", "ب", "ج")},
		{arabic, "اسألني أي منفذ نستخدم: 80، 90", about(askUser, "أي منفذ نستخدم: 80، 90")},
		{arabic, "اكتب قصيدة عن البحر", intent{}},

		// Chinese
		{chinese, "你好", intent{kind: greet}},
		{chinese, "您好！", intent{kind: greet}},
		{chinese, "谢谢", intent{kind: thanks}},
		{chinese, "帮助", intent{kind: help}},
		{chinese, "你能做什么？", intent{kind: help}},
		{chinese, "怎么连接模型？", intent{kind: connect}},
		{chinese, "总结这个仓库", intent{kind: summarize}},
		{chinese, "请帮我总结一下这个项目。", intent{kind: summarize}},
		{chinese, "这个项目是什么", intent{kind: summarize}},
		{chinese, "这个项目是做什么的？", intent{kind: summarize}},
		{chinese, "这是什么项目？", intent{kind: summarize}},
		{chinese, "读取 main.go", file(readFile, "main.go")},
		{chinese, "请打开「main.go」", file(readFile, "main.go")},
		{chinese, "显示 main.go 的内容", file(readFile, "main.go")},
		{chinese, "读取 main.go 第 10-40 行", lines("main.go", 10, 40)},
		{chinese, "读取main.go第10到40行", lines("main.go", 10, 40)},
		{chinese, "看一下 main.go 的第１０至４０行", lines("main.go", 10, 40)},
		{chinese, "查找 TODO", about(search, "TODO")},
		{chinese, "找出所有的 TODO", about(search, "TODO")},
		{chinese, "搜索“你好世界”", about(search, "你好世界")},
		{chinese, "在 internal 目录中查找 TODO", intent{kind: search, what: "TODO", path: "internal"}},
		{chinese, "哪里用到了 parseConfig？", about(search, "parseConfig")},
		{chinese, "parseConfig 在哪里定义", about(where, "parseConfig")},
		{chinese, "函数parseConfig是在哪里定义的？", about(where, "parseConfig")},
		{chinese, "查找 parseConfig 的定义", about(where, "parseConfig")},
		{chinese, "查找 *.go 文件", about(findFiles, "*.go")},
		{chinese, "列出 internal 中的文件", file(list, "internal")},
		{chinese, "列出internal目录下的所有文件", file(list, "internal")},
		{chinese, "internal 里有哪些文件？", file(list, "internal")},
		{chinese, "列出文件", intent{kind: list}},
		{chinese, "把 main.go 中的 foo 替换为 bar", swap("main.go", "foo", "bar")},
		{chinese, "请将main.go里的“foo”全部替换成“bar”。", swap("main.go", "foo", "bar")},
		{chinese, "在 main.go 中把 foo 改成 bar", swap("main.go", "foo", "bar")},
		{chinese, "用 bar 替换 main.go 中的 foo", swap("main.go", "foo", "bar")},
		{chinese, "创建 notes.txt 内容为 你好", made("notes.txt", "你好")},
		{chinese, "创建文件 notes.txt，内容是：hello", made("notes.txt", "hello")},
		{chinese, "新建一个内容为 hello 的文件 notes.txt", made("notes.txt", "hello")},
		{chinese, "把 hello 写入 notes.txt", made("notes.txt", "hello")},
		{chinese, "运行 go test ./...", about(run, "go test ./...")},
		{chinese, "执行命令：`git status`", about(run, "git status")},
		{chinese, "运行测试", intent{kind: runTests}},
		{chinese, "计划：甲；乙；丙", steps("甲", "乙", "丙")},
		{chinese, "问我用哪个端口：80、90", about(askUser, "用哪个端口：80、90")},
		{chinese, "写一首关于大海的诗", intent{}},

		{english, "Summarize this repo in one paragraph", intent{kind: summarize}},
		{english, "please read the README.md file", file(readFile, "README.md")},
		{english, "search the code for parseConfig", about(search, "parseConfig")},
		{english, "which files contain TODO?", about(search, "TODO")},
		{english, "where is parseConfig?", about(where, "parseConfig")},
		{english, "find func parseConfig", about(where, "parseConfig")},
		{english, "show me what is in internal", file(list, "internal")},
		{english, "replace foo with bar everywhere", intent{kind: replaceIn, what: "foo", with: "bar"}},
		{english, "can you run go vet ./...?", about(run, "go vet ./...")},
		{english, "run go test ./... please", about(run, "go test ./...")},
		{english, "plan: 1. read 2. write", steps("read", "write")},
		{english, "are you a language model?", intent{kind: help}},
		{english, "grep -r TODO", intent{}},
		{arabic, "أين الدالة parseConfig؟", about(where, "parseConfig")},
		{arabic, "ما الموجود في internal؟", file(list, "internal")},
		{arabic, "استبدل كلمة foo بكلمة bar في main.go", swap("main.go", "foo", "bar")},
		{arabic, "استبدل foo بـ bar في كل الملفات", intent{kind: replaceIn, what: "foo", with: "bar"}},
		{chinese, "总结一下", intent{kind: summarize}},
		{chinese, "在代码中查找 TODO", about(search, "TODO")},
		{chinese, "找一下 parseConfig 在哪里定义", about(where, "parseConfig")},
		{chinese, "把main.go里的foo换成bar", swap("main.go", "foo", "bar")},
		{chinese, "在main.go中将foo替换为bar", swap("main.go", "foo", "bar")},
		{chinese, "把 foo 替换为 bar", intent{kind: replaceIn, what: "foo", with: "bar"}},
		{chinese, "计划:1. 读;2. 写", steps("读", "写")},
		{chinese, "你是语言模型吗", intent{kind: help}},

		// A sentence is short; only a file's content may be long.
		{english, "find " + strings.Repeat("x", maxSentence), intent{}},
		{english, "create a.txt with " + strings.Repeat("x", 3*maxSentence), made("a.txt", strings.Repeat("x", 3*maxSentence))},
		{english, "create a.txt with " + strings.Repeat("x", maxPrompt), intent{}},

		// Only what changes nothing is taken from the first of several lines,
		// and nothing from the others.
		{english, "summarize this repo\n\nsome log", intent{kind: summarize}},
		{english, "some log line\nanother\n\nrun rm -rf .", intent{}},
		{english, "run ls\nno, don't!", intent{}},
		{english, "run `ls\npwd`", about(run, "ls\npwd")},
		{english, "replace foo with bar in main.go\nonly in comments", intent{}},
		{english, "run the app", intent{}},
		{english, "execute this plan", intent{}},
		{arabic, "شغل البرنامج", intent{}},
		{chinese, "运行这个程序", intent{}},
	} {
		t.Run(c.prompt[:min(len(c.prompt), 80)], func(t *testing.T) {
			got, lang := understand(c.prompt)
			if !reflect.DeepEqual(got, c.want) || lang != c.lang {
				t.Errorf("understood %+v in language %d, want %+v in %d", got, lang, c.want, c.lang)
			}
		})
	}
}

func TestFoldKeepsTheWayBack(t *testing.T) {
	for _, s := range []string{"", "أنشِئْ ملفًّا", "“Ｑ１２”、你好。", "a\u200bb", "\u064b", "é"} {
		f := fold(s)
		if len(f.at) != len(f.text)+1 {
			t.Fatalf("%q: %d offsets for %d bytes", s, len(f.at), len(f.text))
		}
		if got := f.source(0, len(f.text)); !strings.HasSuffix(s, got) {
			t.Errorf("%q: source is %q", s, got)
		}
	}
}

func FuzzUnderstand(f *testing.F) {
	for _, s := range []string{"replace foo with bar in main.go", "أنشئ notes.txt يحتوي مرحبًا", "把 main.go 中的 foo 替换为 bar", "plan: a; b", "read `", "\xff\xfe", "ask me :"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, prompt string) {
		in, _ := understand(prompt)
		for _, s := range append([]string{in.path, in.what, in.with}, in.items...) {
			if !utf8.ValidString(s) {
				t.Fatalf("%q: %q is no UTF-8", prompt, s)
			}
		}
		if in.first < 0 || in.last < 0 || in.kind == plan && len(in.items) == 0 {
			t.Fatalf("%q: %+v", prompt, in)
		}
	})
}
