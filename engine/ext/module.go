package ext

import "context"

// Modules makes extensions of files. It is safe for concurrent use.
type Modules interface {
	// Entries lists the entry files that a path stands for: a file itself, a
	// folder by its package.json or index file, a folder of extensions by what
	// lies in it. What isn't there has none.
	Entries(path string) ([]string, error)
	// Inspect reads a module and what belongs to it. Nothing of it runs.
	Inspect(ctx context.Context, path string) (Module, error)
	// Extension is the module with the capabilities that it may use.
	Extension(m Module, granted []string) Extension
}

// Module is a file that was read and hasn't run.
type Module struct {
	Name, Description string
	Path              string // of the entry file, absolute
	// Hash changes with the content of any of Files.
	Hash string
	// Capabilities are those that it states: fs, net, exec, env.
	Capabilities []string
	// Files are all that it was made of, to be watched.
	Files []string
}
