package tui

import (
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/tui/flow"
)

// tongue is what the user, the model, extensions and files say in one language.
// Fixtures take their texts from it.
type tongue struct {
	name string

	// A turn, and what stands around the prompt.
	prompt, answer, queued, later, draft, needle string
	phases                                       [2]string
	tasks                                        []message.Todo
	folder, other, branch, path                  string
	files                                        []string
	command, summary                             string // of the user's own

	// What panels list.
	named  string    // a session's name
	titles [3]string // of sessions
	said   [9]string // in the tree of the session, from its root
	label  string
	found  string    // words of the second title
	model  [4]string // provider, id, name, note
	themes [2]string
	rules  [2]string // patterns of paths
	shell  string

	// What is asked.
	extension, question, why string
	options, details         []string
	filter, number, notes    string
	run, part, rule          string // a command, its part that needs the approval
	before, after            string // a line of a file
	call                     string // arguments

	// What an extension shows.
	status, tip string
	widget      []string
}

var tongues = []tongue{
	{
		name:   "english",
		prompt: "Put the new name in place of the old one, then run go test ./... again.", answer: "I begin with the **main** file:\n\n- read the file\n- change the name, and see that nobody uses it any more\n\n| File | Lines |\n|---|---:|\n| main.go | 12 |\n",
		queued: "and the files of the tests, too", later: "then write down what has changed, in a few words", draft: "Also look at @src/notes.md, is its second part still right?", needle: "name",
		phases: [2]string{"Prepare", "Finish"},
		tasks:  []message.Todo{{Content: "Read the code", Status: "completed"}, {Content: "Put the new name in place of the old one, and run all the tests", Status: "in_progress"}, {Content: "Write the report", Status: "pending"}},
		folder: "/code/demo", other: "/code/website", branch: "fix/names", path: "source/a/very/deep/folder/main.go",
		files:   []string{"main.go", "source/a/very/deep/folder/that/goes/on/main.go", "notes and plans/the first week.md", "README.md"},
		command: "review", summary: "Look through the last change and say what could go wrong",
		named:  "new names",
		titles: [3]string{"Put the new name in place of the old one", "Why does the second test fail when the first has been left out, and since when?", "Make the pages of the website readable on a phone"},
		said: [9]string{"Put the new name in place of the old one, everywhere", "I'll look at the files.\nThen more.", "Take the short name, not the long one", "package main", "Fine, the short name it is.",
			"Write the tests first, then change the name", "Tests first, then.", "stop here", "Stopped. "},
		label: "tests", found: "SECOND test", model: [4]string{"local", "qwen-next", "Model of this machine", "The server cuts the context at 4096 tokens."}, themes: [2]string{"emerald", "ink wash"},
		rules: [2]string{"docs/**", "private/diary.txt"}, shell: "/opt/shells/fish",
		extension: "deploy", question: "Where should the new version go?", why: "Everybody who uses the site gets it at once. The old version is kept for a week; until then there is a way back. ",
		options: []string{"staging", "production, all users at once", "nowhere"}, details: []string{"everybody on the team can break it", "there is a way back for a week"},
		filter: "users 2", number: "Number of the ticket", notes: "What is new\nNames are shorter.\nTests are faster.",
		run: "git status && rm -rf build/ && echo \"all gone\" > log/last.txt", part: "rm -rf build/", rule: "bash(rm -rf)",
		before: "the old line %d", after: "the new line %d", call: `{"title":"The name is wrong","body":"It should be the short one.","labels":["bug"]}`,
		status: "deployed 3/5", tip: "a word of advice that is longer than a narrow screen has columns", widget: []string{"☐ write the tests", "☑ read the code", "☐ write the report"},
	},
	{
		name:   "chinese",
		prompt: "请把「旧名字」换成新名字，然后运行测试。", answer: "好的，我先看 **主程序**：\n\n- 读文件\n- 改名字，并且确认没有别的地方还在用它\n\n| 文件 | 行数 |\n|---|---:|\n| 主.go | 12 |\n",
		queued: "还有测试文件也要改", later: "最后用几句话写一下改了什么、为什么要改、还有什么没有做完", draft: "顺便看一下 @源码/说明.md，第二部分是不是还对", needle: "名字",
		phases: [2]string{"准备", "收尾"},
		tasks:  []message.Todo{{Content: "读代码", Status: "completed"}, {Content: "把旧名字换成新名字，并且运行所有的测试", Status: "in_progress"}, {Content: "写报告", Status: "pending"}},
		folder: "/代码/演示", other: "/代码/网站", branch: "修复/名字", path: "源码/很深/的/文件夹/主.go",
		files:   []string{"主.go", "源码/很深很深/的/文件夹/一直/往下/主程序.go", "笔记 和 计划/第一周的工作安排.md", "说明.md"},
		command: "review", summary: "检查上一次改动，说一说哪些地方可能会出问题",
		named:  "换名字",
		titles: [3]string{"请把旧名字换成新名字", "为什么第一个测试被跳过的时候第二个测试就会失败？这个问题是从什么时候开始的？", "让网站的页面在手机上也能看清楚"},
		said: [9]string{"请把所有的旧名字都换成新名字", "我先看一下文件。\n然后再看别的。", "用短的名字，不要用长的", "package main", "好的，就用短的名字。",
			"先写测试，然后再改名字", "好，先写测试。", "到此为止", "已经停下来了。"},
		label: "测试", found: "第二个 失败", model: [4]string{"本地", "通义千问", "这台机器上的模型", "服务器最多只保留 4096 个词元的上下文。"}, themes: [2]string{"翡翠", "水墨"},
		rules: [2]string{"文档/**", "私人/日记.txt"}, shell: "/opt/外壳/fish",
		extension: "部署", question: "新版本要部署到哪里去？", why: "所有正在使用网站的人马上就会看到新版本。旧版本会保留一个星期，在这段时间里还可以退回去。",
		options: []string{"预发布环境", "生产环境（所有用户，立即生效）", "哪里都不去"}, details: []string{"团队里的每个人都可能把它弄坏", "一个星期之内可以退回去"},
		filter: "生产 2", number: "工单号码", notes: "有什么新东西\n名字变短了。\n测试变快了。",
		run: "git status && rm -rf 构建/ && echo \"全部删除\" > 日志/最后一次.txt", part: "rm -rf 构建/", rule: "bash(rm -rf)",
		before: "旧的一行 %d", after: "新的一行 %d", call: `{"title":"名字错了","body":"应该用短的那个名字。","labels":["错误"]}`,
		status: "已部署 3/5", tip: "小提示：这一行比较长，窄窗口里是放不下的，所以后面的字会被省略", widget: []string{"☐ 写测试", "☑ 读代码", "☐ 写报告"},
	},
	{
		name:   "arabic",
		prompt: "ضع الاسم الجديد مكان القديم ثم شغّل go test ./... مرة أخرى.", answer: "حسنا، أبدأ بالملف **الرئيسي**:\n\n- اقرأ الملف\n- غيّر الاسم وتأكد أن لا أحد يستعمله\n\n| الملف | أسطر |\n|---|---:|\n| رئيسي.go | 12 |\n",
		queued: "وملفات الاختبار أيضا", later: "ثم اكتب في كلمات قليلة ما الذي تغيّر ولماذا وما الذي لم يكتمل بعد", draft: "وانظر أيضا في README.md (الجزء 2) من فضلك", needle: "الاسم",
		phases: [2]string{"التحضير", "النهاية"},
		tasks:  []message.Todo{{Content: "اقرأ الشفرة", Status: "completed"}, {Content: "غيّر الاسم القديم ثم شغّل كل الاختبارات", Status: "in_progress"}, {Content: "اكتب التقرير", Status: "pending"}},
		folder: "/شفرة/عرض", other: "/شفرة/موقع", branch: "إصلاح/اسم", path: "مصدر/مجلد/عميق/رئيسي.go",
		files:   []string{"رئيسي.go", "مصدر/مجلد/عميق/جدا/لا/ينتهي/البرنامج الرئيسي.go", "ملاحظات وخطط/الأسبوع الأول.md", "اقرأني.md"},
		command: "review", summary: "راجع آخر تغيير وقل ما الذي قد يفشل فيه",
		named:  "الأسماء الجديدة",
		titles: [3]string{"ضع الاسم الجديد مكان القديم", "لماذا يفشل الاختبار الثاني إذا لم يُشغَّل الأول (go test -run 2)، ومنذ متى؟", "اجعل صفحات الموقع مقروءة على الهاتف"},
		said: [9]string{"ضع الاسم الجديد مكان القديم في كل مكان", "أنظر في الملفات أولا.\nثم في غيرها.", "خذ الاسم القصير لا الطويل", "package main", "حسنا، الاسم القصير إذن.",
			"اكتب الاختبارات أولا ثم غيّر الاسم", "الاختبارات أولا إذن.", "توقف هنا", "توقفت. "},
		label: "اختبارات", found: "الثاني الأول", model: [4]string{"محلي", "نموذج-7", "نموذج هذا الجهاز", "يقطع الخادم السياق عند 4096 رمزا."}, themes: [2]string{"زمردي", "حبر"},
		rules: [2]string{"مستندات/**", "خاص/يوميات.txt"}, shell: "/opt/صدفة/fish",
		extension: "النشر", question: "إلى أين تذهب النسخة الجديدة؟", why: "يراها في الحال كل من يستعمل الموقع. تبقى النسخة القديمة أسبوعا، ويمكن الرجوع إليها بالأمر git revert حتى ذلك الحين. ",
		options: []string{"الخادم التجريبي", "خادم الإنتاج (كل المستخدمين في الحال)", "لا مكان"}, details: []string{"كل من في الفريق قد يكسره", "يمكن الرجوع عنه خلال 7 أيام"},
		filter: "الإنتاج 2", number: "رقم التذكرة", notes: "ما الجديد\nالأسماء أقصر.\nالاختبارات أسرع (3 ثوان).",
		run: "git status && rm -rf بناء/ && echo \"حُذف الكل\" > سجل/آخر.txt", part: "rm -rf بناء/", rule: "bash(rm -rf)",
		before: "السطر القديم %d", after: "السطر الجديد %d", call: `{"title":"الاسم خطأ","body":"يجب أن يكون القصير.","labels":["خطأ"]}`,
		status: "نُشر 3/5", tip: "نصيحة: هذا السطر أطول من أن تتسع له النافذة الضيقة فيُقطع آخره", widget: []string{"☐ اكتب الاختبارات", "☑ اقرأ الشفرة", "☐ اكتب التقرير"},
	},
}

