package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// systems are those that releases are for.
var systems = []string{"linux", "darwin", "windows"}

// module is one that the program links packages of.
type module struct {
	path, version string
	dir           string
	needs         map[string]bool // paths of modules that its linked packages import
	texts         []text          // its licences and notices
}

// text is a file about rights.
type text struct{ name, content string }

// program is the main module with all that it links.
type program struct {
	path    string
	dir     string
	needs   map[string]bool
	modules []*module // by path
	std     text      // the licence of the standard library
	own     []text    // notices of parts of our own
}

// goPackage is what go list tells.
type goPackage struct {
	ImportPath, Dir string
	Standard        bool
	Imports         []string
	Module          *struct {
		Path, Version, Dir string
		Main               bool
		Replace            *struct{ Path, Version, Dir string }
	}
}

// linked finds the modules of the package in folder, on all systems together.
func linked(ctx context.Context, folder string) (*program, error) {
	p := &program{needs: map[string]bool{}}
	modules, owner, packages := map[string]*module{}, map[string]string{}, map[string]goPackage{}
	for _, system := range systems {
		list, err := listed(ctx, folder, system)
		if err != nil {
			return nil, err
		}
		for _, one := range list {
			if one.Standard {
				continue
			}
			packages[one.ImportPath], owner[one.ImportPath] = one, one.Module.Path
			if one.Module.Main {
				p.path, p.dir = one.Module.Path, one.Module.Dir
				continue
			}
			m := modules[one.Module.Path]
			if m == nil {
				m = &module{path: one.Module.Path, version: one.Module.Version, dir: one.Module.Dir, needs: map[string]bool{}}
				if r := one.Module.Replace; r != nil {
					m.path, m.version, m.dir = r.Path, r.Version, r.Dir
				}
				modules[one.Module.Path] = m
			}
		}
	}
	if p.path == "" {
		return nil, errors.New("go list found no main module: run it in the repository")
	}
	for path, one := range packages {
		from := p.needs
		if m := modules[owner[path]]; m != nil {
			from = m.needs
		}
		for _, imported := range one.Imports {
			if to := owner[imported]; modules[to] != nil && to != owner[path] {
				from[modules[to].path] = true
			}
		}
	}
	for _, path := range slices.Sorted(maps.Keys(modules)) {
		m := modules[path]
		if err := m.readTexts(packages, path); err != nil {
			return nil, err
		}
		p.modules = append(p.modules, m)
	}
	return p, p.readOwn(ctx)
}

// listed are the packages that a build for a system links.
func listed(ctx context.Context, folder, system string) ([]goPackage, error) {
	c := exec.CommandContext(ctx, "go", "list", "-deps", "-json=ImportPath,Dir,Standard,Imports,Module", ".")
	c.Dir, c.Env = folder, append(os.Environ(), "GOOS="+system, "GOARCH=amd64", "CGO_ENABLED=0")
	var complaint bytes.Buffer
	c.Stderr = &complaint
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("go list for %s: %w: %s", system, err, bytes.TrimSpace(complaint.Bytes()))
	}
	var list []goPackage
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var one goPackage
		switch err := d.Decode(&one); {
		case errors.Is(err, io.EOF):
			return list, nil
		case err != nil:
			return nil, fmt.Errorf("read what go list tells: %w", err)
		}
		list = append(list, one)
	}
}

// about matches the names of files about rights.
var about = regexp.MustCompile(`(?i)^(un)?(licen[cs]e|copying|copyright|notice|patents)([.-].*)?$`)

// readTexts collects the files about rights in the folders of the linked packages
// and above them, up to the module's own.
func (m *module) readTexts(packages map[string]goPackage, path string) error {
	folders := map[string]bool{m.dir: true}
	for _, one := range packages {
		if one.Module.Path != path {
			continue
		}
		for dir := one.Dir; dir != m.dir && strings.HasPrefix(dir, m.dir); dir = filepath.Dir(dir) {
			folders[dir] = true
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(folders)) {
		list, err := os.ReadDir(dir)
		if err != nil {
			return fmt.Errorf("the licence of %s: %w", m.path, err)
		}
		for _, entry := range list {
			if !entry.Type().IsRegular() || !about.MatchString(entry.Name()) || filepath.Ext(entry.Name()) == ".go" {
				continue
			}
			name, err := filepath.Rel(m.dir, filepath.Join(dir, entry.Name()))
			if err != nil {
				return err
			}
			t, err := readText(filepath.Join(dir, entry.Name()), filepath.ToSlash(name))
			if err != nil {
				return err
			}
			m.texts = append(m.texts, t)
		}
	}
	if _, err := m.licences(); err != nil {
		return err
	}
	return nil
}

func readText(path, name string) (text, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return text{}, err
	}
	lines := strings.Split(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " \t\f")
	}
	return text{name, strings.Trim(strings.Join(lines, "\n"), "\n")}, nil
}

// readOwn reads the licence of Go, and the notices in our own folders below the
// first, which goes with a release as it is.
func (p *program) readOwn(ctx context.Context) error {
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return fmt.Errorf("find Go: %w", err)
	}
	if p.std, err = readText(filepath.Join(strings.TrimSpace(string(root)), "LICENSE"), "LICENSE"); err != nil {
		return fmt.Errorf("the licence of Go: %w", err)
	}
	return filepath.WalkDir(p.dir, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (strings.HasPrefix(entry.Name(), ".") && path != p.dir || entry.Name() == "testdata" || entry.Name() == "dist"):
			return fs.SkipDir
		case entry.Name() == "NOTICE" && filepath.Dir(path) != p.dir:
			name, err := filepath.Rel(p.dir, path)
			if err != nil {
				return err
			}
			t, err := readText(path, filepath.ToSlash(name))
			p.own = append(p.own, t)
			return err
		}
		return nil
	})
}

// licences are the SPDX names of a module's licences, in order.
func (m *module) licences() ([]string, error) {
	found := map[string]bool{}
	for _, t := range m.texts {
		names := licencesIn(t.content)
		if len(names) == 0 && strings.Contains(strings.ToLower(t.name), "licen") {
			return nil, fmt.Errorf("%s: nobody knows the licence in %s; read it, then teach licencesIn", m.path, t.name)
		}
		for _, n := range names {
			found[n] = true
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%s has no licence in %s", m.path, m.dir)
	}
	return slices.Sorted(maps.Keys(found)), nil
}

// licencesIn recognises licences by sentences that only they have.
func licencesIn(content string) []string {
	content = strings.ToLower(strings.Join(strings.Fields(content), " "))
	has := func(part string) bool { return strings.Contains(content, part) }
	var names []string
	add := func(yes bool, name string) {
		if yes {
			names = append(names, name)
		}
	}
	bsd := has("redistribution and use in source and binary forms")
	add(has("apache license") && has("version 2.0") && (has("terms and conditions for use, reproduction") || has("licensed under the apache license")), "Apache-2.0")
	add(has("permission is hereby granted, free of charge"), "MIT")
	add(bsd && has("neither the name"), "BSD-3-Clause")
	add(bsd && !has("neither the name"), "BSD-2-Clause")
	add(has("mozilla public license") && has("2.0"), "MPL-2.0")
	add(has("permission to use, copy, modify, and/or distribute this software") || has("permission to use, copy, modify, and distribute this software"), "ISC")
	add(has("this is free and unencumbered software released into the public domain"), "Unlicense")
	return names
}
