package mcp

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/sanitize"
)

// The transports of a Server.
const (
	Stdio = "stdio" // a child process
	HTTP  = "http"  // streamable HTTP
)

// Server says how a server is reached. Its texts are final: variables have
// been expanded.
type Server struct {
	Name string
	// Type is Stdio or HTTP; empty, it follows from Command and URL.
	Type string

	Command string
	Args    []string
	Env     map[string]string // added to the session's environment
	Cwd     string            // relative to the session's directory, which is the default

	URL     string
	Headers map[string]string

	Disabled bool
	// Timeout of one call, counted anew at each sign of progress; 0 means
	// DefaultCallTimeout.
	Timeout time.Duration
	// Pinned tools stay in the model's context however many there are: names
	// as the server or the model has them, or "*" for all.
	Pinned []string
}

// maxName bounds a server's name, in bytes.
const maxName = 128

// Check returns the server with its Type set, or says why it can't be used.
func (s Server) Check() (Server, error) {
	s, err := s.check()
	if err != nil {
		err = fmt.Errorf("MCP server %q: %w", label(s.Name), err)
	}
	return s, err
}

func (s Server) check() (Server, error) {
	if s.Type == "" {
		s.Type = Stdio
		if s.URL != "" && s.Command == "" {
			s.Type = HTTP
		}
	}
	var err error
	switch {
	case s.Name == "":
		err = errors.New("it has no name")
	case len(s.Name) > maxName || sanitize.Line(s.Name) != s.Name:
		err = fmt.Errorf("use a name of at most %d bytes without control characters", maxName)
	case s.Type == "sse":
		err = errors.New(`the old "sse" transport isn't supported: use the server's "http" address`)
	case s.Type != Stdio && s.Type != HTTP:
		err = fmt.Errorf(`unknown type %q: use "stdio" or "http"`, sanitize.Line(s.Type))
	case s.Type == Stdio && s.Command == "":
		err = errors.New(`"command" is missing, or "url" for a server on the network`)
	case s.Type == Stdio && hasNUL(s):
		err = errors.New("remove the NUL characters")
	case s.Type == HTTP:
		err = checkURL(s.URL)
	}
	return s, err
}

func checkURL(text string) error {
	u, err := url.Parse(text)
	switch {
	case text == "":
		return errors.New(`"url" is missing`)
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return errors.New(`"url" isn't an http or https address`) // not quoted: it may hold a key
	}
	return nil
}

func hasNUL(s Server) bool {
	texts := slices.Concat([]string{s.Command, s.Cwd}, s.Args,
		slices.Collect(maps.Keys(s.Env)), slices.Collect(maps.Values(s.Env)))
	return strings.ContainsRune(strings.Join(texts, ""), 0)
}

// label is a server's name for a notice.
func label(name string) string { return clip(sanitize.Line(name), maxName) }

// clip cuts s to at most n bytes at a character and marks the cut.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:max(0, n-len("…"))], "") + "…"
}
