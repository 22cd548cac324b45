package picker_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/hoopoe-agent/hoopoe/tui/flow"
	"github.com/hoopoe-agent/hoopoe/tui/picker"
)

// tongue is what a list holds in one language.
type tongue struct {
	name                   string
	title, note, intro     string
	group, one, two, three string // items, the last one long
	cell, detail, more     string
	branch                 string
}

var mixed = tongue{
	"mixed", "Which model? 哪个模型", "asked by todo · 12s", "اختر نموذجًا لهذه المهمة.\n" + strings.Repeat("A long message that says why it is asked. ", 12),
	"مزود محلي", "克劳德 模型", "نموذج عربي", "claude-sonnet-with-a-long-name",
	"$0.25 in, $1.25 out", "runs here", strings.Repeat("这个模型很快。", 30), strings.Repeat("a branch of a tree with many words ", 4),
}

var tongues = []tongue{
	{
		"english", "Which model should do it?", "asked by todo · 12s", strings.Repeat("A long message that says why it is asked, and what comes of it. ", 8),
		"on this machine", "small", "large (new)", "a-model-with-a-rather-long-name", "2 cents a page", "slow, but free (today).", "Good for most work. It reads pictures, too.",
		strings.Repeat("a branch of a tree with many words ", 4),
	},
	{
		"chinese", "这件事要用哪个模型来做？", "待办 · 12s", strings.Repeat("这里用很长的一段话说明为什么要问，以及选择之后会发生什么。", 8),
		"这台机器上", "小模型", "大模型（新）", "一个名字特别特别长的语言模型", "每页两分钱", "很慢，但是免费（仅限今天）。", "适合大部分的工作，也能看懂图片。",
		strings.Repeat("这是树的一根枝条，上面有很多很多字。", 6),
	},
	{
		"arabic", "أي نموذج يقوم بهذا العمل؟", "المهام · 12s", strings.Repeat("رسالة طويلة تقول لماذا يُسأل عن هذا (وما يترتب عليه) مع الأمر go test ./... مثلا. ", 6),
		"على هذا الجهاز", "صغير", "كبير (جديد)", "نموذج له اسم طويل جدا لا يتسع له العمود", "قرشان للصفحة", "بطيء لكنه مجاني (اليوم).", "يصلح لأكثر الأعمال ويقرأ الصور أيضا.",
		strings.Repeat("غصن من شجرة عليه كلمات كثيرة ", 5),
	},
	mixed,
}

// rich has all that an item can have.
func (w tongue) rich() []picker.Item {
	return []picker.Item{
		{ID: "1", Group: "anthropic", Title: w.three, Cells: []string{"200k", "$3 in, $15 out"}, Current: true, More: "Good for most work."},
		{ID: "2", Group: "anthropic", Title: w.one, Cells: []string{"1M", w.cell}, More: w.more},
		{ID: "3", Group: w.group, Title: w.two, Cells: []string{"?", "no price"}, Detail: w.detail},
		{ID: "4", Group: "groq · no key: GROQ_API_KEY", Title: "llama", Cells: []string{"128k", "$0.05 in, $0.08 out"}, Dim: true, More: "Set GROQ_API_KEY or run hoopoe login groq."},
		{ID: "5", Lead: "│ ├─ ", Title: w.branch},
	}
}

// plain has titles and details alone.
func (w tongue) plain() []picker.Item {
	return []picker.Item{
		{ID: "1", Title: w.one, Detail: w.detail}, {ID: "2", Title: w.two, Disabled: true, Detail: w.more}, {ID: "3", Title: w.three, Detail: w.detail},
		{ID: "4", Title: w.branch, Current: true}, {ID: "5", Title: "👨‍👩‍👧‍👦 family", Detail: "\x1b[2Jlocal\n"},
	}
}

// E-5: golden text at four widths in each language, Arabic also for a terminal
// that doesn't put it in order itself; no row is wider or one too many.
func TestGolden(t *testing.T) {
	keys := func(codes ...rune) func(*picker.Picker, tongue) {
		return func(p *picker.Picker, _ tongue) { press(p, codes...) }
	}
	filter := func(text string) func(*picker.Picker, tongue) {
		return func(p *picker.Picker, _ tongue) { typeIn(p, text) }
	}
	steps := []func(*picker.Picker, tongue){
		keys(), keys(tea.KeyDown), func(p *picker.Picker, w tongue) {
			press(p, tea.KeyEnd)
			p.Update(tea.KeyPressMsg{Code: tea.KeyDown, Mod: tea.ModShift})
		},
		func(p *picker.Picker, w tongue) { typeIn(p, w.two) }, filter("zzz"),
	}
	for _, width := range []int{20, 40, 80, 200} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			var out strings.Builder
			show := func(w tongue, name string, b flow.Bidi) {
				for _, list := range []struct {
					o      picker.Options
					items  []picker.Item
					height int
				}{
					{picker.Options{Title: w.title, Note: w.note, Intro: w.intro, Hint: "Ctrl+X deletes", Ordered: true, Styles: styles(t, false)}, w.rich(), 18},
					{picker.Options{Title: w.title, Styles: styles(t, false)}, w.plain(), 9},
				} {
					p := picker.New(list.o, list.items)
					p.SetBidi(b)
					for _, step := range steps {
						step(p, w)
						view := p.View(width, list.height)
						inside(t, p, view, width, list.height)
						fmt.Fprintf(&out, "== %s\n%s\n\n", name, trimmed(view))
					}
				}
			}
			for _, w := range tongues {
				show(w, w.name, flow.Bidi{})
				if w.name == "arabic" {
					show(w, "arabic-reorder", flow.Bidi{Reorder: true})
				}
			}
			file := filepath.Join("testdata", fmt.Sprintf("lists-%d.txt", width))
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
