package bundle

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// ten extensions of about 150 lines, the size of most that people share.
func ten(b *testing.B) []string {
	dir := tree(b, "")
	var entries []string
	for i := range 10 {
		var s strings.Builder
		s.WriteString("// @capabilities fs exec\nimport * as fs from 'node:fs'\nimport { Type } from '@sinclair/typebox'\nimport type { ExtensionAPI } from '@mariozechner/pi-coding-agent'\nimport { helper } from './lib'\nexport default function (pi: ExtensionAPI) {\n")
		for j := range 15 {
			fmt.Fprintf(&s, `
  pi.registerTool({
    name: "tool_%d_%d", label: "Tool", description: "Does the thing number %d",
    parameters: Type.Object({ path: Type.String({ description: "Where" }), count: Type.Optional(Type.Number()) }),
    async execute(id: string, params: { path: string; count?: number }, signal?: AbortSignal) {
      const found: Record<string, number> = {}
      for (const part of params.path.split("/")) found[part] = (found[part] ?? 0) + (params.count ?? 1)
      return { content: [{ type: "text", text: helper(JSON.stringify(found), fs) }], details: { id, ...found } }
    },
  })
`, i, j, j)
		}
		s.WriteString("}\n")
		folder := filepath.Join(dir, fmt.Sprintf("e%d", i))
		write(b, filepath.Join(folder, "index.ts"), s.String())
		write(b, filepath.Join(folder, "lib.ts"), "export function helper(text: string, fs: any): string { return text.trim() + typeof fs }\n")
		entries = append(entries, filepath.Join(folder, "index.ts"))
	}
	return entries
}

// BenchmarkTen is ten extensions up to scripts that are ready to run: cold
// without a cache, warm with one in a new process, again in the same process.
func BenchmarkTen(b *testing.B) {
	load := func(b *testing.B, bundler *Bundler, entries []string) {
		for _, e := range entries {
			made, err := bundler.Bundle(b.Context(), e)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := made.Program(); err != nil {
				b.Fatal(err)
			}
		}
	}
	entries, cache := ten(b), b.TempDir()
	b.Run("cold", func(b *testing.B) {
		for b.Loop() {
			load(b, New(Options{External: serves}), entries)
		}
	})
	b.Run("warm", func(b *testing.B) {
		load(b, New(Options{External: serves, Cache: cache}), entries)
		for b.Loop() {
			load(b, New(Options{External: serves, Cache: cache}), entries)
		}
	})
	b.Run("again", func(b *testing.B) {
		same := New(Options{External: serves, Cache: cache})
		load(b, same, entries)
		for b.Loop() {
			load(b, same, entries)
		}
	})
}
