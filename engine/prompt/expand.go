package prompt

import (
	"fmt"
	"strconv"
	"strings"
)

// maxExpanded bounds a filled-in template, in bytes: a small one can name its
// arguments many times.
const maxExpanded = 4 << 20

// Expand fills the arguments into a template's text.
//
//	$1 ... $99        one argument, "" if there are fewer
//	$@ $ARGUMENTS     all of them, as they were typed
//	${@:N} ${@:N:L}   from the N-th on, at most L of them
//	${1} ${1:-text}   one argument, or text if it is missing or empty
//	${@:-text}        all of them, or text if there are none
//	\$1               no placeholder: $1 itself
//
// Arguments are words; quotes around one keep its blanks. Filled-in text isn't
// searched again. A template without any placeholder gets the arguments after
// an empty line. The error says that the result would be too large.
func Expand(template, arguments string) (string, error) {
	a := args{raw: strings.TrimSpace(arguments), words: Words(arguments)}
	var (
		out  strings.Builder
		used bool
	)
	for rest := template; rest != ""; {
		at := strings.IndexByte(rest, '$')
		if at < 0 {
			out.WriteString(rest)
			break
		}
		value, size := a.placeholder(rest[at:])
		switch {
		case size == 0: // a dollar and nothing more
			out.WriteString(rest[:at+1])
			size = 1
		case at > 0 && rest[at-1] == '\\':
			out.WriteString(rest[:at-1] + rest[at:at+size])
		default:
			out.WriteString(rest[:at] + value)
			used = true
		}
		rest = rest[at+size:]
		if out.Len()+len(rest) > maxExpanded {
			return "", errTooLarge()
		}
	}
	if !used && a.raw != "" {
		return strings.TrimRight(out.String(), " \t\r\n") + "\n\n" + a.raw, nil
	}
	return out.String(), nil
}

func errTooLarge() error {
	return fmt.Errorf("the filled-in template is larger than %d MiB", maxExpanded>>20)
}

// args are the arguments of one expansion.
type args struct {
	raw   string
	words []string
}

// placeholder returns the value and the size of the placeholder that s begins
// with; size 0 means there is none.
func (a args) placeholder(s string) (value string, size int) {
	switch rest := s[1:]; {
	case strings.HasPrefix(rest, "@"):
		return a.raw, len("$@")
	case strings.HasPrefix(rest, "ARGUMENTS") && !continues(rest[len("ARGUMENTS"):]):
		return a.raw, len("$ARGUMENTS")
	case strings.HasPrefix(rest, "{"):
		end := strings.IndexByte(rest, '}')
		if end < 0 {
			return "", 0
		}
		value, ok := a.braced(rest[1:end])
		if !ok {
			return "", 0
		}
		return value, len("$") + end + len("}")
	default:
		n, digits := index(rest)
		if n == 0 {
			return "", 0
		}
		return a.word(n), len("$") + digits
	}
}

// continues reports whether a name goes on, as in $ARGUMENTS_FILE.
func continues(s string) bool {
	if s == "" {
		return false
	}
	c := s[0]
	return c == '_' || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
}

// braced evaluates what stands in ${...}.
func (a args) braced(s string) (value string, ok bool) {
	name, fallback, hasFallback := strings.Cut(s, ":-")
	n, digits := index(name)
	switch {
	case name == "@" || name == "ARGUMENTS":
		value = a.raw
	case n > 0 && digits == len(name):
		value = a.word(n)
	case !hasFallback && strings.HasPrefix(s, "@:"):
		return a.slice(s[len("@:"):])
	default:
		return "", false
	}
	if value == "" && hasFallback {
		value = fallback
	}
	return value, true
}

// slice evaluates N or N:L.
func (a args) slice(s string) (string, bool) {
	from, length, bounded := strings.Cut(s, ":")
	n, err := strconv.Atoi(from)
	if err != nil || n < 1 {
		return "", false
	}
	words := a.words[min(n-1, len(a.words)):]
	if bounded {
		l, err := strconv.Atoi(length)
		if err != nil || l < 0 {
			return "", false
		}
		words = words[:min(l, len(words))]
	}
	return strings.Join(words, " "), true
}

func (a args) word(n int) string {
	if n > len(a.words) {
		return ""
	}
	return a.words[n-1]
}

// index reads a number from 1 to 99 and how many digits it has.
func index(s string) (n, digits int) {
	for digits < len(s) && digits < 2 && '0' <= s[digits] && s[digits] <= '9' {
		n = 10*n + int(s[digits]-'0')
		digits++
		if n == 0 {
			return 0, 0
		}
	}
	return n, digits
}

// Words splits arguments at blanks. A word that begins with a quote goes on to
// the closing one; an apostrophe inside a word is just that.
func Words(arguments string) []string {
	var words []string
	for rest := strings.TrimSpace(arguments); rest != ""; rest = strings.TrimSpace(rest) {
		if quote := rest[0]; quote == '"' || quote == '\'' {
			if end := strings.IndexByte(rest[1:], quote); end >= 0 {
				words = append(words, rest[1:1+end])
				rest = rest[end+2:]
				continue
			}
		}
		end := strings.IndexAny(rest, " \t\r\n")
		if end < 0 {
			end = len(rest)
		}
		words = append(words, rest[:end])
		rest = rest[end:]
	}
	return words
}
