package offline

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// What a report shows of a result: the faces show the whole beside it.
const (
	maxLines = 60
	maxBytes = 6000
)

// code writes s as inline code, whatever backticks it holds.
func code(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 120 {
		s = string(r[:119]) + "…"
	}
	if !strings.Contains(s, "`") {
		return "`" + s + "`"
	}
	ticks := strings.Repeat("`", longestRun(s)+1)
	return ticks + " " + s + " " + ticks
}

// fence writes text as a code block that nothing in it can close.
func fence(text, lang string) string {
	ticks := strings.Repeat("`", max(3, longestRun(text)+1))
	return ticks + lang + "\n" + strings.TrimRight(text, "\n") + "\n" + ticks
}

func longestRun(s string) int {
	longest, n := 0, 0
	for _, r := range s {
		if r == '`' {
			n++
			longest = max(longest, n)
		} else {
			n = 0
		}
	}
	return longest
}

// excerpt shows the beginning of a text, and says how much is left out.
func (t *turn) excerpt(text, lang string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	n, size := 0, 0
	for n < len(lines) && n < maxLines && (n == 0 || size+len(lines[n]) <= maxBytes) {
		size += len(lines[n]) + 1
		n++
	}
	shown := strings.Join(lines[:n], "\n")
	if len(shown) > maxBytes {
		shown = strings.ToValidUTF8(shown[:maxBytes], "") + "…"
	}
	out := fence(shown, plainWord(lang)) + "\n"
	if n < len(lines) {
		out += "\n" + t.say("… and %d more lines.", "… و%d من الأسطر الأخرى.", "……还有 %d 行。", len(lines)-n) + "\n"
	}
	return out
}

// note passes a tool's closing remark on. Those that tell a model how to go on
// become a sentence for people.
func (t *turn) note(note string) string {
	for _, prefix := range []string{"[Lines ", "[There is more", "[Cut: "} {
		if strings.HasPrefix(note, prefix) {
			return "\n" + t.say("There is more than I looked at.", "هناك المزيد مما لم أنظر فيه.", "还有更多内容，我没有看。")
		}
	}
	if note != "" {
		return "\n" + note
	}
	return ""
}

// several writes "1 line" or "2 lines".
func several(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}

// tail shows the end of a command's output.
func (t *turn) tail(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	cut := max(0, len(lines)-maxLines)
	shown := strings.Join(lines[cut:], "\n")
	if len(shown) > maxBytes {
		shown = "…" + strings.ToValidUTF8(shown[len(shown)-maxBytes:], "")
	}
	out := fence(shown, "")
	if cut > 0 {
		out = t.say("(the last %d of %d lines)", "(آخر %d سطرًا من %d)", "（最后 %d 行，共 %d 行）", len(lines)-cut, len(lines)) + "\n\n" + out
	}
	return out
}

// plainWord keeps a language tag from a file name only when it is one.
func plainWord(s string) string {
	for _, r := range s {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') {
			return ""
		}
	}
	return s
}

// cutNote parts a result from the tool's closing remark in brackets, which is
// returned apart.
func cutNote(text string) (body, note string) {
	trimmed := strings.TrimRight(text, "\n")
	start := strings.LastIndexByte(trimmed, '\n') + 1
	last := trimmed[start:]
	if strings.HasPrefix(last, "[") && strings.HasSuffix(last, "]") && strings.ContainsRune(last, ' ') {
		return strings.TrimRight(trimmed[:start], "\n") + "\n", last
	}
	return text, ""
}

// entries are the lines of a listing, without folders' closing slash or notes.
func entries(text string) []string {
	var out []string
	body, _ := cutNote(text)
	for line := range strings.SplitSeq(body, "\n") {
		line = strings.TrimPrefix(strings.TrimSpace(line), "./")
		if line == "" || strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]") || line == "(empty directory)" {
			continue
		}
		out = append(out, line)
	}
	return out
}

type matchLine struct{ file, line string }

var matchPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(.+?)[:-](\d+)[:-]`) })

// matchLines are the lines of a search result that name a file and a line.
func matchLines(text string) []matchLine {
	var out []matchLine
	for line := range strings.SplitSeq(text, "\n") {
		if m := matchPattern().FindStringSubmatch(line); m != nil {
			out = append(out, matchLine{m[1], strings.TrimRight(line, "\r")})
		}
	}
	return out
}

// quoteMeta escapes what Go's expressions and ripgrep's agree on.
func quoteMeta(s string) string { return regexp.QuoteMeta(s) }

// firstLines is the beginning of a text in at most n lines.
func firstLines(text string, n int) string {
	lines := strings.SplitN(strings.TrimSpace(text), "\n", n+1)
	out := strings.Join(lines[:min(n, len(lines))], "\n")
	if r := []rune(out); len(r) > 1000 {
		out = string(r[:1000]) + "…"
	}
	return out
}

// alternatives splits "a, b or c" in each language.
func alternatives(s string) []string {
	for _, or := range []string{" or ", " أو ", "还是", "或者", "或"} {
		s = strings.ReplaceAll(s, or, ",")
	}
	s = strings.NewReplacer("/", ",", "?", "", "？", "", "؟", "").Replace(s)
	return items(s)
}

func numbered(question string, choices []string) string {
	out := question + "\n"
	for i, c := range choices {
		out += "\n" + strconv.Itoa(i+1) + ". " + c
	}
	return out
}
