package footer_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/hoopoe-agent/hoopoe/themes"
	"github.com/hoopoe-agent/hoopoe/tui/flow"
	"github.com/hoopoe-agent/hoopoe/tui/footer"
	"github.com/hoopoe-agent/hoopoe/tui/style"
)

func styles(t testing.TB, color bool) style.Styles {
	t.Helper()
	theme, err := themes.Load(themes.Default)
	if err != nil {
		t.Fatal(err)
	}
	return style.New(theme, true, color)
}

var full = footer.Status{
	Mode: "ask", Model: "claude-sonnet", Thinking: "high", Context: 0.421, Window: 200_000, Cost: 0.1234,
	Folder: "hoopoe", Branch: "main", Queued: 2, Hint: "Esc to stop",
}

// E-5: the order in which parts go is fixed, and one row stays one row.
func TestDropOrder(t *testing.T) {
	for _, c := range []struct {
		width int
		want  string
	}{
		{200, "ask · claude-sonnet · high · 2 queued · Esc to stop" + strings.Repeat(" ", 200-51-35) + "context 42% · $0.12 · hoopoe · main"},
		{80, "ask · claude-sonnet · high · 2 queued · Esc to stop          context 42% · $0.12"},
		{70, "ask · claude-sonnet · 2 queued · Esc to stop       context 42% · $0.12"},
		{60, "ask · claude-sonnet · 2 queued · Esc to stop     context 42%"},
		{45, "ask · claude-sonnet · 2 queued · Esc to stop"},
		{40, "ask · claude-sonnet · 2 queued"},
		{20, "ask · claude-sonnet"},
		{13, "claude-sonnet"},
		{6, "claud…"},
		{0, ""},
	} {
		t.Run(fmt.Sprint(c.width), func(t *testing.T) {
			if got := footer.Render(full, styles(t, false), flow.Bidi{}, c.width); got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

// What extensions show goes before anything of ours, the last set first.
func TestItemsGoFirst(t *testing.T) {
	st := footer.Status{Mode: "ask", Model: "guide", Branch: "main", Items: []string{"▲ deploy ok", "测试 3/5", "", "a\x1b[2J\nb " + strings.Repeat("long ", 20)}}
	for width, want := range map[int]string{
		80: "ask · guide · ▲ deploy ok · 测试 3/5 · a b long long long long long lo…     main",
		60: "ask · guide · ▲ deploy ok · 测试 3/5                    main",
		40: "ask · guide · ▲ deploy ok           main",
		20: "ask · guide     main",
	} {
		if got := footer.Render(st, styles(t, false), flow.Bidi{}, width); got != want {
			t.Errorf("at %d:\ngot  %q\nwant %q", width, got, want)
		}
	}
}

// E-5: names in other scripts, at every width and as each terminal gets them.
func TestLanguages(t *testing.T) {
	chinese := footer.Status{Mode: "ask", Model: "通义千问", Thinking: "high", Context: 0.5, Window: 1000, Folder: "我的项目", Branch: "修复/换行", Queued: 1, Hint: "Esc to stop", Items: []string{"部署成功"}}
	arabic := footer.Status{Mode: "ask", Model: "نموذج", Thinking: "high", Context: 0.5, Window: 1000, Folder: "مشروع", Branch: "فرع/12", Queued: 1, Hint: "Esc to stop", Items: []string{"نجح النشر 3/5"}}
	for _, c := range []struct {
		name   string
		status footer.Status
		bidi   flow.Bidi
		width  int
		want   string
	}{
		{"chinese", chinese, flow.Bidi{}, 20, "ask · 通义千问"},
		{"chinese", chinese, flow.Bidi{}, 40, "ask · 通义千问 · 1 queued · Esc to stop"},
		{"chinese", chinese, flow.Bidi{}, 80, "ask · 通义千问 · high · 1 queued · Esc to stop           context 50% · 我的项目"},
		{"chinese", chinese, flow.Bidi{}, 100, "ask · 通义千问 · high · 1 queued · Esc to stop · 部署成功        context 50% · 我的项目 · 修复/换行"},
		{"chinese", chinese, flow.Bidi{}, 200, "ask · 通义千问 · high · 1 queued · Esc to stop · 部署成功        context 50% · 我的项目 · 修复/换行"},
		{"arabic, left to the terminal", arabic, flow.Bidi{}, 80, "ask · نموذج · high · 1 queued · Esc to stop         context 50% · مشروع · فرع/12"},
		{"arabic, put in order", arabic, flow.Bidi{Reorder: true}, 20, "ask · جذومن"},
		{"arabic, put in order", arabic, flow.Bidi{Reorder: true}, 40, "ask · جذومن · 1 queued · Esc to stop"},
		{"arabic, put in order", arabic, flow.Bidi{Reorder: true}, 80, "ask · جذومن · high · 1 queued · Esc to stop         context 50% · عورشم · 12/عرف"},
		{"arabic, put in order", arabic, flow.Bidi{Reorder: true}, 100, "ask · جذومن · high · 1 queued · Esc to stop · 3/5 رشنلا حجن     context 50% · عورشم · 12/عرف"},
		{"arabic, put in order", arabic, flow.Bidi{Reorder: true}, 200, "ask · جذومن · high · 1 queued · Esc to stop · 3/5 رشنلا حجن     context 50% · عورشم · 12/عرف"},
	} {
		t.Run(fmt.Sprint(c.name, c.width), func(t *testing.T) {
			got := footer.Render(c.status, styles(t, false), c.bidi, c.width)
			if gap := regexp.MustCompile(" {2,}"); gap.ReplaceAllString(got, "  ") != gap.ReplaceAllString(c.want, "  ") {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
			if w := style.Width(got); w > c.width || strings.Contains(got, "context") && w != c.width {
				t.Errorf("%d columns of %d", w, c.width)
			}
		})
	}
}

func TestNeverWraps(t *testing.T) {
	for _, st := range []footer.Status{
		{}, full,
		{Model: "模型模型模型模型模型", Folder: "مجلد المشروع", Branch: "👨‍👩‍👧‍👦", Hint: "1️⃣1️⃣1️⃣1️⃣1️⃣"},
		{Model: "a\x1b[2Jb\nc", Folder: "x\u202ey\x07", Branch: "\x1b]0;t\x07"},
	} {
		for width := range 210 {
			row := footer.Render(st, styles(t, true), flow.Bidi{}, width)
			if w := style.Width(row); w > width {
				t.Errorf("%q has %d columns of %d", row, w, width)
			}
			if plain := ansi.Strip(row); strings.ContainsAny(row, "\n\a\u202e") || strings.ContainsRune(plain, 0x1b) {
				t.Errorf("controls in %q", row)
			}
		}
	}
}

func TestContextColour(t *testing.T) {
	s := styles(t, true)
	for share, paint := range map[float64]style.Style{0.5: s.Muted, 0.8: s.Warning, 0.95: s.Error} {
		want := paint.Render(fmt.Sprintf("context %.0f%%", share*100))
		if got := footer.Render(footer.Status{Context: share, Window: 1}, s, flow.Bidi{}, 80); got != want {
			t.Errorf("at %v: %q, want %q", share, got, want)
		}
	}
}

func TestDollars(t *testing.T) {
	for cost, want := range map[float64]string{0.0012: "$0.001", 0.0999: "$0.100", 0.5: "$0.50", 12.345: "$12.35"} {
		if got := footer.Dollars(cost); got != want {
			t.Errorf("Dollars(%v) = %s, want %s", cost, got, want)
		}
	}
}
