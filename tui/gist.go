package tui

import (
	"regexp"
	"strings"
	"unicode"
)

// gist is the text of Markdown in one line: what it says without how it looks.
func gist(markdown string) string {
	var words []string
	for line := range strings.SplitSeq(markdown, "\n") {
		line = strings.TrimSpace(line)
		if strings.Trim(line, "|-:=*_ ") == "" || strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") {
			continue // a rule, or where code begins or ends
		}
		if row, ok := strings.CutPrefix(line, "|"); ok {
			line = strings.ReplaceAll(strings.TrimSuffix(row, "|"), "|", " · ")
		}
		line = openers.ReplaceAllString(line, "")
		line = links.ReplaceAllString(line, "$1")
		words = append(words, strings.Fields(unmarked(line))...)
	}
	return strings.Join(words, " ")
}

var (
	// openers begin a heading, a quotation, an item of a list or a task.
	openers = regexp.MustCompile(`^(?:>\s*)*(?:#{1,6}\s+|[-*+]\s+(?:\[[ xX]\]\s+)?)?`)
	links   = regexp.MustCompile(`!?\[([^\]]*)\]\([^)\s]*\)`)
)

// unmarked takes away the signs of emphasis and code. A star between two words
// or blanks is a star.
func unmarked(line string) string {
	line = strings.NewReplacer("**", "", "~~", "", "`", "").Replace(line)
	if !strings.Contains(line, "*") {
		return line
	}
	runes := []rune(line)
	at := func(i int) bool {
		return i >= 0 && i < len(runes) && (unicode.IsLetter(runes[i]) || unicode.IsDigit(runes[i]))
	}
	var out strings.Builder
	for i, r := range runes {
		if r != '*' || at(i-1) == at(i+1) {
			out.WriteRune(r)
		}
	}
	return out.String()
}
