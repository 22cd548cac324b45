package bundle

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/hoopoe-agent/hoopoe/engine/internal/plainfile"
)

// The script is an expression that evaluates to CommonJS's function.
const (
	opening = "(function (exports, require, module, __filename, __dirname) {"
	closing = "})"
)

// maxDepth bounds nesting: parsers are recursive, and a stack that overflows
// ends the process.
const maxDepth = 5000

// scriptExtensions are those that an import may leave out, best first.
var scriptExtensions = []string{".ts", ".mts", ".tsx", ".js", ".mjs", ".cjs", ".jsx", ".json"}

// Names that stand for import.meta and its kin until each file defines them.
const (
	metaName     = "__hoopoe_meta"
	filenameName = "__hoopoe_filename"
	dirnameName  = "__hoopoe_dirname"
)

// build runs esbuild over entry.
func build(ctx context.Context, entry, root string, external func(string) bool) (*record, error) {
	l := &loader{
		ctx: ctx, root: root, external: external,
		inputs: map[string]string{}, absent: map[string]bool{}, externals: map[string]bool{},
	}
	result, err := within(ctx, func() (api.BuildResult, error) { return api.Build(options(entry, l)), nil })
	if err != nil {
		return nil, fmt.Errorf("load extension %s: %w", entry, err)
	}
	if len(result.Errors) > 0 || ctx.Err() != nil {
		return nil, failure(ctx, entry, result.Errors)
	}
	r := l.record(entry)
	for _, f := range result.OutputFiles {
		if strings.HasSuffix(f.Path, ".map") {
			r.sourceMap = f.Contents
		} else {
			r.code = withRegExp(f.Contents)
		}
	}
	return r, nil
}

// within runs work that can't be interrupted: what takes longer than ctx is left
// behind, and its result dropped.
func within[T any](ctx context.Context, work func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		var o outcome
		defer func() {
			if p := recover(); p != nil {
				o.err = fmt.Errorf("it panicked: %v", p)
			}
			done <- o
		}()
		o.value, o.err = work()
	}()
	select {
	case o := <-done:
		return o.value, o.err
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
}

func options(entry string, l *loader) api.BuildOptions {
	dir := filepath.Dir(entry)
	return api.BuildOptions{
		EntryPoints: []string{entry},
		Bundle:      true,
		Format:      api.FormatCommonJS,
		Platform:    api.PlatformNode,
		Target:      api.ES2022,
		// What the runtime can't parse.
		Supported: map[string]bool{
			"async-generator": false,
			"for-await":       false,
			"dynamic-import":  false,
			// Literals with these become calls of the RegExp of regexp.js: all with
			// the flag u, for esbuild doesn't look for \p in classes.
			"regexp-named-capture-groups":     false,
			"regexp-sticky-and-unicode-flags": false,
			"regexp-set-notation":             false,
		},
		Define: map[string]string{
			"import.meta": metaName,
			"__filename":  filenameName,
			"__dirname":   dirnameName,
		},
		Banner:            map[string]string{"js": opening},
		Footer:            map[string]string{"js": closing},
		Charset:           api.CharsetUTF8,
		LegalComments:     api.LegalCommentsNone,
		Sourcemap:         api.SourceMapLinked,
		SourcesContent:    api.SourcesContentExclude,
		ResolveExtensions: scriptExtensions,
		// The user's tsconfig.json is for an editor. Read here it could turn
		// imports of types into imports, and none of its files would be an input.
		TsconfigRaw:   "{}",
		AbsWorkingDir: dir,
		Outfile:       filepath.Join(dir, "script.js"), // never written
		AbsPaths:      api.LogAbsPath,
		LogLevel:      api.LogLevelSilent,
		Plugins:       []api.Plugin{{Name: "hoopoe", Setup: l.setup}},
	}
}

