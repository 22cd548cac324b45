package engine

import (
	"context"
	"fmt"

	"github.com/hoopoe-agent/hoopoe/engine/session"
)

// Sessions lists the saved sessions of a working directory, or of all, the
// latest first.
func (e *Engine) Sessions(cwd, sessionDir string, all bool) ([]session.Summary, error) {
	folders, err := e.SessionFolders(cwd, sessionDir, all)
	if err != nil {
		return nil, err
	}
	return session.List(folders...)
}

// RenameSession names a saved session. One that is open, here or elsewhere, is
// refused: it is named by Session.Rename.
func (e *Engine) RenameSession(_ context.Context, path, name string) error {
	if name = session.CleanName(name); name == "" {
		return fmt.Errorf("name session %s: the name is empty", path)
	}
	d, _, err := session.Open(path, session.Options{Locks: e.paths.Locks(), Now: e.options.Now})
	if err != nil {
		return fmt.Errorf("name the session: %w", err)
	}
	_, err = d.SetName(name)
	if closing := d.Close(); err == nil {
		err = closing
	}
	return err
}

// DeleteSession removes a saved session for good. One that is open, here or
// elsewhere, is refused.
func (e *Engine) DeleteSession(_ context.Context, path string) error {
	return session.Delete(path, e.paths.Locks())
}
