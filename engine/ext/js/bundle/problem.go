package bundle

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/hoopoe-agent/hoopoe/engine/internal/plainfile"
)

// maxProblems is how many faults of one extension are told; the rest follow
// from the first more often than not.
const maxProblems = 5

// Problem is one fault in an extension's files.
type Problem struct {
	File   string // absolute path
	Line   int    // from 1; 0 if the problem has no place in the file
	Column int    // in characters, from 1
	Text   string // what is wrong and what to do
}

// String reads "file:line:column: text".
func (p Problem) String() string {
	if p.Line == 0 {
		return p.File + ": " + p.Text
	}
	return fmt.Sprintf("%s:%d:%d: %s", p.File, p.Line, p.Column, p.Text)
}

// Error says why an extension can't be loaded.
type Error struct {
	Entry    string
	Problems []Problem // at least one
}

// Error is one line for each problem.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("load extension: ")
	for i, p := range e.Problems {
		if i > 0 {
			b.WriteString("\n")
		}
		b.WriteString(p.String())
	}
	return b.String()
}

// place turns a byte offset of src into line and column.
func place(src []byte, offset int) (line, column int) {
	before := string(src[:min(max(offset, 0), len(src))])
	start := strings.LastIndexByte(before, '\n') + 1
	return 1 + strings.Count(before, "\n"), 1 + utf8.RuneCountInString(before[start:])
}

// failure turns what esbuild says into an *Error.
func failure(ctx context.Context, entry string, messages []api.Message) error {
	if err := context.Cause(ctx); err != nil {
		return fmt.Errorf("load extension %s: %w", entry, err)
	}
	e := &Error{Entry: entry}
	for _, m := range messages {
		if len(e.Problems) == maxProblems {
			break
		}
		p := Problem{File: entry, Text: reword(m.Text)}
		if at := m.Location; at != nil {
			// The column is in bytes; LineText is the whole line.
			column := utf8.RuneCountInString(at.LineText[:min(max(at.Column, 0), len(at.LineText))])
			p.File, p.Line, p.Column = filepath.FromSlash(at.File), at.Line, column+1
		}
		e.Problems = append(e.Problems, p)
	}
	return e
}

var (
	unresolved  = regexp.MustCompile(`^Could not resolve "([^"]*)"`)
	noLoader    = regexp.MustCompile(`^No loader is configured for "([^"]*)" files`)
	topLevel    = regexp.MustCompile(`^(Top-level await|This require call is not allowed because the imported file .* contains a top-level await)`)
	notExported = regexp.MustCompile(`^No matching export in "(?:[^":]*:)?([^"]*)" for import "([^"]*)"$`)
)

// reword says a message of esbuild's in our words where it has something to
// add, and in our case elsewhere.
func reword(text string) string {
	if m := unresolved.FindStringSubmatch(text); m != nil {
		if isPath(m[1]) {
			return fmt.Sprintf("can't find %q; check the name, which may leave out only %s", m[1], strings.Join(scriptExtensions, ", "))
		}
		return fmt.Sprintf("can't find the package %q; install it beside the extension (npm install %s) or remove the import", m[1], packageName(m[1]))
	}
	if m := noLoader.FindStringSubmatch(text); m != nil {
		return unsupported(m[1])
	}
	if topLevel.MatchString(text) {
		return "await can't stand outside of a function here; move it into the exported function, which may be async"
	}
	if m := notExported.FindStringSubmatch(text); m != nil {
		return fmt.Sprintf("%s doesn't export %q; check the name", m[1], m[2])
	}
	first, size := utf8.DecodeRuneInString(text)
	if second, _ := utf8.DecodeRuneInString(text[size:]); unicode.IsUpper(second) {
		return text // an abbreviation
	}
	return string(unicode.ToLower(first)) + text[size:]
}

func unsupported(extension string) string {
	if extension == "" {
		extension = "unnamed"
	}
	return fmt.Sprintf("%s files can't be imported; scripts, .json, .txt and .md files can", extension)
}

// unreadable says why a file can't be read.
func unreadable(err error) string {
	var large *plainfile.TooLargeError
	switch {
	case errors.As(err, &large):
		return fmt.Sprintf("has %d bytes, more than the %d that one file may have; split it or leave out what isn't needed", large.Size, large.Limit)
	case errors.Is(err, fs.ErrNotExist):
		return "isn't there; check the path"
	case errors.Is(err, fs.ErrPermission):
		return "can't be read; check its permissions"
	case errors.Is(err, plainfile.ErrNotFile):
		return "isn't a regular file"
	}
	return err.Error()
}
