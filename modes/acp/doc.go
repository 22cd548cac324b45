// Package acp serves an agent to editors in version 1 of the Agent Client
// Protocol. PROTOCOL.md is the reference.
//
//	lines ─▶ wire.Peer ─┬─▶ prompt, cancel: by the reader, at once
//	                    ├─▶ a session's other requests: its queue
//	                    └─▶ all else: the connection's queue
//	                             │ methods of engine.Session
//	                             ▼
//	each session's subscription: events, and the places of prompts among them
//	                             │ projection (pure): canonical event ─▶ updates
//	                             ▼
//	                    wire.Peer ─▶ lines, by one writer
//
// A session has one goroutine, its teller, that takes its subscription and is
// the only one that sends its updates. It answers a prompt when it has sent the
// last update of the turn; so the order on the wire is that of the session.
// Nothing of a session is told before the response that names it.
//
// What an editor has open is read and written through it (editor.go), and
// commands run in its terminals (terminal.go), where it offers that.
package acp
