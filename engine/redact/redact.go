// Package redact masks credentials in text that leaves the program's hands:
// log lines, error messages, exported sessions.
//
//	text -> secrets the program was given -> shapes of well-known keys -> masked text
//
// Known secrets are exact, shapes are a safety net for those that a tool or a
// server prints. What a shape finds is masked but for its first characters,
// so that a reader can tell which key it was.
package redact

import (
	"context"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Mask replaces the secret part of a text.
const Mask = "[redacted]"

// shortest is the length below which a known value is no secret: masking
// "on" or "test" everywhere would make logs unreadable and hide nothing.
const shortest = 8

// shape is a pattern for credentials: its first group is kept, its second one
// is secret.
type shape struct {
	// hints are in every match, one of them in any case. Most text has none,
	// and looking for them is a hundred times faster than the pattern.
	hints   []string
	pattern *regexp.Regexp
}

// shapes are anchored by a prefix or a name: a bare run of base64 is as likely
// a hash.
var shapes = sync.OnceValue(func() []shape {
	of := func(pattern string, hints ...string) shape { return shape{hints, regexp.MustCompile(pattern)} }
	return []shape{
		// keys with a vendor's prefix
		of(`\b(sk-(?:ant-|proj-|or-v1-|svcacct-)?|gsk_|xai-|AIza|gh[pousr]_|github_pat_|glpat-|hf_|xox[abposr]-|AKIA|ASIA|npm_|pypi-)([A-Za-z0-9_\-]{12,})`,
			"sk-", "gsk_", "xai-", "aiza", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "hf_", "xox", "akia", "asia", "npm_", "pypi-"),
		// Authorization, as headers, JSON and curl show it
		of(`((?i:\b(?:proxy-)?authorization["']?\s*[:=]\s*["']?(?:bearer|basic|token)\s+))([^\s"',;]{4,})`, "authorization"),
		of(`((?i:\bbearer\s+))([A-Za-z0-9._~+/\-]{16,}=*)`, "bearer"),
		of(`((?i:\b(?:x-api-key|x-goog-api-key|api[_-]?key|access[_-]?token|auth[_-]?token|refresh[_-]?token|client[_-]?secret|secret[_-]?key|secret[_-]?access[_-]?key|password|passwd)["']?\s*[:=]\s*["']?))([^\s"',;&]{4,})`,
			"api_key", "api-key", "apikey", "s_token", "s-token", "stoken", "h_token", "h-token", "htoken", "secret", "passw"),
		of(`(\b[A-Z][A-Z0-9_]*_(?:API_KEY|TOKEN|SECRET|PASSWORD)=["']?)([^\s"']{4,})`, "_api_key=", "_token=", "_secret=", "_password="),
		// user:password in an address
		of(`(\b[a-zA-Z][a-zA-Z0-9+.\-]*://[^\s/:@]*:)([^\s/@]+)@`, "@"),
		// signed tokens and private keys
		of(`(\beyJ)([A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]*)`, "eyj"),
		of(`(-----BEGIN [A-Z ]*PRIVATE KEY-----)([\s\S]*?)(?:-----END|$)`, "private key-----"),
	}
})

// Redactor masks known secrets and key shapes. The zero value knows no
// secrets. It may be used by several goroutines at once.
type Redactor struct {
	mu      sync.Mutex // serialises Add
	secrets []string   // guarded by mu, longest first
	known   atomic.Pointer[strings.Replacer]
}

// New returns a Redactor that knows secrets.
func New(secrets ...string) *Redactor {
	r := &Redactor{}
	r.Add(secrets...)
	return r
}

// Add makes secrets known, such as a key that was just read. Values shorter
// than eight bytes are left out.
func (r *Redactor) Add(secrets ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range secrets {
		if s = strings.TrimSpace(s); len(s) >= shortest && !slices.Contains(r.secrets, s) {
			r.secrets = append(r.secrets, s)
		}
	}
	// A secret that begins another one must not hide half of it.
	slices.SortFunc(r.secrets, func(a, b string) int { return len(b) - len(a) })
	pairs := make([]string, 0, 2*len(r.secrets))
	for _, s := range r.secrets {
		pairs = append(pairs, s, Mask)
	}
	r.known.Store(strings.NewReplacer(pairs...))
}

// String returns text with all credentials masked.
func (r *Redactor) String(text string) string {
	if known := r.known.Load(); known != nil {
		text = known.Replace(text)
	}
	return maskShapes(text)
}

func maskShapes(text string) string {
	lower := strings.ToLower(text)
	for _, sh := range shapes() {
		if slices.ContainsFunc(sh.hints, func(hint string) bool { return strings.Contains(lower, hint) }) {
			text = sh.mask(text)
		}
	}
	return text
}

func (sh shape) mask(text string) string {
	var (
		out  strings.Builder
		done int
	)
	for _, m := range sh.pattern.FindAllStringSubmatchIndex(text, -1) {
		if start, end := m[4], m[5]; !strings.HasPrefix(text[start:], Mask) {
			out.WriteString(text[done:start] + Mask)
			done = end
		}
	}
	return out.String() + text[done:]
}

// Error returns an error whose text is masked. It still wraps err, so
// errors.Is and errors.As work. nil stays nil.
func (r *Redactor) Error(err error) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	clean := r.String(text)
	if clean == text {
		return err
	}
	return &masked{text: clean, err: err}
}

type masked struct {
	text string
	err  error
}

func (m *masked) Error() string { return m.text }
func (m *masked) Unwrap() error { return m.err }

// Handler returns a log handler that masks messages and attributes before
// next sees them.
func (r *Redactor) Handler(next slog.Handler) slog.Handler { return handler{r, next} }

type handler struct {
	r    *Redactor
	next slog.Handler
}

func (h handler) Enabled(ctx context.Context, l slog.Level) bool { return h.next.Enabled(ctx, l) }
func (h handler) WithGroup(name string) slog.Handler             { return handler{h.r, h.next.WithGroup(name)} }

func (h handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	clean := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		clean[i] = h.attr(a)
	}
	return handler{h.r, h.next.WithAttrs(clean)}
}

func (h handler) Handle(ctx context.Context, rec slog.Record) error {
	clean := slog.NewRecord(rec.Time, rec.Level, h.r.String(rec.Message), rec.PC)
	rec.Attrs(func(a slog.Attr) bool {
		clean.AddAttrs(h.attr(a))
		return true
	})
	return h.next.Handle(ctx, clean)
}

// secretNames are attribute names whose whole value is a credential.
var secretNames = []string{"authorization", "apikey", "api_key", "api-key", "x-api-key", "x-goog-api-key", "token", "secret", "password"}

func (h handler) attr(a slog.Attr) slog.Attr {
	v := a.Value.Resolve()
	switch {
	case v.Kind() == slog.KindGroup:
		inner := make([]slog.Attr, 0, len(v.Group()))
		for _, one := range v.Group() {
			inner = append(inner, h.attr(one))
		}
		return slog.Attr{Key: a.Key, Value: slog.GroupValue(inner...)}
	case slices.Contains(secretNames, strings.ToLower(a.Key)):
		return slog.String(a.Key, Mask)
	case v.Kind() == slog.KindString:
		return slog.String(a.Key, h.r.String(v.String()))
	case v.Kind() == slog.KindAny: // errors, structs, slices: as text
		return slog.String(a.Key, h.r.String(v.String()))
	}
	return slog.Attr{Key: a.Key, Value: v}
}
