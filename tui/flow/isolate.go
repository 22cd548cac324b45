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
// name of code or a link in a painted line that has right-to-left text, and
// around the Latin words beside it: they may be a command. What stands between
// such characters already stays as it is.
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
		words := strings.Split(piece, " ")
		for i := 0; i < len(words); i++ {
			if i > 0 {
				b.WriteByte(' ')
			}
			word := words[i]
			if at := strings.LastIndexAny(word, string(IsolateStart)+string(IsolateEnd)); at >= 0 {
				inside = strings.HasPrefix(word[at:], string(IsolateStart))
				b.WriteString(word)
				continue
			}
			n := 0
			if !inside {
				n = phrase(words[i:])
			}
			if n == 0 {
				b.WriteString(word)
				continue
			}
			isolateCore(&b, strings.Join(words[i:i+n], " "))
			i += n - 1
		}
	}
	return b.String()
}

// phrase counts the words at the start of words that are isolated together: the
// first and the last of them are code or Latin, none is of another direction,
// and at least one is code.
func phrase(words []string) (n int) {
	code := false
	for i, word := range words {
		if HasRTL(word) || strings.ContainsRune(word, IsolateStart) || strings.ContainsRune(word, IsolateEnd) {
			break
		}
		is := technical(word)
		if code = code || is; is || hasLatin(word) {
			n = i + 1
		} else if i == 0 {
			return 0
		}
	}
	if !code {
		return 0
	}
	return n
}

// isolateCore isolates a phrase without the punctuation around it.
func isolateCore(b *strings.Builder, text string) {
	core := strings.TrimRight(text, ",;:!?،؛؟)")
	if !strings.HasSuffix(core, "..") && !strings.HasSuffix(core, "/.") {
		core = strings.TrimSuffix(core, ".")
	}
	lead := len(core) - len(strings.TrimLeft(core, "("))
	b.WriteString(text[:lead])
	b.WriteRune(IsolateStart)
	b.WriteString(core[lead:])
	b.WriteRune(IsolateEnd)
	b.WriteString(text[len(core):])
}

func hasLatin(word string) bool {
	return strings.ContainsFunc(word, func(r rune) bool { return r|0x20 >= 'a' && r|0x20 <= 'z' })
}

// technical reports whether a word is code rather than prose: it has no
// right-to-left letter, and a sign inside that prose hasn't.
func technical(word string) bool {
	if HasRTL(word) {
		return false
	}
	core := strings.Trim(word, ".,;:!?()،؛؟")
	return strings.ContainsAny(word, `/\_`) || strings.HasPrefix(word, "-") && len(word) > 1 ||
		strings.ContainsAny(core, ".=:()") && hasLatin(core)
}
