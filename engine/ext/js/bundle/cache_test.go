package bundle

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

const small = `
-- x/index.ts --
// @capabilities fs
import { own } from "./own";
import pkg from "pkg";
import * as fs from "node:fs";
export default () => own + pkg + typeof fs;
-- x/own/index.ts --
export const own = "own";
-- node_modules/pkg/package.json --
{"main": "a.js"}
-- node_modules/pkg/a.js --
module.exports = "a"
-- node_modules/pkg/b.js --
module.exports = "b"
`

// E-1: a warm start takes the bundle from the cache, and only while every input
// is as it was.
func TestCache(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(t *testing.T, dir, cached string)
		hit    bool
		want   string
	}{
		{"nothing", func(*testing.T, string, string) {}, true, "ownaobject"},
		{"own file", func(t *testing.T, dir, _ string) {
			write(t, filepath.Join(dir, "x/own/index.ts"), "export const own = 'new'")
		}, false, "newaobject"},
		{"a file that goes first", func(t *testing.T, dir, _ string) {
			write(t, filepath.Join(dir, "x/own.ts"), "export const own = 'first'")
		}, false, "firstaobject"},
		{"a package's main", func(t *testing.T, dir, _ string) {
			write(t, filepath.Join(dir, "node_modules/pkg/package.json"), `{"main":"b.js"}`)
		}, false, "ownbobject"},
		{"damaged", func(t *testing.T, _, cached string) { flip(t, cached, -10) }, false, "ownaobject"},
		{"damaged head", func(t *testing.T, _, cached string) { flip(t, cached, 0) }, false, "ownaobject"},
		{"cut", func(t *testing.T, _, cached string) {
			if err := os.Truncate(cached, 900); err != nil {
				t.Fatal(err)
			}
		}, false, "ownaobject"},
		{"empty", func(t *testing.T, _, cached string) { write(t, cached, "") }, false, "ownaobject"},
		{"foreign", func(t *testing.T, _, cached string) { write(t, cached, "{\"Record\":{},\"Code\":-1}\n") }, false, "ownaobject"},
		{"can't be written", func(t *testing.T, _, cached string) {
			if err := os.RemoveAll(filepath.Dir(cached)); err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Dir(cached), "a file in the way")
		}, false, "ownaobject"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir, cache := tree(t, small), filepath.Join(t.TempDir(), "cache")
			options := Options{External: serves, Cache: cache, Version: "1"}
			entry := filepath.Join(dir, "x", "index.ts")
			first, err := New(options).Bundle(t.Context(), entry)
			if err != nil {
				t.Fatal(err)
			}
			files, err := os.ReadDir(cache)
			if err != nil || len(files) != 1 {
				t.Fatalf("the cache holds %v, %v", files, err)
			}
			c.change(t, dir, filepath.Join(cache, files[0].Name()))

			b := New(options)
			if hit := b.cached(entry) != nil; hit != c.hit {
				t.Errorf("taken from the cache: %t, want %t", hit, c.hit)
			}
			second, err := b.Bundle(t.Context(), entry)
			if err != nil {
				t.Fatal(err)
			}
			got, err := outcome(t, second)
			if err != nil || got != c.want {
				t.Errorf("got %q, %v, want %q", got, err, c.want)
			}
			if same := c.want == "ownaobject"; (first.Hash == second.Hash) != same {
				t.Errorf("the same hash: %t, want %t", !same, same)
			}
			if !slices.Equal(second.Capabilities, []string{"fs"}) || !slices.Equal(second.Externals, []string{"node:fs"}) {
				t.Errorf("got %v, %v", second.Capabilities, second.Externals)
			}
		})
	}
}

func flip(t *testing.T, path string, at int) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	data[(at+len(data))%len(data)] ^= 0x20
	write(t, path, string(data))
}

