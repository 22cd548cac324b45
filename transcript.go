package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/export"
	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
	"github.com/hoopoe-agent/hoopoe/engine/session"
)

// show prints a session as Markdown, fit for a terminal.
func (s saved) show(query string) error {
	found, err := s.find(query)
	if err != nil {
		return err
	}
	var b strings.Builder
	if err := writeSession(&b, found, "md"); err != nil {
		return err
	}
	_, err = io.WriteString(s.p.stdout, sanitize.Text(b.String()))
	return err
}

// export writes a session to stdout or to a file, which must be new.
func (s saved) export(query, format, output string) (err error) {
	if format == "" {
		format = formatOf(output)
	}
	if formats := []string{"html", "md", "jsonl"}; !slices.Contains(formats, format) {
		return usagef("unknown format %q: --format is html, md or jsonl", format)
	}
	found, err := s.find(query)
	if err != nil {
		return err
	}
	if output == "" || output == "-" {
		return writeSession(s.p.stdout, found, format)
	}
	f, err := os.OpenFile(output, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		return fmt.Errorf("export: %s is there already; give another name or remove it", output)
	}
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	if err := errors.Join(writeSession(f, found, format), f.Close()); err != nil {
		os.Remove(output)
		return err
	}
	fmt.Fprintln(s.p.stdout, "wrote "+sanitize.Line(output))
	return nil
}

// formatOf goes by the file's name.
func formatOf(output string) string {
	switch ext := filepath.Ext(output); ext {
	case ".md", ".jsonl":
		return ext[1:]
	}
	return "html"
}

// writeSession writes a session that another process may have open: its file
// is only read.
func writeSession(w io.Writer, found session.Summary, format string) error {
	if format == "jsonl" {
		f, err := os.Open(found.Path)
		if err != nil {
			return fmt.Errorf("export: %w", err)
		}
		defer f.Close()
		if _, err := io.Copy(w, f); err != nil {
			return fmt.Errorf("export %s: %w", found.Path, err)
		}
		return nil
	}
	// A copy in memory has the entries, and an id of its own.
	d, _, err := session.Fork(found.Path, session.Options{InMemory: true})
	if err != nil {
		return err
	}
	defer d.Close()
	t := export.Of(d)
	t.ID, t.Created = found.ID, found.Created
	if format == "md" {
		return export.Markdown(w, t)
	}
	return export.HTML(w, t)
}
