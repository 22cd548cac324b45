// Package report keeps what `make bench-peers` has measured, and shows it.
//
//	samples of a row ─▶ Summarize ─▶ Cell ─▶ Results ─▶ results.json
//	results.json ─▶ Read ─▶ Document (all) ─▶ results.md
//	                     └▶ Short (medians) ─▶ Embed ─▶ README.md
//
// Ratios are of one run: absolute times are those of the machine.
package report
