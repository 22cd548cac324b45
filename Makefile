# Short names for what is done often. CI runs .ci/run, which has every step.

.PHONY: build test check bench soak bench-peers fuzz scratch snapshot release actionlint

# Tools run from modules of their own; nothing of them enters go.mod. Without a
# network they come from the cache of modules.
tool = GOPROXY="$$(go env GOPROXY)|file://$$(go env GOMODCACHE)/cache/download" go run
goreleaser = $(tool) github.com/goreleaser/goreleaser/v2@v2.16.0
actionlint = $(tool) github.com/rhysd/actionlint/cmd/actionlint@v1.7.12

build:
	CGO_ENABLED=0 go build -trimpath -ldflags "-s -w" -o hoopoe .

test:
	go test ./...

# What .ci/run does, without the slow parts: race detector, other systems, fuzzing.
check:
	.ci/run format vet staticcheck test tidy

bench:
	go test -run '^$$' -bench . -benchmem ./...

# Beside the rivals that are installed, some minutes: testdata/bench/README.md.
# ARGS="-runs 3 -peers pi,codex"
bench-peers:
	go run ./internal/bench $(ARGS)

# Mixed load on all faces with faults for that long, on Linux. As root it fills and
# freezes a disk of its own, too.
SOAK ?= 20m
soak:
	go run ./internal/soak -for $(SOAK)

fuzz:
	.ci/run fuzz

# The README's two commands in a fresh clone, with an empty home and next to nothing
# on the path.
scratch:
	.ci/scratch

# All files of a release, in dist/, then a test of them. Needs no network once the
# modules are there.
snapshot:
	$(goreleaser) check
	$(goreleaser) release --snapshot --clean
	HOOPOE_DIST=$(CURDIR)/dist go test -count=1 -v -tags snapshot -run Snapshot ./internal/release

# A release of the tag that is checked out. Needs GITHUB_TOKEN, and TAP_TOKEN for
# the repositories of Homebrew and Scoop.
release:
	$(goreleaser) release --clean
	HOOPOE_DIST=$(CURDIR)/dist go test -count=1 -v -tags snapshot -run Snapshot ./internal/release

# The workflows of .github.
actionlint:
	$(actionlint) -color
