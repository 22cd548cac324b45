package permission

import (
	"fmt"
	"slices"
	"strings"
)

// Mode decides where no rule speaks.
type Mode string

// The modes, from the tightest to the loosest.
const (
	ModePlan Mode = "plan" // read only: edits and commands are denied
	ModeAsk  Mode = "ask"  // reading inside the workspace is free, the rest asks
	ModeEdit Mode = "edit" // edits inside the workspace are free too
	ModeFull Mode = "full" // everything is allowed that no rule denies
)

// Modes returns all modes, the tightest first.
func Modes() []Mode { return []Mode{ModePlan, ModeAsk, ModeEdit, ModeFull} }

// ParseMode reads a mode's name. The error names the modes there are.
func ParseMode(name string) (Mode, error) {
	m := Mode(strings.ToLower(strings.TrimSpace(name)))
	if !slices.Contains(Modes(), m) {
		return "", fmt.Errorf("unknown permission mode %q: use ask, edit, full or plan", name)
	}
	return m, nil
}

// UnmarshalText reads a mode in settings.
func (m *Mode) UnmarshalText(text []byte) error {
	mode, err := ParseMode(string(text))
	if err == nil {
		*m = mode
	}
	return err
}

// Tighter returns the tighter of two modes. A name that is no mode counts as
// the tightest.
func Tighter(a, b Mode) Mode {
	return Modes()[max(0, min(slices.Index(Modes(), a), slices.Index(Modes(), b)))]
}
