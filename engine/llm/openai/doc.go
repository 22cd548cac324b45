// Package openai speaks OpenAI's two wires: chat completions, which most
// services and every local server also offer, and responses.
//
//	llm.Request ─▶ history.Strip ─▶ the SDK's params ─▶ POST, one attempt
//	                                                        │ exchange: status, stall, key
//	parts ◀─ answer.Writer ◀─ chat or response reader ◀─ the SDK's events
//
// What servers do otherwise than OpenAI's own is described by flags (compat),
// with defaults by the base URL's host. An answer of the chat wire whose tool
// calls are printed as text goes through spotter, which finds them there.
package openai
