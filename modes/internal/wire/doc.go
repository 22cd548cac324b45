// Package wire holds what the line protocols share besides engine/jsonl: how
// half-told values look while they are on their way, and JSON-RPC 2.0.
//
//	raw arguments so far ─▶ Partial ─▶ an object with what is known
//
//	reader ─▶ Peer.Serve ─┬─▶ a response ─▶ the Pending that waits for it
//	                      ├─▶ $/cancel_request ─▶ that request's context
//	                      └─▶ a request or notification ─▶ Handler
//	Reply, Send, Start ─▶ queue ─▶ one writer goroutine ─▶ write(line)
//
// The reader never waits for a session, so that a cancel reaches what it
// cancels. A response and the lines that must follow it go into the queue
// together.
package wire
