package offline

import (
	"encoding/json"
	"path"
	"slices"
	"strings"
)

// perform runs the task of the intent from its beginning. Its text is the
// report, unless do has filled in the reply.
func (t *turn) perform() string {
	in := t.intent
	switch in.kind {
	case greet:
		return t.greeting()
	case thanks:
		return t.say("You're welcome. What next?", "على الرحب والسعة. ما التالي؟", "不客气。接下来做什么？")
	case help:
		return t.helpText()
	case connect:
		return t.connectText()
	case summarize:
		return t.summarize()
	case readFile:
		return t.read(in.path, in.first, in.last)
	case search:
		return t.search(in.what, in.path)
	case where:
		return t.where(in.what)
	case findFiles:
		return t.findFiles(in.what, in.path)
	case list:
		return t.list(in.path)
	case replace:
		return t.replace(in.path, in.what, in.with)
	case replaceIn:
		return t.replaceIn(in.what)
	case create:
		return t.create(in.path, in.with)
	case run:
		return t.run(in.what)
	case runTests, runBuild:
		return t.runKnown(in.kind)
	case plan:
		return t.plan(in.items)
	case askUser:
		return t.ask(in.what)
	}
	if t.asked != "" && t.prompt != "" {
		t.lang = scriptOf(t.asked)
		return t.answered(t.prompt)
	}
	return t.honest()
}

func readCall(p string, first, last int) call {
	pairs := []any{"path", p}
	if first > 0 {
		pairs = append(pairs, "offset", first, "limit", max(last-first, 0)+1)
	}
	return call{"read", object(pairs...)}
}

func (t *turn) read(p string, first, last int) string {
	action := t.say("read %s", "أقرأ %s", "读取 %s", code(p))
	switch {
	case first > 0 && last > first:
		action = t.say("read lines %[2]d to %[3]d of %[1]s", "أقرأ الأسطر %[2]d إلى %[3]d من %[1]s", "读取 %[1]s 的第 %[2]d 到 %[3]d 行", code(p), first, last)
	case first > 0:
		action = t.say("read line %[2]d of %[1]s", "أقرأ السطر %[2]d من %[1]s", "读取 %[1]s 的第 %[2]d 行", code(p), first)
	}
	out, ok := t.do(action, readCall(p, first, last))
	if !ok {
		return ""
	}
	if out[0].failed {
		return t.failed(out[0])
	}
	text, note := cutNote(out[0].text)
	if strings.TrimSpace(text) == "" {
		return t.say("%s is empty.", "%s فارغ.", "%s 是空的。", code(p))
	}
	if first > 0 {
		note = "" // the rest of the file wasn't asked for
	}
	return code(p) + ":\n\n" + t.excerpt(text, strings.TrimPrefix(path.Ext(p), ".")) + t.note(note)
}

func (t *turn) search(what, in string) string {
	action := t.say("search for %s", "أبحث عن %s", "查找 %s", code(what))
	if in != "" {
		action = t.say("search for %s in %s", "أبحث عن %s في %s", "查找 %s（在 %s 中）", code(what), code(in))
	}
	out, ok := t.do(action, t.grepCall(what, in))
	if !ok {
		return ""
	}
	if out[0].failed {
		return t.failed(out[0])
	}
	return t.matches(what, out[0].text)
}

// grepCall searches for a text as it stands.
func (t *turn) grepCall(text, in string) call {
	pairs := []any{"pattern", quoteMeta(text)}
	if t.takes("grep", "literal") {
		pairs = []any{"pattern", text, "literal", true}
	}
	if in != "" {
		pairs = append(pairs, "path", in)
	}
	return call{"grep", object(pairs...)}
}

func (t *turn) matches(what, text string) string {
	found := matchLines(text)
	if len(found) == 0 {
		return t.say("I found no %s.", "لم أجد %s.", "没有找到 %s。", code(what))
	}
	files := map[string]bool{}
	for _, m := range found {
		files[m.file] = true
	}
	head := t.say("I found %[1]s in %[4]s of %[5]s:", "وجدت %[1]s (الأسطر: %[2]d، الملفات: %[3]d):", "找到 %[1]s：%[2]d 行，%[3]d 个文件：",
		code(what), len(found), len(files), several(len(found), "line"), several(len(files), "file"))
	var lines []string
	for _, m := range found {
		lines = append(lines, m.line)
	}
	_, note := cutNote(text)
	return head + "\n\n" + t.excerpt(strings.Join(lines, "\n"), "") + t.note(note)
}

