package main

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// C-5: a fast start must not be paid for with memory later, nor with a user's GOGC.
func TestHoldCollector(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, usual := range []int{100, 50, -1} {
			var asked []int
			percent := usual
			holdCollector(func(p int) (before int) {
				asked = append(asked, p)
				before, percent = percent, p
				return before
			})
			time.Sleep(startTime / 2)
			synctest.Wait()
			if want := []int{startPercent}; !slices.Equal(asked, want) {
				t.Fatalf("with %d: set to %v while it starts, want %v", usual, asked, want)
			}
			time.Sleep(startTime)
			synctest.Wait()
			if percent != usual {
				t.Errorf("with %d: left at %d", usual, percent)
			}
		}
	})
}
