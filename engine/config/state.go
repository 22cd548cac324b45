package config

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/hoopoe-agent/hoopoe/engine/internal/atomicfile"
	"github.com/hoopoe-agent/hoopoe/engine/internal/filelock"
	"github.com/hoopoe-agent/hoopoe/engine/internal/plainfile"
)

// Trust is what the user has said about a project folder.
type Trust int

// The zero value means that the user hasn't been asked.
const (
	TrustUnknown Trust = iota
	Trusted
	Distrusted
)

// Rules are saved permission rules of one folder, each "tool" or
// "tool(pattern)" as in settings.
type Rules struct {
	Allow []string `json:"allow,omitempty"`
	Ask   []string `json:"ask,omitempty"`
	Deny  []string `json:"deny,omitempty"`
}

// Effect names one of the lists of Rules.
type Effect string

// The effects of a saved rule.
const (
	Allow Effect = "allow"
	Ask   Effect = "ask"
	Deny  Effect = "deny"
)

func (r *Rules) list(e Effect) (*[]string, error) {
	switch e {
	case Allow:
		return &r.Allow, nil
	case Ask:
		return &r.Ask, nil
	case Deny:
		return &r.Deny, nil
	}
	return nil, fmt.Errorf("unknown effect %q of a rule: use allow, ask or deny", string(e))
}

// trustFile and rulesFile are the documents in the state folder, keyed by
// the folder's absolute path with symlinks resolved.
type (
	trustFile map[string]bool
	rulesFile map[string]Rules
)

// Trust reports what the user has said about exactly this folder. Trust isn't
// inherited: a repository cloned into a trusted folder is a stranger.
func (p Paths) Trust(folder string) (Trust, error) {
	said, err := readState[trustFile](under(p.State, "trust.json"))
	if err != nil {
		return TrustUnknown, err
	}
	trusted, asked := said[folderKey(folder)]
	switch {
	case !asked:
		return TrustUnknown, nil
	case trusted:
		return Trusted, nil
	}
	return Distrusted, nil
}

// SetTrust remembers the answer for folder; TrustUnknown forgets it.
func (p Paths) SetTrust(ctx context.Context, folder string, t Trust) error {
	return updateState(ctx, p, "trust", func(said trustFile) error {
		if t == TrustUnknown {
			delete(said, folderKey(folder))
		} else {
			said[folderKey(folder)] = t == Trusted
		}
		return nil
	})
}

// Rules returns the permission rules saved for folder.
func (p Paths) Rules(folder string) (Rules, error) {
	all, err := readState[rulesFile](under(p.State, "permissions.json"))
	return all[folderKey(folder)], err
}

// AddRule saves a permission rule for folder. Saving one twice is no error.
func (p Paths) AddRule(ctx context.Context, folder string, e Effect, rule string) error {
	return p.changeRules(ctx, folder, e, func(list []string) []string {
		if slices.Contains(list, rule) {
			return list
		}
		return append(list, rule)
	})
}

// RemoveRule forgets a saved rule of folder.
func (p Paths) RemoveRule(ctx context.Context, folder string, e Effect, rule string) error {
	return p.changeRules(ctx, folder, e, func(list []string) []string {
		return slices.DeleteFunc(list, func(r string) bool { return r == rule })
	})
}

func (p Paths) changeRules(ctx context.Context, folder string, e Effect, change func([]string) []string) error {
	return updateState(ctx, p, "permissions", func(all rulesFile) error {
		rules := all[folderKey(folder)]
		list, err := rules.list(e)
		if err != nil {
			return err
		}
		*list = change(*list)
		all[folderKey(folder)] = rules
		if len(rules.Allow)+len(rules.Ask)+len(rules.Deny) == 0 {
			delete(all, folderKey(folder))
		}
		return nil
	})
}

// folderKey makes one name of all ways to write a folder.
func folderKey(folder string) string {
	if abs, err := filepath.Abs(folder); err == nil {
		folder = abs
	}
	if real, err := filepath.EvalSymlinks(folder); err == nil {
		folder = real
	}
	return folder
}

// maxState bounds a document of the state folder, in bytes.
const maxState = 16 << 20

// readState reads a JSON document of the state folder; a missing one is empty.
func readState[T ~map[string]V, V any](path string) (T, error) {
	doc := T{}
	if path == "" {
		return doc, nil
	}
	src, err := plainfile.Read(path, maxState)
	if errors.Is(err, fs.ErrNotExist) {
		return doc, nil
	}
	if err != nil {
		return doc, fmt.Errorf("read saved state: %w", err)
	}
	if err := json.Unmarshal(src, &doc); err != nil {
		return T{}, fmt.Errorf("%s is damaged; repair or delete it: %w", path, err)
	}
	if doc == nil { // the document was null
		doc = T{}
	}
	return doc, nil
}

// updateState changes a document under its lock. A damaged one is reported
// and left alone.
func updateState[T ~map[string]V, V any](ctx context.Context, p Paths, name string, change func(T) error) error {
	path := under(p.State, name+".json")
	if path == "" {
		return ErrNoHome
	}
	return filelock.With(ctx, p.lock(name), func() error {
		doc, err := readState[T](path)
		if err != nil {
			return err
		}
		if err := change(doc); err != nil {
			return err
		}
		src, err := json.MarshalIndent(doc, "", "  ")
		if err != nil {
			return fmt.Errorf("save %s: %w", path, err)
		}
		return atomicfile.Write(path, append(src, '\n'), atomicfile.Options{Mode: 0o600, DirMode: 0o700})
	})
}
