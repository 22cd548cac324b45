package remote

import (
	"embed"
	"net/http"
	"path"
	"strings"
)

//go:embed page
var assets embed.FS

// page serves the files of the browser page. It reports false for any other
// path. The page itself is no secret; what it connects to wants the token.
func (s *Server) page(w http.ResponseWriter, r *http.Request) bool {
	name := strings.TrimPrefix(r.URL.Path, "/")
	if name == "" {
		name = "index.html"
	}
	kind, ok := map[string]string{
		".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8",
		".svg": "image/svg+xml", ".webmanifest": "application/manifest+json",
	}[path.Ext(name)]
	data, err := assets.ReadFile("page/" + name)
	if err != nil || !ok {
		return false
	}
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Cache-Control", "no-cache")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	// Some browsers don't count sockets among 'self'. The guard knows the host.
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; manifest-src 'self'; "+
		"connect-src 'self' ws://"+r.Host+" wss://"+r.Host+"; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	_, _ = w.Write(data)
	return true
}
