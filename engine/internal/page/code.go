package page

import "strings"

type codeBlock struct {
	text     []byte
	language string
}

// endCode writes a block of code.
func (r *renderer) endCode() {
	if r.code == nil {
		return
	}
	text, language := strings.TrimRight(string(r.code.text), " \t\r\n"), r.code.language
	r.code = nil
	text = strings.TrimPrefix(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	if text == "" {
		return
	}
	fence := "```"
	for strings.Contains(text, fence) && len(fence) < 20 {
		fence += "`"
	}
	if !r.Plain {
		r.put(fence + language)
		r.line()
	}
	for line := range strings.SplitSeq(text, "\n") {
		if len(r.out) > maxText {
			break
		}
		r.line()
		r.put(line)
	}
	if !r.Plain {
		r.line()
		r.put(fence)
	}
	r.block()
}

// language is the one that classes such as "language-go" name.
func language(class string) string {
	for name := range strings.FieldsSeq(class) {
		for _, prefix := range []string{"language-", "lang-", "highlight-source-"} {
			if lang, ok := strings.CutPrefix(name, prefix); ok && len(lang) <= 20 && !strings.Contains(lang, "`") {
				return lang
			}
		}
	}
	return ""
}
