// Package rpc serves one session as JSON lines over stdio, in the protocol of
// the pi family: a drop-in server for hosts that are written for it.
// PROTOCOL.md is the reference.
//
//	stdin ─▶ reader ─┬─▶ answers to our requests (dialogs, host tools): at once
//	                 ├─▶ abort: at once, and again in its turn
//	                 ├─▶ bash, compact, export_html: beside the queue
//	                 └─▶ all other commands: a queue, one after the other
//	                            │ methods of engine.Session
//	                            ▼
//	session's subscription: events and responses, in one order
//	                            │ projection (pure): canonical event ─▶ frames
//	                            ▼
//	                     writer ─▶ stdout, the only goroutine that writes
//
// The reader never waits for a command, so a dialog that a command opens can
// be answered. Responses travel through the subscription's own queue: what a
// command causes can't overtake its response, nor the other way round.
package rpc
