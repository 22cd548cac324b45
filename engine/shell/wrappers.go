package shell

import (
	"cmp"
	"path"
	"strings"
)

// argument is a word of a call and where it stands in the source.
type argument struct {
	Word
	from, to int // from is -1 for words that aren't in the source
}

// wrapper describes a command that runs the command in its arguments. An option
// that isn't listed makes the call Unknown.
type wrapper struct {
	flags    string   // one-letter options
	values   string   // one-letter options with a value
	long     []string // long options; "name=" takes a value, both forms: it may
	operands int      // words before the command, such as a duration
	assigns  bool     // NAME=value words before the command
	extended bool     // the command gets more words when it runs
}

// wrapperFor returns the description of a wrapping command.
func wrapperFor(name string) (wrapper, bool) {
	switch name {
	case "env":
		return wrapper{flags: "i0v", values: "u", long: []string{"ignore-environment", "null", "debug", "unset="}, assigns: true}, true
	case "sudo":
		return wrapper{flags: "AbEHknPS", values: "Cghpu", long: []string{"askpass", "background", "non-interactive", "preserve-env", "preserve-env=", "set-home", "stdin", "user=", "group=", "host=", "prompt="}, assigns: true}, true
	case "doas":
		return wrapper{flags: "n", values: "u"}, true
	case "nohup", "busybox":
		return wrapper{}, true
	case "nice":
		return wrapper{values: "n", long: []string{"adjustment="}}, true
	case "ionice":
		return wrapper{flags: "t", values: "cn", long: []string{"ignore", "class=", "classdata="}}, true
	case "timeout":
		return wrapper{flags: "fpv", values: "ks", long: []string{"foreground", "preserve-status", "verbose", "kill-after=", "signal="}, operands: 1}, true
	case "time":
		return wrapper{flags: "pv", long: []string{"portability", "verbose"}}, true
	case "stdbuf":
		return wrapper{values: "ioe", long: []string{"input=", "output=", "error="}}, true
	case "setsid":
		return wrapper{flags: "cfw", long: []string{"ctty", "fork", "wait"}}, true
	case "command":
		return wrapper{flags: "p"}, true
	case "builtin":
		return wrapper{}, true
	case "exec":
		return wrapper{flags: "cl", values: "a"}, true
	case "xargs":
		return wrapper{flags: "0rtpxo", values: "adEILnPs", extended: true,
			long: []string{"null", "no-run-if-empty", "verbose", "interactive", "exit", "open-tty", "arg-file=", "delimiter=", "replace", "replace=", "max-lines", "max-lines=", "max-args=", "max-procs=", "max-chars="}}, true
	}
	return wrapper{}, false
}

// simple records a simple command and the commands it is known to run.
func (w *walker) simple(args []argument, via string, depth int) {
	call := Call{Via: via, Text: w.argText(args)}
	for _, a := range args {
		call.Words = append(call.Words, a.Word)
	}
	at := len(w.out.Calls)
	w.out.Calls = append(w.out.Calls, call)
	if depth > maxDepth {
		w.unknown(call.Text, "it has too many commands within commands")
		return
	}
	if call.Words[0].Kind != Static {
		w.unknown(call.Text, "which command this is is known only when it runs")
		return
	}
	w.out.Calls[at].Wraps = w.inner(args, path.Base(call.Name()), call.Text, depth)
}

// inner records what a call runs in its turn. It reports whether the call does
// nothing else.
func (w *walker) inner(args []argument, name, text string, depth int) bool {
	if wr, ok := wrapperFor(name); ok {
		return w.wrapped(wr, args, name, text, depth)
	}
	switch name {
	case "sh", "bash", "dash", "ash":
		return w.shell(args, name, text)
	case "zsh", "ksh", "mksh", "fish", "csh", "tcsh":
		w.shell(args, name, text)
		w.unknown(text, "it's a script for another shell")
	case "eval":
		return w.eval(args[1:], text)
	case "trap":
		return w.trap(args[1:], text)
	case "find", "fd", "fdfind":
		w.find(args, name, text, depth)
	case "alias":
		if len(args) > 1 {
			w.unknown(text, "it defines an alias, which can stand in for any command")
		}
	case "test", "[", "read", "printf", "unset", "mapfile", "readarray", "getopts", "wait":
		w.builtin(args, name, text)
	}
	return false
}

