package shim

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/grafana/sobek"

	"github.com/hoopoe-agent/hoopoe/engine/ext/js/loop"
)

// maxBody bounds what fetch reads, in bytes.
const maxBody = 32 << 20

func (s *shims) webNatives() {
	s.set("fetch", func(c sobek.FunctionCall) (sobek.Value, error) {
		request, manual, err := s.request(c.Argument(0))
		if err != nil {
			return nil, err
		}
		return s.cancellable(func(ctx context.Context) (func(*sobek.Runtime) sobek.Value, error) {
			return s.fetch(request.WithContext(ctx), manual)
		})
	})
	s.set("url", func(c sobek.FunctionCall) (sobek.Value, error) {
		var base *address
		if b := c.Argument(1); !sobek.IsUndefined(b) {
			if base = parseAddress(b.String(), nil); base == nil {
				return sobek.Null(), nil
			}
		}
		return s.parts(parseAddress(c.Argument(0).String(), base)), nil
	})
	s.set("urlWith", func(c sobek.FunctionCall) (sobek.Value, error) {
		a := parseAddress(c.Argument(0).String(), nil)
		if a == nil {
			return sobek.Null(), nil
		}
		a.change(c.Argument(1).String(), c.Argument(2).String())
		return s.parts(a), nil
	})
}

// parts is what a URL object shows, null for none.
func (s *shims) parts(a *address) sobek.Value {
	if a == nil {
		return sobek.Null()
	}
	o := s.rt.NewObject()
	for name, value := range map[string]string{
		"href": a.String(), "origin": a.origin(), "protocol": a.scheme + ":", "username": a.user, "password": a.password,
		"host": a.hostPort(), "hostname": a.host, "port": a.port, "pathname": a.path,
		"search": prefixed("?", a.query), "hash": prefixed("#", a.fragment),
	} {
		_ = o.Set(name, value)
	}
	return o
}

// request reads {method, url, headers: [name, value, ...], body, redirect}.
func (s *shims) request(o sobek.Value) (r *http.Request, manual bool, err error) {
	if err := s.allowed("net", "fetch"); err != nil {
		return nil, false, err
	}
	if s.opts.Offline || s.opts.HTTP == nil {
		return nil, false, &loop.Error{Name: "TypeError", Message: "fetch failed: the program is offline"}
	}
	var headers []string
	if err := s.strings(field(o, "headers"), &headers); err != nil {
		return nil, false, err
	}
	var body io.Reader
	if b := field(o, "body"); !sobek.IsUndefined(b) && !sobek.IsNull(b) {
		body = bytes.NewReader(bytes.Clone(bytesOf(b)))
	}
	r, err = http.NewRequest(text(o, "method"), text(o, "url"), body)
	if err != nil {
		return nil, false, &loop.Error{Name: "TypeError", Message: err.Error()}
	}
	if r.URL.Scheme != "http" && r.URL.Scheme != "https" {
		return nil, false, &loop.Error{Name: "TypeError", Message: fmt.Sprintf("fetch failed: unknown scheme %q", r.URL.Scheme)}
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	return r, text(o, "redirect") == "manual", nil
}

func (s *shims) fetch(r *http.Request, manual bool) (func(*sobek.Runtime) sobek.Value, error) {
	client := s.opts.HTTP
	if manual {
		still := *client
		still.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		client = &still
	}
	response, err := client.Do(r)
	if err != nil {
		return nil, fetchError(r.Context(), err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxBody+1))
	if err != nil {
		return nil, fetchError(r.Context(), err)
	}
	if len(body) > maxBody {
		return nil, &loop.Error{Name: "TypeError", Message: fmt.Sprintf("fetch failed: the answer is larger than %d MB", maxBody>>20)}
	}
	headers := make([]any, 0, 2*len(response.Header))
	for name, values := range response.Header {
		for _, value := range values {
			headers = append(headers, strings.ToLower(name), value)
		}
	}
	last := r.URL.String()
	if response.Request != nil {
		last = response.Request.URL.String()
	}
	_, reason, _ := strings.Cut(response.Status, " ")
	return func(rt *sobek.Runtime) sobek.Value {
		o := rt.NewObject()
		_ = o.Set("status", response.StatusCode)
		_ = o.Set("statusText", reason)
		_ = o.Set("headers", rt.NewArray(headers...))
		_ = o.Set("url", last)
		_ = o.Set("redirected", last != r.URL.String())
		_ = o.Set("body", rt.NewArrayBuffer(body))
		return o
	}, nil
}

func fetchError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return &loop.Error{Name: "AbortError", Code: "ABORT_ERR", Message: "This operation was aborted"}
	}
	if inner := errors.Unwrap(err); inner != nil {
		err = inner // without the method and address, which the script knows
	}
	return &loop.Error{Name: "TypeError", Message: "fetch failed: " + err.Error()}
}
