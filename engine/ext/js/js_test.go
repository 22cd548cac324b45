package js

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/hoopoe-agent/hoopoe/engine/ext"
)

// all are the capabilities that there are.
var all = []string{"fs", "net", "exec", "env"}

// loaded is an extension with its session and the host that calls it.
type loaded struct {
	*recorder
	host *ext.Host
	part *ext.Part
}

// write makes an extension's file.
func write(t testing.TB, source string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "extension.ts")
	if err := os.WriteFile(path, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// load makes an extension of TypeScript in a session of its own.
func load(t testing.TB, source string) *loaded {
	t.Helper()
	return loadInto(t, newRecorder(), New(Options{Cache: t.TempDir()}), write(t, source))
}

func loadInto(t testing.TB, r *recorder, m *Modules, path string) *loaded {
	t.Helper()
	l, err := tryLoad(t, r, m, path)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func tryLoad(t testing.TB, r *recorder, m *Modules, path string) (*loaded, error) {
	t.Helper()
	module, err := m.Inspect(t.Context(), path)
	if err != nil {
		return nil, err
	}
	host := &ext.Host{Failed: func(extension, point string, err error) { r.note("hook failed %s: %v", point, err) }}
	part, err := host.Load(t.Context(), module.Path, m.Extension(module, all), r)
	if err != nil {
		return nil, err
	}
	host.Set([]*ext.Part{part})
	t.Cleanup(part.Retire)
	return &loaded{recorder: r, host: host, part: part}, nil
}

// What runs is what was looked at: a change of the file that nobody has looked at
// has no effect, and what was looked at before is no longer loaded.
func TestWhatWasInspectedRuns(t *testing.T) {
	m, path := New(Options{}), write(t, `export default (pi) => pi.registerCommand("first", () => {})`)
	first, err := m.Inspect(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(`export default (pi) => pi.registerCommand("second", () => {})`), 0o600); err != nil {
		t.Fatal(err)
	}
	loads := func(module ext.Module) string {
		in, err := m.Extension(module, all).Load(t.Context(), newRecorder())
		if err != nil {
			return err.Error()
		}
		defer in.Close()
		return in.Registered().Commands[0].Name
	}
	if got := loads(first); got != "first" {
		t.Errorf("the module is %s", got)
	}
	second, err := m.Inspect(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if got := loads(second); got != "second" {
		t.Errorf("the changed module is %s", got)
	}
	if got, want := loads(first), first.Path+" has changed since it was read; load it again"; got != want {
		t.Errorf("the module of before is %q, want %q", got, want)
	}
}
