// Package local finds model servers on this machine: Ollama, LM Studio,
// llama.cpp and vLLM.
//
//	addresses (loopback only) ─▶ one probe each, in parallel, 300 ms ─▶ []Model
//	                               └─ models, and the context window they run with
//
// A server loads a model with a window that is often a fraction of what the
// model could take, and drops what doesn't fit without a word. So the window
// that counts is the server's, and a small one comes with a note.
package local

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/hoopoe-agent/hoopoe/engine/llm"
)

// API is the wire that all of these servers speak.
const API = "openai-completions"

// Kind is a server program. It is also the id of the provider.
type Kind string

const (
	Ollama   Kind = "ollama"
	LMStudio Kind = "lmstudio"
	LlamaCpp Kind = "llamacpp"
	VLLM     Kind = "vllm"
)

// Server is an address, host:port, where a server of a kind may listen.
type Server struct {
	Kind    Kind
	Address string
}

// Servers lists the places where the servers listen unless told otherwise.
func Servers() []Server {
	return []Server{
		{Ollama, "127.0.0.1:11434"}, {LMStudio, "127.0.0.1:1234"},
		{LlamaCpp, "127.0.0.1:8080"}, {VLLM, "127.0.0.1:8000"},
	}
}

// Options of a search.
type Options struct {
	// Servers to ask; nil means Servers(), with OLLAMA_HOST in place of
	// Ollama's address when it names this machine. Others than loopback
	// addresses are skipped.
	Servers []Server
	// Own are addresses that this program listens at; their ports are skipped.
	Own []string
	// HTTP is the client; nil means one without a proxy. Redirects are refused.
	HTTP *http.Client
	// Getenv reads the environment; nil means an empty one.
	Getenv func(string) string
	// Timeout bounds the whole search; 0 means 300 ms.
	Timeout time.Duration
}

// Model is a model of a local server. Note, if not empty, tells the user what
// stands in the way of working with it.
type Model struct {
	llm.Model
	Note string
}

const (
	timeout = 300 * time.Millisecond
	// modelLimit bounds how many models of one server are taken.
	modelLimit = 200
	// SmallestWindow is how many tokens the tools and a short task need.
	SmallestWindow = 8192
	// assumedWindow stands for a window that a server doesn't tell.
	assumedWindow = 8192
)

// Find asks the servers and returns their models, in the order of the servers,
// those in memory first. Who doesn't answer in time isn't there.
func Find(ctx context.Context, o Options) []Model {
	if o.Getenv == nil {
		o.Getenv = func(string) string { return "" }
	}
	if o.Timeout <= 0 {
		o.Timeout = timeout
	}
	ctx, cancel := context.WithTimeout(ctx, o.Timeout)
	defer cancel()
	client := newClient(o.HTTP)
	if o.HTTP == nil {
		defer client.CloseIdleConnections()
	}
	servers := o.servers()
	found := make([][]Model, len(servers))
	var group sync.WaitGroup
	for i, s := range servers {
		group.Go(func() {
			p := probe{client: client, kind: s.Kind, base: "http://" + s.Address, getenv: o.Getenv}
			found[i] = p.models(ctx)
		})
	}
	group.Wait()
	return slices.Concat(found...)
}

// newClient never follows a server elsewhere.
func newClient(given *http.Client) *http.Client {
	c := http.Client{Transport: &http.Transport{}}
	if given != nil {
		c = *given
	}
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &c
}

// servers lists whom to ask: on this machine, not ourselves, each once.
func (o Options) servers() []Server {
	all := o.Servers
	if all == nil {
		all = Servers()
		if address, ok := ollamaAddress(o.Getenv("OLLAMA_HOST")); ok {
			all[0].Address = address
		}
	}
	var out []Server
	for _, s := range all {
		if isLoopback(s.Address) && !o.own(s.Address) && !slices.ContainsFunc(out, func(t Server) bool { return t.Address == s.Address }) {
			out = append(out, s)
		}
	}
	return out
}

func isLoopback(address string) bool {
	a, err := netip.ParseAddrPort(address)
	return err == nil && a.Addr().IsLoopback() && a.Port() != 0
}

// own reports whether a port is ours, on whatever interface.
func (o Options) own(address string) bool {
	_, port, _ := net.SplitHostPort(address)
	return slices.ContainsFunc(o.Own, func(ours string) bool {
		_, p, err := net.SplitHostPort(ours)
		return err == nil && p == port
	})
}