// mixed has all three beside each other, and what must not reach the terminal.
var mixed = tongue{
	name:   "mixed",
	folder: "/code/demo", other: "/code/مشروع", branch: "main", path: "main.go",
	named:  "today's work",
	titles: [3]string{"replace foo with bar", "请把所有的 foo 换成 bar，然后运行测试并报告结果", "شغّل الأمر go test ./... ثم أعد المحاولة"},
	said: [9]string{"replace foo with bar everywhere", "I'll look at the files.\nThen more.", "改用 baz 吧，不要 bar", "package main", "好的，现在改用 baz。",
		"اكتب الاختبارات أولًا ثم نفذها", "Tests first, then.", "stop here", "Stopped.\x1b[2J"},
	label: "tests", found: "foo 换成", model: [4]string{"本地", "通义千问", "نموذج محلي", "The server cuts the context at 4096 tokens."}, themes: [2]string{"زمردي", "水墨"},
	rules: [2]string{"文档/**", "سري.txt"}, shell: "/opt/外壳/\\u202ebash",
	extension: "deploy", question: "Where to? 部署到哪里？ إلى أين؟", why: "هذا الأمر يحذف المجلد كله. 这个命令会删除整个目录。 It deletes the whole folder. ",
	options: []string{"staging", "生产环境", "الخادم"}, details: []string{"everybody can break it", "所有用户"},
	filter: "生产 2", number: "号码", notes: "سطر أول\n第二行\nthird",
	run: "git status && rm -rf 构建\u202e/ \x1b[8m; echo تم", part: "rm -rf 构建\u202e/", rule: "bash(rm -rf)",
	before: "old line %d 旧的一行", after: "سطر جديد %d\x1b[2J", call: `{"title":"خطأ","body":"错误` + "\u202e" + `","labels":["bug"]}`,
	status: "测试 3/5", tip: "\x1b[32mtip\x1b[0m: a line that is longer than a narrow screen has columns", widget: []string{"☐ write the tests", "☑ 读代码", "☐ اكتب التقرير"},
}

// tongueOn is a tongue as a kind of terminal gets it.
type tongueOn struct {
	tongue
	name string // of both
	bidi flow.Bidi
}

// everyTongue are all tongues, Arabic also for a terminal that doesn't put it in
// order itself.
func everyTongue(list ...tongue) []tongueOn {
	var all []tongueOn
	for _, w := range append(tongues[:len(tongues):len(tongues)], list...) {
		all = append(all, tongueOn{w, w.name, flow.Bidi{}})
		if w.name == "arabic" {
			all = append(all, tongueOn{w, "arabic-reorder", flow.Bidi{Reorder: true}})
		}
	}
	return all
}

// orders makes the screen that of a terminal with these needs.
func (a *app) orders(b flow.Bidi) {
	a.look.Bidi, a.look.Markdown.Bidi = b, b
	a.editor.SetReorder(b.Reorder)
}
