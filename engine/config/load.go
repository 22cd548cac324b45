package config

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// utf8BOM is what some Windows editors put before the text.
const utf8BOM = "\xef\xbb\xbf"

// Config is the outcome of all layers.
type Config struct {
	Settings
	Paths   Paths
	origins map[string]string
}

// Origin returns the file or flag that set a dotted key, "" for a default.
func (c Config) Origin(key string) string { return c.origins[key] }

// Override is the value of a setting from the command line.
type Override struct {
	Key   string // dotted, such as permissions.mode
	Value any    // what encoding/json turns into the key's type
	Flag  string // the name for messages, such as --permissions
}

// LoadOptions say which layers to read.
type LoadOptions struct {
	Paths     Paths
	Project   string // the folder that may hold .hoopoe/settings.json; "" for none
	Trusted   bool   // the user trusts Project; without it nothing of it is read
	Overrides []Override
}

// Load reads all layers. Warnings don't stop the program. The error joins one
// Problem for each setting that can't be used; Config is the zero value then.
func Load(ctx context.Context, o LoadOptions) (Config, []Problem, error) {
	c := Config{Settings: Defaults(), Paths: o.Paths, origins: map[string]string{}}
	layers := []layer{{name: o.Paths.Settings()}}
	if o.Project != "" && o.Trusted {
		layers = append(layers, layer{name: ProjectSettings(o.Project), project: true})
	}
	var (
		warnings []Problem
		errs     []error
	)
	for _, l := range layers {
		if err := ctx.Err(); err != nil {
			return Config{}, nil, err
		}
		src, err := readSettings(l.name)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		w, err := c.apply(l, src)
		warnings = append(warnings, w...)
		errs = append(errs, err)
	}
	for _, over := range o.Overrides {
		w, err := c.override(over)
		warnings = append(warnings, w...)
		errs = append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return Config{}, warnings, err
	}
	return c, warnings, nil
}

// apply decodes one document over the settings so far.
func (c *Config) apply(l layer, src []byte) ([]Problem, error) {
	v, err := parse(l.name, src)
	if err != nil {
		return nil, err
	}
	d := &decoder{layer: l, src: src, origins: c.origins}
	d.decode(v, &c.Settings)
	return d.warnings, errors.Join(d.errs...)
}

// override wraps a flag's value in the objects of its key, so that it passes
// the same checks as a file.
func (c *Config) override(o Override) ([]Problem, error) {
	if !slices.Contains(Keys(), o.Key) {
		return nil, Problem{File: o.Flag, Key: o.Key, Text: "unknown setting" + didYouMean(nearest(o.Key, Keys()))}
	}
	var doc any = o.Value
	parts := strings.Split(o.Key, ".")
	for _, part := range slices.Backward(parts) {
		doc = map[string]any{part: doc}
	}
	src, err := json.Marshal(doc)
	if err != nil {
		return nil, Problem{File: o.Flag, Key: o.Key, Text: err.Error()}
	}
	return c.apply(layer{name: o.Flag, bare: true}, src)
}

// readSettings returns the text of a settings file without a byte order mark;
// a missing file is empty.
func readSettings(path string) ([]byte, error) {
	if path == "" {
		return nil, nil
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("read settings: %w", err)
	case !info.Mode().IsRegular():
		return nil, Problem{File: path, Text: "is not a file; remove it or put a settings file there"}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read settings (check the permissions of the file): %w", err)
	}
	defer f.Close()
	src, err := io.ReadAll(io.LimitReader(f, maxSettings+1))
	if err != nil {
		return nil, fmt.Errorf("read settings %s: %w", path, err)
	}
	return bytes.TrimPrefix(src, []byte(utf8BOM)), nil
}

// NeedsTrust lists what Hoopoe would read of a project if the user trusted the
// folder; with nothing there, there is nothing to ask.
func NeedsTrust(project string) []string {
	var found []string
	for _, name := range append([]string{".hoopoe"}, ServerFiles()...) {
		if _, err := os.Lstat(filepath.Join(project, name)); err == nil {
			found = append(found, name)
		}
	}
	return found
}

// ServerFiles are the files of a project that name MCP servers, relative to its
// folder; what the first says of a server counts.
func ServerFiles() []string { return []string{".mcp.json", filepath.Join(".pi", "mcp.json")} }
