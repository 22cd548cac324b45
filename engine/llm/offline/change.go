package offline

import (
	"path"
	"slices"
	"strings"
)

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
