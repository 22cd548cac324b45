package engine

import (
	"context"
	"errors"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/ext"
	"github.com/hoopoe-agent/hoopoe/engine/shell"
	"github.com/hoopoe-agent/hoopoe/engine/workspace"
)

// maxProgramOutput is how much of each stream of a program an extension gets, in
// bytes: the end of it.
const maxProgramOutput = 1 << 20

// exec runs a program for an extension where the session's commands run: on
// this machine, or in the editor's terminal, which prints both streams as one
// and has no input. It is ended with the session, after the shutdown hooks.
func (s *Session) exec(ctx context.Context, e ext.Exec) (ext.ExecResult, error) {
	if e.Name == "" {
		return ext.ExecResult{}, errors.New("run a program: it has no name")
	}
	dir := s.env.workspace.Cwd()
	if e.Dir != "" {
		abs, _, err := s.env.workspace.Resolve(e.Dir)
		if err != nil {
			return ext.ExecResult{}, err
		}
		dir = abs
	}
	if s.env.shared != nil && e.Stdin == nil {
		return s.execShared(ctx, e, dir)
	}
	r, err := s.env.programs.Run(ctx, shell.Command{
		Argv: append([]string{e.Name}, e.Args...), Dir: dir, Env: e.Env, Timeout: e.Timeout, Stdin: e.Stdin, Apart: true,
	})
	if err != nil {
		return ext.ExecResult{}, err
	}
	return ext.ExecResult{Stdout: r.Output, Stderr: r.Stderr, Code: exitCode(r.ExitCode), Killed: r.Cancelled || r.TimedOut}, nil
}

func (s *Session) execShared(ctx context.Context, e ext.Exec, dir string) (ext.ExecResult, error) {
	words := []string{shellWord(e.Name)}
	for _, a := range e.Args {
		words = append(words, shellWord(a))
	}
	out, err := s.env.shared.Run(ctx, workspace.Command{Script: strings.Join(words, " "), Dir: dir, Env: e.Env, Timeout: e.Timeout})
	if err != nil {
		return ext.ExecResult{}, err
	}
	return ext.ExecResult{Stdout: out.Text, Code: exitCode(out.ExitCode), Killed: out.Cancelled || out.TimedOut}, nil
}

// shellWord writes one word for a shell.
func shellWord(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:=@%+,", r)
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// exitCode is a program's status; one that was stopped from outside has the one
// that shells give for TERM.
func exitCode(code *int) int {
	if code == nil {
		return 143
	}
	return *code
}
