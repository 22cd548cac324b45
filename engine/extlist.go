package engine

import (
	"context"

	"github.com/hoopoe-agent/hoopoe/engine/ext"
)

// AwaitExtensions waits until the session's extensions are loaded, as the first
// prompt does.
func (s *Session) AwaitExtensions(ctx context.Context) {
	if s.extensions.pending() {
		s.extensions.start(ctx)
	}
}

// Extension tells of one that is loaded.
type Extension struct {
	Name, Description string
	Path              string   // "" for one of the program's own
	Capabilities      []string // those that it was granted
	Project           bool     // the project's, not the user's
	Tools, Commands   []string
}

// Extensions lists those of the session in load order.
func (s *Session) Extensions() []Extension {
	x := s.extensions
	if x == nil {
		return nil
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	var list []Extension
	for _, e := range x.list {
		one := Extension{Name: e.name(), Description: e.module.Description, Path: e.file.path, Capabilities: e.granted, Project: e.project}
		for _, t := range e.registered.Tools {
			one.Tools = append(one.Tools, t.Spec().Name)
		}
		for _, c := range e.registered.Commands {
			one.Commands = append(one.Commands, c.Name)
		}
		list = append(list, one)
	}
	return list
}

// ThemePaths are the files and folders of themes that extensions name.
func (s *Session) ThemePaths() []string {
	var paths []string
	for _, d := range s.extensions.discovered() {
		paths = append(paths, d.Themes...)
	}
	return paths
}

// discovered is what extensions name to read.
func (x *extensions) discovered() []ext.Discovered {
	if x == nil {
		return nil
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	var found []ext.Discovered
	for _, e := range x.list {
		found = append(found, e.found)
	}
	return found
}
