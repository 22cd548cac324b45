package offline

import "strings"

func (t *turn) greeting() string {
	return t.say(`Hello! I'm the Hoopoe guide: built in, no key, no network. I'm not a language model, but I do real work with your files when you ask plainly:

%s

Say "help" for more.`, `مرحبًا! أنا دليل Hoopoe: مدمج، بلا مفتاح وبلا شبكة. لست نموذجًا لغويًا، لكنني أنجز عملًا حقيقيًا على ملفاتك حين تطلب بوضوح:

%s

قل "مساعدة" للمزيد.`, `你好！我是 Hoopoe 向导：内置，不需要密钥，也不联网。我不是语言模型，但只要说得明白，我就能真正处理你的文件：

%s

输入“帮助”查看更多。`, t.examples(4))
}

func (t *turn) helpText() string {
	return t.say(`I'm the Hoopoe guide, not a language model. I understand requests like these and carry them out with the same tools, approvals and diffs that a model would use:

%s

%s`, `أنا دليل Hoopoe ولست نموذجًا لغويًا. أفهم طلبات كهذه وأنفذها بالأدوات والموافقات والفروق نفسها التي يستخدمها النموذج:

%s

%s`, `我是 Hoopoe 向导，不是语言模型。我能听懂下面这样的请求，并用模型所用的同样的工具、审批和差异来完成：

%s

%s`, t.examples(-1), t.connectText())
}

// examples lists the first n things to say, or all for -1.
func (t *turn) examples(n int) string {
	lines := strings.Split(t.lang.pick(
		"summarize this repo\nread main.go lines 10-40\nfind TODO\nreplace foo with bar in main.go\nwhere is parseConfig defined\nlist files in internal\ncreate notes.txt with hello\nrun go test ./...\nplan: read the code; fix the bug; test\nask me which port to use: 8080, 9090",
		"لخص هذا المستودع\nاقرأ main.go الأسطر 10-40\nابحث عن TODO\nاستبدل foo بـ bar في main.go\nأين تعريف parseConfig\nاعرض الملفات في internal\nأنشئ notes.txt يحتوي مرحبًا\nشغل go test ./...\nخطة: قراءة الشيفرة؛ إصلاح الخطأ؛ الاختبار\nاسألني أي منفذ نستخدم: 8080، 9090",
		"总结这个仓库\n读取 main.go 第 10-40 行\n查找 TODO\n把 main.go 中的 foo 替换为 bar\nparseConfig 在哪里定义\n列出 internal 中的文件\n创建 notes.txt 内容为 你好\n运行 go test ./...\n计划：读代码；修复错误；测试\n问我用哪个端口：8080、9090"), "\n")
	if n >= 0 {
		lines = lines[:n]
	}
	return "- " + strings.Join(lines, "\n- ")
}

func (t *turn) connectText() string {
	if t.connect != nil {
		return t.connect(t.lang.pick("en", "ar", "zh"))
	}
	return t.say(
		"This build can't talk to a language model yet: only I and scripted models (`--model script/FILE`) are here.",
		"هذه النسخة لا تستطيع بعد التحدث إلى نموذج لغوي: لا يوجد هنا سواي والنماذج المكتوبة (`--model script/FILE`).",
		"这个版本还不能连接语言模型：这里只有我和脚本模型（`--model script/FILE`）。")
}

// honest answers what isn't understood: what the guide is, the nearest thing
// that it can do, and how to get a model that understands more.
func (t *turn) honest() string {
	return t.say(`I'm not a language model, so I can't do that. The nearest thing that I can do: "%s". Say "help" for all of it.

%s`, `لست نموذجًا لغويًا، ولذلك لا أستطيع هذا. أقرب ما أستطيع فعله: "%s". قل "مساعدة" لترى كل شيء.

%s`, `我不是语言模型，所以做不到这一点。我能做的最接近的是：“%s”。输入“帮助”查看全部。

%s`, t.nearest(), t.connectText())
}

// nearest guesses by single words what the prompt might be about.
func (t *turn) nearest() string {
	text := strings.ToLower(fold(t.prompt).text)
	file := ""
	for word := range strings.FieldsSeq(text) {
		if word = strings.Trim(word, "\"'`,;:?!()."); pathLike(word) && hasExtension(word) && len(word) < 100 {
			file = word
			break
		}
	}
	has := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(text, w) {
				return true
			}
		}
		return false
	}
	target := file
	if target == "" {
		target = "main.go"
	}
	switch {
	case has("fix", "change", "edit", "refactor", "rename", "implement", "اصلح", "عدل", "غير", "修改", "修复", "重构", "改"):
		return t.say("replace old with new in %s", "استبدل القديم بـ الجديد في %s", "把 %s 中的旧文字替换为新文字", target)
	case file != "":
		return t.say("read %s", "اقرأ %s", "读取 %s", file)
	case has("test", "run", "build", "اختبار", "شغل", "测试", "运行"):
		return t.say("run the tests", "شغل الاختبارات", "运行测试")
	case has("find", "search", "where", "bug", "ابحث", "اين", "查找", "搜索", "哪"):
		return t.say("find TODO", "ابحث عن TODO", "查找 TODO")
	case has("create", "write", "add", "انشئ", "اكتب", "创建", "写"):
		return t.say("create notes.txt with hello", "أنشئ notes.txt يحتوي مرحبًا", "创建 notes.txt 内容为 你好")
	case has("plan", "todo", "خطه", "计划"):
		return t.say("plan: first step; second step", "خطة: الخطوة الأولى؛ الخطوة الثانية", "计划：第一步；第二步")
	}
	return t.say("summarize this repo", "لخص هذا المستودع", "总结这个仓库")
}
