package mcp

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hoopoe-agent/hoopoe/engine/jsonl"
	"github.com/hoopoe-agent/hoopoe/engine/message"
	"github.com/hoopoe-agent/hoopoe/engine/picture"
	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
	"github.com/hoopoe-agent/hoopoe/engine/tool"
)

// Bounds of one result; its texts together have those of engine/tool.
const (
	maxImages  = 8
	maxDetails = 64 << 10 // bytes of structured content
)

var errTool = errors.New("the tool reports that the call failed")

// toResult turns what a server returned into a result. A failed call is an
// error beside its content.
func toResult(ctx context.Context, res *sdk.CallToolResult, images bool) (tool.Result, error) {
	c := collector{images: images}
	for _, item := range res.Content {
		c.add(ctx, item)
	}
	out := tool.Result{}
	if res.StructuredContent != nil {
		raw, err := jsonl.Value(map[string]any{"structuredContent": res.StructuredContent})
		if err == nil && len(raw) <= maxDetails {
			out.Details = raw
		}
		if len(res.Content) == 0 {
			if raw, err := jsonl.Value(res.StructuredContent); err == nil {
				c.text(string(raw))
			}
		}
	}
	out.Content = c.done()
	if res.IsError {
		return out, errTool
	}
	if len(out.Content) == 0 {
		out.Content = []message.Block{message.TextOf("The tool returned nothing.")}
	}
	return out, nil
}

// collector gathers content: neighbouring texts become one block, and all
// texts together keep to the caps of a call.
type collector struct {
	images   bool // the model takes images
	blocks   []message.Block
	pending  []string
	pictures int
	bytes    int // of text so far
	full     bool
}

func (c *collector) text(s string) { c.pending = append(c.pending, strings.ToValidUTF8(s, "\uFFFD")) }

// flush makes a block of the texts so far.
func (c *collector) flush() {
	text := strings.Join(c.pending, "\n")
	c.pending = nil
	if text == "" || c.full {
		return
	}
	const hint = "Ask the tool for less, or for one part at a time."
	kept := tool.Capped(text, hint)
	if c.bytes+len(kept) > tool.MaxBytes+len(hint)+200 {
		kept, c.full = "[More text is left out. "+hint+"]", true
	}
	c.bytes += len(kept)
	c.blocks = append(c.blocks, message.TextOf(kept))
}

func (c *collector) done() []message.Block {
	c.flush()
	return c.blocks
}

func (c *collector) add(ctx context.Context, item sdk.Content) {
	switch t := item.(type) {
	case *sdk.TextContent:
		c.text(t.Text)
	case *sdk.ImageContent:
		c.image(ctx, t.Data, "image")
	case *sdk.AudioContent:
		c.text(fmt.Sprintf("[audio, %s, %s: it can't be shown]", field(t.MIMEType), tool.Size(int64(len(t.Data)))))
	case *sdk.ResourceLink:
		c.text(linkText(t))
	case *sdk.EmbeddedResource:
		c.resource(ctx, t.Resource)
	}
}

func linkText(l *sdk.ResourceLink) string {
	text := fmt.Sprintf("[resource %s: %s", field(l.Name), clip(sanitize.Line(l.URI), maxURI))
	if l.MIMEType != "" {
		text += ", " + field(l.MIMEType)
	}
	if l.Description != "" {
		text += ", " + clip(sanitize.Line(l.Description), 300)
	}
	return text + "]"
}

// maxURI bounds the address of a resource, in bytes.
const maxURI = 2 << 10

func (c *collector) resource(ctx context.Context, r *sdk.ResourceContents) {
	if r == nil {
		return
	}
	name := clip(sanitize.Line(r.URI), maxURI)
	switch {
	case r.Text != "" || len(r.Blob) == 0:
		c.text(name + ":\n" + r.Text)
	case picture.Kind(r.Blob) != "":
		c.image(ctx, r.Blob, name)
	default:
		c.text(fmt.Sprintf("[%s: %s, %s, it isn't text]", name, field(r.MIMEType), tool.Size(int64(len(r.Blob)))))
	}
}

// image adds a picture that models take, by its own first bytes: what the
// server says of its kind isn't believed.
func (c *collector) image(ctx context.Context, data []byte, name string) {
	kind := picture.Kind(data)
	p, err := picture.Measure(data)
	size := tool.Size(int64(len(data)))
	switch {
	case kind == "" || err != nil:
		c.text(fmt.Sprintf("[%s, %s: not a picture that can be shown]", name, size))
		return
	case !c.images:
		c.text(fmt.Sprintf("[%s: %s, %dx%d, %s; the current model takes no images]", name, kind, p.Width, p.Height, size))
		return
	case c.pictures == maxImages:
		c.text(fmt.Sprintf("[%s: left out, %d are shown]", name, maxImages))
		return
	}
	fit, err := picture.Fit(ctx, p)
	if err != nil {
		c.text(fmt.Sprintf("[%s: %s, %dx%d, %s: %v]", name, kind, p.Width, p.Height, size, err))
		return
	}
	c.pictures++
	c.flush()
	c.blocks = append(c.blocks, message.ImageOf(base64.StdEncoding.EncodeToString(fit.Data), "image/"+fit.Kind))
}
