# Short names for what is done often. CI runs .ci/run, which has every step.

.PHONY: build test check bench fuzz

build:
	CGO_ENABLED=0 go build -trimpath -ldflags "-s -w" -o hoopoe .

test:
	go test ./...

# What .ci/run does, without the slow parts: race detector, other systems, fuzzing.
check:
	.ci/run format vet staticcheck test tidy

bench:
	go test -run '^$$' -bench . -benchmem ./...

fuzz:
	.ci/run fuzz
