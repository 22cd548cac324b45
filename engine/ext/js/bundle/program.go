package bundle

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/grafana/sobek"
	"github.com/grafana/sobek/parser"
)

// Program is the compiled script. It is compiled once; runtimes of several
// sessions can run it at the same time. Positions in errors are those of the
// original files; see Readable.
func (b *Bundle) Program() (*sobek.Program, error) { return b.compile() }

func compile(b *Bundle, timeout time.Duration) (*sobek.Program, error) {
	ctx, cancel := context.WithTimeoutCause(context.Background(), timeout, fmt.Errorf("compiling took longer than %v", timeout))
	defer cancel()
	p, err := within(ctx, func() (*sobek.Program, error) {
		withMap := parser.WithSourceMapLoader(func(string) ([]byte, error) { return b.Map, nil })
		tree, err := sobek.Parse(b.Entry, string(b.Code), withMap)
		if err != nil {
			return nil, err
		}
		return sobek.CompileAST(tree, false)
	})
	if err != nil {
		return nil, fmt.Errorf("load extension %s: %s", b.Entry, b.Readable(err.Error()))
	}
	return p, nil
}

// Readable undoes the escapes that the compiler puts into file names: a text
// such as a stack has the names of Files again.
func (b *Bundle) Readable(text string) string {
	if !strings.Contains(text, "%") {
		return text
	}
	var pairs []string
	for _, f := range append([]string{b.Entry}, b.Files...) {
		name := filepath.ToSlash(f)
		if escaped := (&url.URL{Path: name}).String(); escaped != name {
			pairs = append(pairs, escaped, f)
		}
	}
	return strings.NewReplacer(pairs...).Replace(text)
}
