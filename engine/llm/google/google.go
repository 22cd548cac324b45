// Package google speaks the Gemini API through the vendor's SDK.
//
//	llm.Request ─▶ contents, config ─▶ genai ─▶ exchange (key, headers, idle timer) ─▶ server
//	llm.Part ◀─ answer.Writer ◀─ reader (blocks, signatures, usage) ◀─ genai ◀─ body ◀─┘
//
// The exchange is where one request touches the network. It carries what must
// not go through the SDK: the key, which the SDK would print in its errors, and
// failures of the connection, which it would write to the process's log.
package google

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"strings"
	"time"

	"google.golang.org/genai"

	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/llm/internal/answer"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// API is the wire family that this package speaks.
const API = "google-generative-ai"

// idleTimeout is how long a server may send nothing.
const idleTimeout = 5 * time.Minute

// Options of a provider.
type Options struct {
	// Model gives the endpoint: BaseURL with its version, as in
	// https://generativelanguage.googleapis.com/v1beta, and Headers, which win
	// over those of the SDK. A BaseURL without a path gets /v1beta.
	Model llm.Model
	// Key returns the API key, asked for at each request. nil, or an empty key,
	// sends none: the headers may authenticate.
	Key func(ctx context.Context) (string, error)
	// HTTP is the client to use; nil means http.DefaultClient. Redirects are
	// refused, since they would carry the key elsewhere.
	HTTP *http.Client
	// IdleTimeout ends a stream that brings no byte for so long; 0 means 5 minutes.
	IdleTimeout time.Duration
	// Now is the clock for Retry-After dates; nil means time.Now.
	Now func() time.Time
	// NewID names a tool call that the server gave no id; nil means a random one.
	NewID func() string
}

// New returns a provider for models of the Gemini API.
func New(o Options) llm.Provider {
	if o.Key == nil {
		o.Key = func(context.Context) (string, error) { return "", nil }
	}
	if o.HTTP == nil {
		o.HTTP = http.DefaultClient
	}
	if o.IdleTimeout <= 0 {
		o.IdleTimeout = idleTimeout
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.NewID == nil {
		o.NewID = func() string { return "call_" + rand.Text() }
	}
	return &provider{o}
}

type provider struct{ o Options }

// Stream makes one request. See llm.Provider.
func (p *provider) Stream(ctx context.Context, req llm.Request) llm.Stream {
	return func(yield func(llm.Part) bool) {
		r := &reader{w: answer.New(ctx, req, yield), newID: p.o.NewID, provider: req.Model.Provider, block: none}
		if ctx.Err() != nil {
			r.w.Finish("", message.Usage{}, nil)
			return
		}
		err := p.ask(ctx, req, r)
		r.finish(err)
	}
}

// ask sends the request and reads the answer into r. It returns what went
// wrong on the way; what the answer itself says of its end is r's.
func (p *provider) ask(ctx context.Context, req llm.Request, r *reader) error {
	key, err := p.o.Key(ctx)
	if err != nil {
		return &llm.Error{Kind: llm.Auth, Provider: req.Model.Provider, Message: err.Error()}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	x := newExchange(p.o, key, cancel)
	defer x.stop()
	client, err := genai.NewClient(ctx, p.config(x, req.Client(p.o.HTTP)))
	if err != nil {
		return &llm.Error{Kind: llm.BadRequest, Provider: req.Model.Provider, Message: "set up the SDK: " + err.Error()}
	}
	if err := r.read(client.Models.GenerateContentStream(ctx, req.Model.ID, contents(req), config(req))); err != nil {
		return x.failure(ctx, req.Model.Provider, err)
	}
	return x.failure(ctx, req.Model.Provider, x.broken())
}

// config sets everything that the SDK would look up in the environment.
func (p *provider) config(x *exchange, base *http.Client) *genai.ClientConfig {
	address, version := endpoint(p.o.Model.BaseURL)
	client := *base
	x.next = client.Transport
	if x.next == nil {
		x.next = http.DefaultTransport
	}
	client.Transport = x
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &genai.ClientConfig{
		APIKey:      keyInExchange,
		Backend:     genai.BackendGeminiAPI,
		HTTPClient:  &client,
		HTTPOptions: genai.HTTPOptions{BaseURL: address, APIVersion: version},
	}
}

// endpoint splits the version off a base URL, because the SDK adds one.
func endpoint(url string) (base, version string) {
	const host, standard = "https://generativelanguage.googleapis.com", "v1beta"
	url = strings.TrimRight(url, "/")
	if url == "" {
		return host, standard
	}
	scheme, rest, ok := strings.Cut(url, "://")
	if !ok {
		return url, standard
	}
	i := strings.LastIndexByte(rest, '/')
	if i < 0 {
		return url, standard
	}
	return scheme + "://" + rest[:i], rest[i+1:]
}

var errStalled = errors.New("no data")
