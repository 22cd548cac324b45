package foreign

import (
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Place is where a program keeps its sessions.
type Place struct {
	Format  Format
	Program string // for people
	Dir     string
}

// Places are the folders of the programs, as their own variables move them.
func Places(home string, getenv func(string) string) []Place {
	if home == "" {
		return nil
	}
	or := func(name string, path ...string) string {
		if dir := getenv(name); dir != "" {
			return dir
		}
		return filepath.Join(append([]string{home}, path...)...)
	}
	return []Place{
		{Claude, "Claude Code", filepath.Join(or("CLAUDE_CONFIG_DIR", ".claude"), "projects")},
		{Codex, "Codex", filepath.Join(or("CODEX_HOME", ".codex"), "sessions")},
		{Pi, "pi", filepath.Join(or("PI_CODING_AGENT_DIR", ".pi", "agent"), "sessions")},
		{Pi, "oh-my-pi", filepath.Join(home, ".omp", "agent", "sessions")},
	}
}

// File is a session file of another program.
type File struct {
	Path     string
	Modified time.Time
}

// maxFiles bounds how many files are looked at in one place.
const maxFiles = 20_000

// Files lists a place's sessions, the last modified first. A place that isn't
// there has none.
func (p Place) Files() []File {
	dir := p.Dir
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real // the walk follows no links
	}
	var files []File
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || len(files) >= maxFiles {
			return fs.SkipDir
		}
		if d.IsDir() && p.aside(dir, path) {
			return fs.SkipDir
		}
		if !d.Type().IsRegular() || !strings.HasSuffix(d.Name(), ".jsonl") ||
			p.Format == Claude && strings.HasPrefix(d.Name(), "agent-") {
			return nil
		}
		if info, err := d.Info(); err == nil && info.Size() > 0 {
			files = append(files, File{path, info.ModTime()})
		}
		return nil
	})
	slices.SortFunc(files, func(a, b File) int { return b.Modified.Compare(a.Modified) })
	return files
}

// aside reports folders of what sub-agents said: beside a session's file there
// may be one with its name.
func (p Place) aside(dir, path string) bool {
	if p.Format == Claude {
		return filepath.Base(path) == "subagents"
	}
	rel, err := filepath.Rel(dir, path)
	return err == nil && p.Format == Pi && strings.ContainsRune(rel, filepath.Separator)
}

// Cwd reads the folder that a session is about; empty when its beginning
// doesn't tell an absolute path.
func Cwd(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	if cwd := cwdIn(f); (filepath.IsAbs(cwd) || strings.HasPrefix(cwd, "/")) && !strings.ContainsRune(cwd, 0) {
		return cwd
	}
	return ""
}

// cwdIn looks at the first lines alone.
func cwdIn(r io.Reader) string {
	lines := read(io.LimitReader(r, 1<<20))
	for range 50 {
		line, err := lines.Next()
		if err != nil {
			return ""
		}
		var l struct {
			Cwd     string `json:"cwd"`
			Payload struct {
				Cwd string `json:"cwd"`
			} `json:"payload"`
		}
		if json.Unmarshal(line.Data, &l) == nil && l.Cwd+l.Payload.Cwd != "" {
			return l.Cwd + l.Payload.Cwd
		}
	}
	return ""
}
