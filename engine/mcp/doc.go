// Package mcp makes the tools, prompts and resources of MCP servers usable.
//
//	.mcp.json, settings ─▶ Parse ─▶ Server ─▶ Manager ─┬─▶ link (stdio: process group) ─▶ SDK session
//	                                                   └─▶ link (streamable HTTP)      ─▶ SDK session
//	            model ◀─ Manager.Tools / Visible ◀─ catalog ◀─ tools/list
//
// Each server has one link at a time. It comes up when Start is called or
// something is needed of it, in its own goroutine and with a deadline; callers
// wait for it only as long as they like. When it ends, the server has failed
// until it is needed again or restarted; its tools stay in the list, so that
// the model's context doesn't change under it.
//
// All that a server says is hostile: lines and bodies have a size, lists a
// length, names become what providers accept, and a line that is no message is
// dropped. Texts for people are cleaned of control characters here, because
// they end in one-line notices; results go on as they are, and who displays
// them filters.
package mcp
