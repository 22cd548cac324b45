package offline

import (
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// summarize looks at the top folder and all file names, then at the files
// that describe a project, and puts the facts together.
func (t *turn) summarize() string {
	calls := []call{{"ls", object()}}
	if t.has("find") {
		pairs := []any{"pattern", "*"}
		if t.takes("find", "limit") {
			pairs = append(pairs, "limit", 5000)
		}
		calls = append(calls, call{"find", object(pairs...)})
	}
	out, ok := t.do(t.say("look at the top folder and at the names of all files", "أنظر في المجلد الرئيسي وفي أسماء كل الملفات", "看看顶层目录和所有文件名"), calls...)
	if !ok {
		return ""
	}
	if out[0].failed {
		return t.failed(out[0])
	}
	p := project{top: entries(out[0].text)}
	if len(out) > 1 && !out[1].failed {
		p.files = entries(out[1].text)
		_, p.note = cutNote(out[1].text)
	}
	return t.describe(p)
}

// project is what is known of a repository.
type project struct {
	top   []string          // entries of its folder, folders with "/"
	files []string          // paths
	note  string            // the list of files isn't complete
	texts map[string]string // by name
}

func (t *turn) describe(p project) string {
	var names []string
	for _, name := range p.top {
		if tellsAbout(name) {
			names = append(names, name)
		}
	}
	if len(names) > 6 {
		names = names[:6]
	}
	if len(names) > 0 && t.has("read") {
		var calls []call
		var shown []string
		for _, name := range names {
			calls = append(calls, readCall(name, 1, 120))
			shown = append(shown, code(name))
		}
		out, ok := t.do(t.say("read %s", "أقرأ %s", "读取 %s", strings.Join(shown, t.lang.pick(", ", "، ", "、"))), calls...)
		if !ok {
			return ""
		}
		p.texts = map[string]string{}
		for i, o := range out {
			if !o.failed {
				p.texts[names[i]], _ = cutNote(o.text)
			}
		}
	}
	return t.report(p)
}

// tellsAbout reports whether a file at the top describes the project.
func tellsAbout(name string) bool {
	lower := strings.ToLower(name)
	switch lower {
	case "go.mod", "package.json", "cargo.toml", "pyproject.toml", "makefile":
		return true
	}
	stem := strings.TrimSuffix(lower, path.Ext(lower))
	return !strings.HasSuffix(name, "/") && (stem == "readme" || stem == "license" || stem == "licence" || stem == "copying")
}

func (t *turn) report(p project) string {
	f := p.facts()
	var b strings.Builder
	title := f.name
	if title == "" {
		title = t.say("This project", "هذا المشروع", "这个项目")
	}
	fmt.Fprintf(&b, "**%s**", title)
	if f.description != "" {
		b.WriteString(t.lang.pick(": ", ": ", "：") + f.description)
	}
	b.WriteString("\n")
	line := func(en, ar, zh, value string) {
		if value != "" {
			fmt.Fprintf(&b, "\n- %s%s", t.lang.pick(en+": ", ar+": ", zh+"："), value)
		}
	}
	line("Languages", "اللغات", "语言", t.languages(p.files))
	line("Main folders", "المجلدات الرئيسية", "主要目录", t.folders(p))
	line("Module", "الوحدة", "模块", f.module)
	line("Build and test", "البناء والاختبار", "构建与测试", strings.Join(f.commands, t.lang.pick(", ", "، ", "、")))
	line("License", "الرخصة", "许可证", f.license)
	var read []string
	for name := range p.texts {
		read = append(read, code(name))
	}
	slices.Sort(read)
	line("I read", "قرأت", "我读了", strings.Join(read, t.lang.pick(", ", "، ", "、")))
	if len(p.top) == 0 {
		b.WriteString("\n" + t.say("The folder is empty.", "المجلد فارغ.", "目录是空的。"))
	}
	if p.note != "" {
		b.WriteString("\n- " + t.say("There are more files than I counted: %d", "الملفات أكثر مما عددت: %d", "文件比我数到的更多：%d", len(p.files)))
	}
	b.WriteString("\n\n" + t.say("These are facts from the files; I'm not a language model.", "هذه حقائق من الملفات؛ فأنا لست نموذجًا لغويًا.", "以上是文件中的事实；我不是语言模型。"))
	return b.String()
}

type facts struct {
	name, description, module, license string
	commands                           []string
}

func (p project) facts() facts {
	var f facts
	// In order of trust: the read-me names a project best.
	for _, name := range p.names("readme") {
		f.name, f.description = readme(p.texts[name])
	}
	if text, ok := p.texts["go.mod"]; ok {
		f.module = code(firstMatch(text, `(?m)^module\s+(\S+)`))
		if version := firstMatch(text, `(?m)^go\s+(\S+)`); version != "" {
			f.module += " (Go " + version + ")"
		}
		f.name = either(f.name, path.Base(firstMatch(text, `(?m)^module\s+(\S+)`)))
	}
	if text, ok := p.texts["package.json"]; ok {
		f.packageJSON(text)
	}
	for _, name := range []string{"Cargo.toml", "pyproject.toml"} {
		if text, ok := p.texts[name]; ok {
			f.name = either(f.name, firstMatch(text, `(?m)^name\s*=\s*"([^"]+)"`))
			f.description = either(f.description, firstMatch(text, `(?m)^description\s*=\s*"([^"]+)"`))
			f.license = either(f.license, firstMatch(text, `(?m)^license\s*=\s*"([^"]+)"`))
		}
	}
	f.commands = append(f.commands, p.commands()...)
	for _, stem := range []string{"license", "licence", "copying"} {
		for _, name := range p.names(stem) {
			f.license = either(license(p.texts[name]), f.license)
		}
	}
	return f
}

func (f *facts) packageJSON(text string) {
	var pkg struct {
		Name, Description, License string
		Scripts                    map[string]any
	}
	// A file that was cut off or is no JSON tells nothing, and that is all.
	if json.Unmarshal([]byte(text), &pkg) != nil {
		return
	}
	f.name, f.description = either(f.name, pkg.Name), either(f.description, pkg.Description)
	f.license = either(f.license, pkg.License)
	for _, script := range []string{"build", "test", "lint"} {
		if _, ok := pkg.Scripts[script]; ok {
			f.commands = append(f.commands, code("npm run "+script))
		}
	}
}

// names lists the files that were read with this stem, in any case.
func (p project) names(stem string) []string {
	var out []string
	for name := range p.texts {
		if lower := strings.ToLower(name); strings.TrimSuffix(lower, path.Ext(lower)) == stem {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

func (p project) commands() []string {
	var out []string
	if text, ok := p.texts["Makefile"]; ok {
		for _, m := range regexp.MustCompile(`(?m)^([a-z][\w-]*):(?:[^=]|$)`).FindAllStringSubmatch(text, 8) {
			out = append(out, code("make "+m[1]))
		}
	}
	for _, m := range manifests() {
		if _, ok := p.texts[m.file]; ok && (m.file == "go.mod" || m.file == "Cargo.toml") {
			out = append(out, code(m.build), code(m.test))
		}
	}
	return out
}

// readme takes a title and the first paragraph of prose.
func readme(text string) (title, paragraph string) {
	var prose []string
	fenced := false
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		switch {
		case fenced:
		case strings.HasPrefix(line, "#"):
			if title == "" {
				title = plainText(strings.Trim(line, "# "))
			}
			if len(prose) > 0 {
				return title, join(prose)
			}
		case line == "" && len(prose) > 0:
			return title, join(prose)
		case line == "" || !isProse(line):
		default:
			prose = append(prose, plainText(line))
		}
	}
	return title, join(prose)
}

func isProse(line string) bool {
	for _, prefix := range []string{"![", "[![", "<", "|", "---", "===", "```", "- ", "* ", ">"} {
		if strings.HasPrefix(line, prefix) {
			return false
		}
	}
	return strings.ContainsFunc(line, unicode.IsLetter)
}

func join(lines []string) string {
	text := strings.Join(lines, " ")
	if r := []rune(text); len(r) > 400 {
		text = string(r[:400]) + "…"
	}
	return text
}

// plainText drops what would be Markdown in the report.
func plainText(s string) string {
	return strings.TrimSpace(strings.NewReplacer("**", "", "__", "").Replace(s))
}

func license(text string) string {
	for _, l := range []struct{ mark, name string }{
		{"Apache License", "Apache-2.0"}, {"MIT License", "MIT"}, {"Permission is hereby granted, free of charge", "MIT"},
		{"GNU AFFERO GENERAL PUBLIC LICENSE", "AGPL"}, {"GNU LESSER GENERAL PUBLIC LICENSE", "LGPL"}, {"GNU GENERAL PUBLIC LICENSE", "GPL"},
		{"Mozilla Public License", "MPL-2.0"}, {"Redistribution and use in source and binary forms", "BSD"}, {"The Unlicense", "Unlicense"},
	} {
		if strings.Contains(text, l.mark) {
			return l.name
		}
	}
	return ""
}

func firstMatch(text, pattern string) string {
	if m := regexp.MustCompile(pattern).FindStringSubmatch(text); m != nil {
		return strings.Trim(m[1], `"`)
	}
	return ""
}

func either(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
