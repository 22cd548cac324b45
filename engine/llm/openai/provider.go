package openai

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/ssestream"

	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/llm/internal/answer"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// The wires, as models name them.
const (
	Completions    = "openai-completions"
	Responses      = "openai-responses"
	AzureResponses = "azure-openai-responses"
)

// Options of a provider.
type Options struct {
	// Model says which wire (API), where (BaseURL, whose query goes with each
	// request), with which Headers and Compat.
	Model llm.Model
	// Key returns the API key, or "" where none is needed. Nil means none.
	Key func(ctx context.Context) (string, error)
	// HTTP makes the requests; nil means a plain client.
	HTTP *http.Client
	// IdleTimeout is how long the server may send nothing, before its first
	// byte too; 0 means 5 minutes.
	IdleTimeout time.Duration
	// Now tells the time that a date in Retry-After is measured from; nil means
	// time.Now.
	Now func() time.Time
}

type provider struct {
	Options
	compat compat
}

// New returns the provider of a model. Its streams fail when the model's base
// URL or compat is unusable.
func New(o Options) llm.Provider {
	if o.HTTP == nil {
		o.HTTP = &http.Client{}
	}
	if o.IdleTimeout == 0 {
		o.IdleTimeout = 5 * time.Minute
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &provider{Options: o, compat: compatOf(o.Model)}
}

// reader turns the events of one wire into an answer.
type reader interface {
	// event takes one event's data. It reports whether to go on, and an error
	// that ends the answer.
	event(data []byte) (bool, error)
	// end is called once no event will follow: done says that the server
	// declared the end. It returns the answer's outcome.
	end(done bool) (message.StopReason, message.Usage, error)
}

// Stream makes one request. See llm.Provider.
func (p *provider) Stream(ctx context.Context, req llm.Request) llm.Stream {
	return func(yield func(llm.Part) bool) {
		w := answer.New(ctx, req, yield)
		if ctx.Err() != nil {
			w.Finish("", message.Usage{}, nil)
			return
		}
		w.Finish(p.answer(ctx, req, w))
	}
}

func (p *provider) answer(ctx context.Context, req llm.Request, w *answer.Writer) (message.StopReason, message.Usage, error) {
	x := &exchange{provider: p, client: req.Client(p.HTTP), name: req.Model.Provider}
	if err := p.ready(ctx, x); err != nil {
		return "", message.Usage{}, err
	}
	var body any
	var r reader
	path := "responses"
	switch p.Model.API {
	case Responses, AzureResponses:
		body, r = p.responseParams(req), newResponseReader(w, x)
	default:
		path, body, r = "chat/completions", p.chatParams(req), newChatReader(w, x, req, p.compat)
	}
	ctx, x.cancel = context.WithCancelCause(ctx)
	defer x.cancel(nil)
	done, err := p.post(ctx, x, path, body, r)
	reason, usage, endErr := r.end(done)
	if err == nil {
		err = endErr
	}
	if llm.KindOf(err) == llm.Filtered {
		reason = message.Refusal
	}
	return reason, usage, err
}

// ready fetches the key.
func (p *provider) ready(ctx context.Context, x *exchange) error {
	if p.compat.err != nil || p.Key == nil {
		return p.compat.err
	}
	var err error
	if x.key, err = p.Key(ctx); err != nil {
		return &llm.Error{Kind: llm.Auth, Provider: x.name, Message: err.Error()}
	}
	return nil
}

// post sends the body and feeds the reader with what comes back. done
// reports that the server said it had finished.
func (p *provider) post(ctx context.Context, x *exchange, path string, body any, r reader) (done bool, err error) {
	opts, err := p.options(x)
	if err != nil {
		return false, err
	}
	var res *http.Response
	client := sdk.Client{Options: opts} // NewClient would read the environment
	if err := client.Post(ctx, path, body, &res, option.WithJSONSet("stream", true)); err != nil {
		return false, x.transport(ctx, err)
	}
	events := ssestream.NewDecoder(res)
	defer events.Close()
	for events.Next() {
		data := events.Event().Data
		if string(data[:min(len(data), 6)]) == "[DONE]" {
			return true, nil
		}
		if more, err := r.event(data); err != nil || !more {
			return err == nil, err
		}
	}
	if err := events.Err(); err != nil {
		return false, x.transport(ctx, err)
	}
	return false, nil
}

// options are all that the SDK knows of us: it reads no environment, retries
// nothing and sends nothing about this machine.
func (p *provider) options(x *exchange) ([]option.RequestOption, error) {
	base, err := url.Parse(p.Model.BaseURL)
	if err != nil || base.Host == "" {
		return nil, &llm.Error{Kind: llm.BadRequest, Provider: x.name, Message: "its base URL is unusable: set baseUrl to an address such as http://localhost:8080/v1"}
	}
	query := base.Query()
	base.RawQuery = ""
	opts := []option.RequestOption{
		option.WithBaseURL(base.String()),
		option.WithHTTPClient(x.client),
		option.WithMaxRetries(0),
		option.WithMiddleware(x.do),
		option.WithHeader("Accept", "text/event-stream"),
		option.WithHeader("User-Agent", "hoopoe"),
	}
	for name, values := range query {
		for _, v := range values {
			opts = append(opts, option.WithQueryAdd(name, v))
		}
	}
	switch {
	case x.key == "":
	case p.compat.KeyHeader != "":
		opts = append(opts, option.WithHeader(p.compat.KeyHeader, x.key))
	default:
		opts = append(opts, option.WithAPIKey(x.key))
	}
	for name, value := range p.Model.Headers {
		opts = append(opts, option.WithHeader(name, value))
	}
	return opts, nil
}

// brokenOff is the error of a stream that ended before the answer did.
func brokenOff(name string) error {
	return fmt.Errorf("%s: the answer broke off: %w", name, io.ErrUnexpectedEOF)
}

// malformed is the error of an event that is none.
func malformed(name string, err error) error {
	var typed *llm.Error
	if errors.As(err, &typed) {
		return err
	}
	return &llm.Error{Kind: llm.Unavailable, Provider: name, Message: "sent an event that can't be read: " + err.Error()}
}

// refusedError goes with an answer in which the model itself declines.
func refusedError(name string) error {
	return &llm.Error{Kind: llm.Filtered, Provider: name, Message: "the model refused to answer"}
}
