package catalog

import (
	"fmt"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/llm"
)

// UnknownModelError says that no single model fits a pattern.
type UnknownModelError struct {
	Pattern string
	// Nearest are the refs of the models that come closest, best first. They
	// are never empty: the guide is always there.
	Nearest []string
	// Ambiguous means that each of Nearest fits the pattern.
	Ambiguous bool
}

func (e *UnknownModelError) Error() string {
	names := strings.Join(e.Nearest, ", ")
	if e.Ambiguous {
		return fmt.Sprintf("model %q is ambiguous: name one of %s", e.Pattern, names)
	}
	return fmt.Sprintf("unknown model %q: the nearest are %s", e.Pattern, names)
}

// MissingKeyError says that a model was asked for and its provider has no key.
type MissingKeyError struct {
	Model  llm.Model
	KeyEnv string // the variable that would hold it, or empty
}

func (e *MissingKeyError) Error() string {
	if e.KeyEnv == "" {
		return fmt.Sprintf("model %s needs credentials for %s, and there are none", e.Model.Ref(), e.Model.Provider)
	}
	return fmt.Sprintf("model %s needs a key for %s: set %s, or run \"hoopoe login %s\"", e.Model.Ref(), e.Model.Provider, e.KeyEnv, e.Model.Provider)
}

// MissingAddressError says that a model was asked for whose service has an
// address for each user.
type MissingAddressError struct {
	Model      llm.Model
	BaseURLEnv string // the variable that would hold it, or empty
}

func (e *MissingAddressError) Error() string {
	text := fmt.Sprintf("model %s needs the address of your service: ", e.Model.Ref())
	if e.BaseURLEnv != "" {
		text += "set " + e.BaseURLEnv + ", or "
	}
	return text + "give baseUrl in models.json"
}

// UnspokenError says that a model was asked for whose API this build has no
// adapter for.
type UnspokenError struct{ Model llm.Model }

func (e *UnspokenError) Error() string {
	return fmt.Sprintf("model %s can't be used: this build doesn't speak its API, %s", e.Model.Ref(), e.Model.API)
}