// wrapped skips the wrapper's own words and records the command behind them.
func (w *walker) wrapped(wr wrapper, args []argument, name, text string, depth int) bool {
	if name == "command" && len(args) > 1 && args[1].Kind == Static && (args[1].Text == "-v" || args[1].Text == "-V") {
		return false // looks a command up and doesn't run it
	}
	placeholder := ""
	i, ok := wr.options(args, &placeholder)
	if !ok {
		w.unknown(text, "an option of "+name+" isn't understood")
		return false
	}
	for ; wr.assigns && i < len(args); i++ {
		key, value, found := strings.Cut(args[i].Text, "=")
		if !found || args[i].Kind != Static {
			break
		}
		w.assign(key, Word{Text: value}, ForCommand, args[i].Text)
	}
	for range wr.operands {
		if i < len(args) && args[i].Kind != Static {
			w.unknown(text, "which of its words is the command is known only when it runs")
			return false
		}
		i++
	}
	if i >= len(args) {
		return false
	}
	rest := append([]argument(nil), args[i:]...)
	if placeholder != "" {
		for j, a := range rest {
			if strings.Contains(a.Text, placeholder) {
				rest[j].Kind = Dynamic
			}
		}
	}
	if wr.extended {
		rest = append(rest, argument{Word: Word{Kind: Dynamic}, from: -1})
	}
	w.simple(rest, name, depth+1)
	return true
}

// options returns the index of the first word after the wrapper's options.
// placeholder is set to what xargs replaces in the command's words.
func (wr wrapper) options(args []argument, placeholder *string) (int, bool) {
	i := 1
	for ; i < len(args); i++ {
		if args[i].Kind != Static {
			// An argument that may turn out to be an option only matters where a
			// command is still to come.
			return i, true
		}
		s := args[i].Text
		switch {
		case s == "--":
			return i + 1, true
		case s == "-" && wr.assigns: // env's short form of -i
			continue
		case s == "-" || !strings.HasPrefix(s, "-"):
			return i, true
		case strings.HasPrefix(s, "--"):
			name, value, inline := strings.Cut(s[2:], "=")
			valued := wr.knows(name + "=")
			if !valued && (inline || !wr.knows(name)) {
				return i, false
			}
			if valued && !inline && !wr.knows(name) {
				if i++; i >= len(args) || args[i].Kind != Static {
					return i, false
				}
				value = args[i].Text
			}
			if name == "replace" {
				*placeholder = cmp.Or(value, "{}")
			}
		default:
			value, letter, n, ok := wr.cluster(s[1:])
			if !ok {
				return i, false
			}
			if n > 0 {
				if i++; i >= len(args) || args[i].Kind != Static {
					return i, false
				}
				value = args[i].Text
			}
			if letter == 'I' {
				*placeholder = value
			}
		}
	}
	return i, true
}

// cluster reads one-letter options written together. need is 1 if the last one
// takes the next word as its value.
func (wr wrapper) cluster(s string) (value string, letter byte, need int, ok bool) {
	for i := range len(s) {
		switch {
		case strings.IndexByte(wr.values, s[i]) >= 0:
			if i+1 < len(s) {
				return s[i+1:], s[i], 0, true
			}
			return "", s[i], 1, true
		case strings.IndexByte(wr.flags, s[i]) < 0:
			return "", 0, 0, false
		}
	}
	return "", 0, 0, true
}

func (wr wrapper) knows(option string) bool {
	for _, l := range wr.long {
		if l == option {
			return true
		}
	}
	return false
}

// argText is the source of a run of words.
func (w *walker) argText(args []argument) string {
	first, last := args[0], args[0]
	for _, a := range args {
		if a.from >= 0 {
			last = a
		}
	}
	if first.from < 0 {
		return first.Text
	}
	from := min(first.from, len(w.src))
	return strings.TrimSpace(w.src[from:max(from, min(last.to, len(w.src)))])
}
