// Package wire holds what the line protocols share besides engine/jsonl: how
// half-told values look while they are on their way.
//
//	raw arguments so far ─▶ Partial ─▶ an object with what is known
package wire