// Another program version, and a runtime that serves less, build anew.
func TestCacheBelongsToVersion(t *testing.T) {
	dir, cache := tree(t, small), t.TempDir()
	entry := filepath.Join(dir, "x", "index.ts")
	if _, err := New(Options{External: serves, Cache: cache, Version: "1"}).Bundle(t.Context(), entry); err != nil {
		t.Fatal(err)
	}
	if New(Options{External: serves, Cache: cache, Version: "2"}).cached(entry) != nil {
		t.Error("a bundle of another version was taken")
	}
	_, err := New(Options{Cache: cache, Version: "1"}).Bundle(t.Context(), entry)
	if err == nil || !strings.Contains(err.Error(), `"node:fs" isn't available`) {
		t.Errorf("got %v, want that node:fs isn't available", err)
	}
}

// The hash stays when a folder moves, so that consent to it stays, and what the
// process compiled stays with the bundle.
func TestHash(t *testing.T) {
	one, two := tree(t, small), tree(t, small)
	b := New(Options{External: serves})
	var hashes []string
	for _, dir := range []string{one, two} {
		first, err := b.Bundle(t.Context(), filepath.Join(dir, "x", "index.ts"))
		if err != nil {
			t.Fatal(err)
		}
		again, err := b.Bundle(t.Context(), filepath.Join(dir, "x", "index.ts"))
		if err != nil || again != first {
			t.Errorf("the bundle wasn't shared (%v)", err)
		}
		hashes = append(hashes, first.Hash)
		if got, want := relative(dir, first.Files), "node_modules/pkg/a.js node_modules/pkg/package.json x/index.ts x/own/index.ts"; got != want {
			t.Errorf("files %s, want %s", got, want)
		}
	}
	if hashes[0] != hashes[1] {
		t.Error("the hash changed with the folder's place")
	}
	write(t, filepath.Join(two, "x", "index.ts"), "export default () => 1")
	changed, err := b.Bundle(t.Context(), filepath.Join(two, "x", "index.ts"))
	if err != nil || changed.Hash == hashes[1] {
		t.Errorf("the hash stayed the same (%v)", err)
	}
}

func TestSweep(t *testing.T) {
	cache := t.TempDir()
	now := time.Date(2030, 1, 31, 0, 0, 0, 0, time.UTC)
	for name, age := range map[string]time.Duration{"old.bundle": 31, "new.bundle": 29, ".old.bundle.1.tmp": 31, "notes.txt": 99} {
		path := filepath.Join(cache, name)
		write(t, path, "x")
		if err := os.Chtimes(path, now.Add(-age*24*time.Hour), now.Add(-age*24*time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	b := New(Options{Cache: cache, Now: func() time.Time { return now }})
	if err := b.Sweep(); err != nil {
		t.Fatal(err)
	}
	left, err := filepath.Glob(filepath.Join(cache, "*"))
	if err != nil || relative(cache, left) != "new.bundle notes.txt" {
		t.Errorf("left %s, %v", relative(cache, left), err)
	}
	if err := New(Options{Cache: filepath.Join(cache, "none")}).Sweep(); err != nil {
		t.Error(err)
	}
}

// A bundle in use isn't swept.
func TestTouch(t *testing.T) {
	dir, cache := tree(t, small), t.TempDir()
	now := time.Now()
	b := New(Options{External: serves, Cache: cache, Now: func() time.Time { return now }})
	for range 3 {
		if _, err := b.Bundle(t.Context(), filepath.Join(dir, "x", "index.ts")); err != nil {
			t.Fatal(err)
		}
		now = now.Add(20 * 24 * time.Hour)
		if err := b.Sweep(); err != nil {
			t.Fatal(err)
		}
	}
	if b.cached(filepath.Join(dir, "x", "index.ts")) == nil {
		t.Error("a bundle in use was swept")
	}
}

// Bundlers of one cache, as several processes have them, don't disturb each
// other, and what they return is whole.
func TestConcurrent(t *testing.T) {
	dir, cache := tree(t, small), t.TempDir()
	entry := filepath.Join(dir, "x", "index.ts")
	var all sync.WaitGroup
	for range 4 {
		b := New(Options{External: serves, Cache: cache})
		for range 4 {
			all.Go(func() {
				for range 5 {
					made, err := b.Bundle(t.Context(), entry)
					if err != nil {
						t.Error(err)
						return
					}
					if got, err := outcome(t, made); err != nil || got != "ownaobject" {
						t.Errorf("got %q, %v", got, err)
					}
				}
			})
		}
	}
	all.Wait()
}
