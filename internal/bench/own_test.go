//go:build unix && !race

// The program itself, a dozen times: it has no detector to watch it.

package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/hoopoe-agent/hoopoe/internal/bench/report"
)

// Our own binary does all works, and beside it a program that calls itself pi
// and can't do any.
func TestOurBinary(t *testing.T) {
	program, err := build(t.Context(), t.TempDir(), false)
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t, options{program: program})
	fake := pi()
	fake.program = script(t, "echo 1.2.3; echo mockingbird Finished.; [ \"$1\" = --version ] || { echo; echo \"mockingbird\"; }")
	results, err := b.run(t.Context(), works(small), []peer{fake, crush()})
	if err != nil {
		t.Fatal(err)
	}
	if want := []report.Peer{{Name: "pi", Version: "1.2.3"}}; !slices.Equal(results.Peers[1:], want) {
		t.Errorf("took part: %+v", results.Peers)
	}
	if len(results.Absent) != 1 || results.Absent[0].Reason != "crush is not installed" {
		t.Errorf("absent: %+v", results.Absent)
	}
	refused := 0
	for _, row := range results.Rows {
		name := row.Work + ", " + row.Quantity
		if c := row.Cells["Hoopoe"]; c.N != 1 || c.Reason != "" || c.Median < 0 || c.Median == 0 && row.Quantity == wall {
			t.Errorf("%s: %+v", name, c)
		}
		if c := row.Cells["pi"]; c.Reason != "" {
			refused++
		} else if c.N > 0 && (strings.Contains(name, "chat") || strings.Contains(name, "calls")) {
			t.Errorf("%s: the false pi has a figure: %+v", name, c)
		}
	}
	if len(results.Rows) < 20 || refused < 10 {
		t.Errorf("%d rows, %d refused to the false pi", len(results.Rows), refused)
	}
}
