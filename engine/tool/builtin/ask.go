package builtin

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/tool"
)

//go:embed ask.md
var askDoc string

type askArgs struct {
	Question string   `json:"question" jsonschema:"What you need to know."`
	Options  []string `json:"options,omitempty" jsonschema:"Answers to choose from; the user may also type another."`
}

type askDetails struct {
	Question string   `json:"question"`
	Options  []string `json:"options,omitempty"`
	Answer   *string  `json:"answer,omitempty"`
}

// Ask returns the tool that asks the user. With dialog the call waits for the
// answer of Call.Env.Asker. Without, the face can only speak text: the call
// ends the run, its result is the question, and the next prompt the answer.
func Ask(dialog bool) tool.Tool {
	run := askByText
	if dialog {
		run = askInDialog
	}
	return tool.New(tool.Spec{
		Name: "ask", Label: "Ask", Kind: tool.Think, EndsRun: !dialog,
		Description: askDoc, Summary: "ask the user a question",
	}, run, tool.Described(func(_ context.Context, _ tool.Call, a askArgs) (tool.Description, error) {
		return tool.Description{Title: "Ask: " + tool.Line(a.Question, 200), Kind: tool.Think}, nil
	}))
}

func (a askArgs) check() error {
	if strings.TrimSpace(a.Question) == "" {
		return errors.New("the question is empty")
	}
	return nil
}

func askInDialog(ctx context.Context, c tool.Call, a askArgs) (tool.Result, error) {
	if err := a.check(); err != nil {
		return tool.Result{}, err
	}
	if c.Env.Asker == nil {
		return tool.Result{}, errors.New("nobody can be asked now; decide by yourself and say what you assumed")
	}
	answer, ok, err := c.Env.Asker.Ask(ctx, c.ID, a.Question, a.Options)
	if err != nil {
		return tool.Result{}, fmt.Errorf("ask the user: %w", err)
	}
	if !ok {
		return result("The user gave no answer. Decide by yourself and say what you assumed.", askDetails{a.Question, a.Options, nil}), nil
	}
	return result("The user answers: "+answer, askDetails{a.Question, a.Options, &answer}), nil
}

func askByText(_ context.Context, _ tool.Call, a askArgs) (tool.Result, error) {
	if err := a.check(); err != nil {
		return tool.Result{}, err
	}
	var b strings.Builder
	b.WriteString(a.Question)
	for i, o := range a.Options {
		if i == 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "\n%d. %s", i+1, o)
	}
	return result(b.String(), askDetails{a.Question, a.Options, nil}), nil
}
