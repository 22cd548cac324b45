package shell

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

const (
	// maxScript bounds the bytes that are parsed; a longer script is Unknown.
	maxScript = 128 << 10
	// maxNesting bounds how deep brackets may nest, which bounds the parser's
	// recursion; a deeper script is Unknown.
	maxNesting = 500
	// maxDepth bounds scripts within scripts, such as sh -c "sh -c …".
	maxDepth = 8
)

// Analysis lists what a script would do, as far as its text tells, in the order
// of the text. Everything that isn't listed has no effect outside the shell.
type Analysis struct {
	Script    string
	Calls     []Call     // every simple command, also those nested in others
	Redirects []Redirect // every file that is opened or made
	Assigns   []Assign   // every variable that is set
	Unknowns  []Unknown  // everything that isn't understood
}

// Call is one simple command.
type Call struct {
	Words []Word // the name and its arguments; never empty
	Text  string // as written
	// Via is the name of the command that runs this one, such as sudo or xargs;
	// empty for a command that the shell runs itself.
	Via string
	// Wraps reports that this command does nothing but run others, which are
	// listed after it with their Via set.
	Wraps bool
}

// Name returns the command's name, or "" if it isn't Static.
func (c Call) Name() string {
	if c.Words[0].Kind != Static {
		return ""
	}
	return c.Words[0].Text
}

// Kind says how much of a word is known.
type Kind uint8

// The kinds of words.
const (
	Static  Kind = iota // Text is exactly what the command gets
	Pattern             // expands to file names, a home folder or a brace list
	Dynamic             // known only when it runs
)

// Word is one word of a command. Text is its value when Static, else the word
// as written.
type Word struct {
	Text string
	Kind Kind
}

// Access says what a redirect does to its file.
type Access uint8

// The kinds of access. Append and ReadWrite write too.
const (
	Read Access = iota
	Write
	Append
	ReadWrite
)

// Redirect opens a file. Duplicated descriptors, here-documents and the null
// device are harmless and not listed.
type Redirect struct {
	Target Word
	Access Access
	Text   string // as written
}

// Writes reports whether the file can be changed.
func (r Redirect) Writes() bool { return r.Access != Read }

// Scope says where an assignment holds.
type Scope uint8

// The scopes of an assignment.
const (
	ForCommand Scope = iota // NAME=value command
	InShell                 // for the rest of the script
	InLoop                  // the variable of a for or select loop
)

// Assign sets a variable. It may change what later commands mean, as PATH and
// LD_PRELOAD do.
type Assign struct {
	Name  string
	Value Word
	Scope Scope
	Text  string // as written
}

// Unknown is a part of a script whose effect can't be told.
type Unknown struct {
	Text string // as written
	Why  string // why, to follow "because"
}

// Target is a path whose place has to be known to judge a script.
type Target struct {
	Text  string // as written, relative to the working directory
	Write bool
}

// Opaque is the analysis of a script that can't be read at all.
func Opaque(script, why string) Analysis {
	return Analysis{Script: script, Unknowns: []Unknown{{Text: script, Why: why}}}
}

// Targets lists the files that redirects open and the folders that cd goes to,
// where they are Static. The caller resolves them for the permission request.
func (a Analysis) Targets() []Target {
	var list []Target
	for _, r := range a.Redirects {
		if r.Target.Kind == Static {
			list = append(list, Target{Text: r.Target.Text, Write: r.Writes()})
		}
	}
	for _, c := range a.Calls {
		if dir, ok := c.Moves(); ok && dir.Kind == Static {
			list = append(list, Target{Text: dir.Text})
		}
	}
	return list
}

