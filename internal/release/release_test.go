package main

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// repository is the program's own folder.
const repository = "../.."

// Everything that a build links is in the notices and in the bill of materials,
// and both are the same when they are made again.
func TestNoticesAndBill(t *testing.T) {
	p, err := linked(t.Context(), repository)
	if err != nil {
		t.Fatal(err)
	}
	notices, err := p.notices()
	if err != nil {
		t.Fatal(err)
	}
	bill, err := p.cyclone("1.2.3", "1700000000")
	if err != nil {
		t.Fatal(err)
	}
	var b bom
	if err := json.Unmarshal(bill, &b); err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}{{end}}{{end}}", ".")
	c.Dir = repository
	out, err := c.Output()
	if err != nil {
		t.Fatal(err)
	}
	modules := slices.Compact(slices.Sorted(strings.Lines(string(out))))
	if len(modules) < 20 {
		t.Fatalf("only %d modules: %s", len(modules), out)
	}
	for _, m := range modules {
		m = strings.TrimSpace(m)
		if m == "" {
			continue
		}
		if !bytes.Contains(notices, []byte("\n  "+m+" ")) {
			t.Errorf("the notices lack %s", m)
		}
		path, version, _ := strings.Cut(m, " ")
		if !slices.ContainsFunc(b.Components, func(c component) bool { return c.Name == path && c.Version == version && len(c.Licences) > 0 }) {
			t.Errorf("the bill lacks %s", m)
		}
	}
	for _, want := range []string{"github.com/charmbracelet/x/windows ", "the Go standard library", "Hoopoe (engine/llm/catalog/NOTICE)", "Permission is hereby granted"} {
		if !bytes.Contains(notices, []byte(want)) {
			t.Errorf("the notices lack %q", want)
		}
	}
	refs := map[string]bool{b.Metadata.Component.Ref: true}
	for _, c := range b.Components {
		refs[c.Ref] = true
	}
	for _, d := range b.Dependencies {
		for _, need := range append(d.Needs, d.Ref) {
			if !refs[need] {
				t.Errorf("%s isn't in the bill", need)
			}
		}
	}
	if b.Metadata.Component.Version != "v1.2.3" || b.Metadata.Timestamp != "2023-11-14T22:13:20Z" || !strings.HasPrefix(b.Serial, "urn:uuid:") {
		t.Errorf("%+v %s", b.Metadata, b.Serial)
	}
	again, err := linked(t.Context(), repository)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := again.notices(); err != nil || !bytes.Equal(text, notices) {
		t.Errorf("the notices are others the second time: %v", err)
	}
	if text, err := again.cyclone("1.2.3", "1700000000"); err != nil || !bytes.Equal(text, bill) {
		t.Errorf("the bill is another the second time: %v", err)
	}
	if _, err := p.cyclone("1.2.3", "yesterday"); err == nil {
		t.Error("a date that isn't one is taken")
	}
}

func TestLicences(t *testing.T) {
	const bsd = "Redistribution and use in source and binary\nforms, with or without modification"
	for _, c := range []struct {
		texts []text
		want  string // "" is refused
	}{
		{[]text{{"LICENSE", "The MIT License\n\nPermission is hereby granted, free of\n   charge, to any person"}}, "MIT"},
		{[]text{{"LICENSE", bsd}}, "BSD-2-Clause"},
		{[]text{{"LICENSE", bsd + " Neither the name of"}}, "BSD-3-Clause"},
		{[]text{{"LICENSE", "Apache License\nVersion 2.0, January 2004\nTERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION"}, {"NOTICE", "Copyright"}}, "Apache-2.0"},
		{[]text{{"LICENSE", "Permission is hereby granted, free of charge"}, {"sub/LICENSE", bsd}}, "BSD-2-Clause MIT"},
		{[]text{{"COPYING", "Mozilla Public License Version 2.0"}}, "MPL-2.0"},
		{[]text{{"LICENSE", "Permission to use, copy, modify, and distribute this software"}}, "ISC"},
		{[]text{{"LICENSE", "Ask me first."}}, ""},
		{[]text{{"NOTICE", "Copyright"}}, ""},
		{nil, ""},
	} {
		names, err := (&module{path: "example.com/x", texts: c.texts}).licences()
		if strings.Join(names, " ") != c.want || (err != nil) != (c.want == "") {
			t.Errorf("%v: %v, %v, want %q", c.texts, names, err, c.want)
		}
	}
}

func TestFileNames(t *testing.T) {
	for name, want := range map[string]bool{
		"LICENSE": true, "License.md": true, "LICENCE.txt": true, "COPYING": true, "NOTICE": true, "PATENTS": true, "LICENSE-MIT": true, "UNLICENSE": true,
		"licenses": false, "README.md": false, "license_test": false,
	} {
		if about.MatchString(name) != want {
			t.Errorf("%s: %t", name, !want)
		}
	}
}
