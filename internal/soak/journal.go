//go:build linux

package main

import (
	"fmt"
	"io"
	"log"
	"maps"
	"slices"
	"sync"
	"time"
)

// journal keeps what happened: how often, and what shouldn't have.
type journal struct {
	live io.Writer // is told of failures at once

	mu       sync.Mutex
	counts   map[string]int
	notes    []string
	failures []string
	more     int // failures that aren't kept
}

// enough failures tell what is wrong.
const enough = 60

func newJournal(live io.Writer) *journal { return &journal{live: live, counts: map[string]int{}} }

func discardLog() *log.Logger { return log.New(io.Discard, "", 0) }

func (j *journal) count(what string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.counts[what]++
}

func (j *journal) note(text string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.notes = append(j.notes, text)
}

func (j *journal) fail(who string, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.failures) == enough {
		j.more++
		return
	}
	j.failures = append(j.failures, fmt.Sprintf("%s: %v", who, err))
	fmt.Fprintf(j.live, "FAILED at %s %s: %v\n", time.Now().Format(time.TimeOnly), who, err)
}

func (j *journal) failed() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.failures) > 0
}

// write lists notes and counts. The failures were told as they came.
func (j *journal) write(out io.Writer) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, n := range j.notes {
		fmt.Fprintf(out, "  %s\n", n)
	}
	for _, what := range slices.Sorted(maps.Keys(j.counts)) {
		fmt.Fprintf(out, "  %6d  %s\n", j.counts[what], what)
	}
	fmt.Fprintf(out, "%d failures\n", len(j.failures)+j.more)
}
