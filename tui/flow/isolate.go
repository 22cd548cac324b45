package flow

import "strings"

// Isolate puts a painted piece of a line between U+2066 and U+2069 if it has
// right-to-left text, so that what stands beside it stays there.
func Isolate(piece string) string {
	if !HasRTL(piece) {
		return piece
	}
	return string(IsolateStart) + piece + string(IsolateEnd)
}

// Isolated puts U+2066 and U+2069 around what looks like a path, an option, a
// name of code or a link in a painted line that has right-to-left text. What
// stands between such characters already stays as it is.
func Isolated(line string) string {
	if !HasRTL(line) {
		return line
	}
	var b strings.Builder
	inside := false
	for piece, isText := range pieces(line) {
		if !isText {
			b.WriteString(piece)
			continue
		}
		for piece != "" {
			blanks := len(piece) - len(strings.TrimLeft(piece, " "))
			b.WriteString(piece[:blanks])
			piece = piece[blanks:]
			end := strings.IndexByte(piece, ' ')
			if end < 0 {
				end = len(piece)
			}
			word := piece[:end]
			piece = piece[end:]
			marked := strings.ContainsRune(word, IsolateStart) || strings.ContainsRune(word, IsolateEnd)
			if at := strings.LastIndexAny(word, string(IsolateStart)+string(IsolateEnd)); at >= 0 {
				inside = strings.HasPrefix(word[at:], string(IsolateStart))
			}
			if inside || marked || !technical(word) {
				b.WriteString(word)
				continue
			}
			core := strings.TrimRight(word, ",;:!?،؛؟)")
			if !strings.HasSuffix(core, "..") && !strings.HasSuffix(core, "/.") {
				core = strings.TrimSuffix(core, ".")
			}
			lead := len(core) - len(strings.TrimLeft(core, "("))
			b.WriteString(word[:lead])
			b.WriteRune(IsolateStart)
			b.WriteString(core[lead:])
			b.WriteRune(IsolateEnd)
			b.WriteString(word[len(core):])
		}
	}
	return b.String()
}

// technical reports whether a word is code rather than prose: it has no
// right-to-left letter, and a sign inside that prose hasn't.
func technical(word string) bool {
	if HasRTL(word) {
		return false
	}
	core := strings.Trim(word, ".,;:!?()،؛؟")
	return strings.ContainsAny(word, `/\_`) || strings.HasPrefix(word, "-") && len(word) > 1 ||
		strings.ContainsAny(core, ".=:()") && strings.ContainsFunc(core, func(r rune) bool { return r|0x20 >= 'a' && r|0x20 <= 'z' })
}
