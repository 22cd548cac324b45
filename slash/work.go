package slash

import (
	"context"
	"fmt"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
)

// workCommands put common requests to the model, or show what has come of them.
func workCommands() []Command {
	return []Command{
		{Name: "plan", Args: "[what]", Source: "builtin",
			Summary: "Have a plan made before anything is changed; again: back to asking", Run: runPlan},
		{Name: "diff", Source: "builtin", Summary: "Show what has changed since the last commit", Run: runDiff},
		{Name: "review", Args: "[what]", Source: "builtin",
			Summary: "Have the uncommitted changes reviewed", Expand: func(args string) (string, error) { return reviewText(args), nil }},
		{Name: "init", Args: "[hint]", Source: "builtin",
			Summary: "Have the project's AGENTS.md written", Expand: func(args string) (string, error) { return initText(args), nil }},
		{Name: "btw", Aliases: []string{"side"}, Args: "question", Source: "builtin",
			Summary: "Ask beside the conversation; it stays out of the context", Run: runAside},
		{Name: "copy", Args: "[number]", Needs: Terminal, Source: "builtin",
			Summary: "Copy the last answer, or the one before it by number", Run: runCopy},
	}
}

func runPlan(ctx context.Context, c Call) (Result, error) {
	v, err := c.Session.View(ctx)
	if err != nil {
		return Result{}, err
	}
	mode, text := "plan", "Plan mode: the model reads and plans, and changes nothing. /plan again ends it."
	if v.Mode == "plan" && c.Args == "" {
		mode, text = "ask", "Plan mode is over: the model may propose changes again."
	}
	if err := c.Session.SetMode(ctx, mode); err != nil {
		return Result{}, err
	}
	if c.Args != "" {
		return Result{Text: c.Args}, nil
	}
	return reply("%s", text)
}

// untrackedRows bounds the list of new files.
const untrackedRows = 50

func runDiff(ctx context.Context, c Call) (Result, error) {
	diff, untracked, err := c.Session.Changes(ctx)
	if err != nil {
		return Result{}, err
	}
	var parts []string
	if diff = strings.TrimRight(diff, "\n"); diff != "" {
		parts = append(parts, diff)
	}
	if len(untracked) > 0 {
		rows := make([]string, 0, len(untracked))
		for i, name := range untracked {
			if i == untrackedRows {
				rows = append(rows, fmt.Sprintf("and %d more", len(untracked)-i))
				break
			}
			rows = append(rows, sanitize.Line(name))
		}
		parts = append(parts, "New files:\n"+strings.Join(rows, "\n"))
	}
	if len(parts) == 0 {
		return reply("Nothing has changed since the last commit.")
	}
	return Result{Handled: true, Reply: strings.Join(parts, "\n\n"), Diff: diff != ""}, nil
}

// reviewText asks for a review.
func reviewText(what string) string {
	if what == "" {
		what = "the changes that aren't committed yet (git diff HEAD, and new files)"
	}
	return "Review " + what + ".\n\n" +
		"Read the changed code and as much around it as you need to judge it. Report what you find, the worst first: for each the place (path:line), what goes wrong and when, and how to mend it. " +
		"Look for mistakes in behaviour, lost errors, races, unsafe handling of input, broken callers and missing tests; leave matters of taste aside. " +
		"Say plainly if you find nothing. Don't change any file."
}

// initText asks for the project's notes.
func initText(hint string) string {
	text := "Write AGENTS.md at the root of this project: the notes that a coding agent needs before its first change here.\n\n" +
		"Find out by looking: what the project is and how it is laid out; the commands to build, test, lint and run it, a single test among them; conventions that the code follows and a newcomer would miss; traps. " +
		"Take over what CONTRIBUTING, README, CI files and the notes of other tools (CLAUDE.md, .cursor/rules, .github/copilot-instructions.md) say, if it is true. " +
		"Keep it under 60 lines, concrete, without general advice. If AGENTS.md exists, improve it and keep what is right."
	if hint != "" {
		text += "\n\nMind this: " + hint
	}
	return text
}

func runAside(ctx context.Context, c Call) (Result, error) {
	answer, err := c.Session.Aside(ctx, c.Args)
	if err != nil {
		return Result{}, err
	}
	return Result{Handled: true, Reply: answer, Markdown: true}, nil
}

func runCopy(ctx context.Context, c Call) (Result, error) {
	v, err := c.Session.View(ctx)
	if err != nil {
		return Result{}, err
	}
	back := 1
	if c.Args != "" {
		if _, err := fmt.Sscan(c.Args, &back); err != nil || back < 1 {
			return Result{}, fmt.Errorf("%q is no number of an answer: 1 is the last", c.Args)
		}
	}
	for i := len(v.Messages) - 1; i >= 0; i-- {
		if m := v.Messages[i]; m.Role == message.Assistant && m.Text() != "" {
			if back--; back == 0 {
				return Result{Handled: true, Copy: m.Text()}, nil
			}
		}
	}
	return reply("There is no answer to copy.")
}
