package main

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// C-5: a fast start must not be paid for with memory later, nor with a user's GOGC.
func TestHoldCollector(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, usual := range []int{100, 50, -1} {
			var percent atomic.Int64
			percent.Store(int64(usual))
			holdCollector(func(p int) (before int) { return int(percent.Swap(int64(p))) })
			time.Sleep(startTime / 2)
			synctest.Wait()
			if now := percent.Load(); now != startPercent {
				t.Errorf("with %d: at %d while it starts, want %d", usual, now, startPercent)
			}
			time.Sleep(startTime)
			synctest.Wait()
			if now := percent.Load(); now != int64(usual) {
				t.Errorf("with %d: left at %d", usual, now)
			}
		}
	})
}
