package acp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/hoopoe-agent/hoopoe/engine/workspace"
)

// editor lets tools see what the editor has open, and writes through it, so that
// edits land in its review. All else is the local disk's.
//
// A file that a command has changed is read from the disk: the editor may not
// have noticed yet.
type editor struct {
	*workspace.Local
	live *live

	mu       sync.Mutex
	commands []span
	written  map[string]time.Time // by path, through the editor
	texts    map[string]string    // of files about to be edited, as the editor had them
}

// span is the time of a command; its end is zero while it runs.
type span struct{ from, to time.Time }

// maxSpans bounds how many commands are remembered.
const maxSpans = 100

func newEditor(l *live, local *workspace.Local) *editor {
	return &editor{Local: local, live: l, written: map[string]time.Time{}, texts: map[string]string{}}
}

type readParams struct {
	SessionID string `json:"sessionId"`
	Path      string `json:"path"`
}

type writeParams struct {
	SessionID string `json:"sessionId"`
	Path      string `json:"path"`
	Content   string `json:"content"`
}

// about reports whether a tool of these kinds is at work; searches and the like
// keep to the disk, since they open too much.
func about(ctx context.Context, kinds ...string) bool {
	c, ok := workspace.CallOf(ctx)
	return ok && slices.Contains(kinds, c.Kind)
}

// Stat implements workspace.FS. What was never saved is a file too.
func (e *editor) Stat(ctx context.Context, path string) (fs.FileInfo, error) {
	info, err := e.Local.Stat(ctx, path)
	if !errors.Is(err, fs.ErrNotExist) || !e.live.client.FS.ReadTextFile || !about(ctx, "read", "edit") {
		return info, err
	}
	data, unsaved := e.ReadFile(ctx, path, 0)
	if unsaved != nil {
		return nil, err
	}
	return buffer{filepath.Base(path), int64(len(data)), e.live.server.options.Now()}, nil
}

// buffer is a file that is in the editor alone.
type buffer struct {
	name string
	size int64
	at   time.Time
}

func (b buffer) Name() string       { return b.name }
func (b buffer) Size() int64        { return b.size }
func (b buffer) Mode() fs.FileMode  { return 0o644 }
func (b buffer) ModTime() time.Time { return b.at }
func (b buffer) IsDir() bool        { return false }
func (b buffer) Sys() any           { return nil }

// ReadFile implements workspace.FS.
func (e *editor) ReadFile(ctx context.Context, path string, limit int64) ([]byte, error) {
	info, statErr := e.Local.Stat(ctx, path)
	if !e.live.client.FS.ReadTextFile || !about(ctx, "read", "edit") || statErr == nil && (!info.Mode().IsRegular() || e.newer(path, info.ModTime())) {
		return e.Local.ReadFile(ctx, path, limit)
	}
	disk, diskErr := e.Local.ReadFile(ctx, path, limit)
	if diskErr == nil && !isText(disk) || diskErr != nil && statErr == nil {
		return disk, diskErr
	}
	var r struct{ Content *string }
	err := e.live.server.peer.Call(ctx, "fs/read_text_file", readParams{e.live.id, path}, &r)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil || r.Content == nil: // not open, or not known there: the disk decides
		return disk, diskErr
	case limit > 0 && int64(len(*r.Content)) > limit:
		return nil, &workspace.TooLargeError{Path: path, Size: int64(len(*r.Content)), Limit: limit}
	case diskErr == nil && *r.Content == plain(disk):
		return disk, nil // with its mark and its line ends, which editors keep to themselves
	}
	e.note(ctx, path, *r.Content)
	return []byte(*r.Content), nil
}

// maxTexts bounds how many texts are kept to show what edits change.
const maxTexts = 32

// note keeps the text of a file that is being edited.
func (e *editor) note(ctx context.Context, path, text string) {
	if !about(ctx, "edit") || len(text) > maxWhole {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.texts) >= maxTexts {
		clear(e.texts)
	}
	e.texts[path] = text
}

// seen is the text that was kept of a file.
func (e *editor) seen(path string) (text string, ok bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	text, ok = e.texts[path]
	return text, ok
}

// isText reports whether editors show data as what it is.
func isText(data []byte) bool { return utf8.Valid(data) && bytes.IndexByte(data, 0) < 0 }

// plain is a text as editors tell it.
func plain(data []byte) string {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	return string(bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")))
}

// WriteFile implements workspace.FS. What the editor refuses is written to the
// disk if there is no such file yet; else the editor's word counts.
func (e *editor) WriteFile(ctx context.Context, path string, data []byte) error {
	if !e.live.client.FS.WriteTextFile || !about(ctx, "edit") || !isText(data) {
		return e.Local.WriteFile(ctx, path, data)
	}
	err := e.live.server.peer.Call(ctx, "fs/write_text_file", writeParams{e.live.id, path, string(data)}, nil)
	if err == nil {
		e.mu.Lock()
		e.written[path] = e.live.server.options.Now()
		e.mu.Unlock()
		return nil
	}
	if _, stat := os.Lstat(path); ctx.Err() == nil && os.IsNotExist(stat) {
		return e.Local.WriteFile(ctx, path, data)
	}
	return fmt.Errorf("the editor doesn't write %s: %w", path, err)
}

// newer reports whether a command has changed a file that was written at a time.
func (e *editor) newer(path string, at time.Time) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if w, ok := e.written[path]; ok && !w.Before(at) {
		return false
	}
	return slices.ContainsFunc(e.commands, func(s span) bool {
		return !at.Before(s.from) && (s.to.IsZero() || !at.After(s.to))
	})
}

// Run implements workspace.Exec: in the editor's terminal where it has some, and
// doesn't show ours.
func (e *editor) Run(ctx context.Context, c workspace.Command) (workspace.Output, error) {
	defer e.command()()
	client := e.live.client
	call, ok := workspace.CallOf(ctx)
	if client.Terminal && !bool(client.Meta.TerminalOutput) && ok && call.Kind == "execute" && hasTerminalShell {
		if out, ran, err := e.inTerminal(ctx, call.ID, c); ran {
			return out, err
		}
	}
	return e.Local.Run(ctx, c)
}

// command notes that a command runs. Times of files are coarser than clocks.
func (e *editor) command() (done func()) {
	const coarse = 20 * time.Millisecond
	now := e.live.server.options.Now
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.commands) >= maxSpans {
		e.commands = e.commands[1:]
	}
	from := now().Add(-coarse)
	e.commands = append(e.commands, span{from: from})
	return func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		for i := range e.commands {
			if e.commands[i].from.Equal(from) && e.commands[i].to.IsZero() {
				e.commands[i].to = now().Add(coarse)
				return
			}
		}
	}
}
