package engine

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/export"
	"github.com/hoopoe-agent/hoopoe/engine/internal/atomicfile"
)

// errInMemory refuses to make a page of a session that isn't kept. The wording
// is the protocol family's.
//
//lint:ignore ST1005 a wire literal
var errInMemory = errors.New("Cannot export in-memory session to HTML")

// ExportHTML writes the conversation as a page to a path, whatever its ending
// and in the place of what is there; an empty one names the page after the
// session. written is the path as it was given, or the page's name in the
// working directory.
func (s *Session) ExportHTML(ctx context.Context, path string) (written string, err error) {
	type picture struct {
		t    export.Transcript
		file string
	}
	p, err := do(ctx, s, func() (picture, error) {
		if s.doc.File() == "" {
			return picture{}, errInMemory
		}
		return picture{export.Of(s.doc), s.doc.File()}, nil
	})
	if err != nil {
		return "", err
	}
	if path == "" {
		path = pageName(p.file)
	}
	var out bytes.Buffer
	if err := export.HTML(&out, p.t); err != nil {
		return "", fmt.Errorf("export to %s: %w", path, err)
	}
	if err := s.writeExport(path, out.Bytes()); err != nil {
		return "", err
	}
	return path, nil
}

// pageName is what a page of a session is called by default.
func pageName(session string) string {
	return "hoopoe-session-" + strings.TrimSuffix(filepath.Base(session), filepath.Ext(session)) + ".html"
}

func (s *Session) writeExport(path string, data []byte) error {
	if !filepath.IsAbs(path) {
		path = filepath.Join(s.env.workspace.Cwd(), path)
	}
	if err := atomicfile.Write(path, data, atomicfile.Options{Mode: 0o600, DirMode: 0o755}); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	return nil
}

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
		p.name = pageName(cmp.Or(s.doc.File(), s.doc.ID()))
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
		path = p.name
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
	return path, s.writeExport(path, out.Bytes())
}
