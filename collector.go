package main

import "time"

// While a process starts, it keeps nearly all that it makes: settings, the
// catalogue, the first frame. To collect that over and over costs a tenth of the
// time to the first frame and finds nothing, so the heap may first grow to five
// times what is in use instead of twice.
const (
	startPercent = 400
	startTime    = 100 * time.Millisecond
)

// holdCollector gives the collector back what it was set to (GOGC has a say in
// that) when the process has started. set is debug.SetGCPercent.
func holdCollector(set func(percent int) (before int)) *time.Timer {
	before := set(startPercent)
	return time.AfterFunc(startTime, func() { set(before) })
}