func (t *turn) where(name string) string {
	n := quoteMeta(name)
	pattern := `\b(func|fn|def|class|type|interface|struct|enum|trait|function|const|var|let)\s+(\(.*?\)\s*)?` + n + `\b|^\s*` + n + `\b[^=(]*=[^=]`
	out, ok := t.do(t.say("look for the definition of %s", "أبحث عن تعريف %s", "查找 %s 的定义", code(name)),
		call{"grep", object("pattern", pattern)})
	if !ok {
		return ""
	}
	if !out[0].failed && len(matchLines(out[0].text)) > 0 {
		return t.matches(name, out[0].text)
	}
	out, ok = t.do(t.say("look for %s in any place, since I saw no definition", "أبحث عن %s في أي موضع، إذ لم أر له تعريفًا", "在所有地方查找 %s，因为没有看到它的定义", code(name)),
		t.grepCall(name, ""))
	switch {
	case !ok:
		return ""
	case out[0].failed:
		return t.failed(out[0])
	case len(matchLines(out[0].text)) == 0:
		return t.say("%s is neither defined nor mentioned here.", "%s غير معرف ولا مذكور هنا.", "这里既没有 %s 的定义，也没有提到它。", code(name))
	}
	return t.say("I saw no definition of %s, but it is mentioned.", "لم أر تعريفًا لـ %s، لكنه مذكور.", "没有看到 %s 的定义，但有地方提到它。", code(name)) + " " + t.matches(name, out[0].text)
}

func (t *turn) findFiles(pattern, in string) string {
	pairs := []any{"pattern", pattern}
	if in != "" {
		pairs = append(pairs, "path", in)
	}
	out, ok := t.do(t.say("look for files that match %s", "أبحث عن الملفات المطابقة لـ %s", "查找匹配 %s 的文件", code(pattern)), call{"find", object(pairs...)})
	if !ok {
		return ""
	}
	if out[0].failed {
		return t.failed(out[0])
	}
	files := entries(out[0].text)
	if len(files) == 0 || out[0].none() {
		return t.say("No file matches %s.", "لا يوجد ملف يطابق %s.", "没有文件匹配 %s。", code(pattern))
	}
	_, note := cutNote(out[0].text)
	head := t.say("I found %[3]s for %[2]s:", "عدد ما يطابق %[2]s هو %[1]d:", "%[1]d 项匹配 %[2]s：", len(files), code(pattern), several(len(files), "path"))
	return head + "\n\n" + t.excerpt(strings.Join(files, "\n"), "") + t.note(note)
}

func (t *turn) list(p string) string {
	args := object()
	shown := t.say("the working directory", "مجلد العمل", "当前目录")
	if p != "" {
		args, shown = object("path", p), code(p)
	}
	out, ok := t.do(t.say("list %s", "أسرد محتويات %s", "列出 %s 的内容", shown), call{"ls", args})
	if !ok {
		return ""
	}
	if out[0].failed {
		return t.failed(out[0])
	}
	names := entries(out[0].text)
	if len(names) == 0 || out[0].none() {
		return t.say("%s is empty.", "%s فارغ.", "%s 是空的。", shown)
	}
	_, note := cutNote(out[0].text)
	head := t.say("In %[2]s there are %[1]d:", "عدد ما في %[2]s هو %[1]d:", "%[2]s 有 %[1]d 项：", len(names), shown)
	return head + "\n\n" + t.excerpt(strings.Join(names, "\n"), "") + t.note(note)
}

