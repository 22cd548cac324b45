package main

import (
	"runtime/debug"
	"strings"
)

// released is set by the release build: -ldflags "-X main.released=0.2.0".
var released string

// unreleased is what a build from a working copy calls itself.
const unreleased = "0.1.0-dev"

// version is that of the release, else of the module that was installed.
func version() string {
	if released != "" {
		return strings.TrimPrefix(released, "v")
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		return moduleVersion(info.Main.Version)
	}
	return unreleased
}

// moduleVersion leaves out what the go command makes up for a working copy.
func moduleVersion(v string) string {
	if !strings.HasPrefix(v, "v") || strings.HasPrefix(v, "v0.0.0-") || strings.Contains(v, "+dirty") {
		return unreleased
	}
	return strings.TrimPrefix(v, "v")
}
