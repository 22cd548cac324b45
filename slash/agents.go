package slash

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/prompt"
	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
)

// runAgents lists the sub-agents, tells what there is to know about one, or
// stops one that works.
func runAgents(_ context.Context, c Call) (Result, error) {
	if word, number, _ := strings.Cut(c.Args, " "); word == "stop" {
		return stopTask(c.Session, strings.TrimSpace(number))
	}
	agents := c.Session.Agents()
	if c.Args != "" {
		for _, a := range agents {
			if strings.EqualFold(a.Name, c.Args) {
				return reply("%s", agentText(a))
			}
		}
		return Result{}, fmt.Errorf("there is no agent %s; /agents lists them", sanitize.Line(c.Args))
	}
	var rows [][2]string
	for _, a := range agents {
		rows = append(rows, [2]string{a.Name, brief(sanitize.Line(a.Description))})
	}
	text := columns(rows)
	if len(rows) == 0 {
		text = "There are no agents: the settings of task leave none."
	}
	if tasks := c.Session.Tasks(); len(tasks) > 0 {
		text += "\n\nAt work, stopped by /agents stop and the number:"
		for i, t := range tasks {
			text += fmt.Sprintf("\n%d. %s: %s", i+1, t.Agent, brief(sanitize.Line(t.Description)))
		}
	}
	return reply("%s", text)
}

func stopTask(s Session, number string) (Result, error) {
	tasks := s.Tasks()
	n, err := strconv.Atoi(number)
	switch {
	case len(tasks) == 0:
		return Result{}, errors.New("no agent is at work")
	case number == "" && len(tasks) == 1:
		n = 1
	case err != nil || n < 1 || n > len(tasks):
		return Result{}, fmt.Errorf("say which: a number from 1 to %d, as /agents lists them", len(tasks))
	}
	t := tasks[n-1]
	name := t.Agent + ": " + brief(sanitize.Line(t.Description))
	if !s.StopTask(t.CallID) {
		return reply("It has ended already: %s", name)
	}
	return reply("Stopped: %s", name)
}

func agentText(a prompt.Agent) string {
	rows := [][2]string{{"agent", a.Name}, {"for", a.Description}}
	turns := ""
	if a.MaxTurns > 0 {
		turns = strconv.Itoa(a.MaxTurns)
	}
	for _, more := range [][2]string{
		{"file", a.Path}, {"from", strings.TrimSuffix(a.Source+", "+a.Family, ", ")}, {"tools", strings.Join(a.Tools, ", ")}, {"without", strings.Join(a.NotTools, ", ")},
		{"model", a.Model}, {"thinking", a.Thinking}, {"at most", a.Mode}, {"turns", turns},
	} {
		if more[1] != "" {
			rows = append(rows, more)
		}
	}
	for i := range rows {
		rows[i][1] = sanitize.Line(rows[i][1])
	}
	return columns(rows)
}

func completeAgents(_ context.Context, s Session, prefix string) []string {
	var names []string
	for _, a := range s.Agents() {
		names = append(names, a.Name)
	}
	if len(s.Tasks()) > 0 {
		names = append(names, "stop")
	}
	return beginning(names, prefix)
}
