package mcp

import (
	"context"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
)

// Prompt is a prompt of a server, for a slash command. Title, Description and
// those of the arguments are clean and of one line.
type Prompt struct {
	Server string
	Name   string // as the server has it
	// Command is a name made like those of tools: mcp__<server>__<prompt>.
	Command     string
	Title       string
	Description string
	Arguments   []PromptArgument
}

// PromptArgument is a value that a prompt takes.
type PromptArgument struct {
	Name        string
	Description string
	Required    bool
}

// maxArguments bounds a prompt's arguments.
const maxArguments = 30

func (o *offer) addPrompts(r *remote, prompts []*sdk.Prompt) {
	taken := map[string]bool{}
	for _, p := range prompts {
		if p == nil || taken[p.Name] {
			continue
		}
		taken[p.Name] = true
		made := Prompt{
			Server: r.conf.Name, Name: p.Name, Command: toolName(r.part, p.Name),
			Title: field(p.Title), Description: clip(sanitize.Line(p.Description), maxQuoted),
		}
		for _, a := range p.Arguments[:min(len(p.Arguments), maxArguments)] {
			if a != nil {
				made.Arguments = append(made.Arguments, PromptArgument{a.Name, clip(sanitize.Line(a.Description), maxQuoted), a.Required})
			}
		}
		o.prompts = append(o.prompts, made)
	}
}

// Prompts lists the prompts of the servers that were reached.
func (m *Manager) Prompts() []Prompt {
	var list []Prompt
	for _, r := range m.remote {
		list = append(list, r.offered().prompts...)
	}
	return list
}

// Bind gives the words of a slash command to the prompt's arguments: name=value
// to the one of that name, the others in order; the last argument takes all
// words that are left.
func (p Prompt) Bind(words []string) (map[string]string, error) {
	values := map[string]string{}
	var loose []string
	for _, w := range words {
		name, value, ok := strings.Cut(w, "=")
		if ok && slices.ContainsFunc(p.Arguments, func(a PromptArgument) bool { return a.Name == name }) {
			values[name] = value
			continue
		}
		loose = append(loose, w)
	}
	var open []string
	for _, a := range p.Arguments {
		if _, ok := values[a.Name]; !ok {
			open = append(open, a.Name)
		}
	}
	for i, name := range open {
		switch {
		case len(loose) == 0:
		case i == len(open)-1:
			values[name], loose = strings.Join(loose, " "), nil
		default:
			values[name], loose = loose[0], loose[1:]
		}
	}
	if len(loose) > 0 {
		return nil, fmt.Errorf("the prompt %s takes %d arguments: %q is too much", field(p.Name), len(p.Arguments), field(loose[0]))
	}
	for _, a := range p.Arguments {
		if _, ok := values[a.Name]; a.Required && !ok {
			return nil, fmt.Errorf("the prompt %s needs the argument %s", field(p.Name), field(a.Name))
		}
	}
	return values, nil
}

// Prompt gets a prompt's text from its server, as blocks for a message of the
// user's. images says whether the model takes pictures.
func (m *Manager) Prompt(ctx context.Context, server, name string, values map[string]string, images bool) ([]message.Block, error) {
	r, err := m.find(server)
	if err != nil {
		return nil, err
	}
	l, err := r.usable(ctx)
	if err != nil {
		return nil, err
	}
	var res *sdk.GetPromptResult
	err = r.do(ctx, l, func(ctx context.Context, _ func()) error {
		res, err = l.session.GetPrompt(ctx, &sdk.GetPromptParams{Name: name, Arguments: values})
		return err
	})
	if err != nil {
		return nil, err
	}
	c := collector{images: images}
	for _, msg := range res.Messages {
		if msg == nil {
			continue
		}
		if msg.Role == "assistant" {
			c.text("(You answered:)")
		}
		c.add(ctx, msg.Content)
	}
	blocks := c.done()
	if len(blocks) == 0 {
		return nil, fmt.Errorf("the prompt %s of the MCP server %q is empty", field(name), label(server))
	}
	return blocks, nil
}
