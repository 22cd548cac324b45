package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hoopoe-agent/hoopoe/engine/internal/plainfile"
	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/llm/catalog"
	"github.com/hoopoe-agent/hoopoe/engine/llm/catalog/local"
	"github.com/hoopoe-agent/hoopoe/engine/llm/scripted"
)

// openCatalog makes the catalogue with the user's models.json over the
// embedded list. It is never nil: the error says what of the file was left out.
func (e *Engine) openCatalog() (*catalog.Catalog, error) {
	var file *catalog.File
	var err error
	if path := e.paths.Models(); path != "" {
		file, err = catalog.ReadFile(path)
	}
	return catalog.New(catalog.Options{
		Keys: e.keys.Has, Getenv: e.options.Getenv, File: file, Extra: e.options.Models,
		Speaks: func(api string) bool { return !e.options.Offline && e.options.Adapters[api] != nil },
	}), err
}

// models is the catalogue; what is wrong with the user's file is told when a
// session is opened.
func (e *Engine) models() *catalog.Catalog {
	c, _ := e.catalog()
	return c
}

// lookAgain is how old the answer of the local servers may be.
const lookAgain = 10 * time.Second

// findLocal asks the model servers of this machine, at most 300 ms long, and
// puts what they have into the catalogue. Who comes while they are being asked
// waits for their answer.
func (e *Engine) findLocal() []llm.Model {
	if e.options.Offline || !e.options.LocalServers || e.options.Adapters[local.API] == nil {
		return nil
	}
	e.probing.Lock()
	defer e.probing.Unlock()
	e.mu.Lock()
	recent := !e.looked.IsZero() && e.now().Sub(e.looked) < lookAgain
	e.looked = e.now()
	e.mu.Unlock()
	if recent {
		return nil
	}
	var models []llm.Model
	for _, m := range local.Find(context.Background(), local.Options{Getenv: e.options.Getenv}) {
		models = append(models, m.Model)
		e.mu.Lock()
		e.notes[m.Ref()] = m.Note
		e.mu.Unlock()
	}
	e.models().Add(models...)
	return models
}

// note is what the user should know of a local model, "" for nothing.
func (e *Engine) note(m llm.Model) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.notes[m.Ref()]
}

// Models lists the models that can be used, those of local servers included,
// the guide last.
func (e *Engine) Models() []llm.Model {
	e.findLocal()
	return e.models().Available()
}

// enabled lists the usable models that fit one of the patterns, in their
// order; without patterns all.
func (e *Engine) enabled(patterns []string) []llm.Model {
	if len(patterns) == 0 {
		return e.Models()
	}
	var models []llm.Model
	for _, p := range patterns {
		if m, _, err := e.findModel(p); err == nil && !slices.ContainsFunc(models, func(o llm.Model) bool { return o.Ref() == m.Ref() }) {
			models = append(models, m)
		}
	}
	return models
}

// scriptPrefix selects a model script: script/FILE.
const scriptPrefix = "script/"

// findModel looks a model up by pattern and says why it can't be used. What
// the catalogue doesn't know may be a local server's.
func (e *Engine) findModel(pattern string) (llm.Model, llm.Level, error) {
	if path, ok := strings.CutPrefix(pattern, scriptPrefix); ok {
		m, err := e.script(path)
		return m, "", err
	}
	m, level, err := e.models().Find(pattern)
	if err == nil {
		err = e.usable(m)
	}
	if err != nil && len(e.findLocal()) > 0 {
		if m, level, again := e.models().Find(pattern); again == nil && e.usable(m) == nil {
			return m, level, nil
		}
	}
	return m, level, err
}

// usable says why a model can't be used now; nil when it can.
func (e *Engine) usable(m llm.Model) error {
	e.mu.Lock()
	script := e.scripts[m.Ref()]
	e.mu.Unlock()
	if script != nil {
		return nil
	}
	err := e.models().Usable(m)
	if _, unspoken := errors.AsType[*catalog.UnspokenError](err); unspoken && e.options.Offline && e.options.Adapters[m.API] != nil {
		return &OfflineError{m}
	}
	return err
}

// ModelNotFoundError says that no model has exactly that name. The wording is
// the protocol family's.
type ModelNotFoundError struct{ Provider, ID string }

func (e *ModelNotFoundError) Error() string { return "Model not found: " + e.Provider + "/" + e.ID }

// NoKeyError says that there is no key for a model's provider. The wording is
// the protocol family's.
type NoKeyError struct {
	Model llm.Model
	Err   error // what to do about it
}

func (e *NoKeyError) Error() string { return "No API key for " + e.Model.Ref() }
func (e *NoKeyError) Unwrap() error { return e.Err }

// exactModel finds a model that can be used by its exact name.
func (e *Engine) exactModel(provider, id string) (llm.Model, error) {
	m, ok := e.named(provider, id)
	if !ok && servedHere(provider) {
		e.findLocal()
		m, ok = e.named(provider, id)
	}
	if !ok {
		return m, &ModelNotFoundError{provider, id}
	}
	err := e.usable(m)
	if missing, ok := errors.AsType[*catalog.MissingKeyError](err); ok {
		return m, &NoKeyError{m, missing}
	}
	return m, err
}

// servedHere reports whether a provider is a model server of this machine.
func servedHere(provider string) bool {
	return slices.ContainsFunc(local.Servers(), func(s local.Server) bool { return string(s.Kind) == provider })
}

// model is named for a model that can be used.
func (e *Engine) model(provider, id string) (llm.Model, bool) {
	m, ok := e.named(provider, id)
	return m, ok && e.usable(m) == nil
}

// named finds a model by its exact name; a script that was loaded counts.
func (e *Engine) named(provider, id string) (llm.Model, bool) {
	e.mu.Lock()
	s := e.scripts[provider+"/"+id]
	e.mu.Unlock()
	if s != nil {
		return s.Model(), true
	}
	for _, m := range e.models().Models(provider) {
		if m.ID == id {
			return m, true
		}
	}
	return llm.Model{}, false
}

// maxScript bounds a model script, in bytes.
const maxScript = 64 << 20

// script loads a model script.
func (e *Engine) script(path string) (llm.Model, error) {
	data, err := plainfile.Read(path, maxScript)
	if err != nil {
		return llm.Model{}, fmt.Errorf("read model script: %w", err)
	}
	s, err := scripted.Parse(path, data)
	if err != nil {
		return llm.Model{}, fmt.Errorf("read model script: %w", err)
	}
	e.mu.Lock()
	e.scripts[s.Model().Ref()] = s
	e.mu.Unlock()
	return s.Model(), nil
}
