package js

import (
	"context"
	_ "embed"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/grafana/sobek"

	"github.com/hoopoe-agent/hoopoe/engine/ext"
	"github.com/hoopoe-agent/hoopoe/engine/ext/js/bundle"
	"github.com/hoopoe-agent/hoopoe/engine/ext/js/shim"
)

// Options configure Modules.
type Options struct {
	// Cache is a folder for what was bundled; empty keeps nothing.
	Cache   string
	Version string // of the program
	// Log takes what extensions print and log, a line at a time. Level is debug,
	// info, warn or error. It is called from several goroutines.
	Log func(extension, level, line string)
	// HTTP is what fetch uses; nil is http.DefaultClient. Offline refuses it.
	HTTP    *http.Client
	Offline bool
	// Environ is the environment that an extension with the capability env sees,
	// Home the user's folder, AgentDir that of the program's own files.
	Environ        []string
	Home, AgentDir string
	Now            func() time.Time // nil: time.Now
	// Memory is what one extension may hold in one session, in bytes, and Slice
	// how long it may run without a break; 0 are the loop's defaults.
	Memory int64
	Slice  time.Duration
}

// Modules makes extensions and agents of files. It is safe for concurrent use.
type Modules struct {
	options Options
	bundler *bundle.Bundler
	buses   buses
}

var _ ext.Modules = (*Modules)(nil)

// New returns Modules.
func New(o Options) *Modules {
	if o.Log == nil {
		o.Log = func(string, string, string) {}
	}
	if o.HTTP == nil {
		o.HTTP = http.DefaultClient
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Modules{options: o, bundler: bundle.New(bundle.Options{
		External: shim.Known, Cache: o.Cache, Version: o.Version, Now: o.Now,
	})}
}

// Entries lists the modules that a path stands for; see ext.Modules.
func (m *Modules) Entries(path string) ([]string, error) { return bundle.Entries(path) }

// Inspect reads a module. What is wrong with it is a *bundle.Error.
func (m *Modules) Inspect(ctx context.Context, path string) (ext.Module, error) {
	b, err := m.bundler.Bundle(ctx, path)
	if err != nil {
		return ext.Module{}, err
	}
	return moduleOf(b), nil
}

func moduleOf(b *bundle.Bundle) ext.Module {
	return ext.Module{Name: b.Name, Description: b.Description, Path: b.Entry, Hash: b.Hash, Capabilities: b.Capabilities, Files: b.Files}
}

// Needs names the capabilities that a module's imports ask for, whether it
// states them or not.
func (m *Modules) Needs(ctx context.Context, path string) ([]string, error) {
	b, err := m.bundler.Bundle(ctx, path)
	if err != nil {
		return nil, err
	}
	var needs []string
	for _, name := range b.Externals {
		if c := shim.Needs(name); c != "" && !slices.Contains(needs, c) {
			needs = append(needs, c)
		}
	}
	slices.Sort(needs)
	return needs, nil
}

// Extension is a module with the capabilities that it may use.
func (m *Modules) Extension(of ext.Module, granted []string) ext.Extension {
	return &extension{modules: m, module: of, granted: slices.Clone(granted)}
}

//go:embed api.js
var apiSource string

// apiProgram is shared by all runtimes of the process; running a program
// doesn't change it.
var apiProgram = sync.OnceValues(func() (*sobek.Program, error) {
	return sobek.Compile("hoopoe:api.js", apiSource, true)
})
