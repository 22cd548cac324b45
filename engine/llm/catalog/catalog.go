// Package catalog knows the models: an embedded list with prices, windows and
// thinking levels, what the user added to it, and the guide.
//
//	models.tsv (embedded) ─▶ providers, parsed one by one at first need ┐
//	File (the user's models.json) ─▶ laid over them                     ┤
//	Options.Extra, Add (local servers, scripts) ────────────────────────┼─▶ Find, Available, Start
//	offline.Model (always last) ────────────────────────────────────────┘
//
// Importing the package parses nothing. What a model can be used for here
// depends on two things that the caller knows: whether there is a key for its
// provider, and whether an adapter speaks its API.
package catalog

import (
	_ "embed"
	"slices"
	"sync"

	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/llm/offline"
)

//go:generate go -C internal/gen run . -out ../../models.tsv

//go:embed models.tsv
var table string

// Provider is a service that models are called at.
type Provider struct {
	ID, Name string
	API      string // wire family of its models
	BaseURL  string // empty where the user has to name it
	// KeyEnv and BaseURLEnv are the environment variables that hold the key and
	// override BaseURL; empty where there is none.
	KeyEnv, BaseURLEnv string
	DefaultModel       string // id
}

// Options of a catalogue.
type Options struct {
	// Keys reports whether there are credentials for a provider of the embedded
	// list; nil means for none.
	Keys func(provider string) bool
	// Speaks reports whether an adapter is installed for an API; nil means that
	// only the guide's and those of Extra are.
	Speaks func(api string) bool
	// Getenv looks a variable up that overrides a provider's address; nil means
	// that none is set.
	Getenv func(string) string
	// File is the user's models.json; nil for none.
	File *File
	// Extra models come from elsewhere: local servers, scripts. They need no
	// key. One with the Ref of another model replaces it.
	Extra []llm.Model
}

// Catalog answers which models there are. It is safe for concurrent use.
type Catalog struct {
	opts  Options
	table string
	base  func() []shelf // the embedded providers with the file over them

	mu      sync.Mutex
	extra   []llm.Model // guarded by mu; replaced, never changed
	shelves []shelf     // guarded by mu; nil until they are needed
}

// shelf is one provider with its models.
type shelf struct {
	Provider
	extra  bool // none of its models is in the embedded list or the file
	keyed  bool // the file says how to enter
	mixed  bool // its models may be of several APIs
	models func() []llm.Model
}

// New returns a catalogue. It parses nothing yet.
func New(opts Options) *Catalog {
	if opts.Keys == nil {
		opts.Keys = func(string) bool { return false }
	}
	if opts.Speaks == nil {
		opts.Speaks = func(string) bool { return false }
	}
	if opts.Getenv == nil {
		opts.Getenv = unset
	}
	c := &Catalog{opts: opts, table: table, extra: opts.Extra}
	c.base = sync.OnceValue(func() []shelf { return opts.File.apply(embedded(c.table, opts.Getenv)) })
	return c
}

func unset(string) string { return "" }

// Add puts models into the catalogue that were found since, as Options.Extra
// does. One with the Ref of another model replaces it.
func (c *Catalog) Add(models ...llm.Model) {
	if len(models) == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	added := map[string]bool{}
	for _, m := range models {
		added[m.Ref()] = true
	}
	extra := slices.DeleteFunc(slices.Clone(c.extra), func(m llm.Model) bool { return added[m.Ref()] })
	c.extra, c.shelves = append(extra, models...), nil
}

func (c *Catalog) extras() []llm.Model {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.extra
}

// index returns all providers. The slice isn't to be changed.
func (c *Catalog) index() []shelf {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.shelves == nil {
		c.shelves = join(c.base(), c.extra)
	}
	return c.shelves
}

