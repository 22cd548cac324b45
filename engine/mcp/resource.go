package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
	"github.com/hoopoe-agent/hoopoe/engine/tool"
)

type resourceArgs struct {
	Server string `json:"server,omitempty" jsonschema:"The MCP server; may be left out when only one has resources."`
	URI    string `json:"uri,omitempty" jsonschema:"The resource to read. Left out: list the resources."`
}

// resourceTool lists and reads the resources of the servers that have some.
func (m *Manager) resourceTool() tool.Tool {
	var with []string
	for _, r := range m.withResources() {
		with = append(with, label(r.conf.Name))
	}
	spec := tool.Spec{
		Name: ResourceTool, Label: "Read MCP resource", Kind: tool.Read,
		Description: "Reads a resource of an MCP server by its uri, or lists the resources when no uri is given. " +
			"Servers with resources: " + clip(strings.Join(with, ", "), 1000) + ".",
		Summary: "List and read resources of the MCP servers",
	}
	return tool.New(spec, m.resource, tool.Described(
		func(_ context.Context, _ tool.Call, a resourceArgs) (tool.Description, error) {
			title := "List MCP resources"
			if a.URI != "" {
				title = "Read MCP resource " + clip(sanitize.Line(a.URI), maxShown)
			}
			if a.Server != "" {
				title += " of " + label(a.Server)
			}
			return tool.Description{Title: title, Kind: tool.Read}, nil
		}))
}

func (m *Manager) withResources() []*remote {
	var list []*remote
	for _, r := range m.remote {
		if r.offered().resources {
			list = append(list, r)
		}
	}
	return list
}

func (m *Manager) resource(ctx context.Context, c tool.Call, a resourceArgs) (tool.Result, error) {
	servers := m.withResources()
	if a.Server != "" {
		r, err := m.find(a.Server)
		if err != nil {
			return tool.Result{}, err
		}
		servers = []*remote{r}
	}
	if a.URI == "" {
		return m.listResources(ctx, servers)
	}
	if len(servers) != 1 {
		return tool.Result{}, errors.New("say in server which one the resource is of: list the resources to see it")
	}
	r := servers[0]
	l, err := r.usable(ctx)
	if err != nil {
		return tool.Result{}, err
	}
	var res *sdk.ReadResourceResult
	err = r.do(ctx, l, func(ctx context.Context, _ func()) error {
		res, err = l.session.ReadResource(ctx, &sdk.ReadResourceParams{URI: a.URI})
		return err
	})
	if err != nil {
		return tool.Result{}, err
	}
	content := collector{images: c.Env.Images}
	for _, item := range res.Contents {
		content.resource(ctx, item)
	}
	return tool.Result{Content: content.done()}, nil
}

// listResources asks the servers one after the other. One that fails has its
// error in the list.
func (m *Manager) listResources(ctx context.Context, servers []*remote) (tool.Result, error) {
	var b strings.Builder
	for _, r := range servers {
		fmt.Fprintf(&b, "Server %s:\n", label(r.conf.Name))
		err := r.writeResources(ctx, &b)
		switch {
		case ctx.Err() != nil:
			return tool.Result{}, ctx.Err()
		case err != nil:
			fmt.Fprintf(&b, "(%v)\n", err)
		}
	}
	if b.Len() == 0 {
		b.WriteString("No MCP server has resources.")
	}
	return tool.TextResult(tool.Capped(b.String(), "Name a server to see its list alone.")), nil
}

func (r *remote) writeResources(ctx context.Context, b *strings.Builder) error {
	l, err := r.usable(ctx)
	if err != nil {
		return err
	}
	return r.do(ctx, l, func(ctx context.Context, _ func()) error {
		resources, cut, err := gather(maxResources, func(cursor string) ([]*sdk.Resource, string, error) {
			page, err := l.session.ListResources(ctx, &sdk.ListResourcesParams{Cursor: cursor})
			if err != nil {
				return nil, "", err
			}
			return page.Resources, page.NextCursor, nil
		})
		if err != nil {
			return err
		}
		for _, x := range resources {
			if x != nil {
				writeResource(b, x.URI, x.Name, x.MIMEType, x.Description)
			}
		}
		if cut {
			b.WriteString("(there are more)\n")
		}
		// Many servers with resources have no templates and say so by an error.
		page, err := l.session.ListResourceTemplates(ctx, nil)
		if err != nil {
			return ctx.Err()
		}
		for _, x := range page.ResourceTemplates[:min(len(page.ResourceTemplates), maxResources)] {
			if x != nil {
				writeResource(b, x.URITemplate, x.Name, x.MIMEType, x.Description)
			}
		}
		return nil
	})
}

func writeResource(b *strings.Builder, uri, name, kind, about string) {
	fmt.Fprintf(b, "- %s", clip(sanitize.Line(uri), maxURI))
	for _, s := range []string{name, kind, clip(sanitize.Line(about), 200)} {
		if s = clip(sanitize.Line(s), 200); s != "" {
			b.WriteString(" | " + s)
		}
	}
	b.WriteByte('\n')
}
