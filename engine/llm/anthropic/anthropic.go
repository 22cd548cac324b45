// Package anthropic speaks the Messages API, of Anthropic itself and of the
// services that copy it, through the vendor's SDK.
//
//	llm.Request ─▶ request, conversation ─▶ SDK ─▶ POST v1/messages
//	parts of the answer ◀─ answer.Writer ◀─ events ◀─ SDK ◀─ watch (idle time)
//	                           └─ failure: the SDK's errors as *llm.Error
//
// The SDK is kept from acting on its own: it makes one attempt, reads no
// environment and writes nothing to stderr. What differs between the services
// is said by the model's compat flags, never by its name.
package anthropic

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"

	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/llm/internal/answer"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// API names the wire family in the catalogue.
const API = "anthropic-messages"

const (
	// home is the vendor's own service, which takes the key as a bearer token.
	// Copies of it may know only the header that it had before.
	home = "https://api.anthropic.com"

	defaultIdle = 5 * time.Minute
	// grace is how long a server may take to end the body behind the last
	// event: the connection is used again only when it was read to its end.
	grace = 250 * time.Millisecond
)

// Options of a provider.
type Options struct {
	// Model says where the requests go: BaseURL (empty for the vendor's own),
	// Headers and Compat count.
	Model llm.Model
	// Key returns the key for each request. Nil, or an empty key, sends none.
	Key func(context.Context) (string, error)
	// HTTP makes the requests; nil for http.DefaultClient.
	HTTP *http.Client
	// IdleTimeout is how long the service may send nothing at all; 0 for 5 minutes.
	IdleTimeout time.Duration
	// Now tells how far away a date to retry at is; nil for time.Now.
	Now func() time.Time
}

type provider struct {
	Options
	compat compat
}

// New returns a provider for one endpoint. It opens no connection.
func New(o Options) llm.Provider {
	if o.Key == nil {
		o.Key = func(context.Context) (string, error) { return "", nil }
	}
	if o.HTTP == nil {
		o.HTTP = http.DefaultClient
	}
	if o.IdleTimeout <= 0 {
		o.IdleTimeout = defaultIdle
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &provider{Options: o, compat: parseCompat(o.Model.Compat)}
}

// Stream makes one request. Its last part is Finished.
func (p *provider) Stream(ctx context.Context, req llm.Request) llm.Stream {
	return func(yield func(llm.Part) bool) {
		w := answer.New(ctx, req, yield)
		if ctx.Err() != nil {
			w.Finish("", message.Usage{}, nil)
			return
		}
		key, err := p.Key(ctx)
		if err != nil {
			w.Finish("", message.Usage{}, &llm.Error{Kind: llm.Auth, Provider: req.Model.Provider, Message: err.Error()})
			return
		}
		p.stream(ctx, req, key, w)
	}
}

func (p *provider) stream(ctx context.Context, req llm.Request, key string, w *answer.Writer) {
	body, headers, err := p.compat.request(req)
	if err != nil {
		w.Finish("", message.Usage{}, &llm.Error{Kind: llm.BadRequest, Provider: req.Model.Provider, Message: err.Error()})
		return
	}
	watched := watchIdle(ctx, p.IdleTimeout)
	defer watched.end()
	service := anthropic.NewMessageService(p.options(watched, req.Client(p.HTTP), key, headers)...)
	stream := service.NewStreaming(watched.ctx, anthropic.MessageNewParams{}, option.WithRequestBody("application/json", body))
	defer stream.Close()
	events := events{w: w, provider: req.Model.Provider, blocks: map[int64]*block{}}
	for stream.Next() && events.next(stream.Current()) {
	}
	if events.over {
		w.Finish(events.reason, events.usage, events.err)
		watched.limit(grace)
		stream.Next()
		return
	}
	err = events.err
	if err == nil && !events.complete {
		f := failure{provider: req.Model.Provider, now: p.Now, secrets: p.secrets(key)}
		err = f.of(stream.Err(), watched)
	}
	w.Finish(events.reason, events.usage, err)
}

func (p *provider) options(watched *watch, client *http.Client, key string, headers http.Header) []option.RequestOption {
	opts := []option.RequestOption{
		option.WithHTTPClient(client), option.WithMaxRetries(0), option.WithoutOpenTelemetry(),
		option.WithMiddleware(watched.middleware), option.WithEnvironmentProduction(),
	}
	// The SDK adds the version to the path; a base URL that has it works too.
	base := strings.TrimSuffix(strings.TrimRight(p.Model.BaseURL, "/"), "/v1")
	if base != "" {
		opts = append(opts, option.WithBaseURL(base))
	}
	bearer, old := true, base != "" && base != home
	if flag := p.compat.AuthHeader; flag != nil {
		bearer, old = *flag, !*flag
	}
	if bearer && key != "" {
		opts = append(opts, option.WithAPIKey(key))
	}
	if old && key != "" {
		opts = append(opts, option.WithHeader("X-Api-Key", key))
	}
	for name, value := range p.Model.Headers {
		headers[http.CanonicalHeaderKey(name)] = append(headers.Values(name), value)
	}
	for name, values := range headers {
		opts = append(opts, option.WithHeader(name, strings.Join(values, ",")))
	}
	return opts
}

// shortestSecret keeps headers like "X-Tier: a" from blanking out every a.
const shortestSecret = 8

// secrets lists what no error may repeat: services quote headers in theirs.
func (p *provider) secrets(key string) []string {
	values := append(slices.Collect(maps.Values(p.Model.Headers)), key)
	var secrets []string
	for _, v := range values {
		if v = strings.TrimPrefix(v, "Bearer "); len(v) >= shortestSecret {
			secrets = append(secrets, v)
		}
	}
	return secrets
}
