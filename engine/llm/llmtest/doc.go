// Package llmtest is the conformance suite that every provider passes.
//
//	Subject (fresh provider + requests) ─▶ Run ─▶ order, early stop, cancel, failure
//	parts of one stream                 ─▶ Check ─▶ nil, or what breaks llm.Stream's contract
package llmtest
