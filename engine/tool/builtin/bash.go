package builtin

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/hoopoe-agent/hoopoe/engine/tool"
	"github.com/hoopoe-agent/hoopoe/engine/workspace"
)

//go:embed bash.md
var bashDoc string

// maxTimeout in seconds; a day, so that the arithmetic can't overflow.
const maxTimeout = 24 * 60 * 60

type bashArgs struct {
	Command     string  `json:"command" jsonschema:"The script to run."`
	Timeout     float64 `json:"timeout,omitempty" jsonschema:"Seconds after which it is stopped; none by default."`
	Description string  `json:"description,omitempty" jsonschema:"What it does, in a few words, for the user."`
}

type bashDetails struct {
	ExitCode       *int   `json:"exitCode,omitempty"`
	TimedOut       bool   `json:"timedOut,omitempty"`
	Cancelled      bool   `json:"cancelled,omitempty"`
	Truncated      bool   `json:"truncated,omitempty"`
	FullOutputPath string `json:"fullOutputPath,omitempty"`
}

// Bash returns the tool that runs shell scripts. A script that fails is a
// failed call, with its output as the result's content.
func Bash() tool.Tool {
	return tool.New(tool.Spec{
		Name: "bash", Label: "Bash", Kind: tool.Execute,
		Description: bashDoc, Summary: "run a shell command",
	}, bash, tool.Described(describeBash), tool.Tuned[bashArgs](func(s *jsonschema.Schema) {
		s.Properties["timeout"].Minimum = jsonschema.Ptr(0.0)
		s.Properties["timeout"].Maximum = jsonschema.Ptr(float64(maxTimeout))
	}))
}

func describeBash(_ context.Context, _ tool.Call, a bashArgs) (tool.Description, error) {
	title := a.Description
	if title == "" {
		first, rest, _ := strings.Cut(strings.TrimSpace(a.Command), "\n")
		title = "Run " + first
		if rest != "" {
			title += " …"
		}
	}
	return tool.Description{Title: tool.Line(title, 200), Kind: tool.Execute, Command: a.Command}, nil
}

func bash(ctx context.Context, c tool.Call, a bashArgs) (tool.Result, error) {
	if strings.TrimSpace(a.Command) == "" {
		return tool.Result{}, errors.New("the command is empty")
	}
	if strings.ContainsRune(a.Command, 0) {
		return tool.Result{}, errors.New("the command holds a NUL character; write it to a file and run that, or use printf '\\0'")
	}
	out, err := c.Env.Workspace.Run(ctx, workspace.Command{
		Script:  a.Command,
		Timeout: time.Duration(a.Timeout * float64(time.Second)),
		// Cut as the result is, so that what a face has shown stays its beginning.
		OnOutput: func(tail string) { c.Progress(tool.TextResult(strings.TrimRight(tail, "\n"))) },
	})
	if err != nil {
		return tool.Result{}, err
	}
	r := result(shownOutput(out), bashDetails{out.ExitCode, out.TimedOut, out.Cancelled, out.Truncated, out.FullOutputPath})
	return r, outcome(out, a.Timeout)
}

// shownOutput is what the model sees of the output.
func shownOutput(out workspace.Output) string {
	text := strings.TrimRight(out.Text, "\n")
	if text == "" {
		return "(no output)"
	}
	if !out.Truncated {
		return text
	}
	note := fmt.Sprintf("[Only the end is shown: the output has %d lines, %s.", out.TotalLines, tool.Size(out.TotalBytes))
	switch {
	case out.SpoolErr != nil:
		note += fmt.Sprintf(" The rest couldn't be saved: %v.", out.SpoolErr)
	case out.FullOutputPath != "":
		note += " All of it is in " + out.FullOutputPath + "."
	}
	return text + "\n" + note + "]"
}

// outcome is nil for a script that succeeded.
func outcome(out workspace.Output, timeout float64) error {
	switch {
	case out.TimedOut:
		return fmt.Errorf("[stopped: it ran longer than %g s; give a longer timeout, or let it work in smaller steps]", timeout)
	case out.Cancelled:
		return errors.New("[stopped: the call was cancelled]")
	case out.ExitCode == nil:
		return errors.New("[killed by a signal]")
	case *out.ExitCode != 0:
		return fmt.Errorf("[exit code %d]", *out.ExitCode)
	}
	return nil
}
