package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// This file walks what is inside words: commands in substitutions, assignments
// in expansions and arithmetic.

func (w *walker) words(list []*syntax.Word) {
	for _, word := range list {
		w.word(word)
	}
}

func (w *walker) word(word *syntax.Word) {
	if word != nil {
		w.parts(word.Parts)
	}
}

func (w *walker) parts(parts []syntax.WordPart) {
	for _, part := range parts {
		switch p := part.(type) {
		case *syntax.Lit, *syntax.SglQuoted:
		case *syntax.DblQuoted:
			w.parts(p.Parts)
		case *syntax.CmdSubst:
			if p.TempFile || p.ReplyVar {
				w.unknown(w.text(p), "it runs commands in a form that only some shells know")
			}
			if text := w.text(p); p.Backquotes && (strings.Count(text, "`") != 2 || text[0] != '`' || text[len(text)-1] != '`') {
				// Bash ends it at the next backtick, even one in single quotes.
				w.unknown(text, "where this substitution ends can't be told")
			}
			w.substituted(p, p.Stmts)
		case *syntax.ProcSubst:
			w.substituted(p, p.Stmts)
		case *syntax.ParamExp:
			w.parameter(p)
		case *syntax.ArithmExp:
			w.arithm(p.X)
		case *syntax.ExtGlob:
			// Whether this matches files or is a syntax error depends on a shell
			// option, and its text isn't parsed further.
			w.unknown(w.text(p), "extended patterns aren't understood")
		default:
			w.unknown(w.text(part), "it isn't understood")
		}
	}
}

// substituted takes in the statements of a substitution. Bash 5.2 writes them
// out and reads them again, and in doing so loses a semicolon after a
// here-document: then `a; b` behind it runs as `a b`.
func (w *walker) substituted(n syntax.Node, list []*syntax.Stmt) {
	if text := w.text(n); strings.Contains(text, "<<") {
		simple := len(list) == 1
		if simple {
			_, simple = list[0].Cmd.(*syntax.CallExpr)
		}
		if !simple {
			w.unknown(text, "a here-document among several commands isn't understood")
		}
	}
	w.stmts(list)
}

// parameter takes in $name and ${name…}.
func (w *walker) parameter(p *syntax.ParamExp) {
	w.arithm(p.Index)
	if p.Slice != nil {
		w.arithm(p.Slice.Offset)
		w.arithm(p.Slice.Length)
	}
	if p.Repl != nil {
		w.word(p.Repl.Orig)
		w.word(p.Repl.With)
	}
	if text := w.text(p); strings.Contains(text, "<(") || strings.Contains(text, ">(") {
		w.unknown(text, "the commands in it can't be told") // text to the parser
	}
	if p.NestedParam != nil || p.Flags != nil || len(p.Modifiers) > 0 || p.Param == nil {
		w.unknown(w.text(p), "it uses a form that only other shells know")
	}
	if p.Excl && p.Names == 0 {
		w.unknown(w.text(p), "it reads a variable whose name is known only when it runs")
	}
	if p.Exp == nil {
		return
	}
	w.word(p.Exp.Word)
	switch p.Exp.Op {
	case syntax.AssignUnset, syntax.AssignUnsetOrNull:
		w.assign(p.Param.Value, Word{Kind: Dynamic}, InShell, w.text(p))
	case syntax.OtherParamOps:
		// ${x@P} runs the commands that are in the value of x.
		w.unknown(w.text(p), "it transforms a value, which can run commands in it")
	}
}

// arithm takes in an arithmetic expression. The shell evaluates the text of its
// words again, so anything in them that is quoted could hold a substitution.
func (w *walker) arithm(x syntax.ArithmExpr) {
	switch x := x.(type) {
	case nil:
	case *syntax.Word:
		if x == nil {
			return
		}
		w.word(x)
		w.evaluated(x)
	case *syntax.BinaryArithm:
		if isAssignOp(x.Op) {
			w.assign(w.text(x.X), Word{Kind: Dynamic}, InShell, w.text(x))
		}
		w.arithm(x.X)
		w.arithm(x.Y)
	case *syntax.UnaryArithm:
		if x.Op == syntax.Inc || x.Op == syntax.Dec {
			w.assign(w.text(x.X), Word{Kind: Dynamic}, InShell, w.text(x))
		}
		w.arithm(x.X)
	case *syntax.ParenArithm:
		w.arithm(x.X)
	default:
		w.unknown(w.text(x), "this arithmetic isn't understood")
	}
}

func isAssignOp(op syntax.BinAritOperator) bool {
	switch op {
	case syntax.Assgn, syntax.AddAssgn, syntax.SubAssgn, syntax.MulAssgn, syntax.QuoAssgn, syntax.RemAssgn,
		syntax.AndAssgn, syntax.OrAssgn, syntax.XorAssgn, syntax.ShlAssgn, syntax.ShrAssgn,
		syntax.AndBoolAssgn, syntax.OrBoolAssgn, syntax.XorBoolAssgn, syntax.PowAssgn:
		return true
	}
	return false
}

// evaluated reports a word that the shell evaluates again if its literal text
// holds a substitution, as in a['$(id)'].
func (w *walker) evaluated(word *syntax.Word) {
	if v := w.value(word); v.Kind != Dynamic && holdsSubstitution(v.Text) {
		w.unknown(w.text(word), "the shell evaluates this text a second time")
		return
	}
	for _, part := range word.Parts {
		switch p := part.(type) {
		case *syntax.SglQuoted:
			if p.Dollar || holdsSubstitution(p.Value) {
				w.unknown(w.text(word), "the shell evaluates this text a second time")
			}
		case *syntax.DblQuoted, *syntax.Lit:
			if strings.Contains(w.text(p), `\`) {
				w.unknown(w.text(word), "the shell evaluates this text a second time")
			}
		}
	}
}

func holdsSubstitution(s string) bool {
	return strings.Contains(s, "$(") || strings.Contains(s, "`") || strings.Contains(s, "${")
}

// test takes in the inside of [[ … ]].
func (w *walker) test(x syntax.TestExpr) {
	switch x := x.(type) {
	case nil:
	case *syntax.Word:
		w.word(x)
	case *syntax.BinaryTest:
		switch x.Op {
		case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
			for _, side := range []syntax.TestExpr{x.X, x.Y} {
				if word, ok := side.(*syntax.Word); ok {
					w.evaluated(word)
				}
			}
		}
		w.test(x.X)
		w.test(x.Y)
	case *syntax.UnaryTest:
		if word, ok := x.X.(*syntax.Word); ok && (x.Op == syntax.TsVarSet || x.Op == syntax.TsRefVar) {
			w.evaluated(word)
		}
		w.test(x.X)
	case *syntax.ParenTest:
		w.test(x.X)
	default:
		w.unknown(w.text(x), "this test isn't understood")
	}
}
