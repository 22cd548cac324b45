package acp

import (
	"errors"

	"github.com/hoopoe-agent/hoopoe/engine"
	"github.com/hoopoe-agent/hoopoe/engine/event"
	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/llm/catalog"
	"github.com/hoopoe-agent/hoopoe/modes/internal/wire"
)

// authRequired is a code of the protocol's own.
const authRequired = -32000

// Our codes, in error.data.code. PROTOCOL.md tells what each means.
const (
	codeModel       = "HOOPOE_MODEL_UNKNOWN"
	codeAuth        = "HOOPOE_PROVIDER_AUTH"
	codeRateLimited = "HOOPOE_PROVIDER_RATE_LIMITED"
	codeOverloaded  = "HOOPOE_PROVIDER_OVERLOADED"
	codeUnavailable = "HOOPOE_PROVIDER_UNAVAILABLE"
	codeBadRequest  = "HOOPOE_PROVIDER_BAD_REQUEST"
	codeOverflow    = "HOOPOE_PROVIDER_CONTEXT_OVERFLOW"
	codeMCP         = "HOOPOE_MCP_FAILED"
	codeInternal    = "HOOPOE_INTERNAL"
)

// errorData goes with an error. Details repeats the message for clients that
// show nothing else.
type errorData struct {
	Code      string `json:"code,omitempty"`
	Details   string `json:"details"`
	Method    string `json:"method,omitempty"`
	Retryable *bool  `json:"retryable,omitempty"`
}

// failure is an error with a code of ours.
func failure(rpc int, code string, err error) *wire.Error {
	return &wire.Error{Code: rpc, Message: err.Error(), Data: errorData{Code: code, Details: err.Error()}}
}

// invalid refuses parameters.
func invalid(format string, args ...any) *wire.Error {
	e := wire.Errorf(wire.InvalidParams, format, args...)
	e.Data = errorData{Details: e.Message}
	return e
}

func unknownSession(id string) *wire.Error { return invalid("session not found: %s", id) }

func busy() *wire.Error {
	e := wire.Errorf(wire.InvalidRequest, "the session is working on another prompt: wait for its end or cancel it")
	e.Data = errorData{Details: e.Message}
	return e
}

func unknownMethod(method string) *wire.Error {
	e := wire.Errorf(wire.MethodNotFound, "Method not found: %s", method)
	e.Data = errorData{Details: e.Message, Method: method}
	return e
}

// runFailed is the answer to a prompt whose run has failed.
func runFailed(end event.RunSettled, login bool) *wire.Error {
	kind := llm.Kind(end.ErrorKind)
	if kind == "" {
		kind = llm.KindOf(errors.New(end.Error))
	}
	text := end.Error
	if text == "" {
		text = "the run failed"
	}
	code, again := codeInternal, false
	switch kind {
	case llm.Auth:
		code = codeAuth
	case llm.RateLimit:
		code, again = codeRateLimited, true
	case llm.Overloaded:
		code, again = codeOverloaded, true
	case llm.Unavailable:
		code, again = codeUnavailable, true
	case llm.BadRequest:
		code = codeBadRequest
	case llm.Overflow:
		code = codeOverflow
	}
	rpc := wire.InternalError
	if code == codeAuth && login {
		rpc = authRequired
	}
	return &wire.Error{Code: rpc, Message: text, Data: errorData{Code: code, Details: text, Retryable: &again}}
}

// openFailed is the answer to a request that a session couldn't be opened for.
func openFailed(err error, login bool) *wire.Error {
	if e, ok := errors.AsType[*wire.Error](err); ok {
		return e
	}
	return failure(modelCode(err, login))
}

// modelCode finds the codes for an error about a model.
func modelCode(err error, login bool) (rpc int, code string, same error) {
	_, keyless := errors.AsType[*catalog.MissingKeyError](err)
	_, missing := errors.AsType[*engine.ModelNotFoundError](err)
	_, unknown := errors.AsType[*catalog.UnknownModelError](err)
	switch {
	case keyless && login:
		return authRequired, codeAuth, err
	case keyless:
		return wire.InternalError, codeAuth, err
	case missing || unknown:
		return wire.InvalidParams, codeModel, err
	}
	return wire.InternalError, codeInternal, err
}
