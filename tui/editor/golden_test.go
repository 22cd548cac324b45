package editor_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/tui/editor"
	"github.com/hoopoe-agent/hoopoe/tui/style"
)

var update = flag.Bool("update", false, "write the golden files anew")

// C-4: what the prompt looks like, with a frame around the window and the
// caret's place below.
func TestGolden(t *testing.T) {
	for _, c := range []struct{ name, text string }{
		{"english", "Please look at @engine/session/store.go:10-40 and tell me why the lock is held while the file is being read.\n\n- keep the order of entries\n- don't touch the\ttests\nhttps://example.com/" + strings.Repeat("long/", 12)},
		{"chinese", "请看一下 @engine/session.go，为什么读文件的时候还要持有这把锁？我觉得应该先解锁，再读取，最后写回。\n第二行：运行 go test ./... 然后告诉我「结果」。"},
		{"arabic", "شغّل الأمر go test ./... ثم أعد المحاولة حتى تنجح كل الاختبارات (وعددها 12) في هذا المستودع.\nالسطر الثاني قصير"},
	} {
		for _, width := range []int{20, 40, 80, 200} {
			for _, reorder := range []bool{false, true} {
				name := fmt.Sprintf("%s-%d", c.name, width)
				if reorder {
					if c.name != "arabic" {
						continue
					}
					name += "-reordered"
				}
				t.Run(name, func(t *testing.T) {
					e := editor.New(editor.Options{Prompt: "› ", Reorder: reorder})
					e.SetValue(c.text)
					e.Attach("shot.png", []byte{1}, "image/png")
					e.Paste(strings.Repeat("line\r\n", 12000))
					press(e, "alt+left", "alt+left", "alt+left")
					golden(t, name, framed(e, width))
				})
			}
		}
	}
}

func framed(e *editor.Editor, width int) string {
	var b strings.Builder
	rule := "+" + strings.Repeat("-", width) + "+\n"
	b.WriteString(rule)
	for row := range strings.SplitSeq(e.View(width, 30), "\n") {
		b.WriteString("|" + row + strings.Repeat(" ", width-style.Width(row)) + "|\n")
	}
	x, y := e.Cursor()
	fmt.Fprintf(&b, "%scaret: column %d, row %d\n", rule, x, y)
	return b.String()
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", "golden", name+".txt")
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s is\n%s\nwant\n%s", path, got, want)
	}
}
