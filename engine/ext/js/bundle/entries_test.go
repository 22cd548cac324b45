package bundle

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestEntries(t *testing.T) {
	for _, c := range []struct{ name, path, files, want string }{
		{"script", "a.ts", "-- a.ts --\n", "a.ts"},
		{"index.ts before index.js", "x", "-- x/index.js --\n-- x/index.ts --\n", "x/index.ts"},
		{"index beside a package.json of no interest", "x", "-- x/index.js --\n-- x/package.json --\n{\"name\":\"x\"}", "x/index.js"},
		{"main", "x", "-- x/lib/m.mjs --\n-- x/index.js --\n-- x/package.json --\n{\"main\":\"./lib/m.mjs\"}", "x/lib/m.mjs"},
		{"main that isn't there", "x", "-- x/index.js --\n-- x/package.json --\n{\"main\":\"dist/m.js\"}", "x/index.js"},
		{"the family's list", "x", "-- x/a.ts --\n-- x/b/index.ts --\n-- x/package.json --\n{\"pi\":{\"extensions\":[\"./b\",\"a.ts\",\"./a.ts\"]}}", "x/b/index.ts x/a.ts"},
		{"the other family's list", "x", "-- x/a.ts --\n-- x/package.json --\n{\"omp\":{\"extensions\":[\"a.ts\"]}}", "x/a.ts"},
		{"ours wins", "x", "-- x/a.ts --\n-- x/b.ts --\n-- x/package.json --\n{\"omp\":{\"extensions\":[\"a.ts\"]},\"hoopoe\":{\"extensions\":[\"b.ts\"]}}", "x/b.ts"},
		{"patterns and what they leave out", "x", "-- x/e/a.ts --\n-- x/e/b.ts --\n-- x/e/b.d.ts --\n-- x/package.json --\n{\"hoopoe\":{\"extensions\":[\"e/*.ts\",\"!e/b*.ts\"]}}", "x/e/a.ts"},
		{"folder of extensions", "x", "-- x/e/a.ts --\n-- x/e/b/index.js --\n-- x/e/c/readme.md --\n-- x/e/README.md --\n-- x/package.json --\n{\"hoopoe\":{\"extensions\":[\"e\"]}}", "x/e/a.ts x/e/b/index.js"},
		{"a byte order mark", "x", "-- x/a.ts --\n-- x/package.json --\n\ufeff{\"hoopoe\":{\"extensions\":[\"a.ts\"]}}", "x/a.ts"},
		{"nothing", "x", "-- x/readme.md --\n", ""},
		{"not there", "y", "-- x/readme.md --\n", ""},
		{"folder of extensions with packages of its own", "x", "-- x/a.ts --\n-- x/b/index.ts --\n-- x/node_modules/p/index.js --\n-- x/c/package.json --\n{}\n-- x/package.json --\n{\"dependencies\":{\"p\":\"1\"}}", "x/a.ts x/b/index.ts"},
		{"no script", "x/readme.md", "-- x/readme.md --\n", "isn't a script"},
		{"listed and missing", "x", "-- x/package.json --\n{\"hoopoe\":{\"extensions\":[\"a.ts\"]}}", `lists the extension "a.ts", which isn't there`},
		{"outside", "x", "-- a.ts --\n-- x/package.json --\n{\"hoopoe\":{\"extensions\":[\"../a.ts\"]}}", "isn't inside the package"},
		{"broken package.json", "x", "-- x/index.ts --\n-- x/package.json --\n{", "can't be used: unexpected end"},
		{"wrong type", "x", "-- x/index.ts --\n-- x/package.json --\n{\"pi\":{\"extensions\":3}}", "can't be used: json"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := tree(t, c.files)
			got, err := Entries(filepath.Join(dir, c.path))
			if err != nil {
				if !strings.Contains(err.Error(), c.want) {
					t.Errorf("got %v, want %q", err, c.want)
				}
				return
			}
			if found := relative(dir, got); found != c.want {
				t.Errorf("got %s, want %s", found, c.want)
			}
		})
	}
}

func relative(dir string, paths []string) string {
	var names []string
	for _, p := range paths {
		name, _ := filepath.Rel(dir, p)
		names = append(names, filepath.ToSlash(name))
	}
	return strings.Join(names, " ")
}