// Moves reports whether the call changes the shell's directory, and to where;
// the target is Dynamic when it isn't in the text.
func (c Call) Moves() (dir Word, ok bool) {
	switch c.Name() {
	case "cd", "pushd", "chdir":
	case "popd":
		return Word{Text: c.Text, Kind: Dynamic}, true
	default:
		return Word{}, false
	}
	args := c.Words[1:]
	for len(args) > 0 && args[0].Kind == Static && (args[0].Text == "-L" || args[0].Text == "-P" || args[0].Text == "--") {
		args = args[1:]
	}
	if len(args) != 1 || args[0].Kind != Static || strings.HasPrefix(args[0].Text, "-") || strings.HasPrefix(args[0].Text, "+") || args[0].Text == "" {
		return Word{Text: c.Text, Kind: Dynamic}, true
	}
	return args[0], true
}

// Analyze reads a script for bash. It never fails: what can't be read is in
// Unknowns. For another shell see Shell.Analyze.
func Analyze(script string) Analysis { return analyze(script, Bash, "", 0) }

// analyze reads a script that the command via runs. The family matters: to a
// POSIX shell ((a)) runs the command a, to bash it's arithmetic.
func analyze(script string, family Family, via string, depth int) (a Analysis) {
	defer func() {
		if v := recover(); v != nil {
			a = Opaque(script, fmt.Sprintf("reading it failed (%v)", v))
		}
	}()
	switch {
	case depth > maxDepth:
		return Opaque(script, "it has too many scripts within scripts")
	case len(script) > maxScript:
		return Opaque(script, fmt.Sprintf("it's longer than %d bytes", maxScript))
	case nesting(script) > maxNesting:
		return Opaque(script, "it's nested too deep")
	}
	w := &walker{src: script, family: family, via: via, depth: depth}
	w.out.Script = script
	if why := hidden(script); why != "" {
		w.unknown(script, why)
	}
	if continuedComment(script) {
		w.unknown(script, "a line with a comment ends in a backslash")
	}
	variant := syntax.LangBash
	if family == POSIX {
		variant = syntax.LangPOSIX
	}
	file, err := syntax.NewParser(syntax.Variant(variant)).Parse(strings.NewReader(script), "")
	if err != nil {
		w.unknown(script, "it can't be parsed ("+err.Error()+")")
	}
	if file != nil {
		w.stmts(file.Stmts)
	}
	return w.out
}

// nesting returns an upper bound of how deep the parser would recurse.
func nesting(script string) int {
	deepest, depth := 0, 0
	for i := range len(script) {
		switch script[i] {
		case '(', '{', '`', '[':
			depth++
			deepest = max(deepest, depth)
		case ')', '}', ']':
			depth = max(depth-1, 0)
		}
	}
	return deepest
}

// continuedComment reports a line that has a # and ends in a backslash. A
// comment ends with its line, but the parser would join the next one to the
// command before the comment: `a # \` and `b` on the next line, not `a b`.
// Where the # is quoted this asks once too often.
func continuedComment(script string) bool {
	for line := range strings.Lines(script) {
		if !strings.HasSuffix(line, "\\\n") {
			continue
		}
		for i := range len(line) {
			// Behind a letter, a digit or a slash it's in the middle of a word.
			if line[i] == '#' && (i == 0 || !isWordByte(line[i-1])) {
				return true
			}
		}
	}
	return false
}

func isWordByte(c byte) bool {
	return c == '/' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}

// hidden says why a reader of the script could see something else than the
// shell does, or returns "".
func hidden(script string) string {
	if !utf8.ValidString(script) {
		return "it isn't valid UTF-8"
	}
	for _, r := range script {
		switch {
		case r == '\n' || r == '\t':
		case unicode.IsControl(r):
			return fmt.Sprintf("it holds the control character %U", r)
		case joins(r):
		case unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r):
			return fmt.Sprintf("it holds the invisible character %U", r)
		case r > unicode.MaxASCII && unicode.Is(unicode.Zs, r):
			return fmt.Sprintf("it holds the blank %U, which isn't a space to the shell", r)
		}
	}
	return ""
}

// joins reports the invisible characters that ordinary Arabic, Indic and emoji
// text is full of and that can't reorder or hide anything.
func joins(r rune) bool {
	return r == '\u200C' || r == '\u200D' || r == '\u200E' || r == '\u200F' || r == '\u061C'
}
