package engine

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/auth"
	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/llm/catalog"
	"github.com/hoopoe-agent/hoopoe/engine/llm/scripted"
)

// played is an adapter whose models play a script, with what it was given.
type played struct {
	script   string
	keys     []string
	requests []llm.Request
}

func (p *played) open(m llm.Model, c llm.Connection) (llm.Provider, error) {
	script, err := scripted.Parse("played.script", []byte(p.script))
	if err != nil {
		return nil, err
	}
	return provider(func(ctx context.Context, req llm.Request) llm.Stream {
		value, _ := c.Key(ctx)
		p.keys, p.requests = append(p.keys, value), append(p.requests, req)
		return scripted.New(script, scripted.Options{}).Stream(ctx, req)
	}), nil
}

type provider func(context.Context, llm.Request) llm.Stream

func (p provider) Stream(ctx context.Context, req llm.Request) llm.Stream { return p(ctx, req) }

// connected is an engine whose anthropic models are played.
func connected(t *testing.T, p *played, environment map[string]string, change func(*Options)) *Engine {
	t.Helper()
	w := newWorld(t, "-- turn --\n-- text --\nhi\n", func(o *Options) {
		o.Getenv = func(name string) string { return environment[name] }
		o.Adapters["anthropic-messages"] = p.open
		if change != nil {
			change(o)
		}
	})
	return w.engine
}

func TestCheckKey(t *testing.T) {
	const key = "sk-test-0123456789"
	for _, c := range []struct {
		name, script, given string
		kind                llm.Kind // "" for a key that holds
	}{
		{name: "accepted", script: "-- turn --\n-- text --\nHello, a long answer\n", given: key},
		{name: "from a variable", script: "-- turn --\n-- text --\nHello\n", given: "$MINE"},
		{name: "refused", script: "-- turn --\n-- error kind=auth status=401 --\ninvalid key\n", given: key, kind: llm.Auth},
		{name: "busy", script: "-- turn --\n-- error kind=overloaded status=529 --\nlater\n", given: key, kind: llm.Overloaded},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := &played{script: c.script}
			e := connected(t, p, map[string]string{"MINE": key}, nil)
			err := e.CheckKey(t.Context(), "anthropic", c.given)
			if (err == nil) != (c.kind == "") || err != nil && llm.KindOf(err) != c.kind {
				t.Errorf("error %v, want kind %q", err, c.kind)
			}
			if len(p.requests) != 1 || !slices.Equal(p.keys, []string{key}) {
				t.Fatalf("%d requests with the keys %q", len(p.requests), p.keys)
			}
			if r := p.requests[0]; r.MaxTokens != checkTokens || len(r.Tools) > 0 || len(r.Messages) != 1 || r.Model.ID != "claude-sonnet-4-6" {
				t.Errorf("the request is not small: %+v", r)
			}
			if saved, _ := e.Keys().Saved(); len(saved) > 0 {
				t.Errorf("saved %v", saved)
			}
		})
	}
}

// What can't be asked is said, and asked for nothing.
func TestCheckKeyWithoutRequest(t *testing.T) {
	p := &played{script: "-- turn --\n-- text --\nHello\n"}
	e := connected(t, p, nil, nil)
	if err := e.CheckKey(t.Context(), "nobody", "sk"); err == nil || !strings.Contains(err.Error(), "nobody") {
		t.Errorf("unknown provider: %v", err)
	}
	if err := e.CheckKey(t.Context(), "anthropic", "$UNSET"); err == nil || !strings.Contains(err.Error(), "UNSET") {
		t.Errorf("unset variable: %v", err)
	}
	if err := e.CheckKey(t.Context(), "bedrock", "sk"); !is[*catalog.UnspokenError](err) {
		t.Errorf("no adapter: %v", err)
	}
	e = connected(t, p, nil, func(o *Options) { o.Offline = true })
	if err := e.CheckKey(t.Context(), "anthropic", "sk"); !is[*OfflineError](err) || !e.Offline() {
		t.Errorf("offline: %v", err)
	}
	if len(p.requests) > 0 {
		t.Errorf("%d requests", len(p.requests))
	}
}

func is[E error](err error) bool { _, ok := errors.AsType[E](err); return ok }

func TestOffers(t *testing.T) {
	first := func(e *Engine, search string) string {
		offers := e.Offers(search)
		if len(offers) == 0 {
			return ""
		}
		return offers[0].Ref() + " " + offers[0].Missing()
	}
	p := &played{}
	without := connected(t, p, nil, nil)
	with := connected(t, p, map[string]string{"ANTHROPIC_API_KEY": "sk"}, nil)
	offline := connected(t, p, map[string]string{"ANTHROPIC_API_KEY": "sk"}, func(o *Options) { o.Offline = true })
	speak := func(o *Options) { o.Adapters["azure-openai-responses"] = p.open }
	azure := connected(t, p, map[string]string{"AZURE_OPENAI_API_KEY": "sk"}, speak)
	for _, c := range []struct {
		name   string
		engine *Engine
		search string
		want   string
	}{
		{"usable first", without, "", "test/model "},
		{"by name, whatever the case", with, "CLAUDE sonnet 4.6", "anthropic/claude-sonnet-4-6 "},
		{"no key", without, "anthropic/claude-sonnet-4-6", "anthropic/claude-sonnet-4-6 no key: ANTHROPIC_API_KEY"},
		{"no adapter", with, "bedrock/us.anthropic.claude-opus-5", "bedrock/us.anthropic.claude-opus-5 no adapter for bedrock-converse-stream"},
		{"offline", offline, "anthropic/claude-sonnet-4-6", "anthropic/claude-sonnet-4-6 offline"},
		{"no address", azure, "azure/gpt-5", "azure/gpt-5 no address: AZURE_OPENAI_API_ENDPOINT"},
		{"none", with, "no such model", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := first(c.engine, c.search); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// The variable that is named to the user is one that counts.
func TestNamedVariablesCount(t *testing.T) {
	e := newWorld(t, "-- turn --\n-- text --\nhi\n").engine
	for _, p := range e.Providers() {
		if p.KeyEnv != "" && !slices.Contains(auth.Variables(p.ID), p.KeyEnv) {
			t.Errorf("%s: the catalogue names %s, and %v count", p.ID, p.KeyEnv, auth.Variables(p.ID))
		}
	}
}

// A session's requests carry its key and how long silence is borne, fresh for
// each request.
func TestConnection(t *testing.T) {
	environment := map[string]string{"ANTHROPIC_API_KEY": "sk-one"}
	p := &played{script: "-- turn --\ntimes: always\n-- text --\nok\n"}
	var idle []time.Duration
	w := newWorld(t, hello, withSettings(`{"retry": {"idleTimeoutMs": 1500}}`), func(o *Options) {
		o.Getenv = func(name string) string { return environment[name] }
		o.Adapters["anthropic-messages"] = func(m llm.Model, c llm.Connection) (llm.Provider, error) {
			idle = append(idle, c.IdleTimeout)
			return p.open(m, c)
		}
	})
	c := w.open(OpenOptions{Model: "anthropic/claude-sonnet-4-6"})
	c.run("one")
	c.run("two")
	environment["ANTHROPIC_API_KEY"] = "sk-two"
	c.run("three")
	if !slices.Equal(p.keys, []string{"sk-one", "sk-one", "sk-two"}) {
		t.Errorf("keys %q", p.keys)
	}
	if !slices.Equal(idle, []time.Duration{1500 * time.Millisecond, 1500 * time.Millisecond}) {
		t.Errorf("the adapter was opened with %v", idle)
	}
}