// replace reads before it edits: it has to know that there is something to
// replace, and the edit tool wants the file read.
func (t *turn) replace(p, old, with string) string {
	out, ok := t.do(t.say("read %s to see where %s occurs", "أقرأ %s لأرى أين يرد %s", "读取 %s，看看 %s 在哪里出现", code(p), code(old)), readCall(p, 0, 0))
	if !ok {
		return ""
	}
	if out[0].failed {
		return t.failed(out[0])
	}
	text, note := cutNote(out[0].text)
	n := strings.Count(text, old)
	switch {
	case old == with:
		return t.say("%s and %s are the same: there is nothing to change.", "%s و %s متطابقان: لا شيء ليتغير.", "%s 和 %s 相同，无需修改。", code(old), code(with))
	case n == 0 && note == "":
		reply := t.say("%[2]s doesn't occur in %[1]s; nothing was changed.", "%[2]s لا يرد في %[1]s؛ لم يتغير شيء.", "%[1]s 中没有 %[2]s，什么都没有改动。", code(p), code(old))
		if other := strings.Count(strings.ToLower(text), strings.ToLower(old)); other > 0 {
			reply += " " + t.say("Ignoring capitals there are %d.", "ومن دون اعتبار حالة الأحرف عددها %d.", "忽略大小写则有 %d 处。", other)
		}
		return reply
	}
	edit := map[string]any{"oldText": old, "newText": with, "replaceAll": true}
	action := t.say("replace %[2]s with %[3]s in %[1]s (%[5]s)", "أستبدل %[2]s بـ %[3]s في %[1]s (عدد المواضع: %[4]d)", "把 %[1]s 中的 %[2]s 替换为 %[3]s（%[4]d 处）", code(p), code(old), code(with), n, several(n, "occurrence"))
	if note != "" {
		action = t.say("replace every %[2]s with %[3]s in %[1]s", "أستبدل كل %[2]s بـ %[3]s في %[1]s", "把 %[1]s 中所有的 %[2]s 替换为 %[3]s", code(p), code(old), code(with))
	}
	out, ok = t.do(action, call{"edit", object("path", p, "edits", []any{edit})})
	if !ok {
		return ""
	}
	if out[0].failed {
		return t.failed(out[0])
	}
	if note != "" {
		return t.say("Done: every %[2]s in %[1]s is now %[3]s.", "تم: كل %[2]s في %[1]s أصبح %[3]s.", "完成：%[1]s 中所有的 %[2]s 已改为 %[3]s。", code(p), code(old), code(with))
	}
	return t.say("Done: I replaced %[5]s of %[2]s with %[3]s in %[1]s.", "تم: استبدلت %[2]s بـ %[3]s في %[1]s (عدد المواضع: %[4]d).", "完成：已在 %[1]s 中把 %[4]d 处 %[2]s 替换为 %[3]s。", code(p), code(old), code(with), n, several(n, "occurrence"))
}

// replaceIn shows where a text is that was to be replaced in no file by name:
// what changes many files at once should be chosen by its owner.
func (t *turn) replaceIn(what string) string {
	found := t.search(what, "")
	if found == "" || len(t.reply.calls) > 0 {
		return found
	}
	return found + "\n\n" + t.say("I replace in one file at a time: name it, as in \"replace old with new in main.go\".",
		"أستبدل في ملف واحد في كل مرة: سمّه كما في \"استبدل القديم بـ الجديد في main.go\".",
		"我一次只替换一个文件：请指明文件，例如“把 main.go 中的旧文字替换为新文字”。")
}

