package transcript

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/hoopoe-agent/hoopoe/themes"
	"github.com/hoopoe-agent/hoopoe/tui/flow"
	"github.com/hoopoe-agent/hoopoe/tui/markdown"
	"github.com/hoopoe-agent/hoopoe/tui/style"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var widths = []int{20, 40, 80, 200}

func testLook(t testing.TB) *Look {
	t.Helper()
	theme, err := themes.Load(themes.Default)
	if err != nil {
		t.Fatal(err)
	}
	s := style.New(theme, true, true)
	return &Look{Styles: s, Markdown: markdown.New(s)}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (run with -update if it should); got\n%s", path, got)
	}
}

// hostile are texts that must not drive a terminal (E-4) and that are hard to
// measure (E-5).
var hostile = []string{
	"\x1b]52;c;aGk=\x07clip \x1b[2J\u009b2J\u202eevil\x07",
	"شغّل الأمر `go test ./...` ثم أعد المحاولة",
	"天地玄黄宇宙洪荒日月盈昃辰宿列张寒来暑往秋收冬藏闰余成岁律吕调阳",
	"👨‍👩‍👧‍👦👍🏽❤️ emoji 👨‍👩‍👧‍👦👍🏽❤️🇩🇪",
	"a\tb\tc\r50%\r100%",
	strings.Repeat("x", 10_000),
}

func items(look *Look, text string) map[string]Item {
	answer, open := NewAnswer(look), NewAnswer(look)
	answer.Set(text, true)
	open.Set("Intro\n\n"+text, false)
	thinking, thought := &Thinking{Look: look}, &Thinking{Look: look}
	thinking.Set(text, false)
	thought.Set(text, true)
	return map[string]Item{
		"answer": answer, "open answer": open, "thinking": thinking, "thought": thought,
		"prompt":  &Prompt{Look: look, Text: text, Images: 1},
		"notice":  &Notice{Look: look, Level: Error, Text: text},
		"summary": &Summary{Look: look, Title: text, Text: text},
	}
}

func TestRowsAreHarmlessAndFit(t *testing.T) {
	for _, expanded := range []bool{false, true} {
		look := testLook(t)
		look.Expanded = expanded
		for i, text := range hostile {
			for name, item := range items(look, text) {
				for _, w := range append([]int{1, 2, 7}, widths...) {
					for _, row := range flow.Texts(item.Rows(w)) {
						// A cluster of two columns can't be cut in half.
						if got := style.Width(row); got > w && w > 3 {
							t.Errorf("%s, text %d, width %d: row of %d columns %q", name, i, w, got, row)
						}
						if plain := ansi.Strip(row); strings.ContainsAny(plain, "\x1b\a\r\t\n\u009b\u202e") || strings.Contains(row, "]52") {
							t.Errorf("%s, text %d, width %d: hostile row %q", name, i, w, row)
						}
					}
				}
			}
		}
	}
}

// speech is what the user, the model and the program say in one language.
type speech struct {
	name                                             string
	prompt, thinking, thought, answer, warning, info string
	title, summary, long                             string
}

var speeches = []speech{
	{
		"english", "Replace foo with bar in main.go, and run the tests afterwards, please.",
		"First I read the file.\nThen I look at the tests.\nThen the callers.\nThen the docs.\nThen I decide what to change.", "One line.\nAnother.",
		"It has **two** parts:\n\n1. the loop in `agent`\n2. the session\n\n```go\nfunc main() {}\n```\n",
		"The provider is overloaded.", "Stopped.", "earlier messages were summarised", "They spoke of foo.", "many lines\n",
	},
	{
		"chinese", "请把 main.go 里的「旧名字」全部换成新名字，然后运行测试，谢谢！",
		"我先读文件。\n然后看测试。\n然后看调用者。\n再看文档，因为文档里也许还有旧名字，需要一起改掉。\n最后决定改什么。", "一行思考，虽然只有一行但是相当长，在窄窗口里放不下。\n另一行。",
		"它有**两个**部分：\n\n1. `agent` 里的循环，它会一直运行直到模型不再调用工具\n2. 会话\n\n```go\nfunc main() {} // 主函数\n```\n",
		"服务商过载，请稍后再试。", "已停止。", "较早的消息已被总结成几句话", "他们谈到了旧名字。", "许多行\n",
	},
	{
		"arabic", "استبدل foo بـ bar في الملف main.go ثم شغّل الاختبارات بعد ذلك من فضلك.",
		"أقرأ الملف أولا.\nثم أنظر في الاختبارات.\nثم فيمن يستدعيها.\nثم في الوثائق.\nثم أقرر ما الذي يتغير في src/main.go (كله).", "سطر واحد لكنه طويل فلا يتسع له السطر في النافذة الضيقة.\nوآخر.",
		"له **جزآن**:\n\n1. الحلقة في `agent` وهي تدور حتى لا يطلب النموذج أداة\n2. الجلسة\n\n```go\nfunc main() {} // الدالة\n```\n",
		"الخدمة مشغولة (HTTP 529).", "توقف.", "لُخّصت الرسائل السابقة", "تحدثوا عن foo.", "أسطر كثيرة\n",
	},
}

