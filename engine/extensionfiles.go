package engine

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// extensionFile is a file that may be an extension.
type extensionFile struct {
	path    string // absolute
	project bool   // it is the project's, not the user's
}

// label is what it is called before it was read.
func (f extensionFile) label() string {
	name := strings.TrimSuffix(filepath.Base(f.path), filepath.Ext(f.path))
	if name == "index" {
		return filepath.Base(filepath.Dir(f.path))
	}
	return name
}

// projectExtensions are a project's folders of extensions, in load order.
var projectExtensions = []string{".hoopoe/extensions", ".pi/extensions", ".xcsh/extensions", ".omp/extensions"}

// hasFiles reports whether the session may have extensions that are files.
func (s *Session) hasFiles() bool { return s.engine.options.Modules != nil && s.caller == nil }

// extensionPlace is a path where extensions are looked for.
type extensionPlace struct {
	path    string
	project bool
	missed  string // what to say when nothing is there; "" says nothing
}

// extensionPlaces are where a session's extensions lie, in load order: the
// user's, those of the settings, the project's if it is trusted, those of the
// command line.
func (s *Session) extensionPlaces() []extensionPlace {
	var places []extensionPlace
	paths, cwd := s.engine.paths, s.env.workspace.Cwd()
	if !s.opts.NoExtensions {
		if dir := paths.Extensions(); dir != "" {
			places = append(places, extensionPlace{path: dir})
		}
		for _, path := range s.env.settings.Extensions {
			p := s.setExtension(path)
			p.missed = "the setting extensions names " + path
			places = append(places, p)
		}
		if s.env.trusted {
			for _, dir := range projectExtensions {
				places = append(places, extensionPlace{path: filepath.Join(cwd, filepath.FromSlash(dir)), project: true})
			}
		}
	}
	for _, path := range s.opts.Extensions {
		abs := s.engine.atHome(path)
		if !filepath.IsAbs(abs) {
			abs = filepath.Join(cwd, abs)
		}
		places = append(places, extensionPlace{path: abs, missed: "the command line or the agent's file names " + path})
	}
	return places
}

// setExtension is the place that a path of the settings means: below the user's
// folder, else of a trusted project below its own.
func (s *Session) setExtension(path string) extensionPlace {
	abs := s.engine.atHome(path)
	if filepath.IsAbs(abs) {
		return extensionPlace{path: abs}
	}
	cwd := s.env.workspace.Cwd()
	user := filepath.Join(s.engine.paths.Config, abs)
	if _, err := os.Stat(user); err == nil || !s.env.trusted {
		return extensionPlace{path: user}
	}
	for _, dir := range []string{filepath.Join(cwd, ".hoopoe"), cwd} {
		if _, err := os.Stat(filepath.Join(dir, abs)); err == nil {
			return extensionPlace{path: filepath.Join(dir, abs), project: true}
		}
	}
	return extensionPlace{path: user}
}

// atHome puts the user's home folder in the place of "~".
func (e *Engine) atHome(path string) string {
	if rest, ok := strings.CutPrefix(path, "~"); ok && (rest == "" || rest[0] == '/' || rest[0] == filepath.Separator) {
		return filepath.Join(e.paths.Home, rest)
	}
	return path
}

// files are the extensions' files, each once.
func (x *extensions) files() []extensionFile {
	s := x.s
	if !s.hasFiles() {
		return nil
	}
	var files []extensionFile
	seen := map[string]bool{}
	for _, place := range s.extensionPlaces() {
		found, err := s.engine.options.Modules.Entries(place.path)
		switch {
		case err != nil:
			s.host.Failed(extensionFile{path: place.path}.label(), "load", err)
		case len(found) == 0 && place.missed != "":
			s.notify("warning", "No extension was found: "+place.missed+".")
		}
		for _, path := range found {
			real := path
			if r, err := filepath.EvalSymlinks(path); err == nil {
				real = r
			}
			if !seen[real] {
				seen[real] = true
				files = append(files, extensionFile{path: path, project: place.project})
			}
		}
	}
	return files
}

// watched are the files and folders whose changes matter to the extensions.
func (x *extensions) watched() (files, folders []string) {
	for _, p := range x.s.extensionPlaces() {
		folders = append(folders, p.path)
	}
	for _, e := range x.all() {
		files = append(files, e.module.Files...)
	}
	slices.Sort(files)
	return slices.Compact(files), folders
}