func TestEntriesOfFolder(t *testing.T) {
	dir := tree(t, `
-- ext/b.ts --
-- ext/a.js --
-- ext/types.d.ts --
-- ext/.hidden.ts --
-- ext/folder/index.ts --
-- ext/docs/readme.md --
-- ext/node_modules/index.js --
-- ext/broken/package.json --
{
`)
	if err := os.Symlink(filepath.Join(dir, "ext", "b.ts"), filepath.Join(dir, "ext", "link.ts")); err != nil {
		t.Skip(err)
	}
	got, err := Entries(filepath.Join(dir, "ext"))
	if want := "ext/a.js ext/b.ts ext/folder/index.ts ext/link.ts"; relative(dir, got) != want {
		t.Errorf("got %s, want %s", relative(dir, got), want)
	}
	if err == nil || !strings.Contains(err.Error(), filepath.Join("broken", "package.json")) {
		t.Errorf("got %v, want the broken package", err)
	}
}

// What an extension says of itself, from its header and from the package.json
// that names it and from no other.
func TestDescribe(t *testing.T) {
	for _, c := range []struct{ name, entry, files, want string }{
		{"nothing", "gate.ts", "-- gate.ts --\nexport default 1", "gate||"},
		{"index", "todo/index.ts", "-- todo/index.ts --\n// hello", "todo||"},
		{"line comments", "a.ts", "-- a.ts --\n#!/usr/bin/env x\n// @ts-check\n// @name keeper\n// @description Keeps  things\n// @capabilities exec,fs\n// @capabilities  net\n", "keeper|Keeps  things|fs net exec"},
		{"block", "a.ts", "-- a.ts --\n\ufeff/* first */ /**\n * @name b\n * @capabilities env */\nimport 'x'\n// @capabilities fs\n", "b||env"},
		{"after code", "a.ts", "-- a.ts --\nlet a\n// @capabilities fs\n", "a||"},
		{"open comment", "a.ts", "-- a.ts --\n/*/ @capabilities fs", "a||"},
		{"package", "x/index.ts", "-- x/index.ts --\n// @capabilities fs\n-- x/package.json --\n{\"name\":\"@me/x\",\"description\":\"An x\",\"hoopoe\":{\"capabilities\":[\"exec\"]}}", "@me/x|An x|fs exec"},
		{"package that lists it", "x/src/a.ts", "-- x/src/a.ts --\n-- x/package.json --\n{\"name\":\"x\",\"pi\":{\"extensions\":[\"src/a.ts\"]},\"hoopoe\":{\"capabilities\":[\"net\"]}}", "x||net"},
		{"package that doesn't", "x/ext/a.ts", "-- x/ext/a.ts --\n-- x/package.json --\n{\"name\":\"app\",\"main\":\"index.js\",\"hoopoe\":{\"capabilities\":[\"net\"]}}", "a||"},
		{"hostile name", "a.ts", "-- a.ts --\n// @name a\x1b[31m\u202eb" + strings.Repeat("c", 100), "ab" + strings.Repeat("c", 61) + "…||"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := tree(t, c.files)
			entry := filepath.Join(dir, c.entry)
			src, err := os.ReadFile(entry)
			if err != nil {
				t.Fatal(err)
			}
			a, err := describe(entry, src)
			if err != nil {
				t.Fatal(err)
			}
			if got := a.name + "|" + a.description + "|" + strings.Join(a.capabilities, " "); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// A wrong capability in a package.json has its place too.
func TestManifestCapability(t *testing.T) {
	dir := tree(t, "-- index.ts --\n-- package.json --\n{\n  \"hoopoe\": {\"capabilities\": [\"fs\", \"files\"]}\n}")
	_, err := bundleOf(t, dir, "index.ts")
	want := filepath.Join(dir, "package.json") + `:2:37: unknown capability "files"; name any of fs, net, exec, env`
	if err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestNodeModulesSorted(t *testing.T) {
	if !slices.IsSorted(nodeModules) {
		t.Error("nodeModules must be sorted, it's searched so")
	}
}

func FuzzHeader(f *testing.F) {
	for _, seed := range []string{"// @capabilities fs, exec", "/** @name x\n * @description y\n*/", "#!/bin/x\n/*/*/", "\ufeff//\r\n//@capabilities", "/*"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		h := parseHeader(src)
		for _, w := range h.capabilities {
			if w.offset < 0 || w.offset+len(w.text) > len(src) || string(src[w.offset:w.offset+len(w.text)]) != w.text {
				t.Errorf("%q isn't at %d of %q", w.text, w.offset, src)
			}
		}
	})
}
