// Package rule watches what a model streams and says which of the user's rules
// it breaks.
//
//	rules/*.md ──▶ prompt.Rules ──▶ New ──▶ Rule ─┐
//	                                 Settings ────┴─▶ Watcher
//	text, thinking, arguments of tool calls, in deltas ──▶ Watcher ──▶ Match
//	Match ──▶ Injection ──▶ what the model is told
//
// A rule with a condition is a stream rule. Its conditions become one
// automaton that reads every character once: nothing is buffered, a match
// across deltas is found wherever they are cut, and the time for an answer
// grows with its length alone. What depends on the end of a text ($, \b)
// is decided at the next character or, when the message is over, by End.
//
// The arguments of a tool call are read twice: as the JSON text that the model
// writes, and each string in them as a text of its own, unescaped, so that a
// condition about code finds the code.
//
// Everything here is pure: no files, no clock, no goroutines.
package rule
