package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// walker turns a syntax tree into an Analysis. Every node type has its case;
// one that hasn't is reported as Unknown.
type walker struct {
	src    string
	family Family
	via    string // the command that runs this script, if any
	depth  int
	out    Analysis
}

// text returns the source of a node.
func (w *walker) text(n syntax.Node) string { return w.slice(n.Pos(), n.End()) }

func (w *walker) slice(from, to syntax.Pos) string {
	// Positions are the parser's: never trust them to be in range.
	a := min(int(from.Offset()), len(w.src))
	b := min(int(to.Offset()), len(w.src))
	return strings.TrimSpace(w.src[a:max(a, b)])
}

func (w *walker) unknown(text, why string) {
	w.out.Unknowns = append(w.out.Unknowns, Unknown{Text: text, Why: why})
}

func (w *walker) assign(name string, value Word, scope Scope, text string) {
	w.out.Assigns = append(w.out.Assigns, Assign{Name: name, Value: value, Scope: scope, Text: text})
}

func (w *walker) stmts(list []*syntax.Stmt) {
	for _, s := range list {
		w.stmt(s)
	}
}

func (w *walker) stmt(s *syntax.Stmt) {
	if s == nil {
		return
	}
	if s.Coprocess || s.Disown {
		w.unknown(w.text(s), "it uses a form that only other shells know")
	}
	if s.Cmd != nil {
		w.command(s.Cmd)
	}
	for _, r := range s.Redirs {
		w.redirect(r)
	}
}

func (w *walker) command(c syntax.Command) {
	switch c := c.(type) {
	case *syntax.CallExpr:
		w.call(c)
	case *syntax.BinaryCmd:
		if y, ok := c.Y.Cmd.(*syntax.TimeClause); ok && (c.Op == syntax.Pipe || c.Op == syntax.PipeAll) {
			// Behind a pipe, time isn't a keyword but the program of that name.
			w.unknown(w.text(y), "what time runs here isn't understood")
		}
		w.stmt(c.X)
		w.stmt(c.Y)
	case *syntax.Subshell:
		w.stmts(c.Stmts)
	case *syntax.Block:
		w.stmts(c.Stmts)
	case *syntax.TimeClause:
		w.stmt(c.Stmt)
	case *syntax.IfClause:
		for ; c != nil; c = c.Else {
			w.stmts(c.Cond)
			w.stmts(c.Then)
		}
	case *syntax.WhileClause:
		w.stmts(c.Cond)
		w.stmts(c.Do)
	case *syntax.ForClause:
		w.loop(c)
	case *syntax.CaseClause:
		w.word(c.Word)
		for _, item := range c.Items {
			w.words(item.Patterns)
			w.stmts(item.Stmts)
		}
	case *syntax.TestClause:
		w.test(c.X)
	case *syntax.ArithmCmd:
		w.arithm(c.X)
	case *syntax.LetClause:
		// The parser takes a redirect among the expressions for a comparison.
		w.unknown(w.text(c), "it evaluates its words as arithmetic")
		for _, x := range c.Exprs {
			w.arithm(x)
		}
	case *syntax.DeclClause:
		w.declare(c)
	case *syntax.FuncDecl:
		w.unknown(w.text(c), "it defines a function, which can stand in for any command")
		w.stmt(c.Body)
	case *syntax.CoprocClause:
		w.unknown(w.text(c), "it runs a coprocess")
		w.stmt(c.Stmt)
	default:
		w.unknown(w.text(c), "it isn't understood")
	}
}

// call takes in a simple command, or assignments alone.
func (w *walker) call(c *syntax.CallExpr) {
	scope := InShell
	if len(c.Args) > 0 {
		scope = ForCommand
	}
	for _, a := range c.Assigns {
		w.assignment(a, scope)
	}
	if len(c.Args) == 0 {
		return
	}
	args := make([]argument, len(c.Args))
	for i, word := range c.Args {
		args[i] = argument{Word: w.value(word), from: int(word.Pos().Offset()), to: int(word.End().Offset())}
	}
	w.simple(args, w.via, 0)
	w.words(c.Args)
}