// ollamaAddress reads OLLAMA_HOST as the server does: [scheme://]host[:port],
// each part optional. ok is false unless that is this machine.
func ollamaAddress(s string) (address string, ok bool) {
	s = strings.Trim(strings.TrimSpace(s), `"'`)
	port := "11434"
	if scheme, rest, found := strings.Cut(s, "://"); found {
		if scheme != "http" {
			return "", false
		}
		s, port = rest, "80"
	}
	if s == "" {
		return "", false
	}
	s, _, _ = strings.Cut(s, "/")
	host := s
	if h, p, err := net.SplitHostPort(s); err == nil {
		host, port = h, p
	}
	host = strings.Trim(host, "[]")
	switch host {
	case "", "localhost", "0.0.0.0": // all interfaces, so this one too
		host = "127.0.0.1"
	case "::":
		host = "::1"
	}
	address = net.JoinHostPort(host, port)
	return address, isLoopback(address)
}

// probe talks to one server.
type probe struct {
	client *http.Client
	kind   Kind
	base   string // URL without a path
	getenv func(string) string
}

func (p probe) models(ctx context.Context) []Model {
	var seen []sighting
	switch p.kind {
	case Ollama:
		seen = p.ollama(ctx)
	case LMStudio:
		seen = p.lmstudio(ctx)
	default:
		seen = p.compatible(ctx)
	}
	slices.SortStableFunc(seen, func(a, b sighting) int { return a.rank() - b.rank() })
	var out []Model
	for _, s := range seen {
		out = append(out, p.model(s))
	}
	return out
}

// sighting is what a server tells of a model.
type sighting struct {
	id       string
	window   int  // tokens it runs with; 0 when the server doesn't say
	guessed  bool // the window is what the server will probably use
	loaded   bool
	remote   string // where it runs if not here
	vision   bool
	thinking bool
}

// rank puts models that answer at once first, those that run elsewhere last.
func (s sighting) rank() int {
	switch {
	case s.remote != "":
		return 2
	case s.loaded:
		return 0
	}
	return 1
}

// model makes a row of the catalogue.
func (p probe) model(s sighting) Model {
	note := p.note(s)
	if s.window == 0 {
		s.window = assumedWindow
	}
	m := llm.Model{
		ID: s.id, Name: s.id, API: API, Provider: string(p.kind), BaseURL: p.base + "/v1",
		Input: []string{"text"}, ContextWindow: s.window, MaxTokens: min(16_384, max(1, s.window/2)),
		// Small models print tool calls as text, or their server doesn't read them.
		Compat: json.RawMessage(`{"textToolCalls":true}`),
	}
	if s.vision {
		m.Input = append(m.Input, "image")
	}
	if s.thinking {
		m.Reasoning, m.Levels = true, []llm.Level{llm.Low, llm.Medium, llm.High}
	}
	return Model{Model: m, Note: note}
}

func (p probe) note(s sighting) string {
	switch {
	case s.remote != "":
		return fmt.Sprintf("%s runs at %s, not on this machine", s.id, s.remote)
	case s.window == 0:
		return fmt.Sprintf("the server doesn't tell the context window of %s; %d tokens are assumed", s.id, assumedWindow)
	case s.window < SmallestWindow:
		verb := "runs"
		if s.guessed {
			verb = "will probably run"
		}
		return fmt.Sprintf("%s %s with a context window of %d tokens, too small for the tools: %s", s.id, verb, s.window, p.remedy())
	}
	return ""
}

func (p probe) remedy() string {
	switch p.kind {
	case Ollama:
		return "start Ollama with OLLAMA_CONTEXT_LENGTH=32768, or set num_ctx for the model"
	case LMStudio:
		return "load it in LM Studio with a context length of 32768"
	case LlamaCpp:
		return "start llama-server with -c 32768"
	}
	return "start vLLM with --max-model-len 32768"
}

// cleanID reports whether a server's id of a model can be shown and sent.
func cleanID(id string) bool {
	return id != "" && len(id) <= 256 && utf8.ValidString(id) && strings.TrimSpace(id) == id &&
		strings.IndexFunc(id, func(r rune) bool { return !unicode.IsPrint(r) }) < 0
}

// tokens is a count from a server; 0 for what can't be one.
func tokens(n float64) int {
	if n >= 1 && n <= 1e9 {
		return int(n)
	}
	return 0
}

// host is the place that a URL names, for the user to read.
func host(s string) string {
	if u, err := url.Parse(s); err == nil && cleanID(u.Host) {
		return u.Host
	}
	return "another machine"
}
