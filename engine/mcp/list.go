package mcp

import (
	"context"
	"fmt"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
)

// Bounds of what is taken from one server's lists.
const (
	maxTools     = 1000
	maxPrompts   = 200
	maxResources = 200
	maxPages     = 100
)

// offer is what a server has.
type offer struct {
	title, version string
	tools          []remoteTool
	prompts        []Prompt
	resources      bool
	notes          []string // what was left out
}

// list asks a server for what it has.
func (r *remote) list(ctx context.Context, l *link) (offer, error) {
	var o offer
	info := l.session.InitializeResult()
	if info == nil || info.Capabilities == nil {
		return o, nil
	}
	if about := info.ServerInfo; about != nil {
		o.title, o.version = field(about.Title), field(about.Version)
		if o.title == "" {
			o.title = field(about.Name)
		}
	}
	o.resources = info.Capabilities.Resources != nil
	if info.Capabilities.Tools != nil {
		tools, cut, err := gather(maxTools, func(cursor string) ([]*sdk.Tool, string, error) {
			page, err := l.session.ListTools(ctx, &sdk.ListToolsParams{Cursor: cursor})
			if err != nil {
				return nil, "", fmt.Errorf("list its tools: %w", err)
			}
			return page.Tools, page.NextCursor, nil
		})
		if err != nil {
			return o, err
		}
		if cut {
			o.notes = append(o.notes, fmt.Sprintf("has too many tools: the first %d are used", len(tools)))
		}
		o.addTools(r, tools)
	}
	if info.Capabilities.Prompts != nil {
		prompts, _, err := gather(maxPrompts, func(cursor string) ([]*sdk.Prompt, string, error) {
			page, err := l.session.ListPrompts(ctx, &sdk.ListPromptsParams{Cursor: cursor})
			if err != nil {
				return nil, "", err
			}
			return page.Prompts, page.NextCursor, nil
		})
		if err != nil {
			r.m.opts.Log.Warn("list prompts", "mcp", r.conf.Name, "error", err)
		}
		o.addPrompts(r, prompts)
	}
	return o, nil
}

// addTools takes each name once.
func (o *offer) addTools(r *remote, tools []*sdk.Tool) {
	taken := map[string]bool{}
	for _, t := range tools {
		made := newTool(r, t)
		if taken[made.spec.Name] {
			o.notes = append(o.notes, fmt.Sprintf("has the tool %q twice: the second one is left out", field(t.Name)))
			continue
		}
		taken[made.spec.Name] = true
		o.tools = append(o.tools, made)
	}
	if len(o.notes) > 3 {
		o.notes = append(o.notes[:3], "has more tools that are left out")
	}
}

// gather collects a list that comes in pages. cut is true when it is longer
// than limit, or has no end.
func gather[T any](limit int, page func(cursor string) ([]T, string, error)) (all []T, cut bool, err error) {
	cursor := ""
	for range maxPages {
		items, next, err := page(cursor)
		if err != nil {
			return all, false, err
		}
		all = append(all, items...)
		if len(all) > limit {
			return all[:limit], true, nil
		}
		if next == "" || next == cursor {
			return all, false, nil
		}
		cursor = next
	}
	return all, true, nil
}

// field cleans a server's words for a place of one line.
func field(s string) string { return clip(sanitize.Line(s), 100) }
