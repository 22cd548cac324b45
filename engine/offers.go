package engine

import (
	"errors"
	"fmt"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/llm"
	"github.com/hoopoe-agent/hoopoe/engine/llm/catalog"
)

// Offer is a model of the catalogue and whether it can be used.
type Offer struct {
	llm.Model
	// Err says why the model can't be used now; nil when it can.
	Err error
	// Note tells what stands in the way of working with a model that can be
	// used; empty for nothing.
	Note string
}

// Missing is Err in a few words, for a list; empty when nothing is missing.
func (o Offer) Missing() string {
	if o.Err == nil {
		return ""
	}
	if _, ok := errors.AsType[*OfflineError](o.Err); ok {
		return "offline"
	}
	if _, ok := errors.AsType[*catalog.UnspokenError](o.Err); ok {
		return "no adapter for " + o.API
	}
	if e, ok := errors.AsType[*catalog.MissingAddressError](o.Err); ok {
		return strings.TrimSuffix("no address: "+e.BaseURLEnv, ": ")
	}
	if e, ok := errors.AsType[*catalog.MissingKeyError](o.Err); ok && e.KeyEnv != "" {
		return "no key: " + e.KeyEnv
	}
	return "no key"
}

// OfflineError says that a model can't be used because no connection may be
// opened.
type OfflineError struct{ Model llm.Model }

func (e *OfflineError) Error() string {
	return fmt.Sprintf("model %s needs a connection, and --offline opens none", e.Model.Ref())
}

// Offers lists the models whose reference or name holds search, those that can
// be used first. Within both they have the catalogue's order.
func (e *Engine) Offers(search string) []Offer {
	e.findLocal()
	search = strings.ToLower(strings.TrimSpace(search))
	var usable, others []Offer
	for _, p := range e.models().Providers() {
		for _, m := range e.models().Models(p.ID) {
			if !strings.Contains(strings.ToLower(m.Ref()+" "+m.Name), search) {
				continue
			}
			o := Offer{Model: m, Err: e.usable(m), Note: e.note(m)}
			if o.Err == nil {
				usable = append(usable, o)
			} else {
				others = append(others, o)
			}
		}
	}
	return append(usable, others...)
}

// Warnings tell what is wrong with the user's files about models and keys. What
// is sound in them counts nevertheless.
func (e *Engine) Warnings() []string {
	var found []string
	if _, err := e.catalog(); err != nil {
		found = append(found, err.Error())
	}
	if w := e.keys.Warning(); w != "" {
		found = append(found, w)
	}
	return found
}
