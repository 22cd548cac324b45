// Package remote serves conversations over a WebSocket: JSON messages for
// programs, and the events of a session for a page in the browser. PROTOCOL.md
// is the reference.
//
//	TCP or unix socket ─▶ guard: Host, Origin, token, limits ─▶ upgrade
//	                                                             │
//	reader ─▶ request ─┬─▶ Interrupt, GetCommands, confirmations: at once
//	                   └─▶ all others: a queue of 8, one after the other
//	                          │ methods of engine.Session
//	                          ▼
//	session's subscription: events and replies, in one order
//	                          │ story (pure): event ─▶ frames of the request
//	                          ▼
//	journal (kept sessions) ─▶ outbox of each connection ─▶ its writer ─▶ socket
//
// A conversation belongs to its connection and ends with it, unless the client
// asked for a kept one: that outlives its connections by a grace time, and what
// they missed is replayed. The pump that reads the subscription never waits for
// a socket, so no client slows the model; a client that lets 64 MB pile up is
// disconnected.
package remote
