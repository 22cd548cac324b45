package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/export"
	"github.com/hoopoe-agent/hoopoe/engine/internal/atomicfile"
)

// Export writes the conversation to a file: a page (.html), a document (.md)
// or a copy of the session (.jsonl), by the path's ending. A relative path is
// the working directory's; an empty one means a page named after the session,
// which replaces an earlier one. Any other file that exists is left alone.
func (s *Session) Export(ctx context.Context, path string) (written string, err error) {
	type picture struct {
		t     export.Transcript
		jsonl []byte
		name  string
	}
	named := path != ""
	p, err := do(ctx, s, func() (p picture, err error) {
		p.name = s.doc.ID()
		if file := s.doc.File(); file != "" {
			p.name = strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
		}
		if strings.EqualFold(filepath.Ext(path), ".jsonl") {
			var copied bytes.Buffer
			err = export.JSONL(&copied, s.doc)
			p.jsonl = copied.Bytes()
			return p, err
		}
		p.t = export.Of(s.doc)
		return p, nil
	})
	if err != nil {
		return "", err
	}
	if !named {
		path = "hoopoe-session-" + p.name + ".html"
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(s.env.workspace.Cwd(), path)
	}
	if _, err := os.Lstat(path); named && err == nil {
		return "", fmt.Errorf("export to %s: the file exists; choose another name", path)
	}
	var out bytes.Buffer
	switch strings.ToLower(filepath.Ext(path)) {
	case ".html", ".htm":
		err = export.HTML(&out, p.t)
	case ".md":
		err = export.Markdown(&out, p.t)
	case ".jsonl":
		_, err = out.Write(p.jsonl)
	default:
		err = errors.New("the name must end in .html, .md or .jsonl")
	}
	if err != nil {
		return "", fmt.Errorf("export to %s: %w", path, err)
	}
	if err := atomicfile.Write(path, out.Bytes(), atomicfile.Options{Mode: 0o600, DirMode: 0o755}); err != nil {
		return "", fmt.Errorf("export: %w", err)
	}
	return path, nil
}
