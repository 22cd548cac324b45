package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The parts of CycloneDX 1.6 that are used.
type bom struct {
	Schema       string       `json:"$schema"`
	Format       string       `json:"bomFormat"`
	Spec         string       `json:"specVersion"`
	Serial       string       `json:"serialNumber,omitempty"`
	Version      int          `json:"version"`
	Metadata     metadata     `json:"metadata"`
	Components   []component  `json:"components"`
	Dependencies []dependency `json:"dependencies"`
}

type metadata struct {
	Timestamp string    `json:"timestamp,omitempty"`
	Component component `json:"component"`
}

type component struct {
	Type     string    `json:"type"`
	Ref      string    `json:"bom-ref"`
	Name     string    `json:"name"`
	Version  string    `json:"version"`
	Licences []licence `json:"licenses"`
	Purl     string    `json:"purl"`
}

type licence struct {
	Licence struct {
		ID string `json:"id"`
	} `json:"license"`
}

type dependency struct {
	Ref   string   `json:"ref"`
	Needs []string `json:"dependsOn,omitempty"`
}

// cyclone is the bill of materials. The date, in seconds since 1970, may be "".
func (p *program) cyclone(version, date string) ([]byte, error) {
	main := componentOf("application", p.path, "v"+strings.TrimPrefix(version, "v"), []string{"Apache-2.0"})
	b := bom{
		Schema: "http://cyclonedx.org/schema/bom-1.6.schema.json", Format: "CycloneDX", Spec: "1.6", Version: 1,
		Metadata: metadata{Component: main}, Components: []component{},
	}
	if date != "" {
		seconds, err := strconv.ParseInt(date, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("SOURCE_DATE_EPOCH is %q, not a number of seconds", date)
		}
		b.Metadata.Timestamp = time.Unix(seconds, 0).UTC().Format(time.RFC3339)
	}
	refs := map[string]string{}
	for _, m := range p.modules {
		names, err := m.licences()
		if err != nil {
			return nil, err
		}
		c := componentOf("library", m.path, m.version, names)
		refs[m.path] = c.Ref
		b.Components = append(b.Components, c)
	}
	needs := func(ref string, paths map[string]bool) {
		d := dependency{Ref: ref}
		for _, path := range slices.Sorted(maps.Keys(paths)) {
			d.Needs = append(d.Needs, refs[path])
		}
		b.Dependencies = append(b.Dependencies, d)
	}
	needs(main.Ref, p.needs)
	for _, m := range p.modules {
		needs(refs[m.path], m.needs)
	}
	text, err := encoded(b)
	if err != nil {
		return nil, err
	}
	// The serial number must be one of its own for each bill; so it follows from
	// what is in it.
	sum := sha256.Sum256(text)
	sum[6], sum[8] = sum[6]&0x0f|0x80, sum[8]&0x3f|0x80 // a UUID of version 8
	b.Serial = fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
	return encoded(b)
}

func componentOf(kind, path, version string, licences []string) component {
	purl := "pkg:golang/" + path + "@" + strings.ReplaceAll(version, "+", "%2B")
	c := component{Type: kind, Ref: purl, Name: path, Version: version, Purl: purl}
	for _, name := range licences {
		var l licence
		l.Licence.ID = name
		c.Licences = append(c.Licences, l)
	}
	return c
}

func encoded(b bom) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(b)
	return out.Bytes(), err
}
