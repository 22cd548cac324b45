package config

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/internal/atomicfile"
	"github.com/hoopoe-agent/hoopoe/engine/internal/filelock"
)

// Bounds of the prompt history. When the file outgrows historyBytes, the
// newest entries that fill half of it stay.
const (
	historyBytes = 2 << 20
	entryBytes   = 64 << 10
)

// Past is one prompt of the history.
type Past struct {
	At     time.Time `json:"at"`
	Folder string    `json:"folder"` // working directory
	Text   string    `json:"text"`
}

// Remember appends a prompt to the history. Empty ones and those above 64 KiB
// (pasted files) are left out.
func (p Paths) Remember(ctx context.Context, past Past) error {
	path := p.history()
	if path == "" {
		return ErrNoHome
	}
	if past.Text == "" || len(past.Text) > entryBytes {
		return nil
	}
	line, err := json.Marshal(past)
	if err != nil {
		return fmt.Errorf("save history: %w", err)
	}
	return filelock.With(ctx, p.lock("history"), func() error {
		if err := appendLine(path, line); err != nil {
			return fmt.Errorf("save history: %w", err)
		}
		return trimHistory(path)
	})
}

// History returns up to limit of the newest prompts, oldest first. Damaged
// lines are skipped.
func (p Paths) History(limit int) ([]Past, error) {
	path := p.history()
	if path == "" {
		return nil, nil
	}
	tail, err := readTail(path, historyBytes)
	if err != nil {
		return nil, err
	}
	var all []Past
	for line := range bytes.Lines(tail) {
		var past Past
		if json.Unmarshal(line, &past) == nil && past.Text != "" {
			all = append(all, past)
		}
	}
	return all[max(0, len(all)-limit):], nil
}

func (p Paths) history() string { return under(p.State, "history.jsonl") }

// appendLine writes line, ending first a torn one that a crash left.
func appendLine(path string, line []byte) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	out := append(line, '\n')
	if size > 0 {
		last := make([]byte, 1)
		if _, err := f.ReadAt(last, size-1); err != nil {
			return err
		}
		if last[0] != '\n' {
			out = append([]byte{'\n'}, out...)
		}
	}
	_, err = f.Write(out)
	return err
}

func trimHistory(path string) error {
	info, err := os.Stat(path)
	if err != nil || info.Size() <= historyBytes {
		return err
	}
	tail, err := readTail(path, historyBytes/2)
	if err != nil {
		return err
	}
	return atomicfile.Write(path, tail, atomicfile.Options{Mode: 0o600})
}

// readTail returns the whole lines among the last limit bytes of a file.
func readTail(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read history: %w", err)
	}
	defer f.Close()
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, fmt.Errorf("read history: %w", err)
	}
	start := max(0, size-limit)
	tail, err := io.ReadAll(io.NewSectionReader(f, start, size-start))
	if err != nil {
		return nil, fmt.Errorf("read history: %w", err)
	}
	if start > 0 {
		_, tail, _ = bytes.Cut(tail, []byte("\n"))
	}
	return tail, nil
}
