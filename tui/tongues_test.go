package tui

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/tui/flow"
	"github.com/hoopoe-agent/hoopoe/tui/style"
)

// conversation is what is said on a whole screen in one language.
type conversation struct {
	name                                              string
	prompt, answer, path, queued, draft, phase, other string
	tasks                                             []message.Todo
	folder, branch, option                            string
}

var conversations = []conversation{
	{
		"chinese", "请把「旧名字」换成新名字，然后运行测试。", "好的，我先看 **主程序**：\n\n- 读文件\n- 改名字，并且确认没有别的地方还在用它\n\n| 文件 | 行数 |\n|---|---:|\n| 主.go | 12 |\n",
		"源码/很深/的/文件夹/主.go", "还有测试文件也要改", "顺便看一下 @源码/说明.md，第二部分是不是还对", "准备", "收尾",
		[]message.Todo{{Content: "读代码", Status: "completed"}, {Content: "把旧名字换成新名字，并且运行所有的测试", Status: "in_progress"}, {Content: "写报告", Status: "pending"}},
		"/代码/演示", "修复/名字", "是的，全部替换",
	},
	{
		"arabic", "ضع الاسم الجديد مكان القديم ثم شغّل go test ./... مرة أخرى.", "حسنا، أبدأ بالملف **الرئيسي**:\n\n- اقرأ الملف\n- غيّر الاسم وتأكد أن لا أحد يستعمله\n\n| الملف | أسطر |\n|---|---:|\n| رئيسي.go | 12 |\n",
		"مصدر/مجلد/عميق/رئيسي.go", "وملفات الاختبار أيضا", "وانظر أيضا في README.md (الجزء 2) من فضلك", "التحضير", "النهاية",
		[]message.Todo{{Content: "اقرأ الشفرة", Status: "completed"}, {Content: "غيّر الاسم القديم ثم شغّل كل الاختبارات", Status: "in_progress"}, {Content: "اكتب التقرير", Status: "pending"}},
		"/شفرة/عرض", "إصلاح/اسم", "نعم، كلها",
	},
}

// play fills a screen: a turn, a card, the queue, the tasks and a draft.
func (c conversation) play(a *app) {
	args, err := json.Marshal(map[string]string{"path": c.path})
	if err != nil {
		panic(err)
	}
	a.branch = c.branch
	a.happens(event.RunStarted{Run: 1}, userMessage("u1", c.prompt),
		event.MessageStarted{ID: "a1", Message: message.Message{ID: "a1", Role: message.Assistant}},
		event.MessageDelta{ID: "a1", Index: 0, Block: message.TextBlock, Text: c.answer, Done: true},
		event.MessageDelta{ID: "a1", Index: 1, Block: message.ToolCallBlock, CallID: "c1", Name: "read", Text: string(args), Done: true},
		event.MessageEnded{ID: "a1", Message: message.Message{ID: "a1", Role: message.Assistant, StopReason: message.ToolUse, Content: []message.Block{
			{Type: message.ToolCallBlock, ID: "c1", Name: "read"}}}},
		event.ToolRunning{CallID: "c1", Name: "read", ToolKind: "read"},
		event.QueueChanged{Queue: []event.Queued{{ID: "q", Delivery: "steer", Message: message.NewUser(c.queued)}}},
		event.TodosChanged{Phases: []message.TodoPhase{{Name: c.phase, Tasks: c.tasks}, {Name: c.other, Tasks: c.tasks[2:]}}},
	)
	a.update(tea.KeyPressMsg{Code: 't', Mod: tea.ModCtrl})
	a.types(c.draft)
}

// E-5: whole screens in scripts of two columns a letter and from right to left,
// the latter as each kind of terminal gets it.
func TestScreensOfTongues(t *testing.T) {
	for _, c := range conversations {
		for mode, bidi := range map[string]flow.Bidi{"": {}, "-reorder": {Reorder: true}} {
			if mode != "" && c.name != "arabic" {
				continue
			}
			for _, size := range [][2]int{{20, 16}, {40, 24}, {80, 30}, {200, 30}} {
				name := fmt.Sprintf("%s%s-%d", c.name, mode, size[0])
				t.Run(name, func(t *testing.T) {
					v := newFake().view
					v.Cwd = c.folder
					a := attachedApp(t, size[0], size[1], v)
					a.look.Bidi, a.look.Markdown.Bidi = bidi, bidi
					a.editor.SetReorder(bidi.Reorder)
					c.play(a)
					rows, cursor := a.rows()
					if len(rows) != size[1] || cursor == nil || cursor.X >= size[0] {
						t.Errorf("%d rows, cursor %v", len(rows), cursor)
					}
					for _, row := range rows {
						plain := ansi.Strip(row)
						if w := style.Width(row); w > size[0] {
							t.Errorf("a row of %d columns: %q", w, plain)
						}
						if !bidi.Reorder && flow.HasRTL(plain) && strings.Contains(plain, "│") {
							t.Errorf("a line that would jump: %q", plain)
						}
					}
					golden(t, "tongues/"+name+".golden", trimmed(rows)+"\n")
				})
			}
		}
	}
}
