package shim

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"time"

	"github.com/grafana/sobek"

	"github.com/hoopoe-agent/hoopoe/engine/ext"
	"github.com/hoopoe-agent/hoopoe/engine/ext/js/loop"
)

func (s *shims) execNatives() {
	s.set("exec", func(c sobek.FunctionCall) (sobek.Value, error) {
		command, err := s.command(c)
		if err != nil {
			return nil, err
		}
		return s.cancellable(func(ctx context.Context) (func(*sobek.Runtime) sobek.Value, error) {
			return s.execute(ctx, command)
		})
	})
	s.set("execSync", func(c sobek.FunctionCall) (sobek.Value, error) {
		command, err := s.command(c)
		if err != nil {
			return nil, err
		}
		ctx, cancel := s.Context()
		defer cancel()
		var value func(*sobek.Runtime) sobek.Value
		s.Outside(func() { value, err = s.execute(ctx, command) })
		if err != nil {
			return nil, err
		}
		return value(s.rt), nil
	})
}

// command reads {command | name, args, cwd, env: ["K=v"], input, timeout}, with
// the time in milliseconds.
func (s *shims) command(c sobek.FunctionCall) (ext.Exec, error) {
	o := c.Argument(0)
	e := ext.Exec{Name: text(o, "name")}
	if err := s.allowed("exec", "programs"); err != nil {
		return e, err
	}
	if s.opts.Exec == nil {
		return e, &loop.Error{Message: "programs can't be run here"}
	}
	if line := text(o, "command"); line != "" {
		e.Name, e.Args = "sh", []string{"-c", line}
		if runtime.GOOS == "windows" {
			e.Name, e.Args = "cmd.exe", []string{"/d", "/s", "/c", line}
		}
	} else if err := s.strings(field(o, "args"), &e.Args); err != nil {
		return e, err
	}
	if dir := text(o, "cwd"); dir != "" {
		e.Dir = s.absolute(dir)
	}
	if err := s.strings(field(o, "env"), &e.Env); err != nil {
		return e, err
	}
	if input := field(o, "input"); !sobek.IsUndefined(input) && !sobek.IsNull(input) {
		e.Stdin = bytes.NewReader(bytes.Clone(bytesOf(input)))
	}
	if ms := field(o, "timeout").ToFloat(); ms > 0 {
		e.Timeout = time.Duration(min(ms, 1<<40) * float64(time.Millisecond))
	}
	return e, nil
}

func (s *shims) strings(v sobek.Value, into *[]string) error {
	if sobek.IsUndefined(v) || sobek.IsNull(v) {
		return nil
	}
	if err := s.rt.ExportTo(v, into); err != nil {
		return &loop.Error{Name: "TypeError", Message: fmt.Sprintf("the arguments of a program must be strings: %v", err)}
	}
	return nil
}

// execute runs a program and gives {stdout, stderr, code, killed}.
func (s *shims) execute(ctx context.Context, e ext.Exec) (func(*sobek.Runtime) sobek.Value, error) {
	r, err := s.opts.Exec(ctx, e)
	if err != nil {
		failed := &loop.Error{Message: fmt.Sprintf("spawn %s: %v", e.Name, err), Props: map[string]any{"syscall": "spawn " + e.Name, "path": e.Name}}
		if errors.Is(err, exec.ErrNotFound) {
			failed.Code, failed.Message = "ENOENT", fmt.Sprintf("spawn %s ENOENT", e.Name)
		}
		if ctx.Err() != nil {
			failed.Name, failed.Code, failed.Message = "AbortError", "ABORT_ERR", "The operation was aborted"
		}
		return nil, failed
	}
	return func(rt *sobek.Runtime) sobek.Value {
		o := rt.NewObject()
		_ = o.Set("stdout", r.Stdout)
		_ = o.Set("stderr", r.Stderr)
		_ = o.Set("code", r.Code)
		_ = o.Set("killed", r.Killed)
		return o
	}, nil
}
