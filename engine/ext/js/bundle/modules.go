package bundle

import (
	"path/filepath"
	"slices"
	"strings"
)

// nodeModules are Node's own modules that may be imported without "node:".
var nodeModules = []string{
	"assert", "assert/strict", "async_hooks", "buffer", "child_process", "cluster", "console", "constants", "crypto",
	"dgram", "diagnostics_channel", "dns", "dns/promises", "domain", "events", "fs", "fs/promises", "http", "http2",
	"https", "inspector", "inspector/promises", "module", "net", "os", "path", "path/posix", "path/win32", "perf_hooks",
	"process", "punycode", "querystring", "readline", "readline/promises", "repl", "stream", "stream/consumers",
	"stream/promises", "stream/web", "string_decoder", "sys", "timers", "timers/promises", "tls", "trace_events", "tty",
	"url", "util", "util/types", "v8", "vm", "wasi", "worker_threads", "zlib",
}

// nodeModule gives a module of Node's its prefix.
func nodeModule(path string) (name string, builtin bool) {
	if strings.HasPrefix(path, "node:") {
		return path, true
	}
	if _, found := slices.BinarySearch(nodeModules, path); found {
		return "node:" + path, true
	}
	return path, false
}

// isPath reports whether an import names a file, not a package.
func isPath(path string) bool {
	return path == "." || path == ".." || strings.HasPrefix(path, "./") || strings.HasPrefix(path, "../") || filepath.IsAbs(path) || strings.HasPrefix(path, "/")
}

// packageName is the package of an import such as "lodash/fp" or "@a/b/c".
func packageName(path string) string {
	parts := strings.SplitN(path, "/", 3)
	if strings.HasPrefix(path, "@") && len(parts) > 1 {
		return parts[0] + "/" + parts[1]
	}
	return parts[0]
}

// packageManifest is the package.json of the installed package that a file
// belongs to, "" for the extension's own files.
func packageManifest(file string) string {
	const folder = "/node_modules/"
	slashed := filepath.ToSlash(file)
	i := strings.LastIndex(slashed, folder)
	if i < 0 {
		return ""
	}
	i += len(folder)
	return filepath.FromSlash(slashed[:i] + packageName(slashed[i:]) + "/package.json")
}