// loader decides what an extension's imports mean and reads its files. Esbuild
// calls it from several goroutines.
type loader struct {
	ctx      context.Context
	root     string // real path; where JSON and text may come from
	external func(string) bool

	mu        sync.Mutex
	total     int
	inputs    map[string]string // path -> digest
	absent    map[string]bool
	externals map[string]bool // whether the runtime serves them
}

func (l *loader) setup(b api.PluginBuild) {
	b.OnResolve(api.OnResolveOptions{Filter: ".*"}, l.resolve)
	b.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: "file"}, l.load)
}

// resolve answers for what isn't a file; the zero result leaves the rest to
// esbuild.
func (l *loader) resolve(a api.OnResolveArgs) (api.OnResolveResult, error) {
	if l.ctx.Err() != nil {
		return api.OnResolveResult{}, context.Cause(l.ctx)
	}
	if a.Kind == api.ResolveEntryPoint || strings.HasPrefix(a.Path, "data:") {
		return api.OnResolveResult{}, nil
	}
	if isPath(a.Path) {
		if strings.HasSuffix(a.Path, ".node") {
			return api.OnResolveResult{}, fmt.Errorf("%q is a native addon, which only Node can run; use a package that is pure JavaScript", a.Path)
		}
		l.miss(a)
		return api.OnResolveResult{}, nil
	}
	path, builtin := nodeModule(a.Path)
	served := l.external(path)
	switch {
	case served:
	case builtin && a.Kind == api.ResolveJSRequireCall:
		// Packages ask for modules they can do without; the runtime's require
		// throws where the call is reached.
	case builtin:
		return api.OnResolveResult{}, fmt.Errorf("the module %q isn't available to extensions, which run without Node; remove the import or what needs it", path)
	case strings.Contains(path, "://"):
		return api.OnResolveResult{}, fmt.Errorf("%q is on the network; save it beside the extension and import the file", path)
	default:
		return api.OnResolveResult{}, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.externals[path] = served
	return api.OnResolveResult{Path: path, External: true}, nil
}

// miss notes the files that an import would have found if they were there, so
// that the cache sees them appear.
func (l *loader) miss(a api.OnResolveArgs) {
	path := filepath.FromSlash(a.Path)
	if !filepath.IsAbs(path) {
		path = filepath.Join(a.ResolveDir, path)
	}
	candidates := []string{path, filepath.Join(path, "package.json")}
	for _, ext := range scriptExtensions {
		candidates = append(candidates, path+ext, filepath.Join(path, "index"+ext))
	}
	for _, c := range candidates {
		if !isFile(c) {
			l.mu.Lock()
			l.absent[c] = true
			l.mu.Unlock()
		}
	}
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// load reads one file.
func (l *loader) load(a api.OnLoadArgs) (api.OnLoadResult, error) {
	if l.ctx.Err() != nil {
		return api.OnLoadResult{}, context.Cause(l.ctx)
	}
	kind, err := l.kind(a)
	if err != nil {
		return api.OnLoadResult{}, err
	}
	content, err := l.read(a.Path)
	if err != nil {
		return api.OnLoadResult{}, fmt.Errorf("%s %s", a.Path, unreadable(err))
	}
	if manifest := packageManifest(a.Path); manifest != "" { // it led here
		if _, err := l.read(manifest); err != nil && !errors.Is(err, os.ErrNotExist) {
			return api.OnLoadResult{}, fmt.Errorf("%s %s", manifest, unreadable(err))
		}
	}
	text := string(content)
	if isScript := kind != api.LoaderJSON && kind != api.LoaderText; isScript {
		if tooDeep(content) {
			return api.OnLoadResult{}, fmt.Errorf("%s nests brackets more than %d deep", a.Path, maxDepth)
		}
		text = withMeta(a.Path, text)
	}
	return api.OnLoadResult{Contents: &text, Loader: kind, ResolveDir: filepath.Dir(a.Path)}, nil
}

// kind chooses how a file is read, and whether it may be.
func (l *loader) kind(a api.OnLoadArgs) (api.Loader, error) {
	var kind api.Loader
	switch ext := strings.ToLower(filepath.Ext(a.Path)); ext {
	case ".ts", ".mts", ".cts":
		kind = api.LoaderTS
	case ".tsx":
		kind = api.LoaderTSX
	case ".js", ".mjs", ".cjs":
		kind = api.LoaderJS
	case ".jsx":
		kind = api.LoaderJSX
	case ".json":
		kind = api.LoaderJSON
	case ".txt", ".md":
		kind = api.LoaderText
	case ".node":
		return 0, fmt.Errorf("%s is a native addon, which only Node can run; use a package that is pure JavaScript", a.Path)
	default:
		if a.With["type"] != "text" {
			return 0, errors.New(unsupported(ext))
		}
	}
	if a.With["type"] == "text" {
		kind = api.LoaderText
	}
	if (kind == api.LoaderText || kind == api.LoaderJSON) && !l.mayRead(a.Path) {
		return 0, fmt.Errorf("%s is outside of the extension's folder %s; move it there, or read it with node:fs under the capability fs", a.Path, l.root)
	}
	return kind, nil
}

func (l *loader) mayRead(path string) bool {
	if rel, err := filepath.Rel(l.root, path); err == nil && filepath.IsLocal(rel) {
		return true
	}
	return slices.Contains(strings.Split(filepath.ToSlash(path), "/"), "node_modules")
}

// read returns a file's content and notes it as an input.
func (l *loader) read(path string) ([]byte, error) {
	content, err := plainfile.Read(path, maxFile)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, known := l.inputs[path]; known {
		return content, nil
	}
	l.inputs[path] = digest(content)
	l.total += len(content)
	switch {
	case l.total > maxTotal:
		return nil, fmt.Errorf("is where the extension outgrows %d bytes; import less", maxTotal)
	case len(l.inputs) > maxFiles:
		return nil, fmt.Errorf("is where the extension outgrows %d files; import less", maxFiles)
	}
	return content, nil
}

func (l *loader) record(entry string) *record {
	r := &record{Entry: entry, Externals: sorted(l.externals), Absent: sorted(l.absent)}
	for _, path := range r.Externals {
		if l.externals[path] {
			r.Served = append(r.Served, path)
		}
	}
	for _, path := range sorted(l.inputs) {
		r.Inputs = append(r.Inputs, input{Path: path, Digest: l.inputs[path]})
	}
	return r
}

func sorted[V any](set map[string]V) []string {
	keys := make([]string, 0, len(set))
	for k := range set {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// tooDeep counts brackets wherever they stand: no honest script has so many
// more open ones than closed.
func tooDeep(src []byte) bool {
	depth := 0
	for _, c := range src {
		switch c {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth = max(depth-1, 0)
		}
		if depth > maxDepth {
			return true
		}
	}
	return false
}

// withMeta defines what a file knows of its own place, on its first line, so
// that line numbers stay.
func withMeta(path, text string) string {
	var definitions []string
	if strings.Contains(text, "import.meta") {
		meta := map[string]string{"url": fileURL(path), "filename": path, "dirname": filepath.Dir(path)}
		definitions = append(definitions, metaName+"="+quoted(meta))
	}
	if strings.Contains(text, "__filename") {
		definitions = append(definitions, filenameName+"="+quoted(path))
	}
	if strings.Contains(text, "__dirname") {
		definitions = append(definitions, dirnameName+"="+quoted(filepath.Dir(path)))
	}
	if definitions == nil {
		return text
	}
	var shebang string
	if strings.HasPrefix(text, "#!") {
		if i := strings.IndexByte(text, '\n'); i >= 0 {
			shebang, text = text[:i+1], text[i+1:]
		}
	}
	return shebang + "var " + strings.Join(definitions, ",") + ";" + text
}

// fileURL is the file: URL of an absolute path.
func fileURL(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") { // a drive
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

// quoted is a JavaScript literal: JSON without HTML's escapes.
func quoted(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // strings and maps of strings can't fail
	return strings.TrimSuffix(b.String(), "\n")
}