// create looks first whether the file is there: a request to create one is no
// leave to overwrite one.
func (t *turn) create(p, content string) string {
	if t.has("ls") && t.has("write") {
		dir := path.Dir(strings.ReplaceAll(p, `\`, "/"))
		out, ok := t.do(t.say("check whether %s exists", "أتحقق من وجود %s", "看看 %s 是否已经存在", code(p)), call{"ls", object("path", dir)})
		if !ok {
			return ""
		}
		if !out[0].failed && t.lists(out[0].text, path.Base(p)) {
			return t.say("%s exists already, so I left it alone. I can replace text in it: \"replace old with new in %s\".",
				"%s موجود بالفعل، فتركته كما هو. يمكنني استبدال نص فيه: \"استبدل القديم ب الجديد في %s\".",
				"%s 已经存在，我没有动它。我可以替换其中的文字：“把 %s 中的旧文字替换为新文字”。", code(p), p)
		}
	}
	if content != "" && !strings.HasSuffix(content, "\n") {
		content += "\n"
	}
	out, ok := t.do(t.say("create %s", "أنشئ %s", "创建 %s", code(p)), call{"write", object("path", p, "content", content)})
	if !ok {
		return ""
	}
	if out[0].failed {
		return t.failed(out[0])
	}
	return t.say("Done: %s has %d bytes.", "تم: حجم %s هو %d بايت.", "完成：%s 共 %d 字节。", code(p), len(content))
}

// lists reports whether a listing has an entry of that name: a file, a folder
// or a link.
func (t *turn) lists(text, name string) bool {
	return slices.ContainsFunc(entries(text), func(e string) bool { return strings.TrimRight(e, "/@") == name })
}

func (t *turn) run(command string) string {
	out, ok := t.do(t.say("run %s", "أشغّل %s", "运行 %s", code(command)), call{"bash", object("command", command)})
	if !ok {
		return ""
	}
	if _, denied := denial(out[0].text); denied && out[0].failed {
		return t.failed(out[0])
	}
	head := t.say("%s succeeded", "نجح %s", "%s 运行成功", code(command))
	if out[0].failed {
		head = t.say("%s failed", "فشل %s", "%s 运行失败", code(command))
	}
	if text := strings.TrimSpace(out[0].text); text == "" || text == "(no output)" {
		return head + t.say(", without output.", "، بلا مخرجات.", "，没有输出。")
	}
	return head + t.say(":", ":", "：") + "\n\n" + t.tail(out[0].text)
}

// runKnown runs the project's own tests or build, by its manifest.
func (t *turn) runKnown(k kind) string {
	out, ok := t.do(t.say("look which kind of project this is", "أنظر ما نوع هذا المشروع", "看看这是什么类型的项目"), call{"ls", object()})
	if !ok {
		return ""
	}
	if out[0].failed {
		return t.failed(out[0])
	}
	names := entries(out[0].text)
	for _, m := range manifests() {
		if slices.Contains(names, m.file) {
			if k == runTests {
				return t.run(m.test)
			}
			return t.run(m.build)
		}
	}
	return t.say("I see no manifest that I know. Tell me the command: \"run make test\".",
		"لا أرى ملف مشروع أعرفه. قل لي الأمر: \"شغل make test\".",
		"没有看到我认识的项目清单文件。请告诉我命令：“运行 make test”。")
}

type manifest struct{ file, build, test string }

func manifests() []manifest {
	return []manifest{
		{"go.mod", "go build ./...", "go test ./..."},
		{"Cargo.toml", "cargo build", "cargo test"},
		{"package.json", "npm run build", "npm test"},
		{"Makefile", "make", "make test"},
		{"pyproject.toml", "python -m build", "python -m pytest"},
	}
}

func (t *turn) plan(steps []string) string {
	tasks := make([]any, len(steps))
	var lines []string
	for i, s := range steps {
		tasks[i] = map[string]any{"content": s}
		lines = append(lines, "- "+s)
	}
	phase := map[string]any{"name": t.say("Plan", "الخطة", "计划"), "tasks": tasks}
	args := object("ops", []any{map[string]any{"op": "replace", "phases": []any{phase}}})
	out, ok := t.do(t.say("write down a plan of %[2]s", "أدوّن الخطة (عدد الخطوات: %[1]d)", "记下 %[1]d 步的计划", len(steps), several(len(steps), "step")), call{"todo", args})
	if !ok {
		return ""
	}
	if out[0].failed {
		return t.failed(out[0])
	}
	return t.say("The plan:", "الخطة:", "计划：") + "\n\n" + strings.Join(lines, "\n")
}

// ask poses the user's own question back, with the options after a colon.
func (t *turn) ask(what string) string {
	question, choices := what, []string(nil)
	if i := strings.LastIndexAny(what, ":："); i > 0 {
		question, choices = strings.TrimSpace(what[:i]), alternatives(strings.TrimLeft(what[i:], ":："))
	}
	question = strings.TrimRight(question, " ?？؟.。") + t.say("?", "؟", "？")
	if !t.has("ask") {
		return numbered(question, choices)
	}
	pairs := []any{"question", question}
	if len(choices) > 0 {
		pairs = append(pairs, "options", choices)
	}
	out, ok := t.do(t.say("ask you", "أسألك", "问你一个问题"), call{"ask", object(pairs...)})
	if !ok {
		return ""
	}
	if out[0].failed {
		return t.failed(out[0])
	}
	var d struct{ Answer *string }
	if json.Unmarshal(out[0].details, &d) != nil || d.Answer == nil {
		return t.say("You gave no answer.", "لم تجب.", "你没有回答。")
	}
	return t.answered(*d.Answer)
}

func (t *turn) answered(answer string) string {
	return t.say("You answered: %s", "أجبت: %s", "你的回答：%s", firstLines(answer, 20))
}