func (w *walker) loop(c *syntax.ForClause) {
	switch l := c.Loop.(type) {
	case *syntax.WordIter:
		value := Word{Kind: Dynamic}
		w.assign(l.Name.Value, value, InLoop, w.text(l))
		w.words(l.Items)
	case *syntax.CStyleLoop:
		w.arithm(l.Init)
		w.arithm(l.Cond)
		w.arithm(l.Post)
	default:
		w.unknown(w.text(c), "it isn't understood")
	}
	w.stmts(c.Do)
}

// assignment takes in NAME=value, NAME+=value, NAME[i]=value and NAME=(…).
func (w *walker) assignment(a *syntax.Assign, scope Scope) {
	if !syntax.ValidName(a.Name.Value) {
		w.unknown(w.text(a), "it could be a command") // x!=[y is, to bash
	}
	value := Word{Kind: Dynamic}
	switch {
	case a.Array != nil:
		value.Text = w.text(a.Array)
		for _, e := range a.Array.Elems {
			w.arithm(e.Index)
			w.word(e.Value)
		}
	case a.Value != nil:
		value = w.value(a.Value)
		w.word(a.Value)
	default:
		value.Kind = Static // NAME=
	}
	w.arithm(a.Index)
	if a.Append || a.Index != nil {
		value.Kind = Dynamic
	}
	w.assign(a.Name.Value, value, scope, w.text(a))
}

// declare takes in export, declare, local, readonly, typeset and nameref.
func (w *walker) declare(c *syntax.DeclClause) {
	if !slices.ContainsFunc(c.Args, func(a *syntax.Assign) bool { return a.Name != nil }) {
		// Without names it prints variables.
		call := Call{Words: []Word{{Text: c.Variant.Value}}, Text: w.text(c), Via: w.via}
		for _, a := range c.Args {
			call.Words = append(call.Words, w.value(a.Value))
		}
		w.out.Calls = append(w.out.Calls, call)
	}
	for _, a := range c.Args {
		switch {
		case a.Name != nil && !a.Naked:
			w.assignment(a, InShell)
		case a.Name != nil:
			w.arithm(a.Index)
			w.assign(a.Name.Value, Word{Kind: Dynamic}, InShell, c.Variant.Value+" "+w.text(a))
		case a.Value != nil:
			if v := w.value(a.Value); v.Kind != Static || !strings.HasPrefix(v.Text, "-") {
				w.unknown(w.text(c), "which variable it sets is known only when it runs")
			} else if strings.ContainsAny(v.Text, "inf") {
				// Integer attributes and name references evaluate later values;
				// -f is about functions.
				w.unknown(w.text(c), "it changes how a variable is evaluated")
			}
			w.word(a.Value)
		}
	}
}

// redirect takes in what a statement opens.
func (w *walker) redirect(r *syntax.Redirect) {
	text := w.slice(r.Pos(), r.Word.End())
	if r.N != nil && strings.HasPrefix(r.N.Value, "{") {
		w.assign(strings.Trim(r.N.Value, "{}"), Word{Kind: Dynamic}, InShell, text)
	}
	w.word(r.Word)
	target := w.value(r.Word)
	access := Write
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		if r.Hdoc != nil {
			w.word(r.Hdoc)
		}
		return
	case syntax.WordHdoc:
		return
	case syntax.DplIn, syntax.DplOut:
		if isDescriptor(target) {
			return
		}
		access = Write // >&file writes file, whose name bash expands twice
		if strings.ContainsAny(target.Text, "$`\\") {
			w.unknown(text, "the shell evaluates this text a second time")
		}
	case syntax.RdrIn:
		access = Read
	case syntax.AppOut, syntax.AppAll:
		access = Append
	case syntax.RdrInOut:
		access = ReadWrite
	case syntax.RdrOut, syntax.RdrClob, syntax.RdrAll:
	default:
		w.unknown(text, "this kind of redirect isn't understood")
		return
	}
	if target.Kind == Static && isHarmless(target.Text) {
		return
	}
	w.out.Redirects = append(w.out.Redirects, Redirect{Target: target, Access: access, Text: text})
}

// isDescriptor reports what follows >& or <& when no file is opened: a number,
// a number to move ("3-"), or "-" to close.
func isDescriptor(word Word) bool {
	digits := strings.TrimSuffix(word.Text, "-")
	return word.Kind == Static && word.Text != "" && strings.Trim(digits, "0123456789") == ""
}

func isHarmless(path string) bool {
	return path == "/dev/null" || path == "/dev/stdout" || path == "/dev/stderr" || path == "/dev/stdin"
}
