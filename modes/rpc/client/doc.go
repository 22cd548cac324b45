// Package client drives the agent's RPC mode from Go: it starts the binary, or
// speaks over any two pipes, and has a method for every command.
//
//	caller ─ method ─▶ outbox ─▶ writer ─▶ agent's stdin
//	agent's stdout ─▶ reader ─┬─▶ response ─▶ the call that waits for its id
//	                          ├─▶ host_tool_call ─▶ HostTool.Run, in its goroutine
//	                          ├─▶ extension_ui_request ─▶ Options.OnUI, in its goroutine
//	                          └─▶ event ─▶ turns ─▶ Turn.Wait
//	                                   └─▶ every Subscription ─▶ its reader
//
// The reader never waits for anybody: responses go into buffered channels,
// events into queues, answers into the outbox. So a slow subscriber, a host
// tool that hangs or an agent that doesn't read cannot keep an abort from being
// answered. Requests leave in the order of their ids, req_1, req_2, ...
//
// The client speaks the default dialect, in which some failures carry no id;
// Options.ProtocolError tells what becomes of those. It needs an agent that
// writes ready first and ends every prompt with agent_settled.
//
// All methods are safe for concurrent use, except those of one Subscription.
// Contexts bound the waiting, not the work: a call that is given up may still
// be carried out.
package client
