//go:build linux

package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/hoopoe-agent/hoopoe/engine/llm/llmtest/mockserver"
)

// place is a home and a folder to work in. Each worker has its own, so that
// "the latest session" is one of its own.
type place struct {
	name, dir, home string
	disk            *disk // nil for the machine's own
	ledger          *ledger
}

// newPlace makes the place of a worker; nil for one that needs a disk which
// can't be had.
func (s *soak) newPlace(name string) (*place, error) {
	root := filepath.Join(s.root, name)
	p := &place{name: name, dir: filepath.Join(root, "work"), home: filepath.Join(root, "home"), ledger: newLedger()}
	if err := os.MkdirAll(root, 0o700); err != nil {
		return nil, err
	}
	if name == "disk" {
		if !s.mounts {
			return nil, nil
		}
		d, err := newDisk(root)
		if err != nil {
			s.journal.count("disks that can't be had: " + err.Error())
			return nil, nil
		}
		p.disk = d
	}
	s.mu.Lock()
	s.places = append(s.places, p)
	s.mu.Unlock()
	return p, p.furnish(s.url)
}

// furnish writes what the program finds: settings, models of all wires, files.
func (p *place) furnish(url string) error {
	providers := map[string]any{}
	for _, wire := range mockserver.Wires() {
		base := url
		if wire != mockserver.Anthropic && wire != mockserver.Google {
			base += "/v1"
		}
		providers["soak-"+string(wire)] = map[string]any{
			"baseUrl": base, "api": wire, "apiKey": "none",
			"models": []any{map[string]any{"id": "m", "reasoning": true, "contextWindow": 60_000}},
		}
	}
	settings := map[string]any{
		"retry":       map[string]any{"baseDelayMs": 20, "maxRetries": 4, "idleTimeoutMs": 1500},
		"permissions": map[string]any{"mode": "full"},
	}
	var big strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&big, "line %d of a file that is long enough to be cut\n", i)
	}
	for path, content := range map[string]any{
		filepath.Join(p.home, ".config/hoopoe/models.json"):   map[string]any{"providers": providers},
		filepath.Join(p.home, ".config/hoopoe/settings.json"): settings,
		filepath.Join(p.dir, "notes.txt"):                     "a note\n",
		filepath.Join(p.dir, "big.txt"):                       big.String(),
	} {
		data, isText := []byte(nil), false
		if text, ok := content.(string); ok {
			data, isText = []byte(text), true
		}
		err := os.MkdirAll(filepath.Dir(path), 0o700)
		if !isText && err == nil {
			data, err = json.Marshal(content)
		}
		if err == nil {
			err = os.WriteFile(path, data, 0o600)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// sessions lists the place's session files, those of sub-agents too.
func (p *place) sessions() (files []string, err error) {
	err = filepath.WalkDir(filepath.Join(p.home, ".local/share/hoopoe/sessions"), func(path string, e fs.DirEntry, err error) error {
		if os.IsNotExist(err) {
			return nil
		}
		if err == nil && e.Type().IsRegular() && strings.HasSuffix(path, ".jsonl") {
			files = append(files, path)
		}
		return err
	})
	return files, err
}

// top reports whether a session is the user's, not a sub-agent's.
func (p *place) top(file string) bool {
	rest, err := filepath.Rel(filepath.Join(p.home, ".local/share/hoopoe/sessions"), file)
	return err == nil && strings.Count(rest, string(filepath.Separator)) == 1
}
