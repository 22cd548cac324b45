package export

import "strings"

// fence is the line that opens a block of code.
type fence struct {
	char byte
	size int // 0: no fence
	info string
}

// openFence reads a line as CommonMark does: up to three spaces, three or more
// backticks or tildes, and an info string, in which no backtick may follow
// backticks.
func openFence(line string) fence {
	rest := strings.TrimLeft(line, " ")
	if len(line)-len(rest) > 3 || rest == "" || rest[0] != '`' && rest[0] != '~' {
		return fence{}
	}
	char := rest[0]
	info := strings.TrimLeft(rest, string(char))
	size := len(rest) - len(info)
	if size < 3 || char == '`' && strings.Contains(info, "`") {
		return fence{}
	}
	return fence{char: char, size: size, info: strings.TrimSpace(info)}
}

// closedBy reports whether line ends the block that f opened.
func (f fence) closedBy(line string) bool {
	end := openFence(line)
	return f.size > 0 && end.char == f.char && end.size >= f.size && end.info == ""
}
