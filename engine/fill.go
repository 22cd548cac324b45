package engine

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"

	"github.com/hoopoe-agent/hoopoe/engine/compact"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/prompt"
)

// Fill is what the next request would put into the model's context window.
// Token counts of parts are estimates.
type Fill struct {
	// Used is what the last answer and what came after it say; -1 when unknown.
	Used   int
	Window int // 0 when unknown
	// Limit is where compaction begins; 0 when it won't.
	Limit int
	Parts []FillPart
}

// FillPart is a share of the context.
type FillPart struct {
	Name   string
	Tokens int
	Count  int // of messages, tools, files
}

// Fill tells what fills the context window, in the order of a request.
func (s *Session) Fill(ctx context.Context) (Fill, error) {
	type now struct {
		fill     Fill
		messages []message.Message
	}
	n, err := do(ctx, s, func() (now, error) {
		u := s.usageEvent()
		f := Fill{Used: u.ContextTokens, Window: u.ContextWindow}
		if s.auto.compaction {
			f.Limit = s.env.compaction().Limit(u.ContextWindow)
		}
		return now{f, s.messages}, nil
	})
	if err != nil {
		return Fill{}, err
	}
	n.fill.Parts = append(s.env.parts(), s.toolParts()...)
	n.fill.Parts = append(n.fill.Parts, messageParts(n.messages)...)
	return n.fill, nil
}

// tokensOf guesses the tokens of a text.
func tokensOf(n int) int { return n / 4 }

// parts are those of the system prompt.
func (e *environment) parts() []FillPart {
	rest := len(e.system())
	var files []prompt.File
	if !e.without.contextFiles {
		files, _ = prompt.ContextFiles(prompt.Search{
			Files: prompt.Disk(), Home: e.engine.paths.Home, Cwd: e.workspace.Cwd(), User: e.engine.paths.Config,
		})
	}
	var parts []FillPart
	for _, f := range files {
		parts = append(parts, FillPart{Name: filepath.Base(f.Path), Tokens: tokensOf(len(f.Text)), Count: 1})
		rest -= len(f.Text)
	}
	skills := 0
	g := e.guidance()
	for _, k := range g.skills {
		skills += len(k.Name) + len(k.Description) + len(k.Path)
	}
	if skills > 0 && rest > skills {
		parts = append(parts, FillPart{Name: "skills", Tokens: tokensOf(skills), Count: len(g.skills)})
		rest -= skills
	}
	return append([]FillPart{{Name: "instructions", Tokens: tokensOf(max(rest, 0)), Count: 1}}, parts...)
}

// toolParts are the session's own tools, and those of others.
func (s *Session) toolParts() []FillPart {
	own := FillPart{Name: "tools"}
	lent := FillPart{Name: "tools of servers, extensions and hosts"}
	for _, spec := range s.tools.visible() {
		part := &own
		if _, err := s.tools.Registry.Find(spec.Name); err != nil {
			part = &lent
		}
		part.Count++
		part.Tokens += tokensOf(len(spec.Name) + len(spec.Description) + len(spec.Parameters))
	}
	return present([]FillPart{own, lent})
}

// messageParts are the conversation, by who speaks and, for results, by tool.
func messageParts(messages []message.Message) []FillPart {
	parts := map[string]*FillPart{}
	add := func(name string, m message.Message) {
		p := parts[name]
		if p == nil {
			p = &FillPart{Name: name}
			parts[name] = p
		}
		p.Count++
		p.Tokens += compact.Estimate(m)
	}
	for _, m := range messages {
		switch m.Role {
		case message.User:
			add("your messages", m)
		case message.Assistant:
			add("answers", m)
		case message.ToolResult:
			add("results of "+m.ToolName, m)
		case message.CompactionSummary, message.BranchSummary:
			add("summaries", m)
		default:
			add("other messages", m)
		}
	}
	list := make([]FillPart, 0, len(parts))
	for _, p := range parts {
		list = append(list, *p)
	}
	slices.SortFunc(list, func(a, b FillPart) int {
		return cmp.Or(cmp.Compare(b.Tokens, a.Tokens), cmp.Compare(a.Name, b.Name))
	})
	return list
}

func present(parts []FillPart) []FillPart {
	return slices.DeleteFunc(parts, func(p FillPart) bool { return p.Count == 0 })
}
