package scripted

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// section is one marker with its body.
type section struct {
	line     int
	name     string
	words    []string          // what follows the name without "="
	values   map[string]string // word=value
	body     string
	bodyLine int
}

// split cuts a file into its sections. Text before the first marker is a
// comment and dropped.
func split(file, data string) ([]section, error) {
	var sections []section
	var body []string
	finish := func() {
		if len(sections) > 0 {
			sections[len(sections)-1].body = strings.TrimRight(strings.Join(body, "\n"), "\n")
		}
		body = body[:0]
	}
	number := 0
	for line := range strings.SplitSeq(data, "\n") {
		number++
		line = strings.TrimSuffix(line, "\r")
		inner, ok := marker(line)
		if !ok {
			body = append(body, line)
			continue
		}
		finish()
		s, err := parseMarker(inner)
		if err != nil {
			return nil, &SyntaxError{file, number, err.Error()}
		}
		s.line, s.bodyLine = number, number+1
		sections = append(sections, s)
	}
	finish()
	return sections, nil
}

func marker(line string) (inner string, ok bool) {
	line = strings.TrimRight(line, " \t")
	if len(line) < len("-- x --") || !strings.HasPrefix(line, "-- ") || !strings.HasSuffix(line, " --") {
		return "", false
	}
	inner = strings.TrimSpace(line[3 : len(line)-3])
	return inner, inner != ""
}

func parseMarker(inner string) (section, error) {
	s := section{values: map[string]string{}}
	for rest := inner; rest != ""; {
		var word, value string
		var isValue bool
		var err error
		word, value, isValue, rest, err = nextAttribute(rest)
		switch {
		case err != nil:
			return s, err
		case s.name == "" && isValue:
			return s, fmt.Errorf("section %q starts with an attribute; write its name first", inner)
		case s.name == "":
			s.name = word
		case isValue:
			if _, twice := s.values[word]; twice {
				return s, fmt.Errorf("attribute %s is given twice", word)
			}
			s.values[word] = value
		default:
			s.words = append(s.words, word)
		}
	}
	return s, nil
}

func nextAttribute(in string) (word, value string, isValue bool, rest string, err error) {
	end := strings.IndexFunc(in, func(r rune) bool { return r == '=' || unicode.IsSpace(r) })
	if end < 0 {
		return in, "", false, "", nil
	}
	word = in[:end]
	if in[end] != '=' {
		return word, "", false, strings.TrimSpace(in[end:]), nil
	}
	in = in[end+1:]
	if strings.HasPrefix(in, `"`) {
		quoted, err := strconv.QuotedPrefix(in)
		if err != nil {
			return "", "", false, "", fmt.Errorf("attribute %s has an unfinished quote", word)
		}
		if value, err = strconv.Unquote(quoted); err != nil {
			return "", "", false, "", fmt.Errorf("attribute %s: %w", word, err)
		}
		return word, value, true, strings.TrimSpace(in[len(quoted):]), nil
	}
	value, rest, _ = strings.Cut(in, " ")
	return word, value, true, strings.TrimSpace(rest), nil
}
