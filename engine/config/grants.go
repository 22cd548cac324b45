package config

import "context"

// Grant is what the user has said about an extension.
type Grant struct {
	// Hash is of the content that they were asked about.
	Hash string `json:"hash"`
	// Asked are the capabilities that it wanted, Granted those that it got.
	Asked   []string `json:"asked"`
	Granted []string `json:"granted"`
}

// grantsFile is a document in the state folder, keyed by the path of the entry
// file.
type grantsFile map[string]Grant

// Grant returns what was said about the extension at path.
func (p Paths) Grant(path string) (g Grant, known bool, err error) {
	all, err := readState[grantsFile](under(p.State, "extensions.json"))
	g, known = all[folderKey(path)]
	return g, known, err
}

// SetGrant remembers it.
func (p Paths) SetGrant(ctx context.Context, path string, g Grant) error {
	return updateState(ctx, p, "extensions", func(all grantsFile) error {
		all[folderKey(path)] = g
		return nil
	})
}
