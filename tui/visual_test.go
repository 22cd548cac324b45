package tui

import (
	"slices"
	"testing"
)

func TestVisual(t *testing.T) {
	for _, c := range []struct {
		name    string
		visual  Visual
		line    int
		windows bool
		want    []string
	}{
		{"a word", "vi", 0, false, []string{"vi", "F x"}},
		{"arguments", "  emacs  -nw ", 0, false, []string{"emacs", "-nw", "F x"}},
		{"quotes", `"/opt/My Editor/bin/edit" --wait`, 0, false, []string{"/opt/My Editor/bin/edit", "--wait", "F x"}},
		{"quotes inside", `/opt/My' 'Editor ""`, 0, false, []string{"/opt/My Editor", "", "F x"}},
		{"a shell's words", `FOO=1 ~/bin/edit`, 0, false, []string{"sh", "-c", `FOO=1 ~/bin/edit "$@"`, `FOO=1 ~/bin/edit`, "F x"}},
		{"an escaped blank", `/opt/My\ Editor`, 0, false, []string{"sh", "-c", `/opt/My\ Editor "$@"`, `/opt/My\ Editor`, "F x"}},
		{"an open quote is the shell's to tell", `"vi`, 0, false, []string{"sh", "-c", `"vi "$@"`, `"vi`, "F x"}},
		{"windows", `"C:\Program Files\Edit\edit.exe" -w 'a b'`, 0, true, []string{`C:\Program Files\Edit\edit.exe`, "-w", "'a", "b'", "F x"}},
		{"windows without blanks", `C:\tools\edit.exe`, 0, true, []string{`C:\tools\edit.exe`, "F x"}},
		{"a line", "/usr/bin/nvim -f", 7, false, []string{"/usr/bin/nvim", "-f", "+7", "F x"}},
		{"a line behind the name", "hx", 7, false, []string{"hx", "F x:7"}},
		{"a line with a flag", `"C:\VS Code\bin\Code.cmd" --wait`, 7, true, []string{`C:\VS Code\bin\Code.cmd`, "--wait", "--goto", "F x:7"}},
		{"a line by way of a shell", `~/bin/vim`, 7, false, []string{"sh", "-c", `~/bin/vim "$@"`, `~/bin/vim`, "+7", "F x"}},
		{"not known to take a line", "ed", 7, false, []string{"ed", "F x"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.visual.argv("F x", c.line, c.windows); !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestFindVisual(t *testing.T) {
	for _, c := range []struct {
		visual, editor string
		want           Visual
	}{
		{"", "", ""}, {"", "vi", "vi"}, {"emacs", "vi", "emacs"}, {" ", "vi -f\n", "vi -f"},
	} {
		env := map[string]string{"VISUAL": c.visual, "EDITOR": c.editor}
		if got := FindVisual(func(name string) string { return env[name] }); got != c.want {
			t.Errorf("%+v: got %q", c, got)
		}
	}
}

func FuzzVisual(f *testing.F) {
	for _, text := range []string{`"/opt/My Editor/bin/edit" --wait`, `a'b`, "\"\"", "\xff \u00a0"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v := FindVisual(func(string) string { return text })
		if v == "" {
			return
		}
		for _, windows := range []bool{false, true} {
			argv := v.argv("F", 0, windows)
			if len(argv) < 2 || argv[len(argv)-1] != "F" {
				t.Errorf("%q runs %q", text, argv)
			}
		}
	})
}
