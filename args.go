package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/hoopoe-agent/hoopoe/engine/tool"
)

// usageError is a fault of the command line: exit code 2.
type usageError struct{ text string }

func (e usageError) Error() string { return e.text }

func usagef(format string, args ...any) error { return usageError{fmt.Sprintf(format, args...)} }

// arity says whether a flag takes a value.
type arity int

const (
	noValue arity = iota
	oneValue
	optionalValue // given bare it has the empty value
)

// flagTable knows every spelling of every flag, without dashes.
type flagTable map[string]flagSpec

type flagSpec struct {
	name  string // the long one
	arity arity
}

// tableOf derives the table from the flags' definitions.
func tableOf(flags []cli.Flag) flagTable {
	table := flagTable{"help": {"help", noValue}, "h": {"help", noValue}}
	for _, f := range flags {
		names := f.Names()
		spec := flagSpec{name: names[0], arity: oneValue}
		if _, ok := f.(*cli.BoolFlag); ok {
			spec.arity = noValue
		}
		if slices.Contains(bareFlags(), spec.name) {
			spec.arity = optionalValue
		}
		for _, name := range names {
			table[name] = spec
		}
	}
	return table
}

// bareFlags may be given with or without a value, which cli/v2 can't express.
func bareFlags() []string { return []string{"resume", "remote"} }

// stray says what becomes of a flag that isn't known. An extension may have
// one, and which extensions there are is known only later.
type stray int

const (
	refused stray = iota
	// alone keeps it for extensions; a value stands behind "=".
	alone
	// withValue takes the argument after it as its value too, unless that looks
	// like a flag or a file, which is how hosts of --mode rpc write it.
	withValue
)

// strayFlag carries a flag that isn't known through the parser.
const strayFlag = "extension-flag"

// commandLine is an argv taken apart.
type commandLine struct {
	flags    []string // --name or --name=value, as given, in order
	words    []string // what is no flag
	literals []string // what followed "--": text, whatever it looks like
}

// normalise sorts an argv by the table. cli/v2 alone stops at the first word
// and knows no optional values; here flags may stand anywhere before "--".
// An argument with a blank in it before any "=" is text, never a flag.
//
// Flags that the table doesn't know may be an extension's: see stray.
func normalise(args []string, table flagTable, strays stray) (commandLine, error) {
	var line commandLine
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			line.literals = args[i+1:]
			break
		}
		if !looksLikeFlag(arg) {
			line.words = append(line.words, arg)
			continue
		}
		if letters, ok := table.cluster(arg); ok {
			args = slices.Concat(args[:i], letters, args[i+1:])
			arg = args[i]
		}
		name, value, given := strings.Cut(arg, "=")
		spec, ok := table.lookup(name)
		switch {
		case !ok && (strays == refused || strays == alone && !strings.HasPrefix(name, "--")):
			return line, table.unknown(name)
		case !ok:
			if strays == withValue && !given && i+1 < len(args) && table.isValue(optionalValue, args[i+1]) {
				i++
				arg += "=" + args[i]
			}
			if strings.HasPrefix(name, "--") {
				line.flags = append(line.flags, "--"+strayFlag+"="+arg)
			}
			continue
		case spec.arity == noValue && given:
			return line, usagef("%s takes no value", name)
		case spec.arity == noValue:
			line.flags = append(line.flags, "--"+spec.name)
			continue
		case given:
		case i+1 < len(args) && table.isValue(spec.arity, args[i+1]):
			i++
			value = args[i]
		case spec.arity == oneValue:
			return line, usagef("%s needs a value", name)
		}
		line.flags = append(line.flags, "--"+spec.name+"="+value)
	}
	return line, nil
}

// command is the sub-command that the first word may name, however the flags
// stand: "" with --print, --remote or --mode rpc, since the word is text then, and
// "acp" with that mode.
func (l commandLine) command() string {
	mode := l.mode()
	switch {
	case mode == "rpc" || slices.ContainsFunc(l.flags, func(f string) bool { return f == "--print" || strings.HasPrefix(f, "--remote=") }):
		return ""
	case mode == "acp":
		return mode
	case len(l.words) == 0:
		return ""
	}
	return l.words[0]
}

// rpc reports whether the line asks for that mode.
func (l commandLine) rpc() bool { return l.mode() == "rpc" }

// mode is what --mode says, "" without it.
func (l commandLine) mode() string {
	mode := ""
	for _, f := range l.flags {
		if value, ok := strings.CutPrefix(f, "--mode="); ok {
			mode = value // the last counts
		}
	}
	return mode
}

// argv is the line in the one order that cli/v2 parses. The second "--"
// parts the words from the literals. Help is about the program alone: cli/v2
// would take words for its topic.
func (l commandLine) argv(program string) []string {
	if slices.Contains(l.flags, "--help") {
		return []string{program, "--help"}
	}
	return slices.Concat([]string{program}, l.flags, []string{"--"}, l.words, []string{"--"}, l.literals)
}

// arguments takes words and literals apart again.
func arguments(args []string) (words, literals []string) {
	i := slices.Index(args, "--")
	if i < 0 {
		return args, nil
	}
	return args[:i], args[i+1:]
}

// following are the words behind a sub-command's own.
func following(c *cli.Context) []string {
	words, literals := arguments(c.Args().Slice())
	return append(words[1:], literals...)
}

func looksLikeFlag(arg string) bool {
	name, _, _ := strings.Cut(arg, "=")
	return len(name) > 1 && name[0] == '-' && !strings.ContainsAny(name, " \t\r\n")
}

// lookup finds a flag by its spelling: one dash for a letter, two for a word.
func (t flagTable) lookup(spelling string) (flagSpec, bool) {
	name, long := strings.CutPrefix(spelling, "--")
	if !long {
		name = spelling[1:]
	}
	spec, ok := t[name]
	return spec, ok && long == (len(name) > 1)
}

// cluster takes "-pc" apart into "-p", "-c"; only the last may take a value.
func (t flagTable) cluster(arg string) ([]string, bool) {
	if len(arg) < 3 || arg[1] == '-' {
		return nil, false
	}
	var letters []string
	for i := 1; i < len(arg); i++ {
		spec, ok := t.lookup("-" + arg[i:i+1])
		if !ok || spec.arity != noValue && i < len(arg)-1 {
			return nil, false
		}
		letters = append(letters, "-"+arg[i:i+1])
	}
	return letters, true
}

// isValue reports whether the argument after a flag is its value. A required
// value may begin with a dash, but isn't another flag; an optional one may not
// begin with a dash or "@".
func (t flagTable) isValue(a arity, next string) bool {
	if a == optionalValue {
		return next != "" && next[0] != '-' && next[0] != '@'
	}
	if next == "--" {
		return false
	}
	if !looksLikeFlag(next) {
		return true
	}
	name, _, _ := strings.Cut(next, "=")
	_, known := t.lookup(name)
	return !known
}

func (t flagTable) unknown(spelling string) error {
	var names []string
	for _, spec := range t {
		names = append(names, spec.name)
	}
	slices.Sort(names)
	text := "unknown flag " + spelling
	if near := tool.Nearest(strings.TrimLeft(spelling, "-"), slices.Compact(names), 1); len(near) > 0 {
		text += "; did you mean --" + near[0] + "?"
	}
	return usagef("%s (hoopoe --help lists them; text that begins with a dash goes after \"--\")", text)
}
