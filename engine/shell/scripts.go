package shell

import "strings"

// This file reads the commands whose arguments are scripts or commands in a
// form of their own.

// script records the commands of a script within the script.
func (w *walker) script(text string, family Family, via string) {
	in := analyze(text, family, via, w.depth+1)
	w.out.Calls = append(w.out.Calls, in.Calls...)
	w.out.Redirects = append(w.out.Redirects, in.Redirects...)
	w.out.Assigns = append(w.out.Assigns, in.Assigns...)
	w.out.Unknowns = append(w.out.Unknowns, in.Unknowns...)
}

// shell reads sh -c 'script'. A shell with a script file is a call like any
// other; one that reads its script from a pipe is Unknown.
func (w *walker) shell(args []argument, name, text string) bool {
	inline := false
	i := 1
	for ; i < len(args); i++ {
		if args[i].Kind != Static {
			break
		}
		s := args[i].Text
		if s == "--" {
			i++
			break
		}
		if len(s) < 2 || s[0] != '-' && s[0] != '+' {
			break
		}
		if strings.HasPrefix(s, "--") {
			if s != "--login" && s != "--norc" && s != "--noprofile" && s != "--posix" {
				w.unknown(text, "an option of "+name+" isn't understood")
				return false
			}
			continue
		}
		// -o takes the next word, so it has to be the last of its cluster.
		if strings.Trim(strings.TrimSuffix(s[1:], "o"), "abcefhklmnptuvxBCEHPT") != "" {
			w.unknown(text, "an option of "+name+" isn't understood")
			return false
		}
		inline = inline || s[0] == '-' && strings.Contains(s, "c")
		if strings.HasSuffix(s, "o") {
			i++ // -o pipefail
		}
	}
	switch {
	case i >= len(args) || args[i].Text == "-":
		w.unknown(text, "it runs a script from its standard input")
	case inline && args[i].Kind != Static:
		w.unknown(text, "the script it runs is known only when it runs")
	case inline:
		family := POSIX
		if name == "bash" {
			family = Bash
		}
		w.script(args[i].Text, family, name)
		return true
	case args[i].Kind != Static:
		w.unknown(text, "the script it runs is known only when it runs")
	}
	return false
}

// eval reads its words, joined, as a script.
func (w *walker) eval(args []argument, text string) bool {
	var words []string
	for _, a := range args {
		if a.Kind != Static {
			w.unknown(text, "what it evaluates is known only when it runs")
			return false
		}
		words = append(words, a.Text)
	}
	w.script(strings.TrimPrefix(strings.Join(words, " "), "-- "), w.family, "eval")
	return true
}

// trap reads its first word as a script, unless it resets or lists handlers.
func (w *walker) trap(args []argument, text string) bool {
	if len(args) > 0 && args[0].Kind == Static && args[0].Text == "--" {
		args = args[1:]
	}
	switch {
	case len(args) < 2:
		return false
	case args[0].Kind != Static:
		w.unknown(text, "the script it runs is known only when it runs")
		return false
	case args[0].Text == "-" || args[0].Text == "" || args[0].Text == "-p" || args[0].Text == "-l":
		return false
	}
	w.script(args[0].Text, w.family, "trap")
	return true
}

// find reads the commands after -exec and its kin (fd: -x and -X).
func (w *walker) find(args []argument, name, text string, depth int) {
	for i := 1; i < len(args); i++ {
		if args[i].Kind != Static {
			if args[i].Kind == Dynamic {
				w.unknown(text, "a word of "+name+" that is known only when it runs could run a command")
			}
			continue
		}
		switch args[i].Text {
		case "-exec", "-execdir", "-ok", "-okdir":
		case "-x", "-X", "--exec", "--exec-batch":
			if name == "find" {
				continue
			}
		default:
			if name != "find" && mayExec(args[i].Text) {
				w.unknown(text, "an option of "+name+" isn't understood")
			}
			continue
		}
		var rest []argument
		for i++; i < len(args); i++ {
			a := args[i]
			if a.Kind == Static && (a.Text == ";" || a.Text == "+" && len(rest) > 0 && strings.Contains(rest[len(rest)-1].Text, "{}")) {
				break
			}
			if strings.Contains(a.Text, "{") {
				a.Kind = Dynamic // find and fd put file names here
			}
			rest = append(rest, a)
		}
		if len(rest) == 0 {
			w.unknown(text, "the command it runs is missing")
			continue
		}
		if name != "find" {
			rest = append(rest, argument{Word: Word{Kind: Dynamic}, from: -1})
		}
		w.simple(rest, name, depth+1)
	}
}

// mayExec reports options of fd that could be -x or -X among others, or their
// long forms with a value.
func mayExec(option string) bool {
	if strings.HasPrefix(option, "--") {
		return strings.HasPrefix(option, "--ex") && option != "--exclude" && !strings.HasPrefix(option, "--exclude=")
	}
	return strings.HasPrefix(option, "-") && strings.ContainsAny(option, "xX")
}

// builtin reports the effects that builtins have on variables, and arguments
// that they evaluate: a subscript may hold a substitution.
func (w *walker) builtin(args []argument, name, text string) {
	for _, a := range args[1:] {
		if a.Kind != Dynamic && strings.Contains(a.Text, "[") && holdsSubstitution(a.Text) {
			w.unknown(text, "the shell evaluates this text a second time")
		}
	}
	option := func(letter string) bool {
		for _, a := range args[1:] {
			if a.Kind == Dynamic && a.Text != "$!" || strings.HasPrefix(a.Text, "-") && strings.Contains(a.Text, letter) {
				return true
			}
		}
		return false
	}
	switch name {
	case "read", "mapfile", "readarray", "getopts":
		if name != "read" && option("C") {
			w.unknown(text, "it may evaluate a command for each line")
		}
		// Which of the words are names depends on the options: any of them may be.
		for _, a := range args[1:] {
			if a.Kind == Dynamic {
				w.unknown(text, "which variable it sets is known only when it runs")
			} else if !strings.HasPrefix(a.Text, "-") {
				w.assign(a.Text, Word{Kind: Dynamic}, InShell, text)
			}
		}
	case "wait":
		if option("p") {
			w.unknown(text, "it may set a variable")
		}
	case "printf":
		if len(args) > 1 && (args[1].Kind == Dynamic || strings.HasPrefix(args[1].Text, "-v")) {
			w.unknown(text, "it may set a variable")
		}
	}
}
