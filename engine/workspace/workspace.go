// Package workspace is the session's view of files and processes: the working
// directory, the roots that count as inside, a file system and a way to run
// commands. Local is this machine; an editor can stand in for it.
//
//	tool ─▶ Workspace.Resolve ─▶ FS (read, write, list) / Exec (processes)
package workspace

import (
	"context"
	"io/fs"
	"time"
)

// Workspace is what tools work on. Methods are safe for concurrent use.
type Workspace interface {
	// Cwd is the session's working directory, absolute.
	Cwd() string
	// Roots are the folders that count as inside; the first is Cwd's.
	Roots() []string
	// Resolve makes a path of the model's absolute (against Cwd, "~"
	// expanded), resolves symlinks of the part that exists, and reports
	// whether the result lies inside a root.
	Resolve(path string) (abs string, inside bool, err error)
	FS
	Exec
}

// FS reads and writes files by absolute path.
type FS interface {
	Stat(ctx context.Context, path string) (fs.FileInfo, error)
	// ReadFile reads a whole file; a file over limit bytes is an error that
	// names its size. limit 0 means no limit.
	ReadFile(ctx context.Context, path string, limit int64) ([]byte, error)
	// WriteFile writes atomically, through symlinks, keeping the mode of a
	// file that exists and making missing parents.
	WriteFile(ctx context.Context, path string, data []byte) error
	ReadDir(ctx context.Context, path string) ([]fs.DirEntry, error)
}

// Exec runs commands.
type Exec interface {
	Run(ctx context.Context, c Command) (Output, error)
}

// Command is a script for the user's shell.
type Command struct {
	Script  string
	Dir     string // defaults to Cwd
	Env     []string
	Timeout time.Duration // 0: none
	// OnOutput gets the tail of the output so far, throttled; it may be nil.
	OnOutput func(tail string)
}

// Output is how a command ended. stdout and stderr are merged in order.
type Output struct {
	Text           string // the tail, within the caps
	ExitCode       *int   // nil when killed
	TimedOut       bool
	Cancelled      bool
	Truncated      bool
	TotalLines     int
	TotalBytes     int64
	FullOutputPath string // the whole output, when Truncated
	// SpoolErr says why FullOutputPath doesn't hold all of a truncated output.
	SpoolErr error
}
