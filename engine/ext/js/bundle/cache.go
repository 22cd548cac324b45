package bundle

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/internal/atomicfile"
	"github.com/hoopoe-agent/hoopoe/engine/internal/plainfile"
)

// format is part of every cache file's name: another way of bundling, a newer
// esbuild among them, needs another format.
const format = "2"

const (
	suffix = ".bundle"
	// keepFor is how long a bundle that nobody asks for stays.
	keepFor = 30 * 24 * time.Hour
	// touchEvery is how exactly the time of last use is kept.
	touchEvery = 24 * time.Hour
	maxCached  = 64 << 20
)

// head is the first line of a cache file; script and map follow it.
type head struct {
	Record  *record
	Code    int // bytes of the script
	Digest  string
	Version string
}

func (b *Bundler) cacheFile(entry string) string {
	return filepath.Join(b.options.Cache, digest([]byte(format + "\n" + entry))[:32]+suffix)
}

// cached returns the record of entry if it is in the cache and still true.
func (b *Bundler) cached(entry string) *record {
	if b.options.Cache == "" {
		return nil
	}
	path := b.cacheFile(entry)
	data, err := plainfile.Read(path, maxCached)
	if err != nil {
		return nil
	}
	line, body, _ := bytes.Cut(data, []byte("\n"))
	var h head
	if json.Unmarshal(line, &h) != nil || h.Record == nil || h.Code < 0 || h.Code > len(body) {
		return nil
	}
	if h.Version != b.options.Version || h.Record.Entry != entry || h.Digest != digest(body) || !b.holds(h.Record) {
		return nil
	}
	r := h.Record
	r.code, r.sourceMap = body[:h.Code:h.Code], body[h.Code:]
	b.touch(path)
	return r
}

// holds reports whether a new build would take the same inputs.
func (b *Bundler) holds(r *record) bool {
	if len(r.Inputs) == 0 {
		return false
	}
	for _, in := range r.Inputs {
		content, err := plainfile.Read(in.Path, maxFile)
		if err != nil || digest(content) != in.Digest {
			return false
		}
	}
	for _, path := range r.Absent {
		if isFile(path) {
			return false
		}
	}
	for _, path := range r.Served {
		if !b.options.External(path) {
			return false
		}
	}
	return true
}

// keep writes a record to the cache. Whoever loads the extension doesn't care
// if that fails.
func (b *Bundler) keep(entry string, r *record) {
	if b.options.Cache == "" {
		return
	}
	body := append(bytes.Clone(r.code), r.sourceMap...)
	line, err := json.Marshal(head{Record: r, Code: len(r.code), Digest: digest(body), Version: b.options.Version})
	if err != nil {
		return
	}
	_ = atomicfile.Write(b.cacheFile(entry), append(append(line, '\n'), body...), atomicfile.Options{Mode: 0o600, DirMode: 0o700})
}

// touch tells Sweep that a bundle is in use.
func (b *Bundler) touch(path string) {
	now := b.options.Now()
	if info, err := os.Stat(path); err == nil && now.Sub(info.ModTime()) > touchEvery {
		_ = os.Chtimes(path, now, now)
	}
}

// Sweep removes bundles from the cache that weren't used for 30 days, and what
// a crash left of writing one. Other files stay.
func (b *Bundler) Sweep() error {
	if b.options.Cache == "" {
		return nil
	}
	found, err := os.ReadDir(b.options.Cache)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("clear the cache of extensions: %w", err)
	}
	before := b.options.Now().Add(-keepFor)
	var errs []error
	for _, f := range found {
		info, err := f.Info()
		if err != nil || !info.Mode().IsRegular() || !strings.Contains(f.Name(), suffix) || info.ModTime().After(before) {
			continue
		}
		if err := os.Remove(filepath.Join(b.options.Cache, f.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, fmt.Errorf("clear the cache of extensions: %w", err))
		}
	}
	return errors.Join(errs...)
}