// join adds the extra models to the providers, the guide last.
func join(base []shelf, models []llm.Model) []shelf {
	shelves := slices.Clone(base)
	extra := map[string][]llm.Model{}
	var order []string
	for _, m := range models {
		if extra[m.Provider] == nil {
			order = append(order, m.Provider)
		}
		extra[m.Provider] = append(extra[m.Provider], m)
	}
	for i, s := range shelves {
		if added := extra[s.ID]; added != nil {
			shelves[i].models = sync.OnceValue(func() []llm.Model { return overlay(s.models(), added) })
			delete(extra, s.ID)
		}
	}
	for _, id := range order {
		if models := extra[id]; models != nil && id != offline.Provider {
			shelves = append(shelves, fixed(id, id, models))
		}
	}
	return append(shelves, fixed(offline.Provider, "Built in", []llm.Model{offline.Model()}))
}

func fixed(id, name string, models []llm.Model) shelf {
	return shelf{
		Provider: Provider{ID: id, Name: name, API: models[0].API, BaseURL: models[0].BaseURL, DefaultModel: models[0].ID},
		extra:    true,
		models:   func() []llm.Model { return models },
	}
}

// overlay puts added models over those with the same id, new ones first.
func overlay(models, added []llm.Model) []llm.Model {
	taken := map[string]bool{}
	for _, m := range added {
		taken[m.ID] = true
	}
	out := append([]llm.Model(nil), added...)
	for _, m := range models {
		if !taken[m.ID] {
			out = append(out, m)
		}
	}
	return out
}

// Providers lists all providers in the order in which one is chosen:
// anthropic, openai, google, the others by id, the user's own, the guide.
func (c *Catalog) Providers() []Provider {
	shelves := c.index()
	out := make([]Provider, len(shelves))
	for i, s := range shelves {
		out[i] = s.Provider
	}
	return out
}

// Models lists a provider's models; nil for an unknown provider.
func (c *Catalog) Models(provider string) []llm.Model {
	if s, ok := c.shelf(provider); ok {
		return append([]llm.Model(nil), s.models()...)
	}
	return nil
}

// Default is the model that a provider starts with.
func (c *Catalog) Default(provider string) (llm.Model, bool) {
	s, ok := c.shelf(provider)
	if !ok {
		return llm.Model{}, false
	}
	if m, ok := s.model(s.DefaultModel); ok {
		return m, true
	}
	return s.models()[0], true
}

// Available lists the models that can be used now, the guide last.
func (c *Catalog) Available() []llm.Model {
	var out []llm.Model
	for _, s := range c.index() {
		if !c.hopeless(s) {
			for _, m := range s.models() {
				if c.Usable(m) == nil {
					out = append(out, m)
				}
			}
		}
	}
	return out
}

// hopeless reports that no model of the shelf can be used, without parsing it.
func (c *Catalog) hopeless(s shelf) bool {
	return !s.extra && !c.adds(s.ID) && (!c.keyed(s) || !s.mixed && !c.opts.Speaks(s.API))
}

// keyed reports whether there are credentials for a provider.
func (c *Catalog) keyed(s shelf) bool { return s.keyed || c.opts.Keys(s.ID) }

func (c *Catalog) adds(provider string) bool {
	for _, m := range c.extras() {
		if m.Provider == provider {
			return true
		}
	}
	return false
}

// Usable says why a model can't be used now: *UnspokenError,
// *MissingKeyError, *MissingAddressError, or nil.
func (c *Catalog) Usable(m llm.Model) error {
	if m.Provider == offline.Provider || c.isExtra(m) {
		return nil
	}
	if !c.opts.Speaks(m.API) {
		return &UnspokenError{Model: m}
	}
	s, _ := c.shelf(m.Provider)
	if !c.keyed(s) {
		return &MissingKeyError{Model: m, KeyEnv: s.KeyEnv}
	}
	if m.BaseURL == "" {
		return &MissingAddressError{Model: m, BaseURLEnv: s.BaseURLEnv}
	}
	return nil
}

func (c *Catalog) isExtra(m llm.Model) bool {
	for _, e := range c.extras() {
		if e.Provider == m.Provider && e.ID == m.ID {
			return true
		}
	}
	return false
}

func (c *Catalog) shelf(provider string) (shelf, bool) {
	for _, s := range c.index() {
		if s.ID == provider {
			return s, true
		}
	}
	return shelf{}, false
}

func (s shelf) model(id string) (llm.Model, bool) {
	for _, m := range s.models() {
		if m.ID == id {
			return m, true
		}
	}
	return llm.Model{}, false
}