func (s speech) items(look *Look) []Item {
	thinking, thought, answer := &Thinking{Look: look}, &Thinking{Look: look}, NewAnswer(look)
	thinking.Set(s.thinking, false)
	thought.Set(s.thought, true)
	answer.Set(s.answer, true)
	return []Item{
		&Prompt{Look: look, Text: s.prompt, Images: 2},
		thought, answer,
		&Notice{Look: look, Level: Warning, Text: s.warning},
		&Notice{Look: look, Level: Info, Text: s.info},
		&Summary{Look: look, Title: s.title, Text: s.summary},
		&Prompt{Look: look, Text: strings.Repeat(s.long, 40)},
		thinking,
	}
}

// E-5: what is said at every width in three languages, right to left as each
// kind of terminal gets it.
func TestGolden(t *testing.T) {
	for _, s := range speeches {
		for mode, bidi := range map[string]flow.Bidi{"": {}, "-isolate": {Isolate: true}, "-reorder": {Reorder: true}} {
			if mode != "" && s.name != "arabic" {
				continue
			}
			t.Run(s.name+mode, func(t *testing.T) {
				look := testLook(t)
				look.Bidi, look.Markdown.Bidi = bidi, bidi
				var b strings.Builder
				for _, look.Expanded = range []bool{false, true} {
					for _, w := range widths {
						fmt.Fprintf(&b, "== width %d, expanded %v\n", w, look.Expanded)
						for _, item := range s.items(look) {
							for _, row := range flow.Texts(item.Rows(w)) {
								if got := style.Width(row); got > w {
									t.Errorf("at %d a row of %d columns: %q", w, got, row)
								}
								b.WriteString(strings.TrimRight(ansi.Strip(row), " ") + "\n")
							}
						}
					}
				}
				golden(t, s.name+mode, b.String())
			})
		}
	}
}

func TestHeadAndTail(t *testing.T) {
	text := "one\ntwo words here\nthree\nfour\n"
	for _, c := range []struct {
		name         string
		cut          func(string, int, int, flow.Bidi) ([]flow.Row, int)
		width, limit int
		want         string
		hidden       int
	}{
		{"all", Head, 20, 9, "one|two words here|three|four", 0},
		{"head", Head, 20, 2, "one|two words here", 2},
		{"head cuts a line", Head, 9, 2, "one|two words", 3},
		{"all from the end", Tail, 20, 9, "one|two words here|three|four", 0},
		{"tail", Tail, 20, 2, "three|four", 2},
		{"tail cuts a line", Tail, 9, 3, "here|three|four", 1},
		{"no rows", Head, 20, 0, "", 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			rows, hidden := c.cut(text, c.width, c.limit, flow.Bidi{})
			if got := strings.Join(flow.Texts(rows), "|"); got != c.want || hidden != c.hidden {
				t.Errorf("%q with %d hidden, want %q with %d", got, hidden, c.want, c.hidden)
			}
		})
	}
}

// What is folded costs nothing, whatever its size.
func BenchmarkFoldedPrompt(b *testing.B) {
	p := &Prompt{Look: testLook(b), Text: strings.Repeat("a line of a big paste\n", 12_000)}
	for b.Loop() {
		p.Rows(80)
	}
}

// A 60 KB answer that streams in pieces of 60 bytes, rendered at each.
func BenchmarkStreamedAnswer(b *testing.B) {
	look := testLook(b)
	text := strings.Repeat("Some prose with `code` and **bold** words that go on for a while.\n\n- an item\n- another\n\n", 700)
	frames := 0
	for b.Loop() {
		a := NewAnswer(look)
		for n := 60; n < len(text); n += 60 {
			a.Set(text[:n], false)
			a.Rows(80)
			frames++
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(frames), "µs/frame")
}

func BenchmarkRowsOf10000(b *testing.B) {
	look := testLook(b)
	l := &List{}
	l.SetSize(80, 40)
	for i := range 10_000 {
		a := NewAnswer(look)
		a.Set(fmt.Sprintf("Answer **%d** with `code`.\n\nAnd a second paragraph.", i), true)
		l.Append(a)
	}
	for b.Loop() {
		l.Rows()
	}
}
