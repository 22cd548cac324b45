package dialog_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hoopoe-agent/hoopoe/tui/dialog"
	"github.com/hoopoe-agent/hoopoe/tui/diff"
	"github.com/hoopoe-agent/hoopoe/tui/flow"
)

// tongue is what dialogs ask and are told in one language.
type tongue struct {
	name                      string
	call, command, part, rule string // to be approved
	path, before, after       string
	sure, reason              string
	field, value              string
	from, title, why, detail  string // an extension's question
	options                   []string
	notes                     string
}

var english = tongue{
	"english", "Run a command", "git push origin main\n\techo done", "git push", "bash(git push origin main)",
	"main.go", "the old line", "the new line, which is longer", "Leave while the agent is still at work?", "use the other branch",
	"Name", "first draft", "deploy", "Where should the new version go?", "Everybody who uses the site gets it at once. The old one is kept (for a week). ", "What happens then is told here, in a few words.",
	[]string{"staging, which everybody on the team can reach and break", "production (all users)", "the spare server", "nowhere"},
	"What is new: names are shorter.",
}

var tongues = []tongue{
	english,
	{
		"chinese", "运行命令", "git push origin 主分支\n\techo 完成", "git push", "bash(git push origin 主分支)",
		"源码/主.go", "旧的一行", "新的一行，比原来长一些", "智能体还在工作，真的要离开吗？", "请用另一个分支",
		"名称", "第一稿", "部署", "新版本要部署到哪里去？", "所有正在使用网站的人马上就会看到新版本。旧版本会保留一个星期。", "选择之后会发生什么，在这里用几句话说明。",
		[]string{"预发布环境，团队里的每个人都能访问，也都可能把它弄坏", "生产环境（所有用户）", "备用服务器", "哪里都不去"},
		"有什么新东西：名字变短了。",
	},
	{
		"arabic", "تشغيل أمر", "git push origin رئيسي\n\techo تم", "git push", "bash(git push origin رئيسي)",
		"مصدر/رئيسي.go", "السطر القديم", "السطر الجديد وهو أطول منه", "الوكيل ما زال يعمل، أتريد الخروج حقا؟", "استعمل الفرع الآخر (main)",
		"الاسم", "المسودة الأولى", "النشر", "إلى أين تذهب النسخة الجديدة؟", "يراها في الحال كل من يستعمل الموقع، وتبقى القديمة (أسبوعا). ", "ما يحدث بعد ذلك يُذكر هنا في كلمات قليلة.",
		[]string{"الخادم التجريبي الذي يصل إليه كل من في الفريق وقد يكسره", "خادم الإنتاج (كل المستخدمين)", "الخادم الاحتياطي", "لا مكان"},
		"ما الجديد: الأسماء أقصر.",
	},
	{
		"mixed", "Run a command / تشغيل أمر / 运行命令", "git push origin main\n\techo مرحبا\u202e \x1b[2J", "git push", "bash(git push origin main)",
		"main.go", "天地玄黄", "宇宙洪荒 👨‍👩‍👧‍👦", "Leave?", "天地玄黄",
		"اسم", "天地玄黄", "deploy-helper", "Where to deploy? 部署到哪里？", "اختر الخادم الذي سينشر عليه التطبيق. ", "What happens then is told here, in a few words.",
		[]string{"staging, which everybody on the team can reach and break", "生产环境（所有用户）", "الخادم التجريبي", "nowhere"},
		"سطر من النص 一行文字 a line",
	},
}

// question is what an extension may ask: long, for a while.
func (w tongue) question() dialog.Spec {
	now := time.Unix(1_000_000, 0)
	spec := dialog.Spec{
		Title: w.title, From: w.from, Why: strings.Repeat(w.why, 6),
		Deadline: now.Add(75 * time.Second), Now: func() time.Time { return now },
	}
	for _, label := range w.options {
		spec.Choices = append(spec.Choices, dialog.Choice{ID: label, Label: label, Detail: w.detail})
	}
	return spec
}

// dialogs are one of each kind.
func (w tongue) dialogs(t *testing.T, b flow.Bidi) []*dialog.Dialog {
	s := styles(t, false)
	change := diff.Unified("a/"+w.path, "b/"+w.path, strings.Repeat(w.before+"\n", 3), strings.Repeat(w.after+"\n", 30))
	command := dialog.Command(w.command, s, b)
	list := []*dialog.Dialog{
		dialog.New(w.approval(command), s),
		dialog.New(w.approval(dialog.Diff(change, diff.Options{Styles: s, Bidi: b})), s),
		dialog.New(dialog.Confirm(w.sure, ""), s),
		dialog.New(dialog.Spec{Title: w.field, Field: dialog.Field{Value: w.value, Placeholder: w.field}}, s),
		dialog.New(dialog.Spec{Title: w.field, From: w.from, Field: dialog.Field{Placeholder: w.value}}, s),
		dialog.New(w.question(), s),
		dialog.New(dialog.Spec{Title: w.field, Field: dialog.Field{Value: "sk-secret", Secret: true}}, s),
		dialog.New(dialog.Spec{Title: w.notes, From: w.from, Field: dialog.Field{Multiline: true, Value: strings.Repeat(w.notes+"\n", 12)}}, s),
	}
	reason := dialog.New(w.approval(command), s)
	press(reason, "5")
	reason.Paste(w.reason)
	return append(list, reason)
}

// E-5: every kind of dialog at four widths in each language, Arabic also for a
// terminal that doesn't put it in order itself.
func TestGolden(t *testing.T) {
	for _, width := range []int{20, 40, 80, 200} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			var out strings.Builder
			for _, w := range tongues {
				orders := map[string]flow.Bidi{w.name: {}}
				names := []string{w.name}
				if w.name == "arabic" {
					names = append(names, "arabic-reorder")
					orders["arabic-reorder"] = flow.Bidi{Reorder: true}
				}
				for _, name := range names {
					fmt.Fprintf(&out, "== %s\n", name)
					for _, d := range w.dialogs(t, orders[name]) {
						d.SetBidi(orders[name])
						view := d.View(width, 16)
						inside(t, d, view, width, 16)
						fmt.Fprintf(&out, "%s\n\n", trimmed(view))
					}
				}
			}
			file := filepath.Join("testdata", fmt.Sprintf("dialogs-%d.txt", width))
			if *update {
				if err := os.WriteFile(file, []byte(out.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if out.String() != string(want) {
				t.Errorf("rows differ from %s (run with -update and look at the change):\n%s", file, out.String())
			}
		})
	}
}
