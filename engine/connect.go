package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/auth"
	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/llm/catalog"
	"github.com/hoopoe-agent/hoopoe/engine/llm/offline"
	"github.com/hoopoe-agent/hoopoe/engine/llm/scripted"
	"github.com/hoopoe-agent/hoopoe/engine/message"
)

// provider makes a session's own connection to a model.
func (e *Engine) provider(m llm.Model, idle time.Duration) (llm.Provider, error) {
	e.mu.Lock()
	s := e.scripts[m.Ref()]
	e.mu.Unlock()
	switch {
	case s != nil:
		return scripted.New(s, scripted.Options{}), nil
	case m.API == offline.API:
		return offline.New(offline.Options{Connect: connectText}), nil
	case e.options.Adapters[m.API] != nil:
		return &connection{engine: e, model: m, idle: idle, open: e.options.Adapters[m.API]}, nil
	}
	return nil, fmt.Errorf("no adapter speaks %s, which %s needs", m.API, m.Ref())
}

// connection looks the key and the headers up for each request, since they may
// have changed or come from a command, and opens the adapter anew when they
// have.
type connection struct {
	engine *Engine
	model  llm.Model
	idle   time.Duration // without a byte
	open   llm.Adapter

	mu   sync.Mutex
	last opened
}

// opened is an adapter with what it was opened for.
type opened struct {
	key      string
	headers  map[string]string
	provider llm.Provider
}

// Stream implements llm.Provider.
func (c *connection) Stream(ctx context.Context, req llm.Request) llm.Stream {
	return func(yield func(llm.Part) bool) {
		p, err := c.provider(ctx)
		if err != nil {
			yield(llm.Finished{Message: message.Message{StopReason: message.Error}, Err: err})
			return
		}
		p.Stream(ctx, req)(yield)
	}
}

func (c *connection) provider(ctx context.Context) (llm.Provider, error) {
	m := c.model
	key, err := c.engine.key(ctx, m)
	if err != nil {
		return nil, err
	}
	if m.Headers, err = c.engine.models().Access(m).Headers(ctx, key, c.engine.resolve); err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.last.provider != nil && c.last.key == key && maps.Equal(c.last.headers, m.Headers) {
		return c.last.provider, nil
	}
	p, err := c.open(m, llm.Connection{Key: func(context.Context) (string, error) { return key, nil }, IdleTimeout: c.idle})
	if err == nil {
		c.last = opened{key, m.Headers, p}
	}
	return p, err
}

// key is the API key for a model: of the command line, of models.json, or of
// its provider. It is empty for a model that needs none.
func (e *Engine) key(ctx context.Context, m llm.Model) (string, error) {
	access := e.models().Access(m)
	if e.options.Keys[m.Provider] == "" {
		if key, ok, err := access.Key(ctx, e.resolve); ok || err != nil {
			return key, err
		}
	}
	k, ok, err := e.keys.Key(ctx, m.Provider)
	if err == nil && !ok {
		err = e.usable(m)
	}
	return k.Value, err
}

func (e *Engine) resolve(ctx context.Context, text string) (string, error) {
	k, err := e.keys.Resolve(ctx, text)
	return k.Value, err
}

// keyCommandTime bounds a command that prints a key.
const keyCommandTime = 30 * time.Second

// output runs a command of the user's own configuration that prints a key.
func (e *Engine) output(ctx context.Context, command string) (string, error) {
	sh, err := e.shell()
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, keyCommandTime)
	defer cancel()
	c := exec.CommandContext(ctx, sh.Path, append(append([]string{}, sh.Args...), command)...)
	c.Env = e.options.Environ
	out, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("the command that prints the key failed: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}

// Keys is the store of API keys.
func (e *Engine) Keys() *auth.Keys { return e.keys }

// Offline reports whether no connection may be opened.
func (e *Engine) Offline() bool { return e.options.Offline }

// checkTokens bounds the answer that CheckKey asks for; less is refused by some
// services.
const checkTokens = 16

// CheckKey makes one small request with a key, given as auth.Keys.Resolve reads
// it, to the default model of a provider. A key that the service refuses is an
// error of the kind llm.Auth; other errors say nothing about the key.
func (e *Engine) CheckKey(ctx context.Context, provider, key string) error {
	m, ok := e.models().Default(provider)
	if !ok {
		return fmt.Errorf("there is no provider %q", provider)
	}
	open := e.options.Adapters[m.API]
	switch {
	case open == nil:
		return &catalog.UnspokenError{Model: m}
	case e.options.Offline:
		return &OfflineError{m}
	}
	value, err := e.resolve(ctx, key)
	if err != nil {
		return err
	}
	if m.Headers, err = e.models().Access(m).Headers(ctx, value, e.resolve); err != nil {
		return err
	}
	p, err := open(m, llm.Connection{Key: func(context.Context) (string, error) { return value, nil }})
	if err != nil {
		return err
	}
	err = errors.New("the service gave no answer")
	for part := range p.Stream(ctx, llm.Request{
		Model: m, Messages: []message.Message{message.NewUser("hi")},
		Thinking: m.Clamp(llm.Off), MaxTokens: checkTokens,
	}) {
		f, finished := part.(llm.Finished)
		if !finished {
			return nil // it answers, and the rest costs
		}
		err = f.Err
	}
	return err
}

// Providers lists the services that the catalogue knows.
func (e *Engine) Providers() []catalog.Provider { return e.models().Providers() }

// connectText is what the guide says about getting a language model.
func connectText(language string) string {
	switch language {
	case "ar":
		return "لاستخدام نموذج لغوي: شغّل `hoopoe login`، أو اضبط متغيرًا مثل `ANTHROPIC_API_KEY` أو `OPENAI_API_KEY` أو `GEMINI_API_KEY`، أو شغّل خادمًا محليًا مثل Ollama. يعرض `hoopoe models` ما هو متاح."
	case "zh":
		return "要使用语言模型：运行 `hoopoe login`，或设置 `ANTHROPIC_API_KEY`、`OPENAI_API_KEY`、`GEMINI_API_KEY` 之类的变量，或启动 Ollama 等本地服务。`hoopoe models` 会列出可用的模型。"
	}
	return "To get a language model: run `hoopoe login`, or set a variable such as `ANTHROPIC_API_KEY`, `OPENAI_API_KEY` or `GEMINI_API_KEY`, or start a local server such as Ollama. `hoopoe models` shows what there is."
}
