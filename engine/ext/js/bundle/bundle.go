package bundle

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/grafana/sobek"

	"github.com/hoopoe-agent/hoopoe/engine/internal/plainfile"
)

// What one extension may consist of, in bytes and files.
const (
	maxFile  = 5 << 20
	maxTotal = 20 << 20
	maxFiles = 2000
)

// DefaultTimeout is how long bundling one entry, or compiling it, may take.
const DefaultTimeout = 10 * time.Second

// Options configure a Bundler.
type Options struct {
	// External reports whether the runtime serves a module. It is asked with
	// the path as imported, except that Node's own modules always have their
	// "node:" prefix. nil serves none. It must be safe for concurrent use.
	External func(path string) bool
	// Cache is a folder for finished bundles, made when needed; "" for none.
	Cache string
	// Version is the program's; bundles of another version aren't reused.
	Version string
	// Timeout for bundling one entry, and for compiling it; 0 means DefaultTimeout.
	Timeout time.Duration
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// Bundle is an extension as one script.
type Bundle struct {
	Entry       string // absolute path, as given to Bundler.Bundle
	Name        string // from the header or package.json, else from the path
	Description string // one line; "" when nothing states it
	// Capabilities are those stated, in the order fs, net, exec, env.
	Capabilities []string

	Code []byte // the script; see the package's doc
	Map  []byte // its source map, sources relative to Entry's folder
	// Files are all files that went into the script or decided on it, by their
	// real paths, sorted; to be watched.
	Files []string
	// Externals are the modules that the script asks of the runtime, sorted.
	Externals []string
	// Hash changes when the script, its name or its capabilities could, but not
	// when Files move together. It is a SHA-256 in hex.
	Hash string

	compile func() (*sobek.Program, error)
}

// Bundler makes bundles. It is safe for concurrent use, also by several
// processes that share a cache.
type Bundler struct {
	options Options

	mu   sync.Mutex
	last map[string]*Bundle // by entry: so that sessions share the compiled script
}

// New returns a Bundler.
func New(o Options) *Bundler {
	if o.External == nil {
		o.External = func(string) bool { return false }
	}
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Bundler{options: o, last: map[string]*Bundle{}}
}

// Bundle makes one script of the entry file at path and everything it imports.
// What is wrong with the extension is an *Error. The result is shared: don't
// change it.
func (b *Bundler) Bundle(ctx context.Context, path string) (*Bundle, error) {
	entry, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("load extension %s: %w", path, err)
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("load extension %s: %w", entry, err)
	}
	if !isEntry(entry) {
		return nil, notScript(entry)
	}
	source, err := plainfile.Read(entry, maxFile)
	if err != nil {
		return nil, fault(entry, entry, unreadable(err))
	}
	about, err := describe(entry, source)
	if err != nil {
		return nil, err
	}
	made, err := b.script(ctx, entry, about.root)
	if err != nil {
		return nil, err
	}
	return b.share(made, about), nil
}

// Made is the bundle of an entry as it was made last, nil if that had another
// hash. It doesn't look at the files.
func (b *Bundler) Made(path, hash string) *Bundle {
	b.mu.Lock()
	defer b.mu.Unlock()
	if made := b.last[path]; made != nil && made.Hash == hash {
		return made
	}
	return nil
}

// script takes the bundle from the cache or makes it.
func (b *Bundler) script(ctx context.Context, entry, root string) (*record, error) {
	if r := b.cached(entry); r != nil {
		return r, nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, b.options.Timeout, fmt.Errorf("bundling took longer than %v", b.options.Timeout))
	defer cancel()
	r, err := build(ctx, entry, root, b.options.External)
	if err != nil {
		return nil, err
	}
	b.keep(entry, r)
	return r, nil
}

// share returns the bundle that this process already has, if nothing changed.
func (b *Bundler) share(r *record, about about) *Bundle {
	next := &Bundle{
		Entry: about.entry, Name: about.name, Description: about.description, Capabilities: about.capabilities,
		Code: r.code, Map: r.sourceMap, Files: r.files(about.manifest), Externals: r.Externals, Hash: r.hash(about),
	}
	next.compile = sync.OnceValues(func() (*sobek.Program, error) { return compile(next, b.options.Timeout) })
	b.mu.Lock()
	defer b.mu.Unlock()
	if old := b.last[next.Entry]; old != nil && old.Hash == next.Hash && old.Description == next.Description && slices.Equal(old.Files, next.Files) {
		return old
	}
	b.last[next.Entry] = next
	return next
}

// record is a script and all that it was made of.
type record struct {
	Entry     string
	Inputs    []input  // sorted by path
	Absent    []string // files that would have been taken had they existed, sorted
	Externals []string // modules left to the runtime, sorted
	Served    []string // those of them that it said it serves

	code, sourceMap []byte
}

// input is one file with the SHA-256 of its content.
type input struct {
	Path   string
	Digest string
}

// files are the inputs and what else decides about the bundle.
func (r *record) files(manifest string) []string {
	var files []string
	for _, in := range r.Inputs {
		files = append(files, in.Path)
	}
	if manifest != "" && !slices.Contains(files, manifest) {
		files = append(files, manifest)
	}
	slices.Sort(files)
	return files
}

// hash is taken over names relative to the entry, so that a folder may move,
// and over what is stated about it outside of the inputs.
func (r *record) hash(about about) string {
	h := sha256.New()
	line := func(parts ...string) { fmt.Fprintf(h, "%q\n", parts) }
	line(about.name)
	line(about.capabilities...)
	line(r.Externals...)
	for _, in := range r.Inputs {
		name := in.Path
		if rel, err := filepath.Rel(filepath.Dir(about.real), in.Path); err == nil {
			name = filepath.ToSlash(rel)
		}
		line(name, in.Digest)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}
