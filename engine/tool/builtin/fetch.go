package builtin

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/hoopoe-agent/hoopoe/engine/internal/page"
	"github.com/hoopoe-agent/hoopoe/engine/internal/web"
	"github.com/hoopoe-agent/hoopoe/engine/tool"
)

//go:embed fetch.md
var fetchDoc string

// FetchName is the name of the tool that gets pages.
const FetchName = "web_fetch"

type fetchArgs struct {
	URL    string `json:"url" jsonschema:"The whole URL."`
	Format string `json:"format,omitempty" jsonschema:"markdown by default; html is the source."`
	Max    int    `json:"max,omitempty" jsonschema:"Most bytes of it."`
}

type fetchDetails struct {
	URL     string `json:"url"` // after redirects
	Status  int    `json:"status"`
	Type    string `json:"type"`
	Bytes   int    `json:"bytes"` // that were read
	Cut     bool   `json:"truncated,omitempty"`
	MovedTo string `json:"movedTo,omitempty"`
}

// Fetch returns the tool that gets pages by a client. It is the only one that
// reaches the network, and therefore none of Standard.
func Fetch(c *web.Client) tool.Tool {
	f := fetcher{c}
	return tool.New(tool.Spec{
		Name: FetchName, Label: "Fetch", Aliases: []string{"webfetch"}, Kind: tool.Fetch,
		Description: fetchDoc, Summary: "get a page of the public web",
	}, f.fetch, tool.Described(f.describe), tool.Tuned[fetchArgs](func(s *jsonschema.Schema) {
		s.Properties["format"].Enum = []any{"markdown", "text", "html"}
		s.Properties["max"].Minimum = jsonschema.Ptr(1.0)
	}))
}

type fetcher struct{ client *web.Client }

// target is the address of a call, if it is one that may be asked for: the
// user isn't asked about what would be refused.
func (f fetcher) target(a fetchArgs) (*url.URL, error) {
	u, err := web.Parse(a.URL)
	if err == nil {
		err = f.client.Check(u)
	}
	return u, err
}

func (f fetcher) describe(_ context.Context, _ tool.Call, a fetchArgs) (tool.Description, error) {
	u, err := f.target(a)
	if err != nil {
		return tool.Description{}, err
	}
	return tool.Description{Title: tool.Line("Fetch "+u.String(), 200), Kind: tool.Fetch, URL: u.String()}, nil
}

func (f fetcher) fetch(ctx context.Context, _ tool.Call, a fetchArgs) (tool.Result, error) {
	u, err := f.target(a)
	if err != nil {
		return tool.Result{}, err
	}
	r, err := f.client.Get(ctx, u)
	if refused, ok := errors.AsType[*web.TypeError](err); ok {
		return tool.Result{}, fmt.Errorf("%s is nothing to read: %w; if the file is needed, save it with bash", u, refused)
	}
	if err != nil {
		return tool.Result{}, err
	}
	d := fetchDetails{URL: r.URL.String(), Status: r.Status, Type: r.Type, Bytes: len(r.Body), Cut: r.Cut}
	if r.Moved != nil {
		d.MovedTo = r.Moved.String()
		return result(fmt.Sprintf("[Nothing was read: %s sends on to another site, %s. Fetch that if it is what you want.]", r.URL, d.MovedTo), d), nil
	}
	most := min(a.Max, tool.MaxBytes)
	if most <= 0 {
		most = tool.MaxBytes
	}
	if r.Status >= 400 {
		text := ""
		if web.Readable(r.Type) {
			text = readable(r, a.Format, min(most, failedBytes), &d)
		}
		return result(text, d), fmt.Errorf("%s answered %s", r.URL.Host, r.StatusText())
	}
	return result(readable(r, a.Format, most, &d), d), nil
}

// failedBytes is how much of a page that only says what is wrong is given.
const failedBytes = 2 << 10

// readable is an answer as the model reads it: where it is from, its title,
// its text within most bytes, and what isn't there.
func readable(r *web.Response, format string, most int, d *fetchDetails) string {
	text, title, notes := r.Text(), "", []string(nil)
	if format != "html" && (r.Type == "text/html" || r.Type == "application/xhtml+xml") {
		p := page.Read(text, page.Options{Base: r.URL, Plain: format == "text"})
		text, title = p.Text, p.Title
		d.Cut = d.Cut || p.Cut
		if p.Refresh != "" {
			notes = append(notes, "The page sends browsers on to "+p.Refresh)
		}
		if text == "" {
			notes = append(notes, "There is no text on the page; it may be made by scripts, which aren't run")
		}
	}
	kept, cut := tool.Head(text, tool.MaxLines, most)
	if d.Cut = d.Cut || cut.Short(); d.Cut {
		whole := tool.Size(int64(cut.TotalBytes))
		if r.Cut {
			whole = "more than " + whole
		}
		notes = append(notes, fmt.Sprintf("Cut: the first %s of %s of text", tool.Size(int64(cut.Bytes)), whole))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s, %s)\n", r.URL, r.Type, tool.Size(int64(len(r.Body))))
	if title != "" {
		b.WriteString("Title: " + tool.Line(title, 300) + "\n")
	}
	if kept != "" {
		b.WriteString("\n" + strings.TrimRight(kept, "\n") + "\n")
	}
	for _, note := range notes {
		b.WriteString("\n[" + note + ".]")
	}
	return strings.TrimRight(b.String(), "\n")
}
