package offline

import (
	"encoding/json"
	"slices"
	"strings"
)

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
