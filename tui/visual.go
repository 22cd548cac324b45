package tui

import (
	"cmp"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"unicode"
)

// Visual is the user's editor, as VISUAL or EDITOR names it; "" is none. It is
// what a shell would run: with arguments, and with quotes around what has
// blanks.
type Visual string

// FindVisual looks the editor up in an environment.
func FindVisual(getenv func(name string) string) Visual {
	return Visual(cmp.Or(strings.TrimSpace(getenv("VISUAL")), strings.TrimSpace(getenv("EDITOR"))))
}

// Command opens a file, at a line (from 1; 0: none) where the editor is known
// to take one. As with git, a shell runs what needs one.
func (v Visual) Command(ctx context.Context, path string, line int) *exec.Cmd {
	argv := v.argv(path, line, runtime.GOOS == "windows")
	return exec.CommandContext(ctx, argv[0], argv[1:]...)
}

// argv is what is run. Windows has no shell of that kind, and blanks are all
// that need quotes there.
func (v Visual) argv(path string, line int, windows bool) []string {
	quotes := `"'`
	if windows {
		quotes = `"`
	}
	words, whole := splitQuoted(string(v), quotes)
	args := []string{path}
	if len(words) > 0 && line > 0 {
		args = atLine(words[0], path, line)
	}
	if len(words) > 0 && (windows || whole && !strings.ContainsAny(string(v), "|&;<>()$`\\*?[#~=%\n")) {
		return append(words, args...)
	}
	return append([]string{"sh", "-c", string(v) + ` "$@"`, string(v)}, args...)
}

// splitQuoted splits text at blanks that aren't between quotes; whole is false
// where a quote isn't closed.
func splitQuoted(text, quotes string) (words []string, whole bool) {
	var word strings.Builder
	var quote rune
	begun := false
	for _, r := range text {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && strings.ContainsRune(quotes, r):
			quote, begun = r, true
		case quote == 0 && unicode.IsSpace(r):
			if begun {
				words = append(words, word.String())
			}
			word.Reset()
			begun = false
		default:
			word.WriteRune(r)
			begun = true
		}
	}
	if begun {
		words = append(words, word.String())
	}
	return words, quote == 0
}

// atLine are the arguments that open a file at a line, for the editors that
// are known.
func atLine(program, path string, line int) []string {
	name := filepath.Base(strings.ReplaceAll(program, `\`, "/"))
	name = strings.TrimSuffix(strings.ToLower(name), ".exe")
	switch strings.TrimSuffix(name, ".cmd") {
	case "vi", "vim", "nvim", "gvim", "mvim", "view", "nano", "pico", "emacs", "emacsclient", "micro", "kak", "joe", "jed", "mg":
		return []string{fmt.Sprintf("+%d", line), path}
	case "hx", "helix", "subl", "zed":
		return []string{fmt.Sprintf("%s:%d", path, line)}
	case "code", "code-insiders", "codium", "cursor", "windsurf":
		return []string{"--goto", fmt.Sprintf("%s:%d", path, line)}
	}
	return []string{path}
}
