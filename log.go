package main

import (
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"

	"github.com/hoopoe-agent/hoopoe/engine/redact"
)

// maxLog is the size at which the log begins anew; the one before is kept.
const maxLog = 4 << 20

// newLog writes to a file in folder, made at the first record. Keys that
// secrets learns of are masked. Without a folder nothing is kept.
func newLog(folder string, secrets *redact.Redactor) *slog.Logger {
	if folder == "" {
		return slog.New(slog.DiscardHandler)
	}
	file := &logFile{path: filepath.Join(folder, "hoopoe.log")}
	file.open = sync.OnceValue(file.create)
	return slog.New(secrets.Handler(slog.NewJSONHandler(file, nil)))
}

// logFile opens itself at the first write. A log that can't be written is
// given up silently: there is no better place to complain.
type logFile struct {
	path string
	open func() io.Writer
}

func (l *logFile) Write(p []byte) (int, error) { return l.open().Write(p) }

func (l *logFile) create() io.Writer {
	if info, err := os.Stat(l.path); err == nil && info.Size() > maxLog {
		_ = os.Rename(l.path, l.path+".1")
	}
	if err := os.MkdirAll(filepath.Dir(l.path), 0o700); err != nil {
		return io.Discard
	}
	f, err := os.OpenFile(l.path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return io.Discard
	}
	return f
}
