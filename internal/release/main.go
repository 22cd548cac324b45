// Release makes what goes with a release beside the program, out of what the
// program really links on any of its systems:
//
//	go list -deps, for each system ─▶ modules ─┬▶ licences of their folders ─▶ third-party notices
//	                                           └▶ CycloneDX, with who needs whom
//
// Both come out the same for the same commit. A module without a licence, or with
// one that nobody here knows, stops the release.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	notices := flag.String("notices", "", "write the third-party notices to this `FILE`")
	sbom := flag.String("sbom", "", "write the bill of materials (CycloneDX, JSON) to this `FILE`")
	version := flag.String("version", "0.0.0", "the release's `VERSION`")
	flag.Parse()
	if err := run(context.Background(), *notices, *sbom, *version); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, notices, sbom, version string) error {
	program, err := linked(ctx, ".")
	if err != nil {
		return err
	}
	for _, out := range []struct {
		path string
		make func() ([]byte, error)
	}{
		{notices, func() ([]byte, error) { return program.notices() }},
		{sbom, func() ([]byte, error) { return program.cyclone(version, os.Getenv("SOURCE_DATE_EPOCH")) }},
	} {
		if out.path == "" {
			continue
		}
		text, err := out.make()
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(out.path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(out.path, text, 0o644); err != nil {
			return err
		}
	}
	return nil
}
