package offline

import (
	"path"
	"strings"
)

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
